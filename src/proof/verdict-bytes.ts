import { doublesOf } from './bytes.ts';

// The result bytes of a verdict (docs/protocol.md, 'Verdict'): value, precisionActual, g, then g rows of six
// doubles, then the extras.

const HEADER = 3;
const ROW = 6;
/** A bound in standard errors (above the precision bound) is no precision. */
const PRECISION_BOUND = 1e-3;

/** Kind codes 0 to 4. */
export const kindNames = ['exact', 'invariant', 'certificate', 'twin', 'estimate'] as const;
export type KindName = (typeof kindNames)[number];

export interface VerdictRow {
  /** Index of the gate in the solver's declaration. */
  readonly index: number;
  readonly kind: KindName;
  readonly measured: number;
  readonly reference: number;
  readonly relError: number;
  readonly bound: number;
}

export interface VerdictBytes {
  readonly value: number;
  readonly precisionActual: number;
  readonly rows: readonly VerdictRow[];
  /** What stands behind the rows. */
  readonly extras: Float64Array;
  /** Everything in the result, the header and the rows included. */
  readonly doubles: Float64Array;
}

/** Throws a RangeError for bytes that are no verdict. */
export function readVerdictBytes(result: Uint8Array): VerdictBytes {
  const doubles = doublesOf(result);
  const count = doubles[2] ?? Number.NaN;
  if (
    result.length % 8 !== 0 ||
    !Number.isInteger(count) ||
    count < 0 ||
    HEADER + ROW * count > doubles.length
  ) {
    throw new RangeError('the result of the last run is not a verdict');
  }
  const extras = doubles.subarray(HEADER + ROW * count);
  const rows = Array.from({ length: count }, (_, i) => verdictRow(doubles, HEADER + ROW * i));
  return { value: doubles[0]!, precisionActual: doubles[1]!, rows, extras, doubles };
}

function verdictRow(doubles: Float64Array, at: number): VerdictRow {
  const index = doubles[at]!;
  const kind = kindNames[doubles[at + 1]!];
  if (kind === undefined || !Number.isInteger(index))
    throw new RangeError('a gate row has an unknown kind or index');
  return {
    index,
    kind,
    measured: doubles[at + 2]!,
    reference: doubles[at + 3]!,
    relError: doubles[at + 4]!,
    bound: doubles[at + 5]!,
  };
}

/** The worst error among the gates whose bound is a precision. */
export function worstError(rows: readonly VerdictRow[]): number {
  return rows.reduce(
    (worst, row) => (row.bound <= PRECISION_BOUND && row.relError > worst ? row.relError : worst),
    0,
  );
}

/** Each kind once, in the order of the codes: the envelope's gateKinds. */
export function gateKindsOf(rows: readonly { readonly kind: string }[]): KindName[] {
  return kindNames.filter((kind) => rows.some((row) => row.kind === kind));
}
