import { Refusal, refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { expectedWork } from '../quote.ts';
import { refusalOfRun } from '../refused-run.ts';
import type { Presentation, Quote, Solver } from '../solver.ts';
import { readVerdict } from '../verdict.ts';
import { type FailedPoint, type PointNames, refusalOfPoints } from './failed-points.ts';
import type { Point } from './target.ts';

/** Runs of one job, whatever it is made of: laying out the entry of each takes the main thread about 0.3 ms. */
export const MAX_RUNS = 2048;
/** Work units and bytes of all points together. */
const MAX_WORK = 2 ** 45;
const MAX_MEMORY = 2 ** 34;
/** Bytes of results and rows of all runs: the answer carries most of them. */
const MAX_OUTPUT = 2 ** 27;

/** The job of one point within the whole. */
interface Member {
  readonly point: number;
  /** Its runs by their own number: their number in the whole job, and what they gave. */
  readonly runs: number[];
  readonly finished: FinishedRun[];
  /** The round that is under way; undefined once the verdict is there. */
  round: Round | undefined;
}

/** What is known after the first `consumed` finished runs of a list. */
interface Progress {
  readonly of: readonly FinishedRun[];
  consumed: number;
  last: FinishedRun | undefined;
  readonly members: readonly Member[];
}

const nothing: readonly FinishedRun[] = [];

/**
 * The jobs of many points of one solver as one job: its round r is the r-th rounds of all points side by side, with
 * the runs renumbered, and the verdict of a point is a run like any other. Everything follows from what is finished;
 * a list that only grew since the last call is not gone through again, so that N points in R rounds cost N·R.
 */
export class Composition {
  readonly #solver: Solver;
  readonly #points: readonly Point[];
  readonly #names: PointNames;
  #first: readonly Round[] | undefined;
  #known: Progress | undefined;

  constructor(solver: Solver, points: readonly Point[], names: PointNames) {
    this.#solver = solver;
    this.#points = points;
    this.#names = names;
  }

  /** The sum over the points; throws as their plans do, and LIMIT_EXCEEDED for too much of anything. */
  quote(): Quote {
    let [work, expected, memory, total, exact] = [0, 0, 0, 0, true];
    let ceiling: string | undefined;
    this.#each(({ input, context }, point) => {
      const quote = this.#solver.quote(input, context);
      work += quote.work;
      expected += expectedWork(quote);
      total += quote.memory;
      memory = Math.max(memory, quote.memory);
      exact &&= quote.exact;
      ceiling ??= quote.ceiling;
      if (work > MAX_WORK) this.#exceeded('work units', point, work, MAX_WORK);
      if (total > MAX_MEMORY) this.#exceeded('bytes of memory', point, total, MAX_MEMORY);
    });
    this.next(nothing);
    return {
      work,
      expected,
      ...(ceiling !== undefined && { ceiling: `at each point ${ceiling}` }),
      memory,
      exact,
    };
  }

  /** The round that follows; undefined once every point has its verdict. */
  next(finished: readonly FinishedRun[]): Round | undefined {
    const { members, consumed } = this.#progress(finished);
    const runs: RunPlan[] = [];
    for (const { point, round, runs: own } of members)
      if (round) for (const plan of round.runs) runs.push(this.#renumbered(plan, point, own));
    if (consumed + runs.length >= MAX_RUNS) this.#tooManyRuns(consumed + runs.length);
    return runs.length ? { runs } : undefined;
  }

  /** Of every point the runs of its job; their last is its verdict. */
  runsOf(finished: readonly FinishedRun[]): readonly Pick<Member, 'runs' | 'finished'>[] {
    return this.#progress(finished).members;
  }

  /** Of every point the outputs that its answer would show, once all have their verdicts. */
  outputsOf(finished: readonly FinishedRun[]): readonly Presentation['outputs'][] {
    const solver = this.#solver;
    return this.runsOf(finished).map(({ finished: own }, point) => {
      const { input } = this.#points[point]!;
      const verdict = readVerdict(own[own.length - 1]!.result, solver.gatesOf?.(input) ?? solver.gates);
      return solver.present(input, verdict, own).outputs;
    });
  }

  /** The refusal that names every point with a run that failed, from run `first` on; undefined where there is none. */
  refusal(finished: readonly FinishedRun[], first: number): Refusal | undefined {
    const { members } = this.#progress(finished.slice(0, first));
    const failed: FailedPoint[] = [];
    let run = first;
    for (const { point, round } of members) {
      const own = finished.slice(run, run + (round?.runs.length ?? 0));
      run += own.length;
      const ended = own.find(({ status }) => status >= 16);
      if (ended)
        failed.push({ point, refusal: refusalOfRun(this.#solver, this.#points[point]!.input, ended) });
    }
    return failed.length ? refusalOfPoints(failed, this.#names) : this.#notHeld(finished[first]!);
  }

  /** The verdict over all points shows −1 and the number of a point whose own does not hold by itself. */
  #notHeld({ observed: [mark, point] }: FinishedRun): Refusal | undefined {
    if (mark !== -1 || point === undefined) return undefined;
    const message = `the verdict of ${this.#solver.id} breaks the rules for rows (docs/protocol.md).`;
    return refusalOfPoints([{ point, refusal: new Refusal('OUTSIDE_TOLERANCE', message) }], this.#names);
  }

  // ---- which runs are whose ----------------------------------------------------------------------------

  #progress(finished: readonly FinishedRun[]): Progress {
    const known = this.#known;
    const goesOn =
      known?.of === finished &&
      known.consumed <= finished.length &&
      known.last === finished[known.consumed - 1];
    const progress = goesOn ? known : this.#begin(finished);
    this.#known = undefined; // until it is whole again: a point that refuses leaves it half done
    while (progress.consumed < finished.length && progress.members.some(({ round }) => round))
      this.#take(progress, finished);
    this.#known = progress;
    return progress;
  }

  #begin(of: readonly FinishedRun[]): Progress {
    this.#first ??= this.#each(({ input, context }) => this.#checked(this.#solver.plan(input, context)));
    const members = this.#first.map((round, point): Member => ({ point, runs: [], finished: [], round }));
    return { of, consumed: 0, last: undefined, members };
  }

  /** Gives each point the runs of its round, and asks it for the next one. */
  #take(progress: Progress, finished: readonly FinishedRun[]): void {
    const open = progress.members.filter(({ round }) => round);
    for (const member of open) {
      for (let i = member.round!.runs.length; i > 0; i--) {
        member.runs.push(progress.consumed);
        member.finished.push(finished[progress.consumed++]!);
      }
    }
    progress.last = finished[progress.consumed - 1];
    this.#refuseOutput(finished);
    this.#attempt(open, (member) => {
      const { input, context } = this.#points[member.point]!;
      const next = member.round!.verdict ? undefined : this.#solver.next(input, member.finished, context);
      member.round = next && this.#checked(next);
    });
  }

  #renumbered(plan: RunPlan, point: number, runs: readonly number[]): RunPlan {
    const parts = plan.parts.map((part): Part => ('run' in part ? { ...part, run: runs[part.run]! } : part));
    return { ...plan, parts, label: `${this.#names.words(point)}: ${plan.label}` };
  }

  // ---- what is refused ---------------------------------------------------------------------------------

  #each<T>(make: (point: Point, index: number) => T): T[] {
    const made: T[] = [];
    this.#attempt(
      this.#points.map((input, point) => ({ input, point })),
      ({ input, point }) => {
        made[point] = make(input, point);
      },
    );
    return made;
  }

  /** Does the same for all points, and names those that refuse. A limit of the whole is no point's own. */
  #attempt<T extends { readonly point: number }>(all: readonly T[], act: (one: T) => void): void {
    const failed: FailedPoint[] = [];
    for (const one of all) {
      try {
        act(one);
      } catch (error) {
        if (!(error instanceof Refusal) || error instanceof WholeRefusal) throw error;
        failed.push({ point: one.point, refusal: error });
      }
    }
    if (failed.length) throw refusalOfPoints(failed, this.#names);
  }

  /** A round that ends with its first success would have to end for one point and go on for the others. */
  #checked(round: Round): Round {
    if (round.mode !== 'first') return round;
    throw new WholeRefusal(
      'UNSUPPORTED',
      `${this.#names.of}: ${this.#solver.id} searches by runs of which the first that succeeds ends the others; such jobs are not taken side by side.`,
      { field: 'solver', accepts: 'a solver, or a mode of it, without such rounds' },
    );
  }

  #exceeded(what: string, point: number, sum: number, bound: number): never {
    throw new WholeRefusal(
      'LIMIT_EXCEEDED',
      `${this.#names.of}: the first ${point + 1} of ${this.#names.count} points need ${sum} ${what}.`,
      { field: 'axes', measured: sum, bound, accepts: `at most ${bound} ${what} over all points` },
    );
  }

  #tooManyRuns(runs: number): never {
    refuse(
      'LIMIT_EXCEEDED',
      `${this.#names.of}: ${this.#names.count} points of ${this.#solver.id} need ${runs} runs or more, and one for the verdict.`,
      { field: 'axes', measured: runs, bound: MAX_RUNS, accepts: `at most ${MAX_RUNS} runs` },
    );
  }

  #refuseOutput(finished: readonly FinishedRun[]): void {
    const bytes = finished.reduce(
      (sum, { result, rows }) => sum + result.length + rows.reduce((of, { length }) => of + length, 0),
      0,
    );
    if (bytes > MAX_OUTPUT)
      refuse('LIMIT_EXCEEDED', `${this.#names.of}: the points gave ${bytes} bytes of results and rows.`, {
        field: 'axes',
        measured: bytes,
        bound: MAX_OUTPUT,
        accepts: `at most ${MAX_OUTPUT} bytes over all points`,
      });
  }
}

/** Refuses the whole, whichever point it was met at. */
class WholeRefusal extends Refusal {}
