import type { Refused } from './refusals.ts';
import type { Reference, Twin } from './solver-test.ts';

// Modes between impedances: what acoustic.test.ts asks of them. Numbers of mpmath: test/fixtures/acoustic/walls.py.

const rho = 1.2;
const c = 343;
/** An impedance in ρc. */
export const wall = (R: number, X = 0) => ({ type: 'impedance', Z: R * rho * c, X: X * rho * c });

const tube = { analysis: 'duct', c, rho, domain: { type: 'duct', L: 1 }, count: 3 };
export const absorbed = { ...tube, boundary: { left: 'rigid', right: wall(4) } };
export const filter = {
  ...tube,
  domain: {
    type: 'duct',
    steps: [
      { L: 0.5, S: 1 },
      { L: 0.3, S: 4 },
      { L: 0.4, S: 0.5 },
    ],
  },
  boundary: { left: 'rigid', right: wall(2, -1) },
};
export const room = {
  analysis: 'modes',
  c,
  rho,
  domain: { type: 'box', Lx: 5, Ly: 4, Lz: 3 },
  boundary: wall(10),
  count: 3,
};
const mixed = {
  ...room,
  boundary: {
    left: 'rigid',
    right: wall(8),
    bottom: 'rigid',
    top: wall(3, 2),
    front: wall(6, -2),
    back: wall(12),
  },
};

/** A cavity of cells. */
const cells = (mask: number[][], more: object) => ({
  analysis: 'modes',
  c,
  rho,
  domain: { type: 'mask', cells: mask, h: 1 },
  count: 2,
  N: 8,
  ...more,
});
const corner = [
  [1, 1],
  [1, 0],
];
export const bent = cells(corner, { boundary: wall(10) });
const atTheEnd = { left: 'rigid', right: wall(4), bottom: 'rigid', top: 'rigid' };
export const passage = cells([[1, 1]], { boundary: atTheEnd });
const square = cells([[1]], { boundary: wall(10), count: 2 });
/** Softer than air. */
const softTube = cells([[1, 1]], { boundary: { ...atTheEnd, right: wall(0.25) } });
const softCorner = cells([[1]], {
  boundary: { left: 'rigid', right: wall(0.2, 0.1), bottom: 'rigid', top: wall(3) },
  N: undefined,
});

const program = 'mpmath';
const newton = 'test/fixtures/acoustic/corner-walls.py: both axes by Newton’s method';
const arnoldi = 'test/fixtures/acoustic/cavity.py: bilinear elements, Arnoldi';
const both = { ...tube, boundary: { left: wall(4), right: wall(2, 1) } };
const soft = { ...tube, boundary: { left: 'open', right: wall(0.2, 0.1) } };

const rows: [string, object, string | undefined, number, string][] = [
  [
    'a tube with a mass at its end',
    { ...tube, boundary: { left: 'rigid', right: wall(0, 1) } },
    undefined,
    42.875,
    'k tan kL = ikρc/Z, Z = iρc: tan kL = 1',
  ],
  [
    'a soft end draws at the waves of an open one',
    { ...tube, boundary: { left: 'rigid', right: wall(0.25) } },
    'frequencies.1',
    257.25,
    'kL = (n + ½)π + i artanh(Z/ρc)',
  ],
  [
    'its decay',
    { ...tube, boundary: { left: 'rigid', right: wall(0.25) } },
    'decayRates.1',
    87.6065944758674,
    'c artanh(¼)/L',
  ],
  ['two impedances', both, 'frequencies.1', 184.155295213525, program],
  ['their decay', both, 'decayRates.1', 225.615895467092, program],
  ['a filter with an impedance', filter, 'frequencies.2', 468.485639400863, program],
  ['its decay rate', filter, 'decayRates.2', 22.605696507463, program],
  ['a soft reactance', soft, undefined, 165.836375406122, program],
  ['the decay at a soft reactance', soft, 'decayRates.0', 68.8012100190134, program],
  ['a room with six absorbing walls', room, undefined, 34.058002962173, program],
  ['its first decay', room, 'decayRates.0', 34.0649687237673, program],
  ['its oblique mode', room, 'frequencies.2', 54.8058329258282, program],
  ['the decay of that', room, 'decayRates.2', 42.7261149914027, program],
  ['a room with other walls', mixed, 'frequencies.2', 44.5425222189356, program],
  ['the decay between other walls', mixed, 'decayRates.2', 38.7291878258919, program],
];

const ofCells: typeof rows = [
  ['a tube of cells with a wall that takes', passage, undefined, 85.75, 'kL = nπ + i artanh(ρc/Z)'],
  ['the decay in that tube', passage, 'decayRates.1', 43.8032972379337, 'c artanh(¼)/L'],
  ['an L with walls that take', bent, undefined, 65.865209, arnoldi],
  ['its decay in the corner', bent, 'decayRates.0', 60.478122, arnoldi],
  ['its next mode', bent, 'frequencies.1', 102.444849, arnoldi],
  ['its next decay', bent, 'decayRates.1', 66.031727, arnoldi],
  ['a tube of cells with a soft end', softTube, undefined, 42.875, 'kL = (n + ½)π + i artanh(Z/ρc)'],
  ['the decay at a soft end', softTube, 'decayRates.1', 43.8032972379337, 'c artanh(¼)/L'],
  ['cells with a soft wall and a hard one', softCorner, undefined, 82.6316145799579, newton],
  ['their decay', softCorner, 'decayRates.0', 129.855846924928, newton],
  ['their next mode', softCorner, 'frequencies.1', 190.989240424403, newton],
  ['its decay between them', softCorner, 'decayRates.1', 133.270637129053, newton],
];

const referenceOf =
  (tolerance: number) =>
  ([title, body, of, expect, source]: (typeof rows)[number]): Reference => ({
    title,
    body,
    ...(of === undefined ? {} : { of }),
    expect,
    tolerance,
    source,
  });
export const wallReferences: Reference[] = [
  ...rows.map(referenceOf(1e-6)),
  ...ofCells.map(referenceOf(1e-3)),
];

const kernel = 'acoustic-wall';
const file = 'assembly/acoustics/axis.ts';
export const wallTwins: Twin[] = [
  {
    title: 'half of an impedance',
    kernel,
    body: absorbed,
    file,
    find: 'admittanceRe = factor * betaRe(axis, side);',
    replace: 'admittanceRe = 0.5 * factor * betaRe(axis, side);',
  },
  {
    title: 'a wall that sees a wave without loss',
    kernel,
    body: room,
    file,
    find: 'times(kRe, kIm, -admittanceIm, admittanceRe);',
    replace: 'times(kRe, 0.0, -admittanceIm, admittanceRe);',
  },
  {
    title: 'a mode twice for another',
    kernel,
    body: room,
    find: 'const own = parameterF64(at + (<usize>labelOf(mode(), axis) << 3));',
    replace: 'const own = parameterF64(at + (<usize>labelOf(min(1, mode()), axis) << 3));',
  },
  {
    title: 'walls that stop on the way',
    kernel,
    body: absorbed,
    file,
    find: 'type == 2 ? grown(t, ',
    replace: 'type == 2 ? grown(min(t, 0.99), ',
  },
  {
    title: 'a reactance of the other sign',
    kernel,
    body: filter,
    file,
    find: 'admittanceIm = factor * betaIm(axis, side);',
    replace: 'admittanceIm = -factor * betaIm(axis, side);',
  },
  {
    title: 'cells whose walls take half',
    kernel: 'acoustic-mask-wall',
    body: square,
    file: 'assembly/acoustics/mask-walls.ts',
    find: 'function betaRe(): f64 { return wallField',
    replace: 'function betaRe(): f64 { return 0.5 * wallField',
  },
  {
    title: 'walls of cells that the factors do not have whole',
    kernel: 'acoustic-mask-wall',
    body: square,
    file: 'assembly/acoustics/mask-walls.ts',
    find: 'q > p) continue;',
    replace: 'q >= p) continue;',
  },
  {
    title: 'soft walls of cells that stop short',
    kernel: 'acoustic-mask-wall',
    body: softTube,
    file: 'assembly/acoustics/mask-walls.ts',
    find: 'isSoft ? 1.0 / stage',
    replace: 'isSoft ? 1.0 / (0.99 * stage)',
  },
  {
    title: 'a mode of cells twice for another',
    kernel: 'acoustic-mask-wall',
    body: passage,
    file: 'assembly/acoustics/mask-follow.ts',
    find: 'setField(40, sqrt(max(0.0, rigidSquare(mode()))));',
    replace: 'setField(40, sqrt(max(0.0, rigidSquare(min(1, mode())))));',
  },
  {
    // Two rows of one root are as many as the roots with the one that is missing.
    title: 'a mode of cells that another came to, and the one below it missing',
    kernel: 'acoustic-mask-wall',
    body: bent,
    file: 'assembly/acoustics/mask-follow.ts',
    find: [
      'setField(40, sqrt(max(0.0, rigidSquare(mode()))));',
      '  setField(48, 0.0);',
      '  memory.copy(is, rigidMode(mode()), <usize>n << 4);',
    ].join('\n'),
    replace: [
      'const twin = mode() == 1 ? 2 : mode();',
      '  setField(40, sqrt(max(0.0, rigidSquare(twin))));',
      '  setField(48, 0.0);',
      '  memory.copy(is, rigidMode(twin), <usize>n << 4);',
    ].join('\n'),
  },
];

const withoutRho = ({ rho: _, ...body }: { rho: number }): object => body;
export const wallsRefused: Refused[] = [
  {
    title: 'cells between impedances without a density',
    body: withoutRho(square),
    code: 'MISSING_INPUT',
    field: 'rho',
  },
  {
    title: 'cells between impedances that meet in a corner alone',
    body: cells(
      [
        [1, 1, 0],
        [1, 0, 1],
        [1, 1, 1],
      ],
      { boundary: wall(10) },
    ),
    code: 'INVALID_INPUT',
    field: 'domain.cells',
  },
  {
    title: 'cells between impedances on a coarse mesh',
    body: cells(corner, { boundary: wall(1.7), N: 8 }),
    code: 'OUTSIDE_TOLERANCE',
    field: 'N',
  },
  {
    title: 'an impedance without a density',
    body: withoutRho(absorbed),
    code: 'MISSING_INPUT',
    field: 'rho',
  },
  {
    title: 'an impedance that no air touches',
    body: cells([[1, 0]], { boundary: atTheEnd }),
    code: 'INVALID_INPUT',
    field: 'boundary.right',
  },
  {
    title: 'a wall as good as rigid',
    body: { ...absorbed, boundary: { left: 'rigid', right: wall(1e10) } },
    code: 'LIMIT_EXCEEDED',
    field: 'boundary.right',
  },
  {
    title: 'a density that nothing needs',
    body: { ...absorbed, boundary: 'rigid' },
    code: 'INVALID_INPUT',
    field: 'rho',
  },
  {
    title: 'an end that sends nothing back',
    body: { ...absorbed, boundary: { left: 'rigid', right: wall(1) } },
    code: 'DID_NOT_CONVERGE',
    field: 'boundary',
  },
  {
    title: 'a room whose walls are softer than air',
    body: { ...room, boundary: wall(0.5) },
    code: 'OUTSIDE_TOLERANCE',
  },
  {
    title: 'a room between impedances with too many modes',
    body: { ...room, boundary: wall(0.9), count: 100, domain: { type: 'box', Lx: 5, Ly: 5, Lz: 5 }, N: 4096 },
    code: 'LIMIT_EXCEEDED',
    field: 'count',
  },
];
