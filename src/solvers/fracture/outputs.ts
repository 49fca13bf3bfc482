import { continues, grids, type Output, type Outputs } from '../outputs.ts';
import type { FractureInput } from './schema.ts';

/** A bar's energies are per cross section, a plate's per thickness. */
const energy = (meaning: string): Output<FractureInput> => [
  ({ mode }) => (mode === 'bar' ? 'J/m^2' : 'J/m'),
  meaning,
  'unsealed',
];

export const outputs: Outputs<FractureInput> = {
  strength: ['Pa', 'Closed form of the largest stress of a bar.'],
  strengthStrain: ['1', 'Closed form of the strain there.'],
  peakStrain: ['1', 'Strain at the largest stress.', 'unsealed'],
  peakPassed: [null, 'Whether the stress has fallen since.'],
  stress: ['Pa', 'Stress at the end.', 'unsealed'],
  crackLength: ['m', 'Length of the crack at the end.', 'unsealed'],
  pathDeviation: ['1', 'Largest distance of its path from where it should run, over the height.', 'unsealed'],
  peakForce: ['N/m', 'Largest force per thickness.', 'unsealed'],
  peakDisplacement: ['m', 'Displacement there.', 'unsealed'],
  peakLoadError: ['N/m', 'Error that the load steps leave in the largest force.'],
  displacement: ['m', 'Displacement at the end.'],
  force: ['N/m', 'Force per thickness at the end.', 'unsealed'],
  tipX: ['m', 'Where the crack ends, along x.', 'unsealed'],
  discreteBias: ['1', 'How much more than G_c a crack costs on this grid.'],
  energies: energy(
    'Elastic and surface energy at the end, the work done, and the largest excess of energy over work.',
  ),
  'energies.largestExcess': ['1', 'Largest excess of energy over work, over the work.'],
  stable: energy('Over the stable steps the work, and the energy gained.'),
  'stable.unstableSteps': ['1', 'Steps at which the crack ran.'],
  profile: ['1', 'Energy of the crack’s profile over G_c, and its closed form.'],
  iterations: ['1', 'Turns between displacement and damage: of all steps, most in one.'],
  damageMove: ['1', 'Largest change of the damage that would still lower the energy.'],
  mirrored: [null, 'Whether half of the plate was computed.'],
  steps: ['1', 'Load steps.'],
  N: ['1', 'Cells.'],
  ...grids,
  'finalState.step': ['1', 'The last load step, to go on from; with the fields.'],
  finalState: [null, 'Fields to go on from.'],
  continues,
};
