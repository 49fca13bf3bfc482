import { Refusal } from '../../errors/refusal.ts';
import type { Target } from './target.ts';
import { wordsOf } from './text.ts';

/** The lowest score that a target needs, and how far it must lead. */
const LEAST = 3;
const LEAD = 2;

/** Phrases of all targets, by their words. */
interface Node {
  readonly next: Map<string, Node>;
  weights?: Map<Target, number>;
}

export interface Candidate {
  readonly target: Target;
  readonly score: number;
  readonly phrases: readonly string[];
}

/** Finds the target whose phrases the text speaks. */
export class Router {
  readonly #root: Node = { next: new Map() };

  readonly #elsewhere: ReadonlySet<Target>;

  /** `elsewhere` are targets for which no rules bind inputs: they are named, and never routed to. */
  constructor(targets: readonly Target[], elsewhere: readonly Target[] = []) {
    this.#elsewhere = new Set(elsewhere);
    for (const target of [...targets, ...elsewhere])
      for (const [phrase, weight] of Object.entries(target.phrases)) this.#learn(phrase, target, weight);
  }

  #learn(phrase: string, target: Target, weight: number): void {
    let node = this.#root;
    for (const { word } of wordsOf(phrase)) {
      const next = node.next.get(word) ?? { next: new Map() };
      node.next.set(word, next);
      node = next;
    }
    node.weights ??= new Map();
    node.weights.set(target, weight);
  }

  /** Every target that is spoken of, the best first; each phrase counts once. */
  candidates(words: ReturnType<typeof wordsOf>): Candidate[] {
    const said = new Map<string, Map<Target, number>>();
    for (let i = 0; i < words.length; ) {
      const { length, weights } = this.#longest(words, i);
      if (weights) said.set(phraseOf(words, i, length), weights);
      i += Math.max(1, length);
    }
    const found = new Map<Target, { score: number; phrases: string[] }>();
    for (const [phrase, weights] of said) {
      for (const [target, weight] of weights) {
        const { score = 0, phrases = [] } = found.get(target) ?? {};
        found.set(target, { score: score + weight, phrases: [...phrases, phrase] });
      }
    }
    return [...found]
      .map(([target, of]) => ({ target, ...of }))
      .sort((a, b) => b.score - a.score || (a.target.id < b.target.id ? -1 : 1));
  }

  #longest(words: ReturnType<typeof wordsOf>, from: number) {
    let best: { length: number; weights?: Map<Target, number> } = { length: 0 };
    let node: Node | undefined = this.#root;
    // The 1 of ‘U = 1’ is a value, not the group of U(1).
    for (let i = from; node && i < words.length && !(i > from && words[i]!.isValue); i++) {
      node = node.next.get(words[i]!.word);
      if (node?.weights) best = { length: i - from + 1, weights: node.weights };
    }
    return best;
  }

  /** @throws Refusal NO_ROUTE · AMBIGUOUS_QUERY with the candidates */
  route(words: ReturnType<typeof wordsOf>): Candidate {
    const all = this.candidates(words);
    const candidates = all.filter(({ target }) => !this.#elsewhere.has(target));
    const [best, second] = candidates;
    const [first] = all;
    const named = all.slice(0, 4).map(({ target, score, phrases }) => ({ route: target.id, score, phrases }));
    if (first && first.score >= LEAST && first.target !== best?.target && first.score > (best?.score ?? 0))
      throw takesNoWords(first, named);
    if (!best || best.score < LEAST)
      throw new Refusal(
        'NO_ROUTE',
        'The text does not say enough to tell which solver is meant. A formula, or an operator that POST /api/svc/lib-search finds, is for POST /api/svc/compute.',
        {
          field: 'query',
          candidates: named,
          accepts:
            'a question that names its subject, such as heat, an option, a power flow or a zero of zeta',
        },
      );
    if (second && best.score - second.score < LEAD)
      throw new Refusal(
        'AMBIGUOUS_QUERY',
        `The text fits ${best.target.id} (${best.phrases.join(', ')}) and ${second.target.id} (${second.phrases.join(', ')}) alike.`,
        { field: 'query', candidates: named, accepts: 'words that only one of them has' },
      );
    return best;
  }
}

function takesNoWords({ target: { id }, phrases }: Candidate, candidates: readonly object[]): Refusal {
  const route = `POST /api/svc/${id}`;
  return new Refusal(
    'NO_ROUTE',
    `The text is for ${id} (${phrases.join(', ')}), which takes no questions in words; send its inputs by name to ${route}.`,
    { field: 'query', route: id, candidates, accepts: route },
  );
}

const phraseOf = (words: ReturnType<typeof wordsOf>, from: number, length: number): string =>
  words
    .slice(from, from + length)
    .map(({ word }) => word)
    .join(' ');
