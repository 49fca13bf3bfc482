import type { Problem } from './problem.ts';

/** Work units and bytes by the formulas of the kernels (assembly/nbody, assembly/kernels/multibody*.ts). */

const MAX_SHOWN = 64;
const CONSERVED = 16;
const ROWS_BETWEEN_DRAINS = 64;
const RADAU_COEFFICIENTS = 7;

/** Evaluations in a step, and its stages. */
const perStep = {
  leapfrog: { forces: 1, potentials: 0, stages: 3 },
  pefrl: { forces: 4, potentials: 1, stages: 9 },
  yoshida6: { forces: 7, potentials: 0, stages: 15 },
} as const;

const forceCost = (bodies: number) => Math.floor((bodies * (bodies - 1) * 11) / 10) + 4 * bodies + 20;
const potentialCost = (bodies: number) => Math.floor((bodies * (bodies - 1) * 9) / 10) + 2 * bodies + 20;

/** Work units of a step with a fixed number of evaluations; for radau15 of a usual one: three passes of seven. */
export function stepCost({ scheme, mass }: Problem): number {
  const bodies = mass.length;
  if (scheme === 'radau15') return 22 * (forceCost(bodies) + 80 * bodies) + 200 * bodies;
  const { forces, potentials, stages } = perStep[scheme];
  return forces * forceCost(bodies) + potentials * potentialCost(bodies) + 2 * stages * bodies + 30;
}

/** What radau15 may spend before it gives up: sixteen times the fewest steps, and some more for short runs. */
export const radauWorkLimit = (problem: Problem) => (16 * problem.steps + 8192) * stepCost(problem);
/** The step that crosses the limit is finished: a few attempts of twelve passes. */
export const radauCeiling = (problem: Problem) => radauWorkLimit(problem) + 16 * stepCost(problem);

/** How many bodies a row shows. */
export const shown = (problem: Problem) => Math.min(problem.mass.length, MAX_SHOWN);
export const rowBytes = (problem: Problem) => 8 * (2 + 3 * shown(problem));
export const resultBytes = (problem: Problem) => 16 + 48 * problem.mass.length + 8 * CONSERVED;

/** One x, y, z, … array: N rounded up to even. */
const arrayBytes = ({ mass }: Problem) => 8 * (mass.length + (mass.length % 2));
const bundleBytes = (problem: Problem) => 3 * RADAU_COEFFICIENTS * arrayBytes(problem);

export function stateBytes(problem: Problem): number {
  const symplectic = 16 + 12 * arrayBytes(problem) + 8 * CONSERVED;
  return problem.scheme === 'radau15' ? symplectic + 48 + 2 * bundleBytes(problem) : symplectic;
}

/** Memory of a run: the module, its parameters, state, derived arrays, rows and result. */
export function runMemory(problem: Problem, rows: number): number {
  const derived = 8 * arrayBytes(problem);
  const scratch = problem.scheme === 'radau15' ? 3 * bundleBytes(problem) + 12 * arrayBytes(problem) : 0;
  const buffered = (problem.scheme === 'radau15' ? rows : ROWS_BETWEEN_DRAINS) * rowBytes(problem);
  const parameters = 128 + 56 * problem.mass.length;
  return 2 ** 17 + parameters + stateBytes(problem) + derived + scratch + buffered + resultBytes(problem);
}
