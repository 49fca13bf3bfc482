import { type Static, type TSchema, Type } from 'typebox';
import { type EarlierSteps, FROM_ITS_START, jobToContinue, WHOLE_STEPS } from '../continuation.ts';
import { choice, integer, numbers, optional, quantity, record, unitBy, usedWith } from '../input.ts';

export const systems = [
  'harmonic',
  'pendulum',
  'quartic',
  'double-well',
  'kepler2d',
  'henon-heiles',
  'fput',
] as const;
export type System = (typeof systems)[number];

export const integrators = ['pefrl', 'leapfrog', 'yoshida6'] as const;
export const quantities = ['action', 'actionVariable', 'period'] as const;

export const MAX_MASSES = 65536;

const positive = (unit: string, description: string) =>
  optional(quantity(unit, description, { exclusiveMinimum: 0 }));
/** Of a coordinate and of its momentum. Hénon and Heiles's numbers are reduced. */
const coordinate = <T extends TSchema>(field: (unit: string) => T): T =>
  unitBy('system', { pendulum: 'rad', 'henon-heiles': '1' }, field('m or rad'));
const impulse = <T extends TSchema>(field: (unit: string) => T): T =>
  unitBy('system', { pendulum: 'kg*m^2/s', 'henon-heiles': '1' }, field('kg*m/s or kg*m^2/s'));
const time = <T extends TSchema>(field: (unit: string) => T): T =>
  unitBy('system', { 'henon-heiles': '1' }, field('s or 1'));
const oneOrMore = (description: string) => (unit: string) =>
  Type.Union([quantity(unit, description), numbers(unit, description, { minItems: 1 })], { description });
const list = (description: string) => (unit: string) => numbers(unit, description);

export const schema = record({
  system: choice(systems, 'The Hamiltonian.'),
  ...usedWith(
    { system: ['harmonic', 'pendulum', 'quartic', 'double-well', 'kepler2d', 'fput'] },
    {
      m: positive('kg', 'Mass.'),
    },
  ),
  ...usedWith(
    { system: ['harmonic', 'fput'] },
    {
      k: positive('N/m', 'Stiffness.'),
    },
  ),
  ...usedWith(
    { system: ['pendulum'] },
    {
      L: positive('m', 'Length.'),
      g: positive('m/s^2', 'Gravity, V = mgL(1 − cos q).'),
    },
  ),
  ...usedWith(
    { system: ['quartic', 'henon-heiles'] },
    {
      lambda: optional(
        unitBy(
          'system',
          { 'henon-heiles': '1' },
          quantity('J/m^4 or 1', 'Coupling; of quartic V = λq⁴/4, above 0; of henon-heiles reduced.'),
        ),
      ),
    },
  ),
  ...usedWith(
    { system: ['double-well'] },
    {
      a: positive('J/m^2', 'V = −aq²/2 + bq⁴/4.'),
      b: positive('J/m^4', 'Coefficient of q⁴/4.'),
    },
  ),
  ...usedWith(
    { system: ['kepler2d'] },
    {
      mu: positive('m^3/s^2', 'V = −mμ/r.'),
    },
  ),
  ...usedWith(
    { system: ['fput'] },
    {
      alpha: optional(quantity('N/m^2', 'Cubic coefficient, V = Σ(kΔ²/2 + αΔ³/3).')),
      n: optional(integer('Moving masses between fixed ends.', { minimum: 2, maximum: MAX_MASSES })),
    },
  ),
  q0: optional(
    coordinate(
      oneOrMore(
        'Coordinates at the start, one for each degree of freedom; of pendulum in rad, of henon-heiles reduced; with p0.',
      ),
    ),
  ),
  p0: optional(impulse(oneOrMore('Momenta at the start; of pendulum in kg m²/s; with q0.'))),
  dt: time((unit) => quantity(unit, 'Largest step; ω·dt < 2.', { exclusiveMinimum: 0 })),
  t_max: time((unit) => quantity(unit, 'Length of the run.', { exclusiveMinimum: 0 })),
  integrator: optional(choice(integrators, 'Symplectic scheme; absent: pefrl. Runge–Kutta 4 runs beside.')),
  quantity: optional(choice(quantities, 'What the value is: S, J = ∮p dq or the period; absent: action.')),
  initialState: optional(
    record(
      {
        q: optional(coordinate(list('Coordinates.'))),
        p: optional(impulse(list('Momenta.'))),
        t0: optional(time((unit) => quantity(unit, 'Time of the start.'))),
        continue: jobToContinue('t_max', FROM_ITS_START, WHOLE_STEPS),
      },
      { description: 'The start, instead of q0 and p0.' },
    ),
  ),
});

/** What a request of `action` may say; validated by the schema, in SI. */
export type ActionInput = Static<typeof schema> & { readonly before?: Before };

/** Where a continued job goes on: assembly/kernels/action.ts. */
export type Before = EarlierSteps;
