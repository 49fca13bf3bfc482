import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { droppedObjects } from '../../../mesh/coordinator/dropped.ts';
import { Housekeeping, RUN_DAYS, UNPAID_DAYS } from '../../../mesh/coordinator/housekeeping.ts';
import { pendingName, storedRun } from '../../../mesh/coordinator/run-rows.ts';
import type { Span } from '../../../mesh/decide/run.ts';
import { meshErrands, meshRuns, meshSpans, meshUnpaid } from '../../../mesh/records.ts';
import { spanProvenance } from '../../../src/challenges/provenance.ts';
import type { NewRow } from '../../../src/store/table.ts';
import { LocalMesh } from '../local-mesh.ts';
import { orbits } from '../orbits.ts';
import { begun, leased, madeUp, RUN, show } from './said.ts';

const DAY = 86_400_000_000_000n;
const start = 1_800_000_000_000_000_000n;
const bytes = new Uint8Array(9);

function housekeeping(mesh: LocalMesh, running: readonly string[], nowNs = start): Housekeeping {
  const { store, objects } = mesh;
  const isRunning = (jobs: readonly string[]) =>
    Promise.resolve(new Set(jobs.filter((job) => running.includes(job))));
  return new Housekeeping({ store, objects, now: () => nowNs, running: isRunning });
}

async function putRun(
  mesh: LocalMesh,
  id: string,
  more: Partial<NewRow<typeof meshRuns>> = {},
): Promise<void> {
  const row = { id, job: `job of ${id}`, class: 'paid-small', state: 'open', version: 1n };
  const rest = { machine: {}, pending: {}, spec: {}, credited: -1n, created_ns: start, deadline_ns: start };
  await mesh.store.transaction((tx) => tx.put(meshRuns, { ...row, ...rest, ...more }));
}

const errand = (id: string, more: Partial<NewRow<typeof meshErrands>> = {}): NewRow<typeof meshErrands> => ({
  ...{ id, node: 'UA', owner: 'ann', work: {}, asked_ns: start, heard_ns: start },
  ...more,
});

// ---- bytes -------------------------------------------------------------------------------------------------

t.test('bytes of runs that are over, or that nobody knows, go when they are found so twice', async (t) => {
  const mesh = await LocalMesh.open(t);
  const { objects, store } = mesh;
  const wanted = ['runs', 'done-in-a-job-that-runs', 'errand-open'];
  const orphans = ['over', 'dropped', 'unknown', 'errand-over', 'errand-left', 'errand-unknown'];
  for (const id of [...wanted, ...orphans]) await objects.put(id, bytes);
  await objects.put('kernels', bytes);
  for (const id of ['runs', 'over']) await putRun(mesh, id);
  await putRun(mesh, 'done-in-a-job-that-runs', { state: 'done' });
  await putRun(mesh, 'dropped', { state: 'cancelled' });
  await store.transaction(async (tx) => {
    await tx.insert(meshErrands, errand('errand-open'));
    await tx.insert(meshErrands, errand('errand-over', { answered_ns: start }));
    await tx.insert(meshErrands, errand('errand-left', { asked_ns: start - 2n * DAY }));
  });
  const keeper = housekeeping(
    mesh,
    ['runs', 'done-in-a-job-that-runs', 'dropped'].map((id) => `job of ${id}`),
  );
  t.same(await keeper.sweep(), [], 'a run has its bytes before it has its row');
  await putRun(mesh, 'job-less');
  t.same([...(await keeper.sweep())].sort(), orphans.sort());
  t.same((await objects.runs()).sort(), wanted.sort());
  t.ok(objects.bytes.size === wanted.length + 1, 'kernels are of all runs');
});

t.test('a run lets go of rows behind its checkpoints, and of everything once its job is over', async (t) => {
  const mesh = await LocalMesh.open(t, { stands: true });
  const spec = orbits({ steps: 24_000, stepsPerSegment: 1000 });
  let kept = -1;
  const shows = async (segment: number) => {
    while (kept < segment - 3) await delay(5);
  };
  await mesh.contribute({ id: 'node-alice', owner: 'alice', engine: 'e' }, { shows });
  const executor = mesh.executor('none');
  await executor.execute(spec, {
    name: { id: 'thin-0', job: 'thin', payer: 'payer', paid: true },
    checkpointMs: 0,
    onCheckpoint: async ({ segment }) => {
      kept = segment;
    },
  });
  const spans = await mesh.store.count(meshSpans, { run: 'thin-0' });
  t.ok(spans > 20, `${spans} spans`);
  t.ok(mesh.objects.bytes.size < spans + 4, `${mesh.objects.bytes.size} objects are left of ${2 * spans}`);
  await executor.ended('thin');
  t.same(await mesh.objects.runs(), []);
  t.strictSame(mesh.errors, []);
});

t.test('what a span that is dropped had goes with it, and no state that another has too', async (t) => {
  const mesh = await begun(t, 'full');
  const fence = await leased(mesh, 'ann');
  t.same(await show(mesh, 'ann', madeUp(fence, 0, 0, 10n)), ['kept', 'kept']);
  t.equal(mesh.objects.bytes.size, 1, 'rows and the small state beside them wait for the check');
  await mesh.coordinator.cancel(RUN);
  t.equal(mesh.objects.bytes.size, 0);
  const other = await begun(t);
  const again = await leased(other, 'ann');
  await show(other, 'ann', madeUp(again, 0, 0, 10n));
  const stored = (await storedRun(other.store, RUN))!;
  const { claim } = madeUp(again, 1, 1, 10n); // a lie that names the state of the span before
  const lie = { ...claim, id: 'eve', owner: 'eve', engine: 'e', fence: 9, commitment: '', committedNs: '0' };
  const span: Span = { ...lie, checks: [], sound: false, claim };
  const before = { ...stored.machine, spans: [span] };
  const pending = { [pendingName(span)]: 'rows of the lie' };
  const gone = await droppedObjects(other.store, { ...stored, machine: before, pending }, stored.machine, []);
  t.same(gone, ['rows of the lie']);
});

t.test('a claim that its commitment does not cover leaves no rows behind', async (t) => {
  const mesh = await begun(t);
  const fence = await leased(mesh, 'eve');
  t.same(await show(mesh, 'eve', madeUp(fence, 0, 0, 10n)).then(([kept]) => kept), 'kept');
  const second = madeUp(fence, 1, 1, 20n);
  const commitment = 'cd'.repeat(32);
  await mesh.coordinator.results([
    { node: 'eve', result: { kind: 'commit', run: RUN, fence, from: 1, to: 1, commitment } },
  ]);
  const objects = mesh.objects.bytes.size;
  const shown = await mesh.coordinator.results([{ node: 'eve', result: { kind: 'reveal', ...second } }]);
  t.same(shown, ['not-committed']);
  t.ok(mesh.objects.bytes.size <= objects + 1, 'at most the state');
});

// ---- rows --------------------------------------------------------------------------------------------------

t.test('of old runs who ran what stays, for whoever contests the result', async (t) => {
  const mesh = await LocalMesh.open(t);
  const { store } = mesh;
  const old = { state: 'done', created_ns: start - 40n * DAY, deadline_ns: start - 31n * DAY };
  await putRun(mesh, 'old-0', old);
  await putRun(mesh, 'young-0', { ...old, deadline_ns: start - 29n * DAY });
  await putRun(mesh, 'open-0', { ...old, state: 'open' });
  await putRun(mesh, 'of-a-job-0', { ...old, job: 'runs' });
  await store.transaction(async (tx) => {
    for (let i = 0; i < 400; i++) {
      if (i === 380) continue; // of which nothing is known
      const replaced_by = i >= 350 && i < 360 ? 'house' : null;
      const who = i < 150 ? 'UA' : i < 290 ? 'UB' : 'UA';
      await tx.put(meshSpans, {
        ...{ run: 'old-0', from_segment: BigInt(i), to_segment: BigInt(i), node: who, owner: `z-${who}` },
        ...{ claim: { digests: ['long'] }, bytes: 'b', work: 2n, accepted_ns: start, replaced_by },
      });
    }
  });
  const keeper = housekeeping(mesh, ['runs']);
  const provenance = spanProvenance(store);
  const parties = (from: number, through: number) => provenance.computedBy('old', 0, { from, through });
  const asked = async () => {
    const places: [number, number][] = [
      [0, 149],
      [149, 150],
      [350, 355],
      [380, 380],
      [399, 399],
    ];
    return Promise.all(places.map((place) => parties(...place)));
  };
  const before = await asked();
  t.same([before[2], before[3]], [[], []], 'the service ran these itself, and those nobody');
  t.equal(await keeper.forgetOld(), 1);
  t.equal(await keeper.forgetOld(), 0);
  const spans = await store.find(meshSpans, { orderBy: { from_segment: 'asc' } });
  t.same(
    spans.map((row) => [row.from_segment, row.to_segment, row.node, row.work, row.claim]),
    [
      [0n, 149n, 'UA', 300n, {}],
      [150n, 289n, 'UB', 280n, {}],
      [290n, 349n, 'UA', 120n, {}],
      [350n, 359n, 'UA', 20n, {}],
      [360n, 379n, 'UA', 40n, {}],
      [381n, 399n, 'UA', 38n, {}],
    ],
  );
  t.same(await asked(), before);
  const left = await store.find(meshRuns, { orderBy: { id: 'asc' } });
  t.same(
    left.map(({ id }) => id),
    ['of-a-job-0', 'open-0', 'young-0'],
  );
});

t.test('errands that nobody waits for end with a line, and go; so do old lines', async (t) => {
  const mesh = await LocalMesh.open(t);
  const { store } = mesh;
  const claim = { from: 3, to: 4, work: '35' };
  await store.transaction(async (tx) => {
    await tx.insert(
      meshErrands,
      errand('errand-left', { claim, answered_ns: start - DAY, asked_ns: start - 2n * DAY }),
    );
    await tx.insert(meshErrands, errand('errand-silent', { asked_ns: start - 2n * DAY }));
    await tx.insert(meshErrands, errand('errand-asked'));
    const line = { node: 'UA', run: 'r', from_segment: 0n, work: 1n, reason: 'refuted' };
    for (const days of [UNPAID_DAYS - 1n, UNPAID_DAYS + 1n])
      await tx.insert(meshUnpaid, { ...line, at_ns: start - days * DAY });
  });
  t.equal(await housekeeping(mesh, []).forgetOld(), 1, 'the old line');
  t.match(await store.find(meshUnpaid, { where: { run: 'errand-left' } }), [
    { reason: 'unawaited', work: 35n },
  ]);
  const { answered_ns } = (await store.get(meshErrands, { id: 'errand-left' }))!;
  t.equal(answered_ns, start - DAY, 'when it was answered stays');
  const open = await store.find(meshErrands, { where: { answered_ns: null } });
  t.same(
    open.map(({ id }) => id),
    ['errand-asked'],
  );
  const later = start + (RUN_DAYS + 1n) * DAY;
  await housekeeping(mesh, [], later).forgetOld();
  t.equal(await store.count(meshErrands), 1, 'and after a month the rows of those that ended');
});
