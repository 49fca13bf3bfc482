import type { Row } from './registry.ts';

// Rows by the letters of a formula that somebody types as on paper: `E=mc2`, `pV = nRT`, `1/2 m v^2`. It is not parsed,
// for on paper nRT are three letters; what letters stand in it, and which signs beside them, tells the row.

const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega';
const FUNCTIONS = 'sqrt cbrt exp ln log sin cos tan asin acos atan sinh cosh tanh erf erfc min max abs';
const WHOLE = new Set(`${GREEK} ${FUNCTIONS}`.split(' '));
const NO_LETTER = new Set(`pi ${FUNCTIONS}`.split(' '));

/** Most letters of a word that is taken for a product on paper. */
const LONGEST_PRODUCT = 3;
/** Part of the letters that must agree. */
const LEAST_ALIKE = 0.6;
/** What a letter counts that has another index: E beside E_k. */
const OTHER_INDEX = 0.6;

interface Letters {
  /** Names of each letter: its own and its aliases. */
  readonly names: readonly string[];
  readonly mayLack: boolean;
}

interface Known {
  readonly row: Row;
  readonly letters: readonly Letters[];
  readonly result: Letters;
  readonly signs: ReadonlySet<string>;
}

export class FormulaSearch {
  readonly #known: readonly Known[];

  constructor(rows: readonly Row[]) {
    this.#known = rows.flatMap((row) => (row.expression === undefined ? [] : [knownOf(row, row.expression)]));
  }

  /** The rows whose letters are those of a text, best first; undefined where the text is no formula. */
  find(text: string): { readonly row: Row; readonly score: number }[] | undefined {
    const query = onOneLine(text);
    const wanted = lettersOf(query);
    if (wanted === undefined) return undefined;
    const right = query.split('=').at(-1)!;
    const signs = pairsOf(right);
    return this.#known
      .flatMap(({ row, letters, result, signs: theirs }) => {
        const alike = agreement(wanted, query.includes('=') ? [...letters, result] : letters);
        return alike < LEAST_ALIKE ? [] : [{ row, score: alike + overlap(signs, theirs) / 2 }];
      })
      .sort((a, b) => b.score - a.score);
  }
}

/** LaTeX's fractions and brackets as on a line: what is in them stays. */
const onOneLine = (text: string): string =>
  text
    .replace(/\\[dt]?frac\s*(\d)\s*(\d)/g, '$1/$2 ')
    .replace(/\\[dt]?frac/g, '')
    .replace(/\}\s*\{/g, '/')
    .replace(/\\(?:left|right|,|;|!|quad)/g, ' ')
    .replace(/\\(?:cdot|times)/g, '*');

/** The letters of a formula; undefined where the text is none. */
function lettersOf(text: string): string[] | undefined {
  if (!/[=^*/+]/.test(text)) return undefined;
  const words = text.match(/[\p{L}_]+\d*/gu) ?? [];
  const letters = words.map(splitWord);
  if (words.length === 0 || letters.includes(undefined)) return undefined;
  return [...new Set(letters.flatMap((list) => list!))].filter((name) => !NO_LETTER.has(name));
}

/** `nRT` is n, R and T, `mc2` is m and c, `m1` and `m_1` are m1. */
function splitWord(word: string): string[] | undefined {
  const [, name, digits] = /^(.*?)(\d*)$/u.exec(word)!;
  if (WHOLE.has(name!.toLowerCase()) || name!.includes('_')) return [plain(word)];
  if ([...name!].length === 1) return [name! + digits!];
  return [...name!].length > LONGEST_PRODUCT ? undefined : [...name!];
}

const plain = (name: string): string => name.replaceAll('_', '');
const base = (name: string): string => name.split('_')[0]!;

function knownOf(row: Row, expression: string): Known {
  const inputs = row.inputs.map(({ symbol, aliases, role }) => ({
    names: [symbol, ...aliases],
    mayLack: role === 'optional' || role === 'assumed',
  }));
  const constants = [...(row.constants ?? []), ...(row.fixed ?? []).map(({ symbol }) => symbol)];
  const letters = [...inputs, ...constants.map((name) => ({ names: [name], mayLack: false }))];
  return { row, letters, result: { names: [row.result.symbol], mayLack: false }, signs: pairsOf(expression) };
}

/** Letters in both over letters in either (Jaccard); those that a row can do without count only where they are there. */
function agreement(wanted: readonly string[], letters: readonly Letters[]): number {
  let [both, theirs] = [0, 0];
  const left = new Set(wanted);
  for (const { names, mayLack } of letters) {
    const same = names.find((name) => left.has(plain(name)));
    const near = same ?? names.find((name) => left.has(base(name)));
    if (near === undefined && mayLack) continue;
    theirs++;
    if (near === undefined) continue;
    both += same === undefined ? OTHER_INDEX : 1;
    left.delete(same === undefined ? base(near) : plain(near));
  }
  return both / (wanted.length + theirs - both);
}

/** Neighbouring pairs of characters, of a text without spaces, underscores and signs of multiplication. */
function pairsOf(text: string): ReadonlySet<string> {
  const marks = text.replace(/[\s*_·]/g, '');
  return new Set(Array.from({ length: Math.max(marks.length - 1, 0) }, (_, i) => marks.slice(i, i + 2)));
}

/** Dice's coefficient of two sets (Ecology 26 (1945) 297). */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((pair) => b.has(pair)).length;
  return (2 * both) / (a.size + b.size || 1);
}
