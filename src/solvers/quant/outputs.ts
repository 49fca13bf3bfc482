import type { Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  SE: ['value', 'Standard error of the price.'],
  paths: ['1', 'Paths.'],
  replicates: ['1', 'Independent replicates that they are made of.'],
  delta: ['1', '∂price/∂S₀.'],
  deltaSE: ['1', 'Its standard error.'],
  vega: ['currency*yr^(1/2)', '∂price/∂σ.'],
  vegaSE: ['currency*yr^(1/2)', 'Its standard error.'],
  vegaUnit: [null, 'Unit of vega.'],
  derivatives: [null, 'How delta and vega are estimated.'],
  plainSE: ['value', 'Standard error without a control variate.'],
  controlCoefficient: ['1', 'Weight of the control variate.'],
  normError: ['1', 'What the norm of a qubit’s state is off 1 by.'],
};
