import { printable } from '../errors/printable.ts';
import { refuse } from '../errors/refusal.ts';
import { MAX_LENGTH } from './parse.ts';

export interface LatexToken {
  readonly kind: 'number' | 'letter' | 'control' | 'sign' | 'end';
  readonly text: string;
  /** Counted from 1. */
  readonly at: number;
}

const lexeme =
  /(\d+(?:\.\d+)?|\.\d+)|(\p{L})|(\\(?:left|right)\s*\||\\[A-Za-z]+\*?|\\.)|([-+*/^_(){}[\]|,!'=])/uy;
/** Spaces, sizes and styles, which mean nothing. */
const silent =
  /(?:\s|~|\\[,;:! ]|\\(?:left(?!\s*\|)|right(?!\s*\|)|[bB]ig+[lr]?|quad|qquad|displaystyle|textstyle|limits|nolimits)(?![A-Za-z]))+/uy;
const synonyms: Readonly<Record<string, string>> = {
  '\\left|': '\\lvert',
  '\\right|': '\\rvert',
  '\\tfrac': '\\frac',
  '\\dfrac': '\\frac',
  '\\dbinom': '\\binom',
  '\\lbrace': '\\{',
  '\\rbrace': '\\}',
  '\\operatorname*': '\\operatorname',
  '\\textrm': '\\text',
  '\\prime': "'",
};

/** Cuts LaTeX into its tokens, the last of kind `end`. Throws a Refusal INVALID_INPUT. */
export function latexTokens(text: string): LatexToken[] {
  if (text.length > MAX_LENGTH)
    refuse(
      'INVALID_INPUT',
      `equation is text of ${text.length} characters; accepted: at most ${MAX_LENGTH}.`,
      {
        field: 'equation',
      },
    );
  const found: LatexToken[] = [];
  let at = 0;
  for (;;) {
    silent.lastIndex = at;
    if (silent.test(text)) at = silent.lastIndex;
    if (at >= text.length) return [...found, { kind: 'end', text: 'the end', at: at + 1 }];
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
    found.push({ kind, text: synonyms[lexed.replace(/\s/g, '')] ?? lexed, at: at + 1 });
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
