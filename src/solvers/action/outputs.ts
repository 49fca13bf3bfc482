import { continues, type Output, type Outputs } from '../outputs.ts';
import type { ActionInput } from './schema.ts';

/** Hénon and Heiles' potential has units of its own; a pendulum's coordinate is an angle. */
const of = (
  unit: string,
  meaning: string,
  ofAngle = unit,
  held?: Output<ActionInput>[2],
): Output<ActionInput> => [
  ({ system }) => (system === 'henon-heiles' ? '1' : system === 'pendulum' ? ofAngle : unit),
  meaning,
  held,
];

export const outputs: Outputs<ActionInput> = {
  S: of(
    'J*s',
    'Action ∫L dt over the run.',
    undefined,
    ({ quantity }) => (quantity ?? 'action') !== 'action',
  ),
  J: of('J*s', 'Action ∮p dq of a period; null where the motion did not turn twice.'),
  period: of('s', 'Period found between turns.'),
  exactJ: of('J*s', 'Closed form of J, where there is one.'),
  exactPeriod: of('s', 'Closed form of the period, where there is one.'),
  turns: ['1', 'Turns of the first coordinate.'],
  energyDriftPct: [
    '%',
    'Largest change of the energy: of the scheme, of RK4 with its step, of RK4 with as many forces.',
  ],
  energy: of('J', 'Energy at the end.'),
  pathIntegral: of('J*s', '∫p dq over the run.', undefined, 'unsealed'),
  steps: ['1', 'Steps.'],
  dt: of('s', 'Step.'),
  'finalState.q': of('m', 'Coordinates at the end.', 'rad'),
  'finalState.p': of('kg*m/s', 'Momenta at the end.', 'kg*m^2/s'),
  'finalState.t0': of('s', 'The end.'),
  continues,
};
