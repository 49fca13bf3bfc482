import type { Problem } from './problem.ts';

const TWO_PI = 6.283185307179586;
/** Steps in a period, so many that leapfrog's phase stays well inside the bound; and most steps of the twin. */
const STEPS_PER_PERIOD = 1024;
const MAX_STEPS = 400;
const ECCENTRICITY = 0.3;
/** Unequal masses, and an orbit that lies askew: pericentre and motion there along these unit vectors. */
const SHARES = [2 / 3, 1 / 3] as const;
const PERICENTRE = [2 / 3, 1 / 3, 2 / 3] as const;
const MOTION = [1 / 3, 2 / 3, -2 / 3] as const;

/**
 * The nearest problem with a closed form: two bodies from pericentre, with the integrator, the step and the G of
 * the run. The size of the orbit is its period in metres, so that speeds are about 2π m/s whatever the step.
 */
export function twinOf(problem: Problem): Problem {
  const step = problem.duration / problem.steps;
  const steps = Math.min(problem.steps, MAX_STEPS);
  const size = STEPS_PER_PERIOD * step;
  const total = (TWO_PI * TWO_PI * size) / problem.G;
  const distance = size * (1 - ECCENTRICITY);
  const speed = TWO_PI * Math.sqrt((1 + ECCENTRICITY) / (1 - ECCENTRICITY));
  const along = (unit: readonly number[], length: number) => unit.map((x) => x * length);
  const { before: _, ...same } = problem;
  return {
    ...same,
    mass: SHARES.map((share) => share * total),
    position: [along(PERICENTRE, -SHARES[1] * distance), along(PERICENTRE, SHARES[0] * distance)],
    velocity: [along(MOTION, -SHARES[1] * speed), along(MOTION, SHARES[0] * speed)],
    t0: 0,
    duration: steps * step,
    steps,
    softening: 0,
    tree: false,
  };
}
