import t from 'tap';
import { meshNodes, meshSpans } from '../../mesh/records.ts';
import { contest } from '../../src/challenges/challenger.ts';
import { Challenges } from '../../src/challenges/challenges.ts';
import type { Party, SegmentWork, ThirdExecution } from '../../src/challenges/ports.ts';
import { openStakes } from '../../src/challenges/stakes.ts';
import { runThrough } from '../../src/challenges/through-segment.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { readStatement } from '../../src/proof/statement.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { nodeKeys } from '../../src/spine/identity.ts';
import { envelopes } from '../../src/spine/records.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { figureEight } from '../spine/test-node.ts';
import { court, settledView, slander } from './challenged.ts';
import { type Lie, LyingExecutor, type SealedJob } from './lying.ts';

// The ports by which the mesh comes in: who computed it, who runs it a third time, whose bond is withheld.

const api = await court(t);
const { node, stranger } = api;
const pool = new ThreadPool({ threads: 1, catalogue: node.catalogue });
t.teardown(() => pool.close());

const bad: Party = { node: 'UBAD', owner: 'z-bad' };

/** Everything that was asked of the ports, in words. */
interface Asked {
  readonly said: string[];
  readonly works: SegmentWork[];
}

interface Fakes {
  readonly node?: string;
  readonly third?: (work: SegmentWork, signal?: AbortSignal) => ReturnType<ThirdExecution['run']>;
  readonly withhold?: () => void;
}

function room({ third, withhold, ...other }: Fakes): Asked & { readonly challenges: Challenges } {
  const { signingSeed } = nodeKeys(api.dataDir);
  const { store, log, name, now, limits } = node;
  const said: string[] = [];
  const works: SegmentWork[] = [];
  const challenges = new Challenges({
    ...{ store, log, now, node: name, executor: pool, memory: limits.memory, ...other },
    signer: noteSigner(name, signingSeed),
    provenance: { computedBy: async () => [bad] },
    third: {
      run: async (work, signal) => {
        works.push(work);
        return third?.(work, signal);
      },
      judged: async ({ node }, counter) => void said.push(`judged ${node} ${counter !== undefined}`),
    },
    bonds: {
      challengeOpened: async (_, { owner }) => void said.push(`opened ${owner}`),
      challengeClosed: async (_, { owner }) => void said.push(`closed ${owner}`),
      withhold: async (_, fault) => {
        withhold?.();
        said.push(`withheld ${fault.node} by ${fault.verdict}`);
      },
      takeBack: async (_, { node, run, from }) => void said.push(`took back ${node} ${run} from ${from}`),
      jobRefunded: async (_, { job }) => void said.push(`refunded ${job.slice(0, 4)}`),
    },
  });
  t.teardown(() => challenges.stop());
  return { challenges, said, works };
}

/** An execution elsewhere: honest, or with a lie of its own. */
const elsewhere =
  (name: string, lie?: Lie): NonNullable<Fakes['third']> =>
  async ({ kernel, parameters, stepsPerSegment, memory, work, through }) => {
    const executor = new LyingExecutor(node, lie, { steps: Number.MAX_SAFE_INTEGER });
    const spec = { kernel, parameters, stepsPerSegment, memory, work };
    return { node: name, engine: 'another engine', ...(await runThrough(executor, spec, through)) };
  };

async function challenged(room: { challenges: Challenges }, lie: Lie | undefined) {
  const sealed = await api.seal(lie);
  return { sealed, view: await contestedIn(room, sealed) };
}

async function contestedIn({ challenges }: { challenges: Challenges }, sealed: SealedJob) {
  const difference = (await stranger.rerun(sealed)) ?? slander(sealed, 0, 20);
  const { zid } = stranger;
  const found = await contest(sealed.answer, difference, {
    open: (body) => challenges.open(zid, body),
    children: (id, exchange) => challenges.exchange(zid, id, exchange),
  });
  await challenges.idle();
  return challenges.view(found.challenge);
}

const contentOf = ({ verdict }: { verdict: string | null }) => readStatement(verdict!, [node.vkey]).content;

t.test(
  'a contributor that a third and the service find wrong loses its bond, once (CONTRIB-06)',
  async (t) => {
    const court = room({ third: elsewhere('UTHIRD') });
    const { sealed, view } = await challenged(court, { run: 0, segment: 60 });
    t.equal(view.outcome, 'contributor_wrong');
    const consequences = [`withheld UBAD by ${view.challenge}`, `took back UBAD ${sealed.job}-0 from 60`];
    t.same(court.said, [
      'opened z-bad',
      'judged UTHIRD true',
      ...consequences,
      'refunded job_',
      'closed z-bad',
    ]);
    t.match(contentOf(view), {
      faulty: ['UBAD'],
      third: { node: 'UTHIRD', engine: 'another engine' },
      service: { node: node.name, engine: /^v8-/ },
    });
    const [work] = court.works;
    t.same(
      new Set(work!.sides.owners),
      new Set(['z-bad', stranger.zid, api.zid]),
      'neither side, nor who pays',
    );
    t.same(work!.sides.nodes, ['UBAD']);
  },
);

t.test('a contributor that is slandered keeps its bond', async (t) => {
  const court = room({ third: elsewhere('UTHIRD') });
  const { view } = await challenged(court, undefined);
  t.equal(view.outcome, 'challenger_wrong');
  t.same(court.said, ['opened z-bad', 'judged UTHIRD true', 'closed z-bad']);
});

t.test('a third that the service itself contradicts is no third, and others are asked', async (t) => {
  let asked = 0;
  const court = room({
    third: (work) => elsewhere(`ULIAR${asked++}`, { run: 0, segment: 60, byte: 3 })(work),
  });
  const { view } = await challenged(court, { run: 0, segment: 60 });
  t.equal(view.outcome, 'contributor_wrong');
  t.equal(contentOf(view).third, null);
  t.same(court.works.at(-1)!.sides.nodes, ['UBAD', 'ULIAR0', 'ULIAR1'], 'each once');
  const judged = court.said.filter((word) => word.startsWith('judged'));
  t.same(judged, ['judged ULIAR0 false', 'judged ULIAR1 false', 'judged ULIAR2 false'], 'and none is paid');
});

t.test('a third that fails is none', async (t) => {
  const court = room({ third: () => Promise.reject(new Error('gone')) });
  const { view } = await challenged(court, { run: 0, segment: 60 });
  t.match(contentOf(view), { outcome: 'contributor_wrong', third: null });
});

t.test('a node that goes down waits for no third, and decides nothing', async (t) => {
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let told: AbortSignal | undefined;
  const silent = (_: SegmentWork, signal?: AbortSignal) => {
    told = signal;
    asked();
    return new Promise<undefined>(() => undefined);
  };
  const court = room({ third: silent });
  const sealed = await api.seal({ run: 0, segment: 60 });
  const { zid } = stranger;
  const found = await contest(sealed.answer, (await stranger.rerun(sealed))!, {
    open: (body) => court.challenges.open(zid, body),
    children: (id, exchange) => court.challenges.exchange(zid, id, exchange),
  });
  await isAsked;
  await court.challenges.stop();
  t.equal(told?.aborted, true, 'and says so to who runs it');
  t.match(await court.challenges.view(found.challenge), { state: 'executing', outcome: null });
  const next = room({ third: elsewhere('UTHIRD') });
  await next.challenges.recover();
  await next.challenges.idle();
  t.match(
    await next.challenges.view(found.challenge),
    { outcome: 'contributor_wrong' },
    'the next start does',
  );
});

t.test('an end that fails half way leaves nothing, and is made whole later', async (t) => {
  let fails = true;
  const court = room({
    withhold: () => {
      if (fails) throw new Error('the bonds are away');
    },
  });
  const paid = await node.accounts.means(api.zid);
  const leaves = await node.log.size(node.store);
  const { sealed, view } = await challenged(court, { run: 0, segment: 60 });
  const { token_id } = sealed.answer.envelope;
  t.equal(view.state, 'executing');
  t.match(await node.store.get(envelopes, { token_id: token_id! }), { revoked_ns: null, locked_by: null });
  t.equal(await node.log.size(node.store), leaves + 1, 'the seal, and no verdict');
  t.ok((await node.accounts.means(api.zid)).free < paid.free, 'no refund');
  fails = false;
  await court.challenges.recover();
  await court.challenges.idle();
  t.match(await court.challenges.view(view.challenge), { outcome: 'contributor_wrong' });
  t.same(await node.accounts.means(api.zid), paid);
  t.equal(await node.log.size(node.store), leaves + 3, 'seal, verdict, revocation');
  t.match(await auditSpine(node.store, undefined, { vkeys: [] }, [openStakes]), {
    sound: true,
    problems: [],
  });
});

t.test(
  'what the service cannot run is left undecided after three attempts, and the stake returns',
  async (t) => {
    const court = room({
      withhold: () => {
        throw new Error('away for good');
      },
    });
    const means = await node.accounts.means(stranger.zid);
    const { sealed, view } = await challenged(court, { run: 0, segment: 60 });
    for (let i = 0; i < 2; i++) {
      await court.challenges.recover();
      await court.challenges.idle();
    }
    t.match(await court.challenges.view(view.challenge), {
      state: 'undecided',
      verdict: null,
      detail: /could not/,
    });
    t.same(await node.accounts.means(stranger.zid), means);
    const { token_id } = sealed.answer.envelope;
    t.match(await node.store.get(envelopes, { token_id: token_id! }), { revoked_ns: null });
    t.equal(court.said.at(-1), 'closed z-bad');

    const again = room({ third: elsewhere('UTHIRD') });
    const next = await contestedIn(again, sealed);
    t.match(next, { outcome: 'contributor_wrong' }, 'the same claim can be made again');
    t.not(next.challenge, view.challenge, 'as another challenge');
    t.equal((await contestedIn(again, sealed)).challenge, next.challenge, 'which a repeat is');
    t.match(await again.challenges.view(view.challenge), { state: 'undecided' }, 'the first stays as it was');
  },
);

t.test('a result that another node of the same store sealed is contested there', async (t) => {
  const sealed = await api.seal(undefined);
  const { run, claim } = slander(sealed, 0, 20);
  const { challenges } = room({ node: 'another' });
  const { envelope } = sealed.answer;
  await t.rejects(challenges.open(stranger.zid, { envelope: { ...envelope }, run, ...claim }), {
    ...{ code: 'CONFLICT', details: { node: node.name } },
  });
});

t.test(
  'who computed a run on the mesh is known by its accepted spans, and barred on a verdict',
  async (t) => {
    const sealed = await api.seal({ run: 0, segment: 60 });
    const { zid: owner } = await node.accounts.create();
    const atNs = node.now();
    const of = {
      id: 'UCONTRIBUTOR',
      owner,
      engine: 'v8',
      cores: 2n,
      memory: 2n ** 30n,
      mode: 'contributing',
    };
    const span = (from: bigint, to: bigint, name: string, by: string) => ({
      ...{ run: `${sealed.job}-0`, from_segment: from, to_segment: to, node: name, owner: by },
      ...{ claim: {}, bytes: '', work: 1n, accepted_ns: atNs },
    });
    await node.store.transaction(async (tx) => {
      await tx.insert(meshNodes, { ...of, state: 'admitted', admitted_ns: atNs, heard_ns: atNs });
      await tx.insert(meshSpans, span(0n, 59n, 'UOTHER', 'z-other'));
      await tx.insert(meshSpans, span(60n, 90n, of.id, owner));
      await tx.insert(meshSpans, span(91n, 125n, 'UHOUSE', 'house'));
    });
    const found = await stranger.contest(sealed, (await stranger.rerun(sealed))!);
    const view = await settledView(api, found.challenge);
    t.match(contentOf(view), { outcome: 'contributor_wrong', faulty: [of.id] });
    t.match(await node.store.get(meshNodes, { id: of.id }), { state: 'barred', mode: 'idle' });
  },
);

t.test('nobody answers for a segment that the service had run in their place', async (t) => {
  const sealed = await api.seal({ run: 0, segment: 60 });
  const atNs = node.now();
  const rows = ['UREPLACED', 'UHONEST'].map((name, i) => ({
    ...{ run: `${sealed.job}-0`, from_segment: BigInt(60 * i), to_segment: BigInt(60 * i + 59) },
    ...{ node: name, owner: `z-${name}`, replaced_by: 'house' },
    ...{ claim: {}, bytes: '', work: 1n, accepted_ns: atNs },
  }));
  const paid = { engine: 'v8', cores: 2n, memory: 2n ** 30n, mode: 'contributing', state: 'admitted' };
  await node.store.transaction(async (tx) => {
    for (const row of rows) {
      const { node: id, owner } = row;
      await tx.insert(meshNodes, { ...paid, id, owner, admitted_ns: atNs, heard_ns: atNs });
      await tx.insert(meshSpans, row);
    }
  });
  const found = await stranger.contest(sealed, (await stranger.rerun(sealed))!);
  const view = await settledView(api, found.challenge);
  t.match(contentOf(view), { outcome: 'contributor_wrong', faulty: [] });
  for (const { node: id } of rows) t.match(await node.store.get(meshNodes, { id }), { state: 'admitted' });
});

t.test('nothing goes on from a job that was revoked', async (t) => {
  const sealed = await api.seal({ run: 0, segment: 60 });
  const goOn = () =>
    api.post('/api/svc/multibody/quote', { ...figureEight, t_max: 5, ...resumed(sealed.job) });
  t.equal((await goOn()).status, 200, 'before it was');
  const found = await stranger.contest(sealed, (await stranger.rerun(sealed))!);
  await settledView(api, found.challenge);
  t.match(await goOn(), { status: 409, body: { error: { code: 'CONFLICT', challenge: found.challenge } } });
});

/** What a request is beside its end that goes on from a job. */
const resumed = (job: string) => ({
  ...{ position: undefined, velocity: undefined },
  initialState: { continue: job },
});
