import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { segmentSteps } from '../layout.ts';
import { enclosureBytes, enclosureWork } from '../unresolved.ts';
import {
  energyUnit,
  type Grid,
  hasClosedForm,
  type Problem,
  problemLayout,
  readProblem,
  sentIntervals,
} from './problem.ts';
import type { SchrodingerInput } from './schema.ts';

// Runs of the modes eigen1d, radial and eigen2d. Costs and layouts as the kernels schrodinger, schrodinger-dvr,
// schrodinger-plane, schrodinger-count and their verdicts have them.

const PAGE = 65536;
const pages = (bytes: number) => PAGE * (2 + Math.ceil(bytes / PAGE));
const LINE = { default: 1024, dvr: 256, most: 32768, mostDvr: 1024 };
const PLANE = { default: 48, most: 128, mostLevel: 30, iterations: 1500, basis: 500 };
const NUMEROV_STEPS = 181;

const over = (field: string, measured: number, bound: number): never =>
  refuse('LIMIT_EXCEEDED', `${field} is ${measured}, at most ${bound} is offered.`, {
    field,
    measured,
    bound,
    accepts: `at most ${bound}`,
  });

// ---- on a line -----------------------------------------------------------------------------------------

interface Line {
  readonly problem: Problem;
  readonly intervals: number;
  /** Of the DVR; 0 where it is not run. */
  readonly dvr: number;
}

function readLine(input: SchrodingerInput): Line {
  const problem = readProblem(input);
  const [sent] = sentIntervals(input, 1);
  const asDvr = input.scheme === 'dvr';
  const bound = asDvr ? LINE.mostDvr : LINE.most;
  const wanted = sent ?? (asDvr ? LINE.dvr : LINE.default);
  if (wanted > bound) over('N', wanted, bound);
  if (3 * problem.level > wanted) over('n', problem.level, Math.floor(wanted / 3));
  const intervals = 4 * Math.ceil(wanted / 4);
  const checked = Math.min(intervals, LINE.mostDvr, Math.max(400, 8 * (problem.level + 2)));
  return { problem, intervals, dvr: asDvr ? intervals : hasClosedForm(input) ? 0 : checked };
}

function numerovRun(input: SchrodingerInput, { problem }: Line, nx: number): RunPlan {
  const bytes = problemLayout(input, problem, { nx }).bytes();
  return {
    kernel: 'schrodinger',
    parts: [{ bytes }],
    stepsPerSegment: segmentSteps(56, 8 * nx),
    steps: NUMEROV_STEPS,
    work: (NUMEROV_STEPS - 1) * 8 * nx + 40 * nx,
    memory: pages(bytes.length + 32 * nx + 70000),
    label: `Numerov, ${nx} intervals`,
  };
}

function dvrRun(input: SchrodingerInput, { problem, dvr }: Line): RunPlan {
  const n = dvr - 1;
  const bytes = problemLayout(input, problem, { nx: dvr }).bytes();
  // Σ over k of 2 (n − k)² + 100, then the levels.
  const work = (n * (n + 1) * (2 * n + 1)) / 3 + 100 * n + 1500 * n;
  return {
    kernel: 'schrodinger-dvr',
    parts: [{ bytes }],
    stepsPerSegment: segmentSteps(40 + 8 * n * (n + 2), 2 * n * n + 100),
    steps: n + 1,
    work,
    memory: pages(bytes.length + 8 * n * (n + 6) + 70000),
    label: `sine DVR, ${dvr} intervals`,
  };
}

function lineRuns(input: SchrodingerInput, line: Line): RunPlan[] {
  const runs = [1, 2, 4].map((stride) => numerovRun(input, line, line.intervals / stride));
  return line.dvr > 0 ? [...runs, dvrRun(input, line)] : runs;
}

/** Pieces of the potential between both ends and the nodes beside them (assembly/quantum/edge.ts). */
const EDGES = 2 * 342;

function lineVerdict(input: SchrodingerInput, line: Line): RunPlan {
  const { problem, intervals: nx, dvr } = line;
  const { formula } = problem;
  const head = problemLayout(input, problem, { nx });
  const bytes = head.f64(input.scheme === 'dvr' ? 1 : 0, dvr > 0 ? 1 : 0, energyUnit(input)).bytes();
  const whole = 24 + 8 * (nx + 1);
  const parts: Part[] = [{ bytes }, { run: 0, of: 'result', from: 0, length: whole }];
  for (let run = 1; run < (dvr > 0 ? 4 : 3); run++) parts.push({ run, of: 'result', from: 0, length: 24 });
  return {
    kernel: 'schrodinger.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work:
      300 * nx +
      1_500_000 +
      (formula ? enclosureWork(formula.costs[0]!, 1) + EDGES * formula.costs[0]!.series : 0),
    memory: pages(bytes.length + 8 * nx * 19 + 120000 + (formula ? enclosureBytes(1) : 0)),
    label: 'verdict',
  };
}

// ---- in the plane --------------------------------------------------------------------------------------

interface Plane {
  readonly problem: Problem;
  readonly grid: Required<Pick<Grid, 'nx' | 'ny'>>;
  readonly nodes: number;
}

function readPlane(input: SchrodingerInput): Plane {
  const problem = readProblem(input);
  if (input.scheme === 'numerov')
    refuse('UNSUPPORTED', 'scheme: in the plane there is the DVR alone.', {
      field: 'scheme',
      accepts: ['dvr'],
    });
  const [nx = PLANE.default, ny = PLANE.default] = sentIntervals(input, 2);
  if (Math.max(nx, ny) > PLANE.most) over('N', Math.max(nx, ny), PLANE.most);
  if (problem.level > PLANE.mostLevel) over('n', problem.level, PLANE.mostLevel);
  return { problem, grid: { nx, ny }, nodes: (nx - 1) * (ny - 1) };
}

const planeVectors = ({ problem }: Plane) => PLANE.basis + 1 + 2 * (problem.level + 2) + 8;

/** Work of an iteration that looks back on so many vectors. */
const iterationWork = ({ grid, nodes }: Plane, vectors: number) =>
  nodes * (Math.floor((grid.nx + grid.ny - 2) / 2) + 10) + 2 * vectors * nodes + 50000;

/** Iterations grow with the nodes across, as random wells have it; each looks back on those before it. */
export function likelyPlaneWork(input: SchrodingerInput): number {
  const plane = readPlane(input);
  const iterations = Math.min(PLANE.iterations, 11 * Math.max(plane.grid.nx, plane.grid.ny));
  return iterations * iterationWork(plane, Math.min(planeVectors(plane), Math.ceil(iterations / 2)));
}

function planeRun(input: SchrodingerInput, plane: Plane): RunPlan {
  const { problem, grid, nodes } = plane;
  const bytes = problemLayout(input, problem, grid).bytes();
  const vectors = planeVectors(plane);
  const step = iterationWork(plane, vectors);
  const state = 24 + 8 * (2 * PLANE.basis + 80 + vectors * nodes);
  return {
    kernel: 'schrodinger-plane',
    parts: [{ bytes }],
    stepsPerSegment: segmentSteps(state, step),
    work: PLANE.iterations * step,
    memory: pages(bytes.length + state + 8 * (3 * nodes + grid.nx * grid.nx + grid.ny * grid.ny) + 120000),
    label: `sine DVR, ${grid.nx} × ${grid.ny} intervals`,
  };
}

function countRun(input: SchrodingerInput, { problem, grid, nodes }: Plane): RunPlan {
  const bytes = problemLayout(input, problem, grid).bytes();
  const band = 4 * (grid.nx - 1);
  const units = Math.floor((band * band) / 4) + 6 * band;
  const state = 64 + 8 * nodes * (band + 1);
  return {
    kernel: 'schrodinger-count',
    parts: [{ bytes }, { run: 0, of: 'result', from: 0, length: 8 * (problem.level + 2) }],
    stepsPerSegment: segmentSteps(state, units),
    steps: 4 * nodes,
    work: 4 * nodes * units,
    memory: pages(bytes.length + state + 70000),
    label: 'counts of levels',
  };
}

function planeVerdict(input: SchrodingerInput, { problem, grid, nodes }: Plane): RunPlan {
  const bytes = problemLayout(input, problem, grid).f64(energyUnit(input)).bytes();
  const levels = problem.level + 2;
  const { formula } = problem;
  return {
    kernel: 'schrodinger-plane.verdict',
    parts: [
      { bytes },
      { run: 0, of: 'result', from: 0, length: 8 * (levels + nodes) },
      { run: 1, of: 'result', from: 0, length: 40 },
    ],
    stepsPerSegment: 1,
    steps: 1,
    work: 300 * nodes + 1_500_000 + (formula ? enclosureWork(formula.costs[0]!, 2) : 0),
    memory: pages(bytes.length + 24 * nodes + 160000 + (formula ? enclosureBytes(2) : 0)),
    label: 'verdict',
  };
}

// ---- rounds --------------------------------------------------------------------------------------------

export function levelRuns(input: SchrodingerInput): RunPlan[] {
  if (input.mode !== 'eigen2d') {
    const line = readLine(input);
    return [...lineRuns(input, line), lineVerdict(input, line)];
  }
  const plane = readPlane(input);
  return [planeRun(input, plane), countRun(input, plane), planeVerdict(input, plane)];
}

export function levelRound(input: SchrodingerInput, finished: readonly FinishedRun[]): Round | undefined {
  const runs = levelRuns(input);
  const done = finished.length;
  if (done === runs.length) return undefined;
  if (done === runs.length - 1) return { runs: [runs[done]!], verdict: true };
  return { runs: input.mode === 'eigen2d' ? [runs[done]!] : runs.slice(0, -1) };
}

export const lineIntervals = (input: SchrodingerInput) => readLine(input).intervals;
export const dvrIntervals = (input: SchrodingerInput) => readLine(input).dvr;
export const planeGrid = (input: SchrodingerInput) => readPlane(input).grid;
