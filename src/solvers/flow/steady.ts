import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { invalid } from '../grid/box.ts';
import { segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { MOST_OF_CAVITY } from './cells.ts';
import {
  ANSWER_HEAD,
  answerBytes,
  bytesOf,
  type Factor,
  kernelHead,
  paddedBytes,
  pagesOf,
  phiBytes,
  poissonBytes,
  psiOffset,
  stillSides,
} from './layout.ts';
import type { PlaneProblem } from './problem.ts';
import { quoteOfRounds, verdictOf } from './verdict.ts';

/** Costs of assembly/kernels/flow-steady.ts. */
/** Steps at most, and one more for each 100 of the Reynolds number. */
const STEPS_FROM_COARSER = 12;
/** Steps for each viscosity on the way down from rest. */
const STEPS_FROM_REST = 12;
/** Cells across the coarsest grid that are wanted, at most so many for each of the Reynolds number, and that may be. */
const COARSE = 64;
const COARSE_REYNOLDS = 20;
const MOST_COARSE = 128;
const VECTORS = 24;
/** Iterations that a grid may take, all steps together. */
const iterationsOf = (reynolds: number) =>
  Math.ceil(20 + Math.min(0.1 * reynolds + 2e-4 * reynolds * reynolds, 0.4 * reynolds));
const MANUFACTURED = 3;
/** Of the known flow: along a tall cavity it would else be faster, and over a longer way, than what it is to stand beside. */
const knownSpeed = ({ U, Lx, Ly }: PlaneProblem): number => U * Math.min(1, Lx / Ly);

/** Coarse to fine; each grid goes on from the one before. */
const ORDER: readonly Factor[] = [4, 2, 1];
/** Places of runs: the flow on the finest grid, and its twin. */
export const FINEST = ORDER.length - 1;
const TWIN = FINEST + 1;

/** By the longer side, along which the flow has most of its way. */
const reynoldsOf = ({ U, Lx, Ly, nu }: PlaneProblem): number => (U * Math.max(Lx, Ly)) / nu;

/** A grid, and the coarsest one below it, whose equations are solved directly. */
function shapeOf(problem: PlaneProblem, factor: Factor) {
  const [n, m] = [problem.nx / factor, problem.ny / factor];
  const wanted = Math.min(MOST_COARSE, Math.max(COARSE, reynoldsOf(problem) / COARSE_REYNOLDS));
  let by = 1;
  while (Math.min(n, m) > wanted * by && n % (2 * by) === 0 && m % (2 * by) === 0) by *= 2;
  const half = (2 * Math.min(n, m)) / by;
  return { n, m, by, half, count: (n / by - 1) * (m / by - 1), corners: (n + 1) * (m + 1) };
}

/** @throws Refusal LIMIT_EXCEEDED above a million cells, INVALID_INPUT where no grid below can be solved directly */
export function checkGrids(problem: PlaneProblem): PlaneProblem {
  const cells = problem.nx * problem.ny;
  if (cells > MOST_OF_CAVITY)
    refuse('LIMIT_EXCEEDED', `flow: a steady cavity of ${cells} cells does not fit into memory.`, {
      field: 'N',
      measured: cells,
      bound: MOST_OF_CAVITY,
      accepts: 'up to 1024 × 1024 cells',
    });
  const { n, m, by } = shapeOf(problem, 4);
  const across = Math.min(n, m) / by;
  if (across <= MOST_COARSE) return problem;
  return invalid(
    'N',
    `halved as often as it can be it leaves ${across} cells`,
    `cells that leave at most ${MOST_COARSE} across, as multiples of 64 do`,
  );
}

/** Steps after which a grid is given up: from rest the viscosity comes down by halves to Re 200 and below. */
function stepsOf(problem: PlaneProblem, factor: Factor): number {
  if (factor !== 4) return STEPS_FROM_COARSER + Math.ceil(reynoldsOf(problem) / 100);
  let viscosities = 1;
  for (let reynolds = reynoldsOf(problem); reynolds > 200; reynolds /= 2) viscosities++;
  return STEPS_FROM_REST * viscosities;
}

/** Work after which it is, too; and how far a run may be above it before it looks. */
function workOf(problem: PlaneProblem, factor: Factor): readonly [allowed: number, step: number] {
  const { half, count, by, corners } = shapeOf(problem, factor);
  const steps = stepsOf(problem, factor);
  const factors = Math.floor((count * half * half * 2) / 5) + 1000 * count;
  const evaluation = 10_000 + 12 * corners;
  const iteration = (by === 1 ? 2 : 4) * evaluation + 2 * count * half + 150 * corners;
  const step = factors + 9 * evaluation + 2 * iteration;
  if (factor === 4) return [steps * (factors + 3 * evaluation + (by === 1 ? 3 : 12) * iteration), step];
  if (by === 1) return [3 * factors + 3 * steps * (evaluation + iteration), step];
  return [6 * (factors + 3 * evaluation) + iterationsOf(reynoldsOf(problem)) * iteration, step];
}

/** Of fields in 16 bits a number, 64 numbers behind each unit. */
const vectorBytes = (corners: number) => 136 * Math.ceil((corners + 1) / 64);

function memoryOf(problem: PlaneProblem, factor: Factor): number {
  const { n, m, by, half, count, corners } = shapeOf(problem, factor);
  const field = 8 * (corners + 1);
  const grid = { ...problem, nx: n, ny: m };
  const band = 4 * count * (2 * half + 12);
  const below = 4 * 8 * (n / by + 1) * (m / by + 1);
  const answer = ANSWER_HEAD + 16 * m + 4 * paddedBytes(n, m) + phiBytes(grid);
  const arrays = 5 * field + band + below + poissonBytes(grid) + 200 * (n + m) + 40_000;
  const vectors = (VECTORS + 1) * vectorBytes(corners);
  if (by === 1) return arrays + Math.max(answer, vectors);
  return arrays + Math.max(answer, vectors, 24 * (n - 1) * (n - 1)) + biharmonicBytes(grid);
}

/** Strips of the odd image, a triangle for either parity, and factors of pairs of modes until they settle. */
function biharmonicBytes({ nx, ny, Lx, Ly }: PlaneProblem): number {
  let columns = 0;
  for (let k = 1; k < ny; k += 2) {
    const x = (1.57 * k) / ny;
    const sigma = ((Lx * ny) / (Ly * nx)) * x * (1 - (x * x) / 6);
    columns += 1 + Math.min(nx, Math.ceil(10 + 10 / sigma) + 16);
  }
  return 2100 * ny + 8 * (nx - 1) * nx + 48 * columns + 48 * (nx + 2);
}

function steadyRun(problem: PlaneProblem, factor: Factor, lid: number, coarser: number | undefined): RunPlan {
  const { Lx, Ly, nu, kinds, tol } = problem;
  const U = lid === MANUFACTURED ? knownSpeed(problem) : problem.U;
  const { n, m, by, corners } = shapeOf(problem, factor);
  const [allowed, step] = workOf(problem, factor);
  const most = stepsOf(problem, factor);
  const head = kernelHead({
    ...{ nx: n, ny: m, Lx, Ly, nu, kinds, lid, U, tol },
    start: [2, 0, 0],
    steps: most,
    stepsPerRow: allowed,
    hasCorners: coarser !== undefined,
    coarsest: by,
  });
  const parts: Part[] = [{ bytes: head.f64s(stillSides(n, m)).bytes() }];
  if (coarser !== undefined)
    parts.push({
      run: coarser,
      of: 'result',
      from: psiOffset(n / 2, m / 2),
      length: 8 * (n / 2 + 1) * (m / 2 + 1),
    });
  return {
    kernel: 'flow-steady',
    parts,
    stepsPerSegment: segmentSteps(16 * corners + 160, allowed / most),
    steps: most,
    work: allowed + step,
    memory: pagesOf(bytesOf(parts) + memoryOf(problem, factor)),
    label: `${lid === MANUFACTURED ? 'twin' : 'cavity'}, grid ${factor === 1 ? '' : factor}h`,
  };
}

/** The flow on one grid, on the finest with its twin beside it, which needs no coarser one: it begins as what is known. */
function roundOf(problem: PlaneProblem, index: number): Round {
  const factor = ORDER[index]!;
  const run = steadyRun(problem, factor, problem.lid, index === 0 ? undefined : index - 1);
  return { runs: factor === 1 ? [run, steadyRun(problem, factor, MANUFACTURED, undefined)] : [run] };
}

export const firstSteadyRound = (problem: PlaneProblem): Round => roundOf(problem, 0);

export function nextSteadyRound(problem: PlaneProblem, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length < ORDER.length) return roundOf(problem, finished.length);
  return finished.length === TWIN + 1 ? steadyVerdict(problem) : undefined;
}

// ---- verdict -------------------------------------------------------------------------------------------

/**
 * Extremes that are known to six digits and more, of a lid of speed 1 on a box of length 1: Re 100 Marchi, Suero &
 * Araki, J. Braz. Soc. Mech. Sci. 31 (2009) 186; Re 1000 Botella & Peyret, Comput. Fluids 27 (1998) 421; regularised
 * lid: Chebyshev collocation.
 */
const converged: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'uniform 100': { uMin: -0.2140424, vMax: 0.1795729, vMin: -0.2538031, psiMin: -0.103521 },
  'uniform 1000': { uMin: -0.3885698, vMax: 0.3769447, vMin: -0.5270771, psiMin: -0.1189366 },
  'regularised 100': { uMin: -0.163368691, vMax: 0.139291202, vMin: -0.195346093 },
};
const names = ['uMin', 'uMax', 'vMin', 'vMax', 'psiMin'];
const FIRST_EXTREME = 5;

/** Ghia, Ghia & Shin, J. Comput. Phys. 48 (1982) 387, Tables I and II, uniform lid; 129² points. */
const ghia: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'uniform 100': { uMin: -0.2109, vMax: 0.17527, vMin: -0.24533, uCentre: -0.20581 },
  'uniform 1000': { uMin: -0.38289, vMax: 0.37095, vMin: -0.5155 },
  'uniform 3200': { uMin: -0.41933, vMax: 0.42768, vMin: -0.54053 },
};

function caseOf({ lid, U, Lx, Ly, nu }: PlaneProblem): string | undefined {
  if (Lx !== Ly) return undefined;
  const reynolds = (U * Lx) / nu;
  const near = [100, 1000, 3200].find((known) => Math.abs(reynolds - known) <= 1e-9 * known);
  return near === undefined ? undefined : `${lid === 1 ? 'uniform' : 'regularised'} ${near}`;
}

function closedOf(problem: PlaneProblem): readonly [number, number] {
  const known = converged[caseOf(problem) ?? '']?.[names[problem.quantity - FIRST_EXTREME] ?? ''];
  if (known === undefined) return [0, 0];
  return [2, known * problem.U * (names[problem.quantity - FIRST_EXTREME] === 'psiMin' ? problem.Lx : 1)];
}

export const ghiaOf = (problem: PlaneProblem) => ghia[caseOf(problem) ?? ''];

function steadyVerdict(problem: PlaneProblem): Round {
  const { nx, ny, Lx, Ly } = problem;
  return verdictOf({
    problem,
    dt: 0,
    rows: 0,
    closed: closedOf(problem),
    twin: [2, nx, ny, Lx, Ly, knownSpeed(problem), 0, 0],
    runs: [FINEST, 1, 0, TWIN],
    twinBytes: answerBytes(nx, ny),
  });
}

export function quoteOfSteady(problem: PlaneProblem): Quote {
  const rounds = ORDER.map((_, index) => roundOf(problem, index));
  return quoteOfRounds([...rounds, steadyVerdict(problem)], false);
}
