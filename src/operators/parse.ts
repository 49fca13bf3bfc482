import { nearest } from '../errors/nearest.ts';
import { printable, printableWord } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';
import { applied, call, degrees, doubleFactorial, factorial, functionOf, functions } from './functions.ts';
import type { BinaryOperator, Expression } from './syntax.ts';

/**
 * Expressions by precedence climbing (V. R. Pratt, POPL 1973). `^` binds to the right and tighter than a unary
 * minus, so that -x^2 is -(x^2) (HON-09). A product may go without sign where nothing else can be meant: `2x`,
 * `2(x + 1)`, `(a)(b)`, `a b`; not after `/`, and never `a(b)`, which reads like a function. π is pi.
 */
export const MAX_LENGTH = 2000;
const MAX_NESTING = 64;

interface Token {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
  /** No space stands before it. */
  readonly isGlued?: boolean;
}

const lexeme =
  /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(π(?=\p{L})|[\p{L}_][\p{L}\p{M}\p{Nd}\p{Nl}₀-₉_]*)|(\*\*|°(?!\s*[\p{L}\d])|[-+*/^(),|!√∛·×⋅∙•∗÷∕⁄−–])|(⁻?[⁰¹²³⁴-⁹]+)|([¼½¾⅓⅔⅛]))/uy;
const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const fractions: Readonly<Record<string, string>> = {
  '¼': '1/4',
  '½': '1/2',
  '¾': '3/4',
  '⅓': '1/3',
  '⅔': '2/3',
  '⅛': '1/8',
};
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{
      '**': '^',
      '·': '*',
      '×': '*',
      '⋅': '*',
      '∙': '*',
      '•': '*',
      '∗': '*',
      '÷': '/',
      '∕': '/',
      '⁄': '/',
      '−': '-',
      '–': '-',
    },
    π: 'pi',
  }),
);

/** Reads an expression. Throws a Refusal INVALID_INPUT that says where it stopped. */
export function parse(text: string): Expression {
  if (text.length > MAX_LENGTH) wrong(`it has ${text.length} characters, above ${MAX_LENGTH}`, text);
  return new Parser(text).whole();
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    lexeme.lastIndex = at;
    const match = lexeme.exec(text);
    if (!match)
      return wrong(`${printable([...text.slice(at).trim()][0])} has no meaning at character ${at + 1}`, text);
    const [, number, name, sign, power, fraction] = match;
    if (power !== undefined) {
      found.push(...powerOf(power, at + 1));
      at = lexeme.lastIndex;
      continue;
    }
    if (fraction !== undefined) {
      if (found.at(-1)?.kind === 'number')
        wrong(
          `${fraction} behind a number may be a mixed number or a product at character ${lexeme.lastIndex}`,
          text,
        );
      found.push(...fractionOf(fraction, lexeme.lastIndex));
      at = lexeme.lastIndex;
      continue;
    }
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign';
    if (number !== undefined && outOfRange(number))
      wrong(`the number ${printable(number)} is out of range`, text);
    const lexed = number ?? name ?? sign!;
    const from = lexeme.lastIndex - lexed.length;
    if (lexed.startsWith('_') && found.at(-1)?.kind === 'number' && from === at)
      wrong(`${printable(lexed)} right behind a number is no name at character ${from + 1}`, text);
    found.push({ kind, text: synonyms.get(lexed) ?? lexed, at: from + 1, isGlued: from === at });
    at = lexeme.lastIndex;
  }
  return [...found, { kind: 'end', text: 'the end', at: text.length + 1 }];
}

/** x² is x^2, and x⁻¹ is x^(-1); a letter whose name ends with a ² it is not. */
function powerOf(text: string, at: number): Token[] {
  const digits = [...text].map((digit) => (digit === '⁻' ? '-' : raised.indexOf(digit))).join('');
  const sign = (text: string): Token => ({ kind: 'sign', text, at });
  const number: Token = { kind: 'number', text: digits.replace('-', ''), at };
  return [sign('^'), sign('('), ...(digits.startsWith('-') ? [sign('-')] : []), number, sign(')')];
}

/** ½ is (1/2). */
function fractionOf(text: string, at: number): Token[] {
  const [above, below] = fractions[text]!.split('/');
  const token = (kind: Token['kind'], text: string): Token => ({ kind, text, at });
  return [
    token('sign', '('),
    token('number', above!),
    token('sign', '/'),
    token('number', below!),
    token('sign', ')'),
  ];
}

/** Beyond the doubles, or below them; the exact value of such a numeral would not fit into memory. */
function outOfRange(number: string): boolean {
  const exponent = /e([+-]?\d+)$/i.exec(number)?.[1] ?? '0';
  const value = Number(number);
  const vanishes = value === 0 && /[1-9]/.test(number.replace(/e.*$/i, ''));
  return !Number.isFinite(value) || vanishes || Math.abs(Number(exponent)) > 400;
}

const powers: Readonly<Record<string, number>> = { '+': 10, '-': 10, '*': 20, '/': 20, '^': 30 };
const PREFIX = 20;

class Parser {
  readonly #text: string;
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokens(text);
  }

  whole(): Expression {
    const expression = this.#expression(0);
    if (this.#peek().kind !== 'end') this.#unexpected();
    return expression;
  }

  #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  #stands(sign: string): boolean {
    return this.#peek().text === sign && this.#peek().kind === 'sign';
  }

  #accept(sign: string): boolean {
    const stands = this.#stands(sign);
    if (stands) this.#next++;
    return stands;
  }

  #take(sign: string): void {
    if (!this.#accept(sign)) this.#unexpected(`, where ${sign} was expected`);
  }

  #unexpected(hint = ''): never {
    const { text, at, kind } = this.#peek();
    const what = kind === 'end' ? 'it ends too early' : `${printable(text)} is unexpected at character ${at}`;
    return wrong(`${what}${hint}`, this.#text);
  }

  #expression(least: number): Expression {
    if (++this.#depth > MAX_NESTING) wrong(`it is nested deeper than ${MAX_NESTING}`, this.#text);
    let left = this.#prefix();
    let divided = false;
    for (;;) {
      const token = this.#peek();
      const explicit = token.kind === 'sign' ? powers[token.text] : undefined;
      const implicit = explicit === undefined && startsFactor(token);
      const power = explicit ?? (implicit ? powers['*']! : -1);
      if (power <= least) break;
      if (implicit && divided) this.#unexpected(': after a / write the product with * or parentheses');
      if (implicit && token.kind === 'number') this.#unexpected();
      if (!implicit) this.#next++;
      const operator = (implicit ? '*' : token.text) as BinaryOperator;
      divided = operator === '/' || (divided && power === 20);
      left = { kind: 'binary', operator, left, right: this.#right(operator, power) };
    }
    this.#depth--;
    return left;
  }

  /** The right operand; that of ^ may carry a sign. */
  #right(operator: BinaryOperator, power: number): Expression {
    return operator === '^' ? this.#expression(power - 1) : this.#expression(power);
  }

  #prefix(): Expression {
    const token = this.#peek();
    if (token.kind === 'sign' && (token.text === '-' || token.text === '+')) {
      this.#next++;
      const of = this.#expression(PREFIX);
      return token.text === '-' ? { kind: 'negate', of } : of;
    }
    return this.#atom();
  }

  /** An atom with its factorials. */
  #atom(): Expression {
    let atom = this.#bare();
    while (this.#accept('!')) {
      atom = this.#accept('!') ? doubleFactorial(atom) : factorial(atom);
      if (this.#stands('!')) this.#unexpected(': write (n!)! for a factorial of a factorial');
    }
    return atom;
  }

  #bare(): Expression {
    const token = this.#peek();
    if (token.kind === 'number') {
      this.#next++;
      const number: Expression = { kind: 'number', text: token.text };
      return this.#accept('°') ? degrees(number) : number;
    }
    if (token.kind === 'name') return this.#name(token);
    if (this.#accept('√')) return this.#root('sqrt');
    if (this.#accept('∛')) return this.#root('cbrt');
    if (this.#accept('|')) return call('abs', this.#closedBy('|'));
    if (!this.#accept('(')) this.#unexpected();
    return this.#closedBy(')');
  }

  #closedBy(sign: string): Expression {
    const inside = this.#expression(0);
    this.#take(sign);
    return inside;
  }

  /** Without a bar and a bracket only a sum ends what is under a root: 2π√L/g is most often 2π√(L/g). */
  #root(name: 'sqrt' | 'cbrt'): Expression {
    const isBracketed = this.#stands('(');
    const of = this.#bare();
    if (this.#stands('^') || this.#stands('!') || (!isBracketed && isOpen(this.#peek())))
      this.#refuseOpenRoot(name);
    return call(name, of);
  }

  #refuseOpenRoot(name: string): never {
    this.#unexpected(`: it may stand under the root or behind it; write ${name}(…)`);
  }

  /** `gamma` alone is the letter, as in gamma*m*c^2; gamma(x) is the function. */
  #name(token: Token): Expression {
    this.#next++;
    const known = token.text === 'gamma' ? undefined : functionOf(token.text);
    const power = known === undefined ? undefined : this.#powerOfFunction();
    const list = this.#stands('(') ? this.#inBrackets(token.text) : this.#withoutBrackets(token, power);
    if (list === undefined) return { kind: 'symbol', name: token.text };
    const value = applied(token.text, list);
    if (typeof value === 'number')
      return wrong(`${token.text} takes ${value} arguments, not ${list.length}`, this.#text);
    return power === undefined ? value : { kind: 'binary', operator: '^', left: value, right: power };
  }

  #inBrackets(name: string): Expression[] {
    if (functionOf(name) === undefined) wrong(unknownFunction(name), this.#text);
    this.#take('(');
    const list = [this.#expression(0)];
    while (this.#accept(',')) list.push(this.#expression(0));
    this.#take(')');
    return list;
  }

  /**
   * `sin x` and `sin 2πx` where one letter or number with its coefficients is all that can be meant: before + or −,
   * another function, or at an end. Nothing where the name is a letter, as gamma and sec may be.
   */
  #withoutBrackets(token: Token, power: Expression | undefined): [Expression] | undefined {
    const name = token.text;
    const from = this.#next;
    if (!isArgument(this.#peek())) {
      if ((!functions.has(name) && power === undefined) || name === 'gamma') return undefined;
      wrong(`what belongs to ${name} is not in brackets; write ${name}(…)`, this.#text);
    }
    if (name === 'log') wrong(unknownFunction(name), this.#text);
    if (name === 'gamma' || functionOf(name) === undefined) return undefined;
    let argument = this.#bare();
    if (name === 'sqrt' || name === 'cbrt') {
      if (isOpen(this.#peek())) this.#refuseOpenRoot(name);
      return [argument];
    }
    while (this.#peek().isGlued && this.#peek().kind === 'name' && isArgument(this.#peek()))
      argument = { kind: 'binary', operator: '*', left: argument, right: this.#bare() };
    if (!endsArgument(this.#peek())) this.#refuseTwoReadings(token, this.#tokens[from]!);
    return [argument];
  }

  /** What stands behind the argument of a function without brackets may belong to it or not. */
  #refuseTwoReadings(word: Token, first: Token): never {
    const cut = (from: Token, to: Token) => this.#text.slice(from.at - 1, to.at - 1).trim();
    const next = this.#peek();
    const [name, argument, rest] = [cut(word, first), cut(first, next), cut(next, this.#endOfProduct())];
    const sign = next.kind === 'sign' && !/^[(√∛]$/.test(next.text) ? '' : '*';
    const inside = `${name}(${argument}${sign}${rest})`;
    const outside =
      next.text === '^' ? `(${name}(${argument}))${rest}` : `${name}(${argument})${sign}${rest}`;
    return wrong(`${inside} and ${outside} are both readings of it; write one of them`, this.#text);
  }

  /** The token that ends the product at which the parser stands. */
  #endOfProduct(): Token {
    let depth = 0;
    const rest = this.#tokens.slice(this.#next);
    return rest.find(({ kind, text }) => {
      if (kind === 'end' || (depth === 0 && kind === 'sign' && /^[-+),|]$/.test(text))) return true;
      if (kind === 'sign') depth += text === '(' ? 1 : text === ')' ? -1 : 0;
      return false;
    })!;
  }

  /** The 2 of sin²(x) and sin^2(x); sin^-1 is an inverse to some and 1/sin to others. */
  #powerOfFunction(): Expression | undefined {
    const ahead = (k: number) => this.#tokens[Math.min(this.#next + k, this.#tokens.length - 1)]!;
    if (!this.#stands('^')) return undefined;
    const braced = ahead(1).text === '(' ? 1 : 0;
    if (ahead(1 + braced).text === '-')
      this.#unexpected(': write 1/f(x), or an inverse function by its own name');
    const numeral = ahead(1 + braced);
    const behind = ahead(2 + 2 * braced);
    if (numeral.kind !== 'number' || (behind.text !== '(' && !isArgument(behind))) return undefined;
    this.#next += 2 + 2 * braced;
    return { kind: 'number', text: numeral.text };
  }
}

/** A number, or a letter that is no function. */
const isArgument = ({ kind, text }: Token): boolean =>
  kind === 'number' || (kind === 'name' && (functionOf(text) === undefined || text === 'gamma'));

/** What may stand behind `sin x`: the end, + or −, or another function. */
const endsArgument = (token: Token): boolean =>
  token.kind === 'end' ||
  (token.kind === 'name' ? !isArgument(token) : token.kind === 'sign' && /^[-+),|]$/.test(token.text));

/** What may go on with a root that has no brackets, as with √2x, √L/g and sqrt x^2. */
const isOpen = (token: Token): boolean =>
  startsFactor(token) || (token.kind === 'sign' && /^[*/^!]$/.test(token.text));

const startsFactor = (token: Token): boolean =>
  token.kind === 'name' || token.kind === 'number' || (token.kind === 'sign' && /^[(√∛]$/.test(token.text));

function unknownFunction(name: string): string {
  if (name === 'log') return 'log is ambiguous: write ln, log10 or log2';
  const near = nearest(name, functions.keys());
  const shown = printableWord(name);
  return `${shown} is no function${near ? `, the nearest is ${near}` : ''}; for a product write ${shown}*(…)`;
}

/** @throws Refusal INVALID_INPUT */
export function refuseLongText(text: string): void {
  if (text.length <= MAX_LENGTH) return;
  const accepts = `at most ${MAX_LENGTH} characters`;
  throw new Refusal('INVALID_INPUT', `equation is text of ${text.length} characters; accepted: ${accepts}.`, {
    field: 'equation',
    accepts,
  });
}

function wrong(problem: string, text: string): never {
  throw new Refusal('INVALID_INPUT', `The expression ${printable(text)} cannot be read: ${problem}.`, {
    field: 'equation',
    accepts: `numbers, names, + - * / ^, parentheses and ${[...functions.keys()].join(', ')}`,
  });
}
