import { opt } from '../../src/solvers/opt.ts';
import { afiro } from './afiro.ts';

// Linear and quadratic programmes with their optima, as others give them.

export const range = <T>(count: number, item: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => item(i));

export const wyndor = opt.examples[0]!.body;
/** Klee & Minty's cube as Chvátal has it: max Σ 10^{n−j} x_j, 2 Σ_{j<i} 10^{i−j} x_j + x_i ≤ 100^{i−1}. */
const kleeMinty = (n: number) => ({
  mode: 'lp',
  sense: 'max',
  c: range(n, (j) => 10 ** (n - 1 - j)),
  A: range(n, (i) => range(n, (j) => (j < i ? 2 * 10 ** (i - j) : j === i ? 1 : 0))),
  b: range(n, (i) => 100 ** i),
  lower: range(n, () => 0),
});
const beale = {
  mode: 'lp',
  c: [-3 / 4, 150, -1 / 50, 6],
  A: [
    [1 / 4, -60, -1 / 25, 9],
    [1 / 2, -90, -1 / 50, 3],
    [0, 0, 1, 0],
  ],
  b: [0, 0, 1],
  lower: [0, 0, 0, 0],
};
export const boxed = (n: number, m: number, s: number) => ({
  mode: 'lp',
  c: range(n, (j) => ((j * 7 + s * 3) % 11) - 5),
  A: range(m, (i) => range(n, (j) => ((i * 5 + j * 13 + i * j * s) % 17) - 6)),
  b: range(m, (i) => 10 + ((i * 3 + s) % 7)),
  lower: range(n, (j) => -((j + s) % 4)),
  upper: range(n, (j) => 3 + ((j * s) % 5)),
});
/**
 * What to make in each of so many periods, by a rule: eight products, of which 40 each can be kept for the next; four
 * resources, more of which cost 30 each. 12 rows and 17 variables a period, two to four entries in a column.
 */
export function stairs(periods: number) {
  const [products, resources, width] = [8, 4, 17];
  const spent = (p: number, k: number, t: number) => ((p + k + t) % 2 ? 0 : 1 + ((3 * p + 5 * k + t) % 4));
  const each = <T>(count: number, item: (t: number, k: number) => T) =>
    range(periods * count, (i) => item(Math.floor(i / count), i % count));
  const use = each(resources, (t, k) => [
    ...range(products, (p) => [resources * t + k, width * t + p, spent(p, k, t)]).filter(([, , v]) => v),
    [resources * t + k, width * t + width - 1, -1],
  ]);
  const balance = each(products, (t, p) => [
    [products * t + p, width * t + p, 1],
    ...(t > 0 ? [[products * t + p, width * (t - 1) + products + p, 1]] : []),
    [products * t + p, width * t + products + p, -1],
  ]);
  const costOf = (t: number, v: number) =>
    v < products ? 1 + ((7 * v + 3 * t) % 9) : v < width - 1 ? 0.1 + ((5 * v + t) % 10) / 10 : 30;
  return {
    mode: 'lp',
    c: each(width, costOf),
    A: { shape: [resources * periods, width * periods], entries: use.flat() },
    b: each(resources, (t, k) => 60 + ((11 * k + 7 * t) % 60)),
    E: { shape: [products * periods, width * periods], entries: balance.flat() },
    d: each(products, (t, p) => (13 * p + 17 * t + p * t) % 20),
    lower: each(width, () => 0),
    upper: each(width, (_, v) => (v >= products && v < width - 1 ? 40 : null)),
  };
}
/**
 * So many rows of twice as many columns, each between two bounds, with five entries a column where a congruence says:
 * the inverse of a basis fills up.
 */
export function scattered(rows: number) {
  let state = 7;
  const below = (most: number) => {
    state = (48271 * state) % 2147483647;
    return state % most;
  };
  const n = 2 * rows;
  const places = new Map<number, number>();
  for (let k = 0; k < 5 * n; k++) places.set(below(rows) * n + (k % n), 1 + below(90) - 30);
  const entries = [...places].map(([place, value]) => [Math.floor(place / n), place % n, value / 10]);
  const middle = range(n, () => below(30) / 10);
  const sides = range(rows, () => 1);
  for (const [i, j, value] of entries) sides[i!]! += value! * middle[j!]!;
  return {
    mode: 'lp',
    c: range(n, () => -1 - below(40) / 10),
    A: { shape: [rows, n], entries },
    b: sides,
    lower: range(n, () => 0),
    upper: range(n, (j) => Math.ceil(middle[j]!) + 1 + below(6)),
  };
}
/**
 * A triangle of small whole numbers by a congruence, and the same programme in units that differ by powers of two, those of
 * entries up to 2^±(2·powers): nothing is rounded, so that both have one optimum.
 */
export function steep(seed: number, rows: number, powers: number) {
  let state = seed;
  const below = (most: number) => {
    state = (48271 * state) % 2147483647;
    return state % most;
  };
  const n = rows + 4;
  const unit = () => 2 ** (below(2 * powers) - powers);
  const ofRows = range(rows, unit);
  const ofColumns = range(n, unit);
  const x = range(n, () => below(50) / 10);
  const isThere = (i: number, j: number) => (j <= i + 4 && below(3) === 0) || j === i;
  const A = range(rows, (i) => range(n, (j) => (isThere(i, j) ? below(19) - 9 : 0)));
  const along = (row: readonly number[]) => row.reduce((sum, value, j) => sum + value * x[j]!, 0);
  const b = A.map((row) => along(row) + (below(3) ? 0 : below(4)));
  const c = range(n, () => below(60) / 10 - 1);
  const written = (R: readonly number[], S: readonly number[]) => ({
    mode: 'lp',
    c: c.map((value, j) => value * S[j]!),
    A: A.map((row, i) => row.map((value, j) => value * R[i]! * S[j]!)),
    b: b.map((value, i) => value * R[i]!),
    lower: S.map(() => 0),
    upper: S.map((value, j) => (x[j]! + 9) / value),
  });
  const ones = (count: number) => range(count, () => 1);
  return { plain: written(ones(rows), ones(n)), scaled: written(ofRows, ofColumns) };
}
/**
 * The point of a polytope of so many rows that is nearest to another, variables free: x holds half as many rows as there are
 * variables, with a multiplier of 1 each, so that g = −2x − Σ aᵢ of these.
 */
function polytope(variables: number, rows: number) {
  let state = 5;
  const random = () => {
    state = (48271 * state) % 2147483647;
    return state / 2147483647 - 0.5;
  };
  const A = range(rows, () => range(variables, random));
  const x = range(variables, random);
  const along = (row: readonly number[]) => row.reduce((sum, value, j) => sum + value * x[j]!, 0);
  const held = A.slice(0, variables / 2);
  const g = x.map((value, j) => -2 * value - held.reduce((sum, row) => sum + row[j]!, 0));
  const body = {
    mode: 'qp',
    H: range(variables, (i) => range(variables, (j) => (i === j ? 2 : 0))),
    g,
    A,
    b: A.map((row, i) => along(row) + (i < held.length ? 0 : 0.1 * (0.5 + random()))),
  };
  return { body, least: along(x) + along(g) };
}
export const { body: amongFree, least: leastAmongFree } = polytope(100, 300);
export const hs35 = {
  mode: 'qp',
  H: [
    [4, 2, 2],
    [2, 4, 0],
    [2, 0, 2],
  ],
  g: [-8, -6, -4],
  constant: 9,
  A: [[1, 1, 2]],
  b: [3],
  lower: [0, 0, 0],
};
const factor = range(4, (i) => range(12, (j) => ((i * 3 + j * 7) % 5) - 2));
export const semidefinite = {
  mode: 'qp',
  H: range(12, (i) => range(12, (j) => factor.reduce((sum, row) => sum + row[i]! * row[j]!, 0))),
  g: range(12, (j) => ((j * 5) % 7) - 3),
  A: [range(12, () => 1)],
  b: [3],
  lower: range(12, () => -1),
  upper: range(12, () => 2),
};
const flat = {
  mode: 'qp',
  H: [
    [0, 0],
    [0, 0],
  ],
  g: [-9, 3],
  A: [
    [-8, 7],
    [-5, 5],
    [-3, 2],
    [-5, -3],
  ],
  b: [56, 39, 20, -6],
  E: [[6, 5]],
  d: [24],
  lower: [-1, 0],
  upper: [2, null],
};
export const rankThree = {
  mode: 'qp',
  H: [
    [10, 12, 3, 20],
    [12, 16, 4, 20],
    [3, 4, 1, 5],
    [20, 20, 5, 50],
  ],
  g: [-29, -48, -45, -48],
  A: [
    [1, 4, 5, 4],
    [5, 3, 0, 3],
  ],
  b: [-34, 4],
  E: [
    [1, 5, 5, 0],
    [1, 1, 1, 3],
    [3, 5, 1, 0],
  ],
  d: [-34, -9, -4],
  lower: [-5, 0, null, null],
  upper: [1, null, -1, null],
};
const equalSquares = {
  mode: 'qp',
  H: [
    [1, -1],
    [-1, 1],
  ],
  g: [0, 0],
  constant: -55,
  E: [[-1, 0]],
  d: [-5],
};
/** The first row is violated most at the free minimum (0, 7/2), and is none of those that hold (1/3, 5/6). */
export const dropped = {
  mode: 'qp',
  H: [
    [2, 0],
    [0, 2],
  ],
  g: [0, -7],
  A: [
    [0, 2],
    [-2, 2],
    [1, 2],
  ],
  b: [2, 1, 2],
};
export const programmes: [string, object, number, string][] = [
  ['afiro', afiro, -464.7531428571429, 'Netlib'],
  ['Klee & Minty, n = 10', kleeMinty(10), 1e18, 'Chvátal, Linear Programming, ch. 4: 100^{n−1}'],
  ['Beale’s cycling programme', beale, -1 / 20, 'Beale 1955'],
  ['boxed programme, 10 × 6', boxed(10, 6, 1), -56.25925925925925, 'SciPy, HiGHS'],
  ['boxed programme, 25 × 15', boxed(25, 15, 2), -90.80392156862744, 'SciPy, HiGHS'],
  ['boxed programme, 40 × 30', boxed(40, 30, 3), -318.0420168067227, 'SciPy, HiGHS'],
  ['stairs, 60 × 85', stairs(5), 5295.033333333335, 'SciPy, HiGHS'],
  ['stairs, 240 × 340', stairs(20), 21480.701543209878, 'SciPy, HiGHS'],
  ['stairs, 480 × 680', stairs(40), 39043.917168209904, 'SciPy, HiGHS'],
  ['scattered, 60 × 120', scattered(60), -974.6164847088014, 'SciPy, HiGHS'],
  ['scattered, 250 × 500', scattered(250), -3642.500173556133, 'SciPy, HiGHS'],
  ['scattered, 500 × 1000', scattered(500), -7544.776676096124, 'SciPy, HiGHS'],
  ['300 rows of 100 free variables', amongFree, leastAmongFree, 'by construction'],
  ['HS35', hs35, 1 / 9, 'Hock & Schittkowski'],
  ['semidefinite, 12 variables', semidefinite, -25.99714285714288, 'SciPy, SLSQP'],
  [
    'a quadratic programme that is linear',
    {
      ...wyndor,
      mode: 'qp',
      sense: undefined,
      c: undefined,
      H: [
        [0, 0],
        [0, 0],
      ],
      g: [-3, -5],
    },
    -36,
    'Wyndor Glass',
  ],
  ['a linear one with an equality', flat, -54 / 5, 'by hand: (2, 12/5)'],
  [
    'a form of rank 3 with three equalities',
    rankThree,
    349301 / 922,
    'SymPy: every active set, in fractions',
  ],
  ['a row that is dropped', dropped, -181 / 36, 'by hand: (1/3, 5/6)'],
  ['nothing but equal squares', equalSquares, -55, 'by hand: (5, 5)'],
  [
    'small sides and costs',
    { ...wyndor, c: [3e-12, 5e-12], b: [4e-10, 12e-10, 18e-10] },
    36e-22,
    'Wyndor Glass × 1e-22',
  ],
  ['a bound of 1e-10', { mode: 'lp', c: [1], lower: [1e-10] }, 1e-10, 'by hand'],
  [
    'a small quadratic programme',
    {
      mode: 'qp',
      H: [
        [2, 0],
        [0, 2],
      ],
      g: [0, 0],
      A: [[-1, -1]],
      b: [-1e-11],
    },
    5e-23,
    'by hand',
  ],
  ['bounds alone', { mode: 'lp', c: [1, -2], lower: [1, null], upper: [null, 3] }, -5, 'by hand'],
  [
    'free variables and an equality twice',
    {
      mode: 'lp',
      c: [1, 1],
      E: [
        [1, 2],
        [2, 4],
      ],
      d: [3, 6],
      A: [
        [-1, 0],
        [0, -1],
      ],
      b: [0, 0],
    },
    1.5,
    'by hand',
  ],
  [
    'the nearest point of a line',
    {
      mode: 'qp',
      H: [
        [2, 0],
        [0, 2],
      ],
      g: [0, 0],
      E: [
        [1, 1],
        [1, 1],
      ],
      d: [2, 2],
    },
    2,
    'by hand',
  ],
];
