import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import {
  ANSWER_HEAD,
  answerBytes,
  bytesOf,
  type Factor,
  kernelHead,
  LEVELS,
  paddedBytes,
  pagesOf,
  phiBytes,
  poissonBytes,
  stillSides,
} from './layout.ts';
import { type PlaneProblem, RING } from './problem.ts';
import { quoteOfRounds, verdictOf } from './verdict.ts';

/** Costs of assembly/kernels/flow.ts. */
const UNITS_PER_CELL = 40;
const MOST_ROWS = 256;
const MOST_CELL_STEPS = 5e10;
const TWIN_STEPS = 64;

export interface March {
  readonly problem: PlaneProblem;
  readonly steps: number;
  readonly dt: number;
  readonly stepsPerRow: number;
  /** Of each of the three grids. */
  readonly rows: number;
}

const VISCOUS_BOUND = 0.5;
const VISCOUS_CHOICE = 0.4;
const COURANT_BOUND = 1;
const COURANT_CHOICE = 0.5;

export function marchOf(problem: PlaneProblem): March {
  const { steps, dt } = stepsOf(problem);
  const before = problem.before?.steps ?? 0;
  const stepsPerRow = 4 * Math.max(1, Math.ceil((steps - before) / (4 * MOST_ROWS)));
  const rows =
    1 +
    Math.floor(steps / stepsPerRow) -
    Math.floor(before / stepsPerRow) +
    (steps % stepsPerRow === 0 ? 0 : 1);
  return { problem, steps, dt, stepsPerRow, rows };
}

function stepsOf(problem: PlaneProblem): { steps: number; dt: number } {
  const { nx, ny, Lx, Ly, nu, speeds, duration, before } = problem;
  if (before) return checkWork(problem, { steps: Math.round(duration / before.dt), dt: before.dt });
  const viscous = nu * ((nx * nx) / (Lx * Lx) + (ny * ny) / (Ly * Ly));
  const carried = (speeds[0] * nx) / Lx + (speeds[1] * ny) / Ly;
  if (problem.dt !== undefined) checkStability(problem.dt, viscous, carried);
  const chosen = Math.min(VISCOUS_CHOICE / viscous, carried > 0 ? COURANT_CHOICE / carried : Infinity);
  const steps = 4 * Math.max(4, Math.ceil((duration / (problem.dt ?? chosen) / 4) * (1 - 1e-12)));
  return checkWork(problem, { steps, dt: duration / steps });
}

function checkStability(dt: number, viscous: number, carried: number): void {
  const maxDt = Math.min(VISCOUS_BOUND / viscous, carried > 0 ? COURANT_BOUND / carried : Infinity);
  if (dt <= maxDt * (1 + 1e-12)) return;
  const isViscous = viscous * dt > VISCOUS_BOUND;
  const [measured, bound] = isViscous ? [viscous * dt, VISCOUS_BOUND] : [carried * dt, COURANT_BOUND];
  refuse(
    'STABILITY_LIMIT',
    `dt: ${isViscous ? 'ν dt Σ1/dx²' : '|u|dt/dx + |v|dt/dy'} is ${measured}, above ${bound}.`,
    {
      field: 'dt',
      measured,
      bound,
      maxDt,
      accepts: `at most ${maxDt} s`,
    },
  );
}

function checkWork<Steps extends { steps: number }>({ nx, ny }: PlaneProblem, steps: Steps): Steps {
  const cellSteps = nx * ny * steps.steps;
  if (cellSteps <= MOST_CELL_STEPS) return steps;
  return refuse('LIMIT_EXCEEDED', `flow would need ${cellSteps} steps of a cell.`, {
    field: 't_end',
    measured: cellSteps,
    bound: MOST_CELL_STEPS,
    accepts: 'a shorter t_end, a larger dt, fewer cells',
  });
}

// ---- runs ----------------------------------------------------------------------------------------------

const startCodes = { arrays: 0, vortices: 1, uniform: 2 } as const;

function startNumbers({ start, before, U }: PlaneProblem): readonly [number, number, number] {
  if (before) return [3, 0, 0];
  if (start.kind === 'uniform') return [startCodes.uniform, start.u, start.v];
  return [startCodes[start.kind], U, 0];
}

function levelParts(march: March, factor: Factor, index: number): Part[] {
  const { problem, dt, steps, stepsPerRow } = march;
  const { nx, ny, Lx, Ly, nu, g, kinds, start, before } = problem;
  const head = kernelHead({
    nx: nx / factor,
    ny: ny / factor,
    ...{ Lx, Ly, nu, g, kinds, factor },
    dt: dt * factor,
    steps: steps / factor,
    start: startNumbers(problem),
    stepsPerRow: stepsPerRow / factor,
  });
  const parts: Part[] = [{ bytes: head.f64s(problem.sides).bytes() }];
  if (before) parts.push({ bytes: before.results[index]! });
  else if (start.kind === 'arrays') parts.push({ bytes: new Layout().f64s(start.u).f64s(start.v).bytes() });
  return parts;
}

const unitsOf = (nx: number, ny: number): number => 2000 + UNITS_PER_CELL * nx * ny;

interface RunOf {
  readonly nx: number;
  readonly ny: number;
  readonly Lx: number;
  readonly Ly: number;
  readonly kinds: readonly number[];
  readonly parts: Part[];
  readonly steps: number;
  readonly label: string;
}

/** The answer takes the place of the fields, so that it takes no memory of its own. */
function runOf({ parts, steps, label, ...grid }: RunOf): RunPlan {
  const { nx, ny } = grid;
  const units = unitsOf(nx, ny);
  const padded = paddedBytes(nx, ny);
  return {
    kernel: 'flow',
    parts,
    stepsPerSegment: segmentSteps(2 * padded + ANSWER_HEAD + 16 * ny, units),
    steps,
    work: units * (steps + 1),
    memory: pagesOf(
      bytesOf(parts) + 4 * padded + phiBytes(grid) + poissonBytes(grid) + 40 * (nx + ny) + 20_000,
    ),
    label,
  };
}

/** Square cells of the larger width, so that no limit is passed; as many as the shorter axis has. */
function twinOf({ problem, dt, steps }: March) {
  const { nx, ny, Lx, Ly, nu, speeds } = problem;
  const cells = Math.min(nx, ny);
  const length = cells * Math.max(Lx / nx, Ly / ny);
  const speed = Math.max(...speeds) || nu / length;
  return { cells, length, U: 0.4 * speed, drift: 0.2 * speed, steps: Math.min(steps, TWIN_STEPS), dt };
}

function twinRun(march: March): RunPlan {
  const { cells, length, U, drift, steps, dt } = twinOf(march);
  const kinds = [RING, RING, RING, RING];
  const head = kernelHead({
    ...{ nx: cells, ny: cells, Lx: length, Ly: length, nu: march.problem.nu, dt, steps, kinds },
    start: [startCodes.vortices, U, drift],
    stepsPerRow: steps,
  });
  const parts = [{ bytes: head.f64s(stillSides(cells, cells)).bytes() }];
  return runOf({
    nx: cells,
    ny: cells,
    Lx: length,
    Ly: length,
    kinds,
    parts,
    steps,
    label: 'twin: drifting vortices',
  });
}

const labels = { 1: 'grid h', 2: 'grid 2h', 4: 'grid 4h' } as const;

/** Vortices of which everything is known need no twin. */
export const hasTwin = ({ start }: PlaneProblem): boolean => start.kind !== 'vortices';

/** Three grids, finest first, and the twin. */
export function firstRound(march: March): Round {
  const { problem, steps } = march;
  const done = problem.before?.steps ?? 0;
  const levels = LEVELS.map((factor, i) =>
    runOf({
      nx: problem.nx / factor,
      ny: problem.ny / factor,
      Lx: problem.Lx,
      Ly: problem.Ly,
      kinds: problem.kinds,
      parts: levelParts(march, factor, i),
      steps: (steps - done) / factor,
      label: labels[factor],
    }),
  );
  return { runs: hasTwin(problem) ? [...levels, twinRun(march)] : levels };
}

// ---- verdict -------------------------------------------------------------------------------------------

export function verdictRound(march: March): Round {
  const { problem, dt, rows } = march;
  const { cells, length, U, drift, steps } = twinOf(march);
  const known = problem.start.kind === 'vortices' ? 1 : 0;
  const twin = hasTwin(problem)
    ? [1, cells, cells, length, length, U, drift, steps * dt]
    : [0, 0, 0, 0, 0, 0, 0, 0];
  return verdictOf({
    ...{ problem, dt, rows, twin },
    closed: [known, 0],
    runs: [0, 1, 2, 3],
    twinBytes: hasTwin(problem) ? answerBytes(cells, cells) : 0,
  });
}

export const isVerdictDue = ({ problem }: March, finished: readonly FinishedRun[]): boolean =>
  finished.length === LEVELS.length + (hasTwin(problem) ? 1 : 0);

export const quoteOfMarch = (march: March): Quote =>
  quoteOfRounds([firstRound(march), verdictRound(march)], true);
