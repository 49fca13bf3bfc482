import { continues, type Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  attack: ['1', 'All who fall ill, in the end.'],
  susceptibleLeft: ['1', 'Those who never do.'],
  peak: ['1', 'Most infectious at one time.'],
  peakTime: ['s', 'When that is, by the clock of t0.'],
  R0: ['1', 'Basic reproduction number.'],
  herdImmunity: ['1', 'Share that must be immune for no outbreak.'],
  finalState: ['1', 'State at the end, to go on from.'],
  'finalState.t0': ['s', 'The end.'],
  recovered: ['1', 'Recovered at the end.'],
  end: ['s', 'The end.'],
  steps: ['1', 'Steps.'],
  dt: ['s', 'Step.'],
  continues,
};
