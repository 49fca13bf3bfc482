import { type Refused, testRefusals } from './refusals.ts';

const energy = { solver: 'compute', inputs: { equation: 'm*v^2/2', inputs: { v: 2 } }, reduce: 'max' };
const mass = { name: 'inputs.m', values: [1, 2] };
const decay = { solver: 'solve', inputs: { inputs: { c: 1, y0: 5, t_end: 4 } }, reduce: 'max' };
const rate = { name: 'inputs.k', values: [0.1, 0.2] };
const range = { name: 'inputs.m', start: 1, stop: 2 };
const ratio = { operators: ['SP7'], inputs: { P_noise: 1 }, reduce: 'max' };

const refused: readonly Refused[] = [
  {
    title: 'no target',
    body: { inputs: {}, axes: [mass], reduce: 'max' },
    code: 'MISSING_INPUT',
    field: 'operators',
  },
  {
    title: 'two targets',
    body: { ...energy, operators: ['SP7'], axes: [mass] },
    code: 'INVALID_INPUT',
    field: 'solver',
  },
  {
    title: 'a solver that is not there',
    body: { ...energy, solver: 'latice', axes: [mass] },
    code: 'INVALID_INPUT',
    field: 'solver',
  },
  {
    title: 'a lattice of lattices',
    body: { solver: 'lattice', inputs: { ...energy }, axes: [{ name: 'at[0]', values: [0] }], reduce: 'max' },
    code: 'UNSUPPORTED',
    field: 'solver',
  },
  {
    title: 'no reduction',
    body: { ...energy, reduce: undefined, axes: [mass] },
    code: 'MISSING_INPUT',
    field: 'reduce',
  },
  {
    title: 'a seventh axis',
    body: {
      ...energy,
      inputs: { equation: 'a+b+c+d+e+f+g', inputs: {} },
      axes: [...'abcdefg'].map((name) => ({ name: `inputs.${name}`, values: [1, 2] })),
    },
    code: 'INVALID_INPUT',
    field: 'axes',
    says: /1 to 6/,
  },
  { title: 'no axis', body: { ...energy, axes: [] }, code: 'INVALID_INPUT', field: 'axes' },
  {
    title: 'an axis without coordinates',
    body: { ...energy, axes: [{ name: 'inputs.m' }] },
    code: 'MISSING_INPUT',
    field: 'axes[0].start',
  },
  {
    title: 'a range without a count',
    body: { ...energy, axes: [range] },
    code: 'MISSING_INPUT',
    field: 'axes[0].count',
  },
  {
    title: 'a range of one',
    body: { ...energy, axes: [{ ...range, count: 1 }] },
    code: 'INVALID_INPUT',
    field: 'axes[0].count',
  },
  {
    title: 'values and a range',
    body: { ...energy, axes: [{ ...range, count: 2, values: [1] }] },
    code: 'INVALID_INPUT',
    field: 'axes[0]',
  },
  {
    title: 'a logarithm through zero',
    body: { ...energy, axes: [{ ...range, start: -1, count: 3, scale: 'log' }] },
    code: 'INVALID_INPUT',
    field: 'axes[0].scale',
  },
  {
    title: 'a coordinate twice',
    body: { ...energy, axes: [{ ...mass, values: [1, 2, 1] }] },
    code: 'INVALID_INPUT',
    field: 'axes[0]',
  },
  {
    title: 'an axis twice',
    body: { ...energy, axes: [mass, mass] },
    code: 'INVALID_INPUT',
    field: 'axes[1].name',
  },
  {
    title: 'an axis of an input that is given',
    body: { ...energy, axes: [mass, { name: 'inputs.v', values: [1] }] },
    code: 'INVALID_INPUT',
    field: 'axes[1].name',
  },
  {
    title: 'an alias of an input that is given',
    body: { ...ratio, inputs: { P_noise: 1, P_signal: 2 }, axes: [{ name: 'P_signal', values: [1] }] },
    code: 'INVALID_INPUT',
    field: 'axes[0].name',
  },
  {
    title: 'an axis that is no input of the operators',
    body: { ...ratio, axes: [{ name: 'P_signl', values: [1] }] },
    code: 'INVALID_INPUT',
    field: 'axes[0]',
  },
  {
    title: 'an axis that is no field of the solver',
    body: { ...decay, axes: [rate, { name: 'stiffness', values: [1] }] },
    code: 'INVALID_INPUT',
    field: 'axes[1]',
  },
  {
    title: 'an axis that is no path',
    body: { ...decay, axes: [{ ...rate, name: 'inputs..k' }] },
    code: 'INVALID_INPUT',
    field: 'axes[0].name',
  },
  {
    title: 'an input that nobody gives',
    body: { ...decay, inputs: { inputs: { c: 1, y0: 5 } }, axes: [rate] },
    code: 'MISSING_INPUT',
  },
  {
    title: 'a unit of another dimension',
    body: { ...ratio, axes: [{ name: 'P_signal', values: [1], unit: 'm' }] },
    code: 'INVALID_INPUT',
    field: 'axes[0]',
  },
  {
    title: 'numbers with and without a unit',
    body: { ...ratio, axes: [{ name: 'P_signal', values: [1, { value: 2, unit: 'W' }] }] },
    code: 'INVALID_INPUT',
    field: 'axes[0].values',
  },
  {
    title: 'at without its reduction',
    body: { ...energy, axes: [mass], at: [0] },
    code: 'INVALID_INPUT',
    field: 'at',
  },
  {
    title: 'the reduction at without at',
    body: { ...energy, axes: [mass], reduce: 'at' },
    code: 'MISSING_INPUT',
    field: 'at',
  },
  {
    title: 'at outside the axes',
    body: { ...energy, axes: [mass], reduce: 'at', at: [2] },
    code: 'INVALID_INPUT',
    field: 'at',
  },
  {
    title: 'a proof of no point',
    body: { ...energy, axes: [mass], proofs: [2] },
    code: 'INVALID_INPUT',
    field: 'proofs[0]',
  },
  {
    title: 'more points than there may be',
    body: {
      ...energy,
      inputs: { equation: 'm*v', inputs: {} },
      axes: [
        { ...range, count: 65_536 },
        { ...mass, name: 'inputs.v' },
      ],
    },
    code: 'LIMIT_EXCEEDED',
    field: 'axes',
  },
  {
    title: 'more runs than there may be',
    body: { ...decay, axes: [{ name: 'inputs.k', start: 0.1, stop: 0.2, count: 4096 }] },
    code: 'LIMIT_EXCEEDED',
    field: 'axes',
  },
  {
    title: 'a point outside the domain of an operator',
    body: { ...ratio, axes: [{ name: 'P_signal', values: [1, -1] }] },
    code: 'INVALID_INPUT',
    field: 'axes[0]',
  },
  {
    title: 'a point outside the domain of a solver',
    body: { ...decay, axes: [rate, { name: 'dt', values: [0.1, -0.1] }] },
    code: 'INVALID_INPUT',
    field: 'axes[1]',
  },
  {
    title: 'a point at a pole',
    body: { ...energy, inputs: { equation: 'v/m', inputs: { v: 2 } }, axes: [{ ...mass, values: [1, 0] }] },
    code: 'NON_FINITE',
  },
];

testRefusals('lattice', refused);
