import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import type { Contributor } from '../../../mesh/contributor/contributor.ts';
import type { MeshExecutorParts } from '../../../mesh/coordinator/mesh-executor.ts';
import { acceptedSpans, storedRun } from '../../../mesh/coordinator/run-rows.ts';
import { LEASE_TICKS } from '../../../mesh/decide/leases.ts';
import { meshUnpaid, meshVerdicts } from '../../../mesh/records.ts';
import { spanProvenance } from '../../../src/challenges/provenance.ts';
import { toHex } from '../../../src/proof/bytes.ts';
import { digestsOfRun } from '../../../src/proof/digests.ts';
import type { FinishedRun } from '../../../src/proof/job.ts';
import type { Checkpoint, RunName, RunSpec, StaysHere } from '../../../workers/executor.ts';
import { driveRun, instantiateKernel } from '../../../workers/kernel-host.ts';
import { kernelModule } from '../../solvers/run-job.ts';
import { LocalMesh } from '../local-mesh.ts';
import { orbits } from '../orbits.ts';

const [alice, bob, carol, dave] = ['alice', 'bob', 'carol', 'dave'].map((name) => ({
  id: `node-${name}`,
  owner: name,
  engine: `engine of ${name}`,
})) as [Facts, Facts, Facts, Facts];
type Test = Pick<typeof t, 'equal' | 'ok' | 'strictSame' | 'rejects'>;
type Facts = { id: string; owner: string; engine: string };

let names = 0;
const nameOf = (job: string): RunName => ({ id: `${job}-0`, job, payer: 'payer', paid: true });

/** The run in this thread: what every other way of running it is held to. */
function alone(spec: RunSpec): FinishedRun {
  return driveRun(instantiateKernel(kernelModule('multibody')), spec);
}

const leafOf = (run: FinishedRun) => toHex(digestsOfRun(run).leaf);

/** Every segment is credited once, and the credits are the work of the run. */
function creditedOnce(t: Test, mesh: LocalMesh, run: FinishedRun, nodes?: readonly string[]): void {
  const segments = mesh.credited.filter(({ kind }) => kind === 'segment').sort((a, b) => a.from - b.from);
  t.strictSame(
    segments.map(({ from }) => from),
    [segments[0]!.from, ...segments.slice(0, -1).map(({ to }) => to + 1)],
  );
  t.ok(segments[0]!.from <= 1, 'D₀ took no work');
  t.equal(segments.at(-1)?.to, run.digests.length - 1);
  t.equal(
    segments.reduce((sum, { work }) => sum + work, 0n),
    run.work,
  );
  if (nodes) t.strictSame(new Set(segments.map(({ node }) => node)), new Set(nodes));
}

t.test('a run on the mesh gives what one thread gives, to the last bit, under every policy', async (t) => {
  const spec = orbits({ steps: 4000, stepsPerSegment: 250 });
  const expected = alone(spec);
  for (const policy of ['none', 'sampled', 'full'] as const) {
    const mesh = await LocalMesh.open(t, { stands: true });
    await mesh.contribute(alice);
    await mesh.contribute(bob);
    const kept: number[] = [];
    const run = await mesh.executor(policy).execute(spec, {
      name: nameOf(policy),
      onCheckpoint: ({ segment }) => Promise.resolve(void kept.push(segment)),
      checkpointMs: 0,
    });
    t.equal(leafOf(run), leafOf(expected), policy);
    t.strictSame({ ...run, observed: [] }, { ...expected, observed: [] });
    t.ok(
      kept.every((segment, i) => i === 0 || segment > kept[i - 1]!),
      'checkpoints in order',
    );
    creditedOnce(t, mesh, run);
    t.equal(
      mesh.credited.some(({ kind }) => kind === 'check'),
      policy !== 'none',
    );
    t.strictSame(mesh.errors, []);
  }
});

t.test('nobody there: the service runs it itself, and pays nobody else', async (t) => {
  const mesh = await LocalMesh.open(t);
  const spec = orbits({ steps: 1000, stepsPerSegment: 250 });
  const run = await mesh.executor('full').execute(spec, { name: nameOf('alone') });
  t.equal(leafOf(run), leafOf(alone(spec)));
  creditedOnce(t, mesh, run, ['house-1']);
});

t.test('a run that stays on the threads of the service says why', async (t) => {
  const mesh = await LocalMesh.open(t);
  await mesh.contribute(alice);
  const spec = orbits({ steps: 1000, stepsPerSegment: 250 });
  const stays = async (more: Partial<RunSpec>, parts: Partial<MeshExecutorParts> = {}) => {
    const why: StaysHere[] = [];
    const name = nameOf(`stays-${names++}`);
    const run = await mesh
      .executor('full', mesh.coordinator, parts)
      .execute({ ...spec, ...more }, { name, onStays: (said) => why.push(said) });
    t.equal(leafOf(run), leafOf(alone(spec)));
    t.equal((await storedRun(mesh.store, name.id)) === undefined, why.length > 0);
    return why;
  };
  const mebibytes = 2 ** 20;
  t.strictSame(await stays({ layout: 448 * mebibytes + 1 }), ['large'], 'more than a message carries');
  t.strictSame(await stays({ layout: 448 * mebibytes }), [], 'what a message carries goes over the mesh');
  t.strictSame(await stays({}, { leastWork: 1e12 }), ['short']);
  t.strictSame(await stays({}, { isPeopled: () => Promise.resolve(false) }), ['alone']);
});

t.test('a node that is killed loses what it had not shown, and nothing else', async (t) => {
  const mesh = await LocalMesh.open(t, { stands: true });
  const spec = orbits({ steps: 16_000, stepsPerSegment: 1000 });
  const name = nameOf('killed');
  let isDead = false;
  const dies = async (segment: number) => {
    if (segment < 8) return;
    while ((await acceptedSpans(mesh.store, name.id, -1)).length < 6) await delay(10);
    isDead = true;
    await mesh.contribute(bob);
    await mesh.pass(LEASE_TICKS);
  };
  await mesh.contribute(alice, { isDead: () => isDead, shows: dies });
  const run = await mesh.executor('none').execute(spec, { name });
  t.ok(isDead);
  t.equal(leafOf(run), leafOf(alone(spec)));
  creditedOnce(t, mesh, run, [alice.id, bob.id]);
});

t.test('who lies is found out by a third, loses the bond, and its work is done again', async (t) => {
  const mesh = await LocalMesh.open(t, { stands: true });
  const spec = orbits({ steps: 4000, stepsPerSegment: 250 });
  const others = async (segment: number) => {
    if (segment === 0) for (const node of [alice, bob, carol]) await mesh.contribute(node);
  };
  const liar = await mesh.lie(dave, { shows: others });
  const run = await mesh.executor('full').execute(spec, { name: nameOf('lied-to') });
  t.equal(leafOf(run), leafOf(alone(spec)));
  t.ok(liar.lies > 0, 'it did lie');
  t.strictSame([...new Set(mesh.withheld)], [dave.id]);
  const [verdict] = await mesh.store.find(meshVerdicts);
  t.match(verdict, { outcome: /_wrong$/, faulty: dave.id });
  t.notOk(mesh.credited.some(({ node, kind }) => node === dave.id && kind === 'segment'));
  t.type(await mesh.store.count(meshUnpaid), 'number');
});

const oneByOne = async () => undefined;

t.test('a lost object store costs time, never the run, and nobody is paid twice', async (t) => {
  const mesh = await LocalMesh.open(t);
  const spec = orbits({ steps: 16_000, stepsPerSegment: 1000 });
  await mesh.contribute(alice, { shows: oneByOne });
  let lost = false;
  const run = await mesh.executor('none').execute(spec, {
    name: nameOf('lost'),
    checkpointMs: 0,
    onCheckpoint: async ({ segment }) => {
      if (segment < 6 || lost) return;
      lost = true;
      mesh.objects.bytes.clear();
    },
  });
  t.ok(lost);
  t.equal(leafOf(run), leafOf(alone(spec)));
  creditedOnce(t, mesh, run);
});

t.test('an object store that is away holds a run up and does not end it', async (t) => {
  const mesh = await LocalMesh.open(t);
  const spec = orbits({ steps: 200_000, stepsPerSegment: 12_500 });
  await mesh.contribute(alice);
  let back: Promise<void> | undefined;
  const run = await mesh.executor('none').execute(spec, {
    name: nameOf('away'),
    onProgress: ({ segments }) => {
      if (segments < 6 || back) return;
      mesh.objects.isAway = true;
      back = delay(1500).then(() => {
        mesh.objects.isAway = false;
      });
    },
  });
  t.ok(back, 'it was away while the run went on');
  t.equal(leafOf(run), leafOf(alone(spec)));
  creditedOnce(t, mesh, run);

  mesh.objects.isAway = true;
  const why: StaysHere[] = [];
  const name = nameOf('begun-away');
  const here = await mesh.executor('none').execute(spec, { name, onStays: (said) => why.push(said) });
  t.equal(leafOf(here), leafOf(alone(spec)));
  t.strictSame(why, ['alone'], 'a run that begins meanwhile stays on the threads of the service');
  t.equal(await storedRun(mesh.store, name.id), undefined, 'and nobody else has it');
});

t.test('who leaves gives back what it has, in a segment and in a check, and keeps its pay', async (t) => {
  const mesh = await LocalMesh.open(t, { stands: true });
  const spec = orbits({ steps: 16_000, stepsPerSegment: 1000 });
  let left: Promise<void> | undefined;
  const shows = async (segment: number) => {
    while (segment > 8 && !left) await delay(10);
  };
  const nodes = [await mesh.contribute(alice, { shows }), await mesh.contribute(bob, { shows })];
  const name = nameOf('leaves');
  const leave = async () => {
    const isChecking = ({ status }: Contributor) => status.occupations.some(({ kind }) => kind !== 'run');
    const [checker, runner] = isChecking(nodes[0]!) ? [alice, bob] : [bob, alice];
    await mesh.contribute(carol);
    await Promise.all([mesh.leave(checker.id), mesh.leave(runner.id)]);
    const there = await mesh.service('house-2').candidates();
    t.strictSame(
      there.map(({ id }) => id),
      [carol.id],
      'nobody sees them there',
    );
    while (await isHeldBy(alice.id, bob.id)) await delay(10); // a check that was just placed is refused
  };
  const isHeldBy = async (...ids: string[]) => {
    const stored = await storedRun(mesh.store, name.id);
    if (!stored) return false; // it is over
    const { lease, spans } = stored.machine;
    const held = [lease, ...spans.flatMap(({ checks }) => checks.filter(({ claim }) => !claim))];
    return held.some((each) => each && ids.includes(each.id));
  };
  const run = await mesh.executor('full').execute(spec, {
    name,
    onProgress: ({ segments }) => {
      if (segments >= 4) left ??= leave();
    },
  });
  t.ok(left, 'both left while the run went on');
  await left;
  t.equal(leafOf(run), leafOf(alone(spec)));
  creditedOnce(t, mesh, run);
  t.ok(mesh.credited.some(({ node }) => node === alice.id || node === bob.id));
  t.strictSame(mesh.withheld, []);
});

/** A run is shown up to its third segment, and further when `stop` is aborted. */
const shownUntil = (stop: () => AbortController) => ({
  shows: async (segment: number) => {
    while (segment > 3 && !stop().signal.aborted) await delay(10);
  },
});

t.test('a cancelled run is taken from its node; a process that drains leaves it to the mesh', async (t) => {
  const mesh = await LocalMesh.open(t);
  const spec = orbits({ steps: 16_000, stepsPerSegment: 1000 });
  let stop = new AbortController();
  await mesh.contribute(
    alice,
    shownUntil(() => stop),
  );
  for (const reason of [undefined, 'abandoned']) {
    stop = new AbortController();
    const name = nameOf(String(reason));
    const executing = mesh.executor('none').execute(spec, {
      name,
      signal: stop.signal,
      onProgress: () => stop.abort(reason),
    });
    await t.rejects(executing, { code: 'CANCELLED' });
    const { machine } = (await storedRun(mesh.store, name.id))!;
    t.equal(machine.state, reason === undefined ? 'cancelled' : 'open');
    await mesh.coordinator.cancel(name.id);
  }
});

t.test('another process finds the run and goes on gathering from its own checkpoint', async (t) => {
  const mesh = await LocalMesh.open(t);
  const spec = orbits({ steps: 16_000, stepsPerSegment: 1000 });
  const stop = new AbortController();
  await mesh.contribute(
    alice,
    shownUntil(() => stop),
  );
  let resumeFrom: Checkpoint | undefined;
  const first = mesh.executor('none').execute(spec, {
    name: nameOf('moved'),
    signal: stop.signal,
    checkpointMs: 0,
    onCheckpoint: async (checkpoint) => {
      resumeFrom ??= checkpoint;
      stop.abort('abandoned');
    },
  });
  await t.rejects(first, { code: 'CANCELLED' });
  const other = mesh.executor('none', mesh.service('house-2'));
  const run = await other.execute(spec, { name: nameOf('moved'), resumeFrom });
  t.equal(leafOf(run), leafOf(alone(spec)));
  t.ok((await acceptedSpans(mesh.store, 'moved-0', -2)).length > 0);
});

t.test('a run that another version cut otherwise begins anew, and nothing of it is taken over', async (t) => {
  const mesh = await LocalMesh.open(t);
  const name = nameOf('upgraded');
  await leftOver(t, mesh, name);
  const spec = orbits({ steps: 16_000, stepsPerSegment: 1600 });
  const run = await mesh.executor('none').execute(spec, { name });
  t.strictSame({ ...run, observed: [] }, { ...alone(spec), observed: [] });
});

t.test('where it cannot begin anew the service runs it, and nobody else answers for it', async (t) => {
  const mesh = await LocalMesh.open(t);
  const name = nameOf('away');
  await leftOver(t, mesh, name);
  const answering = () => spanProvenance(mesh.store).computedBy(name.job, 0, { from: 0, through: 16 });
  t.match(await answering(), [{ node: alice.id }]);
  mesh.objects.isAway = true;
  const spec = orbits({ steps: 16_000, stepsPerSegment: 1600 });
  const run = await mesh.executor('none').execute(spec, { name });
  mesh.objects.isAway = false;
  t.equal(leafOf(run), leafOf(alone(spec)));
  t.equal(
    (await storedRun(mesh.store, name.id))!.machine.state,
    'cancelled',
    'what Alice still shows is late',
  );
  t.strictSame(await answering(), []);
});

/** A run of which Alice has shown some segments, cut as another version cuts them. */
async function leftOver(t: Pick<Test, 'rejects'>, mesh: LocalMesh, name: RunName): Promise<void> {
  const stop = new AbortController();
  await mesh.contribute(
    alice,
    shownUntil(() => stop),
  );
  const before = mesh.executor('none').execute(orbits({ steps: 16_000, stepsPerSegment: 1000 }), {
    name,
    signal: stop.signal,
    onProgress: ({ segments }) => {
      if (segments > 1) stop.abort('abandoned');
    },
  });
  await t.rejects(before, { code: 'CANCELLED' });
}
