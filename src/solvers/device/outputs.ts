import { grids, type Outputs } from '../outputs.ts';
import type { DeviceInput } from './schema.ts';

export const outputs: Outputs<DeviceInput> = {
  Vbi: ['V', 'Built-in voltage.'],
  Emax: ['V/m', 'Largest field.', ({ quantity }) => quantity !== 'Emax'],
  EmaxAt: ['m', 'Where it is.', 'unsealed'],
  EmaxEquilibrium: ['V/m', 'Largest field without a bias.', 'unsealed'],
  J: ['A/m^2', 'Current density at the last bias; null without one.', ({ quantity }) => quantity !== 'J'],
  exactField: ['V/m', 'Closed form of the largest field, where there is one.'],
  ohm: ['A/m^2', 'Current density by Ohm’s law, where it holds.'],
  spreadOfJ: ['1', 'What the current differs by along the device, over its size.'],
  recombined: ['A/m^2', 'Current that recombines in the device.', 'unsealed'],
  ...grids,
  debyeLength: ['m', 'Debye length at the contact that is doped the more.'],
  'depletionApproximation.W': ['m', 'Depletion width by the depletion approximation.'],
  'depletionApproximation.Emax': ['V/m', 'Largest field by the depletion approximation.'],
  saturationCurrent: ['A/m^2', 'Saturation current by Shockley’s formula.'],
  gauss: ['1', 'What Gauss’ law is off by, over the charge.'],
  iterations: ['1', 'Steps of Newton’s method.'],
  update: ['1', 'Last of them, in thermal voltages.'],
  gradientIterations: ['1', 'Steps of conjugate gradients.'],
  N: ['1', 'Cells.'],
};
