import { continuation } from './fracture/continuation.ts';
import { fractureExamples, fractureProbes } from './fracture/examples.ts';
import { outputs } from './fracture/outputs.ts';
import { firstRound, isVerdictDue, quoteOf, verdictRound } from './fracture/plan.ts';
import { assumed, present } from './fracture/present.ts';
import { type Problem, readProblem, takesCells } from './fracture/problem.ts';
import { type FractureInput, schema } from './fracture/schema.ts';
import type { GateDeclaration, Solver } from './solver.ts';

const gates: readonly GateDeclaration[] = [
  {
    name: 'path',
    quantity: 'largest distance of the crack’s path, over the height',
    source: 'the axis of a mirrored plate; else the path on cells of 2h',
  },
  {
    name: 'three grids',
    quantity: 'the value',
    source:
      'Richardson extrapolation from cells h, 2h, 4h, order 1 of the notch’s tip (Roache 1997); load steps',
  },
  {
    name: 'stable balance',
    quantity: 'work of the grips and gain of energy over stable load steps, over all work',
    source: 'first law (Francfort & Marigo 1998)',
  },
  {
    name: 'energy',
    quantity: 'largest excess of energy over work, over the work',
    source: 'energy is never made, whatever breaks',
  },
  {
    name: 'equilibrium',
    quantity: 'forces on free nodes over the reactions',
    source: 'stresses of the last state at Gauss points',
  },
  {
    name: 'damage',
    quantity: 'largest move of a node’s damage that would lower the energy',
    source: 'first-order conditions with the bounds, at Gauss points',
  },
  { name: 'energies', quantity: 'elastic and surface energy', source: 'the last state at Gauss points' },
  { name: 'reaction', quantity: 'force on the upper grip', source: 'the last state at Gauss points' },
  {
    name: 'virtual work',
    quantity: 'force times displacement against twice the elastic energy',
    source: 'energies of degree 2 in the strains (Euler)',
  },
  {
    name: 'strength',
    quantity: 'largest stress of a bar',
    source: 'Pham, Amor, Marigo & Maurini 2011: uniform response in closed form',
  },
  {
    name: 'branch',
    quantity: 'stress up to the peak, over the strength',
    source: 'the same, at every load step',
  },
  {
    name: 'profile',
    quantity: 'energy of a crack in the middle of the bar, over Gc',
    source: 'Tanné et al. 2018; hyperbolic and parabolic profiles of finite bars',
  },
  { name: 'bar energy', quantity: 'largest excess of energy over work', source: 'energy is never made' },
  {
    name: 'springs',
    quantity: 'stress of the last state',
    source: 'springs in a row, four Gauss points an element',
  },
  {
    name: 'three bars',
    quantity: 'the value, from a start of numbers',
    source: 'Richardson extrapolation from elements h, 2h, 4h (Roache 1997)',
  },
  {
    name: 'peak',
    quantity: 'largest force, beside those of the load steps',
    source: 'between the largest of them and the lines that bound a concave curve there',
  },
  {
    name: 'run through',
    quantity: 'length of the crack of a mirrored plate that it has cut in two',
    source: 'the width of the plate',
  },
];

const units = { peakStress: 'Pa', crackLength: 'm', pathDeviation: '1', peakForce: 'N/m' } as const;

/** Places in `gates`: what a verdict that refuses shows first. */
const PATH = gates.findIndex(({ name }) => name === 'path');
const THREE_GRIDS = gates.findIndex(({ name }) => name === 'three grids');
const BAR_ENERGY = gates.findIndex(({ name }) => name === 'bar energy');
const STABLE_BALANCE = gates.findIndex(({ name }) => name === 'stable balance');
const STRENGTH = gates.findIndex(({ name }) => name === 'strength');
const BRANCH = gates.findIndex(({ name }) => name === 'branch');
const PROFILE = gates.findIndex(({ name }) => name === 'profile');
const RUN_THROUGH = gates.findIndex(({ name }) => name === 'run through');

/** Load steps over which the stress is near enough to a line between two of them: its error shrinks as their square. */
const stepsEnough = ({ loading }: FractureInput, times: number): number =>
  Math.max(16, Math.ceil(1.5 * loading.steps * Math.sqrt(times)));

/** Cells of 4h in ell from which on the three grids show an order. */
const SHOWN = 4;

/** The number of cells nearest above `least` that the plate takes: a multiple of its own where it finds none soon. */
function cellsTaken(problem: Problem, least: number): number {
  const from = 4 * Math.ceil(least / 4 - 1e-9);
  if (problem.mode === 'plane')
    for (let N = from; N <= 1.25 * from; N += 4) if (takesCells(problem, N)) return N;
  return problem.mode === 'plane' ? problem.N * Math.ceil(least / problem.N - 1e-9) : from;
}

/** Cells with which three grids show an order, or with which an error that shrinks as they do is within its bound. */
function finer(problem: Problem, times: number): string[] {
  const { N, ell } = problem;
  if (!(times > 1) || !Number.isFinite(times)) return ['a larger N'];
  const coarsest = problem.mode === 'plane' ? ell / (4 * problem.h) : SHOWN;
  if (coarsest < SHOWN)
    return [
      `N of about ${cellsTaken(problem, (N * SHOWN) / coarsest)}: ell is ${Number(coarsest.toPrecision(3))} cells of 4h, and about ${SHOWN} show the order`,
    ];
  return [
    `N of about ${cellsTaken(problem, 1.1 * N * times)}: the error is ${Number(times.toPrecision(3))} times its bound and shrinks as the cells`,
    'a load before the crack runs by itself: while it runs, a cell more or less decides where it is',
  ];
}

/** Damage is a line between nodes: a crack in the middle has its tip on one where the elements are even in number. */
const withTip = ({ N }: Problem): string =>
  N % 2 === 1 ? `N = ${N + 1}: a crack in the middle has a node at its tip` : `N = ${2 * N}`;

function refusalDetails(
  input: FractureInput,
  status: number,
  [iterations, residual, tol, step]: readonly number[],
): Record<string, unknown> {
  if (status === 18 && iterations === THREE_GRIDS)
    return {
      field: 'quantity',
      accepts: ['pathDeviation', ...finer(readProblem(input), tol! / step!)],
    };
  if (status === 18 && iterations === PATH)
    return { field: 'N', accepts: finer(readProblem(input), tol! / step!) };
  if (status === 18 && (iterations === BAR_ENERGY || iterations === STABLE_BALANCE))
    return {
      field: 'loading.steps',
      accepts: `${stepsEnough(input, tol! / step!)} load steps: the work is summed with the force as a line between two of them`,
    };
  if (status === 18 && (iterations === STRENGTH || iterations === BRANCH))
    return {
      field: 'loading.steps',
      accepts: `${stepsEnough(input, tol! / step!)} load steps: the largest stress is between two of them`,
    };
  if (status === 18 && iterations === PROFILE) return { field: 'N', accepts: withTip(readProblem(input)) };
  if (status === 18 && iterations === RUN_THROUGH)
    return {
      field: 'quantity',
      accepts: [
        'pathDeviation or peakForce: damage beside the crack counts as its surface, so that this one is longer than the plate is wide',
        'model at1 or a smaller ell, whose damage keeps closer to the crack',
      ],
    };
  if (status !== 17) return {};
  if (input.split === 'spectral')
    return {
      field: 'split',
      ...{ iterations, residual, tol, step },
      message: `fracture: load step ${step! + 1} found no equilibrium in what was quoted: broken cells that the split ‘spectral’ keeps stiff open and shut in turn.`,
      accepts: ['split volumetric', 'split none', 'a load that does not break the body'],
    };
  return {
    field: 'loading.steps',
    iterations,
    residual,
    tol,
    step,
    message: `fracture: load step ${step! + 1} found no equilibrium in what was quoted: damage still moves by ${residual}.`,
    accepts:
      'more load steps, each of which is quoted turns of its own, or a load that does not break the body',
  };
}

/**
 * Brittle fracture by a phase field. In: Pa, J/m², lengths in m. Out: largest stress of a bar in Pa; of a plate the
 * crack's length in m, its path's deviation over the height, or the largest force in N/m.
 */
export const fracture: Solver<FractureInput> = {
  id: 'fracture',
  title: 'Brittle fracture by a phase field',
  summary:
    'Damage and displacements of a notched plate or a bar, by minimising elastic and surface energy in turn at each load step (AT1, AT2). A bar is held against its strength in closed form; a plate’s path against its mirror axis or a coarser grid, its crack’s length and largest force against two coarser grids, its energy against the work of the grips, its last state against the conditions of a minimum.',
  equation: String.raw`\int\left[(1-d)^2+\kappa\right]\psi^{+}(\varepsilon)+\psi^{-}(\varepsilon)+\frac{G_c}{c_w}\left(\frac{w(d)}{\ell}+\ell|\nabla d|^2\right)\to\min,\quad\dot d\ge 0`,
  references: [
    'Francfort & Marigo, J. Mech. Phys. Solids 46 (1998) 1319; Bourdin, Francfort & Marigo, ibid. 48 (2000) 797 (energy, alternate minimisation)',
    'Pham, Amor, Marigo & Maurini, Int. J. Damage Mech. 20 (2011) 618 (AT1, AT2, strength of a bar)',
    'Tanné et al., J. Mech. Phys. Solids 110 (2018) 80 (strength, profiles)',
    'Miehe, Hofacker & Welschinger, CMAME 199 (2010) 2765 (spectral split); Amor, Marigo & Maurini, J. Mech. Phys. Solids 57 (2009) 1209 (volumetric split)',
    'O’Donoghue & Candès, Found. Comput. Math. 15 (2015) 715 (momentum of turns, begun anew where they lead back)',
    'Walker & Ni, SIAM J. Numer. Anal. 49 (2011) 1715 (acceleration of turns by the last few of them)',
    'Alcouffe, Brandt, Dendy & Painter, SIAM J. Sci. Stat. Comput. 2 (1981) 430 (grids for broken stiffness)',
    'Roache, Annu. Rev. Fluid Mech. 29 (1997) 123 (three grids)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: ({ mode, quantity }) => units[quantity ?? (mode === 'bar' ? 'peakStress' : 'crackLength')],
  assumed,
  quote: (input) => quoteOf(readProblem(input)),
  plan: (input) => firstRound(readProblem(input)),
  next(input, finished) {
    const problem = readProblem(input);
    return isVerdictDue(problem, finished) ? verdictRound(problem) : undefined;
  },
  present,
  refusalDetails,
  continuation,
  examples: fractureExamples,
  probes: fractureProbes,
};
