import { toHex } from '../../proof/bytes.ts';
import type { FinishedRun } from '../../proof/job.ts';
import { readDiagnostics } from '../diagnostics.ts';
import type { Field, Presentation, Verdict } from '../solver.ts';
import { coordinatesOf } from './axes.ts';
import type { Problem } from './problem.ts';
import { type Columns, columnsOf } from './verdict.ts';

/** Longer lists stand as fields alone. */
const MAX_LISTED = 4096;
const ROOT_AT = 2;
const HEADER_AT = 10;

/** Labels the verdict's numbers. */
export function present(problem: Problem, verdict: Verdict, finished: readonly FinishedRun[]): Presentation {
  const { extras } = verdict;
  const columns = columnsOf(problem);
  const [chosen, worst] = extras as unknown as [number, number];
  const { request, count, evaluation } = problem;
  const pointAt = (index: number) => ({ index, coordinates: coordinatesOf(problem.axes, index) });
  const outputs = {
    reduce: request.reduce,
    of: chosen < 0 ? null : pointAt(chosen),
    leastPrecise: { ...pointAt(worst), precisionActual: extras[columns.precision + worst] },
    axes: problem.axes.map(({ name, coordinates }, k) => ({
      name,
      unit: problem.axisUnits[k],
      count: coordinates.length,
    })),
    values: count <= MAX_LISTED ? listOf(extras.subarray(columns.values, columns.values + count)) : null,
    ...evaluation.said(finished),
    pointsRoot: digestAt(extras, ROOT_AT),
    headerHash: digestAt(extras, HEADER_AT),
    ...(request.proofs && { proofs: proofsOf(problem, extras, columns) }),
  };
  const diagnostics = readDiagnostics(extras, columns.end, {
    absentTerm: 'values over inputs have no such term',
    absentMasterEquation: 'there are fewer than three points',
  });
  return {
    outputs,
    fields: fieldsOf(problem, columns, verdict, finished),
    plots: plotsOf(problem),
    diagnostics,
  };
}

/** As JSON has them; in a loop, for spreading takes as long as the hashes of as many points. */
function listOf(numbers: Float64Array): number[] {
  const list = new Array<number>(numbers.length);
  for (let i = 0; i < list.length; i++) list[i] = numbers[i]!;
  return list;
}

/** Eight big-endian words. */
function digestAt(extras: Float64Array, at: number): string {
  const view = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 8; i++) view.setUint32(4 * i, extras[at + i]!);
  return toHex(new Uint8Array(view.buffer));
}

/** Of each requested point what its leaf is made of and the nodes beside its way to the root, the lowest first. */
function proofsOf({ request, axes }: Problem, extras: Float64Array, columns: Columns): unknown[] {
  return request.proofs!.map((index, i) => {
    const at = columns.proofs + i * columns.perProof;
    const path = Array.from({ length: extras[at]! }, (_, k) => digestAt(extras, at + 1 + 8 * k));
    return { index, coordinates: coordinatesOf(axes, index), value: extras[columns.values + index], path };
  });
}

function fieldsOf(
  { axes, axisUnits, count, evaluation }: Problem,
  columns: Columns,
  { gates }: Verdict,
  finished: readonly FinishedRun[],
): Field[] {
  const extrasAt = 24 + 48 * gates.length;
  const column = (name: string, unit: string | null, at: number, length: number, sealed = true) => ({
    name,
    unit,
    shape: length === count ? axes.map(({ coordinates }) => coordinates.length) : [length],
    source: { run: finished.length - 1, of: 'result' as const, from: extrasAt + 8 * at, length: 8 * length },
    sealed,
  });
  const { unit, verdict } = evaluation;
  const { programs } = verdict;
  return [
    column('values', unit, columns.values, count),
    column('precisionActual', '1', columns.precision, count),
    ...columns.uncertainties.map((at, j) =>
      column(
        j === 0 ? 'uncertainty' : `uncertainty of ${programs[j]!.name}`,
        programs[j]!.unit,
        at,
        count,
        false,
      ),
    ),
    ...columns.others.map((at, j) => column(programs[j + 1]!.name, programs[j + 1]!.unit, at, count)),
    ...axes.map(({ name, coordinates }, k) => ({
      ...column(name, axisUnits[k]!, columns.coordinates[k]!, coordinates.length),
      shape: [coordinates.length],
    })),
  ];
}

function plotsOf({ axes }: Problem): Presentation['plots'] {
  const title = `values over ${axes.map(({ name }) => name).join(' and ')}`;
  if (axes.length === 1) return [{ kind: 'line', title, x: axes[0]!.name, y: ['values'] }];
  return axes.length === 2
    ? [{ kind: 'map', title, field: 'values', x: axes[1]!.name, y: axes[0]!.name }]
    : [];
}
