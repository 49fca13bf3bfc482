import { finerCells, goesOnFrom } from './grid/box.ts';
import { continuation } from './react/continuation.ts';
import { reactExamples } from './react/examples.ts';
import { outputs } from './react/outputs.ts';
import { firstRound, gridOf, isVerdictDue, quoteOf, verdictRound } from './react/plan.ts';
import { assumed, present } from './react/present.ts';
import { readProblem } from './react/problem.ts';
import { type ReactInput, schema } from './react/schema.ts';
import type { GateDeclaration, Solver } from './solver.ts';
import { gateBetween, unresolvedDetails } from './unresolved.ts';

const gates: readonly GateDeclaration[] = [
  {
    name: 'closed form',
    quantity: 'u at the probe, or the speed',
    source: 'travelling fronts: Ablowitz & Zeppetella 1979; Murray, Mathematical Biology I, §13.4',
  },
  { name: 'field', quantity: 'largest error of a node', source: 'the same front at every node' },
  {
    name: 'three grids',
    quantity: 'the value, and half of what is seen a cell beside the probe',
    source: 'Richardson extrapolation from grids h, 2h, 4h (Roache 1997)',
  },
  {
    name: 'twin',
    quantity: 'a mode on a uniform state, over its first amplitude',
    source: 'products of Jacobians, the same grid and step',
  },
  {
    name: 'balance',
    quantity:
      'change of the means against what reacted, over the largest term, or 1e-9 of the largest concentration where it is less',
    source: 'the equation integrated over the box, at every step',
  },
  { name: 'start', quantity: 'means of the start', source: 'the sum over what was asked' },
  gateBetween('256 parts of each concentration’s range', 'the largest rate'),
  {
    name: 'one mode',
    quantity:
      'power of the strongest mode, and what that of another may come to with what the grids leave of both (error 1: as much)',
    source: 'Richardson extrapolation of the power of every mode (Roache 1997)',
  },
];

/** Places of gates among those above; the errors of the first three fall with the cells. */
const THREE_GRIDS = 2;
const ONE_MODE = 7;

const grid = (input: ReactInput) => gridOf(readProblem(input));

function finer(input: ReactInput, [, , error, bound]: readonly number[]) {
  const { nx, ny } = readProblem(input).box;
  const otherwise = 'a shorter t_end, a wider start, or another quantity';
  return finerCells(ny === 0 ? [nx] : [nx, ny], error! / bound!, otherwise, {
    dt: input.dt,
    from: goesOnFrom(input.before, input.initialState?.u),
  });
}

function refusalDetails(
  input: ReactInput,
  status: number,
  observed: readonly number[],
): Record<string, unknown> {
  const [first, second] = observed;
  if (status === 26)
    return { least: first, t: second, bound: -1e-9, accepts: 'more cells, or a start above zero' };
  if (status === 21) {
    // The grid 4h takes steps of 16 dt, and must resolve the reaction as well, which may grow as much again.
    const maxDt = second! / 32;
    return {
      field: 'dt',
      reason: 'the reaction has become too fast for the step',
      measured: first,
      bound: 0.25,
      maxDt,
      accepts: `at most ${maxDt} s`,
    };
  }
  if (status === 18 && first! <= THREE_GRIDS) return finer(input, observed);
  if (status === 18 && first === ONE_MODE)
    return {
      field: 'quantity',
      reason: 'no mode is stronger than all others by more than the grids leave of it',
      accepts: 'more cells or a later t_end where a pattern has one strongest mode, or another quantity',
    };
  const points = 'a concentration and the next of 256';
  const accepts = 'a reaction without what is narrower than a few of 256 parts of the range';
  const unseen = unresolvedDetails('react', gates, status, observed, { points, field: 'reaction', accepts });
  if (unseen) return unseen;
  if (status !== 20) return {};
  return {
    message: 'react: u crosses ½ nowhere, so there is no front whose speed could be taken.',
    field: 'quantity',
    accepts: 'speed of a front, or another quantity',
    quantity: input.quantity,
  };
}

/**
 * Reaction and diffusion on a line or a rectangle. In: diffusivities in m²/s, rates in 1/s, lengths in m, pure
 * concentrations. Out: a mean or a value (1), a speed in m/s, or a wavelength in m.
 */
export const react: Solver<ReactInput> = {
  id: 'react',
  title: 'Reaction and diffusion',
  summary:
    'Gray–Scott, Fisher, Nagumo and Brusselator on a line or a rectangle by explicit steps on three grids. Travelling fronts are held against their closed forms, a mode on a uniform state against the Jacobian, and the means against what has reacted.',
  equation: String.raw`\frac{\partial u}{\partial t}=D\nabla^2u+R(u,v)`,
  references: [
    'Gray & Scott, Chem. Eng. Sci. 39 (1984) 1087; Pearson, Science 261 (1993) 189 (Gray–Scott)',
    'Fisher, Ann. Eugenics 7 (1937) 355; Ablowitz & Zeppetella, Bull. Math. Biol. 41 (1979) 835 (front)',
    'Murray, Mathematical Biology I, §13.4 (Nagumo)',
    'Prigogine & Lefever, J. Chem. Phys. 48 (1968) 1695 (Brusselator)',
    'Roache, Annu. Rev. Fluid Mech. 29 (1997) 123 (three grids)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: ({ quantity }) => (quantity === 'speed' ? 'm/s' : quantity === 'wavelength' ? 'm' : '1'),
  assumed,
  quote: (input) => quoteOf(grid(input)),
  plan: (input) => firstRound(grid(input)),
  next: (input, finished) => (isVerdictDue(finished) ? verdictRound(grid(input)) : undefined),
  present,
  refusalDetails,
  continuation,
  examples: reactExamples,
};
