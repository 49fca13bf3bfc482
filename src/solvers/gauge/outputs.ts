import { continues, type Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  SE: ['1', 'Standard error of the value.'],
  tauInt: ['1', 'Integrated autocorrelation time, in sweeps.', 'unsealed'],
  tauIntUnit: [null, 'Its unit.'],
  sweeps: ['1', 'Sweeps of all chains that were measured.'],
  chains: ['1', 'Chains.'],
  continues,
  observable: [null, 'What the value is.'],
  plaquette: ['1', 'Mean plaquette and its standard error.'],
  starts: ['1', 'The value of the chains from a cold and from a hot start.'],
  topologicalCharge: [
    '1',
    'Mean charge, susceptibility, how many were taken, share of flux moves that were accepted; U(1).',
    'unsealed',
  ],
};
