import { Refusal } from '../errors/refusal.ts';
import { concat } from '../proof/bytes.ts';
import type { Digest, FinishedRun, Part, Round, RunPlan } from '../proof/job.ts';
import { readVerdictBytes, type VerdictBytes } from '../proof/verdict-bytes.ts';
import { rowFault, verdictFault } from '../proof/verdict-rules.ts';
import { refusalOfRun } from '../solvers/refused-run.ts';
import type { PlanContext, Solver, Verdict } from '../solvers/solver.ts';
import { labelledVerdict } from '../solvers/verdict.ts';

/** Executes one planned run whose parameters are resolved. `index` counts over the whole job. */
export type RunExecutor = (plan: RunPlan, parameters: Uint8Array, index: number) => Promise<FinishedRun>;

export interface ExecutedJob {
  readonly plans: readonly RunPlan[];
  readonly finished: readonly FinishedRun[];
  readonly verdict: Verdict;
}

export interface RoundsContext extends PlanContext {
  readonly blob: (digest: Digest) => Promise<Uint8Array>;
}

/**
 * Runs a job round by round to its verdict. The lowest-numbered run that ends with an error ends the job with that
 * error; a `first` round ends when run i succeeds and all below it are finished.
 */
export async function executeRounds<Input>(
  solver: Solver<Input>,
  input: Input,
  context: RoundsContext,
  execute: RunExecutor,
): Promise<ExecutedJob> {
  const plans: RunPlan[] = [];
  const finished: FinishedRun[] = [];
  let round: Round | undefined = solver.plan(input, context);
  while (round) {
    const kept = await executeRound(round, finished, context, execute);
    plans.push(...round.runs.slice(0, kept.length));
    finished.push(...kept);
    refuseOnError(solver, input, finished, finished.length - kept.length);
    if (round.verdict) break;
    round = solver.next(input, finished, context);
  }
  const { result } = finished[finished.length - 1]!;
  const verdict = soundVerdict(solver, result);
  return { plans, finished, verdict: labelledVerdict(verdict, solver.gatesOf?.(input) ?? solver.gates) };
}

/** What was sent overflows where its size is counted; `field` is the number that is farthest from 1. */
export const outOfRange = (field?: string): Refusal =>
  new Refusal(
    'LIMIT_EXCEEDED',
    `The numbers of this request are too large or too small to be computed with${field ? `, ${field} first of all` : ''}.`,
    { ...(field && { field }), accepts: 'numbers nearer to those of the examples' },
  );

/** What a verifier would call unsound is not sealed here either (docs/protocol.md, 'Rules for rows'). */
function soundVerdict<Input>({ id }: Solver<Input>, result: Uint8Array): VerdictBytes {
  const verdict = readVerdictBytes(result);
  const rowFaults = verdict.rows.map((row) => rowFault(row, verdict.rows));
  const fault = verdictFault(verdict) ?? rowFaults.find((each) => each !== undefined);
  if (fault === undefined) return verdict;
  throw new Refusal('OUTSIDE_TOLERANCE', `${id}: the verdict does not hold the value: ${fault}.`);
}

async function executeRound(
  round: Round,
  before: readonly FinishedRun[],
  context: RoundsContext,
  execute: RunExecutor,
): Promise<FinishedRun[]> {
  for (const { stepsPerSegment } of round.runs)
    if (!(Number.isSafeInteger(stepsPerSegment) && stepsPerSegment > 0)) throw outOfRange();
  const runs = round.runs.map(async (plan, i) =>
    execute(plan, await resolveParameters(plan.parts, before, context.blob), before.length + i),
  );
  // A failure of one must not leave the others unobserved.
  const outcomes = await Promise.allSettled(runs);
  const results: FinishedRun[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason;
    results.push(outcome.value);
    if (round.mode === 'first' && outcome.value.status === 1) break;
  }
  return results;
}

/** The bytes of a run's parameters: literals, blobs and slices of what earlier runs gave. */
export async function resolveParameters(
  parts: readonly Part[],
  finished: readonly FinishedRun[],
  blob: RoundsContext['blob'],
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    if ('bytes' in part) pieces.push(part.bytes);
    else if ('blob' in part) pieces.push(await blob(part.blob));
    else for (const piece of sliced(part, finished)) pieces.push(piece);
  }
  return concat(pieces);
}

/** The slice in pieces: rows stand segment by segment. */
function sliced(part: Extract<Part, { run: number }>, finished: readonly FinishedRun[]): Uint8Array[] {
  const run = finished[part.run];
  if (!run) throw new RangeError(`run ${part.run} is not finished`);
  const end = part.from + part.length;
  let at = 0;
  const pieces: Uint8Array[] = [];
  for (const piece of part.of === 'result' ? [run.result] : run.rows) {
    const from = Math.max(0, part.from - at);
    const to = Math.min(piece.length, end - at);
    if (from < to) pieces.push(piece.subarray(from, to));
    at += piece.length;
  }
  if (end > at) throw new RangeError(`run ${part.run} gave fewer ${part.of} bytes`);
  return pieces;
}

function refuseOnError<Input>(
  solver: Solver<Input>,
  input: Input,
  finished: readonly FinishedRun[],
  first: number,
): void {
  const failed = finished.findIndex((run, i) => i >= first && run.status >= 16);
  if (failed < 0) return;
  throw solver.refusal?.(input, finished, first) ?? refusalOfRun(solver, input, finished[failed]!);
}
