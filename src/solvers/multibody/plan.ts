import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { type Problem, schemes } from './problem.ts';

const MAX_ROWS = 1000;
const MAX_SHOWN = 64;
/** Numbers in each of the columns x and y that the verdict shows. */
const MAX_PLOTTED = 4096;
const MAX_PLOT_ROWS = 512;
const CONSERVED = 16;

/** Evaluations per step, and stages: assembly/kernels/multibody.ts. */
const perStep = {
  leapfrog: { forces: 1, potentials: 0, stages: 3 },
  pefrl: { forces: 4, potentials: 1, stages: 9 },
  yoshida6: { forces: 7, potentials: 0, stages: 15 },
} as const;

/** Work units of one evaluation: assembly/nbody/direct.ts. */
const forceCost = (bodies: number) => Math.floor((bodies * (bodies - 1) * 11) / 10) + 4 * bodies + 20;
const potentialCost = (bodies: number) => Math.floor((bodies * (bodies - 1) * 9) / 10) + 2 * bodies + 20;

function stepCost({ scheme, mass }: Problem): number {
  const { forces, potentials, stages } = perStep[scheme as keyof typeof perStep];
  return (
    forces * forceCost(mass.length) + potentials * potentialCost(mass.length) + 2 * stages * mass.length + 30
  );
}

const shown = (problem: Problem) => Math.min(problem.mass.length, MAX_SHOWN);
const rowBytes = (problem: Problem) => 8 * (2 + 3 * shown(problem));
const resultBytes = (problem: Problem) => 16 + 48 * problem.mass.length + 8 * CONSERVED;
const stateBytes = (problem: Problem) => 16 + 12 * 8 * (problem.mass.length + 1) + 8 * CONSERVED;

/** Two bodies without softening have an exact orbit; everything else is compared with a finer run. */
export const isKepler = ({ mass, softening }: Problem) => mass.length === 2 && softening === 0;

const rowEvery = (steps: number) => Math.max(1, Math.ceil(steps / MAX_ROWS));
export const rowCount = ({ steps }: Problem) => 1 + Math.ceil(steps / rowEvery(steps));

/** The shapes of what the verdict shows, and of a run's result. */
export function shapes(problem: Problem) {
  const bodies = shown(problem);
  const rows = rowCount(problem);
  const plotted = Math.max(2, Math.min(rows, MAX_PLOT_ROWS, Math.floor(MAX_PLOTTED / bodies)));
  return { bodies, rows, plotted, rowBytes: rowBytes(problem) };
}

/** The run itself, and beside it the finer one where there is no exact orbit. */
export function firstRound(problem: Problem): Round {
  const runs = [runPlan(problem, 1, 'run')];
  if (!isKepler(problem)) runs.push(runPlan(problem, 2, 'half step'));
  return { runs };
}

/** `refinement` 2 halves the step and keeps the times of the rows. */
function runPlan(problem: Problem, refinement: 1 | 2, label: string): RunPlan {
  const steps = refinement * problem.steps;
  const cost = stepCost(problem);
  return {
    kernel: 'multibody',
    parts: [{ bytes: parameters(problem, refinement) }],
    stepsPerSegment: segmentSteps(stateBytes(problem), cost),
    steps,
    work: steps * cost,
    memory: memory(problem),
    label,
  };
}

/** assembly/nbody/problem.ts */
function parameters(problem: Problem, refinement: number): Uint8Array {
  const { mass, position, velocity, t0, duration, G, softening, scheme, tree, theta } = problem;
  const layout = new Layout()
    .f64(
      mass.length,
      refinement * problem.steps,
      t0,
      duration,
      G,
      softening,
      schemes.indexOf(scheme),
      tree ? 1 : 0,
    )
    .f64(theta, refinement * rowEvery(problem.steps), shown(problem), 0, 0, 0, 0, 0)
    .f64s(mass);
  return layout.f64s(position.flat()).f64s(velocity.flat()).bytes();
}

function memory(problem: Problem): number {
  const bodies = problem.mass.length;
  const derived = (2 + 3 + 3) * 8 * (bodies + 1);
  return (
    2 ** 17 +
    128 +
    56 * bodies +
    stateBytes(problem) +
    derived +
    64 * rowBytes(problem) +
    resultBytes(problem)
  );
}

export function verdictRound(problem: Problem): Round {
  const { bodies, rows, plotted } = shapes(problem);
  const exact = isKepler(problem);
  const wholeRows = rows * rowBytes(problem);
  const result = (run: number): Part => ({ run, of: 'result', from: 0, length: resultBytes(problem) });
  const parts: Part[] = [
    { bytes: parameters(problem, 1) },
    { bytes: new Layout().f64(exact ? 1 : 0, rows, plotted, 0).bytes() },
    result(0),
    ...(exact ? [] : [result(1)]),
    { run: 0, of: 'rows', from: 0, length: wholeRows },
  ];
  const shownBytes = 8 * plotted * (2 + 2 * bodies);
  return {
    verdict: true,
    runs: [
      {
        kernel: 'multibody.verdict',
        parts,
        stepsPerSegment: 1,
        steps: 1,
        work: 40 * problem.mass.length + 10 * rows + 2000,
        memory: 2 ** 17 + 152 * problem.mass.length + 1000 + wholeRows + shownBytes,
        label: 'verdict',
      },
    ],
  };
}

/** The whole job before anything runs: exact, as every run's steps are known. */
export function quote(problem: Problem): Quote {
  const runs = [...firstRound(problem).runs, ...verdictRound(problem).runs];
  return {
    work: runs.reduce((sum, run) => sum + run.work, 0),
    exact: true,
    memory: runs.reduce((most, run) => Math.max(most, run.memory), 0),
  };
}

/** Offsets of the parts of a run's result (assembly/nbody/record.ts) and of the verdict's extras, in bytes. */
export function places(problem: Problem, verdict: FinishedRun) {
  const vectors = 24 * problem.mass.length;
  const { bodies, plotted } = shapes(problem);
  const series = verdict.result.length - 8 * plotted * (2 + 2 * bodies);
  return { position: 16, velocity: 16 + vectors, vectors, series };
}
