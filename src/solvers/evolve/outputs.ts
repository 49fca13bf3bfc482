import { continues, type Output, type Outputs } from '../outputs.ts';
import type { EvolveInput } from './problem.ts';

/** Reduced units are pure numbers. */
export const unitOf = ({ units }: EvolveInput, unit: string) => (units === 'lj' ? '1' : unit);

const of = (unit: string, meaning: string, held?: Output[2]): Output<EvolveInput> => [
  (input) => unitOf(input, unit),
  meaning,
  held,
];
const state = (path: string): Outputs<EvolveInput> => ({
  [`${path}.position`]: of('m', 'Position of every atom at the end.'),
  [`${path}.velocity`]: of('m/s', 'Velocity of every atom at the end.'),
  [`${path}.t0`]: of('s', 'The end.'),
});

export const outputs: Outputs<EvolveInput> = {
  energyDriftPct: ['%', 'Largest change of the energy, every step.'],
  energyDriftBoundPct: ['%', 'The most that is sealed.'],
  conservative: [null, 'Always true.'],
  momentumDrift: ['1', 'Largest change of the momentum over Σ m |v|.'],
  initialEnergy: of('J', 'Energy at the start.', 'unsealed'),
  kineticEnergy: of('J', 'Kinetic energy at the end.', 'unsealed'),
  potentialEnergy: of('J', 'Potential energy at the end.', 'unsealed'),
  temperature: of('K', '2K/(3(N − 1)k_B) at the end.', 'unsealed'),
  virial: of('J', 'Σ r·F over all pairs at the end.', 'unsealed'),
  pressure: of('Pa', 'Pressure at the end; null in an open box.', 'unsealed'),
  volume: of('m^3', 'Volume of the box; null in an open one.'),
  longRangeEnergy: of(
    'J',
    'What pairs beyond r_c would add if they were spread evenly, not in the value; null unless truncated in a periodic box.',
  ),
  atoms: ['1', 'Number of atoms.'],
  steps: ['1', 'Steps.'],
  continues,
  finalStateSealed: [null, 'Whether half the step gives the same positions, velocities and kinetic energy.'],
  positionError: ['1', 'Largest error of a coordinate, by the run of half the step, in σ.'],
  ...state('finalState'),
  ...state('unsealedFields.finalState'),
};
