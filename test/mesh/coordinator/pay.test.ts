import t, { type Test } from 'tap';
import { forfeit } from '../../../mesh/coordinator/forfeit.ts';
import { storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { meshRuns, meshSpans, meshUnpaid, meshVerdicts } from '../../../mesh/records.ts';
import type { LocalMesh } from '../local-mesh.ts';
import { MemoryCredits } from '../memory-credits.ts';
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

t.test('who says that the counter went back is paid nothing for it, and owes nothing', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  await show(mesh, 'ann', madeUp(fence, 0, 4, 50n));
  await show(mesh, 'ann', madeUp(fence, 5, 5, 40n));
  await show(mesh, 'ann', madeUp(fence, 6, 6, 60n));
  t.same(paid(mesh), [
    ['ann', 0, 4, 50],
    ['ann', 6, 6, 20],
  ]);
});

/** A run whose pay is listed, and a verdict that finds a node wrong in it. */
async function foundOut(t: Test) {
  const credits = new MemoryCredits();
  const mesh = await begun(t, 'none', credits);
  const convict = (node: string) =>
    mesh.store.transaction(async (tx) => {
      const verdict = {
        id: `v of ${node}`,
        run: RUN,
        segment: 5n,
        outcome: 'contributor_wrong',
        faulty: node,
      };
      await tx.insert(meshVerdicts, { ...verdict, note: '', decided_ns: 1n });
      const stored = (await storedRun(tx, RUN))!;
      await forfeit(tx, stored, [node], { credits, nowNs: 1n });
    });
  const living = () =>
    credits.lines.all.flatMap(({ node, from, to, work, isTakenBack }) =>
      isTakenBack ? [] : [[node, from, to, Number(work)]],
    );
  return { mesh, convict, living };
}

t.test('who runs again what a liar was paid for is paid in its place', async (t) => {
  for (const isFoundOutFirst of [true, false]) {
    const { mesh, convict, living } = await foundOut(t);
    const fence = await leased(mesh, 'ann');
    await show(mesh, 'ann', madeUp(fence, 0, 0, 10n));
    await show(mesh, 'ann', madeUp(fence, 1, 4, 50n));
    await mesh.store.transaction((tx) =>
      tx.update(meshSpans, { run: RUN, from_segment: 0n }, { checked_by: 'bob' }),
    );
    if (isFoundOutFirst) await convict('ann');
    await mesh.coordinator.rewind(RUN, startAt(0, 10n));
    const again = await leased(mesh, 'ben');
    await show(mesh, 'ben', madeUp(again, 1, 2, 30n));
    await show(mesh, 'ben', madeUp(again, 3, 6, 70n));
    if (!isFoundOutFirst) {
      t.same(living().at(-1), ['ben', 5, 6, 20], 'what was lost of an honest node is not paid twice');
      await convict('ann');
    }
    t.same(
      living().sort((a, b) => Number(a[1]) - Number(b[1])),
      [
        ['ann', 0, 0, 10],
        ['ben', 1, 2, 20],
        ['ben', 3, 4, 20],
        ['ben', 5, 6, 20],
      ],
      'each segment once, and what somebody else has run too stays with who ran it',
    );
    t.same(
      (await unpaid(mesh)).filter(([, , , reason]) => reason === 'paid-before'),
      [],
    );
    await mesh.coordinator.rewind(RUN, startAt(0, 10n));
    const third = await leased(mesh, 'cyd');
    await show(mesh, 'cyd', madeUp(third, 1, 6, 70n));
    t.notOk(
      living().some(([node]) => node === 'cyd'),
      'nor is it paid a third time',
    );
  }
});
