import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { injected } from '../grid/box.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { enclosureBytes, enclosureWork } from '../unresolved.ts';
import type { Mode, Problem, Side } from './problem.ts';
import { formOf, forms, levelsOf, type Steps, stepsOf } from './steps.ts';

/** Layouts and costs: assembly/heat/problem.ts, assembly/kernels/heat.ts, heat-steady.ts, assembly/verdicts/heat.ts. */
const RESULT_HEAD = 64;
const MOST_ROWS = 256;
const SCALARS = 18;
const DIAGNOSTICS = 40;
/** Sums and content of a source of t: assembly/grid/source.ts. */
const SAMPLE_BYTES = 144;
const SAMPLES = 17;
const TERMS_MOST = 4096;
/** Instructions and strips of formulas. */
const FORMULA_TABLES = 2 ** 18;

export interface Grid {
  readonly problem: Problem;
  readonly steps: Steps;
  readonly levels: 1 | 3;
  /** Rows of the finest run, and the steps between them. */
  readonly rows: number;
  readonly stepsPerRow: number;
  /** Row of the grid that is nearest to the probe and has neighbours. */
  readonly profileRow: number;
}

export function gridOf(problem: Problem, dt: number | undefined): Grid {
  const steps = problem.steady ? { steps: 0, dt: 0, factor: 2 as const } : stepsOf(problem, dt);
  const before = problem.before?.steps ?? 0;
  const stepsPerRow = Math.max(1, Math.ceil((steps.steps - before) / MOST_ROWS));
  const { ny, Ly, probe } = problem.box;
  const nearest = ny === 0 ? 0 : Math.round((probe[1] / Ly) * ny);
  return {
    problem,
    steps,
    levels: levelsOf(problem),
    rows: problem.steady ? 0 : rowsBetween(before, steps.steps, stepsPerRow),
    stepsPerRow,
    profileRow: ny === 0 ? 0 : Math.min(Math.max(nearest, 1), ny - 1),
  };
}

/** One at the start, one at every multiple behind it, one at the end. */
const rowsBetween = (before: number, steps: number, every: number) =>
  1 + Math.floor(steps / every) - Math.floor(before / every) + (steps % every === 0 ? 0 : 1);

// ---- runs ----------------------------------------------------------------------------------------------

const kernelOf = ({ steady }: Problem) => (steady ? 'heat-steady' : 'heat');
const nodesOf = ({ problem: { box } }: Grid, level: number) => (box.nx / level + 1) * (box.ny / level + 1);
const resultBytes = (grid: Grid, level: number) =>
  RESULT_HEAD + 32 * (grid.problem.box.nx / level + 1) + 8 * nodesOf(grid, level);
/** The source is a formula in which the time stands. */
const moves = ({ formulas, source }: Problem): boolean =>
  source === 'formula' && formulas?.changes[0] === true;
const ownBytes = ({ problem }: Grid) => (moves(problem) ? SAMPLE_BYTES : 0);

const sideNumbers = ({ kind, T, beta, gamma }: Side) => [kind, T, beta, gamma];
/** The same kind of end without data: what the twin has. */
const bareSide = ({ kind }: Side): Side => ({ kind, T: 0, beta: 0, gamma: 0 });
const unusedSide: Side = { kind: 1, T: 0, beta: 0, gamma: 0 };

interface RunHead {
  readonly level: 1 | 2 | 4;
  readonly sides: readonly Side[];
  readonly start: readonly number[];
  readonly source: readonly [kind: number, value: number];
  readonly tol: number;
}

function headOf(grid: Grid, { level, sides, start, source, tol }: RunHead): Layout {
  const { problem, steps, stepsPerRow } = grid;
  const { box, alpha, scheme } = problem;
  const scale = level === 1 ? 1 : level === 2 ? steps.factor : steps.factor * steps.factor;
  const own = steps.steps / scale;
  const four = [0, 1, 2, 3].flatMap((i) => sideNumbers(sides[i] ?? unusedSide));
  const row = box.ny === 0 ? 0 : Math.max(1, Math.floor(grid.profileRow / level));
  return new Layout().f64(
    ...[box.nx / level, box.ny / level, box.Lx, box.Ly, alpha],
    ...[
      steps.dt * scale,
      own,
      level === 1 ? stepsPerRow : Math.max(1, own),
      scheme === 'adi' ? 1 : 0,
      damped(problem),
    ],
    ...four,
    ...start,
    ...box.probe,
    ...source,
    ...[row, tol, mostIterations(grid, level)],
  );
}

/** Data that jump at a fixed side make ADI ring. */
function damped({ scheme, start, sides, box, steady }: Problem): number {
  if (steady || scheme === 'explicit') return 0;
  if (start.kind === 'formula') return sides.some(({ kind }) => kind === 0) ? 2 : 0;
  if (start.kind === 'shape') return sides.some(({ kind, T }) => kind === 0 && T !== start.T) ? 2 : 0;
  const { nx, ny } = box;
  const edges = [
    (k: number) => start.T[k * (nx + 1)],
    (k: number) => start.T[k * (nx + 1) + nx],
    (k: number) => start.T[k],
    (k: number) => start.T[ny * (nx + 1) + k],
  ];
  const jumps = sides.some(({ kind, T }, side) => {
    if (kind !== 0) return false;
    for (let k = 0; k <= (side < 2 ? ny : nx); k++) if (edges[side]!(k) !== T) return true;
    return false;
  });
  return jumps ? 2 : 0;
}

const shapeNumbers = (T: number, A: number, { kx, phaseX, ky, phaseY }: Mode) => [
  0,
  T,
  A,
  kx,
  phaseX,
  ky,
  phaseY,
];
const arrayNumbers = (kind: 1 | 2 | 3) => [kind, 0, 0, 0, 1, 0, 1];

function startNumbers({ start, before }: Problem): readonly number[] {
  if (start.kind === 'formula') return arrayNumbers(before ? 2 : 3);
  if (before && start.kind === 'array') return arrayNumbers(2);
  if (start.kind === 'array') return arrayNumbers(1);
  const numbers = shapeNumbers(start.T, start.A, start.mode);
  return before ? [2, ...numbers.slice(1)] : numbers;
}

function sourceNumbers(problem: Problem): readonly [number, number] {
  const { source } = problem;
  if (source === 'formula') return [moves(problem) ? 5 : 4, 0];
  return source === undefined ? [0, 0] : typeof source === 'number' ? [1, source] : [2, 0];
}

/** The run's parameters: `before` is the result that it goes on from. */
function parametersOf(grid: Grid, level: 1 | 2 | 4, before: Uint8Array | undefined): Part[] {
  const { problem } = grid;
  const { nx, ny } = problem.box;
  const head = headOf(grid, {
    level,
    sides: problem.sides,
    start: startNumbers(problem),
    source: sourceNumbers(problem),
    tol: problem.tol,
  });
  const parts: Part[] = [{ bytes: head.bytes() }];
  if (before) parts.push({ bytes: before });
  else if (problem.start.kind === 'array')
    parts.push({ bytes: new Layout().f64s(injected(problem.start.T, nx, ny, level)).bytes() });
  if (typeof problem.source === 'object')
    parts.push({ bytes: new Layout().f64s(injected(problem.source, nx, ny, level)).bytes() });
  return [...parts, ...formulaPart(problem)];
}

const formulaPart = ({ formulas }: Problem): Part[] => (formulas ? [{ bytes: formulas.bytes }] : []);

/** The mode of an axis with these kinds of ends: [k, phase]. */
function twinAxis(sides: readonly Side[], length: number): [number, 0 | 1] {
  const [low, high] = sides.map(({ kind }) => kind) as [number, number];
  if (low === 2) return [(2 * Math.PI) / length, 1];
  return [(low === high ? Math.PI : Math.PI / 2) / length, low === 0 ? 0 : 1];
}

export function twinMode({ box, sides }: Problem): Mode {
  const [kx, phaseX] = twinAxis(sides.slice(0, 2), box.Lx);
  const [ky, phaseY] = box.dim === 1 ? [0, 1 as const] : twinAxis(sides.slice(2), box.Ly);
  return { kx, phaseX, ky, phaseY };
}

/** Where no end holds the twin's temperature, residuals stay at what rounding leaves of second differences. */
function twinTolerance({ tol, steady, box: { nx, ny } }: Problem): number {
  return steady ? Math.max(tol, 1e-15 * Math.max(nx, ny) * Math.max(nx, ny)) : tol;
}

function twinParameters(grid: Grid, before: Uint8Array | undefined): Part[] {
  const { problem } = grid;
  const mode = shapeNumbers(0, problem.steady ? 0 : 1, twinMode(problem));
  const head = headOf(grid, {
    level: 1,
    sides: problem.sides.map(bareSide),
    start: before ? [2, ...mode.slice(1)] : mode,
    source: problem.steady ? [3, problem.alpha] : [0, 0],
    tol: twinTolerance(problem),
  });
  return [{ bytes: head.bytes() }, ...(before ? [{ bytes: before }] : [])];
}

// ---- costs ---------------------------------------------------------------------------------------------

function mostIterations({ problem: { box } }: Grid, level: number): number {
  return 300 + 8 * ((box.nx + box.ny) / level);
}

/** Lines of a steady state are along the narrower cells: assembly/heat/lines.ts. */
const isAlongY = ({ box: { nx, ny, Lx, Ly } }: Problem) => ny > 0 && Ly / ny <= Lx / nx;

function unitsPerStep({ problem }: Grid, level: number): number {
  const columns = problem.box.nx / level + 1;
  const rows = problem.box.ny / level + 1;
  if (problem.steady) return 200 + 40 * rows + (isAlongY(problem) ? 14 : 24) * columns * rows;
  if (problem.scheme === 'adi') return 100 + 30 * rows + 7 * columns * rows;
  return 60 + 20 * rows + Math.floor((columns * rows * 3) / 4);
}

/** Work that the iterations of random steady states left of their ceilings at least; the twin takes one. */
function spareWork(grid: Grid): number {
  const { nx, ny } = grid.problem.box;
  const spared = (level: number, iterations: number) =>
    unitsPerStep(grid, level) * (mostIterations(grid, level) - iterations);
  return coarsenings(grid).reduce(
    (sum, level) => sum + spared(level, (ny === 0 ? nx : 3.2 * (nx + ny)) / level + 20),
    spared(1, 1),
  );
}

/** Steps of the run and what is paid for its start, in steps. */
function stepsAt(grid: Grid, level: number, before = 0): { steps: number; paid: number } {
  if (grid.problem.steady)
    return { steps: mostIterations(grid, level), paid: mostIterations(grid, level) + 2 };
  const { steps, factor } = grid.steps;
  const own = steps / (level === 1 ? 1 : level === 2 ? factor : factor * factor) - before;
  return { steps: own, paid: own + 1 };
}

const paddedBytes = ({ problem: { box } }: Grid, level: number) =>
  8 * (box.nx / level + 6) * (box.ny / level + 1);

function memoryOf(grid: Grid, level: number, parameterBytes: number): number {
  const { problem } = grid;
  const padded = paddedBytes(grid, level);
  const spare = Math.max(padded - resultBytes(grid, level), 0);
  const fields = problem.steady ? 3 * padded + resultBytes(grid, level) + spare : padded + ownBytes(grid);
  // A source that is a formula, places along x, tables of the formulas.
  const formulas = problem.formulas ? 8 * nodesOf(grid, level) + FORMULA_TABLES : 0;
  return whole(
    parameterBytes +
      fields +
      8 * rowsBeside(grid) * (problem.box.nx / level + 6) +
      tablesOfLines(grid, level) +
      formulas +
      8192,
  );
}

/** Rows of the profile, of scratch and of tables that stand beside the fields. */
function rowsBeside({ problem: { steady, scheme, formulas } }: Grid): number {
  const places = formulas ? 1 : 0;
  if (steady) return 5 + places;
  return 4 + places + (scheme === 'adi' ? 10 : 2);
}

function tablesOfLines({ problem: { steady, scheme, box } }: Grid, level: number): number {
  if (steady) return 96 * (Math.max(box.nx, box.ny) / level + 1) + 16 * (box.ny / level + 1);
  return scheme === 'adi' ? 32 * (box.ny / level + 1) : 0;
}

const whole = (bytes: number) => 65536 * (2 + Math.ceil(bytes / 65536));
const bytesOf = (parts: readonly Part[]) =>
  parts.reduce(
    (sum, part) => sum + ('bytes' in part ? part.bytes.length : 'length' in part ? part.length : 0),
    0,
  );

function runOf(
  grid: Grid,
  level: 1 | 2 | 4,
  parts: Part[],
  label: string,
  before: Uint8Array | undefined,
  isTwin = false,
): RunPlan {
  const units = unitsPerStep(grid, level) + (isTwin ? 0 : movingWork(grid, level));
  const done = before ? new DataView(before.buffer, before.byteOffset).getFloat64(0, true) : 0;
  const { steps, paid } = stepsAt(grid, level, done);
  const stateBytes =
    paddedBytes(grid, level) * (grid.problem.steady ? 3 : 1) + 32 * (grid.problem.box.nx / level + 1) + 80;
  return {
    kernel: kernelOf(grid.problem),
    parts,
    stepsPerSegment: segmentSteps(stateBytes, units),
    steps,
    work: units * paid + (isTwin ? 0 : formulaWork(grid, level)),
    memory: memoryOf(grid, level, bytesOf(parts)),
    label,
  };
}

/** Work units of laying a source of t anew, in every step. */
function movingWork({ problem }: Grid, level: number): number {
  if (!moves(problem)) return 0;
  const nodes = (problem.box.nx / level + 1) * (problem.box.ny / level + 1);
  return Math.ceil((nodes * problem.formulas!.costs[0]!.stripHalves) / 2) + 2 * nodes;
}

/** Work units of laying the formulas on the nodes. */
const formulaWork = (grid: Grid, level: number): number =>
  (grid.problem.formulas?.costs ?? []).reduce(
    (sum, { stripHalves }) => sum + Math.ceil((nodesOf(grid, level) * stripHalves) / 2),
    0,
  );

const coarsenings = ({ levels }: Grid): readonly (1 | 2 | 4)[] => (levels === 3 ? [1, 2, 4] : [1]);
const labels = { 1: 'grid h', 2: 'grid 2h', 4: 'grid 4h' } as const;

/** The grids, finest first, and the twin. */
export function firstRound(grid: Grid): Round {
  const levels = coarsenings(grid);
  const results = grid.problem.before?.results ?? [];
  const runs = levels.map((level, i) =>
    runOf(grid, level, parametersOf(grid, level, results[i]), labels[level], results[i]),
  );
  const last = results[levels.length];
  return { runs: [...runs, runOf(grid, 1, twinParameters(grid, last), 'twin: one mode', last, true)] };
}

// ---- verdict -------------------------------------------------------------------------------------------

/** Terms until e^(−ζ² Fo) < e^−40. */
function termsOf(grid: Grid, axis: 0 | 1): number {
  const { problem } = grid;
  const length = axis === 0 ? problem.box.Lx : problem.box.Ly;
  if (formOf(problem) !== 'series' || length === 0) return 0;
  const Fo = (problem.alpha * grid.steps.steps * grid.steps.dt) / (length * length);
  return Math.min(TERMS_MOST, Math.ceil(Math.sqrt(40 / Fo) / Math.PI) + 4);
}

/** Axes of formula j: those of the box, of a source that moves the time too. */
const axesOf = ({ problem }: Grid, j: number): number =>
  problem.box.dim + (j === 0 && moves(problem) ? 1 : 0);

/** Work units of what the verdict makes of the formulas between the nodes. */
const enclosing = (grid: Grid): number =>
  (grid.problem.formulas?.costs ?? []).reduce(
    (sum, cost, j) => sum + enclosureWork(cost, axesOf(grid, j)),
    0,
  );

function verdictWork(grid: Grid): number {
  const { nx, ny } = grid.problem.box;
  const [x, y] = [termsOf(grid, 0), termsOf(grid, 1)];
  const formulas = (grid.problem.formulas?.costs ?? []).reduce(
    (sum, { plain }, j) => sum + plain * (j === 0 && moves(grid.problem) ? 1 + SAMPLES : 1),
    0,
  );
  return (
    formulas * nodesOf(grid, 1) +
    enclosing(grid) +
    1_000_000 +
    40 * (nx + 1) * (ny + 1) +
    40 * x * (nx + 3) +
    40 * y * (ny + 3) +
    3000 * (x + y)
  );
}

function verdictHead(grid: Grid): Layout {
  const { problem, levels, rows, steps } = grid;
  const { kx, phaseX, ky, phaseY } = twinMode(problem);
  const head = headOf(grid, {
    level: 1,
    sides: problem.sides,
    start: startNumbers(problem),
    source: sourceNumbers(problem),
    tol: problem.tol,
  });
  const form = forms.indexOf(formOf(problem));
  return head.f64(
    ...[form, levels, problem.steady ? 1 : 0, steps.steps * steps.dt, problem.t0, kx, phaseX, ky, phaseY],
    ...[rows, termsOf(grid, 0), termsOf(grid, 1), problem.before?.steps ?? 0],
  );
}

export function verdictRound(grid: Grid): Round {
  const { problem, levels, rows } = grid;
  const parts: Part[] = [{ bytes: verdictHead(grid).bytes() }];
  if (problem.start.kind === 'array' && !problem.before)
    parts.push({ bytes: new Layout().f64s(problem.start.T).bytes() });
  if (typeof problem.source === 'object') parts.push({ bytes: new Layout().f64s(problem.source).bytes() });
  parts.push({ run: 0, of: 'result', from: 0, length: resultBytes(grid, 1) + ownBytes(grid) });
  if (rows > 0) parts.push({ run: 0, of: 'rows', from: 0, length: 16 * rows });
  const others = levels === 3 ? ([2, 4, 1] as const) : ([1] as const);
  others.forEach((level, i) => {
    const own = i + 1 < levels ? ownBytes(grid) : 0;
    parts.push({ run: i + 1, of: 'result', from: 0, length: resultBytes(grid, level) + own });
  });
  parts.push(...formulaPart(problem));
  return { runs: [verdictRun(grid, parts)], verdict: true };
}

function verdictRun(grid: Grid, parts: Part[]): RunPlan {
  const { nx, ny } = grid.problem.box;
  const shown = 8 * (SCALARS + 2 * (nx + 1) + 2 * grid.rows + DIAGNOSTICS);
  const tables = 40 * (termsOf(grid, 0) + termsOf(grid, 1)) + 8 * (14 * (nx + 1) + ny + 4096);
  return {
    kernel: 'heat.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: verdictWork(grid),
    memory: whole(
      bytesOf(parts) +
        shown +
        tables +
        (grid.problem.formulas
          ? 16 * nodesOf(grid, 1) + FORMULA_TABLES + enclosureBytes(axesOf(grid, 0))
          : 0),
    ),
    label: 'verdict',
  };
}

/** What the whole job costs: exact but for a steady state, whose iterations are not known before. */
export function quoteOf(grid: Grid): Quote {
  const runs = [...firstRound(grid).runs, ...verdictRound(grid).runs];
  const work = runs.reduce((sum, run) => sum + run.work, 0);
  return {
    work,
    expected: grid.problem.steady ? Math.ceil(work - spareWork(grid)) : work,
    ...(grid.problem.steady && {
      ceiling: 'all iterations that the grids may take',
    }),
    exact: !grid.problem.steady,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

/** Where the fields stand: in the first run's result, and in the verdict's extras behind its scalars. */
export function fieldOffsets(grid: Grid, gates: number) {
  const { nx, ny } = grid.problem.box;
  const extras = 24 + 48 * gates;
  const column = 8 * (nx + 1);
  const x = extras + 8 * SCALARS;
  return {
    T: { from: RESULT_HEAD + 4 * column, length: column * (ny + 1) },
    x,
    profile: x + column,
    t: x + 2 * column,
    series: x + 2 * column + 8 * grid.rows,
    diagnostics: SCALARS + 2 * (nx + 1) + 2 * grid.rows,
  };
}

export const isVerdictDue = (grid: Grid, finished: readonly FinishedRun[]) =>
  finished.length === grid.levels + 1;
