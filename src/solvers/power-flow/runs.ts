import type { FinishedRun, Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { type Fill, fillOf } from './fill.ts';
import { type GridInput, type Problem, quantities, readProblem } from './problem.ts';

// Layouts and costs as assembly/kernels/grid.ts and assembly/verdicts/grid.ts.

const ITERATIONS = 20;
const ROUNDS = 20;
/** Block products of a factorisation that are allowed for each bus. */
const MOST_PER_BUS = 4000;
const VERDICT_UNITS = { once: 200_000, bus: 300, branch: 400 };
const PAGE = 65536;

const resultBytes = (buses: number) => 24 + 32 * buses;

interface Shape {
  readonly buses: number;
  readonly branches: number;
  readonly fill: Fill;
}

/** Nobody needs more than a full matrix. */
const mostProducts = (buses: number) => buses * Math.min(MOST_PER_BUS, buses * buses) + 16;

function shapeWith(buses: number, branches: Problem['branches']): Shape {
  return { buses, branches: branches.length, fill: fillOf(buses, branches, mostProducts(buses)) };
}

const shapes = new WeakMap<Problem, Shape>();

function shapeOf(problem: Problem): Shape {
  const known = shapes.get(problem) ?? shapeWith(problem.buses.length, problem.branches);
  shapes.set(problem, known);
  return known;
}

/** As the kernel charges it. */
const iterationUnits = ({ buses, branches, fill }: Shape) =>
  200 + 8 * fill.products + 10 * fill.blocks + 120 * (buses + 2 * branches);

function memoryOf({ buses, branches, fill }: Shape): number {
  const bits = 16 * buses * Math.ceil(buses / 64);
  return 2 * PAGE + 720 * buses + 168 * branches + bits + 36 * fill.blocks;
}

/** The network's own block, which begins the parameters of three runs. */
const networks = new WeakMap<Problem, Uint8Array>();

function networkLayout(input: GridInput, problem: Problem, numbersBehind: number): Layout {
  const known = networks.get(problem) ?? networkBytes(input, problem);
  networks.set(problem, known);
  return new Layout(known.length + 8 * numbersBehind).block(known);
}

function networkBytes(input: GridInput, problem: Problem): Uint8Array {
  const { baseMVA, slackAngle, buses, branches } = problem;
  const layout = new Layout(8 * (6 + 10 * buses.length + 7 * branches.length)).f64(
    buses.length,
    branches.length,
    input.enforceQ ? 1 : 0,
    baseMVA,
    input.loadScale ?? 1,
    slackAngle,
  );
  for (const { type, Pd, Qd, Gs = 0, Bs = 0, Pg, Qg, Vg, Qmin, Qmax } of buses)
    layout.f64(type, Pd, Qd, Gs, Bs, Pg, Qg, Vg, Qmin, Qmax);
  for (const { from, to, r, x, b, ratio = 0, angle = 0 } of branches)
    layout.f64(from, to, r, x, b, ratio, angle);
  return layout.bytes();
}

function run(layout: Layout, shape: Shape, held: boolean, form: number, label: string): RunPlan {
  const steps = held && form === 0 ? (ROUNDS + 1) * (ITERATIONS + 1) : ITERATIONS + 1;
  const types: Part[] = form === 0 ? [] : [{ run: 0, of: 'result', from: 24, length: 32 * shape.buses }];
  return {
    kernel: 'grid',
    parts: [{ bytes: layout.f64(form, mostProducts(shape.buses)).bytes() }, ...types],
    stepsPerSegment: segmentSteps(48 + 32 * shape.buses, 200 * (shape.buses + shape.branches)),
    work: steps * iterationUnits(shape),
    memory: memoryOf(shape),
    label,
  };
}

/** Two buses with the first branch's impedance and a load of a tenth of what it could carry at most, about. */
function twinOf({ baseMVA, branches }: Problem) {
  const { r, x } = branches[0] ?? { r: 0.01, x: 0.1 };
  const size = Math.sqrt(r * r + x * x);
  const load = { P: 0.1 / size, Q: 0.05 / size };
  const limits = [0, 0, 1, 0, 0];
  const layout = new Layout(8 * 35)
    .f64(2, 1, 0, baseMVA, 1, 0)
    .f64(3, 0, 0, 0, 0, ...limits)
    .f64(1, load.P * baseMVA, load.Q * baseMVA, 0, 0, ...limits)
    .f64(0, 1, r, x, 0, 0, 0);
  return { layout, numbers: [r, x, load.P, load.Q] };
}

const twinShape: Shape = { buses: 2, branches: 1, fill: { products: 5, blocks: 4 } };

export function firstRound(input: GridInput): Round {
  const problem = readProblem(input);
  const held = input.enforceQ === true;
  return {
    runs: [
      run(networkLayout(input, problem, 2), shapeOf(problem), held, 0, 'polar'),
      run(twinOf(problem).layout, twinShape, false, 0, 'two-bus twin'),
    ],
  };
}

function secondRound(input: GridInput, problem: Problem): Round {
  return { runs: [run(networkLayout(input, problem, 2), shapeOf(problem), false, 1, 'currents')] };
}

function verdictRun(input: GridInput, problem: Problem): RunPlan {
  const { buses, branches, asked, known } = problem;
  const own = 7 + buses.length + branches.length + 3 * known.length;
  const layout = networkLayout(input, problem, own)
    .f64(quantities.indexOf(input.quantity), asked, known.length)
    .f64s(buses.map(({ bus }) => bus))
    .f64s(branches.map(({ index }) => index))
    .f64s(known.flat())
    .f64s(twinOf(problem).numbers);
  const result = (index: number, count: number): Part => ({
    run: index,
    of: 'result',
    from: 0,
    length: resultBytes(count),
  });
  const { once, bus, branch } = VERDICT_UNITS;
  return {
    kernel: 'grid.verdict',
    parts: [{ bytes: layout.bytes() }, result(0, buses.length), result(2, buses.length), result(1, 2)],
    stepsPerSegment: 1,
    steps: 1,
    work: once + bus * buses.length + branch * branches.length,
    memory: 4 * PAGE + 400 * buses.length + 200 * branches.length,
    label: 'verdict',
  };
}

export function nextRound(input: GridInput, finished: readonly FinishedRun[]): Round | undefined {
  if (finished.length > 3) return undefined;
  const problem = readProblem(input);
  if (finished.length === 2) return secondRound(input, problem);
  return { runs: [verdictRun(input, problem)], verdict: true };
}

/** A ceiling: how many iterations there are is only known when they have been done. */
export function quoteGrid(input: GridInput): Quote {
  const problem = readProblem(input);
  const runs = [...firstRound(input).runs, ...secondRound(input, problem).runs, verdictRun(input, problem)];
  return {
    work: runs.reduce((sum, each) => sum + each.work, 0),
    exact: false,
    memory: Math.max(...runs.map((each) => each.memory)),
  };
}
