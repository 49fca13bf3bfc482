import type { FinishedRun, Round } from '../proof/job.ts';
import { beforeRoundingShows, beforeSourcesShow, beforeVorticesRest } from './flow/at-rest.ts';
import { MOST_CELLS, MOST_OF_CAVITY, ofCells, sectionCells } from './flow/cells.ts';
import { continuation } from './flow/continuation.ts';
import { nearLidCorner, orElse } from './flow/corner.ts';
import { flowExamples, flowProbes } from './flow/examples.ts';
import { outputs } from './flow/outputs.ts';
import { firstRound, isVerdictDue, marchOf, quoteOfMarch, verdictRound } from './flow/plan.ts';
import { assumed, present } from './flow/present.ts';
import { isSection, type PlaneProblem, type SectionProblem } from './flow/problem.ts';
import { readProblem } from './flow/read.ts';
import { type FlowInput, MOST_TOL, schema } from './flow/schema.ts';
import { firstSectionRound, nextSectionRound, quoteOfSection, sectionOf } from './flow/section.ts';
import { checkGrids, firstSteadyRound, nextSteadyRound, quoteOfSteady } from './flow/steady.ts';
import { cellsAccepted, finerCells } from './grid/box.ts';
import type { GateDeclaration, Quote, Solver } from './solver.ts';

const gates: readonly GateDeclaration[] = [
  {
    name: 'value',
    quantity: 'the value',
    source:
      'closed forms of Taylor 1923 and of channels and ducts (White, Viscous Fluid Flow, 3-3.3); cavity: Marchi et al. 2009, Botella & Peyret 1998',
  },
  {
    name: 'field',
    quantity: 'largest error of a velocity, over the largest',
    source: 'the same closed form everywhere',
  },
  {
    name: 'three grids',
    quantity: 'the value, and of one at a point half of what is seen a cell beside it',
    source: 'Richardson extrapolation from grids h, 2h, 4h (Roache 1997)',
  },
  {
    name: 'twin',
    quantity: 'largest error of a flow that is known, over the flow',
    source:
      'drifting vortices of Taylor and Green by the wave numbers of the grid; cavity: Shih, Tan & Hwang 1989',
  },
  { name: 'divergence', quantity: 'max|∇·u|h over max|u|', source: 'no cell gains volume' },
  {
    name: 'momentum x',
    quantity: 'rate of momentum along x, over the largest force',
    source: 'forces on the sides and within',
  },
  {
    name: 'momentum y',
    quantity: 'rate of momentum along y, over the largest force',
    source: 'forces on the sides and within',
  },
];

const units: Readonly<Record<string, string>> = {
  p: 'Pa',
  psi: 'm^2/s',
  psiMin: 'm^2/s',
  omega: '1/s',
  kineticEnergyRatio: '1',
};

function quote(input: FlowInput): Quote {
  const problem = readProblem(input);
  if (isSection(problem)) return quoteOfSection(sectionOf(problem));
  return problem.form === 'cavity' ? quoteOfSteady(checkGrids(problem)) : quoteOfMarch(marchOf(problem));
}

function plan(input: FlowInput): Round {
  const problem = readProblem(input);
  if (isSection(problem)) return firstSectionRound(sectionOf(problem));
  return problem.form === 'cavity' ? firstSteadyRound(checkGrids(problem)) : firstRound(marchOf(problem));
}

function next(input: FlowInput, finished: readonly FinishedRun[]): Round | undefined {
  const problem = readProblem(input);
  if (isSection(problem)) return nextSectionRound(sectionOf(problem), finished);
  if (problem.form === 'cavity') return nextSteadyRound(problem, finished);
  const march = marchOf(problem);
  return isVerdictDue(march, finished) ? verdictRound(march) : undefined;
}

/** Places of the gates whose errors fall with the square of a cell. */
const ORDER_TWO = gates.flatMap(({ name }, index) => (['three grids', 'twin'].includes(name) ? [index] : []));

/** Places of the gates of closed forms. */
const CLOSED = gates.flatMap(({ name }, index) => (['value', 'field'].includes(name) ? [index] : []));

/** Place of the gate that rounding shows in where the fluid has come to rest. */
const SOURCES = gates.findIndex(({ name }) => name === 'divergence');

/** Places of the gates whose rate is a difference of three steps. */
const RATES = gates.flatMap(({ name }, index) => (name.startsWith('momentum') ? [index] : []));

function refusalDetails(
  input: FlowInput,
  status: number,
  [first, second, third, fourth]: readonly number[],
): Record<string, unknown> {
  if (status === 17) return whereItStands(input, first!, second!, third!);
  if (status === 18 && (input.case === 'channel' || input.case === 'duct'))
    return sectionThatAgrees(input, third!, fourth!);
  if (status === 18 && input.case === 'taylor-green' && CLOSED.includes(first!))
    return vorticesThatAgree(input, third! / fourth!);
  if (status === 18 && ORDER_TWO.includes(first!)) return cellsThatAgree(input, third! / fourth!);
  if (status === 18 && input.case !== 'cavity' && first === SOURCES)
    return beforeSourcesShow(readProblem(input) as PlaneProblem, third!, fourth!);
  if (status === 18 && input.case !== 'cavity' && RATES.includes(first!))
    return stepThatBalances(input, third! / fourth!);
  if (status === 18 && input.case === 'cavity') return { field: 'N', accepts: 'a smaller Re, or more cells' };
  if (status !== 21) return {};
  return {
    field: 'dt',
    measured: first,
    bound: 1,
    maxDt: second! / 4,
    accepts: `at most ${second! / 4} s: the flow has become faster than its start`,
  };
}

/** Of a steady cavity: what is left of its equation, and the tol which that would be within. */
function whereItStands(input: FlowInput, residual: number, iterations: number, tol: number) {
  const would = Number((2 * residual).toPrecision(1));
  const within = would > tol && would <= MOST_TOL && input.case === 'cavity' ? `tol = ${would}, or ` : '';
  return { residual, iterations, tol, accepts: `${within}more cells, or a smaller Re` };
}

/** Of order 2 in the step, and half as much more for what has just been set in motion. */
function stepThatBalances(input: FlowInput, excess: number): Record<string, unknown> {
  const { dt } = marchOf(readProblem(input) as PlaneProblem);
  return { field: 'dt', accepts: `dt = ${Number((dt / Math.sqrt(1.5 * excess)).toPrecision(2))} s` };
}

/** Error of what is left of rounding alone. */
const ALL_OF_IT = 0.5;

/** Of order 2, and a fifth more: cells of a section by its error, at least those that are usual; of what has come to rest its end. */
function sectionThatAgrees(input: FlowInput, error: number, bound: number): Record<string, unknown> {
  const problem = readProblem(input) as SectionProblem;
  const { ny, nz, push } = problem;
  const usual = sectionCells(input);
  const finer = (cells: number, axis: 0 | 1) =>
    Math.max(usual[axis], 4 * Math.ceil((1.2 * cells * Math.sqrt(error / bound)) / 4));
  const cells = nz === 1 ? [finer(ny, 0)] : [finer(ny, 0), finer(nz, 1)];
  const isNoise = error > ALL_OF_IT || cells.reduce((a, b) => a * b, 1) > MOST_CELLS;
  if (push === 0 && isNoise) return beforeRoundingShows(problem);
  return ofCells(input, { field: 'N', accepts: cellsAccepted(cells, undefined) });
}

/** An earlier end of vortices that have fallen so far that rounding shows beside them, else more cells. */
function vorticesThatAgree(input: FlowInput, excess: number): Record<string, unknown> {
  const problem = readProblem(input) as PlaneProblem;
  return beforeVorticesRest(problem) ?? cellsThatAgree(input, excess);
}

/** Of a cavity multiples of 64, at least the usual ones. */
function cellsThatAgree(input: FlowInput, excess: number): Record<string, unknown> {
  const problem = readProblem(input) as PlaneProblem;
  const { nx, ny } = problem;
  const { N: _, ...open } = input;
  if (input.case !== 'cavity')
    return ofCells(input, finerCells([nx, ny], excess, 'a slower or smoother flow', { dt: input.dt }));
  const usual = readProblem(open) as PlaneProblem;
  const corner = nearLidCorner(problem, [usual.nx, usual.ny]);
  if (corner) return corner;
  const place = (axis: number, least: number) =>
    Math.max([usual.nx, usual.ny][axis]!, 64 * Math.ceil(least / 64));
  return finerCells([nx, ny], excess, orElse(problem), { place, most: MOST_OF_CAVITY });
}

/**
 * Incompressible flow in a rectangle, along a channel or a duct. In: viscosity in m²/s (or Pa s and kg/m³), lengths in
 * m, velocities in m/s. Out: velocity in m/s, pressure in Pa, stream function in m²/s, vorticity in 1/s, at a point or
 * as an extreme, or the ratio of kinetic energies (1).
 */
export const flow: Solver<FlowInput> = {
  id: 'flow',
  title: 'Incompressible flow',
  summary:
    'Solves the incompressible Navier–Stokes equations on a staggered grid: central fluxes, three Runge–Kutta stages, each made free of sources by a direct solution for the pressure; steady cavities by Newton’s method, on fine grids through a coarser one and a direct solution of ∇⁴ψ. Held against closed forms, three grids, a known flow on the same numerics, and the balance of momentum.',
  equation: String.raw`\frac{\partial\mathbf u}{\partial t}+\nabla\cdot(\mathbf u\mathbf u)=-\frac1\rho\nabla p+\nu\nabla^2\mathbf u+\mathbf g,\quad \nabla\cdot\mathbf u=0`,
  references: [
    'Harlow & Welch, Phys. Fluids 8 (1965) 2182 (staggered grid)',
    'Williamson, J. Comput. Phys. 35 (1980) 48 (stages); Chorin, Math. Comp. 22 (1968) 745 (projection)',
    'Swarztrauber, SIAM Rev. 19 (1977) 490 (pressure); Bjørstad, SIAM J. Numer. Anal. 20 (1983) 59 (∇⁴ψ)',
    'Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856 (linear equations of fine cavities)',
    'Ghia, Ghia & Shin, J. Comput. Phys. 48 (1982) 387; Botella & Peyret, Comput. Fluids 27 (1998) 421 (cavity)',
    'Shih, Tan & Hwang, Int. J. Numer. Methods Fluids 9 (1989) 193 (known cavity)',
    'White, Viscous Fluid Flow, 3rd ed., 3-3.3 (ducts)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: ({ quantity }) => units[quantity] ?? 'm/s',
  assumed,
  quote,
  plan,
  next,
  present,
  refusalDetails,
  continuation,
  examples: flowExamples,
  probes: flowProbes,
};
