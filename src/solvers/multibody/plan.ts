import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { DIAGNOSTICS, profileBytes, profileWork } from '../diagnostics.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import {
  radauCeiling,
  radauExpected,
  radauWorkLimit,
  resultBytes,
  rowBytes,
  runMemory,
  sampled,
  shown,
  stateBytes,
  stepCost,
} from './cost.ts';
import { newSteps, type Problem, schemes } from './problem.ts';
import { twinOf } from './twin.ts';

const MAX_ROWS = 1000;
/** Equal time intervals between the rows of radau15, whose steps are not equal. */
const RADAU_INTERVALS = 512;
/** Of the opening angle in the finer run: less than a third of the tree's error is left, at half more work. */
const FINER_ANGLE = 0.7;
/** Step controller of radau15 (Rein & Spiegel 2015, §3.3). */
const RADAU_EPSILON = 1e-9;
/** Numbers in each of the columns x and y that the verdict shows. */
const MAX_PLOTTED = 4096;
const MAX_PLOT_ROWS = 512;

/** One body, and two without softening, move exactly; everything else is compared with a finer run. */
const isExact = ({ mass, softening }: Problem) => mass.length === 1 || (mass.length === 2 && softening === 0);

const rowEvery = (steps: number) => Math.max(1, Math.ceil(steps / MAX_ROWS));

function rowCount(problem: Problem): number {
  const steps = newSteps(problem);
  return problem.scheme === 'radau15' ? RADAU_INTERVALS + 1 : 1 + Math.ceil(steps / rowEvery(steps));
}

/** The shapes of what the verdict shows, and of a run's rows. */
export function shapes(problem: Problem) {
  const bodies = shown(problem);
  const rows = rowCount(problem);
  const plotted = Math.max(2, Math.min(rows, MAX_PLOT_ROWS, Math.floor(MAX_PLOTTED / bodies)));
  return { bodies, rows, plotted, rowBytes: rowBytes(problem) };
}

/** The run itself, and beside it the finer one and the twin where there is no exact orbit. */
export function firstRound(problem: Problem): Round {
  const run = problem.scheme === 'radau15' ? radauRun : symplecticRun;
  const runs = [run(problem, false)];
  if (!isExact(problem))
    runs.push(run(problem, true), { ...run(twinOf(problem), false), label: 'two-body twin' });
  return { runs };
}

/**
 * The finer run has half the step, its rows at the same times, and opens a tree further: of one tree alone both runs would
 * have the same error.
 */
function symplecticRun(asked: Problem, finer: boolean): RunPlan {
  const problem = finer ? { ...asked, theta: FINER_ANGLE * asked.theta } : asked;
  const steps = (finer ? 2 : 1) * newSteps(problem);
  const cost = stepCost(problem);
  return {
    kernel: 'multibody',
    parts: runParts(problem, finer),
    stepsPerSegment: segmentSteps(stateBytes(problem), cost),
    steps,
    work: steps * cost,
    memory: runMemory(problem, rowCount(problem)),
    label: finer ? 'half step' : 'run',
  };
}

/** The finer run has a tenth of the controller's ε. */
function radauRun(problem: Problem, finer: boolean): RunPlan {
  return {
    kernel: 'multibody-radau15',
    parts: runParts(problem, finer),
    stepsPerSegment: segmentSteps(stateBytes(problem), stepCost(problem)),
    work: radauCeiling(problem),
    memory: runMemory(problem, rowCount(problem)),
    label: finer ? 'a tenth of epsilon' : 'run',
  };
}

function runParts(problem: Problem, finer: boolean): Part[] {
  const state = problem.before?.states[finer ? 1 : 0];
  return [{ bytes: parameters(problem, finer, state !== undefined) }, ...(state ? [{ bytes: state }] : [])];
}

/** assembly/nbody/problem.ts; `goesOn` where the state to go on from follows. */
function parameters(problem: Problem, finer: boolean, goesOn = false): Uint8Array {
  const { mass, position, velocity, steps, t0, duration, G, softening, scheme, tree, theta } = problem;
  const radau = scheme === 'radau15';
  const refinement = finer && !radau ? 2 : 1;
  const sampling = radau ? RADAU_INTERVALS : refinement * rowEvery(newSteps(problem));
  const epsilon = finer ? RADAU_EPSILON / 10 : RADAU_EPSILON;
  return new Layout()
    .f64(mass.length, refinement * steps, t0, duration, G, softening, schemes.indexOf(scheme), tree ? 1 : 0)
    .f64(
      theta,
      sampling,
      shown(problem),
      radau ? radauWorkLimit(problem) : 0,
      radau ? epsilon : 0,
      goesOn ? 1 : 0,
      sampled(problem),
      0,
    )
    .f64s(mass)
    .f64s(position.flat())
    .f64s(velocity.flat())
    .bytes();
}

/** `firstGate`: index of the first of the verdict's gates in the declaration. */
export function verdictRound(problem: Problem, firstGate: number): Round {
  const { bodies, rows, plotted } = shapes(problem);
  const exact = isExact(problem);
  const twin = twinOf(problem);
  const wholeRows = rows * rowBytes(problem);
  const result = (run: number): Part => ({ run, of: 'result', from: 0, length: resultBytes(problem) });
  const parts: Part[] = [
    { bytes: parameters(problem, false) },
    { bytes: new Layout().f64(exact ? 1 : 0, rows, plotted, firstGate).bytes() },
    ...(exact ? [] : [{ bytes: parameters(twin, false) }]),
    result(0),
    ...(exact ? [] : [result(1), { run: 2, of: 'result' as const, from: 0, length: resultBytes(twin) }]),
    { run: 0, of: 'rows', from: 0, length: wholeRows },
  ];
  const shownBytes = 8 * plotted * (2 + 2 * bodies);
  const verdict: RunPlan = {
    kernel: 'multibody.verdict',
    parts,
    stepsPerSegment: 1,
    steps: 1,
    work: verdictWork(problem, rows) + profileWork(plotted),
    memory:
      runMemory(problem, rows) +
      152 * problem.mass.length +
      1000 +
      wholeRows +
      shownBytes +
      profileBytes(plotted) +
      8 * plotted,
    label: 'verdict',
  };
  return { verdict: true, runs: [verdict] };
}

/** assembly/verdicts/multibody.ts */
function verdictWork(problem: Problem, rows: number): number {
  const bodies = problem.mass.length;
  const sums = sampled(problem) * bodies + (bodies * (bodies - 1)) / 2;
  return 3 * sums + 40 * bodies + 10 * rows + 2000;
}

/** The whole job before anything runs: exact where every run's steps are known, else radau15's ceiling. */
export function quote(problem: Problem): Quote {
  const runs = [...firstRound(problem).runs, ...verdictRound(problem, 0).runs];
  const sum = (of: (run: RunPlan) => number) => runs.reduce((total, run) => total + of(run), 0);
  return {
    work: sum(({ work }) => work),
    ...(problem.scheme === 'radau15' && {
      expected: sum(({ kernel, work }) => (kernel === 'multibody-radau15' ? radauExpected(problem) : work)),
      ceiling: 'all steps that radau15 may take, however small close encounters make them',
    }),
    exact: problem.scheme !== 'radau15',
    memory: runs.reduce((most, run) => Math.max(most, run.memory), 0),
  };
}

/** Offsets of the parts of a run's result (assembly/nbody/record.ts) and of the verdict's extras, in bytes. */
export function places(problem: Problem, verdict: FinishedRun) {
  const vectors = 24 * problem.mass.length;
  const { bodies, plotted } = shapes(problem);
  const series = verdict.result.length - 8 * (DIAGNOSTICS + plotted * (2 + 2 * bodies));
  return { position: 16, velocity: 16 + vectors, vectors, series };
}
