import type { Application } from '../operators/apply.ts';
import { type Expression, visit } from '../operators/syntax.ts';

const NON_FINITE = 16;
/** The kernel's UNSUPPORTED: the one thing it cannot do. */
const ANGLE_TOO_LARGE = 24;

/** What leaves the finite numbers, by the operation that an expression has. */
const outside: Readonly<Record<string, string>> = {
  '/': 'a division by zero',
  '^': 'a power without a real value',
  sqrt: 'a square root of a negative number',
  ln: 'a logarithm of what is not positive',
  log2: 'a logarithm of what is not positive',
  log10: 'a logarithm of what is not positive',
  log1p: 'a logarithm of what is not positive',
  asin: 'an arcsine of what is above 1',
  acos: 'an arccosine of what is above 1',
  acosh: 'an inverse hyperbolic cosine of what is below 1',
  atanh: 'an inverse hyperbolic tangent of what is 1 or above',
  gamma: 'a pole of the gamma function',
  lgamma: 'a pole of the gamma function',
  mod: 'a division by zero',
};

/** How a run of expressions failed: by which of their operations it can have been. One that is integrated has none. */
export function expressionRefusal(
  field: 'equation' | 'operators',
  applications: readonly Application[],
  status: number,
): Record<string, unknown> {
  if (applications.some(({ operator }) => operator.ode !== undefined)) return {};
  const names = operationsOf(applications);
  if (status === ANGLE_TOO_LARGE) {
    const circular = ['sin', 'cos', 'tan'].filter((name) => names.has(name)).join(', ');
    return {
      field,
      reason: `the angle of ${circular} is too large`,
      accepts: 'sin, cos and tan of up to 2^50 rad',
    };
  }
  if (status !== NON_FINITE) return {};
  const causes = new Set([...names].flatMap((name) => outside[name] ?? []));
  return {
    field,
    reason: `it has no finite value here: ${[...causes, 'a number beyond 1.8e308'].join(', or ')}`,
    accepts: 'inputs for which every step of it is a finite number',
  };
}

function operationsOf(applications: readonly Application[]): ReadonlySet<string> {
  const names = new Set<string>();
  const see = (node: Expression) => {
    if (node.kind === 'binary') names.add(node.operator);
    if (node.kind === 'call') names.add(node.name);
  };
  for (const { operator } of applications) visit(operator.expression, see);
  return names;
}
