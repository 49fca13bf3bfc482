import type { Refused } from '../solver-test.ts';

const grow = { model: 'gompertz', V0: 1e-9, K: 1e-6, a: 1e-6, t_max: 1e6 };
const invade = { mode: 'invade', D: 1, r: 1, Lx: 40, initial: { type: 'front', x0: [20] }, t_max: 2, N: 64 };
const { a: _, ...withoutRate } = grow;
const { model: __, ...withoutModel } = grow;
const { V0: ___, ...withoutV0 } = grow;
const { initial: ____, ...withoutInitial } = invade;
const { D: _____, ...withoutD } = invade;
const dose = (t: number, size = 2) => ({ t, dose: size, alpha: 0.3, beta: 0.03 });
const u = Array.from({ length: 64 }, () => 0.5);

export const refused: readonly Refused[] = [
  { title: 'no model', body: withoutModel, code: 'MISSING_INPUT', field: 'model' },
  { title: 'no rate', body: withoutRate, code: 'MISSING_INPUT', field: 'a' },
  { title: 'no volume', body: withoutV0, code: 'MISSING_INPUT', field: 'V0' },
  {
    title: 'no exponent',
    body: { ...withoutRate, model: 'richards', r: 1e-6 },
    code: 'MISSING_INPUT',
    field: 'nu',
  },
  { title: 'a rate of another model', body: { ...grow, r: 1 }, code: 'INVALID_INPUT', field: 'r' },
  {
    title: 'a capacity with bertalanffy',
    body: { model: 'bertalanffy', V0: 1, K: 1, alpha: 1, beta: 1, t_max: 1 },
    code: 'INVALID_INPUT',
    field: 'K',
  },
  { title: 'a diffusivity of growth', body: { ...grow, D: 1 }, code: 'INVALID_INPUT', field: 'D' },
  { title: 'a volume of zero', body: { ...grow, V0: 0 }, code: 'INVALID_INPUT', field: 'V0' },
  {
    title: 'doses out of order',
    body: { ...grow, schedule: [dose(5e5), dose(4e5)] },
    code: 'INVALID_INPUT',
    field: 'schedule[1].t',
  },
  {
    title: 'a dose behind the end',
    body: { ...grow, schedule: [dose(2e6)] },
    code: 'INVALID_INPUT',
    field: 'schedule[0].t',
  },
  {
    title: 'a dose of nothing',
    body: { ...grow, schedule: [dose(1, 0)] },
    code: 'INVALID_INPUT',
    field: 'schedule[0].dose',
  },
  {
    title: 'a dose that leaves no number',
    body: { ...grow, schedule: [dose(1, 200)] },
    code: 'LIMIT_EXCEEDED',
    field: 'schedule',
  },
  {
    title: 'a volume far above its capacity',
    body: { ...grow, V0: 1e3 },
    code: 'LIMIT_EXCEEDED',
    field: 'V0',
  },
  {
    title: 'two starts',
    body: { ...grow, initialState: { V: 1e-9 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'an empty initialState',
    body: { ...withoutV0, initialState: { t0: 1 } },
    code: 'MISSING_INPUT',
    field: 'initialState.V',
  },
  {
    title: 'a density for a volume',
    body: { ...withoutV0, initialState: { u } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  { title: 'a very long run', body: { ...grow, t_max: 1e20 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  { title: 'a tiny step', body: { ...grow, dt: 1e-9 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  { title: 'a step that is too coarse', body: { ...grow, a: 1e-3, dt: 3.9e3 }, code: 'OUTSIDE_TOLERANCE' },
  { title: 'no diffusivity', body: withoutD, code: 'MISSING_INPUT', field: 'D' },
  { title: 'no front', body: withoutInitial, code: 'MISSING_INPUT', field: 'initial' },
  {
    title: 'a front nowhere',
    body: { ...invade, initial: { type: 'front' } },
    code: 'MISSING_INPUT',
    field: 'initial.x0',
  },
  {
    title: 'a front outside',
    body: { ...invade, initial: { type: 'front', x0: [50] } },
    code: 'INVALID_INPUT',
    field: 'initial.x0',
  },
  { title: 'a value nowhere', body: { ...invade, quantity: 'value' }, code: 'MISSING_INPUT', field: 'probe' },
  {
    title: 'a probe without its quantity',
    body: { ...invade, probe: [1] },
    code: 'INVALID_INPUT',
    field: 'probe',
  },
  { title: 'cells that do not halve twice', body: { ...invade, N: 66 }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'a step beyond stability', body: { ...invade, dt: 0.2 }, code: 'STABILITY_LIMIT', field: 'dt' },
  {
    title: 'a density of other cells',
    body: { ...withoutInitial, N: 32, initialState: { u } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  {
    title: 'a negative density',
    body: { ...withoutInitial, initialState: { u: [...u.slice(1), -0.1] } },
    code: 'INVALID_INPUT',
    field: 'initialState.u',
  },
  {
    title: 'too many steps of too many cells',
    body: { ...invade, N: 2 ** 18 },
    code: 'LIMIT_EXCEEDED',
    field: 't_max',
  },
  {
    title: 'a front narrower than a cell',
    body: { ...invade, r: 400, N: 16, t_max: 0.1 },
    code: 'OUTSIDE_TOLERANCE',
  },
];
