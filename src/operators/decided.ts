import { add, decimal, type Fraction, fraction, invert, multiply } from '../units/fraction.ts';
import { halfTurnsIn, parseUnit } from '../units/unit.ts';
import type { Application } from './apply.ts';
import { numeral } from './dimensions.ts';
import { type Expression, substitute, visit } from './syntax.ts';

// 0.3/0.1 is 3, and 2·50 Hz·10 ms is 1, in the decimals that were sent; in the doubles nearest to them, or in any words of
// finite length, they are so only nearly. Where a step or the zero of a sine stands, that nearly decides everything. So
// what such a function is given is worked out in fractions first, as p + qπ, and where it is exactly at such a place, the
// function is the number that it is there.

/** p + qπ. */
interface Exact {
  readonly p: Fraction;
  readonly q: Fraction;
}

const zero = fraction(0n);
const one = fraction(1n);

/** The expression with those calls as numbers whose arguments are decided; undefined where there is none. */
export function decided(expression: Expression, application: Application): Expression | undefined {
  if (!mayBeDecided(expression)) return undefined;
  let isChanged = false;
  const within = (tree: Expression): Expression =>
    substitute(tree, (node) => {
      if (node.kind !== 'call') return undefined;
      const call = { ...node, arguments: node.arguments.map(within) };
      const value = deciding.get(node.name)?.(call.arguments.map((each) => exact(each, application)));
      if (value === undefined) return call;
      isChanged = true;
      return value < 0n ? { kind: 'negate', of: whole(-value) } : whole(value);
    });
  const found = within(expression);
  return isChanged ? found : undefined;
}

function mayBeDecided(expression: Expression): boolean {
  let may = false;
  visit(expression, (node) => {
    if (node.kind === 'call' && deciding.has(node.name)) may = true;
  });
  return may;
}

const whole = (value: bigint): Expression => ({ kind: 'number', text: String(value) });

// ---- calls -----------------------------------------------------------------------------------------------

type Decision = (list: readonly (Exact | undefined)[]) => bigint | undefined;

/** Functions that leap, and those of angles, which are whole at quarter turns. */
const deciding: ReadonlyMap<string, Decision> = new Map<string, Decision>([
  ['floor', ([a]) => wholeOf(a)],
  ['sign', ([a]) => (wholeOf(a) === 0n ? 0n : undefined)],
  ['mod', ([a, b]) => (wholeOf(a && b && quotient(a, b)) === undefined ? undefined : 0n)],
  ['sin', ([a]) => sine(quarterTurns(a))],
  ['cos', ([a]) => sine(quarterTurns(a), 1n)],
  ['tan', ([a]) => ((quarterTurns(a) ?? 1n) % 2n === 0n ? 0n : undefined)],
  ['sinpi', ([a]) => sine(wholeOf(doubled(a)))],
  ['cospi', ([a]) => sine(wholeOf(doubled(a)), 1n)],
]);

function wholeOf(a: Exact | undefined): bigint | undefined {
  return a?.q.n === 0n && a.p.d === 1n ? a.p.n : undefined;
}

/** An angle of so many π/2. */
const quarterTurns = (a: Exact | undefined): bigint | undefined =>
  a?.p.n === 0n ? wholeOf(doubled({ p: a.q, q: zero })) : undefined;

const doubled = (a: Exact | undefined): Exact | undefined => a && scaled(a, fraction(2n));

/** At k quarter turns, and `ahead` more. */
function sine(k: bigint | undefined, ahead = 0n): bigint | undefined {
  return k === undefined ? undefined : [0n, 1n, 0n, -1n][Number((((k + ahead) % 4n) + 4n) % 4n)];
}

// ---- numbers ---------------------------------------------------------------------------------------------

/** Numerators and denominators of what has more digits than one writes are not followed. */
const LONG = 10n ** 400n;
/** Factors of units that are no fractions, such as π, have as many digits as are kept of them. */
const PLAIN = 10n ** 30n;
const isBelow = ({ n, d }: Fraction, limit: bigint): boolean => n < limit && n > -limit && d < limit;

function exact(node: Expression, application: Application): Exact | undefined {
  const found = exactly(node, application);
  return found && isBelow(found.p, LONG) && isBelow(found.q, LONG) ? found : undefined;
}

function exactly(node: Expression, application: Application): Exact | undefined {
  const of = (part: Expression) => exact(part, application);
  if (node.kind === 'number') return { p: decimal(numeral(node.text)), q: zero };
  if (node.kind === 'symbol') return node.name === 'pi' ? { p: zero, q: one } : sent(node.name, application);
  if (node.kind === 'negate') return scaled(of(node.of), fraction(-1n));
  if (node.kind !== 'binary' || node.operator === '^') return undefined;
  const a = of(node.left);
  const b = a && of(node.right);
  if (!a || !b) return undefined;
  if (node.operator === '*') return a.q.n === 0n ? scaled(b, a.p) : b.q.n === 0n ? scaled(a, b.p) : undefined;
  if (node.operator === '/') return quotient(a, b);
  return sum(a, node.operator === '-' ? scaled(b, fraction(-1n))! : b);
}

const sum = (a: Exact, b: Exact): Exact => ({ p: add(a.p, b.p), q: add(a.q, b.q) });

function scaled(a: Exact | undefined, by: Fraction): Exact | undefined {
  return a && { p: multiply(a.p, by), q: multiply(a.q, by) };
}

/** By a number, or of two parts of π. */
function quotient(a: Exact, b: Exact): Exact | undefined {
  if (b.q.n === 0n) return b.p.n === 0n ? undefined : scaled(a, invert(b.p));
  return a.p.n === 0n && b.p.n === 0n ? { p: multiply(a.q, invert(b.q)), q: zero } : undefined;
}

/** A certain number as the decimal that it is written as, in the SI. */
function sent(name: string, { given, operator }: Application): Exact | undefined {
  const quantity = given.get(name);
  if (quantity === undefined) {
    const standard = operator.byName.get(name)?.value;
    return standard === undefined ? undefined : { p: decimal(numeral(standard)), q: zero };
  }
  const { value, unit, uncertainty = 0 } = typeof quantity === 'number' ? { value: quantity } : quantity;
  const size = Math.abs(value);
  if (uncertainty !== 0 || size > 1e100 || (size !== 0 && size < 1e-100)) return undefined;
  return inSi(decimal(String(value)), unit);
}

function inSi(written: Fraction, unit?: string): Exact | undefined {
  if (unit === undefined) return { p: written, q: zero };
  const turns = halfTurnsIn(unit);
  if (turns) return { p: zero, q: multiply(written, turns) };
  const { scale, offset = zero } = parseUnit(unit);
  if (!isBelow(scale, PLAIN) || !isBelow(offset, PLAIN)) return undefined;
  return { p: add(multiply(written, scale), offset), q: zero };
}
