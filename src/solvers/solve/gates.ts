import type { GateDeclaration } from '../solver.ts';
import { gateBetween } from '../unresolved.ts';

/** In the order of their index in the verdicts solve.verdict and solve-system.verdict. */
export const solveGates: readonly GateDeclaration[] = [
  { name: 'closed form', quantity: 'x(t_end)', source: 'closed form of the equation for these inputs' },
  {
    name: 'closed form, rate',
    quantity: 'v(t_end), ẏ(t_end)',
    source: 'closed form of the equation for these inputs',
  },
  { name: 'three steps', quantity: 'x(t_end)', source: 'levels h, 2h, 4h of this run (Richardson)' },
  { name: 'energy', quantity: 'E', source: 'largest |E−E₀| over all steps' },
  {
    name: 'closed form, series',
    quantity: 'x at the samples',
    source: 'closed form of the equation for these inputs',
  },
  {
    name: 'two steps, series',
    quantity: 'x at the samples',
    source: 'levels h and 2h of this run (Richardson)',
  },
  {
    name: 'pulse mean',
    quantity: 'mean of x over one pulse',
    source: 'levels h and 2h of this run (Richardson)',
  },
  {
    name: 'two steps, components',
    quantity: 'every component of an own system at the samples',
    source: 'levels h and 2h of this run (Richardson)',
  },
  {
    name: 'single steps',
    quantity: 'what up to 17 steps along the run change',
    source: 'the midpoint rule extrapolated to order 8 (Gragg), with another evaluator of the equation',
  },
  {
    name: 'conserved',
    quantity: 'what the request says is conserved, and 100 times what rounding takes from it',
    source: 'its value at the start',
  },
  gateBetween('steps', 'the value and the components at samples that it would move'),
];
