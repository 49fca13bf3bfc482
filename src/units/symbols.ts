import { customary } from './customary.ts';
import { type Dimension, dimension, dimensionless } from './dimension.ts';
import { decimal, type Fraction, fraction, multiply, one, pi } from './fraction.ts';

/** What a unit symbol stands for: `scale` base units, shifted by `offset` where it is a point on a scale. */
export interface UnitSymbol {
  readonly scale: Fraction;
  readonly dimension: Dimension;
  readonly prefixes: boolean;
  /** In the base unit; such a unit stands alone. */
  readonly offset?: Fraction;
  /** A difference on a scale that has points; in a product it is like any other unit. */
  readonly isDifference?: true;
  /** What it counts, of the units whose dimension does not say it. */
  readonly counts?: Counted;
}

/**
 * What the SI calls 1 and a second alone does not tell: 1 Hz is a cycle, 1 rad/s an angle, 1 Bq a decay. A turn is a cycle
 * where cycles are asked for and 2π rad where angles are.
 */
export const counted = ['angle', 'cycle', 'decay', 'turn'] as const;
export type Counted = (typeof counted)[number];

const second = dimension({ s: 1 });
const length = dimension({ m: 1 });
const mass = dimension({ kg: 1 });
const energy = dimension({ kg: 1, m: 2, s: -2 });
const power = dimension({ kg: 1, m: 2, s: -3 });
const pressure = dimension({ kg: 1, m: -1, s: -2 });
const dose = dimension({ m: 2, s: -2 });
const kelvin = dimension({ K: 1 });

const si = (symbolDimension: Dimension, scale: Fraction = one): UnitSymbol => ({
  scale,
  dimension: symbolDimension,
  prefixes: true,
});
const rate = (counts: Counted): UnitSymbol => ({ ...si(dimension({ s: -1 })), counts });
const angle = (scale: Fraction): UnitSymbol => ({ ...plain(dimensionless, scale), counts: 'angle' });
const plain = (symbolDimension: Dimension, scale: Fraction): UnitSymbol => ({
  scale,
  dimension: symbolDimension,
  prefixes: false,
});
const turn: UnitSymbol = { ...plain(dimensionless, one), counts: 'turn' };

/**
 * SI Brochure (9th edition) tables 2, 4 and 8 with the units of the request conventions. Measured units are those of
 * CODATA 2022 (u, E_h) and of the conventions (M_sun); month is yr/12, yr 365.25 d.
 */
export const symbols: ReadonlyMap<string, UnitSymbol> = new Map([
  ['1', plain(dimensionless, one)],
  ['m', si(length)],
  ['g', si(mass, fraction(1n, 1000n))],
  ['s', si(second)],
  ['A', si(dimension({ A: 1 }))],
  ['K', si(kelvin)],
  ['mol', si(dimension({ mol: 1 }))],
  ['cd', si(dimension({ cd: 1 }))],
  ['rad', { ...si(dimensionless), counts: 'angle' }],
  ['sr', si(dimensionless)],
  ['Hz', rate('cycle')],
  ['N', si(dimension({ kg: 1, m: 1, s: -2 }))],
  ['Pa', si(pressure)],
  ['J', si(energy)],
  ['W', si(power)],
  ['VA', si(power)],
  ['var', si(power)],
  ['VAr', si(power)],
  ['VAR', si(power)],
  ['Wh', si(energy, fraction(3600n))],
  ['Ah', si(dimension({ A: 1, s: 1 }), fraction(3600n))],
  ['C', si(dimension({ A: 1, s: 1 }))],
  ['V', si(dimension({ kg: 1, m: 2, s: -3, A: -1 }))],
  ['F', si(dimension({ kg: -1, m: -2, s: 4, A: 2 }))],
  ['ohm', si(dimension({ kg: 1, m: 2, s: -3, A: -2 }))],
  ['Ohm', si(dimension({ kg: 1, m: 2, s: -3, A: -2 }))],
  ['Ω', si(dimension({ kg: 1, m: 2, s: -3, A: -2 }))],
  ['S', si(dimension({ kg: -1, m: -2, s: 3, A: 2 }))],
  ['Wb', si(dimension({ kg: 1, m: 2, s: -2, A: -1 }))],
  ['T', si(dimension({ kg: 1, s: -2, A: -1 }))],
  ['H', si(dimension({ kg: 1, m: 2, s: -2, A: -2 }))],
  ['lm', si(dimension({ cd: 1 }))],
  ['lx', si(dimension({ cd: 1, m: -2 }))],
  ['rev', turn],
  ['r', turn],
  ['cycle', { ...plain(dimensionless, one), counts: 'cycle' }],
  ['cycles', { ...plain(dimensionless, one), counts: 'cycle' }],
  ['rpm', { ...plain(dimension({ s: -1 }), fraction(1n, 60n)), counts: 'turn' }],
  ['rps', { ...plain(dimension({ s: -1 }), one), counts: 'turn' }],
  ['Bq', rate('decay')],
  ['Ci', { ...rate('decay'), scale: fraction(37n * 10n ** 9n) }],
  ['Gy', si(dose)],
  ['Sv', si(dose)],
  ['kat', si(dimension({ mol: 1, s: -1 }))],
  ['L', si(dimension({ m: 3 }), fraction(1n, 1000n))],
  ['l', si(dimension({ m: 3 }), fraction(1n, 1000n))],
  ['t', si(mass, fraction(1000n))],
  ['bar', si(pressure, fraction(100000n))],
  ['atm', plain(pressure, fraction(101325n))],
  ['eV', si(energy, decimal('1.602176634e-19'))],
  ['e', plain(dimension({ A: 1, s: 1 }), decimal('1.602176634e-19'))],
  ['cal', si(energy, decimal('4.184'))],
  ['u', plain(mass, decimal('1.66053906892e-27'))],
  ['Da', si(mass, decimal('1.66053906892e-27'))],
  ['E_h', plain(energy, decimal('4.3597447222060e-18'))],
  ['c', plain(dimension({ m: 1, s: -1 }), fraction(299792458n))],
  ['M_sun', plain(mass, decimal('1.98841e30'))],
  ['au', plain(length, fraction(149597870700n))],
  ['AU', plain(length, fraction(149597870700n))],
  ['ly', plain(length, fraction(9460730472580800n))],
  ['pc', si(length, multiply(fraction(149597870700n * 648000n), { n: pi.d, d: pi.n }))],
  ['Angstrom', plain(length, fraction(1n, 10n ** 10n))],
  ['Å', plain(length, fraction(1n, 10n ** 10n))],
  ['sec', plain(second, one)],
  ['min', plain(second, fraction(60n))],
  ['h', plain(second, fraction(3600n))],
  ['hr', plain(second, fraction(3600n))],
  ['hours', plain(second, fraction(3600n))],
  ['d', plain(second, fraction(86400n))],
  ['day', plain(second, fraction(86400n))],
  ['days', plain(second, fraction(86400n))],
  ['week', plain(second, fraction(604800n))],
  ['weeks', plain(second, fraction(604800n))],
  ['wk', plain(second, fraction(604800n))],
  ['month', plain(second, fraction(2629800n))],
  ['months', plain(second, fraction(2629800n))],
  ['yr', si(second, fraction(31557600n))],
  ['year', plain(second, fraction(31557600n))],
  ['years', plain(second, fraction(31557600n))],
  ['deg', angle(multiply(pi, fraction(1n, 180n)))],
  ['°', angle(multiply(pi, fraction(1n, 180n)))],
  ['gon', angle(multiply(pi, fraction(1n, 200n)))],
  ['arcmin', angle(multiply(pi, fraction(1n, 10800n)))],
  ['arcsec', angle(multiply(pi, fraction(1n, 648000n)))],
  ['degC', { ...plain(kelvin, one), offset: fraction(27315n, 100n) }],
  ['°C', { ...plain(kelvin, one), offset: fraction(27315n, 100n) }],
  ['degF', { ...plain(kelvin, fraction(5n, 9n)), offset: fraction(45967n * 5n, 900n) }],
  ['°F', { ...plain(kelvin, fraction(5n, 9n)), offset: fraction(45967n * 5n, 900n) }],
  ['delta_degC', { ...plain(kelvin, one), isDifference: true }],
  ['delta_degF', { ...plain(kelvin, fraction(5n, 9n)), isDifference: true }],
  ['ppm', plain(dimensionless, fraction(1n, 10n ** 6n))],
  ['ppb', plain(dimensionless, fraction(1n, 10n ** 9n))],
  ['‰', plain(dimensionless, fraction(1n, 1000n))],
  ['%', plain(dimensionless, fraction(1n, 100n))],
  ['pu', plain(dimensionless, one)],
  ['currency', plain(dimension({ currency: 1 }), one)],
  ['dB', plain(dimension({ dB: 1 }), one)],
  ...Object.entries(customary).map(([name, [scale, symbolDimension, prefixes]]): [string, UnitSymbol] => [
    name,
    { scale, dimension: symbolDimension, prefixes: prefixes !== undefined },
  ]),
]);

/** SI prefixes with their powers of ten; `u` stands for µ before a unit. */
export const prefixes: ReadonlyMap<string, number> = new Map([
  ['da', 1],
  ['Q', 30],
  ['R', 27],
  ['Y', 24],
  ['Z', 21],
  ['E', 18],
  ['P', 15],
  ['T', 12],
  ['G', 9],
  ['M', 6],
  ['k', 3],
  ['h', 2],
  ['d', -1],
  ['c', -2],
  ['m', -3],
  ['u', -6],
  ['µ', -6],
  ['μ', -6],
  ['n', -9],
  ['p', -12],
  ['f', -15],
  ['a', -18],
  ['z', -21],
  ['y', -24],
  ['r', -27],
  ['q', -30],
]);
