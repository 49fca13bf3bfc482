import t, { type Test } from 'tap';
import { type RunSheet, type StoredRun, saveRun, storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { openRun } from '../../../mesh/decide/run.ts';
import { meshSpans } from '../../../mesh/records.ts';
import type { LocalMesh } from '../local-mesh.ts';
import { admit, begun, hash, leased, madeUp, RUN, show, startAt } from './said.ts';

/** Ann's spans 0 … 1 and 2 … 4 of a run that failed behind them. */
async function failedRun(t: Test) {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  t.same(await show(mesh, 'ann', madeUp(fence, 0, 1, 20n)), ['kept', 'kept']);
  t.same(await show(mesh, 'ann', madeUp(fence, 2, 4, 50n)), ['kept', 'kept']);
  const stored = (await storedRun(mesh.store, RUN))!;
  const { lease: _, ...machine } = stored.machine;
  const failed = { machine: { ...machine, state: 'failed' as const }, pending: {}, paid: stored.paid };
  await mesh.store.transaction((tx) => saveRun(tx, stored, failed));
  return { mesh, fence, stored };
}

async function beginAgain({ coordinator }: LocalMesh, { sheet }: StoredRun, accepted = -1, other = {}) {
  const run = openRun({ id: RUN, kernel: hash, payer: 'payer', policy: 'none', accepted }, 0);
  const start: Partial<RunSheet> = accepted < 0 ? {} : { start: startAt(accepted, 20n) };
  await coordinator.begin('j', { ...sheet, ...start, ...other }, run, 2n ** 62n);
}

const spansOf = async ({ store }: LocalMesh) =>
  (await store.find(meshSpans, { where: { run: RUN } })).map(({ from_segment }) => Number(from_segment));

t.test('a run that begins again pays nobody for what was paid, and gives no number twice', async (t) => {
  const { mesh, fence, stored } = await failedRun(t);
  await beginAgain(mesh, stored);
  const again = await leased(mesh, 'ann');
  t.ok(again > fence, 'what she said of the first time is not taken for this one');
  t.same(await show(mesh, 'ann', madeUp(fence, 0, 1, 20n)), ['fenced', 'fenced']);
  t.same(await show(mesh, 'ann', madeUp(again, 0, 5, 60n)), ['kept', 'kept']);
  t.same(
    mesh.credited.map(({ from, to, work }) => [from, to, Number(work)]),
    [
      [0, 1, 20],
      [2, 4, 30],
      [5, 5, 10],
    ],
  );
});

t.test(
  'spans before a checkpoint stay with a run that begins behind it, where it is of the same bytes',
  async (t) => {
    const same = await failedRun(t);
    await beginAgain(same.mesh, same.stored, 1);
    t.same(await spansOf(same.mesh), [0]);
    const other = await failedRun(t);
    await beginAgain(other.mesh, other.stored, 1, { runHash: 'cd'.repeat(32) });
    t.same(await spansOf(other.mesh), [], 'nobody has run a segment of these');
  },
);

t.test(
  'a run that is there stays as it is, whoever begins it, and one of other bytes takes its place',
  async (t) => {
    const mesh = await begun(t);
    const fence = await leased(mesh, 'ann');
    await show(mesh, 'ann', madeUp(fence, 0, 1, 20n));
    const stored = (await storedRun(mesh.store, RUN))!;
    await beginAgain(mesh, stored);
    t.same((await storedRun(mesh.store, RUN))!.machine, stored.machine);
    await beginAgain(mesh, stored, -1, { runHash: 'cd'.repeat(32) });
    t.equal((await storedRun(mesh.store, RUN))!.machine.accepted, -1);
  },
);

t.test('a run that is over does not go back', async (t) => {
  const { mesh } = await failedRun(t);
  await mesh.coordinator.rewind(RUN, startAt(1, 20n));
  t.match((await storedRun(mesh.store, RUN))!.machine, { state: 'failed', accepted: 4 });
  t.same(await spansOf(mesh), [0, 2]);
});

t.test('who is switched off gets no lease, and keeps none', async (t) => {
  const mesh = await begun(t);
  await admit(mesh, 'idle', 'ann');
  t.same(await mesh.coordinator.leases('ann', [RUN]), [{ run: RUN, refused: 'unknown' }]);
  const fence = await leased(mesh, 'ann');
  await admit(mesh, 'idle', 'ann');
  const holding = { run: RUN, fence };
  t.same(await mesh.coordinator.alive('ann', [holding]), { mode: 'idle', lost: [holding] });
  t.equal((await storedRun(mesh.store, RUN))!.machine.lease, undefined);
});
