import { BOUND } from '../../src/operators/equation.ts';
import { prepare } from '../../src/operators/operator.ts';
import type { OperatorRow } from '../../src/operators/row.ts';
import { type Expression, symbolsOf } from '../../src/operators/syntax.ts';
import { constants } from '../../src/units/constants.ts';
import { parseUnit } from '../../src/units/unit.ts';

/**
 * Formulas that are equal up to algebra, such as 2 sin x cos x and sin 2x, which no comparison of trees finds: rows
 * whose inputs have the same dimensions are evaluated at the same numbers, given to inputs of one dimension in every
 * order. What all orders give does not depend on the names; where it agrees to ten digits in every set of numbers, the
 * formulas are one. (A polynomial that is not zero vanishes at random places with probability 0: Schwartz 1980, Zippel
 * 1979; so do the formulas of the registry.)
 */

type Values = ReadonlyMap<string, number>;

const binary: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '^': (a, b) => a ** b,
  atan2: Math.atan2,
  min: Math.min,
  max: Math.max,
  mod: (a, b) => a - b * Math.floor(a / b),
};

/** Any function stands for one that JavaScript lacks: equal formulas stay equal. */
const stranger = (name: string) => (x: number) =>
  Math.sin(0.7 * x + [...name].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7)) + 0.31 * x;

const unary: Readonly<Record<string, (x: number) => number>> = {
  ...Object.fromEntries(['erf', 'gamma', 'lgamma'].map((name) => [name, stranger(name)])),
  erfc: (x) => 1 - stranger('erf')(x),
  ln: Math.log,
  sinpi: (x) => Math.sin(Math.PI * x),
  cospi: (x) => Math.cos(Math.PI * x),
};

function evaluate(node: Expression, values: Values): number {
  switch (node.kind) {
    case 'number':
      return Number(node.text);
    case 'symbol':
      return node.name === 'pi' ? Math.PI : values.get(node.name)!;
    case 'negate':
      return -evaluate(node.of, values);
    case 'binary':
      return binary[node.operator]!(evaluate(node.left, values), evaluate(node.right, values));
    case 'call': {
      const [x, y] = node.arguments.map((argument) => evaluate(argument, values));
      if (y !== undefined) return binary[node.name]!(x!, y);
      return (unary[node.name] ?? (Math[node.name as 'sin'] as (x: number) => number))(x!);
    }
  }
}

interface Formula {
  readonly id: string;
  readonly expression: Expression;
  /** Names of the inputs of each dimension. */
  readonly alike: readonly (readonly string[])[];
  readonly known: Values;
  readonly key: string;
}

const MOST_ORDERS = 720;
const orderCount = (alike: readonly (readonly string[])[]) =>
  alike.reduce((product, { length }) => {
    let orders = product;
    for (let k = 2; k <= length; k++) orders *= k;
    return orders;
  }, 1);

const unitKey = (unit: string): string =>
  unit === 'any' ? 'any' : unit === 'dB' ? '0' : parseUnit(unit).dimension.join();

/** A row as numbers can be put into it; those with so many like inputs are left to the comparison of trees. */
function formulaOf(row: OperatorRow): Formula[] {
  if (row.expression === undefined) return [];
  const { expression, inputs } = prepare(row);
  const names = new Set(symbolsOf(expression));
  const groups = new Map<string, string[]>();
  for (const { symbol, unit } of inputs)
    if (names.has(symbol)) groups.set(unitKey(unit), [...(groups.get(unitKey(unit)) ?? []), symbol]);
  const dimensions = [...groups.keys()].sort();
  const alike = dimensions.map((dimension) => groups.get(dimension)!);
  if (orderCount(alike) > MOST_ORDERS) return [];
  const known = new Map((row.fixed ?? []).map(({ symbol, value }) => [symbol, Number(value)]));
  for (const key of row.constants ?? []) known.set(`${BOUND}${key}`, standIn(key));
  const unit = row.result.unit === 'derived' ? 'derived' : unitKey(row.result.unit);
  const key = [unit, ...dimensions.map((dimension, k) => `${dimension}×${alike[k]!.length}`)].join(' ');
  return [{ id: row.id, expression, alike, known, key }];
}

/** For a constant, whose size would hide a 1 that it is added to, another number, the same in every row. */
const keys = [...constants.keys()].sort();
const standIn = (key: string): number => 0.4 + 2 * ((keys.indexOf(key) * 1.618033988749895) % 1);

/** Numbers for the inputs, in and out of the interval from 0 to 1, where logarithms and arcs have their places. */
const sets: readonly (readonly [number, number])[] = [
  [0.11, 0.9],
  [1.13, 2.9],
  [2.1, 23],
];

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, i) =>
    permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}

/** Every way to give the numbers of each dimension to its inputs. */
function assignments(
  alike: readonly (readonly string[])[],
  numberOf: (group: number, index: number) => number,
): [string, number][][] {
  return alike.reduce<[string, number][][]>(
    (all, names, group) => {
      const numbers = names.map((_, index) => numberOf(group, index));
      const given = permutations(numbers).map((order) =>
        names.map((name, k): [string, number] => [name, order[k]!]),
      );
      return all.flatMap((before) => given.map((own) => [...before, ...own]));
    },
    [[]],
  );
}

/** What the formula gives in all orders, in order; without numbers that are none. */
function signatureOf({ expression, alike, known }: Formula, [from, to]: readonly [number, number]): number[] {
  // Irrational steps, so that no relation between two numbers is one by chance.
  const numberOf = (group: number, index: number) =>
    from + (to - from) * ((Math.SQRT2 * (7 * group + 3 * index + 1) + Math.E * index) % 1);
  return assignments(alike, numberOf)
    .map((given) => evaluate(expression, new Map([...known, ...given])))
    .map((value) => (Number.isFinite(value) ? value : Number.NaN))
    .sort((a, b) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b));
}

const near = (a: number, b: number) =>
  (Number.isNaN(a) && Number.isNaN(b)) || Math.abs(a - b) <= 1e-10 * Math.max(Math.abs(a), Math.abs(b));

function areOne(a: readonly number[][], b: readonly number[][]): boolean {
  const isSame = a.every((own, k) => own.length === b[k]!.length && own.every((x, i) => near(x, b[k]![i]!)));
  const hasNumbers = a.filter((own) => own.some((x) => Number.isFinite(x))).length > 0;
  return isSame && hasNumbers;
}

/** Laws of different things that share their algebra, and why both stand in the registry. */
export const sharedAlgebra: ReadonlyMap<string, string> = new Map([
  ['RELA_ABERRATION ORB_ECCENTRIC_ANOMALY', 'cos and tan of half an angle; a speed is no eccentricity'],
  [
    'BIOC_PING_PONG BIOC_UNCOMPETITIVE_INHIBITION',
    'a second substrate stands where the inhibition constant does',
  ],
  ['FINA_BS_PUT FINA_BS_CALL', 'put–call symmetry: spot and strike, rate and yield exchanged'],
]);

/** Pairs of rows that are one formula up to algebra and the names of their inputs, as sentences. */
export function equalInValue(rows: readonly OperatorRow[]): string[] {
  const groups = new Map<string, Formula[]>();
  for (const formula of rows.flatMap(formulaOf)) {
    const { key } = formula;
    groups.set(key, [...(groups.get(key) ?? []), formula]);
  }
  return [...groups.values()].flatMap((group) => {
    const signatures =
      group.length > 1 ? group.map((formula) => sets.map((set) => signatureOf(formula, set))) : [];
    return group.flatMap((a, i) =>
      group
        .slice(i + 1)
        .flatMap((b, k) =>
          !sharedAlgebra.has(`${b.id} ${a.id}`) && areOne(signatures[i]!, signatures[i + 1 + k]!)
            ? [`${b.id} is ${a.id} up to algebra`]
            : [],
        ),
    );
  });
}
