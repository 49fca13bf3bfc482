import { printable } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';
import { type LatexToken, latexTokens } from './latex-tokens.ts';
import type { Expression } from './syntax.ts';

/** Words that LaTeX sets upright, and so one name. */
export const alphabets = new Set(['mathrm', 'text', 'mathit', 'operatorname', 'mathsf', 'mathbf']);
const accents: Readonly<Record<string, string>> = {
  dot: 'dot',
  ddot: 'ddot',
  dddot: 'dddot',
  ddddot: 'ddddot',
  bar: 'bar',
  hat: 'hat',
  tilde: 'tilde',
  overline: 'bar',
};
const marks: Readonly<Record<string, string>> = {
  '*': 'star',
  '\\ast': 'star',
  '\\star': 'star',
  '\\circ': 'std',
  '\\dagger': 'dagger',
};

/**
 * The tokens of a LaTeX text and the names in it: `\tau` is tau, `P_{\mathrm{max}}` P_max, `\Delta T` Delta_T, `\dot m` m_dot,
 * `x'` x_prime, `c^{\ast}` c_star, `E^{\circ}` E_std.
 */
export class LatexNames {
  protected readonly text: string;
  readonly #tokens: readonly LatexToken[];
  protected next = 0;
  /** Whether the symbol read last has an index already. */
  protected isIndexed = false;

  constructor(text: string) {
    this.text = text;
    this.#tokens = latexTokens(text);
  }

  protected peek(ahead = 0): LatexToken {
    return this.#tokens[Math.min(this.next + ahead, this.#tokens.length - 1)]!;
  }

  protected stands(text: string): boolean {
    return this.peek().text === text && this.peek().kind !== 'end';
  }

  protected accept(text: string): boolean {
    const stands = this.stands(text);
    if (stands) this.next++;
    return stands;
  }

  protected take(text: string): void {
    if (!this.accept(text)) this.unexpected(`, where ${text} was expected`);
  }

  protected unexpected(hint = ''): never {
    const { text, at, kind } = this.peek();
    const what = kind === 'end' ? 'it ends too early' : `${printable(text)} is unexpected at character ${at}`;
    throw unreadable(`${what}${hint}`, this.text);
  }

  // ---- names -------------------------------------------------------------------------------------------

  protected symbol(): Expression {
    let name = this.#bareName();
    if (name === 'Delta' && this.#startsName()) name = `Delta_${this.#bareName()}`;
    this.isIndexed = this.accept('_');
    if (this.isIndexed) name += `_${this.subscript()}`;
    while (this.accept("'")) name += '_prime';
    const mark = this.#mark();
    return { kind: 'symbol', name: mark ? `${name}_${mark}` : name };
  }

  #startsName(): boolean {
    const { kind, text } = this.peek();
    const word = text.slice(1);
    return (
      kind === 'letter' || (kind === 'control' && (word in accents || alphabets.has(word) || isGreek(word)))
    );
  }

  #bareName(): string {
    const { kind, text } = this.peek();
    this.next++;
    if (kind === 'letter') return text === 'π' ? 'pi' : text;
    const word = text.slice(1);
    if (word in accents) return `${this.#accented()}_${accents[word]}`;
    if (alphabets.has(word)) return this.#wordInBraces();
    if (word === 'mathcal') return `${this.#wordInBraces()}_cal`;
    const name = greek(word);
    if (name === undefined) {
      this.next--;
      this.unexpected(': it has no meaning here');
    }
    return name;
  }

  #accented(): string {
    const braced = this.accept('{');
    const name = this.#bareName();
    if (braced) this.take('}');
    return name;
  }

  #wordInBraces(): string {
    this.take('{');
    const words: string[] = [];
    while (!this.accept('}')) {
      const { kind, text, isGrouped } = this.peek();
      if ((kind !== 'letter' && kind !== 'number') || isGrouped) this.unexpected();
      words.push(text);
      this.next++;
    }
    return words.join('');
  }

  protected subscript(): string {
    if (!this.accept('{')) return this.#subscriptPart();
    const parts: string[] = [];
    while (!this.accept('}')) parts.push(this.#subscriptPart());
    return parts.join('').replace(/^_+|_+$/g, '');
  }

  #subscriptPart(): string {
    const { kind, text, isGrouped } = this.peek();
    if (kind === 'end' || isGrouped) this.unexpected();
    this.next++;
    if (kind === 'letter' || kind === 'number') return text;
    if (kind === 'control') {
      const word = text.slice(1);
      if (alphabets.has(word)) return this.#wordInBraces();
      const name =
        word === 'infty' ? 'inf' : word === 'max' || word === 'min' ? word : (marks[text] ?? greek(word));
      if (name !== undefined) return name;
    }
    const names: Readonly<Record<string, string>> = {
      ',': '_',
      '/': '_',
      '+': 'plus',
      '-': 'minus',
      '*': 'star',
      "'": 'prime',
    };
    const name = names[text];
    if (name !== undefined) return name;
    this.next--;
    return this.unexpected();
  }

  /** A star or circle above a name is part of it. */
  #mark(): string | undefined {
    if (!this.stands('^')) return undefined;
    const braced = this.peek(1).text === '{';
    const mark = marks[this.peek(braced ? 2 : 1).text];
    if (mark === undefined || (braced && this.peek(3).text !== '}')) return undefined;
    this.next += braced ? 4 : 2;
    return mark;
  }
}

const letters = new Set(
  `alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi
  omega varpi Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega hbar ell perp parallel`.split(/\s+/),
);
export const isGreek = (word: string): boolean => greek(word) !== undefined;

/** `varphi` is phi, but `varpi` is a letter of its own and not π; a name of the expression language for each letter that LaTeX writes as a word. */
export function greek(word: string): string | undefined {
  const plain = word === 'varpi' ? word : word.replace(/^var/, '');
  return letters.has(plain) ? plain : undefined;
}

export function unreadable(problem: string, text: string): Refusal {
  return new Refusal('INVALID_INPUT', `The LaTeX text ${printable(text)} cannot be read: ${problem}.`, {
    field: 'equation',
    accepts: 'LaTeX of one formula: \\frac, \\sqrt, powers, subscripts, functions, letters and numbers',
  });
}
