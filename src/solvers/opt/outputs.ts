import type { Outputs } from '../outputs.ts';

/** Programmes and functions have no units of their own. */
export const outputs: Outputs = {
  x: ['1', 'Where the optimum is.'],
  multipliers: ['1', 'Multiplier of each constraint.'],
  reducedCosts: ['1', 'Reduced cost of each variable.'],
  bound: ['1', 'Value of the dual problem: no value is better.'],
  gap: ['1', 'What lies between both.'],
  violation: ['1', 'Most that a constraint is violated by, over its size.'],
  changes: ['1', 'Changes of the basis.'],
  local: [null, 'Whether the minimum is only known to be a local one.'],
  gradient: ['1', 'Gradient at the minimum.'],
  starts: ['1', 'Starts.'],
  startsSettled: ['1', 'Those that came to rest at a minimum.'],
  bestStart: ['1', 'Number of the start of the lowest.'],
  minima: ['1', 'What each start came to.', 'unsealed'],
  steps: ['1', 'Steps of the best start.'],
  promisedGain: ['1', 'What a further step of Newton’s method promises.'],
  smallestPivot: ['1', 'Smallest pivot of the second derivatives.'],
  atStart: ['1', 'The function where the search began.'],
};
