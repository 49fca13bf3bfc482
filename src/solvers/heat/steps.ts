import { refuse } from '../../errors/refusal.ts';
import type { Problem } from './problem.ts';

/** Which closed form holds for the caller's own problem: assembly/verdicts/heat.ts. */
export const forms = ['none', 'mode', 'series', 'rod', 'rectangle'] as const;
export type Form = (typeof forms)[number];

export function formOf(problem: Problem): Form {
  const { box, sides, source, start, steady } = problem;
  const plain = source === undefined;
  if (steady) {
    if (box.dim === 1) return typeof source === 'object' || source === 'formula' ? 'none' : 'rod';
    return plain && sides.every(({ kind }) => kind === 0) ? 'rectangle' : 'none';
  }
  if (!plain || start.kind !== 'shape') return 'none';
  const axes = box.dim === 1 ? [sides] : [sides.slice(0, 2), sides.slice(2)];
  if (start.A !== 0) return axes.every((axis, i) => keepsMode(problem, axis, i)) ? 'mode' : 'none';
  if (box.dim === 1) return sides.some(holds) || sides.every(isolates) ? 'series' : 'none';
  const around = sides.flatMap((side) => side.around ?? []);
  const alike = around.every((T) => T === around[0]);
  return alike && sides.every((side) => holds(side) || isolates(side)) ? 'series' : 'none';
}

type Side = Problem['sides'][number];
const holds = (side: Side) => side.around !== undefined;
const isolates = ({ kind, beta, gamma }: Side) => kind === 2 || (kind === 1 && beta === 0 && gamma === 0);

/** The mode is one of this axis' own: it decays and changes its shape in nothing. */
function keepsMode({ start, box }: Problem, axis: readonly Side[], index: number): boolean {
  if (start.kind !== 'shape') return false;
  const { kx, ky, phaseX, phaseY } = start.mode;
  const phase = index === 0 ? phaseX : phaseY;
  if (phase === 1) return axis.every(isolates);
  if (axis.every(({ kind, T }) => kind === 0 && T === start.T)) return true;
  const halves = (index === 0 ? kx * box.Lx : ky * box.Ly) / Math.PI;
  return axis.every(({ kind }) => kind === 2) && Math.round(halves) % 2 === 0;
}

/** Three grids where there is no closed form. */
export const levelsOf = (problem: Problem): 1 | 3 => (formOf(problem) === 'none' ? 3 : 1);

// ---- steps ---------------------------------------------------------------------------------------------

export interface Steps {
  readonly steps: number;
  readonly dt: number;
  /** How much fewer steps the next coarser grid takes. */
  readonly factor: 2 | 4;
}

/**
 * Least dx², and Σ (1 + β·dx)/dx²: an explicit step weighs no node below 0 where α·dt times that is at most ½. β = h/k
 * of convection, whose cells are widest on the coarsest grid, while dt/dx² is the same on all.
 */
function meshOf(problem: Problem): { least: number; sum: number } {
  const { box, sides } = problem;
  const widths = box.dim === 1 ? [box.Lx / box.nx] : [box.Lx / box.nx, box.Ly / box.ny];
  const coarsest = levelsOf(problem) === 1 ? 1 : 4;
  const beta = (axis: number) => Math.max(sides[2 * axis]!.beta, sides[2 * axis + 1]!.beta);
  return {
    least: Math.min(...widths.map((dx) => dx * dx)),
    sum: widths.reduce((sum, dx, axis) => sum + (1 + beta(axis) * coarsest * dx) / (dx * dx), 0),
  };
}

const EXPLICIT_BOUND = 0.5;
const EXPLICIT_CHOICE = 0.4;
const ADI_CHOICE = 4;
/** Steps that a source of the time is followed by, where the request says nothing of them. */
const LEAST_MOVING = 128;
/** A short run is wrong by its time where fewer steps than these follow a jump, however fine the cells are. */
const LEAST_CHOSEN = 32;
const MOST_CELL_STEPS = 5e10;

/** @throws Refusal STABILITY_LIMIT, LIMIT_EXCEEDED */
export function stepsOf(problem: Problem, dt: number | undefined): Steps {
  const { scheme, duration, before } = problem;
  const factor = scheme === 'explicit' ? 4 : 2;
  if (before) {
    const steps = Math.round(duration / before.dt);
    return checkWork(problem, { steps, dt: before.dt, factor }, 't_end');
  }
  const { least: leastSquare, sum } = meshOf(problem);
  if (scheme === 'explicit' && dt !== undefined) checkStability(problem.alpha * sum, dt);
  const chosen =
    scheme === 'explicit'
      ? EXPLICIT_CHOICE / (problem.alpha * sum)
      : (ADI_CHOICE * leastSquare) / problem.alpha;
  const multiple = levelsOf(problem) === 1 ? 1 : factor * factor;
  // A quotient within 1e-12 of a whole number is that number.
  const fewest = problem.formulas?.changes[0] && dt === undefined ? LEAST_MOVING : 0;
  const wanted = Math.max(fewest, Math.ceil((duration / (dt ?? chosen)) * (1 - 1e-12)));
  const least = dt === undefined ? LEAST_CHOSEN : multiple === 1 ? 4 : 16;
  const steps = Math.max(multiple * Math.ceil(wanted / multiple), least);
  return checkWork(problem, { steps, dt: duration / steps, factor }, dt === undefined ? 't_end' : 'dt');
}

function checkStability(rate: number, dt: number): void {
  const measured = rate * dt;
  if (measured <= EXPLICIT_BOUND * (1 + 1e-12)) return;
  const maxDt = EXPLICIT_BOUND / rate;
  refuse(
    'STABILITY_LIMIT',
    `dt: α·dt·Σ(1 + h·dx/k)/dx² is ${measured}, above ½, with h of convection and the dx of the coarsest grid beside it.`,
    {
      field: 'dt',
      measured,
      bound: EXPLICIT_BOUND,
      maxDt,
      accepts: `at most ${maxDt} s, or scheme adi`,
    },
  );
}

function checkWork({ box }: Problem, steps: Steps, field: string): Steps {
  const cellSteps = (box.nx + 1) * (box.ny + 1) * steps.steps;
  if (cellSteps <= MOST_CELL_STEPS) return steps;
  return refuse('LIMIT_EXCEEDED', `heat would need ${cellSteps} steps of a cell.`, {
    field,
    measured: cellSteps,
    bound: MOST_CELL_STEPS,
    accepts: 'a shorter t_end, a larger dt, fewer cells',
  });
}
