/**
 * Whether an equation defines a transfer function: a transform of s or z, a quotient of two, or a response to jω. The left
 * side says so, and for one letter of s or z the right side too: T(s) = 2*pi*sqrt(l/g) is a period in seconds,
 * B(z) = b/(R^2 + z^2)^(3/2) a field along an axis, and H(z) with a root Hubble's parameter.
 */
export function isTransferFunction(text: string): boolean {
  const [left = '', ...right] = text.split('=');
  if (right.length === 0) return false;
  const name = plainly(left).replace(/:$/, '');
  if (response.test(name) || quotient.test(name)) return true;
  const of = transform.exec(name)?.groups;
  if (!of) return false;
  const rest = letters(right.join('='));
  return stands(of.variable!, rest) && (of.variable === 's' || !irrational.test(rest));
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
