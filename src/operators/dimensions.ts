import { refuse } from '../errors/refusal.ts';
import {
  type Dimension,
  dimensionless,
  isDimensionless,
  over,
  raised,
  sameDimension,
  times,
  WHOLE,
} from '../units/dimension.ts';
import { unitOfDimension } from '../units/format.ts';
import { decimal, type Fraction, fraction, invert, multiply } from '../units/fraction.ts';
import { functions } from './functions.ts';
import type { Expression } from './syntax.ts';

/** The dimension of a value, or the symbols whose dimension would have to be known for it (HON-05). */
export type Derived = { readonly dimension: Dimension } | { readonly unknown: readonly string[] };

const pure: Derived = { dimension: dimensionless };

/**
 * The dimension of an expression from those of its symbols (HON-04). A sum of unlike quantities, or a function of a
 * quantity that is no pure number, is refused.
 */
export function derive(node: Expression, symbol: (name: string) => Dimension | undefined): Derived {
  switch (node.kind) {
    case 'number':
      return pure;
    case 'symbol':
      return known(symbol(node.name), node.name);
    case 'negate':
      return derive(node.of, symbol);
    case 'call':
      return ofCall(
        node,
        node.arguments.map((argument) => derive(argument, symbol)),
      );
    case 'binary':
      return ofBinary(node, derive(node.left, symbol), derive(node.right, symbol));
  }
}

const known = (dimension: Dimension | undefined, name: string): Derived =>
  dimension ? { dimension } : { unknown: [name] };

function ofBinary(node: Extract<Expression, { kind: 'binary' }>, left: Derived, right: Derived): Derived {
  const { operator } = node;
  if (operator === '^') return ofPower(left, right, node.right);
  if (operator === '+' || operator === '-') return alikeOf(operator, [node.left, node.right], [left, right]);
  if ('unknown' in left || 'unknown' in right) return withheld(left, right);
  const combined = operator === '*' ? times : over;
  return { dimension: combined(left.dimension, right.dimension) };
}

function withheld(...parts: Derived[]): Derived {
  return { unknown: [...new Set(parts.flatMap((part) => ('unknown' in part ? part.unknown : [])))] };
}

/** A numeral 0 is nothing of any quantity, as in max(S − K, 0). */
export const isNothing = (node: Expression | undefined): boolean =>
  node?.kind === 'number' && Number(node.text) === 0;

function alikeOf(
  what: string,
  [a, b]: readonly Expression[],
  [left, right]: readonly [Derived, Derived],
): Derived {
  if (isNothing(b)) return left;
  return isNothing(a) ? right : alike(what, left, right);
}

function alike(what: string, left: Derived, right: Derived): Derived {
  if ('unknown' in left || 'unknown' in right) return withheld(left, right);
  if (sameDimension(left.dimension, right.dimension)) return left;
  const [a, b] = [unitOfDimension(left.dimension), unitOfDimension(right.dimension)];
  return refuse(
    'INVALID_INPUT',
    `${what} joins a quantity in ${a} with one in ${b}; accepted: quantities of one dimension.`,
    {
      accepts: 'quantities of one dimension',
    },
  );
}

function ofPower(base: Derived, exponent: Derived, node: Expression): Derived {
  requirePure('an exponent', exponent);
  if ('unknown' in base) return base;
  if (isDimensionless(base.dimension)) return pure;
  const rational = constantOf(node);
  const sixtieths = rational && multiply(rational, fraction(BigInt(WHOLE)));
  const dimension = sixtieths?.d === 1n ? raised(base.dimension, Number(sixtieths.n)) : undefined;
  if (dimension) return { dimension };
  const unit = unitOfDimension(base.dimension);
  return refuse(
    'INVALID_INPUT',
    `A quantity in ${unit} is raised to a power that is no plain fraction; accepted: a pure number, or an exponent such as 2 or 1/2.`,
    {
      accepts: 'a pure number, or an exponent such as 2 or 1/2',
    },
  );
}

function ofCall(node: Extract<Expression, { kind: 'call' }>, parts: readonly Derived[]): Derived {
  const { rule, root = 1 } = functions.get(node.name)!;
  const [first, second] = parts as [Derived, Derived | undefined];
  if (rule === 'pure') {
    requirePure(node.name, first);
    return pure;
  }
  const argument = second ? alikeOf(node.name, node.arguments, [first, second]) : first;
  if (rule === 'ratio') return pure;
  if (rule === 'same' || 'unknown' in argument) return argument;
  const dimension = raised(argument.dimension, WHOLE / root);
  return dimension ? { dimension } : refuseRoot(node.name, argument.dimension);
}

/** The ninth root of a length is no power of metres that a unit here can say. */
function refuseRoot(name: string, dimension: Dimension): never {
  const accepts = 'a pure number, or a quantity whose root has a unit';
  return refuse(
    'INVALID_INPUT',
    `${name} takes a root of a quantity in ${unitOfDimension(dimension)} that has no unit; accepted: ${accepts}.`,
    { accepts },
  );
}

function requirePure(what: string, derived: Derived): void {
  if ('unknown' in derived || isDimensionless(derived.dimension)) return;
  const unit = unitOfDimension(derived.dimension);
  refuse(
    'INVALID_INPUT',
    `${what} takes a pure number and got a quantity in ${unit}; accepted: a pure number.`,
    {
      accepts: 'a pure number',
    },
  );
}

/** The value of an expression of numbers and + − × ÷ alone, exactly. */
export function constantOf(node: Expression): Fraction | undefined {
  if (node.kind === 'number') return decimal(numeral(node.text));
  if (node.kind === 'negate') {
    const of = constantOf(node.of);
    return of && fraction(-of.n, of.d);
  }
  if (node.kind !== 'binary' || (node.operator !== '*' && node.operator !== '/')) return undefined;
  const [left, right] = [constantOf(node.left), constantOf(node.right)];
  if (!left || !right || (node.operator === '/' && right.n === 0n)) return undefined;
  return multiply(left, node.operator === '/' ? invert(right) : right);
}

/** `.5` and `5.` as numerals that have digits on both sides. */
export const numeral = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^\./, '0.')
    .replace(/\.(?=e|$)/, '');
