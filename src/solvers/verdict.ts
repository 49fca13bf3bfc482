import { type GateDeclaration, type GateRow, gateKinds, type Verdict } from './solver.ts';

const HEADER = 3;
const ROW = 6;

/** Reads a verdict's result bytes (assembly/kernel/verdict.ts); the declaration labels the rows. */
export function readVerdict(result: Uint8Array, gates: readonly GateDeclaration[]): Verdict {
  const numbers = new Float64Array(result.slice().buffer);
  const [value, precisionActual, count] = numbers as unknown as [number, number, number];
  if (!(count >= 0) || HEADER + ROW * count > numbers.length) throw new RangeError('not a verdict');
  const rows = Array.from({ length: count }, (_, i) =>
    gateRow(numbers.subarray(HEADER + ROW * i, HEADER + ROW * (i + 1)), gates),
  );
  return { value, precisionActual, gates: rows, extras: numbers.slice(HEADER + ROW * count) };
}

function gateRow(row: Float64Array, gates: readonly GateDeclaration[]): GateRow {
  const [index, kind, measured, reference, relError, bound] = row as unknown as number[];
  const declared = gates[index!];
  const kindName = gateKinds[kind!];
  if (!declared || !kindName) throw new RangeError('a gate row that the declaration does not name');
  return {
    name: declared.name,
    kind: kindName,
    quantity: declared.quantity,
    source: declared.source,
    measured: measured!,
    reference: reference!,
    relError: relError!,
    bound: bound!,
  };
}
