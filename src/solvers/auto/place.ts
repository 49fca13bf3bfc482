import { printable } from '../../errors/printable.ts';
import { Refusal } from '../../errors/refusal.ts';
import { onceFor } from './once.ts';
import type { Target } from './target.ts';
import { type Span, wordsOf } from './text.ts';

// A question whose words were not all understood is another question than the one that would be answered: each word
// is the route's own, belongs to an input, or asks nothing. What negates, counts or compares never asks nothing. So
// with signs: a root or a minus before a name makes it another one.

/** Words that ask nothing, whatever the route. */
const empty = new Set(
  (
    'a about according across an and are as at be being between by calculate can compute determine do does each find for ' +
    'from get give given gives has have i if in into is it its let me much obtain of on please problem question ' +
    'put result show simulate simulation so solve system take tell that the their then there this to under using value ' +
    'was we were what which while will with within would you your'
  ).split(' '),
);

/** The words of a route that change no answer of it. */
const idleWords = onceFor(
  (target: Target): ReadonlySet<string> => new Set(wordsOf(target.idle ?? '').map(({ word }) => word)),
);

/** The route's own phrases by their first word; one that names an input or a quantity is none without a number or a rule. */
const ownPhrases = onceFor((target: Target): ReadonlyMap<string, readonly (readonly string[])[]> => {
  const asks = new Set(target.asks);
  const found = new Map<string, (readonly string[])[]>();
  for (const phrase of Object.keys(target.phrases).filter((each) => !asks.has(each))) {
    const parts = wordsOf(phrase).map(({ word }) => word);
    found.set(parts[0]!, [...(found.get(parts[0]!) ?? []), parts]);
  }
  return found;
});

/** Where those phrases stand. */
function phraseSpans(target: Target, words: ReturnType<typeof wordsOf>): Span[] {
  const phrases = ownPhrases(target);
  return words.flatMap(({ word, start }, i) =>
    (phrases.get(word) ?? [])
      .filter((parts) => parts.every((part, k) => words[i + k]?.word === part))
      .map((parts) => ({ start, end: words[i + parts.length - 1]!.end })),
  );
}

/** The words of the text that neither the route nor an input accounts for, in order. */
function leftOver(target: Target, words: ReturnType<typeof wordsOf>, taken: readonly Span[]): string[] {
  const spans = [...taken, ...phraseSpans(target, words)];
  const idle = idleWords(target);
  const isPlaced = ({ word, start, end }: (typeof words)[number]): boolean =>
    empty.has(word) || idle.has(word) || spans.some((span) => start >= span.start && end <= span.end);
  return [...new Set(words.filter((word) => !isPlaced(word)).map(({ word }) => word))];
}

/** What only parts the words of a text: hyphens, dashes, apostrophes, quotation marks, and the = of ‘T = ?’. */
const parting =
  /(?<=[\p{L}\p{N}])-(?=\p{L})|(?<=[^\s(]\s)-(?=\s\p{L})|(?<=\p{L}\s)&(?=\s\p{L})|(?<=\p{L})['’]|(?<=^|\s)['"‘“](?=\p{L})|(?<=\p{L}[.,?]?)["”](?=$|\W)|(?<=\p{L})!(?=$|\s)|=(?=\s*\?)/gu;
const sign = /[^\p{L}\p{N}\s.,;:?()[\]]+/gu;

/** The signs of the text that are in nothing that was read and say more than where a word ends. */
function strangeSigns(text: string, taken: readonly Span[]): string[] {
  const plain = text.replace(parting, ' ');
  const signs = [...plain.matchAll(sign)].filter(
    ({ index }) => !taken.some(({ start, end }) => index >= start && index < end),
  );
  return [...new Set(signs.map(([said]) => said))];
}

/** @throws Refusal AMBIGUOUS_QUERY with the words that were not understood */
export function placeAll(
  target: Target,
  text: string,
  words: ReturnType<typeof wordsOf>,
  taken: readonly Span[],
  quantities: readonly string[],
): void {
  const strange = [...leftOver(target, words, taken), ...strangeSigns(text, taken)];
  if (strange.length === 0) return;
  const list = strange.map((word) => printable(word)).join(', ');
  const gives = quantities.length > 0 ? ` It gives ${quantities.join(', ')}.` : '';
  throw new Refusal(
    'AMBIGUOUS_QUERY',
    `${target.id} does not understand ${list}, so the question may be another one.${gives}`,
    {
      field: 'query',
      route: target.id,
      words: strange,
      accepts: quantities.length > 0 ? quantities : `inputs by name at POST /api/svc/${target.id}`,
    },
  );
}
