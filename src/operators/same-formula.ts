import { canonicalText } from './canonical.ts';
import { type Expression, symbolsOf } from './syntax.ts';

/** A formula whose letters may be renamed. */
export interface Lettered {
  readonly expression: Expression;
  readonly letters: readonly string[];
}

type Marks = ReadonlyMap<string, string>;

/** Canonical forms that one search may make; formulas with so many like letters are taken for different. */
const MOST_TRIES = 2000;
/** No text can contain it. */
const ANY = '?';

/** What all renamings of a formula have in common: its canonical form with every letter alike. */
export function shapeOf({ expression, letters }: Lettered): string {
  return canonicalText(expression, partly(new Map(), new Set(letters)));
}

/**
 * The letters of `b` that make it the formula `a`, each letter of `a` to its own, or undefined where none do. Letters
 * are told apart one after the other; what is already told apart must look alike in both, which cuts the search short.
 */
export function renaming(
  a: Lettered,
  b: Lettered,
  mayBe: (ofA: string, ofB: string) => boolean = () => true,
): ReadonlyMap<string, string> | undefined {
  if (a.letters.length !== b.letters.length || shapeOf(a) !== shapeOf(b)) return undefined;
  return renamingOfAlike(a, b, mayBe);
}

/** The same for formulas that are known to have one shape. */
export function renamingOfAlike(
  a: Lettered,
  b: Lettered,
  mayBe: (ofA: string, ofB: string) => boolean,
): ReadonlyMap<string, string> | undefined {
  if (a.letters.length !== b.letters.length) return undefined;
  let tries = 0;
  const extended = (own: Marks, other: Marks): Marks | undefined => {
    const letter = a.letters[own.size];
    if (letter === undefined) return other;
    const [mark, ownLetters, otherLetters] = [`${ANY}${own.size}`, new Set(a.letters), new Set(b.letters)];
    const told = new Map([...own, [letter, mark]]);
    const wanted = canonicalText(a.expression, partly(told, ownLetters));
    for (const candidate of b.letters) {
      if (other.has(candidate) || !mayBe(letter, candidate) || ++tries > MOST_TRIES) continue;
      const toldOther = new Map([...other, [candidate, mark]]);
      if (canonicalText(b.expression, partly(toldOther, otherLetters)) !== wanted) continue;
      const found = extended(told, toldOther);
      if (found) return found;
    }
    return undefined;
  };
  const marks = extended(new Map(), new Map());
  if (!marks) return undefined;
  const byMark = new Map([...marks].map(([letter, mark]) => [mark, letter]));
  return new Map(a.letters.map((letter, k) => [letter, byMark.get(`${ANY}${k}`)!]));
}

const partly =
  (told: ReadonlyMap<string, string>, letters: ReadonlySet<string>) =>
  (symbol: string): string =>
    told.get(symbol) ?? (letters.has(symbol) ? ANY : symbol);

/** All letters of a formula; π is a number. */
export const lettersOf = (expression: Expression): string[] =>
  symbolsOf(expression).filter((name) => name !== 'pi');
