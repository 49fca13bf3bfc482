import { Refusal, refuse } from '../../errors/refusal.ts';
import { canonicalText } from '../../proof/canonical.ts';
import type { FinishedRun, Part } from '../../proof/job.ts';
import { Composition, MAX_RUNS } from '../compose/composition.ts';
import { type FailedPoint, type PointNames, refusalOfPoints } from '../compose/failed-points.ts';
import { saidBy } from '../compose/said.ts';
import { type Point, readPoint, type Target } from '../compose/target.ts';
import type { Assumption } from '../solver.ts';
import type { Evaluation } from './evaluation.ts';

/** Of the requests of all points together, as JSON: each is read as if it stood alone. */
const MAX_READ = 2 ** 26;
/** Ceiling of a verdict without its extras, for the memory of ours. */
const VERDICT_BYTES = 2048;

/** Every point a job of its own, as if it had been asked alone: same request, same seed, same bits. */
export function evaluationByJobs(
  target: Target,
  first: Point,
  bodyAt: (point: number) => Record<string, unknown>,
  names: PointNames & { readonly refined: (refusal: Refusal) => Refusal },
): Evaluation {
  refuseTooMany(target, first, names.count);
  const points = readPoints(target, first, bodyAt, names);
  const { solver } = target;
  const composition = new Composition(solver, points, names);
  return {
    unit: commonUnit(target, points, names),
    operators: solver.operators?.(first.input) ?? [],
    assumed: commonAssumptions(target, points),
    quote: () => composition.quote(),
    next: (finished) => composition.next(finished),
    refusal: (finished, from) => composition.refusal(finished, from),
    said: (finished) => saidBy(composition, finished),
    verdict: {
      form: 0,
      programs: [],
      tables: new Uint8Array(0),
      bindings: 0,
      block: 0,
      workPerPoint: 0,
      bytes: VERDICT_BYTES * points.length,
      points: (finished) => verdictsOf(composition, finished),
    },
  };
}

/** Value, precision and gate rows of each point's verdict. */
export function verdictsOf(composition: Composition, finished: readonly FinishedRun[]): Part[] {
  return composition.runsOf(finished).map(({ runs, finished: own }) => {
    const { result } = own[own.length - 1]!;
    const rows = new DataView(result.buffer, result.byteOffset).getFloat64(16, true);
    return { run: runs[runs.length - 1]!, of: 'result', from: 0, length: 24 + 48 * rows };
  });
}

function refuseTooMany({ solver }: Target, first: Point, count: number): void {
  if (count >= MAX_RUNS)
    refuse('LIMIT_EXCEEDED', `${count} points of ${solver.id} need at least ${count + 1} runs.`, {
      field: 'axes',
      measured: count + 1,
      bound: MAX_RUNS,
      accepts: `at most ${MAX_RUNS} runs; operators with a closed form take more points`,
    });
  const bytes = count * JSON.stringify(first.input).length;
  if (bytes > MAX_READ)
    refuse('LIMIT_EXCEEDED', `${count} requests of ${bytes / count} bytes each are too much to read.`, {
      field: 'axes',
      measured: bytes,
      bound: MAX_READ,
      accepts: `at most ${MAX_READ} bytes over all points`,
    });
}

function readPoints(
  target: Target,
  first: Point,
  bodyAt: (point: number) => Record<string, unknown>,
  names: PointNames & { readonly refined: (refusal: Refusal) => Refusal },
): Point[] {
  const failed: FailedPoint[] = [];
  const points = [first];
  for (let point = 1; point < names.count; point++) {
    try {
      points.push(readPoint(target, bodyAt(point)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      failed.push({ point, refusal: names.refined(error) });
    }
  }
  if (failed.length) throw refusalOfPoints(failed, names);
  return points;
}

/** One number for all points has one unit. */
function commonUnit({ solver }: Target, points: readonly Point[], names: PointNames): string | null {
  const units = points.map(({ input }) => solver.unit(input));
  const other = units.findIndex((unit) => unit !== units[0]);
  if (other > 0)
    refuse(
      'UNSUPPORTED',
      `${names.of}: the value is in ${units[0]} at ${names.words(0)}, and in ${units[other]} at ${names.words(other)}.`,
      { field: 'axes', accepts: 'points whose values have one unit' },
    );
  return units[0]!;
}

/** What the points left open: once where it is the same for all, else by name. */
function commonAssumptions({ solver }: Target, points: readonly Point[]): Assumption[] {
  const lists = points.map(({ input }) => solver.assumed(input));
  const byName = new Map<string, { assumption: Assumption; same: boolean; count: number }>();
  for (const assumption of lists.flat()) {
    const known = byName.get(assumption.name);
    if (!known) byName.set(assumption.name, { assumption, same: true, count: 1 });
    else {
      known.count++;
      known.same &&= canonicalText(known.assumption.value) === canonicalText(assumption.value);
    }
  }
  return [...byName.values()].map(({ assumption, same, count }) =>
    same && count === lists.length ? assumption : { ...assumption, value: 'differs between the points' },
  );
}
