import { binaryParts, ofDouble, scaledToDouble } from '../../units/fraction.ts';

/** `count` numbers from start to stop in equal steps, the ends exact: start + i·(stop − start)/(count − 1). */
export function linear(start: number, stop: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) =>
    i === count - 1 ? stop : start + (i * (stop - start)) / (count - 1),
  );
}

// Powers differ between engines in the last digit, and a coordinate stands in parameters: so they are taken in fixed
// point with big integers, and rounded once.
const PLACES = 192;
const BITS = BigInt(PLACES);
const ONE = 1n << BITS;
const TWO = 2n * ONE;
/** Bits of a logarithm and of a mantissa that are kept behind the rounding of all operations. */
const KEPT = 160;

/**
 * `count` numbers from start to stop in equal ratios, the ends exact: start·(stop/start)^(i/(count − 1)), each the
 * double nearest to it. Start and stop have one sign and are not 0.
 */
export function logarithmic(start: number, stop: number, count: number): number[] {
  if (Math.abs(stop) < Math.abs(start)) return logarithmic(stop, start, count).reverse();
  const [from, to] = [ofDouble(start), ofDouble(stop)];
  const { whole, power } = binaryParts(start);
  const step = binaryLogarithm(to.n * from.d, to.d * from.n) / BigInt(count - 1);
  const ratio = binaryPower(step);
  const made = [start];
  let [mantissa, exponent] = [ONE, power - PLACES];
  for (let i = 1; i < count - 1; i++) {
    mantissa = (mantissa * ratio.mantissa) >> BITS;
    exponent += ratio.exponent;
    if (mantissa >= TWO) {
      mantissa >>= 1n;
      exponent++;
    }
    made.push(scaledToDouble(whole * mantissa, exponent));
  }
  made.push(stop);
  return made;
}

/** log₂(n/d) with BITS behind the point, n/d at least 1: a square root's worth of the rest decides each bit. */
function binaryLogarithm(n: bigint, d: bigint): bigint {
  let whole = 0n;
  let rest = (n << BITS) / d;
  while (rest >= TWO) {
    rest >>= 1n;
    whole++;
  }
  let bits = '';
  for (let k = 0; k < KEPT; k++) {
    rest = (rest * rest) >> BITS;
    const isSet = rest >= TWO;
    if (isSet) rest >>= 1n;
    bits += isSet ? '1' : '0';
  }
  return (whole << BITS) | (BigInt(`0b${bits}`) << (BITS - BigInt(KEPT)));
}

/** 2^x of an x with BITS behind the point: the product of 2^½, 2^¼ … whose bits are set. */
function binaryPower(x: bigint): { mantissa: bigint; exponent: number } {
  const bits = (x & (ONE - 1n)).toString(2).padStart(PLACES, '0');
  let mantissa = ONE;
  roots ??= rootsOfTwo();
  for (const [k, root] of roots.entries()) if (bits[k] === '1') mantissa = (mantissa * root) >> BITS;
  return { mantissa, exponent: Number(x >> BITS) };
}

/** 2^½, 2^¼ …, made once. */
let roots: readonly bigint[] | undefined;
function rootsOfTwo(): bigint[] {
  const made: bigint[] = [];
  for (let root = TWO; made.length < KEPT; made.push(root)) root = squareRoot(root << BITS);
  return made;
}

/** ⌊√x⌋ by Newton's iteration from above. */
function squareRoot(x: bigint): bigint {
  let guess = 1n << BigInt((x.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + x / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}
