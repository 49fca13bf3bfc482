import fc from 'fast-check';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { type MultibodyInput, schemes } from '../../src/solvers/multibody/problem.ts';
import { multibody } from '../../src/solvers/multibody.ts';
import { testRefusals } from './refusals.ts';
import { runJob } from './run-job.ts';
import { memoryOf, testSolver } from './solver-test.ts';

const context = { requestHash: new Uint8Array(32) };
const still = (bodies: number) => Array.from({ length: bodies }, () => [0, 0, 0]);
const example = (title: string) =>
  multibody.examples.find((one) => one.title.includes(title))!.body as unknown as MultibodyInput;
const figureEight = example('figure-eight');
const pythagorean = example('Pythagorean');
const kepler = example('Kepler');

async function refusalOf(input: MultibodyInput): Promise<Refusal> {
  try {
    await runJob(multibody, input);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

// As solve's examples have them: without bodies the way is solve's.
testSolver(multibody, {
  references: [
    {
      title: 'an undamped Duffing oscillator',
      body: { inputs: { m: 1, k: 1, beta: 1, x0: 1, v0: 0 }, dt: 0.01, t_max: 5 },
      expect: 0.947129542080219,
      tolerance: 1e-6,
      source: 'A cn(ωt|n), Abramowitz & Stegun 16, 25 digits',
    },
    {
      title: 'a forced damped one',
      body: {
        inputs: { m: 1, c: 0.2, k: 1, beta: 1, F: 0.3, Omega: 1.2, x0: 1, v0: 0 },
        dt: 0.01,
        t_max: 5,
      },
      expect: 0.51237277088831,
      tolerance: 1e-6,
      source: 'Taylor integration with 22 digits',
    },
  ],
});

// GM = 1, pericentre 0.5, from there to t = 1: Kepler's equation (Barker's for e = 1) with 30 digits in mpmath.
const conics = [
  { e: 0.5, r: [-0.427967245561114, 0.863775701045104] },
  { e: 1, r: [-0.329355762979384, 1.28790975070413] },
  { e: 2, r: [-0.196273979964403, 1.88234277043784] },
];
for (const { e, r } of conics) {
  t.test(`two bodies of unequal masses move on the conic of eccentricity ${e}`, async (t) => {
    const [m1, m2, q] = [0.3, 0.7, 0.5];
    const speed = Math.sqrt((1 + e) / q);
    const { presentation, verdict } = await runJob(multibody, {
      ...kepler,
      mass: [m1, m2],
      position: [
        [-m2 * q, 0, 0],
        [m1 * q, 0, 0],
      ],
      velocity: [
        [0, -m2 * speed, 0],
        [0, m1 * speed, 0],
      ],
    });
    const [a, b] = (presentation.outputs.finalState as { position: number[][] }).position;
    for (const k of [0, 1]) t.ok(Math.abs(b![k]! - a![k]! - r[k]!) < 1e-7);
    t.same(
      verdict.gates.map((gate) => gate.kind),
      ['invariant', 'exact', 'exact', 'certificate', 'exact'],
    );
    const distance = Math.hypot(r[0]!, r[1]!);
    t.ok(Math.abs(verdict.gates[1]!.reference - distance) < 1e-13, 'the reference itself');
  });
}

t.test('the exact orbit holds after a hundred turns', async (t) => {
  const { verdict } = await runJob(multibody, { ...kepler, integrator: 'yoshida6', t_max: 200 * Math.PI });
  t.ok(verdict.gates[1]!.relError < 1e-6);
  t.ok(Math.abs(verdict.gates[1]!.reference - 0.5) < 1e-12, 'back at pericentre');
});

t.test('two softened bodies have no closed form and are held against half the step', async (t) => {
  const { verdict } = await runJob(multibody, { ...kepler, softening: 0.1 });
  t.same(
    verdict.gates.map((gate) => gate.name),
    [
      'energy drift',
      'energy, half step',
      'final state, half step',
      'energy, summed anew',
      'two-body twin',
      'energy at the end',
    ],
  );
});

t.test('one body alone goes straight on', async (t) => {
  const alone = {
    position: [[1e3, -2, 0.5]],
    velocity: [[3, 0.25, -7]],
    mass: [2],
    referenceMode: 'gravity' as const,
    dt: 0.01,
    t_max: 40,
  };
  const ways = [
    ...schemes.map((integrator) => ({ integrator })),
    { force: 'tree' as const },
    { softening: 0.1 },
  ];
  for (const way of ways) {
    const { verdict, presentation } = await runJob(multibody, { ...alone, ...way });
    const { finalState, momentumDrift } = presentation.outputs as {
      finalState: { position: number[][]; velocity: number[][] };
      momentumDrift: number;
    };
    t.ok(Math.abs(verdict.value - (9 + 0.0625 + 49)) < 1e-12, `E = ½mv² by ${JSON.stringify(way)}`);
    t.strictSame(finalState.velocity, alone.velocity);
    t.ok([1120, 8, -279.5].every((x, i) => Math.abs(finalState.position[0]![i]! - x) < 1e-9));
    t.equal(momentumDrift, 0);
    t.ok(verdict.gates.some(({ name, relError }) => name === 'free motion' && relError < 1e-12));
  }
  const still = await runJob(multibody, { ...alone, velocity: [[0, 0, 0]] });
  t.equal(still.verdict.value, 0);
  t.strictSame((still.presentation.outputs.finalState as { position: number[][] }).position, alone.position);
});

t.test('the Pythagorean problem keeps its energy up to the escape', async (t) => {
  const { verdict, presentation } = await runJob(multibody, { ...pythagorean, t_max: 70 });
  t.ok(Math.abs(verdict.value + 12.8166666666667) < 1e-9);
  const { position } = (presentation.outputs.finalState ?? {}) as { position?: number[][] };
  // Szebehely & Peters: the body of mass 3 escapes, 4 and 5 stay together.
  if (position) t.ok(Math.hypot(...position[0]!.map((x, k) => x - position[1]![k]!)) > 10);
});

t.test('positions that half the step does not confirm are not sealed, the energy is', async (t) => {
  const { presentation, verdict } = await runJob(multibody, {
    ...figureEight,
    integrator: 'leapfrog',
    dt: 0.03,
    t_max: 5,
  });
  t.equal(presentation.outputs.finalStateSealed, false);
  t.equal(presentation.outputs.finalState, undefined);
  t.ok((presentation.outputs.unsealedFields as { finalState: object }).finalState);
  t.same(
    presentation.fields.filter((field) => field.sealed).map((field) => field.name),
    ['time', 'energyDrift'],
  );
  t.same(
    verdict.gates.map((gate) => gate.name),
    ['energy drift', 'energy, half step', 'energy, summed anew', 'two-body twin', 'energy at the end'],
  );
});

t.test(
  'of half the step’s difference a third more counts with leapfrog, which it leaves a quarter of its error',
  async (t) => {
    // The largest error of a velocity at t = 2.5 over the largest speed, by DOP853 at a tolerance of 1e-13: 1.18e-3 with
    // 160 steps, of which half the step shows 8.84e-4; 9.32e-4 with 180.
    const run = async (steps: number) =>
      (await runJob(multibody, { ...figureEight, integrator: 'leapfrog', dt: 2.5 / steps, t_max: 2.5 }))
        .presentation.outputs;
    const coarse = await run(160);
    t.equal(coarse.finalStateSealed, false);
    t.ok(Math.abs((coarse.velocityError as number) / 1.18e-3 - 1) < 0.01);
    const fine = await run(180);
    t.equal(fine.finalStateSealed, true);
    t.ok(Math.abs((fine.velocityError as number) / 9.32e-4 - 1) < 0.01);
  },
);

t.test('without positions, a motion that escapes is told a t_max before that', async (t) => {
  // It is at infinity soon after 2.0858 s (SciPy 1.17.1, DOP853 with rtol 1e-12); long steps make it not a number.
  for (const dt of [0.01, 0.5]) {
    const inputs = { m: 1, k: 1, beta: -1, x0: 1.2, v0: 0 };
    const { code, details } = await refusalOf({ inputs, dt, t_max: 20 } as MultibodyInput);
    t.equal(code, 'DID_NOT_CONVERGE');
    t.match(details, { field: 't_max', t_max: 20, reason: 'the motion escapes' });
    t.match((details.accepts as string[])[0], dt === 0.01 ? /^t_max of about (1\.[89]|2\.0)\d* s$/ : /./);
  }
});

t.test('an energy that is small beside K and U is held by itself', async (t) => {
  // Two bodies, E₀ = ¼v² − 1 with the relative speed v: −5.00e-7, of which leapfrog loses more than a thousandth.
  const near = {
    ...kepler,
    mass: [1, 1],
    position: [
      [0, 0, 0],
      [1, 0, 0],
    ],
    velocity: [
      [0, -0.99999975, 0],
      [0, 0.99999975, 0],
    ],
    t_max: 1,
  };
  const { code, details } = await refusalOf({ ...near, integrator: 'leapfrog', dt: 0.01 });
  t.equal(code, 'OUTSIDE_TOLERANCE');
  t.match(details, { gate: 'energy at the end', field: 'dt', accepts: /smaller dt, or integrator radau15/ });
  const { verdict } = await runJob(multibody, { ...near, integrator: 'radau15', dt: 0.01 });
  t.ok(Math.abs(verdict.value / (1.9999995 ** 2 / 4 - 1) - 1) < 1e-6);
});

t.test('a drift above 0.1 % is ENERGY_NOT_CONSERVED and says how much (SOLV-10, SOLV-25)', async (t) => {
  const { code, details } = await refusalOf({ ...pythagorean, integrator: 'leapfrog', dt: 0.01 });
  t.equal(code, 'ENERGY_NOT_CONSERVED');
  t.match(details, { boundPct: 0.1, dt: 0.01, t_max: 10 });
  t.ok((details.driftPct as number) > 0.1);
  t.match(details, { field: 'dt', accepts: /^dt = [\d.e-]+ or less, or integrator radau15$/ });
});

t.test('what is shown of a run has the shape that it states', async (t) => {
  const { presentation, finished } = await runJob(multibody, figureEight);
  for (const { name, shape, source } of presentation.fields) {
    t.equal(source.length, 8 * shape.reduce((a, b) => a * b, 1), name);
    const run = finished[source.run]!;
    const whole =
      source.of === 'result' ? run.result.length : run.rows.reduce((sum, rows) => sum + rows.length, 0);
    t.ok(source.from + source.length <= whole, name);
  }
  const column = (name: string) => {
    const { source } = presentation.fields.find((field) => field.name === name)!;
    return new Float64Array(
      finished[source.run]!.result.slice(source.from, source.from + source.length).buffer,
    );
  };
  t.equal(column('time')[0], 0);
  t.equal(column('time').at(-1), 2.5);
  t.same([...column('x').subarray(0, 3)], [0.97000436, -0.97000436, 0]);
  t.same(
    [...column('x').subarray(-3)],
    [0, 3, 6].map((i) => column('position')[i]),
  );
});

t.test('the figure eight closes after its period, 6.32591398 (Simó)', async (t) => {
  const { presentation, verdict } = await runJob(multibody, { ...figureEight, t_max: 6.32591398 });
  t.ok(presentation.outputs.finalStateSealed);
  const { position } = presentation.outputs.finalState as { position: number[][] };
  const start = figureEight.position!.flat();
  // Simó's eight digits, and what they become in a period.
  for (const [i, x] of position.flat().entries()) t.ok(Math.abs(x - start[i]!) < 1e-7, `${x}`);
  t.ok(verdict.precisionActual < 1e-6);
});

t.test('bodies 4 and 5 of the Pythagorean problem pass each other at 4.138e-4, t = 15.8299', async (t) => {
  const { presentation } = await runJob(multibody, { ...pythagorean, t_max: 15.8299 });
  t.ok(presentation.outputs.finalStateSealed);
  const { position, velocity } = presentation.outputs.finalState as {
    position: number[][];
    velocity: number[][];
  };
  // Szebehely & Peters 1967. So near each other they are on a conic: its pericentre and when they are there.
  const between = (at: number[][]) => at[2]!.map((x, axis) => x - at[1]![axis]!);
  const [r, v] = [between(position), between(velocity)];
  const momentum = r[0]! * v[1]! - r[1]! * v[0]!;
  const mu = 4 + 5;
  const distance = Math.hypot(...r);
  const energy = Math.hypot(...v) ** 2 / 2 - mu / distance;
  const e = Math.sqrt(1 + (2 * energy * momentum ** 2) / mu ** 2);
  const pericentre = momentum ** 2 / (mu * (1 + e));
  t.ok(Math.abs(pericentre - 4.138e-4) < 5e-8, `${pericentre}`);
  t.ok(distance < 0.003, 'and they are there within 5e-5');
});

t.test('a run goes on from the final state of another', async (t) => {
  const half = { ...figureEight, t_max: 1.25 };
  const { presentation } = await runJob(multibody, half);
  const { position: _, velocity: __, ...rest } = half;
  const initialState = { ...(presentation.outputs.finalState as object), t0: 1.25 };
  const second = await runJob(multibody, { ...rest, initialState });
  const { position } = second.presentation.outputs.finalState as { position: number[][] };
  t.ok(Math.abs(position[0]![0]! + 0.390668942826549) < 1e-8);
});

t.test('a tree is gated by the direct sum of a sample', async (t) => {
  const position = Array.from({ length: 400 }, (_, i) => [
    Math.sin(i),
    Math.sin(2.1 * i + 1),
    Math.sin(3.3 * i + 2),
  ]);
  const input: MultibodyInput = {
    ...figureEight,
    position,
    velocity: still(400),
    mass: position.map(() => 1 / 400),
    softening: 0.05,
    force: 'tree',
    dt: 0.01,
    t_max: 0.1,
  };
  const { verdict } = await runJob(multibody, { ...input, theta: 0.3 });
  const gate = verdict.gates.find(({ name }) => name === 'tree force')!;
  t.ok(gate.relError > 0 && gate.relError < 1e-3);
  const { code, details } = await refusalOf({ ...input, theta: 1 });
  t.equal(code, 'OUTSIDE_TOLERANCE');
  t.equal(details.gate, 'tree force');
});

/** N bodies about as fast as they would circle, in a thin disk. */
function disk(N: number): Pick<Required<MultibodyInput>, 'position' | 'velocity' | 'mass'> {
  const weyl = (i: number, step: number) => ((i + 1) * step) % 1;
  const each = Array.from({ length: N }, (_, i) => {
    const r = Math.sqrt(0.05 + 3.95 * weyl(i, 0.6180339887498949));
    const angle = 2 * Math.PI * weyl(i, 0.7548776662466927);
    const height = 0.1 * (weyl(i, 0.5698402909980532) - 0.5);
    return { r, angle, height };
  });
  return {
    position: each.map(({ r, angle, height }) => [r * Math.cos(angle), r * Math.sin(angle), height]),
    velocity: each.map(({ angle }) => [-0.6 * Math.sin(angle), 0.6 * Math.cos(angle), 0]),
    mass: each.map(() => 1 / N),
  };
}

/** x, then v of all after t_max, by Runge–Kutta 4 and all pairs. */
function byRungeKutta(
  { position, velocity, mass, softening, t_max }: MultibodyInput,
  steps: number,
): number[] {
  const N = mass!.length;
  const rates = (y: readonly number[]) => {
    const d = [...y.slice(3 * N), ...new Array<number>(3 * N).fill(0)];
    for (let i = 0; i < N; i++)
      for (let j = 0; j < i; j++) {
        const apart = [0, 1, 2].map((k) => y[3 * j + k]! - y[3 * i + k]!);
        const r2 = apart.reduce((sum, x) => sum + x * x, softening! ** 2);
        apart.forEach((x, k) => {
          d[3 * (N + i) + k]! += (mass![j]! * x) / r2 ** 1.5;
          d[3 * (N + j) + k]! -= (mass![i]! * x) / r2 ** 1.5;
        });
      }
    return d;
  };
  const h = t_max / steps;
  let y = [...position!.flat(), ...velocity!.flat()];
  for (let step = 0; step < steps; step++) {
    const along = (k: readonly number[], by: number) => y.map((x, i) => x + by * k[i]!);
    const a = rates(y);
    const b = rates(along(a, h / 2));
    const c = rates(along(b, h / 2));
    const d = rates(along(c, h));
    y = y.map((x, i) => x + (h / 6) * (a[i]! + 2 * b[i]! + 2 * c[i]! + d[i]!));
  }
  return y;
}

t.test('by tree a final state is sealed only where it is right, its velocities too', async (t) => {
  const input: MultibodyInput = {
    ...{ ...disk(110), referenceMode: 'gravity', G: 1, softening: 0.05, integrator: 'pefrl' },
    ...{ dt: 0.02, t_max: 2.4, force: 'tree' },
  };
  const exact = byRungeKutta(input, 240);
  /** Largest distance of two lists of vectors, over the largest of the second about their mean (all masses are equal). */
  const error = (found: number[][], of: readonly number[]) => {
    const mean = [0, 1, 2].map((k) => found.reduce((sum, _, i) => sum + of[3 * i + k]!, 0) / found.length);
    const most = (from: (i: number) => readonly number[]) =>
      Math.max(...found.map((_, i) => Math.hypot(...from(i).map((x, k) => x - of[3 * i + k]!))));
    return most((i) => found[i]!) / most(() => mean);
  };
  const sealed: boolean[] = [];
  for (const theta of [0.7, 0.5, 0.3, 0.2]) {
    const { outputs } = (await runJob(multibody, { ...input, theta })).presentation;
    const isSealed = outputs.finalStateSealed as boolean;
    const { finalState } = (isSealed ? outputs : outputs.unsealedFields) as {
      finalState: { position: number[][]; velocity: number[][] };
    };
    const [x, v] = [error(finalState.position, exact), error(finalState.velocity, exact.slice(330))];
    t.ok(!isSealed || Math.max(x, v) <= 1e-3, `theta ${theta}: ${x}, ${v}`);
    sealed.push(isSealed);
  }
  t.same([sealed[0], sealed[3]], [false, true]);
});

t.test('by tree an energy that is little beside K and U is held by itself, against all pairs', async (t) => {
  const position = Array.from({ length: 400 }, (_, i) => [
    Math.sin(i),
    Math.sin(2.1 * i + 1),
    0.2 * Math.sin(3.3 * i + 2),
  ]);
  const mass = position.map(() => 1 / 400);
  const distance = (a: number[], b: number[]) => Math.hypot(...a.map((x, axis) => x - b[axis]!), 0.01);
  const potential = position.reduce(
    (sum, a, i) => sum - position.slice(0, i).reduce((of, b) => of + 1 / 400 ** 2 / distance(a, b), 0),
    0,
  );
  /** All at one speed, so that K = 0.97 |U|. */
  const speed = Math.sqrt(-1.94 * potential);
  const velocity = position.map((_, i) => [speed * Math.cos(i), speed * Math.sin(i), 0]);
  const input: MultibodyInput = {
    ...{ ...figureEight, position, velocity, mass, softening: 0.01, force: 'tree' },
    ...{ dt: 1e-4, t_max: 2e-4 },
  };
  const { code, details } = await refusalOf({ ...input, theta: 0.7 });
  t.same(
    [code, details.gate, details.field, details.accepts],
    ['OUTSIDE_TOLERANCE', 'energy, summed anew', 'theta', 'a smaller theta, or force direct'],
  );
  const { verdict } = await runJob(multibody, { ...input, theta: 0.2 });
  t.ok(Math.abs(verdict.value / (0.03 * potential) - 1) < 1e-3);
});

t.test('the quote is the work that is spent', async (t) => {
  for (const input of [figureEight, kepler]) {
    const { work, exact } = multibody.quote(input, context);
    const { finished } = await runJob(multibody, input);
    t.same([work, exact], [finished.reduce((sum, run) => sum + Number(run.work), 0), true]);
  }
});

t.test('steps that choose themselves are quoted at one to ten times what they take', async (t) => {
  const body = fc.record({
    x: fc.tuple(...Array(3).fill(fc.integer({ min: -1000, max: 1000 }).map((x) => x / 1000))),
  });
  const bodies = fc.array(body, { minLength: 3, maxLength: 12 });
  const cold = fc.sample(bodies, { numRuns: 6, seed: 4 }).map((each) => ({
    ...pythagorean,
    ...{ t_max: 2, dt: 0.02, position: each.map(({ x }) => x), velocity: still(each.length) },
    mass: each.map(() => 1 / each.length),
  }));
  for (const input of [pythagorean, ...cold] as MultibodyInput[]) {
    const { work, exact } = multibody.quote(input, context);
    const { finished } = await runJob(multibody, input);
    const ratio = work / finished.reduce((sum, run) => sum + Number(run.work), 0);
    t.ok(!exact && ratio >= 1 && ratio <= 10, `${input.mass!.length} bodies: ${ratio}`);
  }
});

const grid = (bodies: number) => Array.from({ length: bodies }, (_, i) => [i, 0, 0]);
const many = (bodies: number): MultibodyInput => ({
  ...figureEight,
  position: grid(bodies),
  velocity: still(bodies),
  mass: Array.from({ length: bodies }, () => 1),
});

const refused: readonly (readonly [title: string, body: object, code: string, field: string])[] = [
  ['no body', many(0), 'INVALID_INPUT', 'position'],
  ['a negative mass', { ...figureEight, mass: [1, -1, 1] }, 'INVALID_INPUT', 'mass[1]'],
  ['no mass at all', { ...figureEight, mass: [0, 0, 0] }, 'INVALID_INPUT', 'mass'],
  [
    'two bodies at one place',
    {
      ...figureEight,
      position: [
        [0, 0, 0],
        [1, 0, 0],
        [-0, 0, 0],
      ],
    },
    'INVALID_INPUT',
    'position[2]',
  ],
  ['a missing velocity', { ...figureEight, velocity: still(2) }, 'INVALID_INPUT', 'velocity'],
  ['a missing mass', { ...figureEight, mass: [1, 1] }, 'INVALID_INPUT', 'mass'],
  ['no start', { ...figureEight, position: undefined }, 'MISSING_INPUT', 'position'],
  ['no velocities', { ...figureEight, velocity: undefined }, 'MISSING_INPUT', 'velocity'],
  ['no masses', { ...figureEight, mass: undefined }, 'MISSING_INPUT', 'mass'],
  ['no law of force', { ...figureEight, referenceMode: undefined }, 'MISSING_INPUT', 'referenceMode'],
  [
    'two starts',
    { ...figureEight, initialState: { position: grid(3), velocity: still(3) } },
    'INVALID_INPUT',
    'initialState',
  ],
  [
    'bodies and a master equation',
    { ...figureEight, inputs: { c: 1, k: 1, y0: 1 } },
    'INVALID_INPUT',
    'position',
  ],
  ['an opening angle without a tree', { ...figureEight, theta: 0.5 }, 'INVALID_INPUT', 'theta'],
  [
    'radau15 with a tree',
    { ...figureEight, integrator: 'radau15', force: 'tree' },
    'UNSUPPORTED',
    'integrator',
  ],
  ['10^12 steps', { ...figureEight, dt: 2.5e-12 }, 'LIMIT_EXCEEDED', 't_max'],
  ['10^9 steps of a tree', { ...many(2000), force: 'tree', dt: 2.5e-9 }, 'LIMIT_EXCEEDED', 't_max'],
  [
    'a tree that opens everything for long',
    { ...many(2000), force: 'tree', theta: 0, dt: 2.5e-6 },
    'LIMIT_EXCEEDED',
    't_max',
  ],
  ['no step', { ...figureEight, dt: undefined }, 'MISSING_INPUT', 'dt'],
  ['no end', { ...figureEight, t_max: undefined }, 'MISSING_INPUT', 't_max'],
  ['a step of zero', { ...figureEight, dt: 0 }, 'INVALID_INPUT', 'dt'],
  ['an end before the start', { ...figureEight, t_max: -1 }, 'INVALID_INPUT', 't_max'],
  ['a step that is no number', { ...figureEight, dt: 'small' }, 'INVALID_INPUT', 'dt'],
  ['a step that is not finite', { ...figureEight, dt: null }, 'INVALID_INPUT', 'dt'],
  ['a step in metres', { ...figureEight, dt: { value: 1, unit: 'm' } }, 'INVALID_INPUT', 'dt.unit'],
  ['a body in the plane', { ...figureEight, position: [[0, 0]] }, 'INVALID_INPUT', 'position[0]'],
  [
    'a place that is no number',
    { ...figureEight, position: [[0, 0, 'x']] },
    'INVALID_INPUT',
    'position[0][2]',
  ],
  ['masses that are no list', { ...figureEight, mass: 1 }, 'INVALID_INPUT', 'mass'],
  ['another law of force', { ...figureEight, referenceMode: 'coulomb' }, 'INVALID_INPUT', 'referenceMode'],
  ['another scheme', { ...figureEight, integrator: 'euler' }, 'INVALID_INPUT', 'integrator'],
  ['another sum', { ...figureEight, force: 'fmm' }, 'INVALID_INPUT', 'force'],
  ['a constant of zero', { ...figureEight, G: 0 }, 'INVALID_INPUT', 'G'],
  ['a negative softening', { ...figureEight, softening: -1 }, 'INVALID_INPUT', 'softening'],
  ['an opening angle above 1', { ...figureEight, force: 'tree', theta: 2 }, 'INVALID_INPUT', 'theta'],
  ['an unknown field', { ...figureEight, gravity: 1 }, 'INVALID_INPUT', 'gravity'],
  [
    'half an initialState',
    { ...figureEight, position: undefined, velocity: undefined, initialState: { position: grid(3) } },
    'MISSING_INPUT',
    'initialState.velocity',
  ],
];

testRefusals('multibody', [
  ...refused.map(([title, body, code, field]) => ({ title, body, code, field })),
  {
    title: 'a drift of the energy above 0.1 %',
    body: { ...pythagorean, integrator: 'leapfrog', dt: 0.01 },
    code: 'ENERGY_NOT_CONSERVED',
  },
  {
    title: 'positions that overflow',
    body: {
      ...figureEight,
      velocity: [
        [1e308, 0, 0],
        [-1e308, 0, 0],
        [0, 0, 0],
      ],
    },
    code: 'NON_FINITE',
  },
]);

t.test('65,537 bodies, which come as blobs, are LIMIT_EXCEEDED', async (t) => {
  const { code, details } = await refusalOf(many(65537));
  t.equal(code, 'LIMIT_EXCEEDED');
  t.match(details, { field: 'position', measured: 65537, bound: 65536 });
});

t.test('what was left open is listed as assumed', async (t) => {
  const { G: _, integrator: __, ...open } = figureEight;
  t.same(
    multibody.assumed(open).map(({ name, value }) => [name, value]),
    [
      ['G', 6.6743e-11],
      ['softening', 0],
      ['integrator', 'pefrl'],
      ['force', 'direct'],
    ],
  );
  t.same(multibody.assumed({ ...figureEight, softening: 0, force: 'tree', theta: 0.5 }), []);
});

t.test(
  'a run takes the memory of its state, its request and its scratch, in which its result stands',
  (t) => {
    const cases: [body: MultibodyInput, most: number][] = [
      [{ ...many(5000), force: 'tree', theta: 0.6, dt: 0.01, t_max: 0.01 }, 3.8],
      [{ ...many(3000), dt: 0.01, t_max: 0.01 }, 4.1],
      [{ ...many(333), dt: 0.01, t_max: 0.01, force: 'tree' }, 13],
      [{ ...many(65), dt: 0.01, t_max: 0.01, integrator: 'radau15' }, 40],
    ];
    for (const [body, most] of cases) {
      const run = multibody.plan(body, context).runs[0]!;
      const { taken, state } = memoryOf(run);
      t.ok(taken <= run.memory, `${taken} of ${run.memory}`);
      t.ok(run.memory <= most * state, `${run.memory / state}`);
    }
    t.end();
  },
);
