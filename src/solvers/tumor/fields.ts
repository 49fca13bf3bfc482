import { refuse } from '../../errors/refusal.ts';
import { refuseElsewhere } from '../continuation.ts';
import type { TumorInput } from './schema.ts';

type Name = keyof TumorInput;

/** @throws Refusal MISSING_INPUT with the fields that the task takes */
export function checkFields(
  input: TumorInput,
  task: string,
  required: readonly Name[],
  others: readonly Name[],
): void {
  const accepts = [...required, ...others];
  const missing = required.filter((name) => input[name] === undefined);
  if (missing.length)
    refuse('MISSING_INPUT', `tumor lacks ${missing.join(' and ')} for ${task}.`, {
      field: missing[0]!,
      missing,
      accepts,
    });
}

/**
 * One start: `named`, or `inner` in initialState, which has nothing of the other mode.
 * @throws Refusal that names what is accepted
 */
export function checkStart(
  input: TumorInput,
  named: 'V0' | 'initial',
  inner: 'V' | 'u',
  other: 'V' | 'u',
): void {
  const accepts = [named, `initialState {${inner}} with optional t0`];
  const { initialState } = input;
  refuseElsewhere('tumor', initialState, accepts);
  if (initialState?.[other] !== undefined)
    refuse('INVALID_INPUT', `initialState.${other}: the other mode starts with it.`, {
      field: `initialState.${other}`,
      accepts,
    });
  if (initialState && input[named] !== undefined)
    refuse('INVALID_INPUT', 'initialState: the start is given twice.', { field: 'initialState', accepts });
  if (input[named] !== undefined || initialState?.[inner] !== undefined) return;
  const field = initialState ? `initialState.${inner}` : named;
  refuse('MISSING_INPUT', `tumor lacks ${field}. Accepted: ${accepts.join('; or ')}.`, {
    field,
    missing: [field],
    accepts,
  });
}
