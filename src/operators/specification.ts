import { constantOfKey, shownConstant } from '../units/constants.ts';
import { domain } from './apply.ts';
import { rowOf } from './registry.ts';
import type { OperatorInput } from './row.ts';

/** An input as a caller needs to know it: its names, its unit, and what it takes in words. */
export interface InputSpecification {
  readonly symbol: string;
  readonly aliases: readonly string[];
  readonly meaning: string;
  /** A plain number is in this unit; null: any unit, the result's follows from it. */
  readonly unit: string | null;
  readonly accepts: string;
  /** Of a conditional input: when it must be given. */
  readonly when?: string;
  /** Of an assumed or optional input: what stands in where it is not given, and why. */
  readonly value?: number;
  readonly because?: string;
}

/** What an operator asks for, by role, and what it gives (OP-03). @throws Refusal UNKNOWN_OPERATOR */
export function specificationOf(id: string) {
  const row = rowOf(id);
  const ofRole = (role: OperatorInput['role']) =>
    row.inputs.filter((input) => input.role === role).map((input) => inputOf(input));
  const { name, category, description, equation, result, source, validity } = row;
  return {
    ...{ id, name, category, description, equation },
    required: ofRole('required'),
    conditional: ofRole('conditional'),
    assumed: ofRole('assumed'),
    optional: ofRole('optional'),
    result: { ...result, unit: result.unit === 'derived' ? null : result.unit },
    constants: (row.constants ?? []).map((key) => shownConstant(constantOfKey(key))),
    fixed: (row.fixed ?? []).map((each) => ({ ...each, value: Number(each.value), numeral: each.value })),
    conditions: row.conditions ?? [],
    refuses: row.refuses ?? null,
    ...{ validity, source },
  };
}

function inputOf(input: OperatorInput): InputSpecification {
  const { symbol, aliases, meaning, unit, when, value, because } = input;
  return {
    ...{ symbol, aliases, meaning, unit: unit === 'any' ? null : unit },
    accepts: domain(input),
    ...(when === undefined ? {} : { when }),
    ...(value === undefined ? {} : { value: Number(value) }),
    ...(because === undefined ? {} : { because }),
  };
}
