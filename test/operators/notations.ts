import { all, create, type MathJsInstance } from 'mathjs';
import { BOUND } from '../../src/operators/equation.ts';
import type { Expression } from '../../src/operators/syntax.ts';

// Formulas of the registry for other evaluators. Symbols are called v0, v1 … in the order of `symbols`, so that none
// is taken for a constant or a unit that the other one knows (`e`, `i`, `m`).

/** mathjs with the names that it lacks, of functions that it has, and with the complementary error function. */
export function mathjsInstance(): MathJsInstance {
  const math = create(all!, {});
  const { sin, cos, log, PI } = Math;
  const erfc = (x: number): number => (x < 2 ? 1 - math.erf(x) : erfcOfLarge(x));
  math.import({ ln: log, sinpi: (x: number) => sin(PI * x), cospi: (x: number) => cos(PI * x), erfc }, {});
  return math;
}

/** For x from 2, where 1 − erf(x) has few digits: the continued fraction of Abramowitz and Stegun (1964), 7.1.14. */
function erfcOfLarge(x: number): number {
  let fraction = x;
  for (let k = 120; k > 0; k--) fraction = x + k / 2 / fraction;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction);
}

const lexeme = /(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)|([A-Za-z]\w*)(?!\w)(\s*\()?/gi;

/** The text of a row for mathjs, whose own parser reads it: only symbols get other names. */
export function mathjsText(text: string, symbols: readonly string[]): string {
  return text.replace(lexeme, (whole, _number, name: string | undefined, bracket: string | undefined) => {
    if (name === undefined || bracket !== undefined) return whole;
    const at = symbols.findIndex((symbol) => symbol === name || symbol === BOUND + name);
    return at < 0 ? name : `v${at}`;
  });
}

const ofMath = new Set(
  (
    'sqrt cbrt exp expm1 log1p log10 log2 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh abs floor ' +
    'atan2 min max'
  ).split(' '),
);

/** The tree as JavaScript with Math alone, as one would write it by hand; undefined where Math lacks a function. */
export function javascriptText(expression: Expression, symbols: readonly string[]): string | undefined {
  const within = (node: Expression) => javascriptText(node, symbols);
  switch (expression.kind) {
    case 'number':
      return expression.text;
    case 'symbol':
      return expression.name === 'pi' ? 'Math.PI' : `v${symbols.indexOf(expression.name)}`;
    case 'negate': {
      const of = within(expression.of);
      return of === undefined ? undefined : `(-${of})`;
    }
    case 'binary': {
      const [left, right] = [within(expression.left), within(expression.right)];
      if (left === undefined || right === undefined) return undefined;
      const { operator } = expression;
      return operator === '^' ? `Math.pow(${left}, ${right})` : `(${left} ${operator} ${right})`;
    }
    case 'call': {
      const list = expression.arguments.map(within);
      if (list.some((each) => each === undefined)) return undefined;
      if (expression.name === 'ln') return `Math.log(${list[0]})`;
      return ofMath.has(expression.name) ? `Math.${expression.name}(${list.join(', ')})` : undefined;
    }
  }
}
