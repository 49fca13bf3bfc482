import t from 'tap';
import { meshRuns, meshUnpaid } from '../../../mesh/records.ts';
import type { LocalMesh } from '../local-mesh.ts';
import { begun, leased, madeUp, RUN, show, startAt } from './said.ts';

// Runs whose steps are their work, so that what is owed can be counted on the fingers.

const paid = (mesh: LocalMesh) =>
  mesh.credited.map(({ node, from, to, work }) => [node, from, to, Number(work)]);

async function unpaid(mesh: LocalMesh) {
  const rows = await mesh.store.find(meshUnpaid);
  return rows.map(({ node, from_segment, work, reason }) => [
    node,
    Number(from_segment),
    Number(work),
    reason,
  ]);
}

t.test(
  'what is run again after a loss is paid from where the pay had come to, and the rest is named',
  async (t) => {
    const mesh = await begun(t);
    const fence = await leased(mesh, 'ann');
    t.same(await show(mesh, 'ann', madeUp(fence, 0, 0, 10n)), ['kept', 'kept']);
    t.same(await show(mesh, 'ann', madeUp(fence, 1, 4, 50n)), ['kept', 'kept']);
    await mesh.coordinator.rewind(RUN, startAt(0, 10n));
    const again = await leased(mesh, 'ben');
    t.same(await show(mesh, 'ben', madeUp(again, 1, 2, 30n)), ['kept', 'kept']);
    t.same(await show(mesh, 'ben', madeUp(again, 3, 6, 70n)), ['kept', 'kept']);
    t.same(await show(mesh, 'ben', madeUp(again, 7, 7, 80n)), ['kept', 'kept']);
    t.same(paid(mesh), [
      ['ann', 0, 0, 10],
      ['ann', 1, 4, 40],
      ['ben', 5, 6, 20],
      ['ben', 7, 7, 10],
    ]);
    t.same(await unpaid(mesh), [
      ['ann', 5, 0, 'rewound'],
      ['ben', 1, 20, 'paid-before'],
      ['ben', 3, 20, 'paid-before'],
    ]);
    const work = mesh.credited.reduce((sum, each) => sum + each.work, 0n);
    t.equal(work, 80n, 'together the work of the run');
  },
);

t.test('a run of a store that knew no counters pays nothing twice, and says so', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  await show(mesh, 'ann', madeUp(fence, 0, 4, 50n));
  await mesh.store.transaction((tx) => tx.update(meshRuns, { id: RUN }, { credited_work: null }));
  await mesh.coordinator.rewind(RUN, startAt(2, 30n));
  const again = await leased(mesh, 'ben');
  await show(mesh, 'ben', madeUp(again, 3, 6, 70n));
  await show(mesh, 'ben', madeUp(again, 7, 7, 80n));
  t.same(paid(mesh), [
    ['ann', 0, 4, 50],
    ['ben', 7, 7, 10],
  ]);
  t.same(await unpaid(mesh), [
    ['ann', 5, 0, 'rewound'],
    ['ben', 3, 40, 'paid-before'],
  ]);
});
