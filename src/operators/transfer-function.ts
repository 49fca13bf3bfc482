import { dimension, dimensionless, sameDimension } from '../units/dimension.ts';
import { isUnit, parseUnit } from '../units/unit.ts';
import { constantOf } from './dimensions.ts';
import { type Expression, symbolsOf } from './syntax.ts';

/**
 * Whether an equation defines a transfer function: a transform of s or z, a quotient of two, or a response to jω. The left
 * side says so, and for one letter of s or z the right side too: T(s) = 2*pi*sqrt(l/g) is a period in seconds,
 * B(z) = b/(R^2 + z^2)^(3/2) a field along an axis, and H(z) with a root Hubble's parameter. So is U(z) = m*g*z, which no
 * causal system has, and what has its s or z in metres: that of a transform is in 1/s, or a number.
 */
export function isTransferFunction(text: string, { formula, unitOf }: Evidence): boolean {
  const [left = '', ...right] = text.split('=');
  if (right.length === 0) return false;
  const name = plainly(left).replace(/:$/, '');
  if (response.test(name) || quotient.test(name)) return true;
  const of = transform.exec(name)?.groups;
  if (!of) return false;
  const rest = letters(right.join('='));
  const variable = of.variable as 's' | 'z';
  if (!stands(variable, rest) || (variable === 'z' && irrational.test(rest))) return false;
  if (isOfOtherDimension(variable, unitOf(variable))) return false;
  return !(fields[variable].test(name) && isOfField(formula(), variable, name.startsWith('B')));
}

/** What else is known of an equation: its right side, where that can be read, and the units that letters are given in. */
export interface Evidence {
  readonly formula: () => Expression | undefined;
  readonly unitOf: (name: string) => string | undefined;
}

const ofTransform = { s: dimension({ s: -1 }), z: dimensionless } as const;

const isOfOtherDimension = (variable: 's' | 'z', unit: string | undefined): boolean =>
  unit !== undefined && isUnit(unit) && !sameDimension(parseUnit(unit).dimension, ofTransform[variable]);

/** Letters of energies, forces, fields and potentials, which go by a height or along a way too. */
const fields = {
  s: /^[ABEFJMNQUVW](?:_[\p{L}\p{N}_]+|\d+)?\(/u,
  z: /^[DFU](?:_[\p{L}\p{N}_]+|\d+)?\(/u,
} as const;

/** Whether it is a polynomial of the variable; a B, a magnetic field, may have powers of it below a line too. */
function isOfField(formula: Expression | undefined, variable: string, mayDivide: boolean): boolean {
  if (formula === undefined) return false;
  const has = (node: Expression) => symbolsOf(node).includes(variable);
  const within = (node: Expression): boolean => {
    if (!has(node) || node.kind === 'symbol') return true;
    if (node.kind === 'negate') return within(node.of);
    if (node.kind !== 'binary') return false;
    const { operator, left, right } = node;
    if (operator === '/' && has(right)) return mayDivide && isMonomial(right) && within(left);
    if (operator !== '^') return within(left) && within(right);
    const exponent = constantOf(right);
    return within(left) && exponent !== undefined && exponent.d === 1n && exponent.n > 0n;
  };
  return within(formula);
}

/** A product without a sum in it. */
function isMonomial(node: Expression): boolean {
  if (node.kind === 'symbol' || node.kind === 'number') return true;
  return (
    node.kind === 'binary' &&
    node.operator !== '+' &&
    node.operator !== '-' &&
    isMonomial(node.left) &&
    isMonomial(node.right)
  );
}

/** In LaTeX a letter is a name by itself. */
const stands = (letter: string, text: string): boolean =>
  /[\\{}]/.test(text)
    ? text.replace(/\\[A-Za-z]+/g, '').includes(letter)
    : new RegExp(String.raw`(?<!\p{L})${letter}(?!\p{L})`, 'u').test(text);

const NAME = String.raw`\p{L}[\p{L}\p{N}_]*`;
const J = `[ij](?:ω|Ω|w|2πf)`;
const OF = String.raw`\((?:s|z|z\^\(?-1\)?|${J})\)`;
const response = new RegExp(
  String.raw`^${NAME}\((?:z\^\(?-1\)?|${J}[\p{L}\p{N}_]*|e\^\(?[ij][^()]*\)?)\)$`,
  'u',
);
const quotient = new RegExp(`^${NAME}${OF}/${NAME}${OF}$|^${NAME}/${NAME}${OF}$`, 'u');
/** Transforms go by capitals; before z, where fields, temperatures and distances do too, by those of systems and signals. */
const transform =
  /^(?:\p{Lu}(?:_[\p{L}\p{N}]+|\d+|\p{Ll}{1,3})?\((?=s)|[CDFGHKLUXY](?:_[\p{L}\p{N}]+|\d+)?\((?=z))(?<variable>[sz])\)$/u;
const irrational = /sqrt|exp|ln|log|sin|cos|tan|e\^|\^[({]*(?:\\?[A-Za-z]|\d*[/.])/;

/** The left side without spaces, sizes, braces and signs of a product, LaTeX as plain text. */
const plainly = (left: string): string =>
  letters(left)
    .replace(/\\(?:left|right|[bB]ig+[lr]?)(?![A-Za-z])|\\[,;:! ]/g, '')
    .replace(/\\[dtc]?frac\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*\{((?:[^{}]|\{[^{}]*\})*)\}/g, '$1/$2')
    .replace(/\\c?dot|[*·{}\s]/g, '');

/** Greek letters as themselves, and no alphabets around the others. */
const letters = (text: string): string =>
  text
    .replace(/\\(?:mathrm|text|operatorname|mathit)\s*\{([^{}]*)\}/g, '$1')
    .replace(
      /\\?(?<![A-Za-hk-z])(omega|Omega|pi)(?![A-Za-eg-z])/g,
      (_, word: 'omega' | 'Omega' | 'pi') => greek[word],
    );

const greek = { omega: 'ω', Omega: 'Ω', pi: 'π' } as const;
