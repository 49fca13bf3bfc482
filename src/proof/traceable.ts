import { TICK_NS } from '../clock/pulse.ts';
import { type Answer, outputsOf, type RunEntry } from './answer.ts';
import { doublesOf, fromBase64 } from './bytes.ts';
import type { Diagnostics } from './receipt.ts';

/** The parts of an answer that numbers are shown in, or vouched for by. */
type Shown = Pick<Answer, 'verdict' | 'assumed' | 'plots'> & { readonly receipt: Diagnostics };

/** What the seal covers, as far as it is at hand. */
export interface Sealed {
  /** The request itself; undefined where it is a blob that is not at hand. */
  readonly request: unknown;
  readonly runs: readonly RunEntry[];
  /** Whether the run hash follows from what is at hand: else nobody knows that parts and cut are the sealed ones. */
  readonly isBound: (run: number) => boolean;
}

/**
 * Every number that an answer shows beside the sealed ones must be found, bit for bit, among bytes that the seal
 * covers: the verdict's result, the results of other runs, literal parameters, the request, the figures of the runs,
 * the length of a tick; parameters and cut only of a run whose hash was recomputed. A name is a label and proves nothing, but a number cannot be made up.
 */
export function traceableNumbers(answer: Shown, sealed: Sealed): Set<number | string> {
  const known = figures(sealed);
  for (const bytes of coveredBytes(answer, sealed)) for (const value of doublesOf(bytes)) known.add(value);
  return known;
}

/** Numbers that are covered and do not stand in bytes. */
function figures({ request, runs, isBound }: Sealed): Set<number | string> {
  const known = new Set<number | string>([Number(TICK_NS), Number(TICK_NS) / 1e9]);
  for (const [i, { segments, work, stepsPerSegment }] of runs.entries()) {
    for (const count of [segments, readNumber(work)!]) known.add(count);
    if (isBound(i)) known.add(stepsPerSegment);
  }
  visitNumbers(request, [], (value) => known.add(value));
  return known;
}

/** The verdict's result, results of other runs and literal parameters, as far as they stand in the answer. */
function coveredBytes(answer: Shown, { runs, isBound }: Sealed): Uint8Array[] {
  const texts = runs.flatMap(({ result, parts }, i) => [
    ...(typeof result === 'string' ? [result] : []),
    ...(isBound(i) ? parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])) : []),
  ]);
  return [answer.verdict, ...texts].map(fromBase64);
}

const numeral = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39];

/** The number that a text spells; the text itself where a double would be spelled otherwise. */
function readNumber(text: string): number | string | undefined {
  const first = text.charCodeAt(0); // most texts are words, and told by their first letter
  if (!(first >= ZERO && first <= NINE) && first !== MINUS) return undefined;
  if (!numeral.test(text)) return undefined;
  return String(Number(text)) === text ? Number(text) : text;
}

type Visit = (value: number | string, keys: readonly string[]) => void;

/** Visits each number in a value, those in text included, with the keys that lead to it. */
function visitNumbers(value: unknown, keys: string[], visit: Visit): void {
  const number = typeof value === 'string' ? readNumber(value) : value;
  if (typeof number === 'number' || typeof number === 'string') visit(number, keys);
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    keys.push(key);
    visitNumbers((value as Record<string, unknown>)[key], keys, visit);
    keys.pop();
  }
}

const pointerOf = (keys: readonly string[]): string =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Visits the numbers of an answer that must be traceable. */
function visitShown(answer: Shown, visit: Visit): void {
  const { masterEquation, functionalEquation, spectralPropagator } = answer.receipt;
  visitNumbers({ masterEquation, functionalEquation, spectralPropagator }, ['receipt'], visit);
  visitNumbers(answer.assumed, ['assumed'], visit);
  visitNumbers(answer.plots, ['plots'], visit);
  for (const [name, value] of outputsOf(answer)) visitNumbers(value, [name], visit);
}

/** JSON pointer and number, for each number that must be traceable. */
export function shownNumbers(answer: Shown): [pointer: string, value: number | string][] {
  const shown: [string, number | string][] = [];
  visitShown(answer, (value, keys) => shown.push([pointerOf(keys), value]));
  return shown;
}

/**
 * Pointers of shown numbers that cannot be traced, or that no gate looks at: an answer lists them itself. `covered`
 * are the bytes that stand in the answer, as whoever makes it has them at hand, those first that vouch for most: what
 * is left to seek ends the search.
 *
 * @param isUngated of the dotted path of an output, without places in lists
 */
export function unsealedPointers(
  answer: Shown,
  sealed: Sealed,
  covered: readonly Uint8Array[],
  isUngated?: (path: string) => boolean,
): string[] {
  const known = figures(sealed);
  const open: { value: number | string; keys: readonly string[]; isOpen: boolean }[] = [];
  visitShown(answer, (value, keys) => {
    const isOpen = isUngated?.(pathOf(keys)) ?? false;
    if (isOpen || !known.has(value)) open.push({ value, keys: keys.slice(), isOpen });
  });
  const sought = new Set(open.filter(({ isOpen }) => !isOpen).map(({ value }) => value));
  for (const bytes of covered) {
    if (sought.size === 0) break;
    strike(sought, doublesOf(bytes));
  }
  return open.filter(({ value, isOpen }) => isOpen || sought.has(value)).map(({ keys }) => pointerOf(keys));
}

const pathOf = (keys: readonly string[]): string => keys.filter((key) => !/^\d+$/.test(key)).join('.');

/** Takes the doubles out of the set. Most are none of it, which eleven bits of each tell without asking the set. */
function strike(sought: Set<number | string>, doubles: Float64Array): void {
  const maybe = new Uint8Array(2048);
  for (const value of sought) if (typeof value === 'number') maybe[sieve(value)] = 1;
  const words = new Uint32Array(doubles.buffer, doubles.byteOffset, 2 * doubles.length);
  for (let i = 0; i < doubles.length; i++)
    if (maybe[hashed(words[2 * i]!, words[2 * i + 1]!)] === 1) sought.delete(doubles[i]!);
}

const one = new Float64Array(1);
const halves = new Uint32Array(one.buffer);

function sieve(value: number): number {
  one[0] = value;
  return hashed(halves[0]!, halves[1]!);
}

/** The sign bit is shifted out: to a set, −0 is 0. */
function hashed(low: number, high: number): number {
  return Math.imul(low ^ (high << 1), 0x9e3779b1) >>> 21;
}
