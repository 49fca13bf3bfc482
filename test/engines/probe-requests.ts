import { feaExamples } from '../../src/solvers/fea/examples.ts';
import { examples as multibodyExamples } from '../../src/solvers/multibody/examples.ts';
import { probeRequests as asked } from '../../src/spine/self-test-requests.ts';
import type { ProbeRequest } from './probe-suite.ts';

// What the engines are asked: each solver's own examples and probes, and its corners. A row is a title, how the job must end, and
// the body. Sizes are small: the whole suite takes a second or two.

type Row = readonly [title: string, ends: string, body: Record<string, unknown>];

/** Bodies on a few shells, without a function that engines could disagree on. */
function cluster(bodies: number) {
  const spread = (i: number, prime: number) => ((i * prime) % 1009) / 1009 - 0.5;
  const points = (a: number, b: number, c: number, size: number) =>
    Array.from({ length: bodies }, (_, i) => [a, b, c].map((prime) => size * spread(i + 1, prime)));
  return {
    position: points(337, 523, 719, 2),
    velocity: points(211, 97, 641, 0.5),
    mass: Array.from({ length: bodies }, (_, i) => (1 + (i % 7)) / (4 * bodies)),
    referenceMode: 'gravity',
    G: 1,
    softening: 0.05,
  };
}

const twoBodies = {
  position: [
    [0.25, 0, -0],
    [-0.25, -0, 0],
  ],
  velocity: [
    [0, 0.866025403784439, 0],
    [-0, -0.866025403784439, 0],
  ],
  mass: [0.5, 0.5],
  referenceMode: 'gravity',
  G: 1,
};

/** Two masses that fall onto each other: no fixed step conserves their energy. */
const headOn = {
  ...twoBodies,
  velocity: [
    [0, 0, 0],
    [0, 0, 0],
  ],
}; // prettier-ignore

const figureEight = multibodyExamples[0]!.body;

const cook = feaExamples[0]!.body as { patches: object[] };

const oscillator = { m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0, t_end: 3 };

const square = (N: number, size = 1, grade?: readonly number[]) => ({
  corners: [
    [0, 0],
    [size, 0],
    [size, size],
    [0, size],
  ],
  N: [N, N],
  ...(grade && { grade }),
});

const poisson = (patch: ReturnType<typeof square>, size: number, f: number) => ({
  analysis: 'poisson',
  patches: [patch],
  k: 1,
  f,
  supports: [{ on: 'outer', u: 0 }],
  quantity: 'u',
  probe: [size / 2, size / 2],
});

const rows: Readonly<Record<string, readonly Row[]>> = {
  compute: [
    ['a product below the normal numbers', 'finished', { equation: 'a*b', inputs: { a: 1e-200, b: 1e-115 } }],
    ['the smallest number', 'finished', { equation: 'a', inputs: { a: 5e-324 } }],
    [
      'a rounding as large as the value',
      'OUTSIDE_TOLERANCE',
      { equation: 'a*b', inputs: { a: 5e-324, b: 1 } },
    ],
    ['minus zero', 'finished', { equation: 'a*b', inputs: { a: -0, b: 3 } }],
    ['all that has an exponent', 'finished', { equation: 'exp(a)+ln(b)+b^a', inputs: { a: 0.7, b: 3.3 } }],
    [
      'all that turns',
      'finished',
      { equation: 'sin(a)*cos(b)+tan(a)+asin(c)+acos(c)+atan(b)', inputs: { a: 1e6, b: -2.5, c: 0.3 } },
    ],
    [
      'hyperbolic, with uncertainty',
      'finished',
      { equation: 'sinh(a)*tanh(b)+cosh(a)', inputs: { a: { value: 1.5, uncertainty: 0.01 }, b: 0.2 } },
    ],
    ['an overflow', 'NON_FINITE', { equation: 'exp(a)', inputs: { a: 1000 } }],
    ['a division by zero', 'NON_FINITE', { equation: 'a/(b-b)', inputs: { a: 1, b: 2 } }],
    [
      'cancellation that doubles cannot follow',
      'OUTSIDE_TOLERANCE',
      { equation: '(a+b)-a', inputs: { a: 1e16, b: 1.2345 } },
    ],
  ],
  heat: [
    [
      'a start and a source that are formulas',
      'finished',
      {
        ...{ alpha: 1e-4, Lx: 1, Ly: 1, N: 36, t_end: 500, boundary: { type: 'dirichlet', T: 300 } },
        initial: { type: 'formula', equation: '300 + 40*exp(-((x - 0.5)^2 + (y - 0.5)^2)/0.03)' },
        s: '0.01*sin(pi*x)*y^2.5',
      },
    ],
  ],
  react: [
    [
      'an excitable medium of its own, too coarse',
      'OUTSIDE_TOLERANCE',
      {
        ...{
          model: 'own',
          dim: 1,
          Du: 1e-2,
          Dv: 1e-3,
          Lx: 1,
          boundary: 'noflux',
          t_end: 1,
          N: 64,
          dt: 0.002,
        },
        reaction: { u: 'u - u^3/3 - v + 0.2*cos(u)', v: '0.08*(u + a - 0.8*v)' },
        parameters: { a: 0.7 },
        rest: { u: -1.2, v: -0.6 },
        initial: { type: 'gaussian', x0: [0.2], w: 0.2, deltaU: 2, deltaV: 0 },
      },
    ],
  ],
  quant: [
    [
      'a payoff of its own on a path',
      'finished',
      {
        ...{ mode: 'option', type: 'payoff', S0: 100, r: 0.05, sigma: 0.2, T: 1, seed: 7 },
        payoff: 'max(A - low, 0) + sqrt(high*G)/20',
        fixings: 4,
      },
    ],
  ],
  solve: [
    ['tiny and huge together', 'finished', { inputs: { ...oscillator, m: 2e-200, c: 0.4e-200, k: 50e-200 } }],
    ['a motion of the smallest size', 'finished', { inputs: { ...oscillator, x0: 1e-310 } }],
    ['at rest, with signed zeros', 'finished', { inputs: { ...oscillator, x0: -0, v0: -0 } }],
    ['critical damping', 'finished', { inputs: { ...oscillator, c: 20 } }],
    [
      'forced and stiffening',
      'finished',
      { inputs: { ...oscillator, beta: 30, F: 2, Omega: 4, b: 0.1 }, dt: 0.005 },
    ],
    [
      'a bottomless potential',
      'DID_NOT_CONVERGE',
      { inputs: { m: 1, k: 1, beta: -1, x0: 3, v0: 0, t_end: 5 } },
    ],
    [
      'strict with one level',
      'DID_NOT_CONVERGE',
      {
        inputs: { m: 1, c: 0.2, k: 1, beta: 1, F: 0.3, Omega: 1.2, x0: 1, v0: 0, t_end: 50 },
        dt: 1.2,
        strict: true,
        maxIterations: 3,
      },
    ], // prettier-ignore
    [
      'a system of its own, with all that has an exponent or turns',
      'finished',
      {
        equation: "x' = exp(-x)*cos(y)/(1 + x^2); y' = tanh(x) - sqrt(abs(y)) + max(x, y)^3*atan2(y, x)/50",
        inputs: { t_end: 2, x0: 0.3, y0: 1.2 },
        dt: 0.02,
      },
    ],
    [
      'a system of its own that is refined',
      'finished',
      {
        equation: "y' = -a*(y - sinpi(t))",
        inputs: { t_end: 1, y0: 0.4, a: 300 },
        strict: true,
        maxIterations: 12,
      },
    ],
    ['a pole of a system of its own', 'NON_FINITE', { equation: "y' = y^2", inputs: { t_end: 3, y0: 1 } }],
  ],
  multibody: [
    ['leapfrog', 'finished', { ...twoBodies, dt: 0.002, t_max: 1, integrator: 'leapfrog' }],
    ['yoshida6', 'finished', { ...figureEight, integrator: 'yoshida6', t_max: 1 }],
    ['radau15', 'finished', { ...twoBodies, dt: 0.01, t_max: 1, integrator: 'radau15' }],
    ['a cluster, direct', 'finished', { ...cluster(67), dt: 0.01, t_max: 0.5, integrator: 'leapfrog' }],
    ['a cluster, by tree', 'finished', { ...cluster(150), dt: 0.01, t_max: 0.2, force: 'tree', theta: 0.4 }],
    [
      'a tree with pefrl',
      'finished',
      { ...cluster(33), dt: 0.02, t_max: 0.2, force: 'tree', integrator: 'yoshida6' },
    ], // prettier-ignore
    ['falling together', 'ENERGY_NOT_CONSERVED', { ...headOn, dt: 0.01, t_max: 2 }],
    [
      'in SI units, from the Earth to the Moon',
      'finished',
      {
        position: [
          [0, 0, 0],
          [384399000, 0, 0],
        ], // prettier-ignore
        velocity: [
          [0, -12.5, 0],
          [0, 1022, 0],
        ], // prettier-ignore
        mass: [5.9722e24, 7.346e22],
        referenceMode: 'gravity',
        dt: 3600,
        t_max: 864000,
      },
    ],
    [
      'masses of 1e-300',
      'finished',
      { ...twoBodies, mass: [5e-301, 5e-301], G: 1e300, dt: 0.005, t_max: 0.5 },
    ],
  ],
  fea: [
    ["Cook's membrane, coarse", 'finished', { ...cook, patches: [{ ...cook.patches[0], N: [20, 20] }] }],
    ['a graded square', 'finished', poisson(square(16, 1, [3, 5]), 1, -2)],
    ['a square of a nanometre', 'finished', poisson(square(8, 1e-9), 1e-9, 1e18)],
    ['a square of a gigametre', 'finished', poisson(square(8, 1e9), 1e9, 1e-18)],
    ['no load', 'finished', poisson(square(4), 1, -0)],
    [
      'a stress, plane strain',
      'finished',
      {
        analysis: 'elasticity',
        planeType: 'strain',
        patches: [square(10)],
        E: 1e9,
        nu: 0.45,
        thickness: 1,
        supports: [{ on: { patch: 0, side: 'bottom' }, ux: 0, uy: 0 }],
        loads: [{ on: { patch: 0, side: 'top' }, traction: [[0, 1e5], -2e5] }],
        quantity: 'stress',
        component: 'yy',
        probe: [0.5, 0.5],
      },
    ],
    [
      'a bar that turns freely',
      'UNDER_CONSTRAINED',
      {
        analysis: 'truss',
        nodes: [
          [0, 0],
          [1, 0],
        ], // prettier-ignore
        bars: [{ nodes: [0, 1], E: 2e11, A: 1e-3 }],
        supports: [{ on: { nodes: [0] }, ux: 0, uy: 0 }],
        loads: [{ on: { node: 1 }, force: [0, -10] }],
        quantity: 'displacement',
        component: 'y',
        probe: [1, 0],
      },
    ],
  ],
  gauge: [
    ['Z2, a loop', 'finished', { group: 'Z2', beta: 3, L: 4, loop: [1, 2], seed: 3 }],
    ['Z2, the plaquette', 'finished', { group: 'Z2', beta: 3, L: 4, seed: 5 }],
    ['U1, a loop', 'finished', { group: 'U1', beta: 40, L: 4, loop: [2, 1], seed: 11 }],
    [
      'U1, weak coupling, of few sweeps',
      'finished',
      { group: 'U1', beta: 49.5, L: 3, sweeps: 512, seed: 11 },
    ],
    [
      'SU2, strong coupling, of few sweeps',
      'DID_NOT_CONVERGE',
      { group: 'SU2', beta: 0.5, L: 2, sweeps: 512, seed: '18446744073709551615' },
    ],
    ['SU2, a loop', 'finished', { group: 'SU2', beta: 48, L: 4, loop: [1, 2], seed: 7 }],
    ['U1, too few sweeps', 'DID_NOT_CONVERGE', { group: 'U1', beta: 0.5, L: 8, sweeps: 64, seed: 0 }],
  ],
  zeta: [
    ['Z at the lowest height', 'finished', { mode: 'Z', t: 0 }],
    ['Z of the smallest number', 'finished', { mode: 'Z', t: 5e-324 }],
    ['Z at 10^8', 'finished', { mode: 'Z', t: 1e8 }],
    ['the first zero', 'finished', { mode: 'zero', n: 1 }],
    ['zeros from 14 to 60', 'finished', { mode: 'zeros', t1: 14, t2: 60 }],
    ['count at 10^6', 'finished', { mode: 'count', T: 1e6 }],
  ],
  schrodinger: [
    [
      'a potential of its own',
      'finished',
      {
        mode: 'eigen1d',
        units: 'reduced',
        mass: 1,
        domain: [-8, 8],
        n: 1,
        N: 128,
        potential: {
          type: 'formula',
          equation: 'x^2/2 + a*tanh(x)*exp(-x^2) + abs(x)/50',
          parameters: { a: 0.7 },
        },
      },
    ],
  ],
  device: [
    [
      'a diode with recombination',
      'finished',
      {
        dim: 1,
        ...{ temperature: 300, epsR: 11.7, ni: 1e16, Na: 1e22, Nd: 5e21, Lp: 2e-6, Ln: 2e-6 },
        ...{ V: 0.3, mun: 0.135, mup: 0.048, taun: 1e-9, taup: 1e-9, N: 128, quantity: 'J' },
      },
    ],
  ],
  flow: [
    [
      'the start of a channel',
      'finished',
      { case: 'channel', nu: 0.1, rho: 1, Ly: 1, G: 0.8, t_end: 1, quantity: 'u' },
    ],
  ],
  wave: [
    [
      'light from a line of current, with loss, before a layer',
      'finished',
      {
        mode: 'maxwell',
        Lx: 1,
        Ly: 1,
        N: 80,
        epsilonR: 2,
        sigma: 0.002,
        source: { type: 'pulse', x0: [0.41, 0.37], frequency: 1e8, width: 1.5e-9 },
        boundary: { left: 'pml', right: 'pec', bottom: 'pec', top: 'pec' },
        t_end: 6e-9,
      },
    ],
  ],
  lorenz: [
    [
      'exponents of too short a chaos',
      'DID_NOT_CONVERGE',
      { mode: 'exponents', sigma: 10, rho: 28, beta: 8 / 3, t_max: 2000 },
    ],
  ],
};

const corners = (): ProbeRequest[] =>
  Object.entries(rows).flatMap(([solver, list]) =>
    list.map(([title, ends, body]) => ({ solver, title, ends, body })),
  );

/** What contributors are asked, and the corners. */
export const probeRequests = (): ProbeRequest[] => [
  ...asked().map((request) => ({ ...request, ends: 'finished' })),
  ...corners(),
];
