import type { Refused } from '../solver-test.ts';

const sun = { model: 'zero-d', S0: 1361, albedo: 0.3, emissivity: 0.6 };
const two = { model: 'two-layer', F: 3.7, lambda: 1.1, gamma: 0.7, C: 2e8, Cd: 3e9 };
const bare = { model: 'ebm', S0: 1365.2, A: 210, B: 2, D: 0.55, s2: -0.48, a0: 0.3, a2: 0.078 };
const iced = { ...bare, ai: 0.62, Tf: 263.15 };
const wrong = 'INVALID_INPUT';
const missing = 'MISSING_INPUT';

export const refused: readonly Refused[] = [
  { title: 'no model', body: { S0: 1361 }, code: missing, field: 'model' },
  { title: 'no sunlight', body: { model: 'grey', albedo: 0.3, n: 1 }, code: missing, field: 'S0' },
  {
    title: 'a field of another model',
    body: { model: 'grey', S0: 1361, albedo: 0.3, n: 1, co2: 400 },
    code: wrong,
    field: 'co2',
  },
  { title: 'a reflecting planet', body: { ...sun, albedo: 1.1, steady: true }, code: wrong, field: 'albedo' },
  { title: 'no end', body: { ...sun, C: 1e7, T0: 280 }, code: missing, field: 't_end' },
  { title: 'two ends', body: { ...sun, steady: true, t_end: 1 }, code: wrong, field: 'steady' },
  { title: 'no heat capacity', body: { ...sun, T0: 280, t_end: 1 }, code: missing, field: 'C' },
  { title: 'no start', body: { ...sun, C: 1e7, t_end: 1 }, code: missing, field: 'T0' },
  { title: 'a steady state with a start', body: { ...sun, T0: 280, steady: true }, code: wrong, field: 'T0' },
  { title: 'no emission', body: { ...sun, emissivity: 0, steady: true }, code: wrong, field: 'emissivity' },
  {
    title: 'an unstable step',
    body: { ...two, t_end: 1e9, dt: 1e9 },
    code: 'STABILITY_LIMIT',
    field: 'dt',
  },
  { title: 'a tiny step', body: { ...two, t_end: 1e9, dt: 1e-6 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  {
    title: 'half an initialState',
    body: { ...two, t_end: 1e9, initialState: { T: 1 } },
    code: missing,
    field: 'initialState.Td',
  },
  { title: 'layers and a depth', body: { model: 'grey', S0: 1, albedo: 0, n: 1, tau: 1 }, code: wrong },
  { title: 'no layers', body: { model: 'grey', S0: 1361, albedo: 0.3 }, code: missing, field: 'n' },
  {
    title: 'a temperature without feedback',
    body: { model: 'forcing', co2: 560, co2Ref: 280, quantity: 'temperature' },
    code: missing,
    field: 'lambda',
  },
  {
    title: 'a quantity of another model',
    body: { model: 'forcing', co2: 560, co2Ref: 280, quantity: 'iceLatitude' },
    code: wrong,
    field: 'quantity',
  },
  { title: 'temperature nowhere', body: { ...bare, quantity: 'temperature' }, code: missing, field: 'probe' },
  {
    title: 'temperature beyond the pole',
    body: { ...bare, quantity: 'temperature', probe: [1.2] },
    code: wrong,
    field: 'probe[0]',
  },
  { title: 'ice without its albedo', body: { ...bare, Tf: 263, start: 'warm' }, code: missing, field: 'ai' },
  { title: 'ice without a start', body: iced, code: missing, field: 'start' },
  { title: 'the edge of no ice', body: { ...bare, quantity: 'iceLatitude' }, code: missing, field: 'ai' },
  { title: 'a coarse grid', body: { ...bare, N: 100 }, code: wrong, field: 'N' },
  {
    title: 'temperatures of another grid',
    body: { ...iced, initialState: { T: [280, 270] } },
    code: wrong,
    field: 'initialState.T',
  },
  {
    title: 'ice on the equator',
    body: { ...iced, S0: 900, s2: 0.9, start: 'warm' },
    code: 'UNSUPPORTED',
    field: 'Tf',
  },
  { title: 'a planet below 0 K', body: { ...bare, A: 1000 }, code: wrong, field: 'A' },
];
