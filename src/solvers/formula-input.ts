import { Type } from 'typebox';
import { anyQuantity, optional } from './input.ts';

/** Text of a formula in a request schema. */
export const formulaText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 2000, description });

/** The numbers by name that the formulas of a request use. */
export const formulaParameters = (description = 'Numbers of the formula by name, with a unit or without.') =>
  optional(Type.Record(Type.String(), anyQuantity('A number that the formula names.'), { description }));
