import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { type Errand, Errands } from '../../../mesh/coordinator/errands.ts';
import type { CheckWork } from '../../../mesh/desk.ts';
import { meshNodes, meshUnpaid } from '../../../mesh/records.ts';
import { LocalMesh, MemoryObjects } from '../local-mesh.ts';
import { MemoryCredits } from '../memory-credits.ts';
import { hash, madeUp } from './said.ts';

// Third executions for challenges: who is asked, who is paid, and what is left when nobody waits any more.

const errand: Errand = {
  ...{ kernel: hash, parameters: new Uint8Array(3), stepsPerSegment: 1, memory: 1, work: 100 },
  through: 4,
  sides: { nodes: ['UBAD'], owners: ['z-bad'] },
};

/** Errands whose nodes are `names`, and who do what `asked` says. */
async function room(
  t: Parameters<typeof LocalMesh.open>[0],
  names: readonly string[],
  asked: (node: string, work: CheckWork) => unknown = () => undefined,
) {
  const { store } = await LocalMesh.open(t);
  const objects = new MemoryObjects();
  const credits = new MemoryCredits();
  const lost: string[] = [];
  const errors: unknown[] = [];
  const kept: bigint[] = [];
  const told: bigint[] = [];
  const clock = { now: 1_000_000_000_000n, drawn: 0 };
  const errands = new Errands({
    ...{ store, objects, onError: (error) => errors.push(error), now: () => clock.now++ },
    beacons: {
      next: () =>
        Promise.resolve({ tNs: BigInt(++clock.drawn), beacon: new Uint8Array(32).fill(clock.drawn) }),
      keep: (_, tNs) => Promise.resolve(void kept.push(tNs)),
      tell: (tNs) => void told.push(tNs),
    },
    credits,
    post: {
      check: async (node, work) => void asked(node, work),
      lost: async (node, _, reason) => void lost.push(`${node} ${reason}`),
    } as Partial<ConstructorParameters<typeof Errands>[0]['post']> as never,
    candidates: async () =>
      names.map((id) => ({ id, owner: `of ${id}`, engine: id.startsWith('UZ') ? 'z' : 'e' })),
    engine: 'e',
    kernelBytes: () => new Uint8Array(4),
  });
  const answer = (node: string, { run, through }: CheckWork, work: bigint) => {
    const { claim } = madeUp(1, 0, through, work);
    return errands.answered(node, { kind: 'checked', run, fence: 1, claim });
  };
  const { credited } = credits;
  return { store, objects, errands, credited, lost, errors, clock, answer, kept, told };
}

const never = new AbortController().signal;

t.test('a third execution is paid for what the segments took, once the own run says the same', async (t) => {
  const work: CheckWork[] = [];
  const { errands, answer, credited, objects, store } = await room(t, ['UA'], async (node, asked) => {
    work.push(asked);
    t.equal(await answer(node, asked, 35n), 'kept');
    t.equal(await answer(node, asked, 35n), 'settled');
    t.equal(await answer('UB', asked, 35n), 'not-committed', 'it was asked of somebody else');
  });
  const found = await errands.run(errand, never);
  t.match(found, { node: 'UA', id: work[0]!.run, claim: { from: 0, to: 4 } });
  t.same(credited, [], 'nothing on its own word');
  for (let i = 0; i < 2; i++) await errands.judged(found!.id, 34n);
  t.match(credited, [{ node: 'UA', owner: 'of UA', payer: 'house:challenges', work: 34n, planned: 34n }]);
  t.equal(credited.length, 1, 'by the counter that the service found, and once');
  t.same(await objects.runs(), [], 'what it was given is gone');
  t.equal(await store.count(meshUnpaid), 0);
});

t.test('the beacon that draws who is asked is kept with it, and told', async (t) => {
  const { errands, answer, kept, told } = await room(t, ['UA'], (node, asked) => answer(node, asked, 35n));
  await errands.run(errand, never);
  t.same([kept, told], [[1n], [1n]]);
});

t.test('another engine than that of who computed it is asked more often than its share', async (t) => {
  for (const nodes of [['UBAD'], []]) {
    let first = 0;
    let stop = new AbortController();
    const { errands, store, clock } = await room(t, ['UA', 'UB', 'UC', 'UZ'], (node) => {
      if (node === 'UZ') first++;
      stop.abort();
    });
    await store.transaction((tx) =>
      tx.put(meshNodes, {
        ...{ id: 'UBAD', owner: 'z-bad', engine: 'e', cores: 1n, memory: 1n, mode: 'idle' },
        ...{ state: 'barred', admitted_ns: 0n, heard_ns: 0n },
      }),
    );
    while (clock.drawn < 64) {
      await errands.run({ ...errand, sides: { ...errand.sides, nodes } }, stop.signal);
      stop = new AbortController();
    }
    // 64 draws at (1 + 1/4)/2 = 0.625: 40, σ = 3.9; its share alone would be 16.
    t.ok(first > 25 && first < 55, `${first} of 64`);
  }
});

t.test('one that the own run contradicts is not paid, and reads why', async (t) => {
  const { errands, answer, credited, store } = await room(t, ['UA'], (node, asked) =>
    answer(node, asked, 35n),
  );
  const found = await errands.run(errand, never);
  await errands.judged(found!.id, undefined);
  t.same(credited, []);
  t.match(await store.find(meshUnpaid), [
    { node: 'UA', reason: 'contradicted', work: 35n, from_segment: 0n },
  ]);
});

t.test(
  'when nobody waits any more the node is told, and what comes then is named and not paid',
  async (t) => {
    const stop = new AbortController();
    const work: CheckWork[] = [];
    const { errands, answer, credited, lost, objects, store, errors } = await room(
      t,
      ['UA', 'UB'],
      (_, asked) => {
        work.push(asked);
        stop.abort();
      },
    );
    t.equal(await errands.run(errand, stop.signal), undefined);
    await errands.idle();
    t.equal(work.length, 1, 'nobody else is asked');
    const [node] = lost[0]!.split(' ');
    t.same(lost, [`${node} ended`]);
    t.equal(await errands.heard(node!, { run: work[0]!.run, fence: 1 }), false);
    for (let i = 0; i < 2; i++) t.equal(await answer(node!, work[0]!, 35n), 'ended');
    await errands.judged(work[0]!.run, 35n);
    t.same(credited, []);
    t.match(await store.find(meshUnpaid), [{ node, reason: 'unawaited', work: 35n }]);
    t.same(await objects.runs(), []);
    t.same(errors, []);
  },
);

t.test('who is silent is told so, and another is asked', async (t) => {
  const names: string[] = [];
  const { errands, answer, clock, lost } = await room(t, ['UA', 'UB', 'UBAD'], (node, asked) => {
    names.push(node);
    if (names.length === 1) clock.now += 11_000_000_000n;
    else void delay(1).then(() => answer(node, asked, 35n));
  });
  const found = await errands.run(errand, never);
  t.equal(found?.node, names[1]);
  t.same(lost, [`${names[0]} lapsed`]);
  t.notOk(names.includes('UBAD'), 'a side is not asked');
});
