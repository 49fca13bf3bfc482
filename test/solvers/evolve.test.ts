import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import type { EvolveInput } from '../../src/solvers/evolve/problem.ts';
import { evolve } from '../../src/solvers/evolve.ts';
import { goOn, startJob } from './continue-job.ts';
import type { Refused } from './refusals.ts';
import {
  fieldOf,
  inputOf,
  memoryOf,
  outputOf,
  refusalOf,
  solved as solvedBy,
  type Twin,
  testSolver,
} from './solver-test.ts';

t.setTimeout(240_000);

const solved = (body: object) => solvedBy(evolve, body);
type Points = number[][];
const resting = (atoms: number): Points => Array.from({ length: atoms }, () => [0, 0, 0]);
const open = (position: Points, velocity: Points, dt: number, t_max: number) => ({
  ...{ units: 'lj', box: 'open', dt, t_max },
  initialState: { position, velocity },
});
const dimer = (dt: number, t_max: number, r = 1.2) =>
  open(
    [
      [0, 0, 0],
      [r, 0, 0],
    ],
    resting(2),
    dt,
    t_max,
  );
const fluid = {
  ...{ units: 'lj', r_c: 2.5, truncation: 'shifted-force', dt: 0.004, t_max: 0.2, seed: 42 },
  initialState: { cells: 4, density: 0.8442, temperature: 0.728 },
};
/** Atoms that soon are where others were. */
const hot = {
  ...fluid,
  r_c: 1.8,
  dt: 0.001,
  t_max: 0.4,
  initialState: { cells: 3, density: 0.7, temperature: 4 },
};
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Centre and corners of an icosahedron of radius R. */
function icosahedron(R: number): Points {
  const golden = (1 + Math.sqrt(5)) / 2;
  const size = R / Math.sqrt(1 + golden * golden);
  const corners = [1, -1].flatMap((a) =>
    [golden, -golden].flatMap((b) => [
      [0, a * size, b * size],
      [a * size, b * size, 0],
      [b * size, 0, a * size],
    ]),
  );
  return [[0, 0, 0], ...corners];
}

/** Atoms of a configuration of NIST (test/fixtures/evolve/nist-lj-*.xyz), at rest, for one short step. */
const configuration = (number: 1 | 4): Points =>
  readFileSync(new URL(`../../../test/fixtures/evolve/nist-lj-${number}.xyz`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split(' ').map(Number));
const nistBoxes = { 1: [10, configuration(1)], 4: [8, configuration(4)] } as const;
const nist = (number: 1 | 4, r_c: number, truncation: string) => {
  const [box, position] = nistBoxes[number];
  return {
    ...{ units: 'lj', box, r_c, truncation, dt: 1e-7, t_max: 1e-7 },
    initialState: { position, velocity: resting(position.length) },
  };
};
/** U, Σ r·f and U_LRC as published. */
const nistRows = (
  [
    [4, 3, 'truncated', -16.79, -46.249, -0.54517],
    [4, 4, 'truncated', -17.06, -47.869, -0.23008],
    [4, 3, 'shifted-force', -15.001, -43.096, null],
    [1, 3, 'truncated', -4351.5, -568.67, -198.49],
    [1, 4, 'truncated', -4467.5, -1263.9, -83.769],
    [1, 3, 'shifted-force', -3870.9, 317.54, null],
  ] as const
).flatMap(([number, r_c, truncation, U, W, tail]) =>
  (
    [
      ['initialEnergy', U],
      ['potentialEnergy', U],
      ['virial', W],
      // At rest p is a third of the virial over the volume.
      ['pressure', W / (3 * nistBoxes[number][0] ** 3)],
      ['longRangeEnergy', tail],
    ] as const
  ).flatMap(([of, expect]) =>
    expect === null
      ? []
      : {
          title: `configuration ${number}, ${truncation} at ${r_c}: ${of}`,
          body: nist(number, r_c, truncation),
          of,
          expect,
          // Half a unit of the fifth digit, which is all that is published.
          tolerance: 5e-5,
          source: `NIST SRSW, Lennard-Jones fluid, configuration ${number}`,
        },
  ),
);

/** The trigonal bipyramid, minimised by scipy: apices at ±z, three at r. */
const bipyramid: Points = [
  [0, 0, 0.91293855],
  [0, 0, -0.91293855],
  [0.64899573, 0, 0],
  [-0.324497865, 0.5620467886, 0],
  [-0.324497865, -0.5620467886, 0],
];
const digits = [
  {
    title: 'five atoms at rest in a bipyramid',
    body: open(bipyramid, resting(5), 1e-4, 1e-4),
    of: 'potentialEnergy',
    expect: -9.103852,
    tolerance: 1e-7,
    source: 'Cambridge Cluster Database, LJ5',
  },
  ...(
    [
      ['truncated', -16.7903213046],
      ['shifted-force', -15.0014022869],
    ] as const
  ).map(([truncation, expect]) => ({
    title: `thirty atoms, ${truncation} at 3: twelve digits`,
    body: nist(4, 3, truncation),
    of: 'initialEnergy',
    expect,
    tolerance: 1e-11,
    source: 'sum over the pairs of the same configuration by numpy',
  })),
];

// ---- laws ----------------------------------------------------------------------------------------------

t.test('atoms that are sent back go the way they came', async (t) => {
  const there = await solved(open(icosahedron(1.1), resting(13), 0.001, 1));
  const { position, velocity } = there.presentation.outputs.finalState as {
    position: Points;
    velocity: Points;
  };
  const back = await solved(
    open(
      position,
      velocity.map((v) => v.map((x) => -x)),
      0.001,
      1,
    ),
  );
  const end = (back.presentation.outputs.finalState as { position: Points }).position.flat();
  const worst = Math.max(
    ...icosahedron(1.1)
      .flat()
      .map((x, i) => Math.abs(x - end[i]!)),
  );
  t.ok(worst < 1e-9, `${worst}`);
});

t.test('forces are −∇U, whatever is done at the cut-off', async (t) => {
  const h = 1e-4;
  const position = icosahedron(1.1).map((p, i) => p.map((x, axis) => x + 0.05 * Math.sin(7 * i + 3 * axis)));
  const ways: [way: object, atom: number, axis: number][] = [
    [{ box: 'open' }, 5, 0],
    [{ box: 'open', r_c: 1.9, truncation: 'truncated' }, 3, 1],
    [{ box: 4.6, r_c: 2.2, truncation: 'shifted' }, 7, 2],
    [{ box: [4.2, 4.5, 4.8], r_c: 2.1, truncation: 'shifted-force' }, 12, 0],
  ];
  for (const [way, atom, axis] of ways) {
    /** A first step from rest: v = ½h(f + f′) of a mass of 1, and U before it. */
    const from = async (start: Points) => {
      const body = { ...open(start, resting(13), 1e-6, 1e-6), ...way };
      const { outputs } = (await solved(body)).presentation;
      const { velocity } = (outputs.finalState ??
        (outputs.unsealedFields as Record<string, unknown>).finalState) as { velocity: Points };
      return { U: outputs.initialEnergy as number, force: velocity.map((v) => v.map((x) => x / 1e-6)) };
    };
    const moved = (by: number) =>
      position.map((p, i) => p.map((x, k) => (i === atom && k === axis ? x + by : x)));
    const { force } = await from(position);
    const slope = ((await from(moved(h))).U - (await from(moved(-h))).U) / (2 * h);
    const most = Math.max(...force.flat().map(Math.abs));
    t.ok(Math.abs(force[atom]![axis]! + slope) < 1e-5 * most, `${JSON.stringify(way)}: ${slope}`);
    t.ok(Math.abs(slope) > 0.001 * most, `which is none that vanishes: ${slope / most}`);
  }
});

t.test('the drift of a dense cluster with steps of 0.005 τ is near 1.5e-4', async (t) => {
  // Thirteen atoms in an icosahedron squeezed and stirred; what Verlet leaves of it falls with the square of the step.
  const noise = (i: number, axis: number) => Math.sin(12.9898 * i + 78.233 * axis);
  const position = icosahedron(1.05).map((p, i) => p.map((x, axis) => x + 0.03 * noise(i, axis)));
  const drift = async (dt: number) =>
    outputOf(await solved(open(position, resting(13), dt, 4)), 'energyDriftPct') / 100;
  const [coarse, fine] = [await drift(0.005), await drift(0.0025)];
  t.ok(coarse > 0.5e-4 && coarse < 5e-4, `${coarse}`);
  t.ok(Math.abs(Math.log2(coarse / fine) - 2) < 0.1, `${coarse}, ${fine}`);
});

t.test('pressure, volume and temperature are those of K, Σ r·f and the box', async (t) => {
  const { outputs } = (await solved(fluid)).presentation as { outputs: Record<string, number> };
  const { pressure, volume, temperature, kineticEnergy: K, virial: W } = outputs as Record<string, number>;
  t.ok(Math.abs(volume! / (256 / 0.8442) - 1) < 1e-12);
  // Allen & Tildesley, 2.54 and 2.61, of N − 1 momenta that are free.
  t.ok(Math.abs(temperature! / ((2 * K!) / (3 * 255)) - 1) < 1e-12);
  t.ok(Math.abs(pressure! / ((2 * K! + W!) / (3 * volume!)) - 1) < 1e-12);
  t.equal((await solved(dimer(0.005, 0.1))).presentation.outputs.pressure, null);
});

t.test('energy and momentum are kept by any cluster, and SI is the same motion', async (t) => {
  const small = fc.double({ min: -0.05, max: 0.05, noNaN: true });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(small, small, small), { minLength: 26, maxLength: 26 }),
      async (noise) => {
        const position = icosahedron(1.1).map((p, i) => p.map((x, axis) => x + noise[i]![axis]!));
        const velocity = noise.slice(13).map((v) => v.map((x) => 4 * x));
        const job = await solved(open(position, velocity, 0.002, 0.2));
        t.ok(outputOf(job, 'momentumDrift') < 1e-12);
        t.ok(job.verdict.precisionActual < 1e-4);
        const [epsilon, sigma, mass] = [1.65e-21, 3.405e-10, 6.6335e-26];
        const speed = Math.sqrt(epsilon / mass);
        const body = open(
          position.map((p) => p.map((x) => x * sigma)),
          velocity.map((v) => v.map((x) => x * speed)),
          (0.002 * sigma) / speed,
          (0.2 * sigma) / speed,
        );
        const { units: _, ...si } = { ...body, epsilon, sigma, mass };
        const same = (await solved(si)).verdict.value / epsilon;
        t.ok(Math.abs(same / job.verdict.value - 1) < 1e-9);
      },
    ),
    { numRuns: 8, seed: 2 },
  );
});

t.test(
  'a fluid goes on from T₁ as the run to T₂, to the bit, whatever its neighbour rows were',
  async (t) => {
    const input = (t_max: number) => ({ ...fluid, t_max }) as EvolveInput;
    const whole = await startJob(evolve, input(0.2));
    const then = await goOn(evolve, await startJob(evolve, input(0.08)), input(0.2));
    const atoms = 256;
    for (const run of [0, 1]) {
      const bodyOf = (job: typeof whole) =>
        hex(job.finished[run]!.result.slice(32, 32 + 8 * (6 * atoms + 16)));
      t.equal(bodyOf(then), bodyOf(whole));
    }
    t.equal(then.verdict.value, whole.verdict.value);
  },
);

t.test(
  'a lattice starts with its temperature and at rest, and g(r) has its nearest neighbours',
  async (t) => {
    const job = await solved({ ...fluid, t_max: 0.004 });
    t.ok(Math.abs(fieldOf(job, 'temperature')[0]! / 0.728 - 1) < 1e-12);
    t.ok(outputOf(job, 'momentumDrift') < 1e-12);
    const [r, g] = [fieldOf(job, 'r'), fieldOf(job, 'g')];
    const nearest = (4 / 0.8442) ** (1 / 3) / Math.sqrt(2);
    const top = g.indexOf(Math.max(...g));
    t.ok(Math.abs(r[top]! - nearest) < 0.04, `the first shell, at ${nearest}`);
  },
);

t.test('an fcc crystal has the lattice sums A₆ = 14.45392 and A₁₂ = 12.13188 (Kittel)', async (t) => {
  // U/N = 2(A₁₂/R¹² − A₆/R⁶) of nearest neighbours R apart, at two R, with what lies beyond 3.5 R added.
  const energyAt = async (R: number) => {
    const job = await solved({
      ...{ units: 'lj', r_c: 3.5 * R, truncation: 'truncated', dt: 1e-4, t_max: 1e-4 },
      initialState: { cells: 5, density: Math.SQRT2 / R ** 3, temperature: 1e-12 },
    });
    return (outputOf(job, 'potentialEnergy') + outputOf(job, 'longRangeEnergy')) / 500;
  };
  const [near, far] = [0.5 * (await energyAt(1)), 0.5 * (await energyAt(1.1))];
  const [six, twelve] = [1.1 ** -6, 1.1 ** -12];
  const A6 = (far - twelve * near) / (twelve - six);
  t.ok(Math.abs(A6 / 14.45392 - 1) < 3e-4, `${A6}`);
  t.ok(Math.abs((near + A6) / 12.13188 - 1) < 3e-4, `${near + A6}`);
});

t.test('cells and no cells give one fluid: a box repeated is as dense and as cold', async (t) => {
  const at = (cells: number) => ({
    ...{ ...fluid, r_c: 1.6, t_max: 0.004 },
    initialState: { cells, density: 1, temperature: 1e-6 },
  });
  const [few, many] = [await solved(at(3)), await solved(at(6))];
  t.ok(Math.abs((8 * few.verdict.value) / many.verdict.value - 1) < 1e-5);
});

/** Atoms at a distance of `a` from their neighbours in a cube of n³ atoms. */
const heap = (n: number, a: number): Points =>
  Array.from({ length: n ** 3 }, (_, i) => [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)]).map((p) =>
    p.map((x) => a * x),
  );
const inBox = (position: Points, box: number, dt: number) => ({
  ...{ units: 'lj', box, r_c: 2.5, truncation: 'shifted', dt, t_max: 2 * dt },
  initialState: { position, velocity: resting(position.length) },
});
const runOf = (body: object) =>
  evolve.plan(inputOf(evolve, body), { requestHash: new Uint8Array(32) }).runs[0]!;

t.test('a run takes some four times its state and never more than it states, however empty the box', (t) => {
  const cold = { ...fluid, t_max: 0.008, initialState: { ...fluid.initialState, cells: 8 } };
  const { taken, state } = memoryOf(runOf(cold));
  t.ok(taken <= 5 * state, `${taken / state}`);
  for (const box of [30, 400]) {
    const run = runOf(inBox(heap(7, 1.2), box, 0.004));
    t.ok(memoryOf(run).taken <= run.memory);
  }
  t.end();
});

t.test('rows reach less far where atoms crowd, and sum the same pairs', async (t) => {
  const position = heap(10, 0.8);
  const { presentation } = await solved(inBox(position, 100, 1e-5));
  const at = (r2: number) => 4 * (r2 ** -6 - r2 ** -3);
  let U = 0;
  position.forEach((p, i) => {
    for (const q of position.slice(0, i)) {
      const r2 = p.reduce((sum, x, axis) => sum + (x - q[axis]!) ** 2, 0);
      if (r2 < 6.25) U += at(r2) - at(6.25);
    }
  });
  t.ok(Math.abs((presentation.outputs.initialEnergy as number) / U - 1) < 1e-12);
});

t.test('neighbours more than 65,535 atoms away by number are neighbours', async (t) => {
  const body = { ...fluid, dt: 1e-4, t_max: 1e-4, initialState: { ...fluid.initialState, cells: 26 } };
  const job = await solved(body);
  // The lattice sum of 256 atoms of this density, which is in the references below.
  const each = (-1179.01923858206 - 1.5 * 255 * 0.728) / 256;
  t.ok(Math.abs(fieldOf(job, 'potential')[0]! / (4 * 26 ** 3 * each) - 1) < 1e-12);
});

t.test(
  'final states are vouched for where both runs agree on them, and fields are what they say',
  async (t) => {
    const job = await solved(dimer(0.002, 0.3));
    t.equal(job.presentation.outputs.finalStateSealed, true);
    const { position, velocity } = job.presentation.outputs.finalState as {
      position: Points;
      velocity: Points;
    };
    t.strictSame([...fieldOf(job, 'position')], position.flat());
    t.strictSame([...fieldOf(job, 'velocity')], velocity.flat());
    t.equal(fieldOf(job, 'energy').at(-1), job.verdict.value);
    t.ok(Math.abs(fieldOf(job, 'time').at(-1)! - 0.3) < 1e-12);
  },
);

t.test(
  'a final state is vouched for only where its velocities are right, not its positions alone',
  async (t) => {
    // K of two atoms from rest 1.2 σ apart, by DOP853 with 1e-13 (SciPy 1.17.1).
    const exact = {
      0.2: 0.10894983020015,
      0.24: 0.08422365554547,
      0.28: 0.02800119511126,
      0.3: 0.00615046751527,
    };
    const vouched = new Set<boolean>();
    for (const dt of [0.01, 0.005, 0.002])
      for (const [end, K] of Object.entries(exact)) {
        const { outputs } = (await solved(dimer(dt, Number(end)))).presentation;
        const error = Math.abs((outputs.kineticEnergy as number) / K - 1);
        t.ok((outputs.positionError as number) < 1e-4);
        t.ok(error <= 1e-3 || outputs.finalStateSealed === false, `K at ${end} by ${dt}: ${error}`);
        vouched.add(outputs.finalStateSealed as boolean);
      }
    t.equal(vouched.size, 2, 'some are, some are not');
  },
);

t.test('an energy that is small beside K and U is held by itself', async (t) => {
  // At 2^(1/6) σ the well is 1 ε deep, and two speeds of v have v² ε of kinetic energy.
  const near = (dt: number) => {
    const { initialState, ...body } = dimer(dt, 1, 2 ** (1 / 6));
    const velocity = [
      [-0.99999, 0, 0],
      [0.99999, 0, 0],
    ];
    return { ...body, initialState: { ...initialState, velocity } };
  };
  const { code, details } = await refusalOf(evolve, near(0.001));
  t.equal(code, 'OUTSIDE_TOLERANCE');
  t.match(details, { gate: 'energy at every step', field: 'dt', accepts: 'a smaller dt' });
  const { value } = (await solved(near(0.00001))).verdict;
  t.ok(Math.abs(value / (0.99999 ** 2 - 1) - 1) < 1e-3);
});

// ---- what every solver must show -----------------------------------------------------------------------

const driftAt = async (dt: number) => outputOf(await solved(dimer(dt, 0.64)), 'energyDriftPct');
const faults: [string, string, string, string, object?][] = [
  [
    'a force of half the strength',
    'force',
    'f = 24.0 * (2.0 * s3 * s3 - s3) * s',
    'f = 12.0 * (2.0 * s3 * s3 - s3) * s',
  ],
  ['an attraction too strong', 'force', '4.0 * (s3 * s3 - s3), f', '4.0 * (s3 * s3 - 1.1 * s3), f'],
  ['a neighbour left out', 'force', 'for (const end = at', 'for (const end = (at += 4, at - 4)', fluid],
  [
    'reactions that are added',
    'force',
    'v128.store(to, f64x2.sub(v128.load(to), xy));',
    'v128.store(to, f64x2.add(v128.load(to), xy));',
    fluid,
  ],
  [
    'cells that end at the edge of the box',
    'rows',
    'if (x1 >= cellsX) lookThrough(',
    'if (x1 > cellsX) lookThrough(',
    { ...fluid, dt: 0.002, initialState: { cells: 5, density: 0.8442, temperature: 0.728 } },
  ],
  ['rows that are never made anew', 'rows', 'made && !gone', 'made', hot],
  ['a force that is not shifted', 'force', 'f = f64x2.sub(f, f64x2.div(forceAtCut, r));', '', fluid],
];

// ---- requests that are refused -------------------------------------------------------------------------

const rest = [
  [0, 0, 0],
  [0, 0, 0],
];
const initialState = {
  position: [
    [0, 0, 0],
    [1.2, 0, 0],
  ],
  velocity: rest,
};
const pair = { units: 'lj', box: 'open', dt: 0.005, t_max: 0.1, initialState };
const lattice = { cells: 3, density: 0.8, temperature: 1 };
const latticeFluid = {
  units: 'lj',
  r_c: 2,
  truncation: 'shifted',
  dt: 0.004,
  t_max: 0.1,
  initialState: lattice,
};
const wrong = 'INVALID_INPUT';
const missing = 'MISSING_INPUT';
const { units: _, ...unscaled } = pair;
const { r_c: __, truncation: ___, ...bare } = latticeFluid;

const refused: readonly Refused[] = [
  { title: 'no scales', body: unscaled, code: missing, field: 'epsilon' },
  { title: 'a scale with reduced units', body: { ...pair, sigma: 1 }, code: wrong, field: 'sigma' },
  {
    title: 'a step in seconds of reduced units',
    body: { ...pair, dt: { value: 5, unit: 'fs' } },
    code: wrong,
    field: 'dt.unit',
    says: /with units lj|converts to 1/,
  },
  {
    title: 'places in metres of reduced units',
    body: {
      ...pair,
      initialState: { ...initialState, position: { value: initialState.position, unit: 'Angstrom' } },
    },
    code: wrong,
    field: 'initialState.position.unit',
  },
  {
    title: 'a temperature in kelvins of reduced units',
    body: { ...latticeFluid, initialState: { ...lattice, temperature: { value: 120, unit: 'K' } } },
    code: wrong,
    field: 'initialState.temperature.unit',
  },
  { title: 'no box', body: { ...pair, box: undefined }, code: missing, field: 'box' },
  { title: 'a box of a lattice', body: { ...latticeFluid, box: 10 }, code: wrong, field: 'box' },
  {
    title: 'a flat box',
    body: { ...pair, box: [5, 5, 0], r_c: 1, truncation: 'shifted' },
    code: wrong,
    field: 'box',
  },
  { title: 'no cut-off in a periodic box', body: { ...pair, box: 8 }, code: missing, field: 'r_c' },
  { title: 'no cut-off of a lattice', body: bare, code: missing, field: 'r_c' },
  {
    title: 'an unknown treatment',
    body: { ...latticeFluid, truncation: 'smooth' },
    code: wrong,
    field: 'truncation',
  },
  { title: 'no treatment', body: { ...pair, box: 8, r_c: 3 }, code: missing, field: 'truncation' },
  {
    title: 'a treatment of nothing',
    body: { ...pair, truncation: 'shifted' },
    code: wrong,
    field: 'truncation',
  },
  { title: 'a cut-off beyond half the box', body: { ...latticeFluid, r_c: 2.6 }, code: wrong, field: 'r_c' },
  { title: 'a long step', body: { ...pair, dt: 0.021 }, code: 'STABILITY_LIMIT', field: 'dt' },
  { title: 'no start', body: { ...pair, initialState: {} }, code: missing, field: 'initialState.position' },
  {
    title: 'half a lattice',
    body: { ...latticeFluid, initialState: { cells: 3, density: 0.8 } },
    code: missing,
    field: 'initialState.temperature',
  },
  {
    title: 'two starts',
    body: { ...latticeFluid, initialState: { ...lattice, ...initialState } },
    code: wrong,
    field: 'initialState.cells',
  },
  {
    title: 'a velocity too few',
    body: { ...pair, initialState: { ...initialState, velocity: [[0, 0, 0]] } },
    code: wrong,
    field: 'initialState.velocity',
  },
  {
    title: 'a lonely atom',
    body: { ...pair, initialState: { position: [[0, 0, 0]], velocity: [[0, 0, 0]] } },
    code: wrong,
    field: 'initialState.position',
  },
  {
    title: 'atoms that overlap',
    body: {
      ...pair,
      initialState: {
        position: [
          [0, 0, 0],
          [0.3, 0.3, 0],
        ],
        velocity: rest,
      },
    },
    code: wrong,
    field: 'initialState.position[1]',
  },
  { title: 'too long a run', body: { ...latticeFluid, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'a cut-off that jumps',
    body: { ...latticeFluid, r_c: 1.5, truncation: 'truncated', t_max: 2 },
    code: 'ENERGY_NOT_CONSERVED',
  },
];

testSolver(evolve, {
  references: [
    ...nistRows,
    ...digits,
    {
      title: 'period of two atoms from 1.2 σ: they stand still again',
      body: dimer(0.632247552948687 / 1000, 0.632247552948687),
      of: 'finalState.velocity.1.0',
      expect: 0,
      scale: 1,
      tolerance: 1e-4,
      source: 'quadrature of the period, 0.632247552948687 τ (mpmath)',
    },
    {
      title: 'period of two atoms that swing by 10⁻⁴ σ: they stand still again',
      body: dimer(0.58771975415 / 1000, 0.58771975415, 2 ** (1 / 6) + 1e-4),
      of: 'finalState.velocity.1.0',
      expect: 0,
      // The speed of an atom in the middle of its path.
      scale: (Math.PI / 0.58771975415) * 1e-4,
      tolerance: 1e-4,
      source: '2π√(m/2k), k = 72/2^(1/3) ε/σ²: 0.58771975415 τ',
    },
    {
      title: 'LJ₁₃ at rest',
      body: open(icosahedron(1.0818), resting(13), 0.002, 0.02),
      expect: -44.326801,
      tolerance: 2e-5,
      source: 'Cambridge Cluster Database; icosahedron',
    },
    {
      title: 'two atoms from 1.2 σ',
      body: dimer(0.005, 0.6),
      of: 'initialEnergy',
      expect: -0.890965287583076,
      tolerance: 1e-14,
      source: '4(1.2⁻¹² − 1.2⁻⁶)',
    },
    {
      title: '256 atoms on a lattice',
      body: { ...fluid, t_max: 0.004 },
      of: 'initialEnergy',
      expect: -1179.01923858206,
      tolerance: 1e-12,
      source: 'lattice sum and 3/2 · 255 · 0.728',
    },
  ],
  orders: [
    {
      title: 'energy drift of two atoms, steps of 0.008 and 0.004 τ',
      theory: 2,
      errors: async () => [await driftAt(0.008), await driftAt(0.004)],
    },
  ],
  twins: [
    ...faults.map(
      ([title, file, find, replace, body = dimer(0.005, 0.6)]): Twin => ({
        ...{ title, body, find, replace },
        file: `assembly/evolve/${file}.ts`,
      }),
    ),
    {
      title: 'half a kick left out',
      body: dimer(0.005, 0.6),
      find: 'const half = 0.5 * h;\n  let v =',
      replace: 'const half = 0.0 * h;\n  let v =',
    },
  ],
  refused,
});
