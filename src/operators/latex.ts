import { printable } from '../errors/printable.ts';
import { applied, call, degrees, doubleFactorial, factorial, functionOf } from './functions.ts';
import { alphabets, greek, isGreek, LatexNames, unreadable } from './latex-names.ts';
import { type LatexToken, latexTokens } from './latex-tokens.ts';
import { type BinaryOperator, type Expression, symbolsOf } from './syntax.ts';

/**
 * Reads LaTeX formula text: \frac, \sqrt, \binom, powers, subscripts, implicit products, functions by their control
 * words, n!, |x|, floor. A letter is a symbol, so `mgh` is m·g·h; names of more letters stand in \mathrm, \text or
 * \operatorname. Names: `\tau` is tau, `P_{\mathrm{max}}` P_max, `\Delta T` Delta_T, `\dot m` m_dot, `x'` x_prime,
 * `c^{\ast}` c_star, `E^{\circ}` E_std. `e^{…}` is Euler's number unless e is among the names that are known.
 * A root behind the argument of a function, `\cos\varphi\sqrt{x}`, is a factor of its own in a row, whose expression says
 * so; elsewhere it is refused as ambiguous. Throws a Refusal INVALID_INPUT.
 */
export function parseLatex(
  text: string,
  known: ReadonlySet<string> = new Set(),
  reading: 'free' | 'row' = 'free',
): Expression {
  refuseTwins(text);
  return new LatexParser(text, known, reading).whole();
}

/** `varphi` is phi, unless both letters stand in one text: there they are two quantities. */
export function refuseTwins(text: string): void {
  const words = new Set(latexTokens(text).flatMap(({ kind, text }) => (kind === 'control' ? [text] : [])));
  for (const word of words) {
    const plain = word.replace(/^\\var/, '\\');
    if (plain !== word && words.has(plain) && greek(word.slice(1)) === greek(plain.slice(1)))
      throw unreadable(
        `${printable(word)} and ${printable(plain)} both stand in it and are read as one letter: write another letter or a word, \\mathrm{…}, for one of them`,
        text,
      );
  }
}

const MAX_NESTING = 64;
const number = (text: string): Expression => ({ kind: 'number', text });
const one = number('1');
const binary = (operator: BinaryOperator, left: Expression, right: Expression): Expression => ({
  kind: 'binary',
  operator,
  left,
  right,
});

/** What opens a bracket or a root of its own. */
const openers = new Set(['(', '[', '\\sqrt']);
/** Letters of angles and variables: whole arguments, as a rule. */
const wholes = /^(?:theta|phi|psi|alpha|beta|gamma|delta|Theta|Phi|Psi|[xyztuvrsiABCITX])(?:_|$)/;
/** Letters that multiply an argument, as a rule: wave numbers, frequencies, whole numbers. */
const coefficients = /^(?:omega|Omega|nu|kappa|mu|lambda|[kqnmNMpfwj])(?:_|$)/;
const logarithms = new Set(['ln', 'log1p', 'log10', 'log2']);
const dots = new Set(['\\cdot', '\\times', '*']);
const closings: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '\\{': '\\}',
  '\\lvert': '\\rvert',
  '|': '|',
  '\\lfloor': '\\rfloor',
  '\\lceil': '\\rceil',
};
const signs: Readonly<Record<string, BinaryOperator>> = {
  '+': '+',
  '-': '-',
  '*': '*',
  '\\cdot': '*',
  '\\times': '*',
  '\\div': '/',
  '/': '/',
};

class LatexParser extends LatexNames {
  readonly #known: ReadonlySet<string>;
  readonly #reading: 'free' | 'row';
  #depth = 0;

  constructor(text: string, known: ReadonlySet<string>, reading: 'free' | 'row') {
    super(text);
    this.#reading = reading;
    this.#known = known;
  }

  whole(): Expression {
    const expression = this.#sum();
    if (this.peek().kind !== 'end') this.unexpected();
    return expression;
  }

  // ---- sums and products -------------------------------------------------------------------------------

  #sum(): Expression {
    if (++this.#depth > MAX_NESTING) throw unreadable(`it is nested deeper than ${MAX_NESTING}`, this.text);
    let left = this.#signed();
    while (this.stands('+') || this.stands('-')) {
      const operator = this.peek().text as BinaryOperator;
      this.next++;
      left = binary(operator, left, this.#product());
    }
    this.#depth--;
    return left;
  }

  #signed(): Expression {
    if (this.accept('-')) return { kind: 'negate', of: this.#product() };
    this.accept('+');
    return this.#product();
  }

  /** Behind \\bmod stands the whole rest of the product. */
  #product(): Expression {
    let left = this.#factor();
    let divided = false;
    for (;;) {
      const operator = signs[this.peek().text];
      if (operator === '+' || operator === '-') return left;
      if (operator !== undefined) {
        this.next++;
        divided ||= operator === '/';
        left = binary(operator, left, this.stands('-') ? this.#negated() : this.#factor());
      } else if (this.accept('\\bmod')) return call('mod', left, this.#product());
      else if (this.#startsFactor()) {
        if (divided) this.unexpected(': after a / write the product with \\cdot or parentheses');
        left = binary('*', left, this.#beside(left));
      } else return left;
    }
  }

  /** The token behind any braces that open here; a sign there begins no factor, for nobody sees the braces. */
  #insideBraces(): LatexToken {
    let inner = 0;
    while (this.peek(inner).text === '{') inner++;
    const token = this.peek(inner);
    if (inner > 0 && (token.text === '-' || token.text === '+'))
      this.unexpected(
        ` beside a factor: braces are not set, so that x{-3} reads x - 3; write x - 3, or x \\cdot (-3)`,
      );
    return token;
  }

  /** A factor that stands beside what is left of it without a sign; `2 3` and `10 000` may each be one number. */
  #beside(left: Expression): Expression {
    const before = this.peek(-1);
    const { kind, text } = this.#insideBraces();
    const isOpen = before.kind === 'number' || before.text === '}';
    if (isOpen && kind === 'number' && endsInNumeral(left))
      this.unexpected(
        ' beside a number: write a product with \\cdot, and one number in one piece or in groups of three digits, 10\\,000',
      );
    const right = this.#factor();
    if (isOpen && text === '\\frac' && endsInNumeral(left) && isNumerals(right))
      throw unreadable(
        'a fraction of two numbers behind a number may be a mixed number: write 2 + \\frac{1}{2}, or 2 \\cdot \\frac{1}{2}',
        this.text,
      );
    return right;
  }

  #negated(): Expression {
    this.next++;
    return { kind: 'negate', of: this.#factor() };
  }

  #startsFactor(): boolean {
    const { kind, text } = this.peek();
    if (kind === 'number' || kind === 'letter') return true;
    if (kind === 'control') return !(text in signs) && !closers.has(text) && text !== '\\bmod';
    return kind === 'sign' && (text === '(' || text === '{' || text === '[');
  }

  /** An atom with its powers and factorials. */
  #factor(): Expression {
    let base = this.#atom();
    for (;;) {
      if (this.accept('!')) {
        base = this.accept('!') ? doubleFactorial(base) : factorial(base);
        if (this.stands('!')) this.unexpected(': write (n!)! for a factorial of a factorial');
      } else if (base.kind === 'number' && this.#acceptDegrees()) base = degrees(base);
      else if (this.accept('^')) {
        base = this.#raised(base);
        if (this.stands('^')) this.unexpected(': a double superscript; write x^{a^b} or {x^a}^b');
      } else return base;
    }
  }

  /** The sign of degrees behind a number. */
  #acceptDegrees(): boolean {
    const signs = [['°'], ['\\degree'], ['^', '\\circ'], ['^', '{', '\\circ', '}']];
    const found = signs.find((sign) => sign.every((text, i) => this.peek(i).text === text));
    this.next += found?.length ?? 0;
    return found !== undefined;
  }

  #raised(base: Expression): Expression {
    const isBare = base.kind === 'symbol' && !this.isIndexed;
    const exponent = this.#script();
    if (isBare && this.accept('_'))
      return binary('^', { ...base, name: `${base.name}_${this.subscript()}` }, exponent);
    const isEuler = base.kind === 'symbol' && base.name === 'e' && !this.#known.has('e');
    return isEuler ? call('exp', exponent) : binary('^', base, exponent);
  }

  /** What stands behind ^ or _: a group, or one token. */
  #script(): Expression {
    if (this.accept('{')) return this.#closedBy('}');
    if (this.peek().kind === 'number') return this.#digit();
    return this.#atom();
  }

  /** Of `x^23` TeX raises to 2. */
  #digit(): Expression {
    const { text } = this.peek();
    if (text.length > 1) this.unexpected(': write an exponent of more than one character in braces');
    this.next++;
    return number(text);
  }

  #closedBy(closing: string): Expression {
    const inside = this.#sum();
    this.take(closing);
    return inside;
  }

  // ---- atoms -------------------------------------------------------------------------------------------

  #atom(): Expression {
    const { kind, text } = this.peek();
    if (kind === 'number') {
      this.next++;
      return number(text);
    }
    if (kind === 'letter') return this.symbol();
    if (text in closings) return this.#group(text);
    if (kind === 'control') return this.#control(text);
    return this.unexpected();
  }

  #group(opening: string): Expression {
    this.next++;
    if (opening === '[') this.#refuseSpecies();
    const inside = this.#closedBy(closings[opening]!);
    if (opening === '|' || opening === '\\lvert') return call('abs', inside);
    if (opening === '\\lfloor') return call('floor', inside);
    if (opening === '\\lceil') return { kind: 'negate', of: call('floor', { kind: 'negate', of: inside }) };
    return inside;
  }

  /** [AB] is the concentration of AB to a chemist, and A·B to the rest of LaTeX. */
  #refuseSpecies(): void {
    let count = 0;
    while (this.peek(count).kind === 'letter') count++;
    if (count < 2 || this.peek(count).text !== ']') return;
    const letters = Array.from({ length: count }, (_, i) => this.peek(i).text).join('');
    throw unreadable(
      `[${letters}] may be the concentration of ${letters} or a product: write \\mathrm{${letters}} for one quantity, (${[...letters].join(' ')}) for a product`,
      this.text,
    );
  }

  #control(text: string): Expression {
    const word = text.slice(1);
    if (word === 'frac') return this.#fraction();
    if (word === 'sqrt') return this.#root();
    if (word === 'binom') return this.#binomial();
    if (word === 'log') return this.#logarithm();
    if (word === 'Gamma' && !this.#known.has('Gamma') && this.peek(1).text === '(')
      return this.#applied('gamma');
    const name = alphabets.has(word) ? this.#namedWord() : isGreek(word) ? undefined : word;
    if (name !== undefined && isFunction(name) && !this.#known.has(name)) return this.#applied(name);
    return this.symbol();
  }

  /** The word of \operatorname{word}, where it is one. */
  #namedWord(): string | undefined {
    const letters: string[] = [];
    for (let i = 2; this.peek(i).kind === 'letter' || this.peek(i).kind === 'number'; i++)
      letters.push(this.peek(i).text);
    return this.peek(1).text === '{' ? letters.join('') : undefined;
  }

  /** Of `\frac12` TeX makes a half. */
  #fraction(): Expression {
    this.next++;
    const { kind, text } = this.peek();
    if (kind === 'number' && /^\d\d$/.test(text)) {
      this.next++;
      return binary('/', number(text[0]!), number(text[1]!));
    }
    const above = this.#script();
    return binary('/', above, this.#script());
  }

  #root(): Expression {
    this.next++;
    const degree = this.accept('[') ? this.#closedBy(']') : undefined;
    const of = this.#script();
    if (degree === undefined) return call('sqrt', of);
    return degree.kind === 'number' && degree.text === '3'
      ? call('cbrt', of)
      : binary('^', of, binary('/', one, degree));
  }

  #binomial(): Expression {
    this.next++;
    const [n, k] = [this.#script(), this.#script()];
    return binary('/', factorial(n), binary('*', factorial(k), factorial(binary('-', n, k))));
  }

  #logarithm(): Expression {
    if (this.peek(1).text !== '_') this.unexpected(' without its base: write \\ln, \\log_{10} or \\log_2');
    const braced = this.peek(2).text === '{';
    const base = this.peek(braced ? 3 : 2).text;
    if (base !== '2' && base !== '10') this.unexpected(': its base is 2 or 10');
    this.next += braced ? 4 : 2;
    return this.#applied(`log${base}`);
  }

  /** The function word that stands here, its power, and its argument. */
  #applied(word: string): Expression {
    const from = this.peek().at;
    const isNamed = alphabets.has(this.peek().text.slice(1));
    if (isNamed) while (!this.accept('}')) this.next++;
    else this.next++;
    const power = this.accept('^') ? this.#script() : undefined;
    if (power?.kind === 'negate') this.unexpected(': write an inverse function by its own name');
    const list = this.#arguments(functionOf(word)!, from);
    const value = applied(word, list);
    if (typeof value === 'number')
      throw unreadable(`${word} takes ${value} arguments, not ${list.length}`, this.text);
    return power ? binary('^', value, power) : value;
  }

  /** A bracket, a group, or the factors up to the next sign or function: \sin 2\theta. */
  #arguments(name: string, from: number): Expression[] {
    const { text, at } = this.peek();
    if (text === '(' || text === '[' || text === '{' || text === '\\{') {
      this.next++;
      const list = [this.#sum()];
      while (this.accept(',')) list.push(this.#sum());
      this.take(closings[text]!);
      const follows = this.stands('/') || (this.#startsFactor() && !this.#startsFunction());
      if (text === '{' && follows) this.#openEnded(from, at);
      return list;
    }
    let argument = this.stands('-') ? this.#negated() : this.#factor();
    while (this.#startsFactor() && !this.#startsFunction()) {
      if (this.stands('\\sqrt') && this.#reading === 'row') break;
      if (this.#reading === 'row' ? openers.has(this.peek().text) : this.#mayEnd(name, argument))
        this.#openEnded(from, at);
      argument = binary('*', argument, this.#beside(argument));
    }
    if (this.stands('/') || (dots.has(this.peek().text) && this.#mayGoOn(name, argument)))
      this.#openEnded(from, at);
    return [argument];
  }

  /**
   * Whether what stands before may be the whole argument, so that a factor beside it is as often one of the function: a
   * bracket, root, fraction or power of e (\sin x e^{-x}); anything behind a space that somebody set (\ln 2\,T), an angle
   * or a variable (F\cos\theta d, \sin x y), two letters (\tanh kh g), any letter but a variable behind one that is no
   * coefficient (\exp ab), and behind a logarithm, but for π and 2π. What is left is one argument to every reader:
   * \sin 2x, \sin ax, \sin\omega t, \cos 2\pi ft.
   */
  #mayEnd(name: string, argument: Expression): boolean {
    this.#insideBraces();
    const { text, isSpaced } = this.peek();
    if (openers.has(text) || text === '\\frac' || text === '|' || text === '\\lvert') return true;
    if (isSpaced || (text === 'e' && this.peek(1).text === '^')) return true;
    const letters = symbolsOf(argument).filter((letter) => letter !== 'pi');
    if (logarithms.has(name)) return text !== '\\pi' || letters.length > 0;
    if (letters.length !== 1) return letters.length > 1;
    if (coefficients.test(letters[0]!)) return false;
    return wholes.test(letters[0]!) || !wholes.test(this.#letterAhead());
  }

  /** The name of the letter that stands here without its index. */
  #letterAhead(): string {
    const { kind, text } = this.peek();
    return kind === 'control' ? (greek(text.slice(1)) ?? '') : text;
  }

  /** Behind a number or a coefficient a dot may as well go on with the argument: \sin 2\cdot x, \cos\omega\cdot t. */
  #mayGoOn(name: string, argument: Expression): boolean {
    if (this.#reading === 'row' || logarithms.has(name)) return false;
    const letters = symbolsOf(argument).filter((letter) => letter !== 'pi');
    return letters.length < 2 && !letters.some((letter) => wholes.test(letter));
  }

  /** The text from `from` is the function word, that from `at` its argument so far. */
  #openEnded(from: number, at: number): never {
    const next = this.peek();
    const cut = (start: number, end: number) =>
      this.text.slice(start - 1, end - 1).replace(/(?:\s|~|\\[,;: !])+$/, '');
    const word = cut(from, at);
    const argument = cut(at, next.at).replace(/^\{(.*)\}$/s, '$1');
    const rest = cut(next.at, next.at + next.text.length);
    const [inside, outside] = [`${word}(${argument} ${rest} …)`, `${word}(${argument}) ${rest} …`];
    throw unreadable(
      `${printable(inside)} and ${printable(outside)} are both readings of it at character ${next.at}; write brackets, ${word}(…)`,
      this.text,
    );
  }

  #startsFunction(): boolean {
    const word = this.peek().text.slice(1);
    if (this.peek().kind !== 'control' || isGreek(word)) return false;
    const name = alphabets.has(word) ? this.#namedWord() : word;
    return name !== undefined && name !== 'sqrt' && (isFunction(name) || name === 'log');
  }
}

const closers = new Set(Object.values(closings));

/** Whether a numeral is what stands last on the line; an index, an exponent and a denominator stand off it. */
function endsInNumeral(node: Expression): boolean {
  if (node.kind === 'negate') return endsInNumeral(node.of);
  if (node.kind !== 'binary') return node.kind === 'number';
  return node.operator !== '^' && node.operator !== '/' && endsInNumeral(node.right);
}

const isNumerals = (node: Expression): boolean =>
  node.kind === 'binary' &&
  node.operator === '/' &&
  node.left.kind === 'number' &&
  node.right.kind === 'number';

const isFunction = (word: string): boolean => functionOf(word) !== undefined;
