import { exponential, logarithm } from '../elementary.ts';
import type { QuantInput } from './problem.ts';

// Strikes that are taken, for advice alone: how many deviations of its logarithm a strike may lie from the median of the
// price or average. Of random options out of the money none was taken beyond 3.4 (digital) or 2.9 (others), nearer ones
// all; the law of an arithmetic mean is not quite known.

const OUT = { digital: 3, 'asian-arithmetic': 1 } as Readonly<Record<string, number>>;
const OUT_OF_OTHERS = 2;
/** In the money: beyond it the paths that are not are too rare to be met. */
const IN = 3;
/** What a price must be of the spot or payout, and room for what barriers and the law of an average leave out. */
const LEAST = 1e-6;
const ROOM = 3;

interface Law {
  readonly centre: number;
  readonly deviation: number;
}

function lawOf(input: QuantInput): Law {
  const { type, S0, r, q = 0, sigma, T, fixings: m = 1 } = input;
  if (type === 'asian-arithmetic') return lawOfMean(input);
  const centre = logarithm(S0!) + ((r! - q - 0.5 * sigma! * sigma!) * T! * (m + 1)) / (2 * m);
  return { centre, deviation: sigma! * Math.sqrt((T! * (m + 1) * (2 * m + 1)) / (6 * m * m)) };
}

/** Of an arithmetic mean, that of a log-normal price with its mean and variance (Lévy, J. Int. Money Finance 11 (1992) 474). */
function lawOfMean({ S0, r, q = 0, sigma, T, fixings: m = 1 }: QuantInput): Law {
  const growths = Array.from({ length: m }, (_, j) => exponential(((r! - q) * T! * (j + 1)) / m));
  const total = growths.reduce((sum, each) => sum + each, 0);
  let [later, variance] = [0, 0];
  for (let j = m - 1; j >= 0; j--) {
    const share = growths[j]! / total;
    variance += share * (share + 2 * later) * lessOne((sigma! * sigma! * T! * (j + 1)) / m);
    later += share;
  }
  const square = variance < 1e-6 ? variance : logarithm(1 + variance);
  return { centre: logarithm(S0!) + logarithm(total / m) - 0.5 * square, deviation: Math.sqrt(square) };
}

/** eˣ − 1 of x ≥ 0. */
const lessOne = (x: number): number => (x < 1e-6 ? x : exponential(x) - 1);

/** Φ(x), to 1e-15 (Abramowitz & Stegun 26.2.11). */
function normal(x: number): number {
  if (Math.abs(x) > 8) return x > 0 ? 1 : 0;
  let [term, sum] = [x, x];
  for (let k = 1; k < 150; k++) {
    term *= (x * x) / (2 * k + 1);
    sum += term;
  }
  return 0.5 + (exponential(-0.5 * x * x) * sum) / Math.sqrt(2 * Math.PI);
}

/** About what an option struck `z` deviations out of the money is worth, of the spot or payout. */
function worth(input: QuantInput, { centre, deviation }: Law, z: number): number {
  const { type, right, S0, r, T } = input;
  const discount = exponential(-r! * T!);
  if (type === 'digital') return discount * normal(-z);
  const sign = right === 'call' ? 1 : -1;
  const strike = exponential(centre + sign * z * deviation);
  const forward = exponential(centre + 0.5 * deviation * deviation);
  return (sign * discount * (forward * normal(-z + sign * deviation) - strike * normal(-z))) / S0!;
}

/** The range of strikes, beside a barrier how low that is; undefined where none is known to do, or what was sent is such. */
export function nearerStrike(input: QuantInput): string | undefined {
  const law = lawOf(input);
  const sign = input.right === 'call' ? 1 : -1;
  const isPut = sign < 0;
  const hasBarrier = input.type === 'down-out';
  let z = hasBarrier && isPut ? 0 : (OUT[input.type] ?? OUT_OF_OTHERS);
  while (z > -IN && !(worth(input, law, z) > ROOM * LEAST)) z -= 0.25;
  if (!(z > -IN)) return undefined;
  const at = (deviations: number) => shown(law.centre + deviations * law.deviation, law.deviation);
  const ends = [at(sign * z), at(-sign * IN)];
  const range = `a strike from ${Math.min(...ends)} to ${Math.max(...ends)}`;
  const out = (sign * (logarithm(input.K!) - law.centre)) / law.deviation;
  const isNear = out <= z && out >= -IN;
  if (!hasBarrier) return isNear ? undefined : range;
  const below = Math.min((logarithm(input.S0!) - law.centre) / law.deviation, 0) - (isPut ? 2 : 1);
  if (logarithm(input.barrier!) - law.centre <= below * law.deviation) return isNear ? undefined : range;
  return `${range} with a barrier of at most ${at(below)}`;
}

/** eˣ, in as many digits as tell a tenth of a deviation. */
const shown = (x: number, deviation: number): number =>
  Number(
    exponential(x).toPrecision(
      Math.min(15, Math.max(3, 3 - Math.floor(logarithm(deviation) / logarithm(10)))),
    ),
  );
