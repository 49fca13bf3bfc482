import { printable } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';
import { type Evidence, isTransferFunction } from './transfer-function.ts';

type Pattern = readonly [pattern: RegExp, what: string];

const LIMIT = 'a limit';
const RELATION = 'an inequality or a relation';
const BOUNDED = 'an asymptotic bound';
const TRANSFER = 'a transfer function';
const MATRIX = 'a matrix or a state vector';
const DERIVATIVE = 'a derivative; a differential equation is for solve';
const SUM = 'a sum or an integral';

/** What stands between a name and its bracket in LaTeX: a size. */
const SIZED = String.raw`\s*(?:\\(?:left|[bB]ig+[lr]?)\s*)?\(`;

const nonScalar: readonly Pattern[] = [
  [/→|->|⟶/u, LIMIT],
  [/[<>≤≥≠≈≲≳≪≫∝]|!=/u, RELATION],
  [new RegExp(String.raw`[≃≍𝒪]|(?<![\p{L}_\\])[OoΘΩ]${SIZED}`, 'u'), BOUNDED],
  [/[&⟨⟩]|⃗/u, MATRIX],
  [/[±∓]/u, 'two values'],
];

/** What a d of a differential quotient stands before: a letter, two, or a Greek one by name; `distance/duration` is none. */
const GREEK =
  'alpha|beta|gamma|delta|epsilon|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega|Omega|Theta|Phi|Psi';
const DIFFERENTIAL = String.raw`d\s*(?:\p{L}{1,2}|${GREEK})(?!\p{L})`;
const QUOTIENT_OF_D = String.raw`(?<![\p{L}\p{N}_])d(?:\^?\d)?\s*(?:${GREEK}|\p{L}{1,2})?\d*(?:_\w+)?\s*\/\s*${DIFFERENTIAL}`;
const unsupported: readonly Pattern[] = [
  [new RegExp(`${QUOTIENT_OF_D}|['′″]|[∂∇]`, 'u'), DERIVATIVE],
  [/[∑Σ∫∏∮]/u, SUM],
];

const plainNonScalar: readonly Pattern[] = [
  [/\blim(?:sup|inf)?\b/u, LIMIT],
  [/~/u, BOUNDED],
  [/[[\];]|\bmatrix\b/u, MATRIX],
  // Several numbers in brackets that no function has before it.
  [/^(?:[^=(]*(?:\([^()=]*\)\s*)?=)?\s*\([^(),]+(?:,[^(),]+)+\)\s*$/u, MATRIX],
];
const plainUnsupported: readonly Pattern[] = [
  [/\bderiv/u, DERIVATIVE],
  [/\b(?:sum|prod|integral|integrate)\b/u, SUM],
];

/** A control word that ends there. */
const word = (names: string): RegExp => new RegExp(`\\\\(?:${names})(?![A-Za-z])`);
/** The d of a differential quotient, and what may stand in braces. */
const D = String.raw`\s*(?:d|\\(?:mathrm|text|operatorname)\s*\{\s*d\s*\})`;
const INSIDE = String.raw`(?:[^{}]|\{[^{}]*\})*`;

const latexNonScalar: readonly Pattern[] = [
  [word('to|lim|limsup|liminf|(?:long|x)?rightarrow'), LIMIT],
  [word('leq?|geq?|leqslant|geqslant|lt|gt|neq?|approx|ll|gg|equiv|propto|cong|lesssim|gtrsim|in'), RELATION],
  [word('sim|simeq|asymp'), BOUNDED],
  [
    new RegExp(
      String.raw`\\(?:mathcal|mathrm|operatorname|text)\s*(?:\{\s*[Oo]\s*\}|[Oo](?![A-Za-z]))${SIZED}`,
      'u',
    ),
    BOUNDED,
  ],
  // Ω(a + b) may be a product; brackets around no sum, or around all that there is, are those of a bound.
  [new RegExp(String.raw`\\(?:Theta|Omega)${SIZED}[^()+-]*\)`, 'u'), BOUNDED],
  [new RegExp(String.raw`=\s*\\(?:Theta|Omega)${SIZED}[^()]*\)\s*$`, 'u'), BOUNDED],
  [word('begin|vec|overrightarrow|mathbf|boldsymbol|bm|ket|bra|langle|rangle'), MATRIX],
  [/^(?:[^=]*=)?\s*\\?\{[^{}]+(?:,[^{}]+)+\\?\}\s*$/u, MATRIX],
  [/\\\\|(?<!\\);/u, MATRIX],
  [word('pm|mp'), 'two values'],
];
const latexUnsupported: readonly Pattern[] = [
  [word('partial|nabla|prime'), DERIVATIVE],
  [new RegExp(String.raw`\\[dt]?frac\s*\{${D}(?!\s*_)${INSIDE}\}\s*\{${D}\s*\\?[A-Za-z]`, 'u'), DERIVATIVE],
  [word('i{1,3}nt|oint|sum|prod'), SUM],
];

/** ln(dT1/dT2) beside dT1 − dT2 has no derivative: both names stand by themselves elsewhere. */
function withoutNamedQuotients(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}_])(d\p{L}\w*)\s*\/\s*(d\p{L}\w*)/gu, (quotient, above, below) => {
    const rest = text.replace(quotient, ' ');
    const isNamed = (name: string) =>
      new RegExp(`(?<![\\p{L}\\p{N}_])${name}(?![\\p{L}\\p{N}_])`, 'u').test(rest);
    return isNamed(above) && isNamed(below) ? ' ' : quotient;
  });
}

/**
 * Refuses what is no number: a relation, limit, bound, transfer function, matrix or state vector as NON_SCALAR_RESULT (HON-10
 * to HON-13), a derivative, sum or integral as UNSUPPORTED.
 */
export function refuseNonScalar(text: string, syntax: 'plain' | 'latex', evidence: Evidence): void {
  if (isTransferFunction(text, evidence)) {
    const accepts = 'an equation of one number: where this is one, its name without (s) or (z)';
    throw refused('NON_SCALAR_RESULT', TRANSFER, text, accepts);
  }
  const [relations, open] =
    syntax === 'latex' ? [latexNonScalar, latexUnsupported] : [plainNonScalar, plainUnsupported];
  for (const [pattern, what] of [...nonScalar, ...relations])
    if (pattern.test(text)) throw refused('NON_SCALAR_RESULT', what, text, 'an equation of one number');
  const shown = withoutNamedQuotients(text);
  for (const [pattern, what] of [...unsupported, ...open])
    if (pattern.test(shown)) throw refused('UNSUPPORTED', what, text, 'an expression in closed form');
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
