/**
 * The pulse: ticks of 777,000,777 ns from the Unix epoch on, and the modulation R(t) that an envelope carries
 * (docs/protocol.md, 'Clock'). Time is bigint nanoseconds; the modulation uses only + − × ÷ in a fixed order, so
 * that every machine and every language finds the same bits.
 */

/** Length of a tick in ns. 1287 ticks are 1 ns short of 1000 s, so "1.287 Hz" and "0.777 s" are captions. */
export const TICK_NS = 777_000_777n;
const TICK = 777_000_777;
/** Caption of the pulse in Hz; exactly it is 10⁹ / 777000777. */
export const PULSE_HZ = 1.287;
/** Depth of KO42's modulation: α < 10⁻³, so that modulation alone never breaks the precision bound. */
export const ALPHA = 1 / 1287;
const TWO_PI = 6.283185307179586;
const QUARTER_PI = 0.7853981633974483;

/** Ticks since the Unix epoch. */
export function tickOf(tNs: bigint): number {
  if (tNs < 0n) throw new RangeError('time before the Unix epoch has no tick');
  return Number(tNs / TICK_NS);
}

/** Nanoseconds since the last tick. */
export function remainderNs(tNs: bigint): number {
  return Number(tNs % TICK_NS);
}

/** Phase in rad: turns with one rounding, times 2π. φ₀ = 0. */
export function phaseOf(tNs: bigint): number {
  return (remainderNs(tNs) / TICK) * TWO_PI;
}

/** Taylor's series of sin x / x to x¹⁶, nested; 0 ≤ x ≤ π/4, y = x². Truncation below 10⁻¹⁹. */
const sineDivisors = [272, 210, 156, 110, 72, 42, 20, 6];
/** The same of cos x to x¹⁶. */
const cosineDivisors = [240, 182, 132, 90, 56, 30, 12, 2];

function nested(y: number, divisors: readonly number[]): number {
  let sum = 1;
  for (const divisor of divisors) sum = 1 - (y / divisor) * sum;
  return sum;
}

/**
 * sin(2π·rem/T) for an integer 0 ≤ rem < T = 777000777. The octant is found in integers, so that
 * s(T − rem) = −s(rem) holds to the last bit.
 */
export function pulseSine(rem: number): number {
  const m = 8 * rem;
  const octant = Math.floor(m / TICK);
  const rho = m - octant * TICK;
  const folded = octant % 2 === 1 ? TICK - rho : rho;
  const x = QUARTER_PI * (folded / TICK);
  const isCosine = octant % 4 === 1 || octant % 4 === 2;
  const size = isCosine ? nested(x * x, cosineDivisors) : x * nested(x * x, sineDivisors);
  return octant < 4 ? size : -size;
}

/** C₀ = α·s: what KO42 contributes to the master sum at this time. */
export function ko42(tNs: bigint): number {
  return ALPHA * pulseSine(remainderNs(tNs));
}

export interface Modulation {
  readonly tick: number;
  /** rad */
  readonly phase: number;
  /** 1 + C₀ */
  readonly masterSum: number;
  /** S · masterSum, in the unit of S */
  readonly R: number;
}

/** What an envelope says of time for the value S. The sealed value is S, never R. */
export function modulation(S: number, tNs: bigint): Modulation {
  const masterSum = 1 + ko42(tNs);
  return { tick: tickOf(tNs), phase: phaseOf(tNs), masterSum, R: S * masterSum };
}

export interface TickAverage {
  /** (1/T) ∫ R dt over a tick = S, exactly. */
  readonly value: number;
  readonly periodNs: string;
  /** The check: the mean of 777 samples of R, one every 1000001 ns, with the sine summed in pairs (j, 777 − j). */
  readonly check: {
    readonly samples: number;
    readonly everyNs: number;
    readonly sineSum: number;
    readonly mean: number;
  };
}

const SAMPLES = 777;
const SAMPLE_NS = 1_000_001;

/** Sum of the 777 sines: each pair cancels to the bit, so this is exactly 0. */
export function sampledSineSum(): number {
  let sum = pulseSine(0);
  for (let j = 1; 2 * j < SAMPLES; j++)
    sum += pulseSine(j * SAMPLE_NS) + pulseSine((SAMPLES - j) * SAMPLE_NS);
  return sum;
}

let sineSum: number | undefined;

export function tickAverage(S: number): TickAverage {
  sineSum ??= sampledSineSum();
  const mean = S * (1 + (ALPHA * sineSum) / SAMPLES);
  const check = { samples: SAMPLES, everyNs: SAMPLE_NS, sineSum, mean };
  return { value: S, periodNs: String(TICK_NS), check };
}

export interface Contributions {
  readonly weights: 'values' | 'equal';
  /** C_j of the operators beside KO42; they sum to 1. */
  readonly C: readonly number[];
}

/**
 * C_j = S_j / ΣS_i when the operators' values have one dimension and a sum that is not zero; else equal weights.
 */
export function contributions(values: readonly number[], sameDimension: boolean): Contributions {
  const sum = values.reduce((total, value) => total + value, 0);
  if (sameDimension && sum !== 0 && Number.isFinite(sum))
    return { weights: 'values', C: values.map((S) => S / sum) };
  return { weights: 'equal', C: values.map(() => 1 / values.length) };
}
