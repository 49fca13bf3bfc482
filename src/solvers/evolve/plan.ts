import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { profileBytes, profileWork } from '../diagnostics.ts';
import { defaultSeed, Layout, segmentSteps } from '../layout.ts';
import type { PlanContext, Quote } from '../solver.ts';
import { BOLTZMANN, type EvolveInput, type Problem, pairUnits, readProblem, truncations } from './problem.ts';

// Layouts and costs as assembly/evolve/atoms.ts, assembly/kernels/evolve.ts and assembly/verdicts/evolve.ts.

const MAX_ROWS = 256;
const ROW_BYTES = 40;
const SAMPLED = 256;
export const BINS = 64;
const PAGE = 65536;
/** The twin's two atoms go half a τ, near the far end of their path. */
const TWIN_TIME = 0.5;
const TWIN_BYTES = 256;

export const rowEvery = ({ steps }: Problem) => Math.max(1, Math.ceil(steps / MAX_ROWS));

export function rowCount(problem: Problem): number {
  const every = rowEvery(problem);
  const from = problem.before?.steps ?? 0;
  const last = problem.steps % every !== 0 && problem.steps > from ? 1 : 0;
  return Math.floor(problem.steps / every) - Math.floor(from / every) + last + 1;
}

export const stateBody = (atoms: number) => 8 * (6 * atoms + 16);

export function resultBytes({ atoms, cutoff }: Problem): number {
  return 32 + stateBody(atoms) + 48 * atoms + 32 * Math.min(atoms, SAMPLED) + (cutoff > 0 ? 8 * BINS : 0);
}

const stepUnits = (problem: Problem) => (pairUnits(problem) + 60) * problem.atoms + 100;

function head(problem: Problem, seed: bigint, factor: number): Layout {
  const { atoms, edges, cutoff, truncation, step, steps, lattice, epsilon, sigma, mass, before } = problem;
  return new Layout()
    .f64(atoms, edges ? 1 : 0, ...(edges ?? [0, 0, 0]), cutoff, truncations.indexOf(truncation))
    .f64(step / factor, steps * factor, rowEvery(problem) * factor, before ? 2 : lattice ? 1 : 0)
    .f64(lattice?.cells ?? 0, lattice?.density ?? 0, lattice?.kT ?? 0)
    .u64(seed)
    .f64(epsilon, sigma, mass, problem.room, (before?.steps ?? 0) * factor, problem.t0);
}

function run(problem: Problem, seed: bigint, factor: number, label: string): RunPlan {
  const { atoms, position, velocity, before } = problem;
  const layout = head(problem, seed, factor);
  if (!before) layout.f64s(position.flat()).f64s(velocity.flat());
  const state = before?.states[factor - 1];
  const steps = factor * (problem.steps - (before?.steps ?? 0));
  const units = stepUnits(problem);
  return {
    kernel: 'evolve',
    parts: [{ bytes: layout.bytes() }, ...(state ? [{ bytes: state }] : [])],
    stepsPerSegment: segmentSteps(stateBody(atoms), units),
    steps,
    work: steps * units,
    memory: memoryOf(problem),
    label,
  };
}

/** Parameters, state, sums, ways and the answer are 240 bytes an atom, cells another 8. */
function memoryOf({ atoms, cutoff, room }: Problem): number {
  const rows = cutoff > 0 ? Math.max(2 * room, 4) * atoms : 0;
  return 8 * PAGE + rows + 256 * atoms;
}

/** Two atoms at rest, 1.2 σ apart, with the step of the run. */
function twinOf({ epsilon, sigma, mass, step }: Problem): Problem {
  const time = sigma * Math.sqrt(mass / epsilon);
  return {
    ...{ atoms: 2, epsilon, sigma, mass, step, t0: 0, cutoff: 0, truncation: 'truncated', room: 1 },
    edges: undefined,
    steps: Math.max(1, Math.ceil((TWIN_TIME * time) / step)),
    position: [
      [0, 0, 0],
      [0.72 * sigma, 0, 0.96 * sigma],
    ],
    velocity: [
      [0, 0, 0],
      [0, 0, 0],
    ],
  };
}

export const seedOf = ({ seed }: EvolveInput, { requestHash }: PlanContext): bigint =>
  seed === undefined ? defaultSeed(requestHash) : BigInt(seed);

export function firstRound(input: EvolveInput, context: PlanContext): Round {
  const problem = readProblem(input);
  const seed = seedOf(input, context);
  return {
    runs: [
      run(problem, seed, 1, 'run'),
      run(problem, seed, 2, 'half step'),
      run(twinOf(problem), 0n, 1, 'two atoms'),
    ],
  };
}

function verdictRun(input: EvolveInput, context: PlanContext): RunPlan {
  const problem = readProblem(input);
  const { atoms } = problem;
  const twin = twinOf(problem);
  const rows = rowCount(problem);
  const result = (index: number): Part => ({
    run: index,
    of: 'result',
    from: 0,
    length: resultBytes(problem),
  });
  const parts: Part[] = [
    {
      bytes: head(problem, seedOf(input, context), 1)
        .f64(rows, twin.steps, twin.step, input.units === 'lj' ? 1 : BOLTZMANN)
        .bytes(),
    },
    result(0),
    result(1),
    { run: 2, of: 'result', from: 0, length: TWIN_BYTES },
    { run: 0, of: 'rows', from: 0, length: ROW_BYTES * rows },
  ];
  return {
    kernel: 'evolve.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 3_000_000 + profileWork(rows) + Math.min(atoms, SAMPLED) * atoms * 12 + 40 * atoms,
    memory: 2 * PAGE + 2 * resultBytes(problem) + 200 * rows + profileBytes(rows),
    label: 'verdict',
  };
}

export function nextRound(
  input: EvolveInput,
  finished: readonly FinishedRun[],
  context: PlanContext,
): Round | undefined {
  return finished.length > 3 ? undefined : { runs: [verdictRun(input, context)], verdict: true };
}

export function quoteEvolve(input: EvolveInput, context: PlanContext): Quote {
  const runs = [...firstRound(input, context).runs, verdictRun(input, context)];
  return {
    work: runs.reduce((sum, each) => sum + each.work, 0),
    exact: true,
    memory: Math.max(...runs.map((each) => each.memory)),
  };
}
