import { heat } from '../../src/solvers/heat.ts';
import { quant } from '../../src/solvers/quant.ts';
import { react } from '../../src/solvers/react.ts';
import { schrodinger } from '../../src/solvers/schrodinger.ts';
import { solve } from '../../src/solvers/solve.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { wave } from '../../src/solvers/wave.ts';

// Requests that take a formula of the caller's own, without it.

const solvers = { heat, quant, react, schrodinger, solve, wave };
export type Name = keyof typeof solvers;
export const named = (name: Name) => solvers[name] as unknown as Solver<unknown>;

export const option = { mode: 'option', type: 'payoff', S0: 100, r: 0.05, sigma: 0.2, T: 1 };
export const string = { dim: 1, c: 1, Lx: 1, boundary: 'fixed', t_end: 0.3 };
export const line = { mode: 'eigen1d', units: 'reduced', mass: 1, domain: [-8, 8], n: 0 };
export const plane = {
  ...{ mode: 'eigen2d', units: 'reduced', mass: 1, n: 0, N: 32 },
  domain: [
    [-6, 6],
    [-6, 6],
  ],
};
export const packet = {
  ...{ mode: 'evolve', units: 'reduced', mass: 1, domain: [-16, 16], N: 256, dt: 0.02, t_max: 1 },
  initial: { type: 'gaussian', x0: [-2], sigma: 1, k0: [2] },
  quantity: 'mean',
};
const vessel = { model: 'own', dim: 1, D: 0.01, Lx: 10, N: 64, boundary: 'periodic', t_end: 1, dt: 0.005 };
export const mixed = { ...vessel, initialState: { u: new Array(65).fill(0.6) } };
