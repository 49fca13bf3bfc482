import { refuse } from '../../errors/refusal.ts';

export const modes = [
  'horizon',
  'photon-sphere',
  'shadow',
  'isco',
  'deflection',
  'precession',
  'orbit',
  'frequency',
] as const;
export type Mode = (typeof modes)[number];
export const quantities = ['advance', 'periapsis', 'apoapsis'] as const;

/** What a request of `blackhole` may say; validated by the schema, in SI. */
export interface BlackholeInput {
  readonly M: number;
  readonly mode: Mode;
  readonly b?: number;
  readonly a?: number;
  readonly e?: number;
  readonly E?: number;
  readonly L?: number;
  readonly quantity?: (typeof quantities)[number];
  readonly r?: number;
  readonly spin?: number;
}

type Name = keyof BlackholeInput;

export const G = 6.6743e-11;
export const c = 299792458;
/** Farther out, in GM/c², rounding takes what there is to see. */
const FARTHEST = 1e12;
/** Of a longer orbit the semi-major axis, 4/(1 − e) at least, is farther out. */
const LONGEST = 1 - 8 / FARTHEST;

const needs: Partial<Record<Mode, readonly Name[]>> = {
  deflection: ['b'],
  precession: ['a', 'e'],
  orbit: ['E', 'L', 'quantity'],
  frequency: ['r'],
};

/** The two numbers of the mode and the quantity, as the kernel takes them. @throws Refusal for what no orbit has */
export function readProblem(input: BlackholeInput): [first: number, second: number, quantity: number] {
  checkFields(input);
  const radius = (G * input.M) / (c * c);
  switch (input.mode) {
    case 'deflection':
      return [outside(input.b!, captured(radius), radius, 'b', 'the ray is captured'), 0, 0];
    case 'frequency':
      return [outside(input.r!, 3 * radius, radius, 'r', 'there is no circular orbit'), 0, 0];
    case 'precession': {
      const [a, e] = [input.a!, input.e!];
      if (e > LONGEST)
        refuse('LIMIT_EXCEEDED', `e: an orbit of ${e} that does not plunge goes too far out.`, {
          field: 'e',
          measured: e,
          bound: LONGEST,
          accepts: `at most ${LONGEST}`,
        });
      return [outside(a, plunging(e, radius), radius, 'a', 'the orbit plunges'), e, 0];
    }
    case 'orbit':
      checkMotion(input, radius);
      return [input.E!, input.L!, quantities.indexOf(input.quantity!)];
    default:
      return [0, 0, 0];
  }
}

const captured = (radius: number) => Math.sqrt(27) * radius;
const plunging = (e: number, radius: number) => ((6 + 2 * e) / ((1 - e) * (1 + e))) * radius;

function checkFields(input: BlackholeInput): void {
  const { mode, spin } = input;
  if (spin !== undefined && spin !== 0)
    refuse('UNSUPPORTED', 'spin: only the black hole without spin is offered.', {
      field: 'spin',
      accepts: 0,
    });
  const needed = needs[mode] ?? [];
  const accepts = ['M', ...needed];
  const missing = needed.filter((name) => input[name] === undefined);
  if (missing.length)
    refuse('MISSING_INPUT', `blackhole lacks ${missing.join(' and ')} for mode ${mode}.`, {
      field: missing[0]!,
      missing,
      accepts,
    });
}

function outside(length: number, least: number, radius: number, field: string, reason: string): number {
  if (!(length > least))
    refuse('INVALID_INPUT', `${field}: within ${least} m ${reason}.`, {
      field,
      reason,
      measured: length,
      bound: least,
      accepts: `above ${least} m`,
    });
  if (!(length <= FARTHEST * radius))
    refuse('LIMIT_EXCEEDED', `${field}: ${length} m is too far out.`, {
      field,
      measured: length,
      bound: FARTHEST * radius,
      accepts: `at most ${FARTHEST} GM/c², ${FARTHEST * radius} m`,
    });
  return length;
}

/** By how much E may lie below the least for rounding alone, which is then a circular orbit. */
const ROUNDED = 1e-15;
/** Farther out, in GM/c², rounding of E may hide an eccentricity of a thousandth: e² = 2⁻⁵²p. */
export const HIDDEN = 1e-6 * 2 ** 52;

/**
 * A bound orbit lies between the circular orbits of its angular momentum, w± = (1 ± √(1 − 12/l²))/6 with
 * E² = (1 − 2w)(1 + l²w²): above the energy of the stable one, below that of the other and below 1.
 */
function checkMotion({ E: sent, L, quantity }: BlackholeInput, radius: number): void {
  const [E, l] = [sent!, L! / (radius * c)];
  if (!(l * l > 12 && l * l <= FARTHEST))
    refuse(l * l > 12 ? 'LIMIT_EXCEEDED' : 'INVALID_INPUT', `L: no bound orbit has it.`, {
      field: 'L',
      measured: l * radius * c,
      bound: (l * l > 12 ? Math.sqrt(FARTHEST) : Math.sqrt(12)) * radius * c,
      accepts: `from ${Math.sqrt(12) * radius * c} to ${Math.sqrt(FARTHEST) * radius * c} m²/s`,
    });
  const [least, most] = energies(l);
  if (!(least < most))
    refuse('INVALID_INPUT', `L: rounding leaves no energy between ${least} and ${most}.`, {
      field: 'L',
      measured: l * radius * c,
      ...innermost(radius),
    });
  if (E < least && least - E <= ROUNDED && l * l > HIDDEN && quantity !== 'advance')
    refuse(
      'INVALID_INPUT',
      `E: rounding leaves it below ${least}, the least with this L, and hides how round the orbit is.`,
      {
        field: 'E',
        reason: 'no orbit has so little energy',
        measured: E,
        accepts: `from ${least}, below ${most}`,
      },
    );
  if (!(E >= least - ROUNDED && E < most))
    refuse('INVALID_INPUT', `E: with this L an orbit is bound from ${least} to ${most}.`, {
      field: 'E',
      reason:
        E < least
          ? 'no orbit has so little energy'
          : most < 1
            ? 'the orbit plunges'
            : 'the orbit is not bound',
      measured: E,
      accepts: `from ${least}, below ${most}`,
    });
}

/** Of the orbits that an angular momentum binds: the least, and what all of them are below; that of the one that winds on. */
function energies(l: number): [least: number, most: number, winding: number] {
  const root = Math.sqrt(1 - 12 / (l * l));
  const top = (1 + root) / 6;
  const winding = Math.sqrt((1 - 2 * top) * (1 + l * l * top * top));
  return [leastEnergy(2 / (l * l) / (1 + root)), Math.min(1, winding), winding];
}

/** That of the circular orbit at w, as the first number that is no longer below it: 1 − E² = w(1 − 4w)/(1 − 3w). */
function leastEnergy(w: number): number {
  const bound = (w * (1 - 4 * w)) / (1 - 3 * w);
  let energy = 1 - bound / (1 + Math.sqrt(1 - bound));
  while ((1 - energy) * (1 + energy) >= bound) energy += 2 ** -53;
  return energy;
}

/** Nearer to an orbit that never turns back, in its own measure, an input may lack the digits; an L, by the root of it. */
const NEAR = 1e-8;

/** The least angular momentum whose orbits are held, and they. */
function innermost(radius: number): { readonly accepts: string } {
  const l = Math.sqrt(12) * (1 + Math.sqrt(NEAR));
  const [lowest, highest] = energies(l);
  return {
    accepts: `from ${l * radius * c} m²/s, at which E is from ${lowest} to ${highest * (1 - NEAR)}`,
  };
}

/** Of an input that no gate holds because it lies there: what would be held. */
export function nearest(input: BlackholeInput): Record<string, unknown> {
  const { mode } = input;
  const radius = (G * input.M) / (c * c);
  const reason = 'so near to an orbit that winds on for ever its digits do not tell the angle';
  if (mode === 'deflection' || mode === 'precession') {
    const [field, length, bound] =
      mode === 'deflection' ? ['b', input.b!, captured(radius)] : ['a', input.a!, plunging(input.e!, radius)];
    const least = bound * (1 + NEAR);
    return length < least ? { field, reason, accepts: `from ${least} m` } : {};
  }
  if (mode !== 'orbit') return {};
  const [least, most, winding] = energies(input.L! / (radius * c));
  if (input.E! < winding * (1 - NEAR)) return {};
  const below = most * (1 - NEAR);
  if (!(below > least)) return { field: 'L', reason, ...innermost(radius) };
  return input.E! > below ? { field: 'E', reason, accepts: `from ${least} to ${below}` } : {};
}
