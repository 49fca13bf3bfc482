import { refuse } from '../../errors/refusal.ts';
import type { Part, Round, RunPlan } from '../../proof/job.ts';
import { Layout, segmentSteps } from '../layout.ts';
import type { Quote } from '../solver.ts';
import { loadRows, supportRows } from './conditions.ts';
import { type Size, sizeOf } from './cost.ts';
import { expectedIterations } from './iterations.ts';
import { type Mesh, readMesh } from './mesh.ts';
import { isAt, jumpsOf, ordersOf } from './orders.ts';
import { onCoarserNodes } from './points.ts';
import type { Problem } from './problem.ts';
import type { FeaInput } from './schema.ts';
import { timoshenko } from './timoshenko.ts';

/** Cells and bytes above this are refused before anything runs. */
export const MAX_CELLS = 4.2e6;
export const MAX_MEMORY = 2 ** 31 - 2 ** 24;
const ITERATION_LIMIT = 350;
const DEFAULT_TOL = 1e-12;
const VERDICT_WORK = 200_000;
const VERDICT_MEMORY = 2 ** 18;
/** Of the ceilings of preparation and iterations, what random meshes spend at most. */
const SPENT_OF_CEILING = 0.52;
/** Samples of the field output over all patches. */
const MAX_SAMPLES = 16384;

/** Layout of a run's result (assembly/fem/output.ts), in f64. */
export const RUN_HEAD = 32;
export const LINE = 129;
export const RUN_LINES = 3 * LINE;

/** Those of the corners that the verdict reads. */
const ORDERS = [0, 1, 2, 3] as const;

const quantities = { displacement: 0, u: 0, stress: 1, energy: 2 } as const;
const components = { x: 0, y: 1, xx: 0, yy: 1, xy: 2, vonMises: 3 } as const;

/** Reads a poisson or elasticity request. Throws what the schema cannot say. */
export function readProblem(input: FeaInput): Problem {
  const d = input.analysis === 'poisson' ? 1 : 2;
  const mesh = readMesh(input);
  const supports = supportRows(input, mesh);
  const loads = loadRows(input, mesh);
  const m = Math.floor(Math.sqrt(MAX_SAMPLES / mesh.patches.length));
  const samples = Math.max(2, Math.min(65, m));
  const problem = { input, mesh, d, factors: factors(input, mesh), supports, loads, samples } as const;
  refuseJumps(problem);
  refuseLarge(problem);
  return problem;
}

/** h, 2h, 4h where every side can be halved twice and every named point stays a node; else h, h/2, h/4. */
export function factors(input: FeaInput, mesh: Mesh): number[] {
  const coarser =
    mesh.nodeCopies === undefined &&
    mesh.patches.every(({ cells }) => cells[0] % 4 === 0 && cells[1] % 4 === 0) &&
    onCoarserNodes(input, mesh);
  return coarser ? [1, 1 / 2, 1 / 4] : [4, 2, 1];
}

/** Two values where sides meet: the energy grows without bound as cells shrink, and at the place itself the last one stands. */
function refuseJumps(problem: Problem): void {
  const { input, mesh, d } = problem;
  const { quantity, probe } = input;
  if (quantity !== 'energy' && probe === undefined) return;
  const jumps = jumpsOf(problem);
  const at = quantity === 'energy' ? jumps[0] : jumps.find((place) => isAt(place, probe!, mesh.extent));
  if (!at) return;
  const agreeing = `supports that agree at [${at.join(', ')}], as by coefficients in ξ along one of the sides`;
  if (quantity === 'energy')
    refuse('INVALID_INPUT', `The supports jump at [${at.join(', ')}], so that the energy has no bound.`, {
      field: 'supports',
      accepts: [agreeing, `quantity ${d === 1 ? 'u' : 'displacement'}, away from there`],
    });
  refuse('INVALID_INPUT', `The supports jump at the probe, [${at.join(', ')}].`, {
    field: 'probe',
    accepts: ['a point away from there', agreeing],
  });
}

function refuseLarge(problem: Problem): void {
  const { cells, memory } = size(problem, problem.factors[0]!);
  if (cells > MAX_CELLS)
    refuse('LIMIT_EXCEEDED', `The finest mesh has ${cells} cells.`, {
      field: 'patches',
      accepts: `at most ${MAX_CELLS} cells in the finest of the three meshes`,
    });
  if (memory > MAX_MEMORY)
    refuse('LIMIT_EXCEEDED', `The finest mesh needs ${Math.ceil(memory / 2 ** 20)} MiB.`, {
      field: 'patches',
      accepts: `at most ${MAX_MEMORY / 2 ** 20} MiB`,
    });
}

const size = ({ mesh, d, samples }: Problem, factor: number): Size => sizeOf(mesh, factor, d, samples);

export function firstRound(problem: Problem): Round {
  const names = problem.factors[0] === 1 ? ['h', '2h', '4h'] : ['h/4', 'h/2', 'h'];
  return { runs: problem.factors.map((factor, i) => run(problem, factor, `mesh ${names[i]}`, i === 0)) };
}

function run(problem: Problem, factor: number, label: string, finest: boolean): RunPlan {
  const { stateBytes, preparation, step, memory } = size(problem, factor);
  return {
    kernel: 'fea',
    parts: [{ bytes: parameters(problem, factor, finest) }],
    stepsPerSegment: segmentSteps(stateBytes, step),
    work: preparation + (ITERATION_LIMIT + 4) * step,
    memory,
    label,
  };
}

/** assembly/fem/problem.ts */
function parameters(problem: Problem, factor: number, finest: boolean): Uint8Array {
  const { input, mesh, d, supports, loads } = problem;
  const layout = new Layout()
    .f64(d, input.planeType === 'strain' ? 1 : 0, (d === 1 ? input.k : input.E)!, input.nu ?? 0)
    .f64(input.thickness ?? 1, input.f ?? input.b?.[0] ?? 0, input.b?.[1] ?? 0, input.tol ?? DEFAULT_TOL)
    .f64(ITERATION_LIMIT, mesh.patches.length, mesh.cornerCount, supports.length, loads.length)
    .f64(quantities[input.quantity as keyof typeof quantities], component(input), input.probe ? 1 : 0)
    .f64(input.probe?.[0] ?? 0, input.probe?.[1] ?? 0, finest ? problem.samples : 0, 0, 0, 0, 0, 0);
  for (const patch of mesh.patches) {
    const points = Array.from({ length: 9 }, (_, i) => patch.points[i] ?? [0, 0]);
    layout.f64s(points.flat());
    layout.f64(patch.points.length, factor * patch.cells[0], factor * patch.cells[1], ...patch.cells);
    layout.f64(...patch.grade, ...patch.corners, ...patch.neighbours, 0, 0, 0, 0, 0, 0, 0);
  }
  for (const row of supports) layout.f64s(row);
  for (const row of loads) layout.f64s(row);
  return layout.bytes();
}

const component = (input: FeaInput) =>
  input.component === undefined ? 0 : components[input.component as keyof typeof components];

export function verdictRound(problem: Problem): Round {
  const { input, d } = problem;
  const exact = timoshenko(input);
  const { orders, isPinned } = ordersOf(problem);
  const result = (of: number, length: number): Part => ({
    run: of,
    of: 'result',
    from: 0,
    length: 8 * length,
  });
  const head = new Layout()
    .f64(d, quantities[input.quantity as keyof typeof quantities], component(input), exact ? 1 : 0)
    .f64s(exact ?? [0, 0, 0, 0, 0, 0, 0])
    .f64(isPinned ? 1 : 0)
    .f64s(ORDERS.map((i) => orders[i] ?? 0))
    .bytes();
  const verdict: RunPlan = {
    kernel: 'fea.verdict',
    parts: [{ bytes: head }, result(0, RUN_HEAD + RUN_LINES), result(1, RUN_HEAD), result(2, RUN_HEAD)],
    stepsPerSegment: 1,
    steps: 1,
    work: VERDICT_WORK,
    memory: VERDICT_MEMORY,
    label: 'verdict',
  };
  return { verdict: true, runs: [verdict] };
}

/** A ceiling: how many iterations a mesh takes shows when it runs. */
export function quote(problem: Problem): Quote {
  const { runs } = firstRound(problem);
  const iterations = Math.min(ITERATION_LIMIT, expectedIterations(problem.mesh, problem.input));
  const expected = problem.factors.map((factor) => {
    const { preparation, step } = size(problem, factor);
    return SPENT_OF_CEILING * (preparation + iterations * step);
  });
  return {
    work: runs.reduce((total, { work }) => total + work, VERDICT_WORK),
    expected: Math.ceil(expected.reduce((total, work) => total + work, VERDICT_WORK)),
    ceiling: `${ITERATION_LIMIT} iterations on each mesh`,
    exact: false,
    memory: runs.reduce((most, { memory }) => Math.max(most, memory), VERDICT_MEMORY),
  };
}
