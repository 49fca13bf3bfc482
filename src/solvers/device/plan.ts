import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { type Problem, readProblem } from './problem.ts';
import { doublingsOf, longestStep } from './profile.ts';
import { type DeviceInput, quantities } from './schema.ts';

// Layouts and costs: assembly/device/problem.ts, plane.ts, assembly/kernels/device.ts, device-plane.ts and the verdicts.

export const LINE = { head: 64, row: 24, scalars: 20 };
export const PLANE = { head: 64, scalars: 16 };
/** Work units of a node: before the first iteration, in one of the equilibrium, in one of a bias. */
const START = 300;
const EQUILIBRIUM = 40;
const BIAS = 110;
/** Iterations of the equilibrium, and of each step of the bias on average, after which a run is given up. */
const EQUILIBRIUM_ITERATIONS = 20;
const BIAS_ITERATIONS = 8;
/** Of a uniform bar, where the potential is a straight line. */
const UNIFORM_ITERATIONS = 3;
/** Nodes from each end whose factors are kept at once, their bytes and those of what is carried into a stretch of nodes. */
const KEPT_NODES = 512;
const FACTORS = 224;
const CARRY = 304;
const MOST_WORK = 5e10;
const MOST_ROWS = 256;

const whole = (bytes: number) => 65536 * (1 + Math.ceil(bytes / 65536));
const bytesOf = (parts: readonly Part[]) =>
  parts.reduce(
    (sum, part) => sum + ('bytes' in part ? part.bytes.length : 'length' in part ? part.length : 0),
    0,
  );
const levels = [1, 2, 4] as const;
const labels = { 1: 'grid h', 2: 'grid 2h', 4: 'grid 4h' } as const;

/** Steps of the bias: 50 mV each, or a little less; in the cold 8 kT/q. */
export const biasSteps = ({ isBiased, V, Vt }: Problem): number =>
  isBiased ? Math.max(1, Math.ceil(Math.abs(V) / longestStep(Vt) - 1e-9)) : 0;

/** Three more for every doubling of a step of the bias over 2 kT/q, as in the cold. */
function iterationsOf(problem: Problem): number {
  const steps = biasSteps(problem);
  const size = steps > 0 ? Math.abs(problem.V) / steps / (2 * problem.Vt) : 0;
  const ofStep = isUniform(problem) ? UNIFORM_ITERATIONS : BIAS_ITERATIONS + 3 * doublingsOf(size);
  // e^u that spans more than 40 doublings is reached by more of the shortened steps.
  const far = Math.max(0, Math.ceil((problem.doublings - 40) / 6));
  return EQUILIBRIUM_ITERATIONS + far + ofStep * steps;
}

const isUniform = ({ profile }: Problem) => profile.kind === 'array' && profile.isUniform;

/** Whether the value has no closed form, so that three grids bound its error. */
export function hasThreeGrids(problem: Problem, { quantity }: DeviceInput): boolean {
  if (quantity === 'Vbi' || isUniform(problem)) return false;
  if (problem.dim === 2) return true;
  return problem.isBiased || (quantity === 'Emax' && problem.profile.kind === 'array');
}

// ---- in one dimension ----------------------------------------------------------------------------------

const arrayOf = ({ profile }: Problem): readonly number[] => (profile.kind === 'array' ? profile.values : []);

function lineHead(input: DeviceInput, problem: Problem, level: number): Layout {
  const { profile, nx, V, Lx, recombines, tol } = problem;
  const junction = profile.kind === 'junction' ? profile : undefined;
  const nodes = arrayOf(problem);
  return new Layout()
    .f64(nx / level, nx, input.temperature, input.epsR, input.ni, junction ? 0 : 1)
    .f64(junction?.Na ?? 0, junction?.Nd ?? 0, junction?.Lp ?? 0, junction?.Ln ?? 0, Lx, nodes.length)
    .f64(V, biasSteps(problem), input.mun ?? 0, input.mup ?? 0, input.taun ?? 0, input.taup ?? 0)
    .f64(recombines ? 1 : 0, tol, iterationsOf(problem), isUniform(problem) ? 1 : 0)
    .f64(quantities.indexOf(input.quantity), hasThreeGrids(problem, input) ? 3 : 1, biasSteps(problem) + 1)
    .f64s(nodes);
}

/** Bytes of the columns of a result, which stand before its head. */
const lineColumns = ({ nx, isBiased }: Problem, level: number) => (isBiased ? 56 : 40) * (nx / level + 1);

function lineRun(input: DeviceInput, problem: Problem, level: 1 | 2 | 4): RunPlan {
  const n = problem.nx / level;
  const parts = [{ bytes: lineHead(input, problem, level).bytes() }];
  // What the equilibrium leaves over the bias may take.
  const dearest = problem.isBiased ? BIAS : EQUILIBRIUM;
  // u, n, p, and of a bias the steps of φn and φp; beside them stand x and the doping, and in place of both the result.
  const state = problem.isBiased ? 40 : 24;
  const stretches = Math.ceil((n / 2 - 1) / KEPT_NODES);
  const factors = problem.isBiased ? FACTORS * Math.min(n / 2 - 1, KEPT_NODES) + CARRY * (stretches + 1) : 0;
  return {
    kernel: 'device',
    parts,
    stepsPerSegment: segmentSteps(56 + state * (n + 1), BIAS * n),
    work: n * (START + dearest * iterationsOf(problem)),
    memory: whole(bytesOf(parts) + (n + 1) * (state + 16) + factors + MOST_ROWS * LINE.row + 4096),
    label: labels[level],
  };
}

function lineVerdict(input: DeviceInput, problem: Problem, runs: number): RunPlan {
  const n = problem.nx;
  const rows = biasSteps(problem) + 1;
  const parts: Part[] = [
    { bytes: lineHead(input, problem, 1).bytes() },
    { run: 0, of: 'result', from: 0, length: lineColumns(problem, 1) + LINE.head },
    { run: 0, of: 'rows', from: 0, length: LINE.row * rows },
  ];
  for (let run = 1; run < runs; run++)
    parts.push({ run, of: 'result', from: lineColumns(problem, levels[run]!), length: LINE.head });
  return {
    kernel: 'device.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 1_000_000 + 400 * n + 100 * rows,
    memory: whole(bytesOf(parts) + 8 * (10 * (n + 1) + 2048) + 24 * rows + 4096),
    label: 'verdict',
  };
}

// ---- in the plane --------------------------------------------------------------------------------------

/** How much longer cells are along one axis where the other is coarsened alone (assembly/device/cycle.ts). */
const STRETCH = 1.5;

/** Work of making the equations of ψ, in iterations of conjugate gradients. */
const LINEARIZE = 3;
/**
 * Iterations of Newton’s method and of conjugate gradients, at most: more where densities span more doublings, as 700
 * random devices did, with n_i from 1e-4 and dopings up to 1e24 1/m³. A uniform body is its own solution.
 */
const newtonMost = (problem: Problem): number =>
  isUniform(problem) ? 2 : Math.ceil(8 + problem.doublings / 5);
const gradientsMost = (problem: Problem): number => (isUniform(problem) ? 12 : 30 + 2 * problem.doublings);

function planeHead(input: DeviceInput, problem: Problem, level: number): Layout {
  const { nx, ny, Lx, Ly, tol, profile } = problem;
  const { columns, rows } = profile as Extract<typeof profile, { kind: 'array' }>;
  return new Layout()
    .f64(nx / level, ny / level, input.temperature, input.epsR, input.ni, Lx, Ly, columns, rows, tol)
    .f64(newtonMost(problem), gradientsMost(problem), quantities.indexOf(input.quantity))
    .f64(isUniform(problem) ? 1 : 0)
    .f64s(arrayOf(problem));
}

const planeResult = (nx: number, ny: number) => PLANE.head + 32 * (nx + 1) * (ny + 1);

function planeRun(input: DeviceInput, problem: Problem, level: 1 | 2 | 4): RunPlan {
  const [nx, ny] = [problem.nx / level, problem.ny / level];
  const parts = [{ bytes: planeHead(input, problem, level).bytes() }];
  const field = strideOf(nx) * (ny + 1);
  const units = 400 + 14 * (nx + 1) * (ny + 1);
  const { rows } = problem.profile as { rows: number };
  const volumes = 8 * rows * (nx + 1);
  return {
    kernel: 'device-plane',
    parts,
    stepsPerSegment: segmentSteps(96 + 4 * field, units),
    work: units * (gradientsMost(problem) + LINEARIZE * newtonMost(problem)),
    memory: whole(bytesOf(parts) + 8 * field + coarserBytes(problem, nx, ny) + volumes + 8192),
    label: labels[level],
  };
}

const strideOf = (nx: number): number => 16 * ((nx + 3) >> 1);

/** Of the grids below one of nx × ny cells: assembly/device/cycle.ts. */
function coarserBytes({ Lx, Ly }: Problem, nx: number, ny: number): number {
  let bytes = 0;
  let [m, n] = [nx, ny];
  while (m > 2 && n > 0) {
    const [hx, hy] = [Lx / m, Ly / n];
    bytes += 16 * (m + n + 2);
    if (hx <= STRETCH * hy) m = Math.max(2, (m + 1) >> 1);
    if (hy <= STRETCH * hx) n = n === 1 ? 0 : (n + 1) >> 1;
    bytes += 3 * strideOf(m) * (n + 1) + 256;
  }
  return bytes + 3 * strideOf(Math.max(nx, ny));
}

function planeVerdict(input: DeviceInput, problem: Problem, runs: number): RunPlan {
  const { nx, ny } = problem;
  const doping = arrayOf(problem).length;
  const parts: Part[] = [
    { bytes: planeHead(input, problem, 1).bytes() },
    { run: 0, of: 'result', from: 0, length: planeResult(nx, ny) },
  ];
  for (let run = 1; run < runs; run++) parts.push({ run, of: 'result', from: 0, length: PLANE.head });
  return {
    kernel: 'device-plane.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: 1_000_000 + 60 * (nx + 1) * (ny + 1) + 4 * doping,
    memory: whole(bytesOf(parts) + 8 * (14 * (nx + 1) + 2048 + doping) + 4096),
    label: 'verdict',
  };
}

// ---- rounds --------------------------------------------------------------------------------------------

function runsOf(input: DeviceInput): RunPlan[] {
  const problem = readProblem(input);
  const grids = hasThreeGrids(problem, input) ? levels : levels.slice(0, 1);
  const [run, verdict] = problem.dim === 1 ? [lineRun, lineVerdict] : [planeRun, planeVerdict];
  const runs = [...grids.map((level) => run(input, problem, level)), verdict(input, problem, grids.length)];
  const work = runs.reduce((sum, each) => sum + each.work, 0);
  if (!(work <= MOST_WORK))
    refuse('LIMIT_EXCEEDED', `device could take ${work} work units.`, {
      field: 'N',
      measured: work,
      bound: MOST_WORK,
      accepts: 'a smaller N or V',
    });
  return runs;
}

export function roundOf(input: DeviceInput, finished: readonly FinishedRun[]): Round | undefined {
  const runs = runsOf(input);
  if (finished.length === 0) return { runs: runs.slice(0, -1) };
  return finished.length < runs.length ? { runs: runs.slice(-1), verdict: true } : undefined;
}

/** The ceiling: how many iterations Newton’s method takes is known when they are done. */
export function quoteOf(input: DeviceInput): Quote {
  const runs = runsOf(input);
  return {
    work: runs.reduce((sum, { work }) => sum + work, 0),
    exact: false,
    memory: Math.max(...runs.map(({ memory }) => memory)),
  };
}

/** Where the diagnostics stand in the extras. */
export function diagnosticsAt(problem: Problem): number {
  if (problem.dim === 2) return PLANE.scalars + 2 * (problem.nx + 1);
  return LINE.scalars + 3 * (biasSteps(problem) + 1);
}
