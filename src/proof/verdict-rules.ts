import { PRECISION_BOUND } from './envelope.ts';
import type { VerdictBytes, VerdictRow } from './verdict-bytes.ts';

// What makes rows of gates a verdict, whoever's kernel wrote them (docs/protocol.md, 'Rules for rows'). The numbers of
// the rules are the protocol's, so they stand here and not in the kernels' declarations.

/** In standard errors: above it nothing is in agreement. */
const MOST_STANDARD_ERRORS = 4.5;
/** A standard error may be this share of what it belongs to. */
const STANDARD_ERROR_SHARE = 1e-3;
/** Differences up to this share are rounding: of a number that is compared, and of a mean of samples. */
const ROUNDING = 1e-9;
const ROUNDING_OF_MEANS = 1e-12;
const MOST_INDEX = 2 ** 31 - 1;

const isPrecision = ({ bound }: VerdictRow): boolean => bound > 0 && bound <= PRECISION_BOUND;
/** A precision, or a count that may not differ, such as the clauses that a model leaves open. */
const bears = (row: VerdictRow): boolean =>
  (isPrecision(row) && (row.kind === 'exact' || row.kind === 'certificate' || row.kind === 'estimate')) ||
  (row.bound === 0 && (row.kind === 'exact' || row.kind === 'certificate'));

/** What is wrong with a verdict as a whole, in a sentence; undefined where nothing is. */
export function verdictFault({ doubles, rows }: VerdictBytes): string | undefined {
  if (!allFinite(doubles)) return 'not all of its numbers are finite';
  if (rows.length === 0) return 'no gate stands behind the value';
  if (!rows.some(bears))
    return `no exact, certificate or estimate row with a bound up to ${PRECISION_BOUND} stands behind the value`;
  return undefined;
}

/** A loop: there can be hundreds of thousands, and a call for each takes ten times as long. */
function allFinite(doubles: Float64Array): boolean {
  for (let i = 0; i < doubles.length; i++) if (!Number.isFinite(doubles[i])) return false;
  return true;
}

/** What is wrong with one row of a verdict; undefined where nothing is. */
export function rowFault(row: VerdictRow, rows: readonly VerdictRow[]): string | undefined {
  const { index, measured, reference, relError, bound } = row;
  if (!(index >= 0 && index <= MOST_INDEX)) return `${index} is no index of a gate`;
  if (![measured, reference, relError, bound].every(Number.isFinite)) return 'its numbers are not finite';
  if (!(relError >= 0)) return `error ${relError} is below 0`;
  if (!(relError <= bound)) return `error ${relError} above ${bound}`;
  if (bound === 0) return measured === reference ? undefined : 'a count that may not differ does';
  if (isPrecision(row)) return precisionFault(row);
  if (row.kind === 'certificate' || row.kind === 'twin') return ratioFault(row);
  return standardErrorFault(row, rows);
}

/** What a relative error is measured by is the kernel's; that none is none is not. */
function precisionFault({ kind, measured, reference, relError }: VerdictRow): string | undefined {
  const isComparison = kind === 'exact' || kind === 'invariant' || kind === 'twin';
  if (!isComparison || relError > 0 || agreeWithin(measured, reference, ROUNDING)) return undefined;
  return `error 0 between ${measured} and ${reference}`;
}

function ratioFault({ measured, reference, relError, bound }: VerdictRow): string | undefined {
  if (bound !== 1) return `a bound of ${bound} is neither a precision nor a ratio`;
  const isRatio = measured > 0 && relError === reference / measured;
  if (isRatio || relError === Math.abs(measured - reference)) return undefined;
  return `error ${relError} is neither the difference nor the ratio of ${measured} and ${reference}`;
}

function standardErrorFault(row: VerdictRow, rows: readonly VerdictRow[]): string | undefined {
  const { kind, measured, reference, relError, bound } = row;
  if (kind === 'estimate' || bound > MOST_STANDARD_ERRORS) return `a bound of ${bound} is no precision`;
  if (!rows.some((other) => other.kind === 'estimate' && isPrecision(other)))
    return 'it is in standard errors, and no estimate row bounds the standard error';
  if (agreeWithin(measured, reference, ROUNDING_OF_MEANS)) return undefined;
  if (agreeWithin(measured, reference, relError * STANDARD_ERROR_SHARE)) return undefined;
  return `${relError} standard errors between ${measured} and ${reference} are too large ones`;
}

/** By at most this share of the larger one. */
const agreeWithin = (a: number, b: number, share: number): boolean =>
  Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b));
