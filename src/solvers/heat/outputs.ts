import { continues, grids, type Output, type Outputs } from '../outputs.ts';
import type { HeatInput } from './schema.ts';

/** An integral over the body; what is per second is of a steady state. */
const content: Output<HeatInput> = [
  ({ dim, steady }) => `K*m${dim === 1 ? '' : '^2'}${steady ? '/s' : ''}`,
  '∫T before and after over the cells about free nodes, what came into them through their sides and from the source; steady: per second.',
  'unsealed',
];

export const outputs: Outputs<HeatInput> = {
  probe: ['m', 'Where the value is taken.'],
  onGrid: ['K', 'The temperature there on the finest grid.'],
  closedForm: ['K', 'The closed form that the answer is held against, and its temperature.'],
  ...grids,
  warmest: ['K', 'Highest temperature at the end.', 'unsealed'],
  coldest: ['K', 'Lowest temperature at the end.', 'unsealed'],
  range: [
    'K',
    'What errors are measured by: the range of all temperatures, surroundings by hL/k where that is below 1.',
  ],
  balance: content,
  steps: ['1', 'Steps.'],
  dt: ['s', 'Step.'],
  iterations: ['1', 'Iterations of the steady state.'],
  residual: ['1', 'Relative residual that they leave.'],
  finalState: ['s', 'The field to go on from, and the end.'],
  continues,
};
