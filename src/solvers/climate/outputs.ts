import { continues, type Outputs } from '../outputs.ts';

export const outputs: Outputs = {
  temperature: ['K', 'Temperature of the surface, anomaly of the upper layer, or at the probe.'],
  equilibrium: ['K', 'What it settles to, where it does.'],
  effectiveTemperature: ['K', 'Temperature that space sees.'],
  forcing: ['W/m^2', 'Radiative forcing.'],
  meanTemperature: ['K', 'Mean over the globe.'],
  iceLatitude: ['deg', 'Latitude of the edge of the ice.'],
  iceEdge: ['1', 'Sine of that latitude.'],
  stabilityMargin: ['1', '1 − κG: how stable the edge is; above 0 it is.', 'unsealed'],
  'states.iceLatitude': ['deg', 'Latitude of the edge of every state that the same sun allows.', 'unsealed'],
  'states.stable': [null, 'Whether that state is stable.'],
  outgoing: ['W/m^2', 'Radiation that leaves, in the mean.'],
  absorbed: ['W/m^2', 'Sunlight that is absorbed, in the mean.'],
  steps: ['1', 'Steps.'],
  dt: ['s', 'Step.'],
  finalState: ['K', 'State at the end, to go on from.'],
  'finalState.t0': ['s', 'The end.'],
  continues,
};
