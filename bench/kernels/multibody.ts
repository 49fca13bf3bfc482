import type { MultibodyInput, Scheme } from '../../src/solvers/multibody/problem.ts';
import { multibody } from '../../src/solvers/multibody.ts';
import { kernelDigest, kernelModule } from '../../test/solvers/run-job.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { type Figure, type Measured, quick, type Row, rated } from '../figure.ts';
import { flagsOf, NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians, type Contender } from '../timing.ts';

const rounds = quick ? 1 : 9;
const context = { requestHash: new Uint8Array(32) };
const kernel = instantiateKernel(kernelModule('multibody'));
const softening = 0.01;

/** Seconds of processor time: other work on the machine does not count. */
function processorSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** The bodies of bench/native/multibody.c: three Weyl sequences. */
const unit = (i: number) => (((i + 1) * 0.6180339887498949) % 1) - 0.5;
function cube(bodies: number) {
  const indices = Array.from({ length: bodies }, (_, i) => i);
  return {
    position: indices.map((i) => [unit(3 * i), unit(7 * i + 1), unit(11 * i + 2)]),
    velocity: indices.map(() => [0, 0, 0]),
    mass: indices.map(() => 1 / bodies),
  };
}

/** A sphere of Plummer (1911) by quantiles of radius and Weyl directions: dense within, thin without. */
function plummer(bodies: number) {
  const position = Array.from({ length: bodies }, (_, i) => {
    const radius = 1 / Math.sqrt(((i + 0.5) / bodies) ** (-2 / 3) - 1);
    const [z, angle] = [2 * unit(i), 2 * Math.PI * unit(13 * i + 5)];
    const across = Math.sqrt(1 - z * z);
    return [radius * across * Math.cos(angle), radius * across * Math.sin(angle), radius * z];
  });
  return { ...cube(bodies), position };
}

interface Start {
  readonly position: number[][];
  readonly velocity: number[][];
  readonly mass: number[];
}

function request(start: Start, integrator: Scheme, steps: number, force: 'direct' | 'tree'): MultibodyInput {
  const numerics = { dt: 1e-6, t_max: 1e-6 * steps, integrator, force, softening };
  return { ...start, referenceMode: 'gravity', G: 1, ...numerics };
}

/** Steps per second of a whole run, start and digests included. */
function stepRate(input: MultibodyInput): Contender {
  const plan = multibody.plan(input, context).runs[0]!;
  const { bytes } = plan.parts[0] as { bytes: Uint8Array };
  const { stepsPerSegment, memory, work } = plan;
  const spec = { kernel: kernelDigest('multibody'), parameters: bytes, stepsPerSegment, memory, work };
  return () => plan.steps! / processorSeconds(() => driveRun(kernel, spec));
}

/** What anybody would write first, on arrays of doubles; the sum keeps the engine from leaving it out. */
function javascript(x: Float64Array, y: Float64Array, z: Float64Array, m: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < m.length; i++) {
    let ax = 0;
    let ay = 0;
    let az = 0;
    for (let j = 0; j < m.length; j++) {
      const dx = x[j]! - x[i]!;
      const dy = y[j]! - y[i]!;
      const dz = z[j]! - z[i]!;
      const r2 = dx * dx + dy * dy + dz * dz + softening * softening;
      const w = m[j]! / (r2 * Math.sqrt(r2));
      ax += w * dx;
      ay += w * dy;
      az += w * dz;
    }
    sum += ax + ay + az;
  }
  return sum;
}

function javascriptRate({ position, mass }: Start, calls: number): Contender {
  const [x, y, z] = [0, 1, 2].map((axis) => Float64Array.from(position, (point) => point[axis]!));
  const m = Float64Array.from(mass);
  let sum = 0;
  return () => {
    const seconds = processorSeconds(() => {
      for (let i = 0; i < calls; i++) sum += javascript(x!, y!, z!, m);
    });
    if (!Number.isFinite(sum)) throw new Error('the forces are not finite');
    return calls / seconds;
  };
}

const ways = ['plain', 'sse', 'blocks'] as const;

/** Evaluations per second of `bodies` by leapfrog (one a step), with its peers. */
async function forces(bodies: number, evaluations: number): Promise<Row[]> {
  const start = cube(bodies);
  const peers = nativeMissing
    ? []
    : ways.map((way) => new NativePeer('multibody', [way, bodies, evaluations], flagsOf.strict));
  const natives = peers.map((peer, i): [string, Contender] => [
    ways[i]!,
    async () => (await peer.round()).rate,
  ]);
  try {
    const measured = await alternatingMedians<string>(rounds, {
      ours: stepRate(request(start, 'leapfrog', evaluations, 'direct')),
      javascript: javascriptRate(start, Math.max(1, evaluations >> 3)),
      ...Object.fromEntries(natives),
    });
    const pairs = bodies * (bodies - 1);
    // The start evaluates the force once more.
    const ours = (measured.ours! * (evaluations + 1)) / evaluations;
    const peer = (way: string) => (measured[way] === undefined ? nativeMissing || '' : pairs * measured[way]);
    const row = {
      figure: `multibody: leapfrog, ${bodies} bodies`,
      value: pairs * ours,
      unit: 'pairs/s',
    };
    const rows: Measured[] = [
      { ...row, against: 'C strict, all pairs', peer: peer('plain'), goal: { atMost: 0.8 } },
      { ...row, against: 'C strict, all pairs, 128 bits', peer: peer('sse'), goal: { atMost: 0.7 } },
      { ...row, against: 'C strict, same algorithm', peer: peer('blocks') },
      { ...row, against: 'JavaScript', peer: peer('javascript') },
    ];
    return rows.map(rated);
  } finally {
    for (const each of peers) each.close();
  }
}

/** Small systems: steps per second. REBOUND (leapfrog, N = 5) was measured elsewhere at 7.8e6. */
async function small(): Promise<Row[]> {
  const steps = quick ? 1000 : 100_000;
  const measured = await alternatingMedians<string>(rounds, {
    leapfrog5: stepRate(request(cube(5), 'leapfrog', steps, 'direct')),
    pefrl3: stepRate(request(cube(3), 'pefrl', steps, 'direct')),
  });
  return [
    { figure: 'multibody: leapfrog, 5 bodies', value: measured.leapfrog5!, unit: 'steps/s' },
    { figure: 'multibody: pefrl, 3 bodies', value: measured.pefrl3!, unit: 'steps/s' },
  ];
}

/** Tree (θ = 0.5) against direct sum on Plummer spheres; the crossover is the first size where the tree wins. */
async function crossover(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const bodies of quick ? [1000] : [2000, 4000, 8000, 10_000, 20_000]) {
    const rate = (force: 'direct' | 'tree') => stepRate(request(plummer(bodies), 'leapfrog', 2, force));
    const { tree, direct } = await alternatingMedians(quick ? 1 : 3, {
      tree: rate('tree'),
      direct: rate('direct'),
    });
    const measured: Measured = {
      figure: `multibody: tree, ${bodies} bodies`,
      value: tree,
      unit: 'steps/s',
      against: 'direct sum',
      peer: direct,
      ...(bodies >= 10_000 ? { goal: { atMost: 1 } as const } : {}),
    };
    rows.push(rated(measured));
  }
  return rows;
}

export const figure: Figure = {
  title: 'multibody: direct sum and tree → pairs/s, steps/s, against native C and JavaScript',
  async run(): Promise<Row[]> {
    const sizes: [number, number][] = quick
      ? [[64, 10]]
      : [
          [1024, 10],
          [64, 20_000],
        ];
    const rows: Row[] = [];
    for (const [bodies, evaluations] of sizes) rows.push(...(await forces(bodies, evaluations)));
    return [...rows, ...(await small()), ...(await crossover())];
  },
};
