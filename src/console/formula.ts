import type Katex from 'katex';

/** katex.min.js, which the page loads as a script of its own. */
declare const katex: typeof Katex;

/**
 * Sets LaTeX in type inside an element. KaTeX builds the nodes itself (`toNode`), so that nothing is parsed as HTML,
 * and beside them MathML for who listens. `trust` stays false: no links, no classes, no styles from the text.
 */
export function setInType(element: HTMLElement, latex: string, displayMode = false): HTMLElement {
  try {
    katex.render(latex, element, {
      displayMode,
      trust: false,
      strict: 'ignore',
      maxExpand: 100,
      maxSize: 20,
    });
  } catch {
    element.textContent = latex;
  }
  return element;
}

const greek = new Set(
  (
    'alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau ' +
    'upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar'
  ).split(' '),
);
const accents = new Set(['dot', 'ddot', 'dddot', 'ddddot', 'bar', 'hat', 'tilde']);
const marks: Readonly<Record<string, string>> = { star: '^{\\ast}', std: '^{\\circ}', prime: "'" };

/** The LaTeX of a symbol, the other way round than the operators are read: `P_max` is `P_{\mathrm{max}}`. */
export function symbolLatex(symbol: string): string {
  const [head = '', ...rest] = symbol.split('_');
  if (head === 'Delta' && /^[A-Za-z]/.test(rest[0] ?? '')) return `\\Delta ${symbolLatex(rest.join('_'))}`;
  let name = letterLatex(head);
  while (rest[0] !== undefined && accents.has(rest[0])) name = `\\${rest.shift()}{${name}}`;
  const below = rest.filter((part) => !(part in marks)).map(indexLatex);
  const above = rest.map((part) => marks[part] ?? '').join('');
  return `${name}${below.length > 0 ? `_{${below.join(',')}}` : ''}${above}`;
}

const upright = (word: string): string => (word.length > 1 ? `\\mathrm{${word}}` : word);
const letterLatex = (word: string): string => (greek.has(word) ? `\\${word}` : upright(word));
const indexLatex = (word: string): string =>
  word === 'inf' ? '\\infty' : greek.has(word) ? `\\${word}` : /^\d+$/.test(word) ? word : upright(word);
