import { refuse } from '../../errors/refusal.ts';
import type { Problem } from './problem.ts';

/** One pulse of 777,000,777 ns, over which `pulseMean` is taken. */
export const pulseSeconds = 0.777000777;

/** RK4 is stable for h|λ| up to 2.7853 on the real and 2.8284 on the imaginary axis (Hairer & Wanner II, IV.2). */
const realLimit = 2.7853;
const imaginaryLimit = 2.8284;
const maxFirstSteps = 2 ** 24;
export const maxSteps = 2 ** 26;
/** The level at which refinement mostly ends, of a motion of which that cannot be said before. */
export const likelyLevel = 4;
const samples = 256;

/** How level 0 cuts the time; level j has 2^j times the steps, and the same instants of the samples. */
export interface Grid {
  readonly steps: number;
  /** Steps between two samples. */
  readonly stride: number;
  /** Steps of the pulse behind t_end: even, and 0 where a mean would cost far more than the value. */
  readonly pulseSteps: number;
  /** Beyond this |x| the motion escapes; 0 where it cannot. */
  readonly limit: number;
}

/** The grid for a caller's dt, or the default of five steps per 1/|λ| and at least 64. */
export function gridOf(problem: Problem, dt?: number): Grid {
  const duration = problem.tEnd - problem.t0;
  const rate = fastestRate(problem);
  const asked = askedSteps(problem, duration, dt);
  if (asked !== undefined) refuseUnstable(problem, duration / asked, rate.eigenvalue);
  const steps = asked ?? Math.max(64, Math.ceil(5 * duration * rate.overall));
  if (!(steps <= maxFirstSteps)) {
    refuse('LIMIT_EXCEEDED', `solve would need ${steps} steps on its first level.`, {
      field: dt === undefined ? 'inputs.t_end' : 'dt',
      measured: steps,
      bound: maxFirstSteps,
      accepts: 'a shorter t_end, a larger dt or slower coefficients',
    });
  }
  const pulse = Math.min((pulseSeconds * steps) / duration, Math.max(64, 5 * pulseSeconds * rate.overall));
  const pulseSteps = 2 * Math.ceil(pulse / 2);
  return {
    steps,
    stride: strideOf(steps - (problem.before?.steps ?? 0)),
    pulseSteps: pulseSteps <= Math.max(4 * steps, 65536) ? pulseSteps : 0,
    limit: problem.beta < 0 ? 1e6 * escapeScale(problem, duration) : 0,
  };
}

/** Of the amplitude, an error at which no value but one that is next to nothing wants to be refined. */
const refinedEnough = 1e-7;

/**
 * The last level that refinement may come to. Where errors only add up, RK4's are about T|λ|(h|λ|)⁴/120 of the amplitude
 * (Hairer & Wanner II, IV.2), and a level that is right to a ten-millionth of it is the last; a force on a spring that is
 * not straight, or one that pushes outward, may make more of them.
 */
export function lastLevel(problem: Problem, { steps }: Grid, maxIterations: number): number {
  const { tEnd, t0 } = problem;
  if (!addsUp(problem)) return maxIterations;
  const angle = (tEnd - t0) * fastestRate(problem).overall;
  const perStep = angle / steps;
  let error = (angle * perStep * perStep * perStep * perStep) / 120;
  let level = 2;
  for (error /= 256; error > refinedEnough && level < maxIterations; error /= 16) level++;
  return Math.min(level, maxIterations);
}

/** Whether errors only add up: neither grows the motion, nor is it driven off a line. */
export const addsUp = ({ k, c, beta, F }: Problem): boolean =>
  !(k < 0 || c < 0 || beta < 0 || (beta > 0 && F !== 0));

/** Steps by the caller's dt, or by the step of the job that this one goes on from, of which the end is a multiple. */
function askedSteps({ before }: Problem, duration: number, dt?: number): number | undefined {
  if (before) return Math.floor(duration / before.step + 0.5);
  return dt === undefined ? undefined : stepsWithin(duration, dt);
}

/** Of a job from its start two at least: what has less than three samples is described by nothing (ENV-07). */
export const stepsWithin = (duration: number, dt: number): number => Math.max(2, Math.ceil(duration / dt));

/** The smallest divisor of `steps` that leaves at most 256 intervals, if one is near; else the rounded stride. */
export function strideOf(steps: number): number {
  const least = Math.ceil(steps / samples);
  for (let stride = least; stride <= 2 * least; stride++) if (steps % stride === 0) return stride;
  return least;
}

function escapeScale(problem: Problem, duration: number): number {
  const well = Math.sqrt(Math.abs(problem.k / problem.beta));
  return Math.max(Math.abs(problem.x0), Math.abs(problem.v0) * duration, well);
}

/** |λ| of the motion on the largest amplitude that its energy and forces allow, and with the force's Ω. */
function fastestRate(problem: Problem): { eigenvalue: number; overall: number } {
  const amplitude = problem.order === 2 ? oscillationBound(problem) : relaxationBound(problem);
  const stiffness = Math.abs(problem.k) + 3 * Math.abs(problem.beta) * amplitude * amplitude;
  const eigenvalue = problem.order === 2 ? largestRoot(problem, stiffness) : stiffness / problem.c;
  return { eigenvalue, overall: Math.max(eigenvalue, problem.F === 0 ? 0 : problem.Omega) };
}

/** Larger |root| of mλ² + cλ + k. */
function largestRoot({ m, c }: Problem, stiffness: number): number {
  const discriminant = c * c - 4 * m * stiffness;
  return discriminant > 0 ? (c + Math.sqrt(discriminant)) / (2 * m) : Math.sqrt(stiffness / m);
}

/** β X⁴/4 + k X²/2 = E₀ + (|F| + |b|) X, by iteration from the free amplitude; only sizes the first step. */
function oscillationBound({ m, k, beta, F, b, x0, v0 }: Problem): number {
  if (beta <= 0) return beta === 0 ? 0 : Math.max(Math.abs(x0), Math.sqrt(Math.abs(k / beta)));
  const energy = 0.5 * m * v0 * v0 + 0.5 * x0 * x0 * (k + 0.5 * beta * x0 * x0);
  let amplitude = Math.abs(x0);
  for (let i = 0; i < 40; i++) {
    const work = Math.max(0, k * k + 4 * beta * (energy + (Math.abs(F) + Math.abs(b)) * amplitude));
    amplitude = Math.max(amplitude, Math.sqrt(Math.max(0, (Math.sqrt(work) - k) / beta)));
  }
  return amplitude;
}

/** Where β y³ − max(0, −k) y = |F| + |b|, from above by Newton's method; y never leaves what this encloses. */
function relaxationBound({ k, beta, F, b, x0 }: Problem): number {
  const start = Math.abs(x0);
  if (beta <= 0) return beta === 0 ? 0 : Math.max(start, Math.sqrt(Math.abs(k / beta)));
  const push = Math.abs(F) + Math.abs(b);
  const growth = Math.max(0, -k);
  let y = Math.sqrt(growth / beta) + Math.max(1, push / beta);
  for (let i = 0; i < 60; i++) {
    const slope = 3 * beta * y * y - growth;
    if (slope > 0) y = Math.max(0, y - (beta * y * y * y - growth * y - push) / slope);
  }
  return Math.max(start, y);
}

function refuseUnstable(problem: Problem, h: number, eigenvalue: number): void {
  const undamped = problem.order === 2 && problem.c === 0 && problem.k >= 0;
  const bound = undamped ? imaginaryLimit : realLimit;
  const measured = h * eigenvalue;
  if (measured <= bound) return;
  refuse('STABILITY_LIMIT', `RK4 is unstable at this dt: h|λ| = ${measured}, above ${bound}.`, {
    field: 'dt',
    measured,
    bound,
    maxDt: bound / eigenvalue,
    accepts: `dt ≤ ${bound / eigenvalue} s`,
  });
}
