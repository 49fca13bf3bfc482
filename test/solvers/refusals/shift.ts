import type { Refused } from '../solver-test.ts';

const energy = { solver: 'compute', inputs: { equation: 'm*v^2/2', inputs: { m: 2, v: 3 } } };
const ratio = { operators: ['SP7'], inputs: { P_signal: 10, P_noise: 1 } };
const decay = { solver: 'solve', inputs: { inputs: { c: 1, k: 0.3, y0: 5, t_end: 4 } } };

export const refused: readonly Refused[] = [
  { title: 'no target', body: { inputs: {}, shift: { m: 1 } }, code: 'MISSING_INPUT', field: 'operators' },
  {
    title: 'two targets',
    body: { ...energy, operators: ['SP7'], shift: { m: 1 } },
    code: 'INVALID_INPUT',
    field: 'solver',
  },
  {
    title: 'a shift of a shift',
    body: { solver: 'shift', inputs: { ...ratio, shift: { P_noise: 1 } }, shift: { 'shift.P_noise': 1 } },
    code: 'UNSUPPORTED',
    field: 'solver',
  },
  { title: 'nothing to shift', body: { ...energy, shift: {} }, code: 'MISSING_INPUT', field: 'shift' },
  {
    title: 'a shift of 0',
    body: { ...energy, shift: { 'inputs.m': 0 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs.m',
  },
  {
    title: 'a shift that rounds away',
    body: { ...energy, shift: { 'inputs.m': 1e-17 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs.m',
  },
  {
    title: 'an input that is none of the operators',
    body: { ...ratio, shift: { P_nois: 1 } },
    code: 'INVALID_INPUT',
    field: 'shift.P_nois',
  },
  {
    title: 'an input that is none of the solver',
    body: { ...decay, shift: { 'inputs.kk': 1 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs.kk',
  },
  {
    title: 'an input that is not given',
    body: { ...decay, shift: { 'inputs.b': 1 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs.b',
  },
  { title: 'a list', body: { ...decay, shift: { inputs: 1 } }, code: 'INVALID_INPUT', field: 'shift.inputs' },
  {
    title: 'a unit of another dimension',
    body: { ...ratio, shift: { P_noise: { value: 1, unit: 'm' } } },
    code: 'INVALID_INPUT',
    field: 'shift.P_noise.unit',
  },
  {
    title: 'a base that is refused',
    body: { ...decay, inputs: { inputs: { c: 1, k: 1 } }, shift: { 'inputs.k': 1 } },
    code: 'MISSING_INPUT',
  },
  {
    title: 'a shifted side outside the domain',
    body: { ...ratio, shift: { P_noise: -2 } },
    code: 'INVALID_INPUT',
  },
  {
    title: 'a difference within the rounding of both sides',
    body: { ...energy, shift: { 'inputs.m': 1e-13 } },
    code: 'OUTSIDE_TOLERANCE',
  },
  {
    title: 'an input that the value does not depend on',
    body: { ...energy, inputs: { equation: 'm + 0*v', inputs: { m: 2, v: 3 } }, shift: { 'inputs.v': 1 } },
    code: 'OUTSIDE_TOLERANCE',
  },
];
