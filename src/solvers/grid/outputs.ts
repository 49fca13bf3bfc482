import type { Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  'losses.P': ['MW', 'Real power that the branches take.'],
  'losses.Q': ['MVAr', 'Reactive power that they take.'],
  'slack.P': ['MW', 'Real power of the slack bus.'],
  'slack.Q': ['MVAr', 'Reactive power of the slack bus.'],
  'load.P': ['MW', 'Real power of all loads.'],
  'load.Q': ['MVAr', 'Reactive power of all loads.'],
  'lowestVoltage.bus': ['1', 'Number of the bus of the lowest voltage.'],
  'lowestVoltage.V': ['pu', 'Its voltage.'],
  iterations: ['1', 'Steps of Newton’s method.'],
  mismatch: ['pu', 'Largest power that is left at a bus.'],
  busesAtLimit: ['1', 'Generators held at a limit of Q; with enforceQ.'],
  rounds: ['1', 'Times that limits were set anew; with enforceQ.'],
};
