import { boxRefused } from './acoustic-box.ts';
import { wallsRefused } from './acoustic-walls.ts';
import { type Refused, testRefusals } from './refusals.ts';

const room = {
  analysis: 'modes',
  c: 343,
  domain: { type: 'box', Lx: 5, Ly: 4, Lz: 3 },
  boundary: 'rigid',
  count: 2,
};
const { c: _, ...withoutSpeed } = room;
const { boundary: __, ...withoutBoundary } = room;
const tube = { analysis: 'duct', c: 343, domain: { type: 'duct', L: 0.85 }, boundary: 'rigid', count: 2 };
const piston = {
  analysis: 'forced',
  c: 343,
  rho: 1.204,
  domain: { type: 'duct', L: 1.5 },
  boundary: { right: 'rigid' },
  frequency: 210,
  u0: 1e-3,
  probe: [1.5],
};
const { rho: ___, ...withoutDensity } = piston;
const cavity = (cells: number[][], more: object = {}) => ({
  analysis: 'modes',
  c: 343,
  domain: { type: 'mask', cells, h: 1 },
  boundary: 'rigid',
  count: 1,
  ...more,
});

const hall = (cells: number[][], more: object = {}) => ({
  ...piston,
  domain: { type: 'mask', cells, h: 0.5 },
  boundary: { right: 'rigid', bottom: 'rigid', top: 'rigid' },
  probe: [0.25, 0.25],
  ...more,
});

const refused: readonly Refused[] = [
  ...wallsRefused,
  ...boxRefused,
  { title: 'no speed of sound', body: withoutSpeed, code: 'MISSING_INPUT', field: 'c' },
  {
    title: 'two speeds of sound',
    body: { ...room, temperature: 300 },
    code: 'INVALID_INPUT',
    field: 'temperature',
  },
  { title: 'no walls', body: withoutBoundary, code: 'MISSING_INPUT', field: 'boundary' },
  {
    title: 'a wall that is missing',
    body: { ...tube, boundary: { left: 'rigid' } },
    code: 'MISSING_INPUT',
    field: 'boundary.right',
  },
  {
    title: 'a wall that a duct has not',
    body: { ...tube, boundary: { left: 'rigid', right: 'rigid', top: 'open' } },
    code: 'INVALID_INPUT',
    field: 'boundary.top',
  },
  {
    title: 'modes of cells between walls that send nothing back',
    body: cavity([[1]], { rho: 1.2, boundary: { type: 'impedance', Z: 400 } }),
    code: 'OUTSIDE_TOLERANCE',
    field: 'boundary',
  },
  {
    title: 'modes of a duct as of a box',
    body: { ...room, domain: { type: 'duct', L: 1 } },
    code: 'UNSUPPORTED',
    field: 'domain.type',
  },
  {
    title: 'a loss in air between impedances',
    body: { ...tube, rho: 1.2, boundary: { left: 'rigid', right: { type: 'impedance', Z: 400 } }, eta: 0.1 },
    code: 'UNSUPPORTED',
    field: 'eta',
  },
  { title: 'a value beyond the list', body: { ...room, n: 3 }, code: 'INVALID_INPUT', field: 'n' },
  {
    title: 'a duct without a bore',
    body: { ...tube, domain: { type: 'duct' } },
    code: 'MISSING_INPUT',
    field: 'domain.L',
  },
  {
    title: 'a duct with two bores',
    body: { ...tube, domain: { type: 'duct', L: 1, steps: [{ L: 1, S: 1 }] } },
    code: 'INVALID_INPUT',
    field: 'domain.steps',
  },
  {
    title: 'a bore that opens into the world',
    body: {
      ...tube,
      domain: {
        type: 'duct',
        steps: [
          { L: 1, S: 1 },
          { L: 1, S: 1e6 },
        ],
      },
    },
    code: 'LIMIT_EXCEEDED',
    field: 'domain.steps',
  },
  { title: 'ragged cells', body: cavity([[1, 1], [1]]), code: 'INVALID_INPUT', field: 'domain.cells' },
  { title: 'no air', body: cavity([[0]]), code: 'INVALID_INPUT', field: 'domain.cells' },
  { title: 'two cavities', body: cavity([[1, 0, 1]]), code: 'INVALID_INPUT', field: 'domain.cells' },
  { title: 'a mesh without a quarter', body: cavity([[1]], { N: 6 }), code: 'INVALID_INPUT', field: 'N' },
  {
    title: 'a mesh that is too fine',
    body: cavity(
      [
        [1, 1],
        [1, 1],
      ],
      { N: 1024 },
    ),
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  {
    title: 'a mesh with fewer nodes than modes',
    body: cavity([[1]], { N: 4, count: 50 }),
    code: 'INVALID_INPUT',
    field: 'N',
  },
  { title: 'no density', body: withoutDensity, code: 'MISSING_INPUT', field: 'rho' },
  {
    title: 'a wall where the piston is',
    body: { ...piston, boundary: { left: 'rigid', right: 'rigid' } },
    code: 'INVALID_INPUT',
    field: 'boundary.left',
  },
  {
    title: 'an end without impedance',
    body: { ...piston, boundary: { right: { type: 'impedance', Z: 0 } } },
    code: 'INVALID_INPUT',
    field: 'boundary.right.Z',
  },
  { title: 'a piston that stands still', body: { ...piston, u0: 0 }, code: 'INVALID_INPUT', field: 'u0' },
  { title: 'a probe outside', body: { ...piston, probe: [2] }, code: 'INVALID_INPUT', field: 'probe' },
  {
    title: 'a probe with too many axes',
    body: { ...piston, probe: [1, 0] },
    code: 'INVALID_INPUT',
    field: 'probe',
  },
  {
    title: 'a mesh too coarse for its waves',
    body: { ...piston, frequency: 2000, N: 4 },
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
  {
    title: 'a wave too short for any mesh',
    body: { ...piston, frequency: 1e9 },
    code: 'LIMIT_EXCEEDED',
    field: 'N',
  },
  {
    title: 'a tube driven at its resonance',
    body: { ...piston, frequency: 343 / 3 },
    code: 'RESONANCE',
    field: 'frequency',
  },
  {
    title: 'no air at the piston',
    body: { ...hall([[0, 1]]), probe: [0.75, 0.25] },
    code: 'INVALID_INPUT',
    field: 'domain.cells',
  },
  {
    title: 'a probe in the wall',
    body: hall(
      [
        [1, 1],
        [1, 0],
      ],
      { probe: [0.75, 0.75] },
    ),
    code: 'INVALID_INPUT',
    field: 'probe',
  },
  {
    title: 'a cavity too coarse for its waves',
    body: hall([[1]], { frequency: 4000, N: 4 }),
    code: 'STABILITY_LIMIT',
    field: 'N',
  },
  {
    title: 'a cavity driven at its resonance',
    body: hall([[1, 1, 1]], { frequency: 343 / 3 }),
    code: 'RESONANCE',
    field: 'frequency',
  },
  {
    title: 'an open corner on a coarse mesh',
    body: hall(
      [
        [1, 1],
        [1, 0],
      ],
      { boundary: 'open', N: 12 },
    ),
    code: 'OUTSIDE_TOLERANCE',
  },
];

testRefusals('acoustic', refused);
