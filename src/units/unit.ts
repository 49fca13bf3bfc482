import { ambiguous } from './customary.ts';
import { type Dimension, dimensionless, over, raised, sameDimension, times, WHOLE } from './dimension.ts';
import {
  add,
  type DoubleDouble,
  type Fraction,
  fraction,
  invert,
  multiply,
  ofDouble,
  power,
  toDouble,
  toDoubleDouble,
} from './fraction.ts';
import { type Counted, counted, pi, prefixes, symbols, type UnitSymbol } from './symbols.ts';

/** A unit: `scale` of the base units of its dimension; `offset` (in base units) makes it a point on a scale. */
export interface Unit {
  readonly text: string;
  readonly scale: Fraction;
  readonly dimension: Dimension;
  /** Exponents, in sixtieths, of angles, cycles and decays, in the order of `counted`; none of them is a dimension. */
  readonly counts: readonly number[];
  readonly offset?: Fraction;
  /** `delta_degC` by itself: it converts to no point on a scale. */
  readonly isDifference?: true;
}

/** A unit text that cannot be read, or two units that do not convert; the message is a sentence. */
export class UnitError extends Error {
  override readonly name = 'UnitError';
  /** What to write in place of a text that has two readings. */
  readonly accepts: string | undefined;

  constructor(message: string, accepts?: string) {
    super(message);
    this.accepts = accepts;
  }
}

const MAX_TEXT = 100;
const MAX_DIGITS = 400;
const MAX_EXPONENT = 24 * WHOLE;
const CACHED = 1024;
const cache = new Map<string, Unit>();

/**
 * Reads a unit text: symbols with SI prefixes, `*` (or `·`, or a space), `/`, `^` with whole or rational exponents
 * and parentheses, such as `W*yr/(m^2*K)`, `cm^-3`, `yr^-1/2`; `m2` and `s-1` are powers as well, `/s` is 1/s. After a `/` a further
 * product needs parentheses. Throws a UnitError.
 */
export function parseUnit(text: string): Unit {
  const known = cache.get(text);
  if (known) return known;
  if (text.length > MAX_TEXT) throw new UnitError(`A unit text has at most ${MAX_TEXT} characters.`);
  const unit = { ...new UnitParser(text.normalize('NFC').replace(/^\s*\//, '1/')).unit(), text };
  if (cache.size >= CACHED) cache.clear();
  cache.set(text, unit);
  return unit;
}

type Bare = Omit<Unit, 'text'>;

const token =
  /\s*(?:(\p{L}+?H2O|[\p{L}°%_]+(?:-\p{L}+)*|1)|(\^\s*([+-]?\d{1,3}(?:\s*\/\s*\d{1,2})?|\(\s*[+-]?\d{1,3}(?:\s*\/\s*\d{1,2})?\s*\)))|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?<=\p{L})-?\d{1,2}(?!\d))|([*·×⋅/()]))\s*/uy;
const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

class UnitParser {
  readonly #text: string;
  #at = 0;
  #match: RegExpExecArray | null = null;

  constructor(text: string) {
    this.#text = text;
    this.#next();
  }

  unit(): Bare {
    const unit = this.#product();
    if (this.#match || this.#at < this.#text.length) this.#fail();
    return unit;
  }

  #next(): void {
    token.lastIndex = this.#at;
    this.#match = token.exec(this.#text);
    if (this.#match) this.#at = token.lastIndex;
  }

  #stands(sign: string): boolean {
    return this.#match?.[5] === sign;
  }

  #take(): string {
    const taken = this.#match![0].trim();
    this.#next();
    return taken;
  }

  #fail(why = 'it is not made of symbols, * / ^ and parentheses'): never {
    throw new UnitError(`The unit text cannot be read: ${why}.`);
  }

  #product(): Bare {
    const start = this.#begins();
    let left = this.#power();
    let slash: number | undefined;
    let behind: number | undefined;
    while (this.#match && this.#match[5] !== ')') {
      const at = this.#begins();
      const divides = this.#match[5] === '/';
      if (!divides && slash !== undefined) behind ??= at;
      else if (divides && behind === undefined) slash = at;
      if (this.#match[5] && this.#match[5] !== '(') this.#take();
      else if (this.#match[2] || this.#match[4]) this.#fail();
      const right = this.#power();
      left = combine(
        left,
        divides
          ? {
              scale: invert(right.scale),
              dimension: over(dimensionless, right.dimension),
              counts: over(nothing, right.counts),
              ...offset(right),
            }
          : right,
      );
    }
    if (slash !== undefined && behind !== undefined) this.#refuseOpenQuotient(start, slash, behind);
    return left;
  }

  /** Where the token begins at which the parser stands. */
  #begins(): number {
    return this.#match
      ? this.#match.index + (/^\s*/.exec(this.#match[0])?.[0].length ?? 0)
      : this.#text.length;
  }

  /** `J/kg K` to one reader is J/(kg*K) and to another J*K/kg. */
  #refuseOpenQuotient(start: number, slash: number, behind: number): never {
    const [above, below, rest] = [
      [start, slash],
      [slash + 1, behind],
      [behind, this.#begins()],
    ].map(([from, to]) => written(this.#text.slice(from, to)));
    const inside = `${above}/(${below}*${rest})`;
    const accepts = above!.includes('/') ? inside : `${inside} or ${above}*${rest}/${below}`;
    throw new UnitError(
      `The unit text cannot be read: after a / a product needs parentheses, write ${accepts}.`,
      accepts,
    );
  }

  #power(): Bare {
    const base = this.#atom();
    const exponent =
      this.#match?.[3]?.replace(/[()]/g, '') ?? (this.#match?.[4] ? plainDigits(this.#match[4]) : undefined);
    if (exponent === undefined) return base;
    this.#take();
    const [above, below = '1'] = exponent.split('/');
    const sixtieths = (Number(above) * WHOLE) / Number(below);
    if (!Number.isInteger(sixtieths) || Math.abs(sixtieths) > MAX_EXPONENT)
      this.#fail('an exponent is out of range');
    return limited(powerOf(base, sixtieths));
  }

  #atom(): Bare {
    if (!this.#match) this.#fail();
    if (this.#stands('(')) {
      this.#take();
      const inside = this.#product();
      if (!this.#stands(')')) this.#fail('a parenthesis is not closed');
      this.#take();
      return inside;
    }
    if (!this.#match[1]) this.#fail();
    const name = this.#take();
    const meant = ambiguous.get(name);
    if (meant !== undefined)
      throw new UnitError(`The unit text cannot be read: ${name} has two readings, write ${meant}.`, meant);
    const scale = degrees.has(name) ? /^[CFKR]$/.exec(this.#match?.[1] ?? '')?.[0] : undefined;
    if (scale !== undefined) this.#fail(`write deg${scale} for a temperature, or deg*${scale}`);
    const known = symbol(name);
    if (known && name.includes('-') && (this.#match?.[3] ?? this.#match?.[4]) !== undefined)
      this.#fail(
        `it is not said what of ${name} is raised, write ${name.replaceAll('-', '*')} with its exponents`,
      );
    if (known === undefined && name.includes('-'))
      this.#fail(`write a product as ${name.replaceAll('-', '*')}`);
    return known ?? this.#fail(`it names no unit that is known: ${name}`);
  }
}

/** A part of a product with its signs: `m2 K` is m^2*K. */
const written = (part: string): string =>
  part
    .trim()
    .replace(/^[*·×⋅]\s*/u, '')
    .replace(/(\p{L})(-?\d{1,2})(?![\d\p{L}])/gu, '$1^$2')
    .replace(/\s*[*·×⋅]\s*|(?<=[^\s/(^])\s+(?=[^\s/)^])/gu, '*');

const degrees: ReadonlySet<string> = new Set(['deg', '°']);

const nothing = counted.map(() => 0);

function offset(unit: Bare): { offset?: Fraction } {
  return unit.offset ? { offset: unit.offset } : {};
}

const raisedDigit = (c: string): string => (superscripts.includes(c) ? String(superscripts.indexOf(c)) : c);

function plainDigits(text: string): string {
  return [...text].map((c) => (c === '⁻' ? '-' : c === '⁺' ? '+' : raisedDigit(c))).join('');
}

/** A symbol of the table, or one with a prefix before it. */
function symbol(name: string): Bare | undefined {
  const whole = symbols.get(name);
  if (whole) return bare(whole);
  for (const [prefix, ten] of prefixes) {
    if (!name.startsWith(prefix)) continue;
    const rest = symbols.get(name.slice(prefix.length));
    if (!rest?.prefixes) continue;
    const factor = ten < 0 ? fraction(1n, 10n ** BigInt(-ten)) : fraction(10n ** BigInt(ten));
    return { ...bare(rest), scale: multiply(rest.scale, factor) };
  }
  return undefined;
}

function bare({ scale, dimension, offset: shift, isDifference, counts: what }: UnitSymbol): Bare {
  const counts = counted.map((each) => (each === what ? WHOLE : 0));
  if (shift) return { scale, dimension, counts, offset: shift };
  return isDifference ? { scale, dimension, counts, isDifference } : { scale, dimension, counts };
}

function combine(a: Bare, b: Bare): Bare {
  refuseOffset(a);
  refuseOffset(b);
  return limited({
    scale: multiply(a.scale, b.scale),
    dimension: times(a.dimension, b.dimension),
    counts: times(a.counts, b.counts),
  });
}

function powerOf(base: Bare, sixtieths: number): Bare {
  refuseOffset(base);
  const [dimension, counts] = [raised(base.dimension, sixtieths), raised(base.counts, sixtieths)];
  if (!dimension || !counts)
    throw new UnitError('The unit text cannot be read: an exponent is no multiple of 1/60.');
  return { scale: power(base.scale, sixtieths), dimension, counts };
}

function refuseOffset(unit: Bare): void {
  if (unit.offset)
    throw new UnitError('degC and degF are points on a scale and stand alone; in a product use K.');
}

function limited(unit: Bare): Bare {
  const tooBig = (x: bigint) => x.toString(16).length > MAX_DIGITS;
  if (
    tooBig(unit.scale.n) ||
    tooBig(unit.scale.d) ||
    unit.dimension.some((e) => Math.abs(e) > MAX_EXPONENT)
  ) {
    throw new UnitError('The unit text cannot be read: its exponents are out of range.');
  }
  return unit;
}

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
  const [a, b] = [parseUnit(from), parseUnit(to)];
  if (!sameDimension(a.dimension, b.dimension))
    throw new UnitError(`A number in ${from} is not one in ${to}: the dimensions differ.`);
  if (countOtherThings(a, b))
    throw new UnitError(
      `A number in ${from} is not one in ${to}: of cycles (Hz), angles (rad/s) and decays (Bq) none is another.`,
    );
  return [a, b];
}

/**
 * Hz and rad/s differ by 2π although the SI writes both as 1/s, and neither is Bq (SI Brochure, 9th edition, 2.3.4). A
 * unit that says nothing of it, such as 1/s, is not held against one that does.
 */
function countOtherThings({ counts: a }: Unit, { counts: b }: Unit): boolean {
  const says = (counts: readonly number[]) => counts.some((exponent) => exponent !== 0);
  return says(a) && says(b) && a.filter((exponent, i) => exponent !== b[i]).length > 1;
}

/** The exponent of angles, cycles or decays in a unit: 1 of angles in rad/s. Throws a UnitError. */
export const exponentOf = (what: Counted, unit: string): number =>
  parseUnit(unit).counts[counted.indexOf(what)]! / WHOLE;

/** Largest numbers in a factor that is a fraction of π by its definition, as 1/180 is; in one that is not, π stays. */
const PLAIN = 10n ** 30n;

/** The half turns in a unit that counts angles by parts of them: 1/180 in deg, in deg/s too; none in rad. */
export function halfTurnsIn(unit: string): Fraction | undefined {
  if (exponentOf('angle', unit) !== 1) return undefined;
  const { n, d } = multiply(parseUnit(unit).scale, invert(pi));
  return n < PLAIN && d < PLAIN ? { n, d } : undefined;
}

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

export function sameUnit(a: string, b: string): boolean {
  if (a === b) return true;
  const [x, y] = [parseUnit(a), parseUnit(b)];
  const ratio = multiply(x.scale, invert(y.scale));
  return sameDimension(x.dimension, y.dimension) && ratio.n === ratio.d && !x.offset === !y.offset;
}

export function isUnit(text: string): boolean {
  try {
    parseUnit(text);
    return true;
  } catch {
    return false;
  }
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
