import { refuse } from '../../errors/refusal.ts';
import { isLayers, rowsAlike } from './medium.ts';
import { FIXED, isPower, type Problem } from './problem.ts';

/** Which closed form holds for the caller's own problem: assembly/wave/judged.ts. */
export const forms = ['none', 'mode', 'line', 'stack'] as const;
export type Form = (typeof forms)[number];

export const isUniform = ({ medium: { epsilon } }: Problem): boolean =>
  typeof epsilon === 'number' ||
  (isLayers(epsilon)
    ? epsilon.every((layer) => layer.epsilonR === epsilon[0]!.epsilonR)
    : epsilon.every((value) => value === epsilon[0]));

export function formOf(problem: Problem): Form {
  const { quantity, start, box, medium, sides } = problem;
  if (isPower(quantity)) return box.dim === 1 || rowsAlike(medium, box) ? 'stack' : 'none';
  if (problem.driven || !isUniform(problem) || typeof medium.sigma !== 'number') return 'none';
  if (start.kind === 'mode' && start.isEigen && swings(problem)) return 'mode';
  if (box.dim === 2 || medium.sigma !== 0 || (start.kind !== 'mode' && start.kind !== 'pluck')) return 'none';
  if (quantity === 'value') return 'line';
  return start.kind === 'pluck' && sides.every((kind) => kind === FIXED) ? 'line' : 'none';
}

/** σ leaves the mode an oscillation: γ = σ/2ε < ω; without σ it may also stand still. */
function swings({ start, medium, box }: Problem): boolean {
  if (start.kind !== 'mode' || medium.sigma === 0) return true;
  const { kx, ky } = start.mode;
  const wave = kx * kx + (box.dim === 2 ? ky * ky : 0);
  const gamma = ((medium.sigma as number) * medium.fastest) / (2 * medium.K);
  return gamma * gamma < 0.81 * medium.fastest * wave;
}

/** Three grids, except where only a closed form can tell: data with kinks, and stacks on a line. */
export const levelsOf = (problem: Problem): 1 | 3 => {
  const form = formOf(problem);
  return form === 'none' || form === 'mode' || problem.box.dim === 2 ? 3 : 1;
};

// ---- steps ---------------------------------------------------------------------------------------------

export interface Steps {
  readonly steps: number;
  readonly dt: number;
  /** The first step of the running transform. */
  readonly transformFrom: number;
}

export const MOST_CELL_STEPS = 5e10;
const MOST_OF_FREQUENCY = 262_144;
const PERIODS = 4;

/** c·√(Σ 1/dx²) [1/s]: with dt the Courant number. */
function rateOf({ box, medium }: Problem): number {
  const [dx, dy] = [box.Lx / box.nx, box.ny === 0 ? Infinity : box.Ly / box.ny];
  return Math.sqrt(medium.fastest) * Math.sqrt(1 / (dx * dx) + 1 / (dy * dy));
}

/** A line is exact at a Courant number of 1; layers need some room below it. */
const courantChoice = ({ box, hasLayers }: Problem) => (hasLayers ? 0.9 : box.dim === 1 ? 1 : 0.95);

/** @throws Refusal STABILITY_LIMIT, LIMIT_EXCEEDED */
export function stepsOf(problem: Problem, dt: number | undefined): Steps {
  const { duration, before, frequency, source } = problem;
  if (before) {
    const steps = Math.round(duration / before.dt);
    return checked(problem, { steps, dt: before.dt, transformFrom: 0 }, 't_end');
  }
  const rate = rateOf(problem);
  if (dt !== undefined) checkCourant(rate, dt);
  const largest = dt ?? courantChoice(problem) / rate;
  const field = dt === undefined ? 't_end' : 'dt';
  if (problem.window > 0) return windowSteps(problem, largest, field);
  if (frequency > 0 && source!.type === 'sine') {
    const perPeriod = Math.ceil(1 / (frequency * largest));
    const step = 1 / (frequency * perPeriod);
    const steps = Math.ceil(duration / step) + PERIODS * perPeriod;
    return checked(problem, { steps, dt: step, transformFrom: steps - PERIODS * perPeriod }, field);
  }
  const multiple = levelsOf(problem) === 1 ? 1 : 4;
  // A quotient within 1e-12 of a whole number is that number.
  const wanted = Math.ceil((duration / largest) * (1 - 1e-12));
  const steps = Math.max(multiple * Math.ceil(wanted / multiple), 16);
  return checked(problem, { steps, dt: duration / steps, transformFrom: 0 }, field);
}

/** Half a window is a whole number of steps on all grids. */
function windowSteps(problem: Problem, largest: number, field: string): Steps {
  const { duration, window } = problem;
  const steps = 4 * Math.ceil(duration / largest / 4);
  const dt = duration / steps;
  const half = 4 * Math.round(window / dt / 8);
  return checked(problem, { steps, dt, transformFrom: steps - 4 * half }, field);
}

function checkCourant(rate: number, dt: number): void {
  const measured = rate * dt;
  if (measured <= 1 + 1e-12) return;
  const maxDt = 1 / rate;
  refuse('STABILITY_LIMIT', `dt: the Courant number c·dt·√(1/dx² + 1/dy²) is ${measured}, above 1.`, {
    field: 'dt',
    measured,
    bound: 1,
    maxDt,
    accepts: `at most ${maxDt} s`,
  });
}

function checked(problem: Problem, steps: Steps, field: string): Steps {
  const { box, quantity } = problem;
  const cellSteps = (box.nx + 1) * (box.ny + 1) * steps.steps;
  if (!(cellSteps <= MOST_CELL_STEPS) || !(steps.dt > 1e-100))
    refuse('LIMIT_EXCEEDED', `wave would need ${cellSteps} steps of a cell.`, {
      field,
      measured: cellSteps,
      bound: MOST_CELL_STEPS,
      accepts: 'a shorter t_end, a larger dt, fewer cells',
    });
  const done = problem.before?.steps ?? 0;
  if (quantity === 'frequency' && !(steps.steps - done <= MOST_OF_FREQUENCY))
    refuse('LIMIT_EXCEEDED', `wave would look for a frequency in ${steps.steps - done} steps.`, {
      field,
      measured: steps.steps - done,
      bound: MOST_OF_FREQUENCY,
      accepts: 'a shorter t_end, a larger dt',
    });
  return steps;
}
