import { continues, grids, type Output, type Outputs } from '../outputs.ts';
import type { WaveInput } from './schema.ts';

/** Amplitudes of the two equations. */
const amplitude = (meaning: string): Output<WaveInput> => [
  ({ mode }) => (mode === 'maxwell' ? 'V/m' : 'm'),
  meaning,
  'unsealed',
];

/** ½∫(ρ u_t² + K |∇u|²) over the box, where ρ and K are relative to the first medium's. */
const energy: Output<WaveInput> = [
  ({ mode, dim }) => {
    if (mode === 'maxwell') return dim === 1 ? 'V^2/(m*s^2)' : 'V^2/s^2';
    return dim === 1 ? 'm^3/s^2' : 'm^4/s^2';
  },
  'The energy ½∫(u_t² + c²|∇u|²) of the equation at start and end, what came in, the source’s work and the loss, on the grid.',
  'unsealed',
];

export const outputs: Outputs<WaveInput> = {
  probe: ['m', 'Where the series is taken.'],
  onGrid: ['value', 'The value on the finest grid.'],
  atProbe: amplitude('The field at the probe at the end.'),
  closedForm: ['value', 'The closed form that the answer is held against, and what it gives.'],
  ...grids,
  thickerLayers: ['value', 'The value with absorbing layers twice as thick, where it was asked for.'],
  strongestFrequency: ['Hz', 'Largest line of the spectrum at the probe.', 'unsealed'],
  reflectance: ['1', 'Share of the power that comes back.', ({ quantity }) => quantity !== 'reflectance'],
  transmittance: ['1', 'Share of the power that passes.', ({ quantity }) => quantity !== 'transmittance'],
  modes: ['1', 'Half waves of the start.'],
  energy,
  'energy.balanceError': ['1', 'What the balance is off by, over the largest of them.'],
  courant: ['1', 'Courant number.'],
  largest: amplitude(
    'Largest size of the field on the nodes at the start, at every 64th step and at the end.',
  ),
  steps: ['1', 'Steps.'],
  dt: ['s', 'Step.'],
  finalState: ['s', 'Fields to go on from, and the end.'],
  continues,
};
