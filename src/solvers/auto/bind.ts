import { printable } from '../../errors/printable.ts';
import { Refusal } from '../../errors/refusal.ts';
import { converter } from '../../units/conversion.ts';
import { sameDimension } from '../../units/dimension.ts';
import { parseUnit, UnitError } from '../../units/unit.ts';
import { onceFor } from './once.ts';
import type { Patch, Ratio, Target } from './target.ts';
import { cutNumber, numbersIn, type Quantity, type Span, strangeUnit } from './text.ts';

/** One value that was taken from the text or from `constants`: where it went and what was read. */
export interface Bound {
  readonly field: string;
  readonly text: string;
}

export interface Binding {
  readonly body: Record<string, unknown>;
  readonly bound: readonly Bound[];
}

type Value = { readonly value: unknown; readonly text: string; readonly at?: Span };

const weak = String.raw`\s*(?:,?\s*(?:=|:|≈|~|is|are|was|of|equals|equal to|being|be))?(?:\s+(?:at|about|to))?\s*(?:an?\s|the\s)?\s*`;
const strong = String.raw`\s*(?:=|:|≈|\sis\s|\sequals\s|\sof\s)\s*`;

interface Name {
  readonly path: string;
  readonly length: number;
  readonly pattern: RegExp;
  /** Its last word in lower case: without it there is nothing to match. */
  readonly word: string;
  /** Right before another name of the same path. */
  readonly apposed?: RegExp;
  /** Where it stands; a preposition says less than a noun on either side. */
  readonly kind: 'before' | 'after' | 'preposition';
}

const prepositions = new Set(['over', 'for', 'until', 'within', 'after', 'during', 'in', 'at', 'from']);
/** The names of a target as patterns, the longest first. */
const namesOf = onceFor((target: Target): readonly Name[] => {
  const ratios = (target.ratios ?? []).map(({ names: [path, ...others] }): [string, readonly string[]] => [
    path!,
    [path!, ...others],
  ]);
  const names = [...Object.entries(target.names), ...ratios].flatMap(([path, texts]) =>
    texts.map((text) => nameOf(path, text)),
  );
  return names.sort((a, b) => b.length - a.length);
});

/** Every place that a pattern of a rule finds. */
const everywhere = onceFor((pattern: RegExp) => new RegExp(pattern, `${pattern.flags}g`));

function nameOf(path: string, text: string): Name {
  const isAfter = text.startsWith('# ');
  const name = isAfter ? text.slice(2) : text;
  const written = name.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(' ', String.raw`[\s-]+`);
  const flags = /\p{Lu}/u.test(name) || [...name].length === 1 ? 'u' : 'iu';
  // ‘A 2 m string’ is no amplitude.
  const isShort = [...name].length === 1 && (name === 'A' || !/\p{Lu}/u.test(name));
  const pattern = isAfter
    ? new RegExp(String.raw`^[\s-]*${written}(?![\p{L}\p{N}_])`, flags)
    : new RegExp(String.raw`(?<![\p{L}\p{N}_])${written}${isShort ? strong : weak}$`, flags);
  const kind = isAfter ? 'after' : prepositions.has(name) ? 'preposition' : 'before';
  const apposed = new RegExp(String.raw`(?<![\p{L}\p{N}_])${written}\s+$`, flags);
  const word = name.toLowerCase().split(' ').at(-1)!;
  return { path, length: name.length, pattern, word, ...(!isAfter && { apposed }), kind };
}

/** How far before a number its name may begin. */
const REACH = 60;

/** Puts together a target's request from what the text says; guesses nothing. */
export class Binder {
  readonly #target: Target;
  readonly #text: string;
  readonly #numbers: readonly Span[];
  readonly #lists: ReadonlySet<string>;
  readonly #values = new Map<string, Value>();
  readonly #consumed: Span[] = [];
  /** Every stretch of the text that was understood. */
  readonly #placed: Span[] = [];
  /** The numbers that were bound without a unit, by their path. */
  readonly #plain = new Map<string, Quantity>();

  /** `lists`: the paths that take lists alone. */
  constructor(target: Target, text: string, lists: ReadonlySet<string>) {
    this.#target = target;
    this.#text = text;
    this.#numbers = numbersIn(text);
    this.#lists = lists;
  }

  /** Special forms and words: the first that says something about a path holds. */
  readWords(): void {
    for (const reading of this.#target.readings ?? []) {
      const read = reading(this.#text);
      if (!read) continue;
      this.#refuseCut(read);
      this.#set(read.patch, read);
    }
    for (const [pattern, patch] of this.#target.rules ?? []) {
      const match = pattern.exec(this.#text);
      if (!match) continue;
      const said = typeof patch === 'function' ? patch(match) : patch;
      if (!said) continue;
      const span = { start: match.index, end: match.index + match[0].length };
      this.#refuseCut(span);
      this.#placeAll(pattern);
      this.#set(said, span, typeof patch === 'function' || /\\d|\d/.test(pattern.source));
    }
  }

  /** Numbers: by their name, else by a unit that only one input has, else refused. */
  readNumbers(quantities: readonly Quantity[], unitOf: (path: string) => string | undefined): void {
    const nameless: Quantity[] = [];
    for (const quantity of quantities) {
      if (this.#isConsumed(quantity.start, quantity.end)) continue;
      if (quantity.doubt) throw quantity.doubt;
      const named = this.#named(quantity, unitOf);
      if (named === undefined) nameless.push(quantity);
      else this.#bind(named.path, quantity, unitOf);
      this.#placed.push(named?.span ?? quantity);
    }
    for (const quantity of nameless) this.#bind(this.#onlyFit(quantity, unitOf), quantity, unitOf);
    this.#refuseUnsaidUnits(unitOf);
    this.#refusePlainAngles();
  }

  /** Where the words stand that were understood. */
  get placed(): readonly Span[] {
    return this.#placed;
  }

  /** @throws Refusal AMBIGUOUS_QUERY where an input was given that the chosen answer does not use */
  refuseUnused(): void {
    for (const { when, unused } of this.#target.unused ?? []) {
      if (!this.#says(when)) continue;
      const given = unused.filter((path) => this.#values.has(path));
      if (given.length === 0) continue;
      const chosen = Object.entries(when).map(([path, value]) => `${path} ${value}`);
      throw new Refusal(
        'AMBIGUOUS_QUERY',
        `${given.join(', ')} was given, and ${chosen.join(', ')} does not use it.`,
        { field: 'query', route: this.#target.id, inputs: given, accepts: 'an answer that uses each input' },
      );
    }
  }

  #says(when: Patch): boolean {
    return Object.entries(when).every(([path, value]) => this.#values.get(path)?.value === value);
  }

  /** `constants`: symbol → value. They fill what the text leaves open and override nothing. */
  readConstants(constants: Readonly<Record<string, unknown>>, paths: readonly string[]): void {
    for (const [symbol, value] of Object.entries(constants)) {
      const path = this.#pathOfSymbol(symbol, paths);
      const before = this.#values.get(path);
      const text = JSON.stringify(value);
      if (before && JSON.stringify(before.value) !== text)
        conflict(path, before.text, `constants.${symbol} = ${text}`);
      this.#values.set(path, { value, text: `constants.${symbol}` });
    }
  }

  /** What the text says is the same number; where both are given, they are it. */
  readSame(): void {
    for (const { pattern, paths } of this.#target.same ?? []) {
      const match = pattern.exec(this.#text);
      if (!match) continue;
      this.#placed.push({ start: match.index, end: match.index + match[0].length });
      const [first, second] = paths.map((path) => this.#values.get(path));
      if (first && second && JSON.stringify(first.value) !== JSON.stringify(second.value))
        conflict(paths[1], second.text, `${match[0]}, where ${paths[0]} is ${first.text}`);
      const { value } = first ?? second ?? this.#refuseNeither(paths, match[0]);
      for (const path of paths)
        if (!this.#values.has(path)) this.#values.set(path, { value, text: match[0] });
    }
  }

  #refuseNeither(paths: readonly string[], text: string): never {
    const accepts = paths.map((path) => `${path} = …`);
    throw new Refusal(
      'INVALID_INPUT',
      `${printable(text)} says that ${paths.join(' and ')} are the same; neither is given.`,
      { field: paths[0]!, route: this.#target.id, accepts },
    );
  }

  /** A pure number such as Re in place of the input that it fixes by the others; they are given, or it is refused. */
  readRatios(unitOf: (path: string) => string | undefined): void {
    for (const ratio of this.#target.ratios ?? []) {
      const name = ratio.names[0]!;
      const given = this.#values.get(name);
      if (!given) continue;
      const number = given.value;
      if (typeof number !== 'number' || number <= 0) refuseRatio(name, given.text, 'a pure number above 0');
      const otherwise = ratio.otherwise?.(number, (path) => this.#values.get(path)?.value);
      if (otherwise !== undefined) refuseRatio(name, given.text, otherwise);
      const before = this.#values.get(ratio.path);
      if (before) conflict(ratio.path, before.text, given.text);
      this.#values.delete(name);
      const text = `${name} = ${given.text}`;
      this.#values.set(ratio.path, { ...given, text, value: this.#product(ratio, number, unitOf) });
    }
  }

  #product(
    { names, path, power, factors }: Ratio,
    number: number,
    unitOf: (path: string) => string | undefined,
  ) {
    const parts = factors.map((factor) => {
      const sent = this.#values.get(factor)?.value;
      const [value, unit] =
        typeof sent === 'number' ? [sent, unitOf(factor)] : isQuantity(sent) ? [sent.value, sent.unit] : [];
      if (value === undefined)
        throw new Refusal('INVALID_INPUT', `${names[0]} gives ${path} only with ${factors.join(' and ')}.`, {
          field: factor,
          route: this.#target.id,
          accepts: factors.map((each) => `${each} = …`),
        });
      return { value, unit };
    });
    const scale = power === 1 ? number : 1 / number;
    const value = parts.reduce((product, part) => product * part.value, scale);
    return { value, unit: parts.map(({ unit }) => `(${unit})`).join('*') };
  }

  binding(): Binding {
    const body: Record<string, unknown> = {};
    for (const [path, { value }] of this.#values) if (value !== undefined) put(body, path.split('.'), value);
    return { body, bound: [...this.#values].map(([field, { text }]) => ({ field, text })) };
  }

  // ---- names -------------------------------------------------------------------------------------------

  /** A name counts whose input is in such units, or that stands before the sign of an equation. */
  #named(quantity: Quantity, unitOf: (path: string) => string | undefined) {
    const { start, unit } = quantity;
    const isEquated = /[=:]\s*$/.test(this.#text.slice(Math.max(0, start - 3), start));
    return this.#nameOf(quantity, (path) => {
      const wanted = unitOf(path);
      return isEquated || unit === undefined || unit === '%' || wanted === undefined || fits(unit, wanted);
    });
  }

  #nameOf(
    { start, end }: Quantity,
    isFor: (path: string) => boolean,
  ): { readonly path: string; readonly kind: Name['kind']; readonly span: Span } | undefined {
    const before = this.#text.slice(Math.max(0, start - REACH), start);
    const after = this.#text.slice(end, end + REACH);
    const [lowerBefore, lowerAfter] = [before.toLowerCase(), after.toLowerCase()];
    const names = namesOf(this.#target);
    const find = (wanted: Name['kind'], text: string, lower: string) =>
      names.find(
        ({ path, pattern, kind, word }) =>
          kind === wanted && lower.includes(word) && pattern.test(text) && isFor(path),
      );
    const found =
      find('before', before, lowerBefore) ??
      find('after', after, lowerAfter) ??
      find('preposition', before, lowerBefore);
    if (!found) return undefined;
    const isAfter = found.kind === 'after';
    const length = found.pattern.exec(isAfter ? after : before)![0].length;
    const { path, kind } = found;
    if (isAfter) return { path, kind, span: { start, end: end + length } };
    return { path, kind, span: { start: this.#startOfNames(found.path, start - length), end } };
  }

  /** Of ‘length L = 1 m’ and ‘until t = 5 s’ the first word names the same input. */
  #startOfNames(path: string, start: number): number {
    const before = this.#text.slice(Math.max(0, start - REACH), start);
    const other = namesOf(this.#target).find((name) => name.path === path && name.apposed?.test(before));
    return start - (other?.apposed?.exec(before)?.[0].length ?? 0);
  }

  #onlyFit(quantity: Quantity, unitOf: (path: string) => string | undefined): string {
    const { byUnit = [] } = this.#target;
    const free = byUnit.filter((path) => !this.#values.has(path) && fits(quantity.unit, unitOf(path)));
    const [only, ...others] = free;
    if (only !== undefined && others.length === 0) return only;
    if (free.length === 0) this.#refuseMisfit(quantity, unitOf);
    this.#refuseUnclear(quantity, free.length > 0 ? free : Object.keys(this.#target.names));
  }

  /** What a rule or a reading would take is a part of a number that it cannot read whole. */
  #refuseCut(span: Span): void {
    const cut = cutNumber(this.#numbers, span);
    if (!cut) return;
    const text = this.#text.slice(cut.start, cut.end);
    const accepts = 'a plain number, such as 1500 or 0.5';
    throw new Refusal(
      'INVALID_INPUT',
      `${printable(text)} cannot be read where it stands; accepted: ${accepts}.`,
      {
        ...{ field: 'query', route: this.#target.id, text, accepts },
      },
    );
  }

  /** The only name beside it is of an input in other units. */
  #refuseMisfit(quantity: Quantity, unitOf: (path: string) => string | undefined): void {
    const named = this.#nameOf(quantity, () => true);
    const unit = named && unitOf(named.path);
    if (unit === undefined || named!.kind === 'preposition') return;
    const text = this.#text.slice(quantity.start, quantity.end);
    const accepts = [`${named!.path} in ${unit}`, 'the name of another input'];
    throw new Refusal(
      'INVALID_INPUT',
      `${printable(text)} stands beside a name of ${named!.path}, which is in ${unit}; accepted: ${accepts.join(', or ')}.`,
      { field: 'query', route: this.#target.id, text, accepts },
    );
  }

  #refuseUnclear({ start, end }: Span, paths: readonly string[]): never {
    const text = this.#text.slice(start, end);
    const accepts = paths.map((path) => `${path} = …`);
    const message = `It is not clear what ${printable(text)} is; write its name before it.`;
    throw new Refusal('INVALID_INPUT', message, { field: 'query', route: this.#target.id, text, accepts });
  }

  #pathOfSymbol(symbol: string, paths: readonly string[]): string {
    if (paths.includes(symbol)) return symbol;
    const named = Object.entries(this.#target.names).filter(([, names]) => names.includes(symbol));
    if (named.length === 1) return named[0]![0];
    throw new Refusal('INVALID_INPUT', `${this.#target.id} has no input ${printable(symbol)}.`, {
      field: `constants.${symbol}`,
      route: this.#target.id,
      accepts: paths,
    });
  }

  // ---- values ------------------------------------------------------------------------------------------

  #bind(path: string, quantity: Quantity, unitOf: (path: string) => string | undefined): void {
    if (quantity.unit === undefined && hasUnit(unitOf(path))) this.#refuseStrangeUnit(path, quantity);
    this.#refuseDoubtfulShare(path, quantity);
    if (quantity.unit === undefined) this.#plain.set(path, quantity);
    const text = this.#text.slice(quantity.start, quantity.end);
    const isOne = typeof quantity.value === 'number' && this.#lists.has(path);
    const unit = quantity.unit && unitThere(quantity.unit, unitOf(path));
    const value = sent({
      ...quantity,
      ...(isOne && { value: [quantity.value as number] }),
      ...(unit && { unit }),
    });
    const before = this.#values.get(path);
    if (before && JSON.stringify(before.value) !== JSON.stringify(value)) conflict(path, before.text, text);
    this.#values.set(path, { value, text, at: quantity });
  }

  /** Five per cent of something, or 5 where 5 % are meant. */
  #refuseDoubtfulShare(path: string, { value, unit, start, end }: Quantity): void {
    const { shares = {} } = this.#target;
    const most = shares[path];
    const isShare = unit === '%';
    const isDoubtful = most === undefined ? isShare : !isShare && unit === undefined && Number(value) >= most;
    if (!isDoubtful) return;
    const text = this.#text.slice(start, end);
    const accepts = isShare
      ? 'a number of its own, not a share'
      : `${value}%, or ${sent({ value, unit: '%', start, end })}`;
    const is = isShare ? 'is a share of something' : 'would be a hundred times as many per cent';
    throw new Refusal('INVALID_INPUT', `${printable(text)} for ${path} ${is}; accepted: ${accepts}.`, {
      ...{ field: 'query', route: this.#target.id, text, accepts },
    });
  }

  /** ‘Released from 60’ is in degrees, and a plain number is in radians. */
  #refusePlainAngles(): void {
    for (const { when, path } of this.#target.angles ?? []) {
      const plain = this.#plain.get(path);
      if (!plain || !this.#says(when) || !(Math.abs(Number(plain.value)) > Math.PI)) continue;
      this.#refuseTwoUnits(path, plain, ['rad', 'deg'], 'as an angle');
    }
  }

  /** Who counts time in days in one place means no seconds in another by a number alone. */
  #refuseUnsaidUnits(unitOf: (path: string) => string | undefined): void {
    const { shares = {} } = this.#target;
    for (const [path, quantity] of this.#plain) {
      const unit = unitOf(path)?.split(' or ')[0];
      if (!hasUnit(unit) || Object.hasOwn(shares, path) || this.#isConsumed(quantity.start, quantity.end))
        continue;
      for (const [other, { value, text }] of this.#values) {
        const meant =
          isQuantity(value) && other !== path ? otherReading(quantity.value, unit!, value.unit) : undefined;
        if (meant === undefined) continue;
        this.#refuseTwoUnits(path, quantity, [unit!, meant], `beside ${printable(text)}`);
      }
    }
  }

  #refuseTwoUnits(
    path: string,
    { start, end }: Span,
    units: readonly [string, string],
    where: string,
  ): never {
    const number = this.#text.slice(start, end);
    const accepts = units.map((unit) => `${number} ${unit}`);
    throw new Refusal(
      'INVALID_INPUT',
      `It is not clear whether ${printable(number)} for ${path} is in ${units.join(' or in ')}, ${where}; write its unit.`,
      { field: 'query', route: this.#target.id, text: number, accepts },
    );
  }

  /** A name of an input may stand there as well, before its own number. */
  #refuseStrangeUnit(path: string, quantity: Quantity): void {
    const word = strangeUnit(this.#text, quantity);
    if (word === undefined) return;
    const rest = this.#text.slice(quantity.end).trimStart().toLowerCase();
    const isName = (name: string): boolean =>
      rest.startsWith(name) && !/^[\p{L}\d]/u.test(rest.slice(name.length));
    const names = Object.values(this.#target.names).flat();
    if (names.some((name) => isName(name.replace(/^# /, '').toLowerCase()))) return;
    const text = `${this.#text.slice(quantity.start, quantity.end)} ${word}`;
    const accepts = 'a unit such as m, km/h or days, or a comma behind a plain number';
    throw new Refusal(
      'INVALID_INPUT',
      `${printable(text)} for ${path} ends in no unit that is known; accepted: ${accepts}.`,
      { field: 'query', route: this.#target.id, text, accepts },
    );
  }

  #set(patch: Patch, span: Span, isConsuming = true): void {
    const text = this.#text.slice(span.start, span.end).slice(0, 200);
    this.#placed.push(span);
    for (const [path, value] of Object.entries(patch)) {
      const before = this.#values.get(path);
      if (!before) this.#values.set(path, { value, text, at: span });
      else if (before.at && apart(before.at, span) && JSON.stringify(before.value) !== JSON.stringify(value))
        refuseTwo(this.#target.id, path, before, { value, text });
    }
    if (isConsuming) this.#consumed.push(span);
  }

  /** A rule that is said twice says the same twice, unless it reads a number. */
  #placeAll(pattern: RegExp): void {
    if (/\\d/.test(pattern.source)) return;
    for (const { index, 0: said } of this.#text.matchAll(everywhere(pattern)))
      this.#placed.push({ start: index, end: index + said.length });
  }

  #isConsumed(start: number, end: number): boolean {
    return this.#consumed.some((span) => start < span.end && end > span.start);
  }
}

const apart = (a: Span, b: Span): boolean => a.end <= b.start || b.end <= a.start;

/** Two answers, or two values of one choice, in one question. */
function refuseTwo(route: string, path: string, first: Value, second: Value): never {
  const [one, other] = [first, second].map(({ text, value }) => `${printable(text)} (${value})`);
  throw new Refusal('AMBIGUOUS_QUERY', `The text says two things for ${path}: ${one} and ${other}.`, {
    field: 'query',
    route,
    words: [first.text, second.text],
    accepts: `one ${path} for each question`,
  });
}

/** Per cent are hundredths wherever they stand: in one rounding, for 5e-2 is the double next to 0.05. */
function sent({ value, unit }: Quantity): unknown {
  if (unit === undefined) return value;
  if (unit === '%')
    return typeof value === 'number' ? Number(`${value}e-2`) : value.map((x) => Number(`${x}e-2`));
  return { value, unit };
}

/** Where a temperature belongs, the C of 20 C is no coulomb and the F no farad. */
function unitThere(unit: string, wanted: string | undefined): string {
  const degree = unit === 'C' || unit === 'F' ? `deg${unit}` : undefined;
  return degree && wanted?.split(' or ').includes('K') ? degree : unit;
}

function fits(said: string | undefined, wanted: string | undefined): boolean {
  if (said === undefined || wanted === undefined) return false;
  const unit = unitThere(said, wanted);
  const alternatives = wanted.split(' or ').filter((each) => each !== 'any');
  return alternatives.some((each) => sameDimension(parseUnit(unit).dimension, parseUnit(each).dimension));
}

/** undefined where one of them counts something else, such as turns. */
function conversionOf(from: string, to: string): ((value: number) => number) | undefined {
  if (!sameDimension(parseUnit(from).dimension, parseUnit(to).dimension)) return undefined;
  try {
    return converter(from, to);
  } catch (error) {
    if (error instanceof UnitError) return undefined;
    throw error;
  }
}

/** The unit that a plain number beside `given` may be in, where it would be another number than in `unit`. */
function otherReading(value: number | readonly number[], unit: string, given: string): string | undefined {
  const numbers = typeof value === 'number' ? [value] : value;
  for (const [wanted, meant] of [
    [unit, given],
    [`1/(${unit})`, /^\p{L}+$/u.test(given) ? `1/${given}` : `1/(${given})`],
  ] as const) {
    const convert = conversionOf(given, wanted);
    if (!convert) continue;
    const isSame = convert(1) === 1 && convert(0) === 0;
    const isNothing = convert(0) === 0 && numbers.every((number) => number === 0);
    return isSame || isNothing ? undefined : meant;
  }
  return undefined;
}

const isQuantity = (sent: unknown): sent is { readonly value: number; readonly unit: string } =>
  typeof sent === 'object' &&
  sent !== null &&
  'unit' in sent &&
  'value' in sent &&
  typeof sent.value === 'number';

function refuseRatio(name: string, text: string, accepts: string): never {
  throw new Refusal('INVALID_INPUT', `${name} is ${printable(text)}; accepted: ${accepts}.`, {
    field: 'query',
    text,
    accepts,
  });
}

function conflict(path: string, first: string, second: string): never {
  throw new Refusal(
    'INVALID_INPUT',
    `${path} is given twice: ${printable(first)} and ${printable(second)}.`,
    {
      field: path,
      accepts: 'one value for each input',
    },
  );
}

/** Whether a plain number for it is in a unit. */
const hasUnit = (unit: string | undefined): boolean => unit !== undefined && unit !== '1' && unit !== 'any';

/** Sets a value at a path; a number in the path is a place in a list. */
function put(target: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[key!] = value;
    return;
  }
  target[key!] ??= /^\d+$/.test(rest[0]!) ? [] : {};
  put(target[key!] as Record<string, unknown>, rest, value);
}
