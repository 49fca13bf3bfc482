import { refuse } from '../../errors/refusal.ts';
import { zerosBelowLimit } from './heights.ts';

export type ZetaMode = 'Z' | 'zero' | 'zeros' | 'count';

/** What a request of `zeta` may say; validated by the schema. */
export interface ZetaInput {
  readonly mode: ZetaMode;
  readonly t?: number;
  readonly n?: number;
  readonly t1?: number;
  readonly t2?: number;
  readonly T?: number;
}

/** The request with nothing optional: `from` is t, n, t1 or T, `to` is t2 and else equals `from`. */
export interface Problem {
  readonly mode: ZetaMode;
  readonly from: number;
  readonly to: number;
}

type Name = 't' | 'n' | 't1' | 't2' | 'T';

const namesOf: Readonly<Record<ZetaMode, readonly Name[]>> = {
  Z: ['t'],
  zero: ['n'],
  zeros: ['t1', 't2'],
  count: ['T'],
};

/** Most zeros of one request. */
export const mostZeros = 1_000_000;

/** Throws the Refusal that names a field that is missing (SOLV-02). */
export function readProblem(input: ZetaInput): Problem {
  const names = namesOf[input.mode];
  for (const name of names) {
    if (input[name] !== undefined) continue;
    refuse('MISSING_INPUT', `${name} is missing: mode ‘${input.mode}’ takes ${names.join(' and ')}.`, {
      field: name,
      accepts: names,
    });
  }
  const from = input[names[0]!]!;
  const to = input.mode === 'zeros' ? input.t2! : from;
  refuseRanges(input.mode, from, to);
  return { mode: input.mode, from, to };
}

function refuseRanges(mode: ZetaMode, from: number, to: number): void {
  if (mode === 'zero' && from > zerosBelowLimit) {
    refuse('LIMIT_EXCEEDED', `n is above ${zerosBelowLimit}, the number of zeros up to t = 10^10.`, {
      field: 'n',
      accepts: `1 to ${zerosBelowLimit}`,
    });
  }
  if (mode === 'zeros' && to <= from) {
    refuse('INVALID_INPUT', 't2 must be above t1.', { field: 't2', accepts: `a number above ${from}` });
  }
}
