import { finerCells, goesOnFrom } from './grid/box.ts';
import { continuation } from './heat/continuation.ts';
import { nearJump } from './heat/corner.ts';
import { heatExamples } from './heat/examples.ts';
import { outputs } from './heat/outputs.ts';
import { firstRound, type Grid, gridOf, isVerdictDue, quoteOf, verdictRound } from './heat/plan.ts';
import { assumed, present } from './heat/present.ts';
import { cellsOfLayers, MOST_NAMED, readProblem } from './heat/problem.ts';
import { type HeatInput, schema } from './heat/schema.ts';
import type { GateDeclaration, Solver } from './solver.ts';
import { gateBetween, unresolvedDetails } from './unresolved.ts';

const gates: readonly GateDeclaration[] = [
  {
    name: 'closed form',
    quantity: 'T at the probe, over the range of temperatures',
    source: 'eigenfunction series, products and steady solutions: Carslaw & Jaeger §3.3–3.11, 5.2, 5.6',
  },
  {
    name: 'field',
    quantity: 'largest error of a node, over the range of temperatures',
    source: 'the same closed form at every node',
  },
  {
    name: 'three grids',
    quantity: 'T at the probe, and half of what is seen a cell beside it, over the range of temperatures',
    source: 'Richardson extrapolation from grids h, 2h, 4h (Roache 1997)',
  },
  {
    name: 'twin',
    quantity: 'largest error of one mode, over its amplitude',
    source: 'its factor in closed form, the same grid and step',
  },
  {
    name: 'balance',
    quantity: 'Δ∫T − ∫inflow − ∫source over the largest of them',
    source: 'conservation of heat, at every step',
  },
  { name: 'start', quantity: '∫T of the start', source: 'the sum over what was asked' },
  {
    name: 'source',
    quantity:
      'weighted sums of a source of t over the nodes, at 17 steps of the run, over the size of its terms',
    source: 'the sums of the formula, evaluated by the pass that derivatives come from',
  },
  gateBetween('nodes and steps', 'the range of temperatures, of a source per the time in which heat settles'),
  {
    name: 'bounds',
    quantity: 'three halves of the range that T can be in, and how far it is from the middle (error 1)',
    source: 'maximum principle: walls, surroundings, start, and what flux and source can have brought',
  },
];

/** The field that has a formula which the grid does not see. */
const formulaField = ({ s }: HeatInput) => (typeof s === 'string' ? 's' : 'initial.equation');

/** Gates that more cells bring down, by their place. */
const OF_CELLS = [0, 1, 2];

/** At least the cells that layers at walls take. */
function ofCells(input: HeatInput, [, , error, bound]: readonly number[]) {
  const { nx, ny, dim } = readProblem(input).box;
  const usual = cellsOfLayers(input, dim, MOST_NAMED[dim]) ?? [0, 0];
  const corner = nearJump(input, usual);
  if (corner) return corner;
  const otherwise = 'the usual dt, and a start, source and sides without what is narrower than a few cells';
  return finerCells(dim === 1 ? [nx] : [nx, ny], error! / bound!, otherwise, {
    place: (axis, least) => Math.max(usual[axis]!, least),
    dt: input.dt,
    from: goesOnFrom(input.before, input.initialState?.T),
  });
}

function refusalDetails(input: HeatInput, status: number, observed: readonly number[]) {
  const [first, residual] = observed;
  if (status === 20) return { field: 'initial.equation', coldest: first, accepts: '≥ 0 K on every node' };
  if (status === 17)
    return {
      field: 'tol',
      iterations: first,
      residual,
      tol: input.tol ?? 1e-12,
      accepts: (input.tol ?? 1e-12) < 1e-9 ? 'tol = 1e-9, or fewer cells' : 'fewer cells',
    };
  if (status === 18 && OF_CELLS.includes(first!)) return ofCells(input, observed);
  const unseen = { points: 'nodes and steps', field: formulaField(input) };
  const accepts = 'more cells N and a smaller dt, or a formula without what is narrower than a few of them';
  return unresolvedDetails('heat', gates, status, observed, { ...unseen, accepts }) ?? {};
}

const grid = (input: HeatInput): Grid => gridOf(readProblem(input), input.dt);

/**
 * Heat conduction in a rod or a rectangle. In: diffusivity in m²/s (or k, ρ, c_p), lengths in m, temperatures in K.
 * Out: temperature at the probe in K, with field, profile and series.
 */
export const heat: Solver<HeatInput> = {
  id: 'heat',
  title: 'Heat conduction',
  summary:
    'Temperature in a rod or a rectangle with fixed, insulated, heated, convective or periodic sides: explicit steps, Peaceman–Rachford’s ADI, or the steady state by conjugate gradients. Held against closed forms where the problem has one, against three grids where it has none.',
  equation: String.raw`\frac{\partial T}{\partial t}=\alpha\nabla^2T+s`,
  references: [
    'Carslaw & Jaeger, Conduction of Heat in Solids, §3.3–3.11, 5.2, 5.6 (closed forms)',
    'Peaceman & Rachford, J. SIAM 3 (1955) 28 (ADI)',
    'Rannacher, Numer. Math. 43 (1984) 309 (implicit first steps where data jump)',
    'Morton & Mayers, Numerical Solution of Partial Differential Equations, §2.13 (natural ends)',
    'Golub & Van Loan, Matrix Computations, §4.3, 11.5 (Thomas, conjugate gradients)',
    'Trottenberg, Oosterlee & Schüller, Multigrid, §5.1 (lines along narrow cells)',
    'Roache, Annu. Rev. Fluid Mech. 29 (1997) 123 (three grids)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: () => 'K',
  assumed,
  quote: (input) => quoteOf(grid(input)),
  plan: (input) => firstRound(grid(input)),
  next: (input, finished) => (isVerdictDue(grid(input), finished) ? verdictRound(grid(input)) : undefined),
  present,
  refusalDetails,
  continuation,
  examples: heatExamples,
};
