import { continues, type Outputs } from '../outputs.ts';

/** The equations are without units. */
export const outputs: Outputs = {
  finalState: ['1', 'x, y, z and the time at the end of a trajectory.'],
  steps: ['1', 'Steps.'],
  continues,
  exponents: [
    '1',
    'The three Lyapunov exponents, per unit of time; of a cycle as they were measured.',
    (_, { fate }) => fate === 'cycle',
  ],
  standardError: ['1', 'Standard error of the largest.'],
  kaplanYorke: ['1', 'Kaplan–Yorke dimension.'],
  fate: [null, 'What the motion comes to.'],
  time: ['1', 'Time over which all chains were followed.'],
  chains: ['1', 'Chains.'],
  dt: ['1', 'Step.'],
  unmeasured: ['1', 'Time of each chain before it counts.'],
  fixedPoint: ['1', 'A fixed point away from the origin, and the eigenvalues there.'],
  origin: ['1', 'The eigenvalues at the origin.'],
  rhoUnstable: ['1', 'The ρ above which the fixed points are unstable, where there is one.'],
  iterations: ['1', 'Steps of Newton’s method.'],
};
