// What is undriven comes to rest: in the end its velocity is beneath what rounding leaves of the start.

import { logarithm } from '../elementary.ts';
import type { PlaneProblem } from './problem.ts';

const ROUNDING = 1e-16;

/** `share`: of the run, whose start may be late beside how long it is. */
const endAfter = (t0: number, duration: number, share: number): Record<string, unknown> => ({
  field: 't_end',
  reason: 'the fluid has come to rest',
  accepts: `t_end = ${t0 + Number((duration * share).toPrecision(2))} s`,
});

interface Run {
  readonly t0: number;
  readonly duration: number;
}

/** Velocities fall exponentially: of the powers by which they have, those that leave sources within a tenth of the bound. */
export function beforeSourcesShow({ t0, duration }: Run, error: number, bound: number) {
  return endAfter(t0, duration, logarithm((0.1 * bound) / ROUNDING) / logarithm(error / ROUNDING));
}

/** Of a section whose slowest sines are left of rounding alone: a quarter of the powers. */
export function beforeRoundingShows({ t0, duration }: Run) {
  return endAfter(t0, duration, 0.25);
}

/** Powers by which vortices may fall and be held beside what rounding leaves of the first. */
const MOST_POWER = 25;

/** Vortices of Taylor and Green that have fallen by more. */
export function beforeVorticesRest({ nu, Lx, Ly, t0, duration }: PlaneProblem) {
  const [k, l] = [(2 * Math.PI) / Lx, (2 * Math.PI) / Ly];
  const power = nu * (k * k + l * l) * duration;
  return power > MOST_POWER ? endAfter(t0, duration, MOST_POWER / power) : undefined;
}
