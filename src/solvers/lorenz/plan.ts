import type { Part, RunPlan } from '../../proof/job.ts';
import { beginningOf, earlierState } from '../continuation.ts';
import { defaultSeed, Layout, segmentSteps } from '../layout.ts';
import type { PlanContext } from '../solver.ts';
import { CHAINS, checkEnd, type LorenzInput, readSampling, readTrajectory } from './problem.ts';

// Layouts and costs as the kernels and verdicts lorenz, lorenz-exponents and lorenz-fixed have them.

const MEMORY = 2 ** 18;
export const TRAJECTORY_RUNS = 6;
const ROWS_BYTES = 257 * 24;
/** What a run of a trajectory keeps to go on from. */
export const KEPT_BYTES = 32;

const verdict = (kernel: string, parts: Part[], work: number): RunPlan => ({
  kernel: `${kernel}.verdict`,
  parts,
  stepsPerSegment: 1,
  steps: 1,
  work,
  memory: MEMORY,
  label: 'verdict',
});

// ---- trajectory ----------------------------------------------------------------------------------------

const methods = [
  { order: 24, tolerance: 1e-17 },
  { order: 28, tolerance: 1e-19 },
] as const;
/** Of a coordinate of the start, in runs beside the first: eight times what rounding takes from it. */
const MOVED = 2 ** -49;
const unitsOf = (order: number) => order * order + 5 * order + 60;

/** The twin starts on the z axis, as high as the run does or at 1. */
const heightOf = (input: LorenzInput) => Math.max(1, Math.abs(readTrajectory(input).start[2]));

function seriesRun(
  input: LorenzInput,
  start: readonly number[],
  method: (typeof methods)[number],
  label: string,
  run: number,
): RunPlan {
  const { sigma, rho, beta } = input;
  const { t_max, mostSteps } = readTrajectory(input);
  const { order, tolerance } = method;
  return {
    kernel: 'lorenz',
    parts: [
      { bytes: new Layout().f64(sigma, rho, beta, ...start, t_max, order, tolerance, mostSteps).bytes() },
      ...earlierState(input, run),
    ],
    stepsPerSegment: segmentSteps(16 + 40, unitsOf(order)),
    work: mostSteps * unitsOf(order),
    memory: MEMORY,
    label,
  };
}

function trajectoryRuns(input: LorenzInput): RunPlan[] {
  const { start } = readTrajectory(input);
  const [method, other] = methods;
  const moved = (axis: number) => start.map((each, i) => (i === axis ? each * (1 + MOVED) : each));
  const starts = [start, moved(0), moved(1), moved(2)];
  const labels = ['', ', x moved', ', y moved', ', z moved'];
  return [
    seriesRun(input, start, method, `Taylor series of order ${method.order}`, 0),
    ...starts.map((from, i) =>
      seriesRun(input, from, other, `Taylor series of order ${other.order}${labels[i]}`, 1 + i),
    ),
    seriesRun(input, [0, 0, heightOf(input)], method, 'twin on the z axis', TRAJECTORY_RUNS - 1),
  ];
}

function trajectoryVerdict(input: LorenzInput): RunPlan {
  const { t0 } = readTrajectory(input);
  const all = trajectoryRuns(input);
  const [first] = all;
  const runs = all.map((_, run) => run);
  return verdict(
    'lorenz',
    [
      first!.parts[0]!,
      { bytes: new Layout().f64(t0, heightOf(input), beginningOf(input)).bytes() },
      ...runs.map((run): Part => ({ run, of: 'result', from: 0, length: 32 })),
      ...runs.map((run): Part => ({ run, of: 'rows', from: 0, length: ROWS_BYTES })),
    ],
    12_000_000,
  );
}

// ---- exponents -----------------------------------------------------------------------------------------

const RUNS = 4;
const EACH = CHAINS / RUNS;
const RESULT_BYTES = 8 * (16 * 3 * EACH + 7 * EACH);
const STATE_BYTES = 16 + (EACH / 2) * 27 * 16 + 8 * 16 * 3 * EACH;

function chainsRun(input: LorenzInput, seed: bigint, run: number): RunPlan {
  const { h, stepsEach, before, blockLength } = readSampling(input);
  const units = EACH * (stepsEach * 40 + 60);
  const steps = before + 16 * blockLength;
  const head = new Layout()
    .f64(input.sigma, input.rho, input.beta, h, stepsEach, before, blockLength)
    .u64(seed)
    .f64(run * EACH, EACH);
  return {
    kernel: 'lorenz-exponents',
    parts: [{ bytes: head.bytes() }],
    stepsPerSegment: segmentSteps(STATE_BYTES, units),
    steps,
    work: steps * units,
    memory: MEMORY,
    label: `chains ${run * EACH} to ${(run + 1) * EACH - 1}`,
  };
}

export const seedOf = (input: LorenzInput, context: PlanContext): bigint =>
  input.seed === undefined ? defaultSeed(context.requestHash) : BigInt(input.seed);

function exponentsRuns(input: LorenzInput, context: PlanContext): RunPlan[] {
  const seed = seedOf(input, context);
  return Array.from({ length: RUNS }, (_, run) => chainsRun(input, seed, run));
}

function exponentsVerdict(input: LorenzInput, context: PlanContext): RunPlan {
  const runs = exponentsRuns(input, context);
  return verdict(
    'lorenz-exponents',
    [
      runs[0]!.parts[0]!,
      { bytes: new Layout().f64(RUNS).bytes() },
      ...runs.map((_, run): Part => ({ run, of: 'result', from: 0, length: RESULT_BYTES })),
    ],
    2_300_000,
  );
}

// ---- fixed point ---------------------------------------------------------------------------------------

function fixedRuns(input: LorenzInput): RunPlan[] {
  checkEnd(input);
  return [
    {
      kernel: 'lorenz-fixed',
      parts: [{ bytes: new Layout().f64(input.sigma, input.rho, input.beta).bytes() }],
      stepsPerSegment: 200,
      work: 200 * 50,
      memory: MEMORY,
      label: 'Newton’s method',
    },
  ];
}

const fixedVerdict = (input: LorenzInput): RunPlan =>
  verdict(
    'lorenz-fixed',
    [...fixedRuns(input)[0]!.parts, { run: 0, of: 'result', from: 0, length: 128 }],
    2000,
  );

// ---- all -----------------------------------------------------------------------------------------------

export function runsOf(input: LorenzInput, context: PlanContext): RunPlan[] {
  if (input.mode === 'trajectory') return trajectoryRuns(input);
  return input.mode === 'exponents' ? exponentsRuns(input, context) : fixedRuns(input);
}

export function verdictOf(input: LorenzInput, context: PlanContext): RunPlan {
  if (input.mode === 'trajectory') return trajectoryVerdict(input);
  return input.mode === 'exponents' ? exponentsVerdict(input, context) : fixedVerdict(input);
}
