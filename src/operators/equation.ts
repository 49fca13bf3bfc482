import { printable } from '../errors/printable.ts';
import { Refusal, refuse } from '../errors/refusal.ts';
import { MAX_LENGTH, parse } from './parse.ts';
import { type Expression, substitute, symbolsOf } from './syntax.ts';

/** A free-form equation with its letters bound: what is left are the inputs to ask for. */
export interface Equation {
  readonly expression: Expression;
  /** Constants of CODATA that a letter was bound to by the syntax around it. */
  readonly constants: readonly string[];
  readonly inputs: readonly string[];
}

/**
 * Reads `y = …` or a bare expression. A relation, limit, transfer function, matrix or state vector is refused as
 * NON_SCALAR_RESULT (HON-10 to HON-13); derivatives, sums and integrals as UNSUPPORTED. A single letter is an input
 * (HON-06), but e raised to a power is Euler's number (HON-07) and h beside a frequency or wavelength is Planck's
 * constant (HON-08).
 */
export function readEquation(text: string): Equation {
  if (text.length > MAX_LENGTH)
    refuse(
      'INVALID_INPUT',
      `equation is text of ${text.length} characters; accepted: at most ${MAX_LENGTH}.`,
      { field: 'equation' },
    );
  refuseNonScalar(text);
  const euler = bindEuler(parse(rightSide(text)));
  const { expression, bound } = bindPlanck(euler);
  const inputs = symbolsOf(expression).filter((name) => name !== 'pi' && !name.startsWith(BOUND));
  return { expression, constants: bound ? ['h'] : [], inputs };
}

/** Prefix of a symbol that stands for a constant; no text can contain it. */
export const BOUND = '#';

const nonScalar: readonly (readonly [RegExp, string])[] = [
  [/\blim(?:sup|inf)?\b|→|->|⟶/u, 'a limit'],
  [/[<>≤≥≠≈≲≳≪≫∝]|!=/u, 'an inequality or a relation'],
  [/[~≃≍]|\b[OoΘΩ]\s*\(|𝒪/u, 'an asymptotic bound'],
  [/^\s*\p{L}[\p{L}\p{N}_]*\s*\(\s*(?:s|z|jω|j\*?omega|iω|i\*?omega)\s*\)\s*=/u, 'a transfer function'],
  [/[[\]{};&]|\\begin|\bmatrix\b|⃗/u, 'a matrix or a state vector'],
];

const unsupported: readonly (readonly [RegExp, string])[] = [
  [
    /\bd\^?\d?\s*[\p{L}_]*\s*\/\s*d\s*\p{L}|['′″]|[∂∇]|\bderiv/u,
    'a derivative; a differential equation is for solve',
  ],
  [/[∑Σ∫∏∮]|\b(?:sum|prod|integral|integrate)\b/u, 'a sum or an integral'],
];

function refuseNonScalar(text: string): void {
  for (const [pattern, what] of nonScalar) {
    if (pattern.test(text)) throw refused('NON_SCALAR_RESULT', what, text, 'an equation of one number');
  }
  for (const [pattern, what] of unsupported) {
    if (pattern.test(text)) throw refused('UNSUPPORTED', what, text, 'an expression in closed form');
  }
}

function refused(
  code: 'NON_SCALAR_RESULT' | 'UNSUPPORTED',
  what: string,
  text: string,
  accepts: string,
): Refusal {
  return new Refusal(code, `equation ${printable(text)} has ${what}; accepted: ${accepts}.`, {
    field: 'equation',
    accepts,
  });
}

/** What stands right of the one `=`, or the whole where there is none. */
function rightSide(text: string): string {
  const sides = text.split('=');
  if (sides.length === 1) return text;
  const named = /^\s*[\p{L}_][\p{L}\p{N}_]*\s*(?:\([\p{L}\p{N}_\s,]*\))?\s*$/u;
  if (sides.length === 2 && named.test(sides[0]!)) return sides[1]!;
  const accepts = 'an expression, or one name = an expression';
  return refuse(
    'INVALID_INPUT',
    `equation ${printable(text)} is not solved for one name; accepted: ${accepts}.`,
    {
      field: 'equation',
      accepts,
    },
  );
}

/** e^x is exp(x); an e that is raised to nothing stays a letter. */
function bindEuler(expression: Expression): Expression {
  return substitute(expression, (node) => {
    if (node.kind !== 'binary' || node.operator !== '^') return undefined;
    if (node.left.kind !== 'symbol' || node.left.name !== 'e') return undefined;
    return { kind: 'call', name: 'exp', arguments: [bindEuler(node.right)] };
  });
}

const isWave = (name: string): boolean =>
  /^(?:f|nu|ν|λ|lambda|frequency|wavelength)(?:_[\p{L}\p{N}_]+|\d*)$/u.test(name);

function bindPlanck(expression: Expression): { expression: Expression; bound: boolean } {
  if (!hasPlanck(expression)) return { expression, bound: false };
  return {
    expression: substitute(expression, (node) =>
      node.kind === 'symbol' && node.name === 'h' ? { kind: 'symbol', name: `${BOUND}h` } : undefined,
    ),
    bound: true,
  };
}

/** True where some product or quotient has h and a frequency or wavelength among its factors. */
function hasPlanck(node: Expression): boolean {
  const names = factorsOf(node);
  if (names.includes('h') && names.some(isWave)) return true;
  if (node.kind === 'negate') return hasPlanck(node.of);
  if (node.kind === 'call') return node.arguments.some(hasPlanck);
  return node.kind === 'binary' && (hasPlanck(node.left) || hasPlanck(node.right));
}

function factorsOf(node: Expression): string[] {
  if (node.kind === 'symbol') return [node.name];
  if (node.kind === 'negate') return factorsOf(node.of);
  if (node.kind !== 'binary') return [];
  if (node.operator === '^') return factorsOf(node.left);
  return node.operator === '*' || node.operator === '/'
    ? [...factorsOf(node.left), ...factorsOf(node.right)]
    : [];
}
