import { ambiguous } from './customary.ts';
import {
  type Dimension,
  dimension,
  dimensionless,
  over,
  raised,
  sameDimension,
  times,
  WHOLE,
} from './dimension.ts';
import { type Fraction, fraction, invert, multiply, pi, power } from './fraction.ts';
import { symbolOfName, twoReadings } from './names.ts';
import { type Counted, counted, prefixes, symbols, type UnitSymbol } from './symbols.ts';
import { meantBy } from './unknown.ts';

/** A unit: `scale` of the base units of its dimension; `offset` (in base units) makes it a point on a scale. */
export interface Unit {
  readonly text: string;
  readonly scale: Fraction;
  readonly dimension: Dimension;
  /** Exponents, in sixtieths, of angles, cycles and decays, in the order of `counted`; none of them is a dimension. */
  readonly counts: readonly number[];
  readonly offset?: Fraction;
  /** A degree of a scale that has points stands in it, read as a difference: W/(m*degC). */
  readonly hasDegree?: true;
  /** `delta_degC` by itself: it converts to no point on a scale. */
  readonly isDifference?: true;
}

/** A unit text that cannot be read, or two units that do not convert; the message is a sentence. */
export class UnitError extends Error {
  override readonly name = 'UnitError';
  /** What to write in place of a text that has two readings. */
  readonly accepts: string | undefined;
  readonly #near: (() => string | undefined) | undefined;

  constructor(message: string, accepts?: string, near?: () => string | undefined) {
    super(message);
    this.accepts = accepts;
    this.#near = near;
  }

  /** What to write: of one that has two readings both, of one that has none what is near it, else what the caller says. */
  accepted(otherwise: string): string {
    return this.accepts ?? this.#near?.() ?? otherwise;
  }
}

const MAX_TEXT = 100;
const MAX_DIGITS = 400;
const MAX_EXPONENT = 24 * WHOLE;
const CACHED = 1024;
/** What a text came to; words behind the numbers of a question are asked for as often as units are. */
const cache = new Map<string, Unit | UnitError>();

/**
 * Reads a unit text: symbols with SI prefixes, `*` (or `·`, or a space), `/`, `^` with whole or rational exponents
 * and parentheses, such as `W*yr/(m^2*K)`, `cm^-3`, `yr^-1/2`; `m2` and `s-1` are powers as well, `/s` is 1/s, `N-m` and `W/m-K` are
 * products. A degree in a product or power is a difference, W/(m*degC). After a `/` a further product needs parentheses. Throws a UnitError.
 */
export function parseUnit(text: string): Unit {
  if (text.length > MAX_TEXT) throw new UnitError(`A unit text has at most ${MAX_TEXT} characters.`);
  let read = cache.get(text);
  if (!read) {
    read = parsed(text);
    if (cache.size >= CACHED) cache.clear();
    cache.set(text, read);
  }
  if (read instanceof UnitError) throw read;
  return read;
}

function parsed(text: string): Unit | UnitError {
  try {
    return { ...new UnitParser(asTyped(text)).unit(), text };
  } catch (error) {
    if (error instanceof UnitError) return error;
    throw error;
  }
}

/** The same in the signs of the parser: `/s`, ℃, º in place of °, `mm Hg`, `lb/in.²`, a minus as it is set. */
const asTyped = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/^\s*\//, '1/')
    .replace(/℃/g, '°C')
    .replace(/℉/g, '°F')
    .replace(/[º˚](?=\s*[CF])/g, '°')
    .replace(/[−–](?=\d)/g, '-')
    .replace(/\bin\.(?![\p{L}\d])/gu, 'in')
    .replace(/H₂O/g, 'H2O')
    .replace(/\b(mm|cm|m|in|ft)\s(?=Hg\b|H2O\b)/g, '$1');

type Bare = Omit<Unit, 'text'>;

const token =
  /\s*(?:(\p{L}+?H2O|°\p{L}*|[\p{L}%‰_]+(?:-\p{L}+)*|1)|(\^\s*([+-]?\d{1,3}(?:\s*\/\s*\d{1,2})?|\(\s*[+-]?\d{1,3}(?:\s*\/\s*\d{1,2})?\s*\)))|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?<=\p{L})-?\d{1,2}(?!\d))|([*·×⋅∙•/()]|(?<=\S)-(?=[\p{L}°])))\s*/uy;
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
    if (unit.hasDegree && sameDimension(unit.dimension, kelvin))
      throw new UnitError(
        'A degree in a product is a difference, and here the product is one: write delta_degC or delta_degF.',
        'delta_degC or delta_degF for a difference, degC or degF alone for a temperature',
      );
    return unit;
  }

  #next(): void {
    token.lastIndex = this.#at;
    this.#match = token.exec(this.#text);
    if (!this.#match) return;
    this.#at = token.lastIndex;
    const [first, ...others] = this.#match[1]?.split('-') ?? [];
    if (first === undefined || others.length === 0 || isName(this.#match[1]!)) return;
    this.#at = this.#begins() + first.length;
    this.#match[0] = this.#text.slice(this.#match.index, this.#at);
    this.#match[1] = first;
  }

  #stands(sign: string): boolean {
    return this.#match?.[5] === sign;
  }

  #take(): string {
    const taken = this.#match![0].trim();
    this.#next();
    return taken;
  }

  #fail(why = 'it is not made of symbols, * / ^ and parentheses', near?: () => string | undefined): never {
    throw new UnitError(`The unit text cannot be read: ${why}.`, undefined, near);
  }

  #product(): Bare {
    const start = this.#begins();
    let left = this.#joined();
    let word = written(this.#text.slice(start, this.#begins()));
    let slash: number | undefined;
    let behind: number | undefined;
    while (this.#match && this.#match[5] !== ')') {
      const at = this.#begins();
      const divides = this.#match[5] === '/';
      if (!divides && slash !== undefined) behind ??= at;
      else if (divides && behind === undefined) slash = at;
      if (this.#match[5] && this.#match[5] !== '(') this.#take();
      else if (this.#match[2] || this.#match[4]) this.#fail();
      const from = this.#begins();
      const right = this.#joined();
      const next = written(this.#text.slice(from, this.#begins()));
      const meant = divides ? undefined : twoReadings(word, next);
      if (meant !== undefined) this.#refuseTwoReadings(`${word}*${next}`, meant);
      word = next;
      left = combine(
        left,
        divides
          ? {
              scale: invert(right.scale),
              dimension: over(dimensionless, right.dimension),
              counts: over(nothing, right.counts),
              ...(hasDegree(right) ? { hasDegree: true as const } : {}),
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

  #refuseTwoReadings(name: string, meant: string): never {
    throw new UnitError(`The unit text cannot be read: ${name} has two readings, write ${meant}.`, meant);
  }

  /** A hyphen binds tighter than a / before it, as in W/m-K, and joins no masses: kg-m is a torque to some. */
  #joined(): Bare {
    const start = this.#begins();
    let left = this.#power();
    let isJoined = false;
    while (this.#match && this.#stands('-')) {
      this.#take();
      const right = this.#power();
      const parts = isJoined ? [right] : [left, right];
      if (parts.some(isAmount))
        this.#fail(
          `write a product as ${written(this.#text.slice(start, this.#begins())).replaceAll('-', '*')}`,
        );
      isJoined = true;
      left = combine(left, right);
    }
    return left;
  }

  #power(): Bare {
    const base = this.#atom();
    const exponent =
      this.#match?.[3]?.replace(/[()]/g, '') ?? (this.#match?.[4] ? plainDigits(this.#match[4]) : undefined);
    if (exponent === undefined) return base;
    this.#take();
    const [above, below = '1'] = exponent.split('/');
    if (/^[-+]?0(?!\.)/.test(above!))
      this.#fail('a power of 0, or one that begins with 0, is no unit', () =>
        isGram(base) ? meantBy('gn') : undefined,
      );
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
    if (meant !== undefined) this.#refuseTwoReadings(name, meant);
    const scale = degrees.has(name) ? /^[CFKR]$/.exec(this.#match?.[1] ?? '')?.[0] : undefined;
    if (scale !== undefined) this.#fail(`write deg${scale} for a temperature, or deg*${scale}`);
    const known = symbol(name);
    if (known && name.includes('-') && (this.#match?.[3] ?? this.#match?.[4]) !== undefined)
      this.#fail(
        `it is not said what of ${name} is raised, write ${name.replaceAll('-', '*')} with its exponents`,
      );
    if (/^[CFK]$/.test(name) && this.#match?.[1] === '°')
      this.#fail(`${name}° is no unit`, () => (name === 'K' ? name : `°${name}`));
    return known ?? this.#fail(`it names no unit that is known: ${name}`, () => meantBy(name));
  }
}

/** A part of a product with its signs: `m2 K` is m^2*K. */
const written = (part: string): string =>
  part
    .trim()
    .replace(/^[*·×⋅]\s*/u, '')
    .replace(/(\p{L})(-?\d{1,2})(?![\d\p{L}])/gu, '$1^$2')
    .replace(/\s*[*·×⋅]\s*|(?<=[^\s/(^])\s+(?=[^\s/)^])/gu, '*');

const degrees: ReadonlySet<string> = new Set(['deg', '°', 'degree', 'degrees']);

const nothing = counted.map(() => 0);

const kelvin = dimension({ K: 1 });
const amounts = [dimension({ kg: 1 }), dimension({ mol: 1 })];
const isAmount = (unit: Bare): boolean => amounts.some((amount) => sameDimension(amount, unit.dimension));
const isGram = (unit: Bare): boolean => unit.scale.d === 1000n && sameDimension(unit.dimension, amounts[0]!);
const isName = (text: string): boolean => symbol(text) !== undefined || ambiguous.has(text);
const hasDegree = (unit: Bare): boolean => unit.offset !== undefined || unit.hasDegree === true;

const raisedDigit = (c: string): string => (superscripts.includes(c) ? String(superscripts.indexOf(c)) : c);

function plainDigits(text: string): string {
  return [...text].map((c) => (c === '⁻' ? '-' : c === '⁺' ? '+' : raisedDigit(c))).join('');
}

/** A symbol of the table, or one with a prefix before it. */
function symbol(name: string): Bare | undefined {
  const word = symbolOfName(name);
  if (word !== undefined) return symbol(word);
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
  return limited({
    scale: multiply(a.scale, b.scale),
    dimension: times(a.dimension, b.dimension),
    counts: times(a.counts, b.counts),
    ...(hasDegree(a) || hasDegree(b) ? { hasDegree: true as const } : {}),
  });
}

function powerOf(base: Bare, sixtieths: number): Bare {
  const [raisedDimension, counts] = [raised(base.dimension, sixtieths), raised(base.counts, sixtieths)];
  if (!raisedDimension || !counts)
    throw new UnitError('The unit text cannot be read: an exponent is no multiple of 1/60.');
  const scale = power(base.scale, sixtieths);
  const unit = { scale, dimension: raisedDimension, counts };
  return hasDegree(base) ? { ...unit, hasDegree: true } : unit;
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
