import type { Application } from '../operators/apply.ts';
import { type Expression, visit } from '../operators/syntax.ts';

const NON_FINITE = 16;
const OUTSIDE_TOLERANCE = 18;
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

/** Operations whose value leaps, and what they are called in formulas. */
const steps: ReadonlyMap<string, string> = new Map([
  ['floor', 'floor or ceil'],
  ['mod', 'mod'],
  ['sign', 'sign'],
]);
/** The relative error from which on the kernel says that nothing is known of a value (assembly/expression/evaluate.ts). */
const UNKNOWN = 1;

/** Of an operator that is a differential equation, whose steps are given. */
const SHORTER = ['a shorter stretch', 'solve with the same operators and inputs and a dt, or strict'];

/** How a run of expressions failed: by which of their operations it can have been. One that is integrated has none. */
export function expressionRefusal(
  field: 'equation' | 'operators',
  applications: readonly Application[],
  status: number,
  [, , error = 0]: readonly number[],
): Record<string, unknown> {
  if (applications.some(({ operator }) => operator.ode !== undefined))
    return status === OUTSIDE_TOLERANCE ? { accepts: SHORTER } : {};
  const names = operationsOf(applications);
  if (status === ANGLE_TOO_LARGE) {
    const circular = ['sin', 'cos', 'tan'].filter((name) => names.has(name)).join(', ');
    return {
      field,
      reason: `the angle of ${circular} is too large`,
      accepts: 'sin, cos and tan of up to 2^50 rad',
    };
  }
  const leaping = [...names].flatMap((name) => steps.get(name) ?? []);
  if (status === OUTSIDE_TOLERANCE)
    return error >= UNKNOWN && leaping.length > 0 ? onStep(field, leaping) : lost(field, names);
  if (status !== NON_FINITE) return {};
  const causes = new Set([...names].flatMap((name) => outside[name] ?? []));
  return {
    field,
    reason: `it has no finite value here: ${[...causes, 'a number beyond 1.8e308'].join(', or ')}`,
    accepts: 'inputs for which every step of it is a finite number',
  };
}

/** 0.3/0.1 is 3 in decimals and below it in doubles. */
function onStep(field: string, names: readonly string[]): Record<string, unknown> {
  const accepts =
    'numbers clearly on one side, or whole ones without a unit, which are exact: 3 and 1 for 0.3 and 0.1, 240 and 20 for 240 cm and 20 cm';
  return {
    field,
    message:
      `compute: ${names.join(', ')} of what lies on a step, or so near to it that the rounding of the numbers that were sent ` +
      `decides on which side; accepted: ${accepts}.`,
    accepts,
  };
}

/** Forms in which the difference that loses the digits does not stand, by the function that shows that it may. */
const forms: readonly (readonly [name: string, form: string])[] = [
  ['exp', 'expm1(x) for exp(x) - 1'],
  ['ln', 'log1p(x) for ln(1 + x)'],
  ['cos', '2*sin(x/2)^2 for 1 - cos(x)'],
  ['sqrt', 'x/(sqrt(1 + x) + 1) for sqrt(1 + x) - 1'],
];

function lost(field: string, names: ReadonlySet<string>): Record<string, unknown> {
  const own = forms.flatMap(([name, form]) => (names.has(name) ? [form] : []));
  const zeros = ['sin', 'cos', 'tan'].some((name) => names.has(name))
    ? '; for a zero of sin, cos or tan, π or degrees as a factor of all that is in its bracket, and numbers without uncertainty, over a lattice whole ones'
    : '';
  return {
    field,
    reason: 'terms cancel, or a zero is not exact, and rounding leaves too few digits of the value',
    accepts: `a formula in which they do not cancel, such as ${own.join(', ') || '(a - b)*(a + b) for a^2 - b^2'}${zeros}`,
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
