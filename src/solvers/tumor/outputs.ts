import { continues, type Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  closedForm: ['m^3', 'Closed form of the volume, where there is one.'],
  limitVolume: ['m^3', 'Volume that it grows to.'],
  doublingTime: ['s', 'ln 2 over the relative rate V̇/V at the start, where it grows; without doses.'],
  'inflection.V': ['m^3', 'Volume at which it grows fastest.'],
  'inflection.t': ['s', 'When that is; null where it lies behind.'],
  smallest: ['m^3', 'Smallest volume of the samples.'],
  speed: ['m/s', 'Speed of the front.'],
  density: ['1', 'Density at the probe, over the most that there can be.'],
  invaded: ['m', 'Length that is invaded at the end.', 'unsealed'],
  'front.speed': ['m/s', 'Speed of the travelling front of this equation.'],
  'front.width': ['m', 'Its width.'],
  'front.exact': [null, 'Whether the start is that front.'],
  N: ['1', 'Cells.'],
  steps: ['1', 'Steps.'],
  dt: ['s', 'Step.'],
  'finalState.V': ['m^3', 'Volume at the end.'],
  'finalState.u': [null, 'The field to go on from.'],
  'finalState.t0': ['s', 'The end.'],
  continues,
};
