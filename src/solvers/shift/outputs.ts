import { unitOver } from '../../units/format.ts';
import type { Output, Outputs } from '../outputs.ts';
import type { Shifted } from './inputs.ts';

/** What is shown for a request that shifts these. */
export const outputsOf = (shifts: readonly Shifted[]): Outputs => ({ ...outputs, slope: slopeOf(shifts) });

const slopeOf = ([shift]: readonly Shifted[]): Output => [
  (_, unit) => (unit === null || !shift?.unit ? null : unitOver(unit, shift.unit)),
  'Change over δ, where one input is shifted.',
];

export const outputs: Outputs = {
  base: ['value', 'The value of the request as it is.'],
  shifted: ['value', 'The value of the shifted one.'],
  slope: slopeOf([]),
  elasticity: ['1', 'Relative change over the relative shift, where one input is shifted.'],
  uncertainty: ['value', 'What the change may be off by.'],
  note: [null, 'Where a value is of an integral: why.'],
  precision: ['1', 'precisionActual of both sides.'],
  shifts: [null, 'Every shift: from, by δ, to, in its unit.'],
};
