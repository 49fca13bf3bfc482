import { refuse } from '../../errors/refusal.ts';
import type { System } from './schema.ts';

type Numbers = readonly number[];
interface Rate {
  /** Fastest frequency √(V″/m) that the motion may meet [1/s]. */
  readonly rate: number;
  /** The field that is to blame where there is none. */
  readonly field: string;
}

/** Refuses starts that have no bounded or no regular motion. @throws Refusal INVALID_INPUT */
export function fastestRate(system: System, m: number, [a, b]: Numbers, q: Numbers, p: Numbers): Rate {
  const rates: Record<System, () => number> = {
    harmonic: () => Math.sqrt(a! / m),
    pendulum: () => Math.sqrt(a! / b!),
    quartic: () => Math.sqrt((3 * a! * Math.sqrt(quarticEdge(m, a!, q[0]!, p[0]!))) / m),
    'double-well': () => Math.sqrt(wellCurvature(m, a!, b!, q[0]!, p[0]!) / m),
    kepler2d: () => keplerRate(m, a!, q, p),
    'henon-heiles': () => henonRate(a!, q, p),
    fput: () => 2 * Math.sqrt(a! / m),
  };
  return { rate: rates[system](), field: 'p0' };
}

/** A⁴ of the outer turning point. */
const quarticEdge = (m: number, lambda: number, q: number, p: number) =>
  (2 * p * p) / (m * lambda) + q * q * q * q;

/** max |V″| between the turning points: at the outer one, 3bA² − a with bA² = a + D, or a at the barrier. */
function wellCurvature(m: number, a: number, b: number, q: number, p: number): number {
  const slope = a - b * q * q;
  return 2 * a + 3 * Math.sqrt((2 * b * p * p) / m + slope * slope);
}

/** √(2μ/r³) at the pericentre, or where it starts if it only moves away. */
function keplerRate(m: number, mu: number, q: Numbers, p: Numbers): number {
  const [x = 0, y = 0, u = 0, v = 0] = [q[0], q[1], p[0]! / m, p[1]! / m];
  const r = Math.sqrt(x * x + y * y);
  if (!(r > 0)) refuseStart('q0', 'it starts in the centre', 'r > 0');
  const spin = x * v - y * u;
  const energy = (u * u + v * v) / 2 - mu / r;
  const eccentricity = Math.sqrt(Math.max(0, 1 + (2 * energy * spin * spin) / (mu * mu)));
  const leaves = energy >= 0 && x * u + y * v >= 0;
  const nearest = leaves ? r : Math.min(r, (spin * spin) / (mu * (1 + eccentricity)));
  return Math.sqrt((2 * mu) / (nearest * nearest * nearest));
}

/** In units where λ = 1 the well is the triangle y > −1/2, y < 1 − √3|x|, up to E = 1/6. */
function henonRate(lambda: number, q: Numbers, p: Numbers): number {
  if (lambda === 0) return 1;
  const [x, y, u, v] = [q[0]!, q[1]!, p[0]!, p[1]!].map((value) => value * lambda) as [
    number,
    number,
    number,
    number,
  ];
  const energy = (u * u + v * v + x * x + y * y) / 2 + x * x * y - (y * y * y) / 3;
  if (!(energy < 1 / 6))
    refuseStart(
      'p0',
      `its energy is ${6 * energy} of that where it escapes, 1/(6λ²)`,
      'an energy below 1/(6λ²)',
    );
  if (!(y > -0.5 && y < 1 - Math.sqrt(3) * Math.abs(x)))
    refuseStart('q0', 'it starts outside of the well', 'λy > −1/2 and λy < 1 − √3·|λx|');
  return Math.sqrt(3);
}

function refuseStart(field: string, reason: string, accepts: string): never {
  return refuse('INVALID_INPUT', `${field}: ${reason}.`, { field, accepts });
}
