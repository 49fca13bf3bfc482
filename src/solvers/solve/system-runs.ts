import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { readVerdictBytes } from '../../proof/verdict-bytes.ts';
import type { FormulaBlock } from '../expressions.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { ROUNDING_POINTS } from '../unresolved.ts';
import { likelyLevel, maxSteps, stepsWithin, strideOf } from './grid.ts';
import type { SystemBefore } from './problem.ts';

// Runs of assembly/kernels/solve-system.ts and its verdict: three levels of step, or as many as it takes.

export const SAMPLES = 257;
const PROBES = 17;
/** Stretches between samples, of each of which a result holds where the components came. */
const BETWEEN = 256;
/** Levels of a run that asks for no refinement. */
export const PLAIN_LEVELS = 3;
/** Steps of the first level: of those, and where it is refined until it is enough, which has a sample behind each. */
export const PLAIN_STEPS = 1024;
const REFINED_STEPS = 256;
export const MAX_FIRST_STEPS = 2 ** 22;
const MEMORY = 2 ** 20;
const UNITS = 10;
const UNITS_COMPONENT = 16;
const UNITS_SAMPLE = 20;
const VERDICT_WORK = 400_000;
const RATES_OF_PROBE = 24;
/** Boxes over which the verdict encloses the motion behind its tube, series of that, and its knots (assembly/solve). */
const BOXES_BEHIND = 256;
const TUBE = 640;
const KNOTS = 258;
const MOST_PARTS = 256;
/** Two seconds of the reference core. */
const SEARCH_WORK = 2e9;
const SURE_LEVELS = 6;
/** So many levels are held against all gates before the last that is allowed. */
const MOST_TRIALS = 3;
/** Bytes of series at a point for each byte of code and values (assembly/expression/taylor.ts). */
const KEPT_OF_BYTE = 24;

/** What a run of the kernel needs to know. */
export interface Integration {
  readonly starts: readonly number[];
  readonly start: number;
  readonly isConserved: boolean;
  readonly block: FormulaBlock;
  /** Of the coarsest level, from the start on; level j has 2^j times as many. */
  readonly steps: number;
  /** Their length; of a job that goes on, to the bit that of the job before. */
  readonly h: number;
  readonly before?: SystemBefore;
  /** Refinement levels that are allowed; undefined: three levels, whatever they give. */
  readonly refinements: number | undefined;
}

/** Steps of the coarsest level for a caller's dt. @throws Refusal LIMIT_EXCEEDED */
export function firstSteps(duration: number, dt: number | undefined, strict: boolean): number {
  if (dt === undefined) return strict ? REFINED_STEPS : PLAIN_STEPS;
  const steps = stepsWithin(duration, dt);
  if (!(steps <= MAX_FIRST_STEPS))
    refuse('LIMIT_EXCEEDED', `solve would need ${steps} steps on its first level.`, {
      field: 'dt',
      measured: steps,
      bound: MAX_FIRST_STEPS,
      accepts: 'a shorter t_end or a larger dt',
    });
  return steps;
}

export const ownBytes = (n: number): number => 8 * (1 + n);
/** Where the samples of column k begin in a result: t, value, conserved, components. */
export const columnAt = (n: number, k: number): number => ownBytes(n) + 56 + 8 * (n + k * SAMPLES);
export const stateAt = (n: number): number => columnAt(n, 3 + n) + 8 * (PROBES * (1 + n) + 2 * n * BETWEEN);
export const resultBytes = (n: number): number => stateAt(n) + 8 * (3 + 3 * n);

/** The components that a state holds. */
export function componentsOf(state: Uint8Array, n: number): number[] {
  const view = new DataView(state.buffer, state.byteOffset);
  return Array.from({ length: n }, (_, i) => view.getFloat64(24 + 8 * i, true));
}

/** One level; `earlier` are the indices of the coarser levels that it compares itself with. */
export function levelRun(integration: Integration, level: number, earlier: readonly number[]): RunPlan {
  const { starts, start, h, block, isConserved, before } = integration;
  const n = starts.length;
  const factor = 2 ** level;
  const steps = integration.steps * factor;
  const first = (before?.steps ?? 0) * factor;
  const state = before?.states[level];
  const stride = strideOf(integration.steps - (before?.steps ?? 0)) * factor;
  const mayLeave = integration.refinements === undefined ? 0 : 1;
  const head = new Layout()
    .f64(n, start, h / factor, steps, stride, isConserved ? 1 : 0, mayLeave)
    .f64(block.bytes.length, earlier.length, first, state ? 1 : 0, ...starts);
  const taken = steps - (state ? first : 0);
  const perStep = UNITS + UNITS_COMPONENT * n + 4 * sum(block.costs.slice(0, n).map(({ point }) => point));
  const perSample = UNITS_SAMPLE + sum(block.costs.slice(n).map(({ point }) => point));
  return {
    kernel: 'solve-system',
    parts: [
      { bytes: head.bytes() },
      { bytes: block.bytes },
      ...earlier.map((run): Part => ({ run, of: 'result', from: 0, length: resultBytes(n) })),
      ...(state ? [{ bytes: state }] : []),
    ],
    stepsPerSegment: segmentSteps(resultBytes(n) + 16 * n, perStep),
    steps: taken,
    work: taken * perStep + (Math.floor((steps - first) / stride) + 1) * perSample,
    memory: MEMORY,
    label: `RK4, ${steps} steps`,
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

export function firstRound(integration: Integration): Round {
  const levels = integration.refinements === undefined ? PLAIN_LEVELS : 1;
  return { runs: Array.from({ length: levels }, (_, level) => levelRun(integration, level, [])) };
}

/** The next level, a verdict, or nothing where that holds or was the last. */
export function roundAfter(integration: Integration, finished: readonly FinishedRun[]): Round | undefined {
  if (integration.refinements === undefined)
    return finished.length > PLAIN_LEVELS ? undefined : verdictRound(integration, PLAIN_LEVELS);
  const levels = levelsOf(integration, finished);
  const last = finished.length - 1;
  if (last !== levels.at(-1)) return isVerdict(finished[last]!) ? undefined : nextLevel(integration, levels);
  const refined = levels.length - 1;
  if (refined === lastLevel(integration)) return verdictOf(integration, levels, 'last');
  const hasTrial = refined > 0 && finished.length - levels.length < MOST_TRIALS;
  return hasTrial && isConverged(integration, finished[last]!)
    ? verdictOf(integration, levels, 'trial')
    : nextLevel(integration, levels);
}

function nextLevel(integration: Integration, levels: readonly number[]): Round {
  return { runs: [levelRun(integration, levels.length, levels.slice(-2))] };
}

/** Runs that are levels, the coarsest first; a verdict, or one that does not hold yet, is shorter. */
export const levelsOf = ({ starts }: Integration, finished: readonly FinishedRun[]): number[] =>
  finished.flatMap(({ result }, run) => (result.length === resultBytes(starts.length) ? [run] : []));

/** A verdict that does not hold has no gates where another level may follow. */
const isVerdict = ({ result }: FinishedRun): boolean => readVerdictBytes(result).rows.length > 0;

function isConverged({ starts }: Integration, { result }: FinishedRun): boolean {
  return new DataView(result.buffer, result.byteOffset).getFloat64(ownBytes(starts.length) + 8, true) === 1;
}

/**
 * The last level that a run may come to: refinement without an end in sight takes as much as SEARCH_WORK, or as many
 * levels as SURE_LEVELS whatever they take.
 */
export function lastLevel(integration: Integration): number {
  const { refinements, steps } = integration;
  if (refinements === undefined) return PLAIN_LEVELS - 1;
  const ofFirst = levelRun(integration, 0, []).work;
  const goesOn = (level: number) =>
    steps * 2 ** level <= maxSteps && (level <= SURE_LEVELS || ofFirst * 2 ** (level + 1) <= SEARCH_WORK);
  let level = 1;
  while (level < refinements && goesOn(level + 1)) level++;
  return level;
}

/**
 * Judges the last levels; they begin at run `first` of the job, and `pairs` runs at shifted inputs, two by two, stand
 * behind them.
 */
export function verdictRound(integration: Integration, levels: number, first = 0, pairs = 0): Round {
  const runs = Array.from({ length: levels }, (_, i) => first + i);
  const shifted = Array.from({ length: 2 * pairs }, (_, i) => first + levels + i);
  return verdictOf(integration, runs, 'plain', shifted);
}

/** In the order of their numbers in assembly/verdicts/solve-system.ts. */
const asks = ['plain', 'last', 'trial'] as const;

/** The verdict of levels that are the runs `levels`. After a trial that does not hold another level follows. */
function verdictOf(
  integration: Integration,
  levels: readonly number[],
  ask: (typeof asks)[number],
  shifted: readonly number[] = [],
): Round {
  const { block, isConserved } = integration;
  const starts = startsOf(integration, levels.length - 1);
  const { start, steps, h, before } = integration;
  const n = starts.length;
  const used = levels.slice(-3);
  const head = new Layout().f64(n, asks.indexOf(ask), used.length, isConserved ? 1 : 0);
  const verdict: RunPlan = {
    kernel: 'solve-system.verdict',
    parts: [
      {
        bytes: head
          .f64(block.bytes.length, shifted.length / 2, start + (before?.steps ?? 0) * h, start + steps * h)
          .f64(stepsBetween(integration, levels.length), ...starts)
          .bytes(),
      },
      { bytes: block.bytes },
      ...used.map((run): Part => ({ run, of: 'result', from: 0, length: resultBytes(n) })),
      ...shifted.map((run): Part => ({ run, of: 'result', from: 0, length: 8 })),
    ],
    stepsPerSegment: 1,
    steps: 1,
    work: verdictWork(integration, levels.length),
    memory: verdictMemory(integration, levels.length),
    label: 'verdict',
  };
  return { runs: [verdict], verdict: ask !== 'trial' };
}

/** The components where the samples of a level begin: a level without a state runs there from the start. */
function startsOf({ starts, before }: Integration, level: number): readonly number[] {
  const state = before?.states[level];
  if (!before) return starts;
  return state ? componentsOf(state, starts.length) : starts.map(() => Number.NaN);
}

/** Of a level, steps from one sample to the next. */
const stepsBetween = ({ steps, before }: Integration, levels: number): number =>
  strideOf(steps - (before?.steps ?? 0)) * 2 ** (levels - 1);

/** Steps of the track that the verdict lays between two samples (assembly/solve/track.ts). */
const partsOf = (steps: number): number => Math.max(1, Math.min(MOST_PARTS, Math.floor(steps / 4)));

/** Boxes over which it encloses the motion. */
const boxesOver = (parts: number): number => 256 * Math.max(4, Math.min(128, parts));

/** Of laying the track, of matrices along it and back, of boxes and of the tube (assembly/verdicts/solve-system.ts). */
function betweenWork({ starts, block }: Integration, parts: number): number {
  const n = starts.length;
  const costs = block.costs.slice(0, n);
  const series = sum(costs.map((cost) => cost.series));
  const rates = costs.map(({ names, plain }) => (4 + 2 * names.filter((i) => i < n).length) * plain);
  const track = SAMPLES * parts * (40 * n + 6 * n * n * n + sum(rates)) + 30000 * n * n * n;
  return (
    track + (boxesOver(parts) + BOXES_BEHIND) * (100 + 7 * series) + TUBE * series + roundingWork(block, n)
  );
}

/** Of each rate at every point twice, and of the other formulas at samples and the end (assembly/solve/rounding.ts). */
const roundingWork = ({ costs }: FormulaBlock, n: number): number =>
  sum(costs.map(({ series }, j) => (j < n ? 2 * ROUNDING_POINTS : ROUNDING_POINTS + 2) * series));

export const verdictWork = (integration: Integration, levels: number): number => {
  const { starts, block } = integration;
  const probes = block.costs.slice(0, starts.length).map(({ plain }) => RATES_OF_PROBE * PROBES * plain);
  return VERDICT_WORK + betweenWork(integration, partsOf(stepsBetween(integration, levels))) + sum(probes);
};

/** Bytes of the verdict: the track, tables of matrices, boxes. */
export const verdictMemory = (integration: Integration, levels: number): number => {
  const n = integration.starts.length;
  const parts = partsOf(stepsBetween(integration, levels));
  const kept = KEPT_OF_BYTE * integration.block.bytes.length;
  return MEMORY + kept + 8 * KNOTS * n * (2 * parts + 6 * n + 21) + (16 + 8 * n) * (boxesOver(parts) + 4);
};

/** Exact for the plain levels; else the ceiling, every level that is allowed. */
export function quoteOf(integration: Integration): Quote {
  const { refinements } = integration;
  const last = lastLevel(integration);
  let work = 0;
  let expected = 0;
  for (let level = 0; level <= last; level++) {
    work += levelRun(integration, level, []).work;
    if (level <= likelyLevel) expected = work + verdictWork(integration, level + 1);
  }
  const trials = refinements === undefined ? 0 : Math.min(MOST_TRIALS, last - 1);
  for (let level = last; level >= last - trials; level--) work += verdictWork(integration, level + 1);
  const exact = refinements === undefined;
  const ceiling = `all ${last + 1} levels that maxIterations and the steps of a level allow`;
  return { work, expected, ...(!exact && { ceiling }), exact, memory: verdictMemory(integration, last + 1) };
}
