import { createHash } from 'node:crypto';
import t from 'tap';
import { toHex } from '../../src/proof/bytes.ts';
import { leafOfRun } from '../../src/proof/digests.ts';
import type { FinishedRun, RunPlan } from '../../src/proof/job.ts';
import type { MultibodyInput, Scheme } from '../../src/solvers/multibody/problem.ts';
import { schemes } from '../../src/solvers/multibody/problem.ts';
import { multibody } from '../../src/solvers/multibody.ts';
import type { Checkpoint } from '../../workers/executor.ts';
import { type DriveOptions, driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { evidenceOf } from '../solvers/evidence.ts';
import { kernelDigest, kernelModule, runJob } from '../solvers/run-job.ts';

const symplectic = ['leapfrog', 'pefrl', 'yoshida6'] as const;
const context = { requestHash: new Uint8Array(32) };
const instances = new Map<string, ReturnType<typeof instantiateKernel>>();

function firstRun(input: MultibodyInput): RunPlan {
  return multibody.plan(input, context).runs[0]!;
}

function drive(
  plan: RunPlan,
  options: DriveOptions = {},
  stepsPerSegment = plan.stepsPerSegment,
): FinishedRun {
  const kernel = instances.get(plan.kernel) ?? instantiateKernel(kernelModule(plan.kernel));
  instances.set(plan.kernel, kernel);
  const { bytes } = plan.parts[0] as { bytes: Uint8Array };
  const spec = {
    kernel: kernelDigest(plan.kernel),
    parameters: bytes,
    stepsPerSegment,
    memory: 2 ** 31,
    work: 0,
  };
  return driveRun(kernel, spec, options);
}

/** Everything of a run that is ever sealed: all digests, result, work. */
const seal = (run: FinishedRun) => ({ leaf: toHex(leafOfRun(run)), status: run.status, steps: run.steps });

/** Positions, then velocities, x y z of each body. */
function endOf(input: MultibodyInput): { x: Float64Array; v: Float64Array } {
  const run = drive(firstRun(input));
  const bodies = input.position!.length;
  const all = new Float64Array(run.result.slice(16, 16 + 48 * bodies).buffer);
  return { x: all.subarray(0, 3 * bodies), v: all.subarray(3 * bodies) };
}

const triples = (flat: Float64Array, sign = 1) =>
  Array.from({ length: flat.length / 3 }, (_, i) =>
    [...flat.subarray(3 * i, 3 * i + 3)].map((x) => sign * x),
  );
const farthest = (a: Float64Array, b: ArrayLike<number>) =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i]!)), 0);

/** Bodies from SHA-256, the same everywhere: uniform in a cube, slow. */
function cloud(bodies: number): Pick<MultibodyInput, 'position' | 'velocity' | 'mass'> {
  const word = (i: number) =>
    createHash('sha256').update(`cloud ${i}`).digest().readUInt32LE(0) / 2 ** 32 - 0.5;
  const vectors = (from: number, scale: number) =>
    Array.from({ length: bodies }, (_, i) => [0, 1, 2].map((k) => scale * word(from + 3 * i + k)));
  return {
    position: vectors(0, 1),
    velocity: vectors(1e6, 0.2),
    mass: Array.from({ length: bodies }, (_, i) => (1.5 + word(2e6 + i)) / bodies),
  };
}

const cluster = (bodies: number, integrator: Scheme, steps = 24): MultibodyInput => ({
  ...cloud(bodies),
  referenceMode: 'gravity',
  G: 1,
  softening: 0.05,
  dt: 1 / 256,
  t_max: steps / 256,
  integrator,
});

const figureEight = (integrator: Scheme, steps: number): MultibodyInput => ({
  position: [
    [0.97000436, -0.24308753, 0],
    [-0.97000436, 0.24308753, 0],
    [0, 0, 0],
  ],
  velocity: [
    [0.466203685, 0.43236573, 0],
    [0.466203685, 0.43236573, 0],
    [-0.93240737, -0.86473146, 0],
  ],
  mass: [1, 1, 1],
  referenceMode: 'gravity',
  G: 1,
  dt: 2.5 / steps,
  t_max: 2.5,
  integrator,
});
/** r₁ at t = 2.5, by a Taylor integration with 25 digits. */
const figureEightBody = [-0.390668942826549, -0.294013409908417, 0];
const figureEightError = (integrator: Scheme, steps: number) =>
  farthest(endOf(figureEight(integrator, steps)).x.subarray(0, 3), figureEightBody);

const orders = { leapfrog: 2, pefrl: 4, yoshida6: 6 } as const;
for (const integrator of symplectic) {
  t.test(`${integrator} has order ${orders[integrator]} on the figure-eight`, async (t) => {
    const [coarse, fine] = [figureEightError(integrator, 100), figureEightError(integrator, 200)];
    const observed = Math.log2(coarse / fine);
    evidenceOf('multibody').orders.push({ title: integrator, observed, theory: orders[integrator] });
    t.ok(Math.abs(observed - orders[integrator]) < 0.1, `observed ${observed.toFixed(3)}`);
  });
}

t.test('radau15 holds the figure-eight to the digits of its reference', async (t) => {
  t.ok(figureEightError('radau15', 50) < 1e-13);
});

// The digits of solvers that use the same schemes: figure-eight, 50 steps to t = 2.5, all coordinates.
const published = { leapfrog: 1.07e-2, pefrl: 5.6e-6, yoshida6: 9.8e-7 } as const;
for (const integrator of symplectic) {
  t.test(`${integrator} errs by what is published for 50 steps of the figure-eight`, async (t) => {
    const exact = endOf(figureEight('radau15', 50)).x; // held against its reference above
    const error = farthest(endOf(figureEight(integrator, 50)).x, exact);
    t.ok(Math.abs(error / published[integrator] - 1) < 0.05, `error ${error}`);
  });
}

for (const integrator of symplectic) {
  t.test(`${integrator} run back in time returns to its start`, async (t) => {
    const there = figureEight(integrator, 100);
    const { x, v } = endOf(there);
    const back = endOf({ ...there, position: triples(x), velocity: triples(v, -1) });
    t.ok(farthest(back.x, there.position!.flat()) < 1e-12);
    t.ok(farthest(back.v, triples(Float64Array.from(there.velocity!.flat()), -1).flat()) < 1e-12);
  });
}

for (const integrator of schemes) {
  const start = cluster(9, integrator);
  const { x, v } = endOf(start);

  t.test(`${integrator} does not care in what order bodies are named`, async (t) => {
    const order = [4, 8, 0, 2, 7, 1, 3, 6, 5];
    const pick = <T>(list: readonly T[]) => order.map((i) => list[i]!);
    const named = {
      position: pick(start.position!),
      velocity: pick(start.velocity!),
      mass: pick(start.mass!),
    };
    const end = endOf({ ...start, ...named });
    t.ok(farthest(end.x, pick(triples(x)).flat()) < 1e-12);
    t.ok(farthest(end.v, pick(triples(v)).flat()) < 1e-12);
  });

  t.test(`${integrator} turns with its start`, async (t) => {
    const [c, s] = [0.6, 0.8];
    const turn = (p: readonly number[]) => [c * p[0]! - s * p[1]!, s * p[0]! + c * p[1]!, p[2]!];
    const end = endOf({ ...start, position: start.position!.map(turn), velocity: start.velocity!.map(turn) });
    t.ok(farthest(end.x, triples(x).flatMap(turn)) < 1e-12);
  });

  t.test(`${integrator} gives the same motion to an observer who moves along`, async (t) => {
    const boost = [0.7, -0.3, 0.2];
    const end = endOf({ ...start, velocity: start.velocity!.map((u) => u.map((w, k) => w + boost[k]!)) });
    const moved = triples(x).flatMap((p) => p.map((q, k) => q + boost[k]! * start.t_max));
    t.ok(farthest(end.x, moved) < 1e-12);
  });
}

t.test(
  'angular momentum is kept to rounding where forces are central, and what a tree loses is told',
  async (t) => {
    const momentum = (x: ArrayLike<number>, v: ArrayLike<number>, mass: readonly number[]) => {
      const sum = [0, 0, 0];
      let size = 0;
      for (const [i, m] of mass.entries()) {
        const [r, u] = [x, v].map((all) => [all[3 * i]!, all[3 * i + 1]!, all[3 * i + 2]!]) as [
          number[],
          number[],
        ];
        for (const k of [0, 1, 2])
          sum[k]! += m * (r[(k + 1) % 3]! * u[(k + 2) % 3]! - r[(k + 2) % 3]! * u[(k + 1) % 3]!);
        size += m * Math.hypot(...r) * Math.hypot(...u);
      }
      return { sum, size };
    };
    for (const way of [
      { integrator: 'pefrl' },
      { integrator: 'radau15' },
      { force: 'tree', theta: 0.5 },
    ] as const) {
      const input: MultibodyInput = { ...cluster('force' in way ? 300 : 40, 'pefrl', 12), ...way };
      const before = momentum(input.position!.flat(), input.velocity!.flat(), input.mass!);
      const { x, v } = endOf(input);
      const after = momentum(x, v, input.mass!);
      const lost =
        Math.hypot(...after.sum.map((each, k) => each - before.sum[k]!)) / Math.max(before.size, after.size);
      const isTree = 'force' in way;
      t.ok(isTree ? lost > 1e-9 && lost < 1e-3 : lost < 1e-14, `${JSON.stringify(way)}: ${lost}`);
      const { presentation } = await runJob(multibody, input);
      const told = presentation.outputs.angularMomentumDrift as number;
      t.ok(isTree ? told >= 0.9 * lost : told < 1e-14, `told: ${told}`);
    }
  },
);

const shapes: [string, MultibodyInput][] = [
  ...schemes.flatMap((integrator): [string, MultibodyInput][] => [
    [`${integrator}, 5 bodies`, cluster(5, integrator)],
    [`${integrator}, 131 bodies`, cluster(131, integrator, 6)],
  ]),
  ['leapfrog by tree, 131 bodies', { ...cluster(131, 'leapfrog', 6), force: 'tree', theta: 0.6 }],
  ['pefrl by tree, 131 bodies', { ...cluster(131, 'pefrl', 6), force: 'tree', theta: 0.6 }],
];

for (const [title, input] of shapes) {
  t.test(`${title}: resumed from any segment it ends with the same bytes`, async (t) => {
    const plan = firstRun(input);
    const checkpoints: Checkpoint[] = [];
    const whole = drive(plan, { atSegmentEnd: (run) => checkpoints.push(run.checkpoint(0)) }, 2);
    t.ok(checkpoints.length > 3);
    for (const resumeFrom of checkpoints.slice(0, -1))
      t.same(seal(drive(plan, { resumeFrom }, 2)), seal(whole));
  });

  t.test(`${title}: the length of slices changes nothing`, async (t) => {
    const plan = firstRun(input);
    const whole = drive(plan, {}, 3);
    for (const budget of [1, 37, 1000, 23_456, 10_000_000])
      t.same(seal(drive(plan, { budget }, 3)), seal(whole), `budget ${budget}`);
  });

  t.test(`${title}: the plan says what the kernel spends and needs`, async (t) => {
    const plan = firstRun(input);
    const run = drive(plan);
    if (plan.steps === undefined) t.ok(Number(run.work) <= plan.work);
    else t.same([run.steps, Number(run.work)], [plan.steps, plan.work]);
    const fresh = instantiateKernel(kernelModule(plan.kernel));
    const { bytes } = plan.parts[0] as { bytes: Uint8Array };
    driveRun(fresh, { kernel: run.kernel, parameters: bytes, stepsPerSegment: 2, memory: 2 ** 31, work: 0 });
    t.ok(fresh.memory.buffer.byteLength <= plan.memory + 65536, `${fresh.memory.buffer.byteLength} bytes`);
  });
}

t.test('an instance that was left in the middle of anything starts anew', async (t) => {
  const plan = firstRun(cluster(131, 'pefrl', 3));
  const whole = drive(plan);
  for (const calls of [1, 2, 5, 11, 23]) {
    let left = calls;
    const stop = new Error('left here');
    const between = () => {
      if (--left === 0) throw stop;
    };
    t.throws(() => drive(plan, { budget: 1, between }), stop);
    t.same(seal(drive(plan)), seal(whole));
  }
});

t.test('a tree that opens every node is the direct sum', async (t) => {
  const input = cluster(300, 'leapfrog', 2);
  const direct = endOf(input);
  const tree = endOf({ ...input, force: 'tree', theta: 0 });
  t.ok(farthest(tree.v, direct.v) < 1e-13);
});

t.test('the error of a tree falls with its angle', async (t) => {
  const input = { ...cluster(1000, 'leapfrog', 1), velocity: cloud(1000).position!.map(() => [0, 0, 0]) };
  const direct = endOf(input).v;
  const size = Math.hypot(...direct);
  const errors = [0.9, 0.6, 0.3].map((theta) => {
    const { v } = endOf({ ...input, force: 'tree', theta });
    return Math.hypot(...v.map((u, i) => u - direct[i]!)) / size;
  });
  t.ok(errors[0]! > 2 * errors[1]! && errors[1]! > 2 * errors[2]!, errors.join(' '));
  t.ok(errors[2]! < 3e-4);
});

t.test('every order of the same bodies in a tree gives forces equal to rounding', async (t) => {
  const input: MultibodyInput = { ...cluster(200, 'leapfrog', 1), force: 'tree', theta: 0.5 };
  const { v } = endOf(input);
  const back = <T>(list: readonly T[]) => list.toReversed();
  const turned = {
    position: back(input.position!),
    velocity: back(input.velocity!),
    mass: back(input.mass!),
  };
  t.ok(farthest(endOf({ ...input, ...turned }).v, back(triples(v)).flat()) < 1e-15);
});

t.test('a run that leaves the finite numbers ends with NON_FINITE and no result', async (t) => {
  const input = {
    ...figureEight('leapfrog', 4),
    velocity: [
      [1e200, 0, 0],
      [0, 0, 0],
      [0, 0, 0],
    ],
    t_max: 1e200,
    dt: 1e199,
  };
  const run = drive(firstRun(input));
  t.equal(run.status, 16);
  t.equal(run.result.length, 0);
});
