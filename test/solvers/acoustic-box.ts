import type { Refused } from './refusals.ts';
import type { Reference, Twin } from './solver-test.ts';

// Boxes driven between open walls and walls of impedance: what acoustic.test.ts asks of them. Numbers of NumPy:
// test/fixtures/acoustic/driven-box.py.

const rho = 1.204;
const c = 343;
/** An impedance in ρc. */
export const wall = (R: number, X = 0) => ({ type: 'impedance', Z: R * rho * c, X: X * rho * c });

export const closed = { right: 'rigid', bottom: 'rigid', top: 'rigid', front: 'rigid', back: 'rigid' };
export const hall = {
  analysis: 'forced',
  c,
  rho,
  domain: { type: 'box', Lx: 1.5, Ly: 1, Lz: 0.8 },
  frequency: 210,
  u0: 1e-3,
  probe: [1.5, 0.3, 0.2],
};
export const absorbed = { ...hall, boundary: { ...closed, top: wall(2) } };
export const court = { ...hall, boundary: { ...closed, bottom: 'open', top: 'open' } };
const around = { ...hall, boundary: { ...closed, right: wall(1, 0.5), bottom: wall(3, -2), top: wall(2) } };
const heavy = {
  ...hall,
  boundary: { ...closed, top: wall(0, 1) },
  eta: 0.05,
  probe: [0.7, 0.3, 0.2],
};
const four = {
  ...hall,
  boundary: { right: wall(1, 0.5), bottom: 'rigid', top: wall(2), front: wall(3, -2), back: wall(1.5) },
};
const sky = {
  ...hall,
  boundary: { ...closed, right: 'open', top: 'open' },
  eta: 0.05,
  probe: [0.7, 0.3, 0.2],
};
export const frame = {
  ...hall,
  boundary: { right: wall(2), bottom: 'open', top: 'open', front: 'rigid', back: 'open' },
  probe: [0.5, 0.4, 0.2],
};

const galerkin = 'NumPy: Legendre polynomials, one system';
const sines = 'NumPy: series of sines';
const rows: [string, object, string | undefined, number, number, string][] = [
  ['a box with a top that takes', absorbed, undefined, 0.7668780307, 1e-6, galerkin],
  ['its phase', absorbed, 'p.re', 0.154567957, 1e-6, galerkin],
  ['a box between three impedances', around, undefined, 0.2865951249, 1e-6, galerkin],
  ['a box below a mass, with a loss', heavy, undefined, 0.7436853965, 1e-6, galerkin],
  ['a box between four impedances', four, undefined, 0.2253331541, 1e-5, galerkin],
  ['a box open above and below', court, undefined, 3.9338959712, 1e-5, sines],
  ['a box open above and at its end, with a loss', sky, undefined, 0.3090997719, 1e-4, sines],
  ['its phase under the sky', sky, 'p.im', 0.26696589, 1e-4, sines],
  ['a box open on three sides against one that takes', frame, undefined, 3.6622716431, 1e-5, sines],
];

export const boxReferences: Reference[] = rows.map(([title, body, of, expect, tolerance, source]) => ({
  title,
  body,
  ...(of === undefined ? {} : { of }),
  expect,
  tolerance,
  source,
}));

const file = 'assembly/acoustics/box.ts';
export const boxTwins: Twin[] = [
  {
    title: 'walls across a box of the other sign',
    kernel: 'acoustic-across',
    body: absorbed,
    file,
    find: 'admittanceIm = size * R;',
    replace: 'admittanceIm = -size * R;',
  },
  {
    title: 'a wall across that takes half',
    kernel: 'acoustic-across',
    body: around,
    file,
    find: 'addComplex(complexAt(a, DEGREE, node, node), admittanceRe, admittanceIm);',
    replace: 'addComplex(complexAt(a, DEGREE, node, node), 0.5 * admittanceRe, 0.5 * admittanceIm);',
  },
  {
    title: 'a reactance at the right of a box of the other sign',
    kernel: 'acoustic-box',
    body: around,
    file,
    find: 'admittanceRe = size * X;',
    replace: 'admittanceRe = -size * X;',
  },
  {
    title: 'waves of a box without those along z',
    kernel: 'acoustic-box',
    body: frame,
    file,
    find: '- nuRe * z * z;',
    replace: '- 0.0 * nuRe * z * z;',
  },
  {
    title: 'the first modes across a box alone',
    kernel: 'acoustic-box',
    body: court,
    find: 'if (!isDriven(tableY, modesY, i)) return;',
    replace: 'if (!isDriven(tableY, modesY, i) || i > 2) return;',
  },
  {
    title: 'modes across a box that are not the lowest',
    kernel: 'acoustic-across',
    body: absorbed,
    file: 'assembly/acoustics/across.ts',
    find: 'for (let i = 1; i < count; i++) {',
    replace: 'for (let i = count; i < count; i++) {',
  },
  {
    title: 'walls of a box that are weighed by half',
    kernel: 'acoustic-box',
    body: absorbed,
    file: 'assembly/acoustics/box-weights.ts',
    find: 'sum += ofRows * inner;',
    replace: 'sum += 0.5 * ofRows * inner;',
  },
  {
    title: 'a spectrum of a box whose walls stay those of one frequency',
    kernel: 'acoustic-box-spectrum',
    body: absorbed,
    find: 'if (!modesAcross(1, omega, tableY)',
    replace: 'if (!modesAcross(1, 0.9 * omega, tableY)',
  },
];

/** tan κ + κ sec² κ = 0, κ = 2.1062 + 1.1254i: two modes are one (B. J. Tester, J. Sound Vib. 28 (1973) 151). */
const meeting = { type: 'impedance', Z: 469.65424098006633, X: -376.32212247279904 };

export const boxRefused: Refused[] = [
  {
    title: 'a box driven where two modes across are one',
    body: { ...hall, boundary: { ...closed, top: meeting } },
    code: 'DID_NOT_CONVERGE',
    field: 'boundary',
  },
  {
    title: 'an open box driven at its resonance',
    body: { ...court, frequency: (343 / 2) * Math.sqrt(1 + 1 / 2.25) },
    code: 'RESONANCE',
    field: 'frequency',
  },
  {
    title: 'a box driven at a resonance with a mass above',
    body: { ...heavy, eta: 0, frequency: 42.875, boundary: { ...closed, top: wall(0, 1), right: 'rigid' } },
    code: 'RESONANCE',
    field: 'frequency',
  },
  {
    title: 'a wall beside the piston that is all but open',
    body: { ...hall, boundary: { ...closed, top: wall(0.01) } },
    code: 'LIMIT_EXCEEDED',
    field: 'boundary.top',
  },
  {
    title: 'fewer elements than a soft wall takes',
    body: { ...hall, boundary: { ...closed, top: wall(0.2) }, N: 8 },
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  {
    title: 'elements too coarse for the waves in an open box',
    body: { ...court, frequency: 2000, N: 4 },
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
  {
    title: 'an open box of too many waves',
    body: { ...court, frequency: 4000 },
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  {
    title: 'too few elements along a box where sound dies',
    body: {
      ...court,
      domain: { type: 'box', Lx: 10, Ly: 0.1, Lz: 1 },
      frequency: 20,
      probe: [0.1, 0.04, 0],
      N: 8,
    },
    code: 'OUTSIDE_TOLERANCE',
    field: 'N',
  },
  {
    title: 'elements for two axes of a box',
    body: { ...court, N: [8, 8] },
    code: 'INVALID_INPUT',
    field: 'N',
  },
  {
    title: 'a side of an open box without a word',
    body: { ...hall, boundary: { right: 'rigid', bottom: 'open', top: 'open', front: 'rigid' } },
    code: 'MISSING_INPUT',
    field: 'boundary.back',
  },
];
