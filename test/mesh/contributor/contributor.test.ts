import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Contributor, type ContributorOptions } from '../../../mesh/contributor/contributor.ts';
import type { ContributorEvent } from '../../../mesh/contributor/events.ts';
import { contributorIdentity } from '../../../mesh/contributor/identity.ts';
import { KernelCache } from '../../../mesh/contributor/kernel-cache.ts';
import type { CheckAnswer, Desk, Holding, Mode } from '../../../mesh/desk.ts';
import { isSignedBy } from '../../../mesh/nats/nkey.ts';
import { Refusal } from '../../../src/errors/refusal.ts';
import { fromHex, toHex } from '../../../src/proof/bytes.ts';
import { digestsOfRun } from '../../../src/proof/digests.ts';
import type { FinishedRun } from '../../../src/proof/job.ts';
import { Layout } from '../../../src/solvers/layout.ts';
import type { ExecuteOptions, Executor, RunSpec } from '../../../workers/executor.ts';
import { ThreadPool } from '../../../workers/pool.ts';
import { fixtureCatalogue } from '../../workers/fixture-kernels.ts';
import { MemoryService } from '../memory-desk.ts';
import { orbits } from '../orbits.ts';

// MESH, CONTRIB: a contributor against the decisions of mesh/decide, with real threads and kernels, without a network.

const folder = mkdtempSync(join(tmpdir(), 'svc-contributor-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const catalogue = await fixtureCatalogue('counter', 'hungry', 'trap', 'infinite');
const brought = [...new KernelCache(folder).catalogue.folders.slice(0, 2), ...catalogue.folders];

let nodes = 0;

interface Hired {
  readonly contributor: Contributor;
  readonly pool: ThreadPool;
  readonly events: ContributorEvent[];
  readonly node: string;
  /** Resolves with the first event that fits. */
  seen<Kind extends ContributorEvent['kind']>(kind: Kind): Promise<Extract<ContributorEvent, { kind: Kind }>>;
}

type Change = Partial<Omit<ContributorOptions, 'desk'>> & { readonly desk?: (honest: Desk) => Desk };

/** A contributor of its own owner on threads of its own; ended with the test. */
function hire(t: Test, service: MemoryService, { desk, ...options }: Change = {}): Hired {
  const node = `node-${++nodes}`;
  const honest = service.desk({ id: node, owner: `owner-${nodes}`, engine: 'test' });
  const kernels = new KernelCache(join(folder, node), brought);
  const pool = new ThreadPool({ threads: options.threads ?? 1, catalogue: kernels.catalogue });
  const events: ContributorEvent[] = [];
  const waiting: { kind: string; resolve: (event: ContributorEvent) => void }[] = [];
  const contributor = new Contributor({
    ...{ bells: service.bells, pool, kernels, threads: 1, memory: 2 ** 30, mode: 'contributing' },
    ...{ spanMs: 0, heartbeatMs: 50 },
    ...options,
    desk: desk ? desk(honest) : honest,
    onEvent: (event) => {
      events.push(event);
      for (const each of waiting.filter(({ kind }) => kind === event.kind)) each.resolve(event);
    },
  });
  service.employ(node, contributor);
  contributor.start();
  t.teardown(async () => {
    await contributor.leave();
    await pool.close();
  });
  const seen = (kind: string) =>
    new Promise((resolve) => {
      const before = events.find((event) => event.kind === kind);
      if (before) resolve(before);
      else waiting.push({ kind, resolve });
    });
  return { contributor, pool, events, node, seen: seen as Hired['seen'] };
}

/** Each segment is shown before the next one begins: a thread on a slow machine does not run ahead of who looks on. */
const oneByOne = { spanMs: 0, holdMs: 0 };

/** Processor time of this process from here on, in ms: that of others on the machine is none of it. */
function stopwatch(): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
}

function counter(steps: number, more: Partial<RunSpec> = {}, kernel = 'counter'): RunSpec {
  const parameters = new Layout().f64(0.3, steps).bytes();
  const memory = 64 * 2 ** 20;
  return {
    kernel: catalogue.digest(kernel),
    parameters,
    stepsPerSegment: 1_000_000,
    memory,
    work: steps * 100,
    ...more,
  };
}

const uninterrupted = (t: Test, spec: RunSpec): Promise<FinishedRun> => {
  const pool = new ThreadPool({ threads: 1, catalogue: new KernelCache(folder, brought).catalogue });
  t.teardown(() => pool.close());
  return pool.execute(spec);
};

/** What was accepted is the uninterrupted run to the bit. */
function isWhole(t: Test, service: MemoryService, id: string, run: FinishedRun): void {
  const gathered = service.gathered(id);
  t.same(gathered.digests, run.digests.map(toHex));
  t.same(gathered.rows.map(toHex), run.rows.map(toHex));
  t.equal(gathered.work, String(run.work));
  t.equal(gathered.status, run.status);
  const { result = new Uint8Array(0) } = gathered;
  const leaf = digestsOfRun({ ...run, digests: gathered.digests.map(fromHex), result }).leaf;
  if (run.status === 1) t.equal(toHex(leaf), toHex(digestsOfRun(run).leaf), 'the leaf of the run');
}

t.test(
  'a multibody run whose first contributor is killed has the digests of the uninterrupted run',
  async (t) => {
    const service = new MemoryService();
    const spec = orbits({ steps: 400_000, stepsPerSegment: 20_000 });
    const never = new Promise<never>(() => undefined);
    let isDead = false;
    const cut = (desk: Desk): Desk => {
      const mute =
        <A extends unknown[], R>(say: (...a: A) => Promise<R>) =>
        (...a: A): Promise<R> =>
          isDead ? never : say(...a);
      const { lease, alive, release, commit, reveal, checked, bytes } = desk;
      return {
        ...{ lease: mute(lease), alive: mute(alive), release: mute(release), commit: mute(commit) },
        ...{ reveal: mute(reveal), checked: mute(checked), bytes: mute(bytes) },
      };
    };
    const ended = service.begin('run', spec);
    const first = hire(t, service, { desk: cut, ...oneByOne });
    while (service.gathered('run').spans.length < 5) await sleep(5);
    isDead = true;
    service.dismiss(first.node);
    await first.pool.close();
    const shown = service.gathered('run').digests.length;
    t.ok(shown > 1 && shown < 21, `${shown} of 21 segments were shown`);
    const second = hire(t, service);
    service.pass(10); // without a sign of life the lease lapses
    await ended;
    const { from } = await second.seen('leased');
    t.equal(from, shown, 'the second goes on behind the last one that was shown');
    isWhole(t, service, 'run', await uninterrupted(t, spec));
    // Its messages are never answered: only what says that the run is lost ends it.
    for (const run of ['run']) first.contributor.lost({ run, fence: 1 }, 'fenced');
  },
);

t.test('two contributors on two runs and their checks under the policy `full`', async (t) => {
  const service = new MemoryService();
  const specs = [counter(6_000_000), counter(5_000_000)];
  const ends = specs.map((spec, i) => service.begin(`run-${i}`, spec, 'full'));
  const hired = [hire(t, service), hire(t, service), hire(t, service)];
  await Promise.all(ends);
  for (const [i, spec] of specs.entries()) isWhole(t, service, `run-${i}`, await uninterrupted(t, spec));
  const checks = hired.reduce((sum, { contributor }) => sum + contributor.status.checks, 0);
  const spans = specs.reduce((sum, _, i) => sum + service.gathered(`run-${i}`).spans.length, 0);
  t.equal(checks, spans, 'each span was run a second time');
  t.equal(service.effects.filter(({ kind }) => kind === 'matched').length, spans);
});

t.test('a run that ends with an error is claimed and checked like any other', async (t) => {
  const service = new MemoryService();
  const spec = counter(10, {}, 'infinite');
  const ended = service.begin('run', spec, 'full');
  const hired = [hire(t, service), hire(t, service)];
  await ended;
  t.equal(hired.length, 2);
  isWhole(t, service, 'run', await uninterrupted(t, spec));
});

t.test('a check comes before the run that this thread is at, and costs it nothing', async (t) => {
  const service = new MemoryService();
  const answers: CheckAnswer[] = [];
  const checked = async (answer: CheckAnswer) => {
    answers.push(answer);
    return 'kept' as const;
  };
  const { contributor, seen, node } = hire(t, service, {
    ...oneByOne,
    desk: (desk) => ({ ...desk, checked, alive: async () => ({ mode: 'contributing', lost: [] }) }),
  });
  const ended = service.begin('long', counter(100_000_000));
  await seen('span');
  void service.begin('other', counter(3_000_000));
  // Another node's span of another run, as the service would ask for it.
  const span = service.work('other', 7, 0);
  contributor.check({ ...span, kind: 'second', through: 2 });
  await seen('checked');
  t.equal(service.runs.get('long')!.machine.state, 'open', 'the long run goes on behind it');
  t.same(
    answers[0]?.claim.digests,
    (await uninterrupted(t, counter(3_000_000))).digests.slice(0, 3).map(toHex),
  );
  await ended;
  t.equal(
    service.gathered('long').spans.every(({ id }) => id === node),
    true,
  );
  isWhole(t, service, 'long', await uninterrupted(t, counter(100_000_000)));
});

t.test('a thread goes on with the next run while what it found is still to be said', async (t) => {
  const service = new MemoryService();
  let isSaid: () => void = () => undefined;
  const said = new Promise<void>((resolve) => {
    isSaid = resolve;
  });
  const { events } = hire(t, service, {
    ...{ spanMs: 1e6, holdMs: 1e6 },
    desk: (desk) => ({
      ...desk,
      commit: async (commitment) => {
        if (commitment.run === 'first') await said;
        return desk.commit(commitment);
      },
    }),
  });
  const runs = [service.begin('first', counter(1_000_000)), service.begin('second', counter(1_000_000))];
  await runs[1];
  t.equal(service.runs.get('first')!.machine.state, 'open');
  isSaid();
  await runs[0];
  const spec = counter(1_000_000);
  for (const id of ['first', 'second']) isWhole(t, service, id, await uninterrupted(t, spec));
  t.notOk(events.some(({ kind }) => kind === 'returned' || kind === 'lost'));
});

t.test('a run that was fetched for a thread which is not free goes back within a second', async (t) => {
  const service = new MemoryService();
  const plan = { work: 1_000_000 }; // of a hundred times as much
  const { seen, contributor } = hire(t, service, { spanMs: 1e6 });
  const ended = service.begin('long', counter(400_000_000, plan));
  await seen('leased');
  void service.begin('next', counter(1_000_000));
  t.match(await seen('returned'), { run: 'next', failed: false, reason: /no thread/ });
  t.equal(service.runs.get('long')!.machine.state, 'open');
  const { occupations } = contributor.status;
  t.same(
    occupations.map(({ run, waits }) => [run, waits]),
    [['long', false]],
  );
  void ended;
});

t.test('whoever leaves gives a run back that it has fetched ahead', async (t) => {
  const service = new MemoryService();
  const { seen, contributor } = hire(t, service, { spanMs: 1e6 });
  void service.begin('long', counter(400_000_000, { work: 1_000_000 }));
  await seen('leased');
  void service.begin('next', counter(1_000_000));
  while (!service.runs.get('next')!.machine.lease) await sleep(5);
  t.match(
    contributor.status.occupations.find(({ run }) => run === 'next'),
    { waits: true },
  );
  await contributor.leave();
  for (const { machine } of service.runs.values()) t.equal(machine.lease, undefined);
});

t.test('a lease that is lost stops at once, and the node takes the next run', async (t) => {
  const service = new MemoryService();
  const { contributor, seen } = hire(t, service);
  void service.begin('lost', counter(1e9));
  await seen('span');
  const { fence } = service.runs.get('lost')!.machine.lease!;
  const passed = stopwatch();
  service.decide('lost', { kind: 'cancel' });
  t.equal((await seen('lost')).reason, 'ended');
  t.ok(passed() < 1000, 'its thread has not gone on for a second');
  contributor.lost({ run: 'lost', fence }, 'ended');
  await service.begin('next', counter(2_000_000));
  t.match(contributor.status.losses, [{ run: 'lost', reason: 'ended' }]);
});

t.test('a lease that the service forgot is given up with the next sign of life', async (t) => {
  const service = new MemoryService();
  const { seen } = hire(t, service, {
    desk: (desk) => ({ ...desk, alive: async (holding) => ({ mode: 'contributing', lost: holding }) }),
  });
  void service.begin('run', counter(1e9));
  t.equal((await seen('lost')).reason, 'fenced');
});

t.test(
  'a start state that does not lead to its digest is refused, and so are bytes of another name',
  async (t) => {
    const service = new MemoryService();
    const first = hire(t, service);
    void service.begin('run', counter(1e9));
    await first.seen('span');
    await first.contributor.leave();
    const lease = service.work(
      'run',
      9,
      service.runs.get('run')!.machine.spans.at(-1)?.to ?? service.runs.get('run')!.machine.accepted + 1,
    );
    const honest = service.bytes.get(lease.start!.state)!;
    const turned = honest.slice();
    turned[20]! ^= 4;
    const other = service.keep(turned);
    const forged: Record<string, (desk: Desk) => Desk> = {
      'is not that of segment': (desk) => ({
        ...desk,
        lease: async () => [{ lease: { ...lease, start: { ...lease.start!, state: other } } }],
      }),
      'cannot be had': (desk) => ({
        ...desk,
        lease: async () => [{ lease }],
        bytes: async (run, name) => (name === lease.start!.state ? turned : desk.bytes(run, name)),
      }),
    };
    for (const [sentence, desk] of Object.entries(forged)) {
      const { seen, contributor, events } = hire(t, service, { desk });
      service.ring('run');
      t.match((await seen('returned')).reason, sentence);
      t.notOk(
        events.some(({ kind }) => kind === 'leased'),
        'nothing was begun',
      );
      await contributor.leave();
    }
  },
);

t.test('a desk that lies costs the node nothing but the request', async (t) => {
  const service = new MemoryService();
  void service.begin('run', counter(3_000_000));
  const lease = service.work('run', 1, 0);
  const lies: Record<string, unknown> = {
    'a path for a kernel': { ...lease, kernel: '../../etc/passwd' },
    'a negative segment': { ...lease, from: -1 },
    'a start without a state': { ...lease, from: 4 },
    'segments of no steps': { ...lease, stepsPerSegment: 0 },
    'a kernel with other bytes': { ...lease, kernel: service.keep(new Uint8Array(8)).replace(/./, 'z') },
    'no numbers at all': { ...lease, memory: 'much' },
  };
  for (const [name, lie] of Object.entries(lies)) {
    const { seen, contributor } = hire(t, service, {
      desk: (desk) => ({ ...desk, lease: async () => [{ lease: lie as typeof lease }] }),
    });
    service.ring('run');
    t.match(await seen('returned'), { run: 'run', reason: /is no run|cannot be had/ }, name);
    await contributor.leave();
  }
  const { contributor, seen } = hire(t, service, {
    desk: (desk) => ({
      ...desk,
      alive: async () => ({ mode: 'asleep' as Mode, lost: [{ run: 'nothing', fence: 3 }] }),
      lease: async (runs) => [{ lease: { ...lease, run: 'unasked' } }, ...(await desk.lease(runs))],
    }),
  });
  service.ring('run');
  await seen('ended');
  t.equal(contributor.status.mode, 'contributing', 'a mode that is none is not taken');
});

t.test(
  'the memory cap: what is above it goes back unfailed, a kernel that breaks its own fails',
  async (t) => {
    const service = new MemoryService();
    const released: { holding: Holding; failed: boolean }[] = [];
    const watch = (desk: Desk): Desk => ({
      ...desk,
      release: async (holding, failed) => {
        released.push({ holding, failed });
        await desk.release(holding, failed);
      },
    });
    const { seen, events } = hire(t, service, { memory: 2 ** 27, desk: watch });
    void service.begin('large', counter(10, { memory: 2 ** 28 }));
    t.match((await seen('returned')).reason, /may need 256 MiB, and 128 are left here/);
    t.match(released, [{ holding: { run: 'large' }, failed: false }]);
    const hungry = service.begin('hungry', counter(1e6, { memory: 2 ** 24 }, 'hungry'));
    await service.begin('small', counter(1_000_000));
    while (!events.some((event) => event.kind === 'returned' && event.run === 'hungry')) await sleep(20);
    t.match(released.at(-1), { holding: { run: 'hungry' }, failed: true });
    void hungry;
  },
);

t.test('what no message can carry is given back as what cannot be run, not said for ever', async (t) => {
  for (const code of ['LIMIT_EXCEEDED', 'UNSUPPORTED'] as const) {
    const service = new MemoryService();
    const said: number[] = [];
    const { seen, contributor } = hire(t, service, {
      desk: (desk) => ({
        ...desk,
        reveal: async ({ claim }) => {
          said.push(claim.to);
          throw new Refusal(code, 'The state is more than the mesh carries.');
        },
      }),
    });
    void service.begin('run', counter(3_000_000));
    t.match(await seen('returned'), { failed: code === 'LIMIT_EXCEEDED', reason: /more than the mesh/ });
    t.equal(said.length, 1);
    await contributor.leave();
  }
});

t.test('short spans are shown with the commitment to the next one, and none is left behind', async (t) => {
  const service = new MemoryService();
  let turns = 0;
  const [shownIn, committedIn]: number[][] = [[], []];
  const inTurns = (desk: Desk): Desk => ({
    ...desk,
    commit: (commitment) => {
      committedIn!.push(turns);
      return desk.commit(commitment);
    },
    reveal: (reveal) => {
      shownIn!.push(turns);
      setImmediate(() => turns++);
      return desk.reveal(reveal);
    },
  });
  const threads = new ThreadPool({ threads: 1, catalogue: new KernelCache(folder, brought).catalogue });
  t.teardown(() => threads.close());
  const pool: Executor = {
    execute: (spec, options = {}) =>
      threads.execute(spec, { ...options, spans: { ...options.spans!, holdMs: 0 } }),
    close: () => threads.close(),
  };
  const { contributor } = hire(t, service, { desk: inTurns, pool, spanMs: 0, holdMs: 60_000 });
  await service.begin('run', counter(1_000_000, { stepsPerSegment: 100_000 }));
  await contributor.leave();
  t.equal(shownIn!.length, committedIn!.length);
  const together = committedIn!.filter((turn) => shownIn!.includes(turn)).length;
  t.ok(
    committedIn!.length > 2 && together >= committedIn!.length / 2,
    `${together} of ${committedIn!.length}`,
  );
});

t.test('where segments are long each one is kept before the next begins', async (t) => {
  const service = new MemoryService();
  const slow = (desk: Desk): Desk => ({
    ...desk,
    commit: async (commitment) => {
      await sleep(20);
      return desk.commit(commitment);
    },
  });
  hire(t, service, { longMs: 0, desk: slow });
  const spec = counter(10_000_000);
  await service.begin('run', spec);
  const { spans } = service.gathered('run');
  t.ok(
    spans.every(({ from, to }) => from === to),
    'who kills the node takes one segment',
  );
  isWhole(t, service, 'run', await uninterrupted(t, spec));
});

t.test('where nothing else is said a segment is long from half a second on (docs/mesh.md)', async (t) => {
  const service = new MemoryService();
  const threads = new ThreadPool({ threads: 1, catalogue: new KernelCache(folder, brought).catalogue });
  const asked: (ExecuteOptions | undefined)[] = [];
  const execute = (spec: RunSpec, options?: ExecuteOptions) => {
    asked.push(options);
    return threads.execute(spec, options);
  };
  hire(t, service, { pool: { execute, close: () => threads.close() }, spanMs: undefined });
  await service.begin('run', counter(1_000_000));
  t.match(asked, [{ checkpointMs: 100, spans: { holdMs: 250, longMs: 500 } }]);
  await threads.close();
});

t.test('behind a long segment the thread goes on when its claim is carried, and not before', async (t) => {
  for (const isCarried of [true, false]) {
    const service = new MemoryService();
    let pending = 0;
    let meanwhile = 0;
    const slow = (desk: Desk): Desk => ({
      ...desk,
      commit: (commitment) => {
        if (pending > 0) meanwhile++;
        return desk.commit(commitment);
      },
      reveal: async (reveal, carried) => {
        pending++;
        if (isCarried) carried?.();
        else await sleep(100);
        while (isCarried && meanwhile === 0) await sleep(5);
        pending--;
        return desk.reveal(reveal);
      },
    });
    const { contributor } = hire(t, service, { longMs: 0, holdMs: 0, desk: slow });
    const spec = counter(5_000_000);
    await service.begin('run', spec);
    t.equal(meanwhile > 0, isCarried);
    t.ok(service.gathered('run').spans.every(({ from, to }) => from === to));
    await contributor.leave();
  }
});

t.test('a kernel that traps is given back as one that cannot be run', async (t) => {
  const service = new MemoryService();
  const { seen } = hire(t, service);
  void service.begin('trap', counter(10, {}, 'trap'));
  t.match(await seen('returned'), { failed: true, reason: /trapped/ });
});

t.test(
  'a switch of mode preempts within a second, and what is committed is shown (CONTRIB-04)',
  async (t) => {
    const service = new MemoryService();
    const { contributor, seen } = hire(t, service, {
      desk: (desk) => ({ ...desk, alive: async () => ({ mode: contributor.status.mode, lost: [] }) }),
    });
    const run = service.begin('run', counter(60_000_000));
    await seen('span');
    const passed = stopwatch();
    contributor.mode('experimenting');
    t.match(await seen('returned'), { run: 'run', reason: 'the node was stopped', failed: false });
    t.ok(passed() < 1000, `${passed()} ms`);
    t.equal(service.runs.get('run')!.machine.lease, undefined, 'the lease is given back');
    t.notOk(
      service.runs.get('run')!.machine.spans.some(({ claim }) => !claim),
      'no commitment is left without its claim',
    );
    service.ring('run');
    await sleep(200);
    t.same(contributor.status.occupations, [], 'and nothing is taken while the owner experiments');
    contributor.mode('contributing');
    await run;
    isWhole(t, service, 'run', await uninterrupted(t, counter(60_000_000)));
  },
);

t.test('a service that does not answer is told again, with the same commitment', async (t) => {
  const service = new MemoryService();
  const commitments = new Set<string>();
  let calls = 0;
  const { events } = hire(t, service, {
    desk: (desk) => ({
      ...desk,
      commit: async (commitment) => {
        commitments.add(`${commitment.from} ${commitment.commitment}`);
        if (++calls % 3) throw new Error('timeout');
        return desk.commit(commitment);
      },
      reveal: async (reveal) => {
        await desk.reveal(reveal);
        return calls % 2 ? desk.reveal(reveal) : 'kept';
      },
    }),
  });
  const spec = counter(3_000_000);
  await service.begin('run', spec);
  t.equal(commitments.size, service.gathered('run').spans.length, 'one commitment a span');
  isWhole(t, service, 'run', await uninterrupted(t, spec));
  t.notOk(events.some(({ kind }) => kind === 'lost'));
});

t.test('the key of a node is made once and readable by its owner alone', (t) => {
  const own = join(folder, 'identity');
  const identity = contributorIdentity(own);
  t.match(identity.id, /^U[A-Z2-7]{55}$/);
  t.equal(contributorIdentity(own).id, identity.id);
  t.equal(statSync(join(own, 'contributor.nkey')).mode & 0o777, 0o600);
  t.same(readdirSync(own), ['contributor.nkey']);
  const message = new TextEncoder().encode('here');
  t.ok(isSignedBy(identity.id, message, identity.sign(message)));
  writeFileSync(join(own, 'contributor.nkey'), 'SUnonsense\n');
  t.throws(() => contributorIdentity(own), RangeError);
  t.end();
});

t.test(
  'a kernel is fetched once, held to its digest, and fetched anew when its file is damaged',
  async (t) => {
    const own = join(folder, 'cache');
    const bytes = catalogue.bytes(catalogue.digest('counter'))!;
    const kernel = catalogue.digest('counter');
    let fetched = 0;
    const fetch = async () => {
      fetched++;
      return bytes;
    };
    const cache = new KernelCache(own);
    await t.rejects(
      cache.bring(kernel, async () => new Uint8Array(8)),
      RangeError,
    );
    await Promise.all([cache.bring(kernel, fetch), cache.bring(kernel, fetch)]);
    t.equal(fetched, 1);
    t.same(readFileSync(join(own, 'kernels', `${kernel}.wasm`)), Buffer.from(bytes));
    const file = join(own, 'kernels', `${kernel}.wasm`);
    chmodSync(file, 0o600);
    writeFileSync(file, new Uint8Array(10));
    const next = new KernelCache(own);
    t.notOk(next.has(kernel), 'damaged');
    await next.bring(kernel, fetch);
    t.equal(fetched, 2);
  },
);
