import { continues, type Output, type Outputs } from '../outputs.ts';
import { readProblem } from './problem.ts';
import type { SchrodingerInput } from './schema.ts';

/** Reduced units are pure numbers. */
export const unitsOf = ({ units }: Pick<SchrodingerInput, 'units'>) =>
  units === 'reduced' ? { metre: '1', second: '1', energy: '1' } : { metre: 'm', second: 's', energy: 'eV' };

type Held = Output<SchrodingerInput>[2];
const energy = (meaning: string, held?: Held): Output<SchrodingerInput> => [
  (input) => unitsOf(input).energy,
  meaning,
  held,
];
const length = (meaning: string, held?: Held): Output<SchrodingerInput> => [
  (input) => unitsOf(input).metre,
  meaning,
  held,
];
const time = (meaning: string): Output<SchrodingerInput> => [(input) => unitsOf(input).second, meaning];

/** Of a ψ with ∫|ψ|² = 1 over so many dimensions. */
export const waveUnit = (input: Pick<SchrodingerInput, 'units'>, dimensions: number): string =>
  input.units === 'reduced' ? '1' : dimensions === 1 ? 'm^-1/2' : '1/m';

const wave = (meaning: string): Output<SchrodingerInput> => [
  (input) => waveUnit(input, readProblem(input).dimensions),
  meaning,
  'unsealed',
];

export const outputs: Outputs<SchrodingerInput> = {
  joules: ['J', 'The value in J.'],
  E: energy('The level.'),
  levelBelow: energy('The next lower level, where there is one.', 'unsealed'),
  levelAbove: energy('The next higher level.', 'unsealed'),
  levels: energy('All levels up to this one.', 'unsealed'),
  numerov: energy('The level by Numerov’s method alone.'),
  dvr: energy('The level by a discrete variable representation, where it was taken.'),
  nodes: ['1', 'Zeros of ψ inside, where it is more than rounding.'],
  kinetic: energy('Mean kinetic energy.', 'unsealed'),
  potential: energy('Mean potential energy.', 'unsealed'),
  N: ['1', 'Intervals of the grid.'],
  norm: ['1', '∫|ψ|² at the end.'],
  mean: length('Mean of x at the end.', 'unsealed'),
  width: length('Standard deviation of x at the end.', 'unsealed'),
  energy: energy('Mean energy at the end.', 'unsealed'),
  energyDriftPct: ['%', 'Largest change of the mean energy.'],
  steps: ['1', 'Steps.'],
  dt: time('Step.'),
  continues,
  'finalState.psiRe': wave('Real part of ψ at the end.'),
  'finalState.psiIm': wave('Imaginary part of ψ at the end.'),
  'finalState.t0': time('The end.'),
  transmission: ['1', 'Share that passes.'],
  reflection: ['1', 'Share that comes back.', 'unsealed'],
};
