/**
 * Exact fractions of big integers, and their rounding to the nearest double (ties to even). Unit conversion is one
 * such rounding, so that 100 mW is the double 0.1 and not a neighbour of it.
 */
export interface Fraction {
  readonly n: bigint;
  /** Positive. */
  readonly d: bigint;
}

export const one: Fraction = { n: 1n, d: 1n };

/** π to 50 digits (OEIS A000796), the only factor of a unit that is no fraction. */
export const pi: Fraction = {
  n: 314159265358979323846264338327950288419716939937511n,
  d: 10n ** 50n,
};

export function fraction(n: bigint, d = 1n): Fraction {
  const common = gcd(n < 0n ? -n : n, d);
  return common === 1n ? { n, d } : { n: n / common, d: d / common };
}

/** A decimal numeral such as `1.602176634e-19`, exactly. */
export function decimal(text: string): Fraction {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text);
  if (!match) throw new RangeError(`not a decimal numeral: ${text}`);
  const [, sign, whole, part = '', exponent = '0'] = match;
  const power = Number(exponent) - part.length;
  const digits = BigInt(`${sign}${whole}${part}`);
  return power < 0 ? fraction(digits, 10n ** BigInt(-power)) : fraction(digits * 10n ** BigInt(power));
}

const bits = new DataView(new ArrayBuffer(8));

/** A finite double as a whole number times a power of two. */
export function binaryParts(x: number): { readonly whole: bigint; readonly power: number } {
  bits.setFloat64(0, x);
  const high = bits.getUint32(0);
  const field = (high >>> 20) & 0x7ff;
  const mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  const whole = field === 0 ? mantissa : mantissa | (1n << 52n);
  const power = (field === 0 ? 1 : field) - 1075;
  return { whole: high >>> 31 ? -whole : whole, power };
}

/** The value of a finite double, exactly. */
export function ofDouble(x: number): Fraction {
  const { whole: signed, power } = binaryParts(x);
  return power < 0 ? fraction(signed, 1n << BigInt(-power)) : { n: signed << BigInt(power), d: 1n };
}

/** Whether a finite double is the decimal that it is written as, and not only the double nearest to it. */
export function isDecimal(x: number): boolean {
  if (Number.isSafeInteger(x)) return true;
  if (Math.abs(x) < 1e5 && Number.isInteger(x * 0x400)) return true; // at most 15 digits, which a double keeps
  // m/2^k with odd m has at least the digits of 5^k, and at most 17 are written.
  if (Math.abs(x) < 0x20000000000000 && !Number.isInteger(x * 0x1000000)) return false;
  const [written, { n, d }] = [decimal(String(x)), ofDouble(x)];
  return written.n * d === n * written.d;
}

export const multiply = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.n, a.d * b.d);
export const add = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d + b.n * a.d, a.d * b.d);

export function invert(a: Fraction): Fraction {
  return a.n < 0n ? { n: -a.d, d: -a.n } : { n: a.d, d: a.n };
}

/** a^(p/60); a root that is no fraction is taken to 60 significant digits. */
export function power(a: Fraction, sixtieths: number): Fraction {
  const common = gcd(BigInt(Math.abs(sixtieths)), 60n);
  const p = BigInt(Math.abs(sixtieths)) / common;
  const q = 60n / common;
  const raised = { n: root(a.n ** p, q), d: root(a.d ** p, q) };
  const result = fraction(raised.n.n * raised.d.d, raised.n.d * raised.d.n);
  return sixtieths < 0 ? invert(result) : result;
}

function root(x: bigint, q: bigint): Fraction {
  if (q === 1n) return { n: x, d: 1n };
  const exact = integerRoot(x, q);
  if (exact ** q === x) return { n: exact, d: 1n };
  const scale = 10n ** 60n;
  return fraction(integerRoot(x * scale ** q, q), scale);
}

/** ⌊x^(1/q)⌋ by Newton's iteration from above. */
function integerRoot(x: bigint, q: bigint): bigint {
  if (x < 2n) return x;
  let guess = 1n << (BigInt(x.toString(2).length) / q + 1n);
  for (;;) {
    const next = ((q - 1n) * guess + x / guess ** (q - 1n)) / q;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** The double nearest to a fraction, ties to even; ±Infinity past the range. */
export function toDouble({ n, d }: Fraction): number {
  if (n === 0n) return 0;
  const size = n < 0n ? -n : n;
  // Scale so that the quotient has 54 or 55 bits; the last bit of what is kept is sticky.
  let shift = bitLength(d) - bitLength(size) + 55;
  if (shift > 1074 + 2) shift = 1074 + 2;
  const top = shift > 0 ? size << BigInt(shift) : size;
  const bottom = shift < 0 ? d << BigInt(-shift) : d;
  const quotient = top / bottom;
  const sticky = top % bottom === 0n ? 0n : 1n;
  // Down to 53 bits (fewer where subnormal) by hand, so that the one rounding is ours.
  const surplus = Math.max(bitLength(quotient) - 53, shift - 1074);
  const rounded = roundBits((quotient << 1n) | sticky, surplus + 1);
  const value = scaleByTwo(Number(rounded), surplus - shift);
  return n < 0n ? -value : value;
}

/** A number as an unevaluated sum of two doubles, about 106 bits (assembly/math/dd.ts). */
export interface DoubleDouble {
  readonly hi: number;
  readonly lo: number;
}

/** The double-double nearest to a fraction, which need not be in lowest terms; lo is 0 past the range of doubles. */
export function toDoubleDouble({ n, d }: Fraction): DoubleDouble {
  const hi = toDouble({ n, d });
  if (!Number.isFinite(hi)) return { hi, lo: 0 };
  const { n: m, d: e } = ofDouble(hi);
  return { hi, lo: toDouble({ n: n * e - m * d, d: d * e }) };
}

const LEAST_NORMAL = 2.2250738585072014e-308;
const MANY_BITS = 1n << 1000n;

/** The double nearest to whole · 2^power. Of a normal number what is whole rounds by itself, without a division. */
export function scaledToDouble(whole: bigint, power: number): number {
  const size = whole < 0n ? -whole : whole;
  const near = size < MANY_BITS ? scaleByTwo(Number(whole), power) : 0;
  if (Math.abs(near) > LEAST_NORMAL && Number.isFinite(near)) return near;
  return toDouble(power < 0 ? { n: whole, d: 1n << BigInt(-power) } : { n: whole << BigInt(power), d: 1n });
}

function roundBits(x: bigint, drop: number): bigint {
  const unit = 1n << BigInt(drop);
  const kept = x / unit;
  const rest = (x % unit) * 2n;
  return rest > unit || (rest === unit && kept % 2n === 1n) ? kept + 1n : kept;
}

const UP = 1.0715086071862673e301; // 2^1000
const DOWN = 9.332636185032189e-302; // 2^-1000

/** x · 2^power, exact where the result is a double. */
function scaleByTwo(x: number, power: number): number {
  let [value, left] = [x, power];
  for (; left > 1000; left -= 1000) value *= UP;
  for (; left < -1000; left += 1000) value *= DOWN;
  // 2^left by its exponent field: `**` is not the same in every engine.
  bits.setUint32(0, (left + 1023) << 20);
  bits.setUint32(4, 0);
  return value * bits.getFloat64(0);
}

const bitLength = (x: bigint): number => {
  const hex = x.toString(16);
  return 4 * hex.length - (Math.clz32(Number.parseInt(hex[0]!, 16)) - 28);
};

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
