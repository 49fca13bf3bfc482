/** Syntax tree of an expression. */
export type Expression =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'negate'; readonly of: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] };

export type BinaryOperator = '+' | '-' | '*' | '/' | '^';

/** The symbols of an expression in the order of their first appearance. */
export function symbolsOf(expression: Expression): string[] {
  const found = new Set<string>();
  visit(expression, (node) => {
    if (node.kind === 'symbol') found.add(node.name);
  });
  return [...found];
}

export function visit(expression: Expression, see: (node: Expression) => void): void {
  see(expression);
  if (expression.kind === 'negate') visit(expression.of, see);
  if (expression.kind === 'call') for (const argument of expression.arguments) visit(argument, see);
  if (expression.kind === 'binary') {
    visit(expression.left, see);
    visit(expression.right, see);
  }
}

/** The tree with some symbols replaced. */
export function substitute(
  expression: Expression,
  replacement: (node: Expression) => Expression | undefined,
): Expression {
  const replaced = replacement(expression);
  if (replaced) return replaced;
  const within = (node: Expression) => substitute(node, replacement);
  if (expression.kind === 'negate') return { kind: 'negate', of: within(expression.of) };
  if (expression.kind === 'call') return { ...expression, arguments: expression.arguments.map(within) };
  if (expression.kind === 'binary') {
    return { ...expression, left: within(expression.left), right: within(expression.right) };
  }
  return expression;
}
