import { continues, grids, type Output, type Outputs } from '../outputs.ts';
import type { FlowInput } from './schema.ts';

/** A steady section has a rate, one that starts an impulse; a plane a rate. All are per density. */
const momentum: Output<FlowInput> = [
  ({ case: name, t_end }) =>
    (name === 'channel' || name === 'duct') && t_end !== undefined ? 'm^3/s' : 'm^3/s^2',
  'What changes the momentum per density and depth (of a section: length), and its change.',
  'unsealed',
];

export const outputs: Outputs<FlowInput> = {
  ...grids,
  closedForm: ['value', 'Closed form of the value, where there is one.'],
  reynolds: ['1', 'U Lx/ν.'],
  divergence: ['1/s', 'Largest |∇·u| of a step.'],
  divergenceOfStart: ['1/s', 'Largest |∇·u| of the start.'],
  kineticEnergy: ['m^4/s^2', 'Kinetic energy per density and depth at the end.', 'unsealed'],
  kineticEnergyAtStart: ['m^4/s^2', 'The same at the start.', 'unsealed'],
  largestVelocity: ['m/s', 'Largest size of each component.', 'unsealed'],
  momentum,
  residual: ['m/s^2', 'Residual of the steady equation.'],
  ghia1982: ['m/s', 'What Ghia, Ghia and Shin (1982) have for this cavity.'],
  steps: ['1', 'Steps.'],
  dt: ['s', 'Step.'],
  courant: ['1', 'Largest |u| dt/dx + |v| dt/dy.'],
  discharge: ['m^3/s', 'Volume that passes the section per time.', 'unsealed'],
  meanVelocity: ['m/s', 'Discharge over the area.', 'unsealed'],
  finalState: ['s', 'Fields to go on from, and the end.'],
  continues,
};
