import { add, type Fraction, fraction, invert, multiply } from '../units/fraction.ts';
import { constantOf } from './dimensions.ts';
import type { Expression } from './syntax.ts';

/**
 * A formula in the one form that all its ways of writing share: coefficient × ∏ base^exponent, where a base is a name, a
 * function of formulas or a sum of products. Products and sums are commutative; x/y is x·y⁻¹, √x is x^(1/2), and
 * expm1, log1p, sinpi, cospi are what they abbreviate. No identity of algebra beyond that is applied.
 */
export interface Product {
  readonly coefficient: Fraction;
  readonly factors: ReadonlyMap<string, Fraction>;
}

const one = fraction(1n);
const minusOne = fraction(-1n);
const pure = (coefficient: Fraction): Product => ({ coefficient, factors: new Map() });
const base = (text: string, exponent: Fraction = one): Product => ({
  coefficient: one,
  factors: new Map([[text, exponent]]),
});

/** Equal texts mean that two formulas are written alike up to order, brackets and the way of dividing. */
export function canonicalText(node: Expression, name?: (symbol: string) => string): string {
  return textOf(canonical(node, name));
}

export function canonical(node: Expression, name: (symbol: string) => string = (symbol) => symbol): Product {
  parsed.clear();
  sums.clear();
  return reduced(node, name);
}

function reduced(node: Expression, name: (symbol: string) => string): Product {
  const of = (inner: Expression) => reduced(inner, name);
  switch (node.kind) {
    case 'number':
      return pure(constantOf(node)!);
    case 'symbol':
      return base(node.name === 'pi' ? 'pi' : name(node.name));
    case 'negate':
      return times(pure(minusOne), of(node.of));
    case 'call':
      return ofCall(node.name, node.arguments.map(of));
    case 'binary':
      return ofBinary(node, of(node.left), of(node.right));
  }
}

function ofBinary(
  { operator }: Extract<Expression, { kind: 'binary' }>,
  left: Product,
  right: Product,
): Product {
  if (operator === '*') return times(left, right);
  if (operator === '/') return times(left, power(right, minusOne));
  if (operator === '^')
    return right.factors.size === 0
      ? power(left, right.coefficient)
      : base(`pow[${textOf(left)}|${textOf(right)}]`);
  return sum([left, operator === '-' ? times(pure(minusOne), right) : right]);
}

function ofCall(name: string, list: readonly Product[]): Product {
  const [x] = list as [Product];
  if (name === 'sqrt') return power(x, fraction(1n, 2n));
  if (name === 'cbrt') return power(x, fraction(1n, 3n));
  if (name === 'expm1') return sum([ofCall('exp', list), pure(minusOne)]);
  if (name === 'log1p') return ofCall('ln', [sum([x, pure(one)])]);
  if (name === 'sinpi' || name === 'cospi') return ofCall(name.slice(0, 3), [times(x, base('pi'))]);
  if (name === 'gamma') {
    const factorial = factorialBelow(x);
    if (factorial) return pure(factorial);
  }
  if (name === 'atan2' && textOf(list[1]!) === '1') return ofCall('atan', [x]);
  const texts = list.map(textOf);
  return base(`${name}[${(name === 'min' || name === 'max' ? texts.sort() : texts).join('|')}]`);
}

/** Γ(n) = (n − 1)! of a small whole number. */
function factorialBelow({ coefficient: { n, d }, factors }: Product): Fraction | undefined {
  if (factors.size > 0 || d !== 1n || n < 1n || n > 40n) return undefined;
  let product = 1n;
  for (let k = 2n; k < n; k++) product *= k;
  return fraction(product);
}

function times(a: Product, b: Product): Product {
  const factors = new Map(a.factors);
  for (const [text, exponent] of b.factors) {
    const joined = add(factors.get(text) ?? fraction(0n), exponent);
    if (joined.n === 0n) factors.delete(text);
    else factors.set(text, joined);
  }
  return { coefficient: multiply(a.coefficient, b.coefficient), factors };
}

function power({ coefficient, factors }: Product, exponent: Fraction): Product {
  const raised = [...factors].map(([text, own]): [string, Fraction] => [text, multiply(own, exponent)]);
  if (isSmall(exponent) && isShort(coefficient) && (coefficient.n !== 0n || exponent.n > 0n))
    return {
      coefficient: wholePower(coefficient, exponent.n),
      factors: new Map(raised.filter(([, e]) => e.n !== 0n)),
    };
  if (coefficient.n === coefficient.d) return { coefficient: one, factors: new Map(raised) };
  return {
    coefficient: one,
    factors: new Map([...raised, [`number[${fractionText(coefficient)}]`, exponent]]),
  };
}

/** A whole exponent that leaves numbers of a size one can write. */
const isSmall = ({ n, d }: Fraction): boolean => d === 1n && n >= -16n && n <= 16n;

const LONG = 2n ** 256n;
/** A number that may be raised: powers of powers of what a stranger wrote would fill the memory. */
const isShort = ({ n, d }: Fraction): boolean => n < LONG && n > -LONG && d < LONG;

function wholePower(x: Fraction, n: bigint): Fraction {
  const of = n < 0n ? invert(x) : x;
  const count = n < 0n ? -n : n;
  let product = one;
  for (let k = 0n; k < count; k++) product = multiply(product, of);
  return product;
}

/** The coefficient of the first term stands before the bracket, so that 2a + 2b is 2(a + b). */
function sum(parts: readonly Product[]): Product {
  const terms = new Map<string, Fraction>();
  for (const part of parts)
    for (const [text, coefficient] of termsOf(part))
      terms.set(text, add(terms.get(text) ?? fraction(0n), coefficient));
  const sorted = [...terms].filter(([, { n }]) => n !== 0n).sort(([a], [b]) => (a < b ? -1 : 1));
  const [first] = sorted;
  if (first === undefined) return pure(fraction(0n));
  if (sorted.length === 1) return times(pure(first[1]), parsed.get(first[0])!);
  const scale = invert(first[1]);
  const text = `(${sorted.map(([term, coefficient]) => `${fractionText(multiply(coefficient, scale))} ${term}`).join(' + ')})`;
  sums.set(
    text,
    sorted.map(([term, coefficient]) => [term, multiply(coefficient, scale)]),
  );
  return times(pure(first[1]), base(text));
}

// What the text of a term or of a sum stands for; a sum within a sum is opened again.
const parsed = new Map<string, Product>();
const sums = new Map<string, [string, Fraction][]>();

function termsOf(part: Product): [string, Fraction][] {
  const [only, second] = [...part.factors];
  const inner = only && !second && only[1].n === only[1].d ? sums.get(only[0]) : undefined;
  if (inner) return inner.map(([text, coefficient]) => [text, multiply(coefficient, part.coefficient)]);
  const bare: Product = { coefficient: one, factors: part.factors };
  const text = textOf(bare);
  parsed.set(text, bare);
  return [[text, part.coefficient]];
}

const fractionText = ({ n, d }: Fraction): string => (d === 1n ? String(n) : `${n}/${d}`);

export function textOf({ coefficient, factors }: Product): string {
  const sorted = [...factors].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    fractionText(coefficient),
    ...sorted.map(([text, exponent]) =>
      exponent.n === exponent.d ? text : `${text}^${fractionText(exponent)}`,
    ),
  ].join('*');
}
