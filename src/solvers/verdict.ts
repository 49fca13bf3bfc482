import { readVerdictBytes, type VerdictBytes, type VerdictRow } from '../proof/verdict-bytes.ts';
import type { GateDeclaration, GateRow, Verdict } from './solver.ts';

/** Reads a verdict's result bytes (assembly/kernel/verdict.ts); the declaration labels the rows. */
export function readVerdict(result: Uint8Array, gates: readonly GateDeclaration[]): Verdict {
  return labelledVerdict(readVerdictBytes(result), gates);
}

export function labelledVerdict(verdict: VerdictBytes, gates: readonly GateDeclaration[]): Verdict {
  const { value, precisionActual, rows, extras } = verdict;
  return { value, precisionActual, gates: rows.map((row) => labelledRow(row, gates)), extras };
}

function labelledRow({ index, ...numbers }: VerdictRow, gates: readonly GateDeclaration[]): GateRow {
  const declared = gates[index];
  if (!declared) throw new RangeError('a gate row that the declaration does not name');
  const { name, quantity, source } = declared;
  return { name, quantity, source, ...numbers };
}
