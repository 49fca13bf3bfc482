import { unitOver } from '../../units/format.ts';
import { continues, type Outputs } from '../outputs.ts';
import { isOwn, type SolveInput } from './problem.ts';
import { readOwnSystem } from './system.ts';

/** Of an integral gates hold the value, its series, and every component of an own system. */
const byRk4 = (_: unknown, { method }: Readonly<Record<string, unknown>>): boolean => method === 'RK4';
const overTime = (_: unknown, unit: string | null) => unit && unitOver(unit, 's');

export const outputsOfMasterEquation: Outputs = {
  conservative: [null, 'Whether the equation keeps its energy.'],
  iterations: ['1', 'Times that the step was halved.'],
  tuneStatus: [null, 'converged, or timeout where maxIterations came first.'],
  method: [null, 'The closed form that gave the value, or RK4.'],
  note: [null, 'Where the value is of the integral: why.'],
  rk4: ['value', 'The value by the integral alone.'],
  steps: ['1', 'Steps of the finest run.'],
  continues,
  v: ['m/s', 'Velocity at the end.', byRk4],
  rate: [overTime, 'ẏ at the end.', byRk4],
  energy: ['J', 'Energy at the end.', 'unsealed'],
  energyUnit: [null, 'Its unit.'],
  energyDriftPct: ['%', 'Largest change of the energy.'],
  period: ['s', 'Period of the motion, where it has one.'],
  'pulseMean.value': ['value', 'Mean over a pulse.'],
  'pulseMean.seconds': ['s', 'Length of the pulse.'],
};

export const outputs: Outputs<SolveInput> = {
  ...outputsOfMasterEquation,
  components: [null, 'Every component of an own system at the end, with its unit.'],
  'conserved.start': [
    (input) => (isOwn(input) ? readOwnSystem(input).conservedUnit : null),
    'What the request says is conserved, at the start.',
  ],
  'conserved.relativeDrift': ['1', 'Its largest change over its size.'],
};
