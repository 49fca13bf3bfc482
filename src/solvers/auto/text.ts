import { printable } from '../../errors/printable.ts';
import { Refusal } from '../../errors/refusal.ts';
import { symbolOfName } from '../../units/names.ts';
import { isUnit, parseUnit, UnitError } from '../../units/unit.ts';

/** A stretch of the text, from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A number, or a list of them in brackets, with its unit, as it stands in the text. */
export interface Quantity extends Span {
  readonly value: number | readonly number[];
  /** Unit text of src/units, or undefined where none was written. */
  readonly unit?: string;
  /** Why its unit cannot be told; of a number that words have taken, such as the 3 of 3D, that does not matter. */
  readonly doubt?: Refusal;
}

/** Numbers that are written as words before a time; ‘one second’ may go on as an ordinal. */
export const numberWords: ReadonlyMap<string, number> = new Map(
  'one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, i) => [word, i + 1]),
);
const countedTimes = new RegExp(
  String.raw`\b(${[...numberWords.keys()].join('|')}) (?=(?:seconds|(?:minute|hour|day|week|month|year)s?)\b)`,
  'gi',
);

const parts: ReadonlyMap<string, number> = new Map([
  ['half', 0.5],
  ['a quarter of', 0.25],
]);
const TIME = '(?:second|minute|hour|day|week|month|year)';
const partTimes = new RegExp(String.raw`\b(half|a quarter of) an? (${TIME})\b`, 'gi');
const COUNT = String.raw`(an?|\d+|${[...numberWords.keys()].join('|')})`;
const timesAndHalf = new RegExp(
  String.raw`\b${COUNT} (?:(${TIME}s?) and a half\b|and a half (${TIME}s)\b)`,
  'gi',
);

/** ‘(10 cm, 5 cm)’ is (10, 5) cm. */
const unitsInList = /\(\s*([-+\d.eE]+) ?(\p{L}+)((?:\s*,\s*[-+\d.eE]+ ?\2)+)\s*\)/gu;
/** ‘at x = 0.2 m, y = 0.1 m’ is a point. */
const coordinates =
  /\bat x ?= ?([-+\d.eE]+)( ?\p{L}+)?(?:,? and |, ?| )y ?= ?([-+\d.eE]+)\2(?![\p{L}\d]|,? (?:and )?z\b)/gu;
/** ‘20 degrees Celsius’, ‘20 deg C’: the degree of an angle, or of a difference, stands alone. */
const degrees = /(?<=\d) ?deg(?:rees?|\.)? ?(?:(c)(?:elsius|entigrade)?|(f)(?:ahrenheit)?)(?![\p{L}\d])/giu;
/** A rate as the time that it takes: 1/(5 days). */
const inverse = /(?<![\p{L}\d.)^/*] ?)1 ?\/ ?\( ?(\d+(?:\.\d+)?|\.\d+) ?(\p{L}+) ?\)/gu;
/** ½ and 1½; what has no short decimal stays as it is. */
const vulgar = /(?<![\p{L}\d.,])(\d*)([½¼¾])/gu;
const vulgarDecimals: ReadonlyMap<string, string> = new Map([
  ['½', '.5'],
  ['¼', '.25'],
  ['¾', '.75'],
]);
/** ‘over a year’; a second may be an ordinal. */
const oneTime = /\b(over|for|after|within|in|until) an? (?=(?:minute|hour|day|week|month|year)\b)/gi;

const currencySigns: ReadonlyMap<string, string> = new Map([
  ['$', 'USD'],
  ['dollar', 'USD'],
  ['€', 'EUR'],
  ['euro', 'EUR'],
  ['£', 'GBP'],
  ['¥', 'JPY'],
]);
const currencies = /[$€£¥]|(?<=\d) ?(?:EUR|USD|GBP|CHF|JPY|euros?|dollars?)(?![\p{L}\d])/gu;
const currencyOf = (said: string): string => {
  const word = said.trim().replace(/s$/, '');
  return currencySigns.get(word) ?? word;
};
/** Prices in two currencies are no plain numbers beside each other. */
const oneCurrency = (query: string): boolean =>
  new Set((query.match(currencies) ?? []).map(currencyOf)).size < 2;

/**
 * A question made plain: NFKC, one kind of minus and of space, no currency where there is but one; powers as ^n, so that units survive, and
 * six months as 6 months, half a year and two and a half hours as 0.5 year and 2.5 hours.
 */
export function plainText(query: string): string {
  return query
    .replace(vulgar, (_, whole: string, part: string) => `${whole || 0}${vulgarDecimals.get(part)}`)
    .replace(/⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (power) => `^${power.normalize('NFKC')}`)
    .normalize('NFKC')
    .replace(/[−‐‑‒–—]/g, '-')
    .replace(currencies, oneCurrency(query) ? '' : '$&')
    .replace(/[\s\u200b]+/g, ' ')
    .replace(/(?<=\d) ?per ?cent\b/gi, '%')
    .replace(inverse, (_, time: string, unit: string) => `${1 / Number(time)} 1/${unit}`)
    .replace(degrees, (_, celsius?: string) => ` ${celsius ? 'degC' : 'degF'}`)
    .replace(partTimes, (_, part: string, unit: string) => `${parts.get(part.toLowerCase())} ${unit}`)
    .replace(timesAndHalf, (_, count: string, unit: string, other?: string) => {
      const word = count.toLowerCase();
      const whole = numberWords.get(word) ?? (/^an?$/.test(word) ? 1 : Number(count));
      return `${whole + 0.5} ${unit || other}`;
    })
    .replace(countedTimes, (_, word: string) => `${numberWords.get(word.toLowerCase())} `)
    .replace(oneTime, '$1 1 ')
    .replace(
      unitsInList,
      (_, first: string, unit: string, others: string) => `(${first}${others.replaceAll(unit, '')}) ${unit}`,
    )
    .replace(coordinates, (_, x: string, unit = '', y: string) => `at the point (${x}, ${y})${unit}`)
    .trim();
}

/** Lower-case words, whole numbers and names such as lj38, in order, without the ’s of Hardy’s; what else stands between separates. */
export function wordsOf(text: string): (Span & { readonly word: string; readonly isValue: boolean })[] {
  return [...text.matchAll(/(?<!\p{L}['’](?=s(?![\p{L}\d])))\p{L}+\d*|\d+/gu)].map((match) => ({
    word: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
    isValue: /=\s*$/.test(text.slice(Math.max(0, match.index - 3), match.index)),
  }));
}

/** The point of ‘at 52. Price …’ ends the sentence. */
const NUMBER = String.raw`[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:(?<=\d)\.(?!\s+\p{Lu}|\s*$)\d*|\.\d+)?(?:(?<=[\d.])[eE][+-]?\d+)?`;
const POWER = String.raw`(?:\s*[x×·*]\s*10\^(?<power>[+-]?\d+)|(?<=(?<![\d.,])10)\^(?<ofTen>[+-]?\d+))?`;
const FRACTION = String.raw`(?:\s*\/\s*(?<over>\d+(?:\.\d+)?)(?![\w^.]))?`;
const MAGNITUDE = String.raw`(?:\s+(?<magnitude>thousand|million|billion)\b)?`;
const quantityText = new RegExp(
  String.raw`(?<![\p{L}\d_.^])(?<number>${NUMBER})(?<=[\d.])${POWER}${FRACTION}${MAGNITUDE}`,
  'gu',
);
/** A number in a rule of a target, to be read by `numeralValue`. */
export const NUMERAL = String.raw`(?<![\d.,])(?:10\^\d{1,2}|(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE]\+?\d+)?)`;
export const numeralValue = (numeral: string): number =>
  Number(numeral.replaceAll(',', '').replace(/^10\^/, '1e'));

const listText = /[[(]\s*([+-]?[\d.][\d.eE+-]*(?:\s*[,;]\s*[+-]?[\d.][\d.eE+-]*)+)\s*[\])]/g;
const magnitudes: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

/** The numbers of a text, as they are written. */
export const numbersIn = (text: string): Span[] =>
  [...text.matchAll(quantityText)]
    .filter(([said]) => /\d/.test(said))
    .map(({ 0: said, index }) => ({
      start: index + (/^[+-]/.test(said) ? 1 : 0),
      end: index + said.trimEnd().length,
    }));

/**
 * The number within which a stretch of the text begins or ends: of 1,500 a rule that knows no commas would read the 500, of
 * 2.5 the 5.
 */
export const cutNumber = (numbers: readonly Span[], { start, end }: Span): Span | undefined =>
  numbers.find(
    (number) => number.end > start && number.start < end && (number.start < start || number.end > end),
  );

/** Every number and list of numbers of the text with the unit that follows it, from left to right. */
export function quantitiesOf(text: string): Quantity[] {
  const lists = [...text.matchAll(listText)].map((match): Quantity => {
    const end = match.index + match[0].length;
    return withUnit(text, { start: match.index, end, value: match[1]!.split(/\s*[,;]\s*/).map(Number) });
  });
  const inList = (at: number) => lists.some(({ start, end }) => at >= start && at < end);
  const numbers: Quantity[] = [];
  for (const match of text.matchAll(quantityText)) {
    const value = numberOf(match.groups!);
    if (inList(match.index) || value === undefined) continue;
    numbers.push(withUnit(text, { start: match.index, end: match.index + match[0].trimEnd().length, value }));
  }
  const all = [...lists, ...numbers].sort((a, b) => a.start - b.start);
  // A power in a unit, such as the 3 of cm^-3, is no number of its own.
  return all.filter(({ start }, i) => !all.slice(0, i).some((before) => start < before.end));
}

/** One rounding: the decimal text is put together before it becomes a number. */
function numberOf({
  number,
  power,
  ofTen,
  over,
  magnitude,
}: Record<string, string | undefined>): number | undefined {
  const digits = ofTen === undefined ? number!.replaceAll(',', '') : `${number!.slice(0, -1)}e${ofTen}`;
  const value = Number(power === undefined ? digits : `${digits}e${power}`);
  if (!/\d/.test(digits) || !Number.isFinite(value)) return undefined;
  return (value / Number(over ?? 1)) * (magnitudes[magnitude ?? ''] ?? 1);
}

// ---- units ---------------------------------------------------------------------------------------------

/** Words of a question beside the names of units (src/units/names.ts). */
const unitWords: Readonly<Record<string, string>> = {
  per: '/',
  celsius: 'degC',
  centigrade: 'degC',
  sec: 's',
  hr: 'h',
  hours: 'h',
  day: 'd',
  days: 'd',
  week: 'week',
  weeks: 'week',
  month: 'month',
  months: 'month',
  year: 'yr',
  years: 'yr',
  squared: '^2',
  cubed: '^3',
};

/** Unit symbols that are words first: ‘1 in’ and ‘3 a’ are no inches and no attometres. */
const wordsFirst = new Set(['in', 'e', 'u', 'a', 't', 'l', 'at', 'as', 'r']);
/** Before a comma or the end an ‘in’ is no preposition: ‘3 in, 5 in’, ‘39.9 u.’ */
const isAlone = (token: string, after: string): boolean =>
  (token === 'in' || token === 'u') && /^\s*(?:[,;)]|\.?\s*$)/.test(after);
const unitToken = /^\s*(?:(°\s?[CF]|°|%|[\p{L}µμΩÅ]+(?:\^-?\d+)?|[/*·^()-]|\d+))/u;
const MOST_TOKENS = 12;

/** The longest unit that begins right after the number. */
function withUnit(text: string, quantity: Quantity): Quantity {
  let unit: Pick<Quantity, 'unit' | 'end'> | undefined;
  const one = /^ 1(?=\/\p{L})/u.exec(text.slice(quantity.end, quantity.end + 4))?.[0] ?? ''; // of 0.04 1/s
  let at = quantity.end + one.length;
  let written = '';
  for (let i = 0; i < MOST_TOKENS; i++) {
    const match = unitToken.exec(text.slice(at, at + 40));
    if (!match) break;
    const token = match[1]!;
    const spaced = match[0] !== token;
    at += match[0].length;
    if (isName(token, text.slice(at, at + 8))) break;
    const word = token.toLowerCase();
    const symbol = unitWords[word] ?? symbolOfName(word) ?? token.replace(/\s/g, '').replace('·', '*');
    if (
      (i === 0 && /^[*)^-]|^\d/.test(token)) ||
      (spaced && ((wordsFirst.has(token) && !isAlone(token, text.slice(at))) || isNext(token, written)))
    )
      break;
    written += joined(written, symbol, spaced);
    const balanced = written.split('(').length === written.split(')').length;
    const doubt = inTwoReadings(written, text.slice(quantity.start, at));
    if (doubt) return { ...quantity, doubt };
    if (balanced && isUnit(withOne(written))) unit = { unit: withOne(written), end: at };
  }
  return unit ? { ...quantity, ...unit } : quantity;
}

/** Of ‘5 m - 2’ and ‘5 m 2’ the 2 is no power of m, as it is in m-2 and m2. */
const isNext = (token: string, before: string): boolean =>
  token === '-' || (/^\d/.test(token) && /\p{L}$/u.test(before));

/** 3 kt and 5 gal are no plain 3 and 5, nor is 4 W/m2K 4 W/m². */
function inTwoReadings(unit: string, text: string): Refusal | undefined {
  try {
    parseUnit(unit);
    return undefined;
  } catch (error) {
    if (!(error instanceof UnitError) || error.accepts === undefined) return undefined;
    const { accepts } = error;
    return new Refusal(
      'INVALID_INPUT',
      `The unit of ${printable(text)} has two readings; accepted: ${accepts}.`,
      {
        field: 'query',
        text,
        accepts,
      },
    );
  }
}

/** What may stand behind a number that has no unit; any other word there may be a unit that nobody here knows. */
const behind = new Set(
  (
    'a after an and are as at because between but by call calls can do does during each european for from given has have ' +
    'how if in initially into is it its of on onto or over per put released simulate so starting steps such than that the ' +
    'then there through to under until up using was were what when where which while will with within without worth'
  ).split(' '),
);

/** The word right behind a plain number that may be its unit: the weeks of ‘3 weeks’. */
export function strangeUnit(text: string, { end }: Quantity): string | undefined {
  const rest = text.slice(end, end + 40);
  const word = /^[\s-]?(\p{L}+)/u.exec(rest)?.[1];
  if (word === undefined || behind.has(word.toLowerCase())) return undefined;
  return isName(word, rest.slice(rest.indexOf(word) + word.length)) ? undefined : word;
}

/** ‘K’ in ‘S=100 K=110’ and in ‘S 100 K 110’ is the name of what comes next. */
const isName = (token: string, after: string): boolean =>
  /^[\w']*\s*(?:=|:\s*[-+.\d])/.test(after) || (/^\p{Lu}$/u.test(token) && /^ \d/.test(after));

const withOne = (unit: string): string => (unit.startsWith('/') ? `1${unit}` : unit);

/** ‘W m’ is a product; between operators nothing is put. */
function joined(before: string, symbol: string, spaced: boolean): string {
  const apart = spaced && /[\p{L}\d)%°]$/u.test(before) && /^[\p{L}(]/u.test(symbol);
  return apart ? `*${symbol}` : symbol;
}
