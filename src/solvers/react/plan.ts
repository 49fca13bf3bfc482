import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { injected } from '../grid/box.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { enclosureBytes, enclosureWork } from '../unresolved.ts';
import { MOST_CELL_STEPS, type Problem, SPREAD_CHOICE } from './problem.ts';

/** Layouts and costs: assembly/react/problem.ts, assembly/kernels/react.ts, assembly/verdicts/react.ts. */
const RESULT_HEAD = 96;
const ROW = 48;
const MOST_ROWS = 256;
const SCALARS = 18;
const DIAGNOSTICS = 40;
const MOST_MODES = 256;

export interface Grid {
  readonly problem: Problem;
  readonly steps: number;
  readonly dt: number;
  readonly stepsPerRow: number;
  /** Of each of the three grids. */
  readonly rows: number;
  readonly profileRow: number;
  readonly modes: number;
  readonly twinSteps: number;
  /** The start is a front whose closed form the walls do not disturb. */
  readonly hasFront: boolean;
}

const LEVELS = [1, 2, 4] as const;
/** Instructions and strips of formulas. */
const FORMULA_TABLES = 2 ** 18;
/** Steps of the coarsest grid, which is 16 times slower, must resolve the reaction too. */
const RATE_CHOICE = 0.015;
const SPREAD_BOUND = 0.25;
const RATE_BOUND = 0.25;

export function gridOf(problem: Problem): Grid {
  const { steps, dt } = stepsOf(problem);
  const before = problem.before?.steps ?? 0;
  const stepsPerRow = 16 * Math.max(1, Math.ceil((steps - before) / (16 * MOST_ROWS)));
  const { nx, ny, Ly, probe } = problem.box;
  const nearest = ny === 0 ? 0 : Math.round((probe[1] / Ly) * ny);
  return {
    problem,
    steps,
    dt,
    stepsPerRow,
    rows:
      1 +
      Math.floor(steps / stepsPerRow) -
      Math.floor(before / stepsPerRow) +
      (steps % stepsPerRow === 0 ? 0 : 1),
    // A multiple of 4, so that all grids have it.
    profileRow: ny === 0 ? 0 : Math.min(Math.max(4 * Math.round(nearest / 4), 4), ny - 4),
    modes: Math.min(MOST_MODES, Math.floor(nx / 8)),
    twinSteps: Math.max(4, Math.min(steps, 64, Math.floor(2 / (dt * problem.rate)))),
    hasFront: isUndisturbed(problem),
  };
}

function stepsOf(problem: Problem): { steps: number; dt: number } {
  const { box, D, duration, before, rate } = problem;
  if (before) return checkWork(problem, { steps: Math.round(duration / before.dt), dt: before.dt });
  const dx = Math.min(box.Lx / box.nx, box.ny === 0 ? Infinity : box.Ly / box.ny);
  const spread = Math.max(...D) / (dx * dx);
  if (problem.dt !== undefined) checkStability(problem.dt, spread, rate);
  const chosen = Math.min(SPREAD_CHOICE / spread, RATE_CHOICE / rate);
  const wanted = Math.ceil((duration / Math.min(problem.dt ?? chosen, RATE_CHOICE / rate)) * (1 - 1e-12));
  const steps = 16 * Math.max(4, Math.ceil(wanted / 16));
  return checkWork(problem, { steps, dt: duration / steps });
}

function checkStability(dt: number, spread: number, rate: number): void {
  const maxDt = Math.min(SPREAD_BOUND / spread, RATE_BOUND / rate);
  if (dt <= maxDt * (1 + 1e-12)) return;
  const measured = dt * Math.max(spread, rate);
  refuse(
    'STABILITY_LIMIT',
    `dt: ${measured} of a cell's diffusion time or of the fastest reaction, above ¼.`,
    {
      field: 'dt',
      measured,
      bound: RATE_BOUND,
      maxDt,
      accepts: `at most ${maxDt} s`,
    },
  );
}

function checkWork<Steps extends { steps: number }>({ box }: Problem, steps: Steps): Steps {
  const cellSteps = (box.nx + 1) * (box.ny + 1) * steps.steps;
  if (cellSteps <= MOST_CELL_STEPS) return steps;
  return refuse('LIMIT_EXCEEDED', `react would need ${cellSteps} steps of a cell.`, {
    field: 't_end',
    measured: cellSteps,
    bound: MOST_CELL_STEPS,
    accepts: 'a shorter t_end, a larger dt, fewer cells',
  });
}

/** Both walls lie so far in the tails, from start to end, that the front does not feel them. */
function isUndisturbed({ start, rings, model, D, constants, box, duration }: Problem): boolean {
  if (start.kind !== 'front' || rings[0]) return false;
  const isFisher = model === 1;
  const [rate, a] = constants;
  const width = Math.sqrt(((isFisher ? 6 : 2) * D[0]) / rate);
  const speed = isFisher ? 5 * Math.sqrt((rate * D[0]) / 6) : Math.sqrt((D[0] * rate) / 2) * (1 - 2 * a);
  const end = start.x0[0] + speed * duration;
  const [low, high] = [Math.min(start.x0[0], end), Math.max(start.x0[0], end)];
  return low >= (isFisher ? 9 : 10) * width && box.Lx - high >= (isFisher ? 6 : 10) * width;
}

// ---- runs ----------------------------------------------------------------------------------------------

const nodesOf = ({ problem: { box } }: Grid, factor: number) => (box.nx / factor + 1) * (box.ny / factor + 1);
const linesBytes = ({ problem: { box } }: Grid, factor: number) => 40 * (box.nx / factor + 1);
const fieldBytes = (grid: Grid, factor: number) => 8 * nodesOf(grid, factor);
export const resultBytes = (grid: Grid, factor: number) =>
  RESULT_HEAD + linesBytes(grid, factor) + grid.problem.species * fieldBytes(grid, factor);

const TWIN_U = 1e-5;
const TWIN_V = 0.5e-5;

/** Uniform state of the twin: one that reacts, so that every term of the Jacobian is met. */
function twinBase({ model, constants, base, start }: Problem): readonly [number, number] {
  if (model === 4 && start.kind === 'arrays') return [start.u[0]!, start.v[0] ?? 0];
  if (model === 0) return [0.5, 0.25];
  if (model === 1) return [0.5, 0];
  if (model === 4) return [base[0] + 0.1, base[1] + 0.05];
  return model === 2 ? [0.5 * (1 + constants[1]), 0] : base;
}

/** Waves of sixteen cells. */
const twinWave = (cells: number, length: number) =>
  cells === 0 ? 0 : (2 * Math.PI * Math.floor(cells / 16)) / length;

type StartNumbers = readonly [kind: number, x: number, y: number, w: number, u: number, v: number];

function startNumbers({ start, before }: Problem): StartNumbers {
  const continued = before ? 2 : undefined;
  if (start.kind === 'arrays') return [continued ?? 1, 0, 0, 1, 0, 0];
  if (start.kind === 'front') return [continued ?? 3, ...start.x0, 1, 1, 0];
  return [continued ?? 0, ...start.x0, start.w, ...start.delta];
}

interface RunHead {
  readonly factor: number;
  readonly steps: number;
  readonly stepsPerRow: number;
  readonly start: StartNumbers;
  readonly base: readonly [number, number];
}

function headOf(grid: Grid, { factor, steps, stepsPerRow, start, base }: RunHead): Layout {
  const { box, model, D, constants, rings } = grid.problem;
  const ends = rings.flatMap((ring) => [ring ? 2 : 1, 0, 0, 0, ring ? 2 : 1, 0, 0, 0]);
  return new Layout().f64(
    ...[box.nx / factor, box.ny / factor, box.Lx, box.Ly, model, ...D, ...constants],
    ...[grid.dt * factor * factor, steps, stepsPerRow],
    ...ends,
    ...start,
    ...box.probe,
    ...[grid.profileRow / factor, ...base, twinWave(box.nx, box.Lx), twinWave(box.ny, box.Ly), 0],
  );
}

function levelHead(grid: Grid, factor: 1 | 2 | 4): Layout {
  const share = factor * factor;
  return headOf(grid, {
    factor,
    steps: grid.steps / share,
    stepsPerRow: grid.stepsPerRow / share,
    start: startNumbers(grid.problem),
    base: grid.problem.base,
  });
}

function startArrays({ problem }: Grid, factor: number): Part[] {
  const { start, box, before, species } = problem;
  if (start.kind !== 'arrays' || before) return [];
  const arrays = species === 2 ? [start.u, start.v] : [start.u];
  return arrays.map((array) => ({
    bytes: new Layout().f64s(injected(array, box.nx, box.ny, factor)).bytes(),
  }));
}

const bytesOf = (parts: readonly Part[]) =>
  parts.reduce((sum, part) => sum + ('bytes' in part ? part.bytes.length : part.length), 0);
const whole = (bytes: number) => 65536 * (2 + Math.ceil(bytes / 65536));

/** Rates of the caller's own on all nodes. */
function ownUnits({ problem: { reaction } }: Grid, columns: number, rows: number): number {
  if (!reaction) return 0;
  const halves = reaction.costs.reduce((sum, { stripHalves }) => sum + stripHalves, 0);
  return Math.ceil((columns * rows * halves) / 2) + 20 * rows;
}

function unitsPerStep(grid: Grid, factor: number): number {
  const { box, species } = grid.problem;
  const [columns, rows] = [box.nx / factor + 1, box.ny / factor + 1];
  const own = ownUnits(grid, columns, rows);
  return own + 80 + 30 * rows + Math.floor(((species === 2 ? 5 : 3) * columns * rows) / 2);
}

/** Rows that a step keeps as they were, and those of what v gives to u or of the caller's own rates. */
function scratchBytes({ problem: { box, species, reaction } }: Grid, factor: number): number {
  const kept = species === 2 && box.ny > 0 ? 2 : 1;
  const rows = kept + (reaction ? species : species === 2 ? 2 : 0);
  return rows * (8 * (box.nx / factor + 10) + 1024);
}

function runOf(grid: Grid, factor: number, parts: Part[], steps: number, label: string): RunPlan {
  const { box, species } = grid.problem;
  const padded = 8 * (box.nx / factor + 6) * (box.ny / factor + 1) * species;
  const units = unitsPerStep(grid, factor);
  return {
    kernel: 'react',
    parts,
    stepsPerSegment: segmentSteps(padded + linesBytes(grid, factor) + 80, units),
    steps,
    work: units * (steps + 1),
    memory: whole(
      bytesOf(parts) +
        padded +
        linesBytes(grid, factor) +
        scratchBytes(grid, factor) +
        (grid.problem.reaction ? FORMULA_TABLES : 0) +
        20_000,
    ),
    label,
  };
}

const reactionPart = ({ problem: { reaction } }: Grid): Part[] =>
  reaction ? [{ bytes: reaction.bytes }] : [];

const labels = { 1: 'grid h', 2: 'grid 2h', 4: 'grid 4h' } as const;

/** Three grids, finest first, and the twin. */
export function firstRound(grid: Grid): Round {
  const { before } = grid.problem;
  const levels = LEVELS.map((factor, i): RunPlan => {
    const start: Part[] = before ? [{ bytes: before.results[i]! }] : startArrays(grid, factor);
    const steps = (grid.steps - (before?.steps ?? 0)) / (factor * factor);
    const parts = [{ bytes: levelHead(grid, factor).bytes() }, ...start, ...reactionPart(grid)];
    return runOf(grid, factor, parts, steps, labels[factor]);
  });
  const twin = headOf(grid, {
    factor: 1,
    steps: grid.twinSteps,
    stepsPerRow: grid.twinSteps,
    start: [4, 0, 0, 1, TWIN_U, grid.problem.species === 2 ? TWIN_V : 0],
    base: twinBase(grid.problem),
  });
  return {
    runs: [
      ...levels,
      runOf(grid, 1, [{ bytes: twin.bytes() }, ...reactionPart(grid)], grid.twinSteps, 'twin: one mode'),
    ],
  };
}

export function verdictRound(grid: Grid): Round {
  const { problem, rows, modes, steps, dt, twinSteps, hasFront } = grid;
  const { box } = problem;
  const head = levelHead(grid, 1).f64(
    ...[hasFront ? 1 : 0, steps * dt, problem.t0, rows, problem.quantity, problem.component, twinSteps],
    ...twinBase(problem),
    ...[twinWave(box.nx, box.Lx), twinWave(box.ny, box.Ly), modes],
  );
  const parts: Part[] = [{ bytes: head.bytes() }, ...startArrays(grid, 1)];
  LEVELS.forEach((factor, run) => {
    parts.push({ run, of: 'result', from: 0, length: resultBytes(grid, factor) });
    parts.push({ run, of: 'rows', from: 0, length: ROW * rows });
  });
  parts.push(
    { run: LEVELS.length, of: 'result', from: 0, length: resultBytes(grid, 1) },
    ...reactionPart(grid),
  );
  const shown = 8 * (SCALARS + 2 * (box.nx + 1) + 5 * rows + 2 * modes + DIAGNOSTICS);
  const run: RunPlan = {
    kernel: 'react.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 1_500_000 + (40 + 6 * modes) * nodesOf(grid, 1) + enclosing(problem),
    memory: whole(
      (problem.reaction ? enclosureBytes(problem.species) : 0) +
        FORMULA_TABLES +
        bytesOf(parts) +
        shown +
        8 * (3 * modes + 16 * (box.nx + 1)) +
        40_000,
    ),
    label: 'verdict',
  };
  return { runs: [run], verdict: true };
}

/** Places along a concentration at which the verdict looks for the largest rate. */
const PLACES = 33;

/** Work units of enclosing a reaction of the caller's own. */
const enclosing = ({ reaction, species }: Problem): number =>
  (reaction?.costs ?? []).reduce(
    (sum, cost) =>
      sum + enclosureWork(cost, species) + (species === 2 ? PLACES * PLACES : PLACES) * cost.plain,
    0,
  );

export const isVerdictDue = (finished: readonly FinishedRun[]) => finished.length === LEVELS.length + 1;

export function quoteOf(grid: Grid): Quote {
  const runs = [...firstRound(grid).runs, ...verdictRound(grid).runs];
  return {
    work: runs.reduce((sum, { work }) => sum + work, 0),
    exact: true,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

/** Where the fields stand: in the first run's result, and in the verdict's extras behind its scalars. */
export function fieldOffsets(grid: Grid, gates: number) {
  const { box } = grid.problem;
  const column = 8 * (box.nx + 1);
  const x = 24 + 48 * gates + 8 * SCALARS;
  const series = x + 2 * column;
  const spectrum = series + 40 * grid.rows;
  return {
    u: RESULT_HEAD + linesBytes(grid, 1),
    bytes: fieldBytes(grid, 1),
    x,
    profile: x + column,
    series,
    spectrum,
    diagnostics: SCALARS + 2 * (box.nx + 1) + 5 * grid.rows + 2 * grid.modes,
  };
}
