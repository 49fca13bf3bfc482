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
  type Range,
  readProblem,
  sentIntervals,
} from './problem.ts';
import type { SchrodingerInput } from './schema.ts';

// Runs of the modes eigen1d, radial and eigen2d. Costs and layouts as the kernels schrodinger, schrodinger-dvr,
// schrodinger-plane, schrodinger-count and their verdicts have them.

const PAGE = 65536;
const pages = (bytes: number) => PAGE * (2 + Math.ceil(bytes / PAGE));
const LINE = { default: 1024, cusp: 16384, dvr: 256, most: 32768, mostDvr: 1024, leastDvr: 400 };
const PLANE = { default: 48, most: 128, mostLevel: 30, iterations: 1500, basis: 500, degree: 10 };
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
  const wanted = sent ?? (asDvr ? LINE.dvr : mayHaveCusp(input) ? LINE.cusp : LINE.default);
  if (wanted > bound) over('N', wanted, bound);
  if (3 * problem.level > wanted) over('n', problem.level, Math.floor(wanted / 3));
  const intervals = 4 * Math.ceil(wanted / 4);
  const least = Math.max(LINE.leastDvr, 8 * (problem.level + 2), intervals / 4);
  const checked = Math.min(intervals, LINE.mostDvr, least);
  return { problem, intervals, dvr: asDvr ? intervals : hasClosedForm(input) ? 0 : checked };
}

/** A formula on a ray from 0 may grow as 1/r there, which sines and Numerov's method find more slowly. */
const mayHaveCusp = ({ mode, potential, domain }: SchrodingerInput): boolean =>
  mode === 'radial' && potential.type === 'formula' && domain?.[0] === 0;

/** Gates of a line by their place in the declarations. */
const CLOSED_FORM = 0;
const GRIDS = 1;
const SECOND = 2;

/** Intervals on a line that would do where a gate was missed by this factor. */
export function intervalsWithin(input: SchrodingerInput, gate: number, excess: number): number | undefined {
  const { intervals, dvr } = readLine(input);
  const asDvr = input.scheme === 'dvr';
  const most = asDvr ? LINE.mostDvr : LINE.most;
  if (gate === SECOND && !asDvr && dvr >= LINE.mostDvr) return undefined;
  // Of order 4 where V is smooth, of 2 where it has a cusp.
  const finer =
    gate === SECOND && !asDvr ? 4 * LINE.mostDvr : 4 * Math.ceil((1.2 * intervals * Math.sqrt(excess)) / 4);
  const wanted = Math.max(finer, 2 * intervals);
  return [CLOSED_FORM, GRIDS, SECOND].includes(gate) && wanted <= most ? wanted : undefined;
}

/** Intervals that have `bound` nodes in a wave where there were `measured`, or undefined. */
export function lineWithin(input: SchrodingerInput, measured: number, bound: number): string | undefined {
  const wanted = 4 * Math.ceil((0.3 * readLine(input).intervals * bound) / measured);
  return wanted <= (input.scheme === 'dvr' ? LINE.mostDvr : LINE.most) ? `N = ${wanted}` : undefined;
}

/** The same in the plane. */
export function planeWithin(input: SchrodingerInput, measured: number, bound: number): string | undefined {
  const { nx, ny } = planeGrid(input);
  const finer = [nx, ny].map((count) => 2 * Math.ceil((0.6 * count * bound) / measured));
  return Math.max(...finer) <= PLANE.most ? `N = [${finer.join(', ')}]` : undefined;
}

/** Half as many intervals more in the plane, as far as there are any. */
function finer({ nx, ny }: PlaneGrid): PlaneGrid {
  const [x, y] = [nx, ny].map((count) => Math.min(PLANE.most, 2 * Math.ceil(0.75 * count)));
  return { nx: x!, ny: y! };
}

const isSame = (a: PlaneGrid, b: PlaneGrid) => a.nx === b.nx && a.ny === b.ny;

/** Intervals beyond those of the last counts, or undefined. */
export function finerPlane(input: SchrodingerInput): number[] | undefined {
  const counted = finer(planeGrid(input));
  const next = finer(counted);
  return isSame(counted, next) ? undefined : [next.nx, next.ny];
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

/** Parts of its largest below which ψ is nothing, and by how much more than the rest the sines reach. */
const NOTHING = 1e-7;
const MARGIN = 0.1;

/**
 * Where ψ of Numerov's method is: walls out there raise a level by less than its error. Everywhere, where that has not
 * all of its nodes: it would be another level there.
 */
function whereStateIs({ problem, intervals }: Line, result: Uint8Array): Range {
  const [low, high] = problem.x;
  const psi = new Float64Array(result.slice(24).buffer, 0, intervals + 1);
  const most = psi.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  const isThere = (value: number) => Math.abs(value) > NOTHING * most;
  const [first, last] = [psi.findIndex(isThere), psi.findLastIndex(isThere)];
  if (first < 0 || nodesOf(psi.subarray(first, last + 1)) !== problem.level) return problem.x;
  const margin = Math.ceil(MARGIN * (last - first)) + 2;
  const at = (node: number) => low + ((high - low) * node) / intervals;
  return [
    first - margin <= 0 ? low : at(first - margin),
    last + margin >= intervals ? high : at(last + margin),
  ];
}

function nodesOf(psi: Float64Array): number {
  const signs = psi.filter((value) => value !== 0);
  return signs.reduce((count, value, i) => (i > 0 && value > 0 !== signs[i - 1]! > 0 ? count + 1 : count), 0);
}

function dvrRun(input: SchrodingerInput, { problem, dvr }: Line, x: Range): RunPlan {
  const n = dvr - 1;
  const bytes = problemLayout(input, { ...problem, x }, { nx: dvr }).bytes();
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

const numerovRuns = (input: SchrodingerInput, line: Line): RunPlan[] =>
  [1, 2, 4].map((stride) => numerovRun(input, line, line.intervals / stride));

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

type PlaneGrid = Required<Pick<Grid, 'nx' | 'ny'>>;

interface Plane {
  readonly problem: Problem;
  readonly grid: PlaneGrid;
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
  nodes * PLANE.degree * (Math.floor((grid.nx + grid.ny - 2) / 2) + 10) + 2 * vectors * nodes + 50000;

/** Iterations grow with the nodes across, as random wells have it; each looks back on those before it. */
function likelyPlaneWork(input: SchrodingerInput): number {
  const plane = readPlane(input);
  const iterations = Math.min(PLANE.iterations, 3 * Math.max(plane.grid.nx, plane.grid.ny));
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
    memory: pages(bytes.length + state + 8 * (5 * nodes + grid.nx * grid.nx + grid.ny * grid.ny) + 120000),
    label: `sine DVR, ${grid.nx} × ${grid.ny} intervals`,
  };
}

/** On the grid of the sines or, where its differences are too coarse for them, on a finer one. */
function countRun(input: SchrodingerInput, { problem }: Plane, grid: PlaneGrid): RunPlan {
  const nodes = (grid.nx - 1) * (grid.ny - 1);
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
    label: `counts of levels, ${grid.nx} × ${grid.ny} intervals`,
  };
}

/** The runs with counts that may follow each other: the first that hold the level are the last. */
function countRuns(input: SchrodingerInput, plane: Plane): RunPlan[] {
  const next = finer(plane.grid);
  const grids = isSame(next, plane.grid) ? [plane.grid] : [plane.grid, next];
  return grids.map((grid) => countRun(input, plane, grid));
}

/** Whether the wider pair of counts (assembly/kernels/schrodinger-count.ts) has the level between them. */
function holds(result: Uint8Array, level: number): boolean {
  const [below = 0, above = 0] = new Float64Array(Uint8Array.from(result.subarray(0, 16)).buffer);
  return below <= level && above > level;
}

function planeVerdict(input: SchrodingerInput, { problem, grid, nodes }: Plane, counts: number): RunPlan {
  const bytes = problemLayout(input, problem, grid).f64(energyUnit(input)).bytes();
  const levels = problem.level + 2;
  const { formula } = problem;
  return {
    kernel: 'schrodinger-plane.verdict',
    parts: [
      { bytes },
      { run: 0, of: 'result', from: 0, length: 8 * (levels + nodes) },
      { run: counts, of: 'result', from: 0, length: 40 },
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
    const second = line.dvr > 0 ? [dvrRun(input, line, line.problem.x)] : [];
    return [...numerovRuns(input, line), ...second, lineVerdict(input, line)];
  }
  const plane = readPlane(input);
  const counts = countRuns(input, plane);
  return [planeRun(input, plane), ...counts, planeVerdict(input, plane, counts.length)];
}

/** Of a level in the plane, with all counts. */
export function expectedPlaneWork(input: SchrodingerInput): number {
  const [, ...others] = levelRuns(input);
  return others.reduce((sum, { work }) => sum + work, likelyPlaneWork(input));
}

export function levelRound(input: SchrodingerInput, finished: readonly FinishedRun[]): Round | undefined {
  return input.mode === 'eigen2d' ? planeRound(input, finished) : lineRound(input, finished);
}

function planeRound(input: SchrodingerInput, finished: readonly FinishedRun[]): Round | undefined {
  const plane = readPlane(input);
  if (finished.length === 0) return { runs: [planeRun(input, plane)] };
  const counts = countRuns(input, plane);
  const counted = finished.length - 1;
  const isHeld = counted > 0 && holds(finished[counted]!.result, plane.problem.level);
  if (counted < counts.length && !isHeld) return { runs: [counts[counted]!] };
  return { runs: [planeVerdict(input, plane, counted)], verdict: true };
}

/** Sines that are the caller's own choice take the whole domain; those beside Numerov's method where its ψ is. */
function lineRound(input: SchrodingerInput, finished: readonly FinishedRun[]): Round | undefined {
  const line = readLine(input);
  const own = input.scheme === 'dvr';
  const levels = line.dvr > 0 ? 4 : 3;
  if (finished.length === 0) {
    const runs = numerovRuns(input, line);
    return { runs: own ? [...runs, dvrRun(input, line, line.problem.x)] : runs };
  }
  if (finished.length < levels)
    return { runs: [dvrRun(input, line, whereStateIs(line, finished[0]!.result!))] };
  return finished.length === levels ? { runs: [lineVerdict(input, line)], verdict: true } : undefined;
}

export const lineIntervals = (input: SchrodingerInput) => readLine(input).intervals;
export const dvrIntervals = (input: SchrodingerInput) => readLine(input).dvr;
export const planeGrid = (input: SchrodingerInput) => readPlane(input).grid;
