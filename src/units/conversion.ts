import { sameDimension } from './dimension.ts';
import {
  add,
  type DoubleDouble,
  type Fraction,
  fraction,
  invert,
  multiply,
  ofDouble,
  pi,
  power,
  toDouble,
  toDoubleDouble,
} from './fraction.ts';
import { counted } from './symbols.ts';
import { isUnit, parseUnit, type Unit, UnitError } from './unit.ts';

const CACHED = 1024;

type Converter = (value: number) => number;
const converters = new Map<string, Converter>();

/** The function that takes a number in `from` to the double nearest to it in `to`. Throws a UnitError. */
export function converter(from: string, to: string): Converter {
  const key = `${from}\0${to}`;
  let known = converters.get(key);
  if (!known) {
    known = makeConverter(from, to);
    if (converters.size >= CACHED) converters.clear();
    converters.set(key, known);
  }
  return known;
}

function makeConverter(from: string, to: string): Converter {
  if (from === to && isUnit(from)) return (value) => value;
  const { ratio, shift } = relation(from, to);
  if (shift === undefined) return scaling(ratio);
  return (value) => (Number.isFinite(value) ? toDouble(add(multiply(ofDouble(value), ratio), shift)) : value);
}

/** A number x in `from` is x·ratio + shift in `to`. Throws a UnitError. */
function relation(from: string, to: string): { readonly ratio: Fraction; readonly shift?: Fraction } {
  const [a, b] = alike(from, to);
  if ((a.offset && b.isDifference) || (a.isDifference && b.offset))
    throw new UnitError(`A number in ${from} is not one in ${to}: a difference is no point on a scale.`);
  const ratio = multiply(a.scale, invert(b.scale));
  if (!a.offset && !b.offset) return { ratio };
  const shift = add(a.offset ?? zero, negated(b.offset ?? zero));
  return { ratio, shift: multiply(shift, invert(b.scale)) };
}

function alike(from: string, to: string): [Unit, Unit] {
  const [sent, wanted] = [parseUnit(from), parseUnit(to)];
  const [a, b] = [turnedFor(sent, wanted), turnedFor(wanted, sent)];
  if (!sameDimension(a.dimension, b.dimension))
    throw new UnitError(`A number in ${from} is not one in ${to}: the dimensions differ.`);
  if (says(sent) !== says(wanted) && (sent.counts[TURN] !== 0 || wanted.counts[TURN] !== 0))
    throw new UnitError(
      `A number in ${from} is not one in ${to}: a turn is a cycle (Hz) or 2π rad, and one of them says neither.`,
    );
  if (countOtherThings(a, b))
    throw new UnitError(
      `A number in ${from} is not one in ${to}: of cycles (Hz), angles (rad/s) and decays (Bq) none is another.`,
    );
  return [a, b];
}

const [ANGLE, CYCLE, TURN] = [counted.indexOf('angle'), counted.indexOf('cycle'), counted.indexOf('turn')];
const turn = multiply(fraction(2n), pi);

/** A unit in turns as the other one counts: in angles of 2π rad (NIST SP 811, B.8: 1 rpm is 0.104 719 8 rad/s), or in cycles. */
function turnedFor(unit: Unit, other: Unit): Unit {
  const turns = unit.counts[TURN]!;
  if (turns === 0 || other.counts[TURN] !== 0) return unit;
  const isAngle = other.counts[ANGLE] !== 0;
  const counts = unit.counts.map((exponent, i) =>
    i === TURN ? 0 : i === (isAngle ? ANGLE : CYCLE) ? exponent + turns : exponent,
  );
  return { ...unit, counts, scale: isAngle ? multiply(unit.scale, power(turn, turns)) : unit.scale };
}

/**
 * Hz and rad/s differ by 2π although the SI writes both as 1/s, and neither is Bq (SI Brochure, 9th edition, 2.3.4). A
 * unit that says nothing of it, such as 1/s, is not held against one that does.
 */
function countOtherThings(a: Unit, b: Unit): boolean {
  return says(a) && says(b) && a.counts.filter((exponent, i) => exponent !== b.counts[i]).length > 1;
}

const says = ({ counts }: Unit): boolean => counts.some((exponent) => exponent !== 0);

const zero: Fraction = { n: 0n, d: 1n };
const negated = (a: Fraction): Fraction => ({ n: -a.n, d: a.d });
const exact = (x: bigint): boolean => x <= 9007199254740992n;

/** A product or quotient by one whole number rounds once already; anything else must be made to. */
function scaling(ratio: Fraction): Converter {
  const { n, d } = ratio;
  if (d === 1n && exact(n)) return (value) => value * Number(n);
  if (n === 1n && exact(d)) return (value) => value / Number(d);
  const nearest: Converter = (value) =>
    Number.isFinite(value) ? toDouble(multiply(ofDouble(value), ratio)) : value;
  return quickly(ratio, nearest);
}

const SPLITTER = 134217729; // 2^27 + 1
const DOUBT = 3.1554436208840472e-30; // 2^-98
const inRange = (x: number): boolean => (x > 1e-280 && x < 1e280) || (x < -1e-280 && x > -1e280);

/**
 * The product with the ratio as a sum of two doubles (T. J. Dekker, Numer. Math. 18 (1971) 224); where its error
 * could turn the rounding, or the range ends, the exact fractions decide (A. Ziv, ACM TOMS 17 (1991) 410). A list of
 * a million lengths in inches takes milliseconds so, not seconds.
 */
function quickly(ratio: Fraction, nearest: Converter): Converter {
  const high = toDouble(ratio);
  const rest = ofDouble(high);
  const low = toDouble(add(ratio, negated(rest)));
  const highHead = headOf(high);
  const highTail = high - highHead;
  return (value) => {
    const product = value * high;
    if (!inRange(product) || !inRange(value) || !inRange(high)) return nearest(value);
    const head = headOf(value);
    const tail = value - head;
    const error = head * highHead - product + head * highTail + tail * highHead + tail * highTail;
    const correction = error + value * low;
    const sum = product + correction;
    const left = correction - (sum - product);
    const doubt = DOUBT * sum;
    return sum + (left + doubt) === sum && sum + (left - doubt) === sum ? sum : nearest(value);
  };
}

/** The upper 26 bits. */
function headOf(x: number): number {
  const scaled = SPLITTER * x;
  return scaled - (scaled - x);
}

export function convert(value: number, from: string, to: string): number {
  return converter(from, to)(value);
}

type WideConverter = (value: number) => DoubleDouble;
const wideConverters = new Map<string, WideConverter>();

/** The same to 32 digits: the double-double nearest to `value` in the other unit, of a number as the double that it is. */
export function convertWide(value: number, from: string, to: string): DoubleDouble {
  const key = `${from}\0${to}`;
  let known = wideConverters.get(key);
  if (!known) {
    known = makeWideConverter(from, to);
    if (wideConverters.size >= CACHED) wideConverters.clear();
    wideConverters.set(key, known);
  }
  return known(value);
}

function makeWideConverter(from: string, to: string): WideConverter {
  if (from === to && isUnit(from)) return (value) => ({ hi: value, lo: 0 });
  const { ratio, shift = zero } = relation(from, to);
  const nearest: WideConverter = (value) => {
    if (!Number.isFinite(value)) return { hi: value, lo: 0 };
    const { n, d } = ofDouble(value);
    return toDoubleDouble({ n: n * ratio.n * shift.d + shift.n * d * ratio.d, d: d * ratio.d * shift.d });
  };
  if (shift.n === 0n) return quicklyScaled(ratio, nearest);
  return ratio.n === ratio.d ? quicklyShifted(shift, nearest) : nearest;
}

/** A fraction as a sum of three doubles, 159 bits. */
function threeWords(x: Fraction): [number, number, number] {
  const { hi, lo } = toDoubleDouble(x);
  const rest = add(x, negated(add(ofDouble(hi), ofDouble(lo))));
  return [hi, lo, toDouble(rest)];
}

const isMiddling = (x: number): boolean => (x > 1e-100 && x < 1e100) || (x < -1e-100 && x > -1e100);

/** As `quickly`, to the second word: 65,536 coordinates of a lattice take milliseconds. */
function quicklyScaled(ratio: Fraction, nearest: WideConverter): WideConverter {
  const [first, second, third] = threeWords(ratio);
  return (value) => {
    if (!isMiddling(value) || !isMiddling(first)) return nearest(value);
    const product = value * first;
    const error = productError(value, first, product);
    if (second === 0) return { hi: product, lo: error + 0 };
    const next = value * second;
    const rest = productError(value, second, next) + value * third;
    return settled(product, error, next, rest) ?? nearest(value);
  };
}

function quicklyShifted(shift: Fraction, nearest: WideConverter): WideConverter {
  const [first, second, third] = threeWords(shift);
  return (value) => {
    const sum = value + first;
    if (!(Math.abs(value) < 1e15) || !(Math.abs(sum) > 1e-6 * Math.abs(first))) return nearest(value);
    return settled(sum, sumError(value, first, sum), second, third) ?? nearest(value);
  };
}

const WIDE_DOUBT = 7.006492321624085e-46; // 2^-150
const BEYOND = 1.0000000000000009; // 1 + 2^-50

/** head + a + b + rest, a and b small beside the head, rest beside them; undefined where the rounding is in doubt. */
function settled(head: number, a: number, b: number, rest: number): DoubleDouble | undefined {
  const middle = a + b;
  const hi = head + middle;
  const over = middle - (hi - head);
  const tail = sumError(a, b, middle) + rest;
  const lo = over + tail;
  const left = sumError(over, tail, lo);
  const doubt = WIDE_DOUBT * hi;
  const isSure = lo + (left + doubt) === lo && lo + (left - doubt) === lo && hi + lo * BEYOND === hi;
  return isSure ? { hi, lo } : undefined;
}

/** The error of s = a + b, exactly (D. E. Knuth, TAOCP 2, 4.2.2). */
function sumError(a: number, b: number, s: number): number {
  const part = s - a;
  return a - (s - part) + (b - part);
}

/** The error of p = a·b, exactly (Dekker). */
function productError(a: number, b: number, p: number): number {
  const [aHead, bHead] = [headOf(a), headOf(b)];
  const [aTail, bTail] = [a - aHead, b - bHead];
  return aHead * bHead - p + aHead * bTail + aTail * bHead + aTail * bTail;
}

/**
 * Takes a difference, such as a standard uncertainty, from one unit to the other: the zero of a scale drops out. Throws a
 * UnitError.
 */
export function convertDifference(value: number, from: string, to: string): number {
  const [a, b] = alike(from, to);
  if (from === to || value === 0) return value;
  const ratio = multiply(a.scale, invert(b.scale));
  return Number.isFinite(value) ? toDouble(multiply(ofDouble(value), ratio)) : value;
}
