import { printable } from '../errors/printable.ts';
import { refuse } from '../errors/refusal.ts';
import { refuseLongText } from './parse.ts';

export interface LatexToken {
  readonly kind: 'number' | 'letter' | 'control' | 'sign' | 'end';
  readonly text: string;
  /** Counted from 1. */
  readonly at: number;
  /** A numeral of several groups of digits: 10\,000. */
  readonly isGrouped?: true;
  /** A space that is set stands before it: \, or \quad. */
  readonly isSpaced?: true;
}

/**
 * A space between groups of three digits, as ISO 80000-1 (7.3.1) sets large numbers. A plain space is none in TeX, and
 * `{,}` stands for the decimal comma as well as between thousands.
 */
const gap = String.raw`(?:\s*(?:\\[,;: ]|~)\s*)`;
const whole = String.raw`[1-9]\d{0,2}(?:${gap}\d{3})+(?!\d)`;
const decimals = String.raw`\.\d{3}(?:${gap}\d{3})*${gap}\d{1,3}(?!\d)`;
const grouped = new RegExp(String.raw`${whole}(?:${decimals}|\.\d+)?|\d*${decimals}`, 'uy');
const lexeme =
  /(\d+(?:\.\d+)?|\.\d+)|(\p{L})|(\\(?:left|right)\s*\||\\[A-Za-z]+\*?|\\.)|([-+*/^_(){}[\]|,!'=°])/uy;
/** Spaces, sizes and styles, which mean nothing. */
const silent =
  /(?:\s|~|\\[,;:! ]|\\(?:left(?!\s*\|)|right(?!\s*\|)|[bB]ig+[lr]?|quad|qquad|displaystyle|textstyle|limits|nolimits)(?![A-Za-z]))+/uy;
const spaces = /~|\\[,;: ]|\\q?quad/;
const synonyms: Readonly<Record<string, string>> = {
  '\\left|': '\\lvert',
  '\\right|': '\\rvert',
  '\\tfrac': '\\frac',
  '\\dfrac': '\\frac',
  '\\cfrac': '\\frac',
  '\\dbinom': '\\binom',
  '\\lbrace': '\\{',
  '\\rbrace': '\\}',
  '\\operatorname*': '\\operatorname',
  '\\textrm': '\\text',
  '\\prime': "'",
};

/** Cuts LaTeX into its tokens, the last of kind `end`. Throws a Refusal INVALID_INPUT. */
export function latexTokens(text: string): LatexToken[] {
  refuseLongText(text);
  const found: LatexToken[] = [];
  let at = 0;
  for (;;) {
    silent.lastIndex = at;
    const gone = silent.exec(text)?.[0] ?? '';
    at += gone.length;
    const space = spaces.test(gone) ? ({ isSpaced: true } as const) : {};
    if (at >= text.length) return [...found, { kind: 'end', text: 'the end', at: at + 1 }];
    grouped.lastIndex = at;
    const groups = grouped.exec(text)?.[0];
    if (groups !== undefined) {
      found.push({
        kind: 'number',
        text: groups.replace(/[^\d.]/g, ''),
        at: at + 1,
        isGrouped: true,
        ...space,
      });
      at = grouped.lastIndex;
      continue;
    }
    lexeme.lastIndex = at;
    const match = lexeme.exec(text) ?? noMeaning(text, at);
    const [lexed, digits, letter, control] = match;
    const kind =
      digits !== undefined
        ? 'number'
        : letter !== undefined
          ? 'letter'
          : control !== undefined
            ? 'control'
            : 'sign';
    found.push({ kind, text: synonyms[lexed.replace(/\s/g, '')] ?? lexed, at: at + 1, ...space });
    at = lexeme.lastIndex;
  }
}

function noMeaning(text: string, at: number): never {
  return refuse(
    'INVALID_INPUT',
    `The LaTeX text ${printable(text)} cannot be read: ${printable([...text.slice(at)][0])} has no meaning at character ${at + 1}.`,
    { field: 'equation' },
  );
}
