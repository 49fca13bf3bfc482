/** Formulas of the literature, made anew; each says how its variables are numbered. */

const range = <T>(count: number, item: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
const pairs = <T>(items: readonly T[]): [T, T][] =>
  items.flatMap((a, i) => items.slice(0, i).map((b): [T, T] => [b, a]));
const atMostOne = (variables: readonly number[]) => pairs(variables).map(([a, b]) => [-a, -b]);

/** Pigeon p in hole h: holes·p + h + 1. Each pigeon in a hole, no two in one. `each`: in one hole only. */
export function pigeonhole(pigeons: number, holes: number, each = false): number[][] {
  const variable = (p: number, h: number) => holes * p + h + 1;
  const rows = range(pigeons, (p) => range(holes, (h) => variable(p, h)));
  const columns = range(holes, (h) => range(pigeons, (p) => variable(p, h)));
  return [...rows, ...columns.flatMap(atMostOne), ...(each ? rows.flatMap(atMostOne) : [])];
}

/** Queen in row r, column c: n·r + c + 1. */
export function queens(n: number): number[][] {
  const variable = (r: number, c: number) => n * r + c + 1;
  const rows = range(n, (r) => range(n, (c) => variable(r, c)));
  const columns = range(n, (c) => range(n, (r) => variable(r, c)));
  const diagonal = (sum: boolean, at: number) =>
    range(n, (r) => [r, sum ? at - r : at + r] as const)
      .filter(([, c]) => c >= 0 && c < n)
      .map(([r, c]) => variable(r, c));
  const diagonals = [
    ...range(2 * n - 1, (d) => diagonal(true, d)),
    ...range(2 * n - 1, (d) => diagonal(false, d - n + 1)),
  ];
  return [...rows, ...[...rows, ...columns, ...diagonals].flatMap(atMostOne)];
}

/** Two colours of the edges of K_n without a triangle of one colour; edges in order of their ends. */
export function ramsey33(n: number): number[][] {
  const edges = pairs(range(n, (i) => i));
  const edge = (a: number, b: number) => 1 + edges.findIndex(([x, y]) => x === a && y === b);
  const triangles = range(n, (a) => range(n, (b) => range(n, (c) => [a, b, c] as const)))
    .flat(2)
    .filter(([a, b, c]) => a < b && b < c)
    .map(([a, b, c]) => [edge(a, b), edge(a, c), edge(b, c)]);
  return [...triangles, ...triangles.map((triangle) => triangle.map((e) => -e))];
}

/** Three colours of 1 … n without x + y = z of one colour, x = y included: number i has colour c in 3(i−1) + c + 1. */
export function schur3(n: number): number[][] {
  const variable = (i: number, c: number) => 3 * (i - 1) + c + 1;
  const numbers = range(n, (i) => range(3, (c) => variable(i + 1, c)));
  const sums = range(n, (x) => range(n, (y) => [x + 1, y + 1] as const))
    .flat()
    .filter(([x, y]) => x <= y && x + y <= n);
  const forbidden = sums.flatMap(([x, y]) =>
    range(3, (c) => [-variable(x, c), -variable(y, c), -variable(x + y, c)]),
  );
  return [...numbers, ...numbers.flatMap(atMostOne), ...forbidden];
}

/** `count` random clauses of three different variables of n, by a linear congruence. */
export function random3(n: number, count: number, seed: number): number[][] {
  let word = seed >>> 0;
  const next = () => {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0;
    return word / 2 ** 32;
  };
  return range(count, () => {
    const variables = new Set<number>();
    while (variables.size < 3) variables.add(1 + Math.floor(next() * n));
    return [...variables].map((v) => (next() < 0.5 ? v : -v));
  });
}

/** How many of all assignments are models: one after another. */
export function modelsOf(clauses: readonly (readonly number[])[], n: number): number {
  const holds = (assignment: number) =>
    clauses.every((clause) =>
      clause.some((literal) => ((assignment >> (Math.abs(literal) - 1)) & 1) === (literal > 0 ? 1 : 0)),
    );
  return range(2 ** n, (assignment) => assignment).filter(holds).length;
}
