import { refuse } from '../../errors/refusal.ts';
import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import {
  answerBytes,
  bytesOf,
  type Factor,
  kernelHead,
  paddedBytes,
  pagesOf,
  poissonBytes,
  psiOffset,
  quoteOfRounds,
  stillSides,
  verdictOf,
} from './plan.ts';
import type { PlaneProblem } from './problem.ts';

/** Costs of assembly/kernels/flow-steady.ts. */
const MOST_STEPS = 60;
const MOST_STEPS_FROM_COARSER = 16;
const MOST_BAND_BYTES = 2 ** 28;
const MANUFACTURED = 3;

/** Coarse to fine; each grid goes on from the one before. */
const ORDER: readonly Factor[] = [4, 2, 1];

const shapeOf = ({ nx, ny }: PlaneProblem, factor: Factor) => {
  const [n, m] = [nx / factor, ny / factor];
  const half = 2 * (Math.min(n, m) - 1) + 2;
  return { n, m, half, count: (n - 1) * (m - 1), corners: (n + 1) * (m + 1) };
};

function bandBytes(problem: PlaneProblem, factor: Factor): number {
  const { half, count } = shapeOf(problem, factor);
  return 8 * count * (2 * half + 10);
}

/** @throws Refusal LIMIT_EXCEEDED where the band of the finest grid does not fit */
export function checkBand(problem: PlaneProblem): PlaneProblem {
  const bytes = bandBytes(problem, 1);
  if (bytes <= MOST_BAND_BYTES) return problem;
  return refuse('LIMIT_EXCEEDED', `flow: the band of a steady cavity would take ${bytes} bytes.`, {
    field: 'N',
    measured: bytes,
    bound: MOST_BAND_BYTES,
    accepts: 'fewer cells: up to 200 × 200',
  });
}

function workOf(problem: PlaneProblem, factor: Factor): number {
  const { half, count } = shapeOf(problem, factor);
  const factors = Math.floor((count * half * half * 2) / 5) + 300 * count;
  const step = 10_000 + count * (80 + 2 * half);
  return (factor === 4 ? MOST_STEPS : MOST_STEPS_FROM_COARSER) * (factors + step) + step;
}

function steadyRun(problem: PlaneProblem, factor: Factor, lid: number, coarser: number | undefined): RunPlan {
  const { Lx, Ly, nu, U, kinds, tol } = problem;
  const { n, m, corners } = shapeOf(problem, factor);
  const head = kernelHead({
    ...{ nx: n, ny: m, Lx, Ly, nu, kinds, lid, U, tol },
    start: [2, 0, 0],
    hasCorners: coarser !== undefined,
  });
  const parts: Part[] = [{ bytes: head.f64s(stillSides(n, m)).bytes() }];
  if (coarser !== undefined)
    parts.push({
      run: coarser,
      of: 'result',
      from: psiOffset(n / 2, m / 2),
      length: 8 * (n / 2 + 1) * (m / 2 + 1),
    });
  const work = workOf(problem, factor);
  const most = factor === 4 ? MOST_STEPS : MOST_STEPS_FROM_COARSER;
  const arrays = 4 * paddedBytes(n, m) + poissonBytes(n, m, kinds) + answerBytes(n, m) + 7 * 8 * corners;
  return {
    kernel: 'flow-steady',
    parts,
    stepsPerSegment: segmentSteps(16 * corners + 144, work / most),
    steps: most,
    work,
    memory: pagesOf(bytesOf(parts) + bandBytes(problem, factor) + arrays + 56 * (n + m) + 20_000),
    label: `${lid === MANUFACTURED ? 'twin' : 'cavity'}, grid ${factor === 1 ? '' : factor}h`,
  };
}

/** The flow and its twin on one grid, side by side. */
function roundOf(problem: PlaneProblem, index: number): Round {
  const factor = ORDER[index]!;
  const coarser = (run: number) => (index === 0 ? undefined : 2 * (index - 1) + run);
  return {
    runs: [
      steadyRun(problem, factor, problem.lid, coarser(0)),
      steadyRun(problem, factor, MANUFACTURED, coarser(1)),
    ],
  };
}

export const firstSteadyRound = (problem: PlaneProblem): Round => roundOf(problem, 0);

export function nextSteadyRound(problem: PlaneProblem, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length < 2 * ORDER.length) return roundOf(problem, finished.length / 2);
  return finished.length === 2 * ORDER.length ? steadyVerdict(problem) : undefined;
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
};

function caseOf({ lid, U, Lx, Ly, nu }: PlaneProblem): string | undefined {
  if (Lx !== Ly) return undefined;
  const reynolds = (U * Lx) / nu;
  const near = [100, 1000].find((known) => Math.abs(reynolds - known) <= 1e-9 * known);
  return near === undefined ? undefined : `${lid === 1 ? 'uniform' : 'regularised'} ${near}`;
}

function closedOf(problem: PlaneProblem): readonly [number, number] {
  const known = converged[caseOf(problem) ?? '']?.[names[problem.quantity - FIRST_EXTREME] ?? ''];
  if (known === undefined) return [0, 0];
  return [2, known * problem.U * (names[problem.quantity - FIRST_EXTREME] === 'psiMin' ? problem.Lx : 1)];
}

export const ghiaOf = (problem: PlaneProblem) => ghia[caseOf(problem) ?? ''];

function steadyVerdict(problem: PlaneProblem): Round {
  const { nx, ny, Lx, Ly, U } = problem;
  return verdictOf({
    problem,
    dt: 0,
    rows: 0,
    closed: closedOf(problem),
    twin: [2, nx, ny, Lx, Ly, U, 0, 0],
    runs: [4, 2, 0, 5],
    twinBytes: answerBytes(nx, ny),
  });
}

export function quoteOfSteady(problem: PlaneProblem): Quote {
  const rounds = ORDER.map((_, index) => roundOf(problem, index));
  return quoteOfRounds([...rounds, steadyVerdict(problem)], false);
}
