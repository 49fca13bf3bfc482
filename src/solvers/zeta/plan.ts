import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { PlanContext, Quote } from '../solver.ts';
import { gramHeight, gramIndex, meanSpacing, PI, siegelTerms } from './heights.ts';
import { mostZeros, type Problem, readProblem, type ZetaInput } from './problem.ts';

/** Bytes of a row: γ, lower end, upper end, Z there. */
export const rowBytes = 40;
/** Samples of Z for the plot. */
export const profileSamples = 129;
const scanBytes = 14 * 8;
const profileBytes = 2 * profileSamples * 8;
const profileKind = 0;
const modeCodes = { Z: 0, zero: 1, zeros: 2, count: 3 };

/** Samples of a Gram interval; the second figure only where the first left a zero unfound. */
const densities = [4, 32];
/** Zeros of one part of a scan, so that threads and machines can share it. */
const zerosPerPart = 65_536;
const manyZeros = 8192;

// ---- work, as the kernels spend it -----------------------------------------------------------------------

const ZONE = 24;
const LOWEST_ZONE = 291;
const SAMPLES = 256;
const USABLE = 217;
const termWork = 200;
const judgeWork = 500_000;
const eulerBlocks = 11;

/** Gram indices from … to that a scan walks at most. */
function scannedIndices({ mode, from, to }: Problem): { from: number; to: number } {
  const [low, high] =
    mode === 'zero' ? [from - 5, from + 3] : [Math.floor(gramIndex(from)), Math.floor(gramIndex(to)) + 1];
  const first = low - ZONE - 4;
  return { from: first < LOWEST_ZONE ? -1 : first, to: Math.max(high, LOWEST_ZONE) + 2 * ZONE };
}

function partsOf(problem: Problem): number {
  const { from, to } = scannedIndices(problem);
  const zeros = to - from;
  return zeros <= manyZeros ? 1 : Math.max(2, Math.ceil(zeros / zerosPerPart));
}

/** Ceiling of the work of a part, from Gram index `from` to `to`; the density enters per sample. */
function scanWork(from: number, to: number, density: number): number {
  const terms = siegelTerms(gramHeight(to + 2 * ZONE)) + 2;
  const slices = to - from > 1000 ? 32 : 1;
  let work = Math.max(terms, 110) * termWork * 1.1;
  for (let i = 0; i < slices; i++) {
    const a = from + ((to - from) * i) / slices;
    const b = from + ((to - from) * (i + 1)) / slices;
    work += sliceWork(a, b, terms, density);
  }
  return Math.ceil(work + (from < 0 ? eulerBlocks * 8 * (8000 + 200 * density) : 0));
}

/** Blocks of the grid between two Gram indices, each of SAMPLES samples whose step follows from the most terms. */
function sliceWork(from: number, to: number, mostTerms: number, density: number): number {
  const spacing = meanSpacing(Math.max(gramHeight(from), 200));
  const delta = PI / (2 * 1.002 * logarithmOfTerms(mostTerms));
  const intervals = Math.max(1, Math.floor((USABLE * delta) / spacing) - 1);
  const blocks = Math.ceil((to - from) / intervals) + 1;
  const groups = Math.ceil(siegelTerms(gramHeight(to)) / 4) + 1;
  return blocks * groups * (32 + SAMPLES + SAMPLES / 8) + (to - from + 1) * (1600 + 200 * density);
}

/** ln N by the spacing 2π / 2 ln √(t/2π). */
const logarithmOfTerms = (terms: number) => PI / meanSpacing(2 * PI * terms * terms);

/** Terms of the verdict's sum at t. */
const referenceTerms = (t: number) => (t < EULER_BELOW ? 30 + Math.floor(0.6 * t) : siegelTerms(t));

function highest(problem: Problem): number {
  if (problem.mode === 'Z') return problem.from + 8 * meanSpacing(problem.from);
  return gramHeight(scannedIndices(problem).to + 2);
}

function profileWork(problem: Problem): number {
  const top = highest(problem);
  const terms = Math.max(siegelTerms(top), 100) + 8;
  return terms * termWork + profileSamples * (2 * terms + 200);
}

/** Below this height the verdict sums by Euler–Maclaurin, with more terms than Riemann–Siegel has. */
const EULER_BELOW = 2000;

function verdictWork(problem: Problem, rows: number): number {
  const top = highest(problem);
  const low = problem.mode === 'Z' ? gramIndex(problem.from) - 8 : scannedIndices(problem).from;
  const checked = Math.min(rows, Math.max(32, 2 ** 21 / referenceTerms(top)));
  const below = Math.max(0, Math.min(rows, Math.ceil(gramIndex(EULER_BELOW)) + 8 - low));
  const byEuler = rows === 0 ? 0 : Math.ceil((checked * below) / rows);
  const cost = (t: number) => 25 * referenceTerms(t) + 8000;
  const logarithms =
    800 * (Math.max(referenceTerms(top), referenceTerms(Math.min(top, EULER_BELOW - 0.1))) + 1);
  const reachesEuler = low < gramIndex(EULER_BELOW);
  const dearest = Math.max(cost(top), reachesEuler ? cost(Math.min(top, EULER_BELOW - 0.1)) : 0);
  return Math.ceil(
    judgeWork +
      logarithms +
      (profileSamples + 4 + 2 * byEuler) * dearest +
      2 * (checked - byEuler) * cost(top),
  );
}

/** Ceiling of the whole job: a second scan is needed only where zeros lie very close together. */
export function quote(input: ZetaInput): Quote {
  const problem = readBounded(input);
  const { from, to } = scannedIndices(problem);
  const scans = problem.mode === 'Z' ? [] : densities.flatMap((density) => scanRuns(problem, density));
  const rows = problem.mode === 'Z' ? 0 : to - from;
  const work =
    profileWork(problem) + verdictWork(problem, rows) + scans.reduce((sum, run) => sum + run.work, 0);
  return {
    work: Math.ceil(work),
    exact: false,
    memory: Math.max(memoryOf(problem), verdictMemory(problem, rows)),
  };
}

// ---- runs ----------------------------------------------------------------------------------------------

/** The problem, within the limit on zeros. */
export function readBounded(input: ZetaInput): Problem {
  const problem = readProblem(input);
  const zeros = gramIndex(problem.to) - gramIndex(problem.from);
  if (problem.mode === 'zeros' && zeros > mostZeros) {
    refuse('LIMIT_EXCEEDED', `There are about ${Math.round(zeros)} zeros between t1 and t2.`, {
      field: 't2',
      accepts: `at most ${mostZeros} zeros`,
      zeros: Math.round(zeros),
    });
  }
  return problem;
}

const tableBytes = (terms: number) => (terms + 8) * 40;
const memoryOf = (problem: Problem) => 2 ** 20 + tableBytes(siegelTerms(highest(problem)) + 110);
const verdictMemory = (problem: Problem, rows: number) =>
  2 ** 20 + rows * rowBytes + 16 * (Math.max(siegelTerms(highest(problem)), 1230) + 8);

/** The parts of a scan: equal numbers of Gram intervals, cut by the request alone. */
function scanRuns(problem: Problem, density: number): RunPlan[] {
  const parts = partsOf(problem);
  const { from, to } = scannedIndices(problem);
  return Array.from({ length: parts }, (_, part) => {
    const work = scanWork(
      from + ((to - from) * part) / parts,
      from + ((to - from) * (part + 1)) / parts,
      density,
    );
    const kind = problem.mode === 'zero' ? 1 : 2;
    return {
      kernel: 'zeta',
      parts: [{ bytes: new Layout().f64(kind, problem.from, problem.to, part, parts, density).bytes() }],
      stepsPerSegment: segmentSteps(16 * 8 + 16, 100 * (siegelTerms(highest(problem)) + 2400)),
      work,
      memory: memoryOf(problem),
      label: parts === 1 ? 'zeros' : `zeros, part ${part + 1} of ${parts}`,
    };
  });
}

/** 129 samples of Z: around t, T or γ (which the scan found), or from t1 to t2. */
function profileRun(problem: Problem, scan: number | undefined): RunPlan {
  const centre: Part =
    problem.mode === 'zero'
      ? { run: scan!, of: 'result', from: 88, length: 8 }
      : { bytes: new Layout().f64(problem.from).bytes() };
  return {
    kernel: 'zeta',
    parts: [
      { bytes: new Layout().f64(profileKind).bytes() },
      centre,
      { bytes: new Layout().f64(problem.mode === 'zeros' ? problem.to : 0, 0, 1, 1).bytes() },
    ],
    stepsPerSegment: profileSamples,
    steps: profileSamples,
    work: profileWork(problem),
    memory: memoryOf(problem),
    label: 'Z around the result',
  };
}

/** What has been run: the last scan and whether its zeros are complete between its Gram points A and B. */
interface Progress {
  /** Indices of the last scan's runs in the job. */
  readonly scans: readonly number[];
  readonly density: number;
  readonly complete: boolean;
}

function progressOf(problem: Problem, finished: readonly FinishedRun[]): Progress {
  const parts = partsOf(problem);
  let last: Progress | undefined;
  for (const [level, density] of densities.entries()) {
    const scans = Array.from({ length: parts }, (_, i) => level * parts + i);
    if (scans.some((run) => finished[run] === undefined)) break;
    last = { scans, density, complete: isComplete(scans.map((run) => finished[run]!)) };
    if (last.complete) break;
  }
  return last!;
}

const numbersOf = ({ result }: FinishedRun) => new Float64Array(result.slice().buffer);

/** As many rows between A and B as Gram intervals. */
function isComplete(scans: readonly FinishedRun[]): boolean {
  const results = scans.map(numbersOf);
  const found = results.reduce((sum, result) => sum + result[4]!, 0);
  const [a, b] = [results[0]!, results.at(-1)!];
  const above = b[4]! - b[8]!;
  return found - a[5]! - above === b[9]! - a[6]!;
}

export function plan(input: ZetaInput, _context?: PlanContext): Round {
  const problem = readBounded(input);
  if (problem.mode === 'Z') return { runs: [profileRun(problem, undefined)] };
  return { runs: scanRuns(problem, densities[0]!) };
}

export function next(input: ZetaInput, finished: readonly FinishedRun[]): Round | undefined {
  const problem = readBounded(input);
  if (problem.mode === 'Z') return finished.length === 1 ? verdictRound(problem, finished, []) : undefined;
  const { scans, density, complete } = progressOf(problem, finished);
  const finer = densities[densities.indexOf(density) + 1];
  if (!complete && finer !== undefined) return { runs: scanRuns(problem, finer) };
  const done = finished.length - scans.at(-1)! - 1;
  if (done === 0) return { runs: [profileRun(problem, scans[0])] };
  return done === 1 ? verdictRound(problem, finished, scans) : undefined;
}

/** Bytes of rows that a run gave. */
export const rowsLength = (run: FinishedRun) => run.rows.reduce((sum, rows) => sum + rows.length, 0);

function verdictRound(problem: Problem, finished: readonly FinishedRun[], scans: readonly number[]): Round {
  const lengths = scans.map((run) => rowsLength(finished[run]!));
  const rows = lengths.reduce((sum, length) => sum + length, 0) / rowBytes;
  const head = new Layout().f64(modeCodes[problem.mode], problem.from, problem.to, scans.length, rows);
  const verdict: RunPlan = {
    kernel: 'zeta.verdict',
    parts: [
      { bytes: head.bytes() },
      ...scans.map((run): Part => ({ run, of: 'result', from: 0, length: scanBytes })),
      { run: finished.length - 1, of: 'result', from: 0, length: profileBytes },
      ...scans.map((run, i): Part => ({ run, of: 'rows', from: 0, length: lengths[i]! })),
    ],
    stepsPerSegment: 2 ** 16,
    work: verdictWork(problem, rows),
    memory: verdictMemory(problem, rows),
    label: 'verdict',
  };
  return { runs: [verdict], verdict: true };
}

/** Indices of the last scan's runs; none for Z. */
export function scansOf(input: ZetaInput, finished: readonly FinishedRun[]): readonly number[] {
  const problem = readBounded(input);
  return problem.mode === 'Z' ? [] : progressOf(problem, finished).scans;
}
