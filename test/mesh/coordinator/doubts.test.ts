import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { doubtful } from '../../../mesh/coordinator/doubts.ts';
import { drawnNumber } from '../../../mesh/decide/beacon.ts';
import { LEAST_RATE } from '../../../mesh/decide/trust.ts';
import { meshSpans, meshTrust } from '../../../mesh/records.ts';
import { spanProvenance } from '../../../src/challenges/provenance.ts';
import { toHex, utf8 } from '../../../src/proof/bytes.ts';
import { sha256 } from '../../../src/proof/crypto-node.ts';
import { digestsOfRun } from '../../../src/proof/digests.ts';
import type { FinishedRun } from '../../../src/proof/job.ts';
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
