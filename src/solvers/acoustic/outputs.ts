import type { Output, Outputs } from '../outputs.ts';
import type { AcousticInput } from './schema.ts';

/** Power times 2ωρ: per area of a duct or piston, per depth of a cavity, for an incident wave of 1 in a transmission. */
const power: Output<AcousticInput> = [
  ({ analysis, domain }) =>
    analysis === 'transmission' ? '1/m' : domain.type === 'mask' ? 'Pa^2' : 'Pa^2/m',
  'Power that comes in, goes out and is lost, times 2ωρ and per area or depth.',
  // Three meshes bound p at the probe; the three powers may be off together.
  ({ domain }) => domain.type === 'mask',
];

export const outputs: Outputs<AcousticInput> = {
  c: ['m/s', 'Speed of sound.'],
  mode: ['1', 'Numbers of the mode along each axis.'],
  frequencies: ['Hz', 'The lowest natural frequencies.'],
  decayRates: ['1/s', 'Rate at which each dies away.'],
  Q: ['1', 'Quality of each.'],
  reverberationTimes: ['s', 'Time in which each falls by 60 dB.'],
  'counted.frequency': ['Hz', 'Up to here no mode was missed.', 'unsealed'],
  'counted.decayRate': ['1/s', 'And up to this rate.', 'unsealed'],
  p: ['Pa', 'Pressure at the probe as a complex number.'],
  power,
  N: ['1', 'Cells.'],
};
