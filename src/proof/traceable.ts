import { TICK_NS } from '../clock/pulse.ts';
import { type Answer, outputsOf, type RunEntry } from './answer.ts';
import { doublesOf, fromBase64 } from './bytes.ts';
import type { Diagnostics } from './receipt.ts';

/** The parts of an answer that numbers are shown in, or vouched for by. */
type Shown = Pick<Answer, 'verdict' | 'request' | 'assumed'> & { readonly receipt: Diagnostics };

/**
 * Every number that an answer shows beside the sealed ones must be found, bit for bit, among bytes that the seal
 * covers: the verdict's result, the results of other runs, literal parameters, the request, the figures of the runs,
 * the length of a tick. A name is a label and proves nothing, but a number cannot be made up.
 */
export function traceableNumbers(answer: Shown, runs: readonly RunEntry[]): Set<number | string> {
  const known = new Set<number | string>([Number(TICK_NS), Number(TICK_NS) / 1e9]);
  const addBytes = (text: string) => {
    for (const value of doublesOf(fromBase64(text))) known.add(value);
  };
  addBytes(answer.verdict);
  for (const run of runs) {
    for (const count of [run.stepsPerSegment, run.segments, readNumber(run.work)!]) known.add(count);
    if (typeof run.result === 'string') addBytes(run.result);
    for (const part of run.parts) if ('bytes' in part) addBytes(part.bytes);
  }
  for (const [, value] of numbersIn(answer.request, '')) known.add(value);
  return known;
}

const numeral = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/** The number that a text spells; the text itself where a double would be spelled otherwise. */
function readNumber(text: string): number | string | undefined {
  if (!numeral.test(text)) return undefined;
  return String(Number(text)) === text ? Number(text) : text;
}

/** JSON pointer and number, for each number in a value, those in text included. */
export function* numbersIn(
  value: unknown,
  pointer: string,
): Generator<[pointer: string, value: number | string]> {
  const number = typeof value === 'string' ? readNumber(value) : value;
  if (typeof number === 'number' || typeof number === 'string') yield [pointer, number];
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      yield* numbersIn(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  }
}

/** The parts of an answer whose numbers must be traceable. */
export function* shownNumbers(answer: Shown): Generator<[pointer: string, value: number | string]> {
  const { masterEquation, functionalEquation, spectralPropagator } = answer.receipt;
  yield* numbersIn({ masterEquation, functionalEquation, spectralPropagator }, '/receipt');
  yield* numbersIn(answer.assumed, '/assumed');
  yield* numbersIn(Object.fromEntries(outputsOf(answer)), '');
}

/** Pointers of shown numbers that cannot be traced; an answer lists them itself. */
export function unsealedPointers(answer: Shown, runs: readonly RunEntry[]): string[] {
  const known = traceableNumbers(answer, runs);
  return [...shownNumbers(answer)].filter(([, value]) => !known.has(value)).map(([pointer]) => pointer);
}
