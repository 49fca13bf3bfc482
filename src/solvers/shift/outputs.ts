import type { Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  base: ['value', 'The value of the request as it is.'],
  shifted: ['value', 'The value of the shifted one.'],
  slope: [
    () => null,
    'Change over δ, where one input is shifted, in the unit of the value over that of the input.',
  ],
  elasticity: ['1', 'Relative change over the relative shift, where one input is shifted.'],
  uncertainty: ['value', 'What the change may be off by.'],
  note: [null, 'Where a value is of an integral: why.'],
  precision: ['1', 'precisionActual of both sides.'],
  shifts: [null, 'Every shift: from, by δ, to, in its unit.'],
};
