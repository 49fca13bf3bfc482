import type { Refused } from '../solver-test.ts';

const sir = { model: 'sir', N: 1000, S0: 990, I0: 10, beta: 0.5, gamma: 0.25, t_max: 60 };
const seir = { ...sir, model: 'seir', E0: 0, sigma: 0.2 };
const { beta: _, ...withoutBeta } = sir;
const { I0: __, ...withoutI0 } = sir;
const { S0: ___, ...withoutStart } = withoutI0;
const { sigma: ____, ...withoutSigma } = seir;

export const refused: readonly Refused[] = [
  { title: 'no rate', body: withoutBeta, code: 'MISSING_INPUT', field: 'beta' },
  { title: 'half a start', body: withoutI0, code: 'MISSING_INPUT', field: 'I0' },
  { title: 'a latent period without its rate', body: withoutSigma, code: 'MISSING_INPUT', field: 'sigma' },
  { title: 'sir with exposed', body: { ...sir, E0: 1 }, code: 'INVALID_INPUT', field: 'E0' },
  { title: 'sir with sigma', body: { ...sir, sigma: 1 }, code: 'INVALID_INPUT', field: 'sigma' },
  { title: 'a negative rate', body: { ...sir, gamma: -1 }, code: 'INVALID_INPUT', field: 'gamma' },
  { title: 'a negative count', body: { ...sir, S0: -1 }, code: 'INVALID_INPUT', field: 'S0' },
  { title: 'an end at once', body: { ...sir, t_max: 0 }, code: 'INVALID_INPUT', field: 't_max' },
  { title: 'more people than there are', body: { ...sir, S0: 995 }, code: 'INVALID_INPUT', field: 'N' },
  { title: 'another model', body: { ...sir, model: 'sis' }, code: 'INVALID_INPUT', field: 'model' },
  {
    title: 'two starts',
    body: { ...sir, initialState: { S: 990, I: 10 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half an initialState',
    body: { ...withoutStart, initialState: { S: 990 } },
    code: 'MISSING_INPUT',
    field: 'initialState.I',
  },
  { title: 'a tiny step', body: { ...sir, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  { title: 'a very long run', body: { ...sir, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'an epidemic on its threshold',
    body: { ...sir, S0: 1000 - 1e-12, I0: 1e-12, beta: 0.25 },
    code: 'LIMIT_EXCEEDED',
    field: 'beta',
  },
  { title: 'a step that is too coarse', body: { ...sir, t_max: 12288, dt: 12 }, code: 'OUTSIDE_TOLERANCE' },
];
