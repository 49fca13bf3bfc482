import type { Outputs } from '../outputs.ts';
import { outputsOfMasterEquation } from '../solve/outputs.ts';

const state = (path: string): Outputs => ({
  [`${path}.position`]: ['m', 'Position of every body at the end.'],
  [`${path}.velocity`]: ['m/s', 'Velocity of every body at the end.'],
});

/** Without positions an answer shows what `solve` does. */
export const outputs: Outputs = {
  ...outputsOfMasterEquation,
  energyDriftPct: ['%', 'Largest change of the energy, every step; null without positions.'],
  energyDriftBoundPct: ['%', 'The most that is sealed.'],
  conservative: [null, 'True with positions.'],
  conservationChecked: [null, 'True with positions.'],
  momentumDrift: ['1', 'Largest change of the momentum over Σ m |v|.'],
  angularMomentumDrift: ['1', 'Largest change of the angular momentum over Σ m |r| |v|.'],
  initialEnergy: ['J', 'Energy at the start.', 'unsealed'],
  kineticEnergy: ['J', 'Kinetic energy at the end.', 'unsealed'],
  potentialEnergy: ['J', 'Potential energy at the end.', 'unsealed'],
  steps: ['1', 'Steps.'],
  finalStateSealed: [null, 'Whether an exact orbit or a finer run confirms the positions.'],
  positionError: [
    '1',
    'Largest error of a position over the separation, or over the farthest body’s distance from the centre of mass.',
  ],
  velocityError: [
    '1',
    'Largest error of a velocity over the relative speed, or over the fastest body’s speed about the centre of mass.',
  ],
  treeForceError: ['1', 'Error of the forces of the tree, rms over rms.'],
  ...state('finalState'),
  ...state('unsealedFields.finalState'),
};
