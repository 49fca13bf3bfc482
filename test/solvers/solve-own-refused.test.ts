import { type Refused, testRefusals } from './refusals.ts';

const growth = {
  equation: "N' = r*N*(1 - N/K)",
  inputs: {
    t_end: 10,
    N0: { value: 5, unit: '1' },
    r: { value: 0.3, unit: '1/s' },
    K: { value: 100, unit: '1' },
  },
};
const { r: _, ...withoutRate } = growth.inputs;
const { N0: __, ...withoutStart } = growth.inputs;
const { t_end: ___, ...withoutEnd } = growth.inputs;
const decay = (equation: string, more: object = {}) => ({
  equation,
  inputs: { t_end: 1, y0: 1, ...more },
});

/** Systems of the caller's own; those of the master equation stand in ./solve.test.ts. */
const refused: readonly Refused[] = [
  {
    title: 'a pulse between two steps',
    body: {
      equation: "y' = 1 + 1000*exp(-((t - 3.3337)/0.0003)^2)",
      inputs: { t_end: 10, y0: 0 },
      dt: 0.1,
    },
    code: 'OUTSIDE_TOLERANCE',
    field: 'dt',
  },
  {
    title: 'a letter that nobody gave',
    body: { ...growth, inputs: withoutRate },
    code: 'MISSING_INPUT',
    field: 'inputs.r',
  },
  {
    title: 'a component without a start',
    body: { ...growth, inputs: withoutStart },
    code: 'MISSING_INPUT',
    field: 'inputs.N0',
  },
  { title: 'no end', body: { ...growth, inputs: withoutEnd }, code: 'MISSING_INPUT', field: 'inputs.t_end' },
  {
    title: 'a rate of another dimension',
    body: { ...growth, inputs: { ...growth.inputs, r: { value: 0.3, unit: 'm/s' } } },
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'a sum of unlike quantities',
    body: { ...growth, inputs: { ...growth.inputs, K: { value: 100, unit: 'kg' } } },
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'what is conserved as a sum of unlike quantities',
    body: { ...growth, conserved: 'N + r' },
    code: 'INVALID_INPUT',
    field: 'conserved',
  },
  {
    title: 'a letter that stands nowhere',
    body: { ...growth, inputs: { ...growth.inputs, rr: 1 } },
    code: 'INVALID_INPUT',
    field: 'inputs.rr',
  },
  {
    title: 'a start that is a point on a scale',
    body: {
      equation: "T' = -k*(T - T_a)",
      inputs: {
        ...{ t_end: { value: 1, unit: 's' }, T0: { value: 20, unit: 'degC' } },
        ...{ T_a: { value: 290, unit: 'K' }, k: { value: 1, unit: '1/s' } },
      },
    },
    code: 'INVALID_INPUT',
    field: 'inputs.T0',
  },
  {
    title: 'a start out of range, under its second name',
    body: decay("y' = -y", { y0: undefined, y_0: { value: 1e308, unit: 'km' } }),
    code: 'INVALID_INPUT',
    field: 'inputs.y_0',
  },
  {
    title: 'a component given a value',
    body: { ...growth, inputs: { ...growth.inputs, N: 1 } },
    code: 'INVALID_INPUT',
    field: 'inputs.N',
  },
  { title: 'an inequality', body: decay("y' = y > 0"), code: 'NON_SCALAR_RESULT', field: 'equation' },
  { title: 'a matrix', body: decay("y' = [y, 1]"), code: 'NON_SCALAR_RESULT', field: 'equation' },
  { title: 'an integral', body: decay("y' = integral(y)"), code: 'UNSUPPORTED', field: 'equation' },
  { title: 'a formula that is no equation', body: decay('2*y'), code: 'INVALID_INPUT', field: 'equation' },
  {
    title: 'an equation for no derivative',
    body: decay('y = 2'),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  { title: 'nothing to the right', body: decay("y' = "), code: 'INVALID_INPUT', field: 'equation' },
  { title: 'no equation at all', body: decay(' ; '), code: 'INVALID_INPUT', field: 'equation' },
  {
    title: 'two equations for one component',
    body: decay("y' = 1; y' = 2"),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'derivatives by two variables',
    body: decay('dy/dx = 1; dz/dt = 2', { z0: 1 }),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'seventeen components',
    body: decay(Array.from({ length: 17 }, (_, i) => `y${i}' = 1`).join(';')),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'brackets two thousand deep',
    body: decay(`y' = ${'('.repeat(2000)}y${')'.repeat(2000)}`),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'a function of a function of a function',
    body: decay(`y' = ${'sin('.repeat(100)}y${')'.repeat(100)}`),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'text of more than 4096 characters',
    body: decay(`y' = ${'1+'.repeat(3000)}y`),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  { title: 'an unknown function', body: decay("y' = foo(y)"), code: 'INVALID_INPUT', field: 'equation' },
  { title: 'log without its base', body: decay("y' = log(y)"), code: 'INVALID_INPUT', field: 'equation' },
  {
    title: 'a start in initialState',
    body: { ...growth, initialState: { y: 1 } },
    code: 'INVALID_INPUT',
    field: 'initialState.y',
  },
  {
    title: 'a quantity of the master equation',
    body: { inputs: { t_end: 3, m: 2, k: 50, x0: 0.1, v0: 0 }, quantity: 'x' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  {
    title: 'a mass in seconds',
    body: { inputs: { t_end: 3, m: { value: 2, unit: 's' }, k: 50, x0: 0.1, v0: 0 } },
    code: 'INVALID_INPUT',
    field: 'inputs.m.unit',
  },
  {
    title: 'a letter that is no name',
    body: { ...growth, inputs: { ...growth.inputs, 'a-b': 1 } },
    code: 'INVALID_INPUT',
    field: 'inputs.a-b',
  },
  {
    title: 'an end before the start',
    body: { ...growth, initialState: { t0: 11 } },
    code: 'INVALID_INPUT',
    field: 'inputs.t_end',
  },
  { title: 'a step of nothing', body: { ...growth, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  { title: 'a pole in finite time', body: decay("y' = y^2", { t_end: 3 }), code: 'NON_FINITE' },
  { title: 'a formula without a value', body: decay("y' = ln(-y)"), code: 'NON_FINITE' },
  {
    title: 'a quantity that is not conserved',
    body: { ...growth, conserved: 'N' },
    code: 'OUTSIDE_TOLERANCE',
  },
  {
    title: 'a step that is too long for the motion',
    body: { ...decay("y'' = -400*y", { t_end: 10, y_dot0: 0 }), dt: 0.1 },
    code: 'OUTSIDE_TOLERANCE',
  },
];

testRefusals('solve', refused);
