import { newSteps, type Problem } from './problem.ts';

/** Work units and bytes by the formulas of the kernels (assembly/nbody, assembly/kernels/multibody*.ts). */

const MAX_SHOWN = 64;
const MAX_SAMPLED = 256;
const CONSERVED = 16;
const ROWS_BETWEEN_DRAINS = 64;
const RADAU_COEFFICIENTS = 7;

/** Evaluations in a step, and its stages. */
const perStep = {
  leapfrog: { forces: 1, potentials: 0, stages: 3 },
  pefrl: { forces: 4, potentials: 1, stages: 9 },
  yoshida6: { forces: 7, potentials: 0, stages: 15 },
} as const;

function forceCost(problem: Problem): number {
  const bodies = problem.mass.length;
  return problem.tree ? treeCost(problem) : Math.floor((bodies * (bodies - 1) * 14) / 10) + 8 * bodies + 25;
}

function potentialCost(problem: Problem): number {
  const bodies = problem.mass.length;
  return problem.tree ? treeCost(problem) : Math.floor((bodies * (bodies - 1) * 9) / 10) + 8 * bodies + 25;
}

/** Bodies met by one, and sorting it into the tree. */
function treeCost({ mass, theta }: Problem): number {
  const bodies = mass.length;
  const reach = 325 / (theta * theta);
  const met = reach < 1e9 ? reach * logarithm(1 + bodies / reach) : 1.44 * bodies;
  return Math.floor(bodies * (2.34 * met + 300));
}

/** log₂ x, x ≥ 1, to 0.003, with the operations of the kernel. */
function logarithm(x: number): number {
  let [mantissa, exponent] = [x, 0];
  for (; mantissa >= 2; exponent++) mantissa *= 0.5;
  const u = (mantissa - 1) / (mantissa + 1);
  return exponent + 2.8853900817779268 * (u + (u * u * u) / 3);
}

/** Work units of a step with a fixed number of evaluations; for radau15 of a usual one: three passes of seven. */
export function stepCost(problem: Problem): number {
  const bodies = problem.mass.length;
  if (problem.scheme === 'radau15') return 22 * (forceCost(problem) + 40 * bodies) + 200 * bodies;
  const { forces, potentials, stages } = perStep[problem.scheme];
  const evaluations = forces * forceCost(problem) + potentials * potentialCost(problem);
  return evaluations + stages * (2 * bodies + 5) + 2 * bodies + 30;
}

/** Pairs of so many bodies are looked at before a quote. */
const MAX_PAIRED = 256;

/** The duration over √(d³/G(m₁ + m₂)) of the pair that moves fastest about each other at the start. */
function dynamicTimes({ mass, position, G, softening, duration }: Problem): number {
  if (mass.length > MAX_PAIRED) return Infinity;
  let most = 0;
  for (const [i, a] of position.entries())
    for (let j = 0; j < i; j++) {
      const square = a.reduce((sum, x, k) => sum + (x - position[j]![k]!) * (x - position[j]![k]!), 0);
      const apart = square + softening * softening;
      most = Math.max(most, (G * (mass[i]! + mass[j]!)) / (apart * Math.sqrt(apart)));
    }
  return duration * Math.sqrt(most);
}

/**
 * What radau15 may spend before it gives up: sixteen times the fewest steps, and some more for short runs, but no more than
 * twice the fewest and a thousand for each dynamical time: an orbit with e = 0.99 takes some hundred a period, and of many
 * bodies there is always a pair that meets.
 */
export function radauWorkLimit(problem: Problem): number {
  const fewest = newSteps(problem);
  const encounters = 1000 * Math.max(1, problem.mass.length / 32) * (1 + dynamicTimes(problem));
  return Math.ceil(Math.min(16 * fewest + 24_576, 2 * fewest + encounters)) * stepCost(problem);
}
/** The step that crosses the limit is finished: a few attempts of twelve passes. */
export const radauCeiling = (problem: Problem) => radauWorkLimit(problem) + 16 * stepCost(problem);

/** What random planets took: of each step three quarters of a usual one, and seven for each dynamical time at the start. */
export function radauExpected(problem: Problem): number {
  const steps = 0.75 * newSteps(problem) + 7 * dynamicTimes(problem);
  return Math.min(radauCeiling(problem), Math.ceil(steps) * stepCost(problem));
}

/** How many bodies a row shows. */
export const shown = (problem: Problem) => Math.min(problem.mass.length, MAX_SHOWN);
export const rowBytes = (problem: Problem) => 8 * (2 + 3 * shown(problem));
/** Of how many bodies a tree's result shows the force, for the verdict. */
export const sampled = ({ tree, mass }: Problem) => (tree ? Math.min(mass.length, MAX_SAMPLED) : 0);
export const resultBytes = (problem: Problem) =>
  16 + 48 * problem.mass.length + 8 * CONSERVED + 32 * sampled(problem);

/** One x, y, z, … array: N rounded up to even. */
const arrayBytes = ({ mass }: Problem) => 8 * (mass.length + (mass.length % 2));
const bundleBytes = (problem: Problem) => 3 * RADAU_COEFFICIENTS * arrayBytes(problem);

export function stateBytes(problem: Problem): number {
  const symplectic = 16 + 12 * arrayBytes(problem) + 8 * CONSERVED;
  return problem.scheme === 'radau15' ? symplectic + 48 + 2 * bundleBytes(problem) : symplectic;
}

/** The state to go on from, at the end of a result (assembly/nbody/continued.ts): 32 bytes, then the state's body. */
export const continuationBytes = (problem: Problem) => 32 + stateBytes(problem) - 16;

/** Of the tree: nodes, sorted bodies, keys and order twice, potentials, buckets; lists and sums of a group. */
const octreeBytes = ({ mass }: Problem) =>
  152 * 5 * Math.ceil(mass.length / 16) + 65 * mass.length + 48 * 1024;

/**
 * Memory of a run: the module, its parameters, state, rows, derived arrays and scratch. A result that is made when all of it
 * has been used stands in the last two.
 */
export function runMemory(problem: Problem, rows: number): number {
  const radau = problem.scheme === 'radau15';
  const derived = 5 * arrayBytes(problem);
  const direct = 3 * arrayBytes(problem) + (radau ? 3 * bundleBytes(problem) + 12 * arrayBytes(problem) : 0);
  const scratch = derived + (problem.tree ? octreeBytes(problem) : direct);
  const result = resultBytes(problem) + continuationBytes(problem);
  const sample = 32 * sampled(problem);
  const buffered = (radau ? rows : ROWS_BETWEEN_DRAINS) * rowBytes(problem);
  const before = problem.before ? continuationBytes(problem) : 0;
  const parameters = 128 + 56 * problem.mass.length + before;
  const behind = radau ? scratch + result : Math.max(scratch, result) + sample;
  return 2 ** 17 + parameters + stateBytes(problem) + buffered + behind;
}
