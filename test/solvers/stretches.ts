import { climate } from '../../src/solvers/climate.ts';
import { epi } from '../../src/solvers/epi.ts';
import { lorenz } from '../../src/solvers/lorenz.ts';
import { lotka } from '../../src/solvers/lotka.ts';
import { schrodinger } from '../../src/solvers/schrodinger.ts';
import { tumor } from '../../src/solvers/tumor.ts';

/** A job in parts; its test and the pipeline's take the same rows. */
export interface Stretches {
  readonly title: string;
  readonly solver: { readonly id: string };
  /** Without its end. */
  readonly body: object;
  readonly end: 't_max' | 't_end';
  readonly start: readonly string[];
  /** Ends of the parts; the steps of each part are those of the whole. */
  readonly ends: readonly number[];
  /** An end to which the first part goes on with other steps. */
  readonly uneven: number;
  /** Of the value, relative, with other steps. */
  readonly tolerance: number;
  /** Bytes of a run's result that do not depend on the part. */
  own(result: Uint8Array): Uint8Array;
  /** How many runs go on; absent: all but the verdict. */
  readonly runs?: number;
  /** Gates of rows, which each job has of its own stretch. */
  readonly ownGates: readonly string[];
  /** A kernel that goes on wrongly: what `find` says once becomes `replace`. */
  readonly fault?: { readonly kernel: string; readonly find: string; readonly replace: string };
  /** A request of this solver that is refused by what it finds, so that there is a refused job; once a solver. */
  readonly refused?: object;
  /** False where rows cut the steps, so that there are no same steps. */
  readonly sameBits?: boolean;
}

const all = (result: Uint8Array) => result;
/** A hill of cells, wide beside them. */
const bump = Array.from({ length: 640 }, (_, i) => 0.9 * Math.exp(-((i / 20 - 8) ** 2) / 8));
const people = { N: 1000, S0: 980, I0: 10, beta: 0.5, gamma: 0.25, dt: 1 / 16 };

export const stretches: readonly Stretches[] = [
  {
    title: 'climate, one temperature',
    solver: climate,
    body: { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 0.61, C: 4e8, T0: 250, dt: 2 ** 17 },
    end: 't_end',
    start: ['T0'],
    ends: [2 ** 26, 2 ** 27, 2 ** 28],
    uneven: 1e8,
    tolerance: 1e-9,
    own: all,
    ownGates: ['series'],
    refused: {
      ...{ model: 'ebm', S0: 900, A: 210, B: 2, D: 0.55, s2: 0.9, a0: 0.3, a2: 0.078 },
      ...{ ai: 0.62, Tf: 263.15, start: 'warm' },
    },
    fault: {
      kernel: 'climate',
      find: 'h = (parameterF64(64) - beginning()) /',
      replace: 'h = parameterF64(64) /',
    },
  },
  {
    title: 'climate, two layers',
    solver: climate,
    body: {
      model: 'two-layer',
      ...{ F: 3.7, lambda: 1.2, gamma: 0.7, C: 2.5e8, Cd: 3e9, dt: 2 ** 21 },
      initialState: { T: 0.5, Td: 0.125, t0: 1024 },
    },
    end: 't_end',
    start: ['initialState'],
    ends: [2 ** 29, 2 ** 30, 2 ** 31],
    uneven: 1e9,
    tolerance: 1e-6,
    own: all,
    ownGates: ['series'],
  },
  {
    title: 'epi, SIR',
    solver: epi,
    body: { ...people, model: 'sir', quantity: 'peakTime' },
    end: 't_max',
    start: ['S0', 'I0'],
    ends: [64, 128, 256],
    uneven: 101.7,
    tolerance: 1e-6,
    own: all,
    ownGates: ['series', 'invariant', 'population'],
    refused: { model: 'sir', ...people, t_max: 12288, dt: 12 },
    fault: {
      kernel: 'epi',
      find: 'if (goesOn()) memory.copy(body, earlierBody(), SIX); else begin();',
      replace: 'begin();',
    },
  },
  {
    title: 'epi, SEIR',
    solver: epi,
    body: { ...people, model: 'seir', E0: 5, sigma: 0.2, quantity: 'peak' },
    end: 't_max',
    start: ['S0', 'E0', 'I0'],
    ends: [64, 128, 256],
    uneven: 101.7,
    tolerance: 1e-6,
    own: all,
    ownGates: ['two steps, series', 'without infections', 'invariant', 'population'],
  },
  {
    title: 'lorenz',
    solver: lorenz,
    body: { mode: 'trajectory', sigma: 10, rho: 28, beta: 8 / 3, x0: 1, y0: 1, z0: 1 },
    end: 't_max',
    start: ['x0', 'y0', 'z0'],
    ends: [4, 4.001, 10],
    uneven: 7.3,
    tolerance: 1e-12,
    own: all,
    ownGates: ['two orders', 'two orders, series', 'row to row', 'twin: z axis'],
    refused: { mode: 'trajectory', sigma: 10, rho: 28, beta: 8 / 3, x0: 1, y0: 1, z0: 1, t_max: 60 },
    fault: {
      kernel: 'lorenz',
      find: 'memory.copy(body, earlierBody(), PLACE);',
      replace: 'memory.copy(body, earlierBody(), 24);',
    },
  },
  {
    title: 'lotka',
    solver: lotka,
    body: { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 1, y0: 1.25, dt: 1 / 64 },
    end: 't_max',
    start: ['x0', 'y0'],
    ends: [8, 16, 24],
    uneven: 11.3,
    tolerance: 1e-6,
    own: all,
    ownGates: ['series'],
    refused: { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 1, y0: 1, t_max: 5, quantity: 'period' },
    fault: {
      kernel: 'lotka',
      find: 'begun = beginningIn(h);',
      replace: 'begun = 0.0;',
    },
  },
  ...[
    ['a free packet', { potential: { type: 'free' }, integrator: 'strang', quantity: 'width' }],
    ['an oscillator', { potential: { type: 'harmonic', omega: 1 }, integrator: 'suzuki', quantity: 'mean' }],
    [
      'a quartic well',
      {
        potential: { type: 'polynomial', terms: [{ c: 0.05, powers: [4] }] },
        integrator: 'strang',
        quantity: 'energy',
      },
    ],
  ].map(
    ([title, physics]): Stretches => ({
      title: `schrodinger, ${title}`,
      solver: schrodinger,
      body: {
        mode: 'evolve',
        units: 'reduced',
        mass: 1,
        ...(physics as object),
        domain: [-20, 20],
        N: 256,
        initial: { type: 'gaussian', x0: [1], sigma: 0.75, k0: [0.5] },
        dt: 1 / 512,
      },
      end: 't_max',
      start: ['initial'],
      ends: [0.5, 1, 2],
      uneven: 1.3,
      tolerance: 1e-5,
      // Behind the extremes of what is conserved, which are taken at the rows: ψ.
      own: (result) => result.subarray(80 + 32 + 48),
      runs: 3,
      ownGates: ['norm', 'energy', 'free packet'],
      ...(title === 'a free packet' && {
        refused: {
          ...{ mode: 'eigen1d', units: 'reduced', mass: 1, domain: [-8, 8], N: 128, n: 0 },
          potential: { type: 'formula', equation: 'x^2/2 + 1000*exp(-((x - 0.3337)/0.0002)^2)' },
        },
        fault: {
          kernel: 'schrodinger-evolve',
          find: 'const whole = (parameterF64(168) - beginning()) *',
          replace: 'const whole = parameterF64(168) *',
        },
      }),
    }),
  ),
  {
    title: 'tumor, growth under treatment',
    solver: tumor,
    body: {
      model: 'gompertz',
      ...{ V0: 1e-9, K: 1e-6, a: 1e-6 },
      schedule: [
        { t: 5e5, dose: 2, alpha: 0.3, beta: 0.03 },
        { t: 1e6, dose: 2, alpha: 0.3, beta: 0.03 },
        { t: 1e6, dose: 1, alpha: 0.3, beta: 0.03 },
      ],
    },
    end: 't_max',
    start: ['V0'],
    ends: [1e6, 1.5e6, 2e6],
    uneven: 1.7e6,
    tolerance: 1e-7,
    own: all,
    ownGates: ['series'],
    refused: { model: 'gompertz', V0: 1e-9, K: 1e-6, a: 1e-3, t_max: 1e6, dt: 3.9e3 },
    fault: {
      kernel: 'tumor',
      find: '  setField(16, load<f64>(earlierBody(), 8));\n',
      replace: '',
    },
    sameBits: false,
  },
  ...[
    ['a front', { initial: { type: 'front', x0: [16] }, Lx: 48, N: 480, probe: [17] }],
    ['a density', { initialState: { u: bump, t0: 1 }, Lx: 32, probe: [17] }],
    ['a front that reaches the end', { initial: { type: 'front', x0: [8] }, Lx: 16, N: 160, probe: [9] }],
  ].map(
    ([title, place]): Stretches => ({
      title: `tumor, invasion: ${title}`,
      solver: tumor,
      body: { mode: 'invade', D: 1 / 6, r: 1, ...(place as object), quantity: 'value', dt: 1 / 512 },
      end: 't_max',
      start: ['initial', 'initialState'],
      ends: [2, 4],
      uneven: 3.3,
      tolerance: 1e-5,
      // Its speed is of the second half of its own stretch.
      own: (result) => result.subarray(16),
      runs: 3,
      ownGates: ['speed', 'twin: front', 'twin: diffusion', 'twin: growth'],
      ...(title === 'a front' && {
        fault: {
          kernel: 'tumor-invade',
          find: 'h = length() / <f64>steps',
          replace: 'h = parameterF64(32) / <f64>steps',
        },
      }),
    }),
  ),
];

interface RefusedStretch {
  readonly title: string;
  readonly solver: { readonly id: string };
  readonly body: object;
  readonly error: { readonly code: string; readonly details?: object };
}

const notInTime = { code: 'INVALID_INPUT', details: { field: 'initialState.continue' } };

export const refusedStretches: readonly RefusedStretch[] = [
  {
    title: 'a fixed point',
    solver: lorenz,
    body: { mode: 'fixed-point', sigma: 10, rho: 28, beta: 8 / 3 },
    error: notInTime,
  },
  {
    title: 'a balance at rest',
    solver: climate,
    body: { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 0.61, steady: true },
    error: notInTime,
  },
  {
    title: 'a level',
    solver: schrodinger,
    body: {
      mode: 'eigen1d',
      units: 'reduced',
      mass: 1,
      potential: { type: 'harmonic', omega: 1 },
      domain: [-8, 8],
      n: 0,
    },
    error: notInTime,
  },
];
