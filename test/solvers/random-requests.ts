import fc from 'fast-check';
import { pigeonhole, queens, random3 } from './formulas.ts';

// Requests as somebody might send them, drawn at random, of the solvers whose work shows only as they run.

const whole = (min: number, max: number) => fc.noBias(fc.integer({ min, max }));
const real = (min: number, max: number) => whole(0, 1e6).map((i) => min + ((max - min) * i) / 1e6);
const range = <T>(count: number, item: (i: number) => T) => Array.from({ length: count }, (_, i) => item(i));
const numbers = (count: number, min: number, max: number) =>
  fc.array(real(min, max), { minLength: count, maxLength: count });

// ---- fea -----------------------------------------------------------------------------------------------

const cells = (most: number) =>
  fc.tuple(whole(2, most / 4), whole(2, most / 4)).map((n) => n.map((i) => 4 * i));
const rectangle = (length: number, height: number, N: readonly number[], shear = 0) => ({
  corners: [
    [0, 0],
    [length, 0],
    [length + shear, height],
    [shear, height],
  ],
  N,
});

const poisson = fc
  .record({ length: real(0.2, 8), shear: real(-0.5, 0.5), N: cells(40), f: real(0.1, 10), k: real(0.1, 10) })
  .map(({ length, shear, N, f, k }) => ({
    ...{ analysis: 'poisson', patches: [rectangle(length, 1, N, shear)], k, f },
    ...{ supports: [{ on: 'outer', u: 0 }], quantity: 'energy' },
  }));

const plane = fc
  .record({
    length: real(0.5, 10),
    shear: real(-0.5, 0.5),
    N: cells(28),
    nu: real(0, 0.48),
    planeType: fc.constantFrom('stress', 'strain'),
    force: fc.tuple(real(-1, 1), real(0.1, 1)),
  })
  .map(({ length, shear, N, nu, planeType, force }) => ({
    ...{ analysis: 'elasticity', planeType, patches: [rectangle(length, 1, N, shear)], E: 2e11, nu },
    ...{ thickness: 0.01, supports: [{ on: { patch: 0, side: 'left' }, ux: 0, uy: 0 }] },
    ...{ loads: [{ on: { patch: 0, side: 'right' }, total: force }], quantity: 'energy' },
  }));

/** A girder of so many bays: lower nodes, then upper ones. */
const truss = fc
  .record({ bays: whole(2, 60), height: real(0.5, 2), A: real(1e-4, 1e-2) })
  .map(({ bays: n, height, A }) => {
    const bar = (a: number, b: number) => ({ nodes: [a, b], E: 2e11, A });
    return {
      analysis: 'truss',
      nodes: [...range(n + 1, (i) => [i, 0]), ...range(n + 1, (i) => [i, height])],
      bars: [
        ...range(n, (i) => bar(i, i + 1)),
        ...range(n, (i) => bar(n + 1 + i, n + 2 + i)),
        ...range(n + 1, (i) => bar(i, n + 1 + i)),
        ...range(n, (i) => bar(i, n + 2 + i)),
      ],
      supports: [
        { on: { node: 0 }, ux: 0, uy: 0 },
        { on: { node: n }, uy: 0 },
      ],
      loads: [{ on: { node: n >> 1 }, force: [0, -1000] }],
      quantity: 'energy',
    };
  });

// ---- quant ---------------------------------------------------------------------------------------------

const market = fc.record({
  S0: real(50, 200),
  r: real(0, 0.08),
  sigma: real(0.08, 0.5),
  T: real(0.1, 2),
  seed: whole(1, 1e6),
});

const option = fc
  .record({
    of: market,
    type: fc.constantFrom('european', 'digital', 'asian-geometric', 'asian-arithmetic', 'down-out'),
    right: fc.constantFrom('call', 'put'),
    moneyness: real(-1.5, 1.5),
    fixings: whole(2, 52),
    barrier: real(0.5, 0.95),
  })
  .map(({ of, type, right, moneyness, fixings, barrier }) => {
    const K = of.S0 * Math.exp(moneyness * of.sigma * Math.sqrt(of.T));
    const below = barrier * Math.min(K, of.S0);
    return {
      ...{ mode: 'option', type, right, K, ...of },
      ...(type === 'digital' && { payout: 10 }),
      ...(type.startsWith('asian') && { fixings }),
      ...(type === 'down-out' && { barrier: below }),
    };
  });

const payoff = fc
  .record({
    of: market,
    formula: fc.constantFrom('max(S - B, 0)', 'max(B - S, 0)', 'max(A - B, 0)', 'S^2/B', 'max(S - A, 0)'),
    moneyness: real(-1, 1),
    fixings: whole(1, 12),
  })
  .map(({ of, formula, moneyness, fixings }) => {
    const B = of.S0 * Math.exp(moneyness * of.sigma * Math.sqrt(of.T));
    const parameters = formula.includes('B') ? { parameters: { B } } : {};
    const more = formula.includes('A') ? { fixings: 1 + fixings } : {};
    return { mode: 'option', type: 'payoff', payoff: formula, ...of, ...parameters, ...more };
  });

// ---- opt -----------------------------------------------------------------------------------------------

const programme = (mode: 'lp' | 'qp', most: number) =>
  fc
    .tuple(whole(2, most), whole(1, most), fc.boolean())
    .chain(([n, m, isBoxed]) =>
      fc.record({
        costs: numbers(n, -5, 5),
        rows: fc.array(numbers(n, -2, 5), { minLength: m, maxLength: m }),
        sides: numbers(m, 1, 20),
        roots: fc.array(numbers(n, -1, 1), { minLength: n, maxLength: n }),
        boxed: fc.constant(isBoxed || mode === 'lp'),
      }),
    )
    .map(({ costs, rows, sides, roots, boxed }) => ({
      ...{ mode, A: rows, b: sides },
      ...(boxed && { lower: costs.map(() => 0), upper: costs.map(() => 8) }),
      ...(mode === 'lp' ? { c: costs } : { g: costs, H: gram(roots) }),
    }));

/** RᵀR + I/10. */
const gram = (R: readonly (readonly number[])[]) =>
  R.map((_, i) => R.map((_, j) => R.reduce((sum, row) => sum + row[i]! * row[j]!, i === j ? 0.1 : 0)));

/** From starts near and far. */
const minimum = fc
  .oneof(
    fc
      .tuple(fc.constantFrom('rosenbrock', 'styblinski-tang'), whole(2, 20))
      .chain(([name, n]) => numbers(n, -4, 4).map((x0) => ({ function: name, n, x0 }))),
    fc
      .tuple(fc.constantFrom('himmelblau', 'beale'), numbers(2, -4, 4))
      .map(([name, x0]) => ({ function: name, x0 })),
    fc
      .tuple(numbers(3, 0.5, 4), numbers(3, -2, 2), numbers(3, -5, 5))
      .map(([quartic, slopes, x0]) => ({ polynomial: quartics(quartic, slopes), x0 })),
  )
  .map((objective) => ({ mode: 'unconstrained', ...objective }));

/** Σ a_j x_j⁴ − x_j² + b_j x_j + x₁x₂/2. */
const quartics = (a: readonly number[], b: readonly number[]) => {
  const power = (j: number, exponent: number) => a.map((_, k) => (k === j ? exponent : 0));
  return [
    ...a.flatMap((c, j) => [
      { c, powers: power(j, 4) },
      { c: -1, powers: power(j, 2) },
      { c: b[j]!, powers: power(j, 1) },
    ]),
    { c: 0.5, powers: [1, 1, 0] },
  ];
};

const laws = {
  exponential: (x: number) => 2 * Math.exp(-0.7 * x),
  'michaelis-menten': (x: number) => (3 * x) / (0.8 + x),
  logistic: (x: number) => 5 / (1 + Math.exp(-2 * (x - 2))),
  gaussian: (x: number) => 4 * Math.exp(-((x - 2) ** 2) / 1.28),
} as const;
const fit = fc
  .record({
    model: fc.constantFrom(...(Object.keys(laws) as (keyof typeof laws)[])),
    points: whole(8, 60),
    noise: real(0, 0.05),
    x0: numbers(3, 0.5, 3),
  })
  .map(({ model, points, noise, x0 }) => {
    const x = range(points, (i) => 0.2 + (4 * i) / points);
    // Noise that is the same each time: multiples of the golden ratio.
    const y = x.map((at, i) => laws[model](at) + noise * (2 * ((i * 0.618034) % 1) - 1));
    const few = model === 'logistic' || model === 'gaussian' ? 3 : 2;
    return { mode: 'nls', model, data: { x, y }, x0: x0.slice(0, few) };
  });

// ---- multibody -----------------------------------------------------------------------------------

/** A sun and planets that do not meet, by the integrator that finds its own steps. */
const planets = fc
  .record({
    eccentricities: fc.array(real(0, 0.5), { minLength: 1, maxLength: 4 }),
    turns: real(1, 10),
    dt: real(0.01, 0.2),
  })
  .map(({ eccentricities, turns, dt }) => {
    const orbits = eccentricities.map((e, i) => ({ e, a: 2 ** i }));
    return {
      position: [[0, 0, 0], ...orbits.map(({ e, a }) => [a * (1 - e), 0, 0])],
      velocity: [[0, 0, 0], ...orbits.map(({ e, a }) => [0, Math.sqrt((1 + e) / (a * (1 - e))), 0])],
      mass: [1, ...orbits.map(() => 1e-4)],
      ...{ referenceMode: 'gravity', G: 1, dt, t_max: 2 * Math.PI * turns, integrator: 'radau15' },
    };
  });

// ---- fracture ------------------------------------------------------------------------------------------

/** Loads in units of that under which a bar, or a strip with clamped sides, breaks. */
const bar = fc
  .record({
    model: fc.constantFrom('at1', 'at2'),
    load: real(0.3, 1.6),
    steps: whole(4, 60),
    long: real(8, 20),
  })
  .map(({ model, load, steps, long }) => {
    const [E, Gc, ell] = [30e9, 100, 0.01];
    const strain = Math.sqrt((3 * Gc) / (8 * E * ell));
    return {
      ...{ mode: 'bar', model, E, Gc, ell, L: long * ell, N: 160 },
      loading: { uMax: load * strain * long * ell, steps },
    };
  });

const plate = fc
  .record({
    model: fc.constantFrom('at1', 'at2'),
    split: fc.constantFrom('none', 'spectral', 'volumetric'),
    load: real(0.2, 1.2),
    steps: whole(3, 12),
    cells: fc.constantFrom(16, 24, 32),
    notch: whole(1, 5),
    angle: fc.constantFrom(0, 0, 0.4),
    direction: fc.constantFrom('normal', 'normal', 'shear'),
  })
  .map(({ model, split, load, steps, cells: N, notch, angle, direction }) => {
    const [E, nu, Gc, L] = [210e9, 0.3, 2700, 1e-3];
    const mu = E / (2 * (1 + nu));
    const modulus = direction === 'shear' ? mu : (E * (1 - nu)) / ((1 + nu) * (1 - 2 * nu));
    return {
      ...{ model, split, E, nu, Gc, ell: (4.05 * L) / N, Lx: L, Ly: L, N, planeType: 'strain' },
      notch: { a: (4 * Math.min(notch, N / 8) * L) / N, y: L / 2, angle },
      loading: { uMax: load * Math.sqrt((2 * Gc * L) / modulus), steps, direction },
      quantity: 'crackLength',
    };
  });

// ---- sat -----------------------------------------------------------------------------------------------

const easy = fc
  .tuple(whole(10, 250), real(1, 3.6), whole(1, 1e6))
  .map(([n, density, seed]) => random3(n, Math.ceil(density * n), seed));
const near = fc
  .tuple(whole(10, 110), real(4, 5.5), whole(1, 1e6))
  .map(([n, density, seed]) => random3(n, Math.ceil(density * n), seed));
const structured = fc.oneof(
  whole(3, 7).map((holes) => pigeonhole(holes + 1, holes)),
  whole(4, 9).map((holes) => pigeonhole(holes, holes)),
  whole(4, 10).map((n) => queens(n)),
);
const few = fc
  .tuple(whole(6, 22), real(0.5, 6), whole(1, 1e6))
  .map(([n, density, seed]) => random3(n, Math.ceil(density * n), seed));
const formula = (clauses: fc.Arbitrary<number[][]>, mode = 'decide') =>
  clauses.map((each) => ({ mode, clauses: each }));

// ---- solve ---------------------------------------------------------------------------------------------

const own = fc
  .record({
    equation: fc.constantFrom(
      "y' = -a*y",
      "y' = a*y*(1 - y)",
      "x'' = -a^2*x - x'/2",
      "x'' = -a*sin(x)",
      "x'' = a*(1 - x^2)*x' - x",
      "y' = -a*(y - cos(t))",
      "y' = t - a*y^2",
    ),
    a: real(0.2, 5),
    start: real(0.1, 2),
    t_end: real(0.5, 20),
    maxIterations: whole(4, 30),
  })
  .map(({ equation, a, start, t_end, maxIterations }) => ({
    equation,
    inputs: { a, t_end, ...(equation.startsWith('x') ? { x0: start, x_dot0: 0 } : { y0: start }) },
    ...{ strict: true, maxIterations },
  }));

/** Wells, hills and forces of which nobody says before how their errors grow. */
const driven = fc
  .record({
    inputs: fc.record({
      t_end: real(1, 30),
      m: real(0.5, 2),
      c: real(0, 0.5),
      k: real(-1, 2),
      beta: real(0.1, 2),
      F: real(0.1, 1),
      Omega: real(0.5, 2),
      x0: real(-1, 1),
      v0: real(-1, 1),
    }),
    maxIterations: whole(4, 30),
  })
  .map((body) => ({ ...body, strict: true }));

// ---- heat, schrodinger ----------------------------------------------------------------------------------

const side = fc.oneof(
  real(280, 400).map((T) => ({ type: 'dirichlet', T })),
  real(-100, 100).map((q) => ({ type: 'flux', q })),
  fc.tuple(real(1, 50), real(280, 400)).map(([h, Tinf]) => ({ type: 'robin', h, Tinf })),
);
const steady = fc
  .record({
    left: real(280, 400),
    sides: fc.tuple(side, side, side),
    Lx: real(0.3, 4),
    k: real(0.5, 50),
    N: whole(3, 12),
    dim: fc.constantFrom(1, 2, 2),
  })
  .map(({ left, sides: [right, bottom, top], Lx, k, N, dim }) => ({
    ...{ dim, k, rho: 2000, cp: 800, Lx, N: 8 * N, steady: true },
    ...(dim === 2 && { Ly: Lx }),
    boundary: { left: { type: 'dirichlet', T: left }, right, ...(dim === 2 && { bottom, top }) },
  }));

/** Oscillators that are coupled and bent. */
const plane2d = fc
  .record({
    width: real(7, 8),
    ky: real(0.6, 2),
    coupling: real(-0.1, 0.1),
    quartic: real(0, 0.1),
    n: whole(0, 1),
    N: whole(28, 36),
  })
  .map(({ width, ky, coupling, quartic, n, N }) => ({
    ...{ mode: 'eigen2d', units: 'reduced', mass: 1, n, N: [N, N] },
    domain: [
      [-width, width],
      [-width, width],
    ],
    potential: {
      type: 'polynomial',
      terms: [
        { c: 0.5, powers: [2, 0] },
        { c: ky / 2, powers: [0, 2] },
        { c: coupling, powers: [1, 1] },
        { c: quartic, powers: [4, 0] },
      ],
    },
  }));

/** By solver and kind. */
export const randomRequests: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<object>>>>> = {
  fea: { poisson, elasticity: plane, truss },
  quant: { option, payoff },
  opt: { lp: programme('lp', 30), qp: programme('qp', 24), minimum, fit },
  fracture: { bar, plate },
  multibody: { planets },
  heat: { steady },
  schrodinger: { eigen2d: plane2d },
  sat: {
    easy: formula(easy),
    near: formula(near),
    structured: formula(structured),
    counted: formula(few, 'count'),
  },
  solve: { own, driven },
};
