import t from 'tap';
import { replacedByHouse } from '../../../mesh/coordinator/doubts.ts';
import { saveRun, storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { leftTheMesh, takenHome } from '../../../mesh/coordinator/taken-home.ts';
import { meshSpans, meshUnpaid } from '../../../mesh/records.ts';
import type { Checkpoint } from '../../../workers/executor.ts';
import { begun, leased, madeUp, RUN, show } from './said.ts';

const upTo = (segment: number) => ({ resumeFrom: { segment } as Checkpoint });

/** Ann's spans, of two segments each, and their first segments. */
async function annsRun(t: Parameters<typeof begun>[0]) {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  for (const from of [0, 2, 4])
    await show(mesh, 'ann', madeUp(fence, from, from + 1, BigInt(10 * from + 20)));
  const replaced = async () => {
    const rows = await mesh.store.find(meshSpans, { where: { run: RUN, replaced_by: 'house' } });
    return rows.map(({ from_segment }) => Number(from_segment));
  };
  return { mesh, fence, replaced, stored: (await storedRun(mesh.store, RUN))! };
}

t.test('a checkpoint is in doubt as soon as it has a segment that is', async (t) => {
  const { mesh, stored } = await annsRun(t);
  for (const from of [0n, 4n])
    await mesh.store.transaction((tx) =>
      tx.update(meshSpans, { run: RUN, from_segment: from }, { checked_by: 'bob' }),
    );
  const doubted = { ...stored, machine: { ...stored.machine, distrusted: ['ann'] } };
  for (const [segment, isKept] of [
    [1, true],
    [2, false],
    [5, false],
  ] as const) {
    const { resumeFrom } = await takenHome(mesh.store, doubted, upTo(segment));
    t.equal(resumeFrom?.segment, isKept ? segment : undefined, `${segment}`);
  }
});

t.test('the service answers for what it ran behind the checkpoint, and for no more', async (t) => {
  const { mesh, stored, replaced } = await annsRun(t);
  await takenHome(mesh.store, stored, upTo(3));
  t.same(await replaced(), [4], 'segments 2 and 3 are in the checkpoint');
  await mesh.store.transaction((tx) => replacedByHouse(tx, RUN, 2));
  t.same(await replaced(), [4], 'and so is a span that begins with its last segment');
  await takenHome(mesh.store, stored, {});
  t.same(await replaced(), [0, 2, 4]);
});

t.test('a run that leaves the mesh has failed there, and its nodes read what became of it', async (t) => {
  const { mesh, fence } = await annsRun(t);
  const left = await leftTheMesh(mesh.store, RUN, 7n);
  t.equal(left?.machine.state, 'failed');
  t.match(await mesh.store.find(meshUnpaid), [
    { node: 'ann', from_segment: 6n, work: 0n, reason: 'rewound' },
  ]);
  t.same(await show(mesh, 'ann', madeUp(fence, 6, 7, 80n)), ['ended', 'ended']);
  t.equal(await leftTheMesh(mesh.store, 'another', 7n), undefined);
});

t.test('what the mesh has done and nobody was given is not handed over by it later', async (t) => {
  const { mesh, stored } = await annsRun(t);
  const { lease: _, ...machine } = stored.machine;
  const done = { machine: { ...machine, state: 'done' as const }, pending: {}, paid: stored.paid };
  await mesh.store.transaction((tx) => saveRun(tx, stored, done));
  t.equal((await leftTheMesh(mesh.store, RUN, 7n))?.machine.state, 'failed');
});
