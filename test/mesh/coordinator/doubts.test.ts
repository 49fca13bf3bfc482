import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { doubtful, replacedByHouse } from '../../../mesh/coordinator/doubts.ts';
import { acceptedSpans, saveRun, storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { drawnNumber } from '../../../mesh/decide/beacon.ts';
import { LEAST_RATE } from '../../../mesh/decide/trust.ts';
import { meshSpans, meshTrust } from '../../../mesh/records.ts';
import { spanProvenance } from '../../../src/challenges/provenance.ts';
import { WithoutMesh } from '../../../src/node/without-mesh.ts';
import { toHex, utf8 } from '../../../src/proof/bytes.ts';
import { sha256 } from '../../../src/proof/crypto-node.ts';
import { digestsOfRun } from '../../../src/proof/digests.ts';
import type { FinishedRun } from '../../../src/proof/job.ts';
import type { Checkpoint, Executor } from '../../../workers/executor.ts';
import { driveRun, instantiateKernel } from '../../../workers/kernel-host.ts';
import { kernelModule } from '../../solvers/run-job.ts';
import { LyingPool } from '../liar.ts';
import { LocalMesh } from '../local-mesh.ts';
import { orbits } from '../orbits.ts';

const [dave, alice, bob] = ['dave', 'alice', 'bob'].map((id) => ({
  id,
  owner: `owner of ${id}`,
  engine: 'v8',
}));
const SEGMENTS = 32;
const spec = orbits({ steps: SEGMENTS * 2000, stepsPerSegment: 2000 });
const leafOf = (run: FinishedRun) => toHex(digestsOfRun(run).leaf);
const alone = leafOf(driveRun(instantiateKernel(kernelModule('multibody')), spec));

const segments = (count: number) => Array.from({ length: count }, (_, segment) => segment);

/** A beacon that draws no segment of the run to be checked while its node is trusted. */
function trusting(run: string): Uint8Array {
  for (let tried = 0; ; tried++) {
    const beacon = sha256(utf8(`beacon ${tried}`));
    const isDrawn = (from: number) => drawnNumber(beacon, `${run}/${from}`) < LEAST_RATE;
    if (!segments(SEGMENTS).some(isDrawn)) return beacon;
  }
}

/**
 * A run of Dave's, who is trusted, so that none of his spans is checked, before segment `checkedFrom`; then the next
 * eight are. From `liesFrom` on they are false. Time stands still, so that nobody takes the run from Dave before he is
 * found out.
 */
async function foundOut(t: Test, job: string, checkedFrom: number, liesFrom: number) {
  const name = { id: `${job}-0`, job, payer: 'payer', paid: true };
  const mesh = await LocalMesh.open(t, { stands: true, beacon: trusting(name.id) });
  const trusted = (matches: bigint) =>
    mesh.store.transaction((tx) => tx.put(meshTrust, { node: dave!.id, kernel: spec.kernel, matches }));
  const becomeKnown = async (segment: number) => {
    if (segment !== checkedFrom) return;
    while ((await davesSpans(mesh)).length < checkedFrom) await delay(10);
    await trusted(0n);
    for (const node of [alice!, bob!]) await mesh.contribute(node);
  };
  await trusted(100_000n);
  const liar = new LyingPool(mesh.pool, liesFrom);
  await mesh.contribute(dave!, { pool: liar, shows: becomeKnown });
  const run = await mesh.executor('sampled').execute(spec, { name });
  return { mesh, run };
}

/** Who answers for the run where a challenge finds it wrong. */
async function answering(mesh: LocalMesh, job: string) {
  const whole = { from: 0, through: SEGMENTS };
  return (await spanProvenance(mesh.store).computedBy(job, 0, whole)).map(({ node }) => node);
}

/** The segments of his that were accepted, each a span, and who else has run them. */
async function davesSpans(mesh: LocalMesh) {
  const spans = await mesh.store.find(meshSpans, { where: { node: dave!.id } });
  return spans.map(({ from_segment, checked_by }) => ({ segment: Number(from_segment), by: checked_by }));
}

t.test('accepted spans are in doubt that hang on the word of who was found out', async (t) => {
  const { store } = await LocalMesh.open(t);
  const rows = [
    { node: 'ann', checked_by: null },
    { node: 'ann', checked_by: 'ben' },
    { node: 'ben', checked_by: 'ann' },
    { node: 'ben', checked_by: null },
  ];
  await store.transaction(async (tx) => {
    for (const [i, row] of rows.entries()) {
      const segments = { run: 'r', from_segment: BigInt(i), to_segment: BigInt(i) };
      const rest = { owner: 'o', claim: {}, bytes: '', work: 1n, drawn_ns: null, accepted_ns: 0n };
      await tx.insert(meshSpans, { ...segments, ...row, ...rest });
    }
  });
  const inDoubt = async (...nodes: string[]) =>
    (await doubtful(store, 'r', nodes)).map(({ from_segment }) => Number(from_segment));
  t.same(await inDoubt('ann'), [0, 2]);
  t.same(await inDoubt('ann', 'ben'), [0, 1, 2, 3]);
  t.same(await inDoubt(), []);
});

t.test('who is honest first and lies later: what nobody had run is run again, and not paid', async (t) => {
  const { mesh, run } = await foundOut(t, 'later', 12, 16);
  t.equal(leafOf(run), alone);
  t.same([...new Set(mesh.withheld)], [dave!.id]);
  const spans = await davesSpans(mesh);
  t.same(
    spans.filter(({ by }) => by === 'house').map(({ segment }) => segment),
    segments(12),
    'nobody had looked at these, and now somebody has',
  );
  t.notOk(spans.some(({ by }) => by === null));
  t.same(
    mesh.takenBack,
    segments(12)
      .slice(1) // the start alone is no work
      .map((segment) => [dave!.id, segment, segment]),
    'for that and for nothing else he is not paid, however many verdicts say so',
  );
  t.ok((await answering(mesh, 'later')).includes(dave!.id), 'what was run again is still his answer');
  t.same(mesh.errors, []);
});

t.test(
  'a lie that was accepted unseen does not get into the answer when its teller is found out',
  async (t) => {
    const { mesh, run } = await foundOut(t, 'earlier', 12, 8);
    t.same([...new Set(mesh.withheld)], [dave!.id]);
    t.equal(leafOf(run), alone, 'the service ran all of it itself');
    t.same(
      await davesSpans(mesh),
      segments(12).map((segment) => ({ segment, by: null })),
      'the lie was accepted, and nothing else of him',
    );
    t.ok((await mesh.store.count(meshSpans, { node: { in: [alice!.id, bob!.id] } })) > 0);
    t.same(await answering(mesh, 'earlier'), [], 'nobody of the mesh has computed what was handed over');
    t.same(mesh.errors, []);
  },
);

/** Checkpoints put together, as whoever asked for a run keeps them. */
class Keeping {
  checkpoint: Checkpoint | undefined;

  get segment(): number {
    return this.checkpoint?.segment ?? -1;
  }

  readonly onCheckpoint = async (next: Checkpoint): Promise<void> => {
    const { digests, rows } = this.checkpoint ?? { digests: [], rows: [] };
    const whole = { digests: [...digests, ...next.digests], rows: [...rows, ...next.rows] };
    this.checkpoint = { ...next, from: 0, ...whole };
  };
}

/**
 * A run of Dave's, unchecked and false from segment 4 on, that fails behind a checkpoint when he has been found out. */
async function failedBehindLies(t: Test, job: string) {
  const name = { id: `${job}-0`, job, payer: 'payer', paid: true };
  const mesh = await LocalMesh.open(t, { stands: true, beacon: trusting(name.id) });
  await mesh.store.transaction((tx) =>
    tx.put(meshTrust, { node: dave!.id, kernel: spec.kernel, matches: 100_000n }),
  );
  const kept = new Keeping();
  const fails = async (segment: number) => {
    if (segment !== 12) return;
    while (kept.segment < 8) await delay(10);
    let hasFailed = false;
    while (!hasFailed)
      hasFailed = await mesh.store.transaction(async (tx) => {
        const stored = (await storedRun(tx, name.id))!;
        const { lease: _, ...rest } = stored.machine;
        const machine = { ...rest, spans: [], state: 'failed', distrusted: [dave!.id] } as const;
        return (await saveRun(tx, stored, { machine, pending: {}, paid: stored.paid })) !== undefined;
      });
  };
  await mesh.contribute(dave!, { pool: new LyingPool(mesh.pool, 4), shows: fails });
  const asked = mesh
    .executor('sampled')
    .execute(spec, { name, checkpointMs: 0, onCheckpoint: kept.onCheckpoint });
  await t.rejects(asked, { code: 'KERNEL_CRASHED' });
  await mesh.leave(dave!.id);
  return { mesh, name, resumeFrom: kept.checkpoint! };
}

t.test(
  'a run that failed begins again from a checkpoint, and what is in doubt of that stays so',
  async (t) => {
    const { mesh, name, resumeFrom } = await failedBehindLies(t, 'again');
    for (const node of [alice!, bob!]) await mesh.contribute(node);
    const run = await mesh.executor('sampled').execute(spec, { name, resumeFrom });
    t.equal(leafOf(run), alone);
    const machine = (await storedRun(mesh.store, name.id))!.machine;
    t.same(
      [machine.distrusted, machine.excluded],
      [[dave!.id], [dave!.id]],
      'his word counts no more than before',
    );
    t.same(await answering(mesh, 'again'), [], 'the service ran all of it itself');
    t.same(mesh.errors, []);
  },
);

t.test('a run that failed is taken home from its start where its checkpoint is in doubt', async (t) => {
  const { mesh, name, resumeFrom } = await failedBehindLies(t, 'home');
  mesh.objects.isAway = true;
  const run = await mesh.executor('sampled').execute(spec, { name, resumeFrom });
  t.equal(leafOf(run), alone);
  t.same(await answering(mesh, 'home'), []);
  t.ok((await acceptedSpans(mesh.store, name.id, -1)).length > 4, 'the lies were accepted');
});

t.test('and so it is by a node that was started without its mesh', async (t) => {
  const { mesh, name, resumeFrom } = await failedBehindLies(t, 'without');
  const { store, pool: local, now } = mesh;
  const without = new WithoutMesh({ store, local, now });
  const taken = await local.execute(spec, { resumeFrom });
  t.not(leafOf(taken), alone, 'what its threads would make of the checkpoint is a lie');
  t.equal(leafOf(await without.execute(spec, { name, resumeFrom })), alone);
  t.same(await answering(mesh, 'without'), []);
});

t.test('what nobody doubts of a run goes on from its checkpoint without the mesh, which fails', async (t) => {
  const mesh = await LocalMesh.open(t, { stands: true });
  const name = { id: 'open-0', job: 'open', payer: 'payer', paid: true };
  const kept = new Keeping();
  const stops = new AbortController();
  const stopped = once(stops.signal, 'abort');
  const shows = async (segment: number) => {
    if (segment > 12) await stopped; // or she might come to the end before
  };
  await mesh.contribute(alice!, { shows });
  const onCheckpoint = async (next: Checkpoint) => {
    await kept.onCheckpoint(next);
    if (kept.segment >= 8) stops.abort('abandoned');
  };
  const options = { name, checkpointMs: 0, onCheckpoint, signal: stops.signal };
  await t.rejects(mesh.executor('none').execute(spec, options), { code: 'CANCELLED' });
  const { store, pool: local, now } = mesh;
  const resumeFrom = kept.checkpoint!;
  const begun: (number | undefined)[] = [];
  const execute: Executor['execute'] = (run, asked) => {
    begun.push(asked?.resumeFrom?.segment);
    return local.execute(run, asked);
  };
  const without = new WithoutMesh({ store, local: { execute, close: async () => undefined }, now });
  t.equal(leafOf(await without.execute(spec, { name, resumeFrom })), alone);
  t.same(begun, [resumeFrom.segment]);
  t.equal((await storedRun(store, name.id))!.machine.state, 'failed');
  const behind = { from: kept.segment + 1, through: SEGMENTS };
  t.same(await spanProvenance(store).computedBy('open', 0, behind), [], 'for what it ran it answers itself');
});

t.test('what the service has put in the place of spans is the beginning of a run, not these', async (t) => {
  const { mesh, name } = await failedBehindLies(t, 'replaced');
  await mesh.store.transaction((tx) => replacedByHouse(tx, name.id, -1));
  const own = new Keeping();
  await mesh.pool.execute(spec, { untilSegment: 8, checkpointMs: 0, onCheckpoint: own.onCheckpoint });
  for (const node of [alice!, bob!]) await mesh.contribute(node);
  const run = await mesh.executor('full').execute(spec, { name, resumeFrom: own.checkpoint! });
  t.equal(leafOf(run), alone);
  const spans = await mesh.store.find(meshSpans, { where: { run: name.id } });
  t.equal(Math.min(...spans.map(({ from_segment }) => Number(from_segment))), own.segment + 1);
  t.notOk(spans.some(({ node }) => node === dave!.id));
  t.same(mesh.errors, []);
});
