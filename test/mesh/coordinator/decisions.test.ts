import t, { type Test } from 'tap';
import type { CreditedWork } from '../../../mesh/coordinator/ports.ts';
import { acceptedSpans, storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { commitmentOf } from '../../../mesh/decide/claim.ts';
import { openRun } from '../../../mesh/decide/run.ts';
import type { Reveal } from '../../../mesh/desk.ts';
import { meshRuns } from '../../../mesh/records.ts';
import { toHex } from '../../../src/proof/bytes.ts';
import type { Store, Transaction } from '../../../src/store/store.ts';
import { LocalMesh } from '../local-mesh.ts';
import { MemoryCredits } from '../memory-credits.ts';
import { admit, begun, hash, leased, madeUp, RUN, show } from './said.ts';

// Decisions of one turn are written together, and build on what the process remembers of runs.

const hash32 = new Uint8Array(32).fill(1);

const commitOf = (reveal: Reveal) => {
  const { run, fence, claim, salt } = reveal;
  const { from, to } = claim;
  return { kind: 'commit', run, fence, from, to, commitment: toHex(commitmentOf(claim, salt)) } as const;
};
const revealOf = (reveal: Reveal) => ({ kind: 'reveal', ...reveal }) as const;

t.test('what another service node changed is seen, whatever this one remembers', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  const other = mesh.service('house-2');
  await other.release('ann', { run: RUN, fence }, false);
  const { lost } = await mesh.coordinator.alive('ann', [{ run: RUN, fence }]);
  t.same(lost, [{ run: RUN, fence }]);
  const commit = commitOf(madeUp(fence, 0, 0, 1n));
  t.same(await mesh.coordinator.results([{ node: 'ann', result: commit }]), ['fenced']);
  await admit(mesh, 'contributing', 'ben');
  const [answer] = await other.leases('ben', [RUN]);
  const { lease } = answer as { lease: { fence: number } };
  t.same(await show(mesh, 'ben', madeUp(lease.fence, 0, 0, 1n)), ['kept', 'kept']);
  t.same(await show(mesh, 'ben', madeUp(lease.fence, 1, 1, 2n), other), ['kept', 'kept']);
  t.same((await storedRun(mesh.store, RUN))?.machine.accepted, 1);
});

t.test('of two service nodes that decide about a run at once none overwrites the other', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  const other = mesh.service('house-2');
  for (let segment = 0; segment < 6; segment++) {
    const reveal = madeUp(fence, segment, segment, BigInt(segment));
    const said = await Promise.all(
      [mesh.coordinator, other].map((service) =>
        service.results([{ node: 'ann', result: commitOf(reveal) }]),
      ),
    );
    t.same(said, [['kept'], ['kept']]);
    const shown = await Promise.all([
      mesh.coordinator.results([{ node: 'ann', result: revealOf(reveal) }]),
      other.alive('ann', [{ run: RUN, fence }]),
    ]);
    t.same(shown, [['kept'], { mode: 'contributing', lost: [] }]);
  }
  const spans = await acceptedSpans(mesh.store, RUN, -1);
  t.same(
    spans.map(({ claim }) => claim.from),
    [0, 1, 2, 3, 4, 5],
  );
  t.equal(mesh.credited.length, 5, 'each once; the first did nothing');
});

t.test('a commitment and its claim that come at once bring the bytes with them', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'ann');
  const [first, second] = [madeUp(fence, 0, 0, 1n), madeUp(fence, 1, 1, 2n)];
  const said = [commitOf(first), revealOf(first), commitOf(second), revealOf(second)];
  const kept = await mesh.coordinator.results(said.map((result) => ({ node: 'ann', result })));
  t.same(kept.slice(0, 2), ['kept', 'kept']);
  for (const { bytes } of await acceptedSpans(mesh.store, RUN, -1))
    t.ok(await mesh.objects.get(RUN, bytes), 'what an accepted span names is there');
});

t.test(
  'a claim and the commitment behind it are one change of the run, each with its own answer',
  async (t) => {
    for (const policy of ['none', 'full'] as const) {
      const mesh = await begun(t, policy);
      const fence = await leased(mesh, 'ann');
      const said = (...results: (ReturnType<typeof commitOf> | ReturnType<typeof revealOf>)[]) =>
        mesh.coordinator.results(results.map((result) => ({ node: 'ann', result })));
      const [first, second, third] = [0, 1, 2].map((i) => madeUp(fence, i, i, BigInt(i + 1))) as Reveal[];
      t.same(await said(commitOf(first!)), ['kept']);
      const before = (await storedRun(mesh.store, RUN))!;
      t.same(await said(revealOf(first!), commitOf(second!)), ['kept', 'kept']);
      const after = (await storedRun(mesh.store, RUN))!;
      t.equal(after.version, before.version + 1n);
      t.match(after.machine.spans.at(-1), { from: 1, commitment: commitOf(second!).commitment });
      t.equal((await acceptedSpans(mesh.store, RUN, -1)).length, policy === 'none' ? 1 : 0);
      const otherwise = { ...revealOf(second!), salt: hash32 };
      t.same(await said(otherwise, commitOf(third!)), ['not-committed', 'fenced']);
    }
  },
);

t.test('a run that begins again is never at a version that it was at before', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'house-1');
  t.equal(fence, 1);
  await mesh.coordinator.release('house-1', { run: RUN, fence }, true);
  const failed = (await storedRun(mesh.store, RUN))!;
  t.equal(failed.machine.state, 'failed');
  const again = openRun({ id: RUN, kernel: hash, payer: 'payer', policy: 'none' }, 0);
  await mesh.coordinator.begin('j', failed.sheet, again, 2n ** 62n);
  const { machine, version } = (await storedRun(mesh.store, RUN))!;
  t.same([machine.state, version > failed.version], ['open', true]);
});

// ---- together ------------------------------------------------------------------------------------------------

const MANY = Array.from({ length: 40 }, (_, i) => `many-${i}`);

/** A mesh whose node holds many runs; `failing` is one of which nothing can be credited. */
async function many(t: Test, failing?: string) {
  const transactions = { count: 0 };
  class Books extends MemoryCredits {
    override credit(tx: Transaction, work: CreditedWork) {
      return work.run === failing
        ? Promise.reject(new Error('the books are closed'))
        : super.credit(tx, work);
    }
  }
  const mesh = await LocalMesh.open(t, {
    books: {
      schemas: [],
      credits: (store) => {
        counted(store, transactions);
        return new Books();
      },
    },
  });
  await admit(mesh, 'contributing', 'ann', BigInt(MANY.length));
  for (const id of MANY) {
    const run = openRun({ id, kernel: hash, payer: 'payer', policy: 'none' }, 0);
    const work = { runHash: hash, kernel: hash, parameters: hash, stepsPerSegment: 1, memory: 1, work: 1 };
    await mesh.coordinator.begin('j', { ...work, class: 'paid-small' }, run, 2n ** 62n);
  }
  const leases = await mesh.coordinator.leases('ann', MANY);
  t.ok(leases.every((answer) => 'lease' in answer));
  const reveals = MANY.map((run) => ({ ...madeUp(1, 0, 0, 1n), run }));
  return { mesh, transactions, reveals };
}

/** Counts the transactions of a store. */
function counted(store: Store, transactions: { count: number }): void {
  const { transaction } = store;
  store.transaction = (work) => {
    transactions.count++;
    return transaction.call(store, work) as ReturnType<typeof work>;
  };
}

t.test(
  'what comes in one turn is decided in few transactions, and each run as if it were alone',
  async (t) => {
    const { mesh, transactions, reveals } = await many(t);
    for (const make of [commitOf, revealOf]) {
      transactions.count = 0;
      const batch = reveals.map((reveal) => ({ node: 'ann', result: make(reveal) }));
      t.same(new Set(await mesh.coordinator.results(batch)), new Set(['kept']));
      t.ok(transactions.count <= MANY.length / 8, `${transactions.count} for ${MANY.length}`);
    }
    const rows = await mesh.store.find(meshRuns, { where: { holder: 'ann' } });
    t.ok(rows.every(({ machine }) => (machine as { accepted: number }).accepted === 0));
  },
);

t.test('a decision that cannot be written does not hold up those of the same turn', async (t) => {
  const { mesh, reveals } = await many(t, 'many-3');
  await mesh.coordinator.results(reveals.map((reveal) => ({ node: 'ann', result: commitOf(reveal) })));
  const shown = await Promise.allSettled(
    reveals.map((reveal) => mesh.coordinator.results([{ node: 'ann', result: revealOf(reveal) }])),
  );
  const bad = MANY.indexOf('many-3');
  t.match(shown[bad], { status: 'rejected', reason: { message: 'the books are closed' } });
  t.ok(shown.every(({ status }, i) => i === bad || status === 'fulfilled'));
  t.equal((await storedRun(mesh.store, 'many-3'))?.machine.accepted, -1, 'nothing of it is written');
  t.equal((await acceptedSpans(mesh.store, 'many-3', -2)).length, 0);
});
