import { continues, grids, type Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  ...grids,
  closedForm: ['value', 'Closed form of the value, where there is one.'],
  meanU: ['1', 'Mean of u at the end.', 'unsealed'],
  meanV: ['1', 'Mean of v at the end.', 'unsealed'],
  meanAtStart: ['1', 'Means at the start.', 'unsealed'],
  leastConcentration: ['1', 'The least that either was at any step.', 'unsealed'],
  peakU: ['1', 'Largest u at the end.', 'unsealed'],
  front: ['m', 'Where u passes one half at the end; null where it does not.', 'unsealed'],
  balance: ['1', 'Change of the mean, and what reacted.', 'unsealed'],
  fastestRate: ['1/s', 'Fastest rate of the reaction that was met.', 'unsealed'],
  steps: ['1', 'Steps.'],
  dt: ['s', 'Step.'],
  finalState: ['s', 'Fields to go on from, and the end.'],
  continues,
};
