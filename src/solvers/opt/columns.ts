import { invalid, type Matrix } from './problem.ts';

/** Entries that are not 0, column by column, in each by rows. */
export interface Columns {
  /** Of each column, and their number. */
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  readonly values: Float64Array;
}

/** Places of a matrix and what stands there, in the order in which they are given. */
export class Entries {
  readonly rows: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
  count = 0;

  constructor(most: number) {
    this.rows = new Int32Array(most);
    this.columns = new Int32Array(most);
    this.values = new Float64Array(most);
  }

  add(row: number, column: number, value: number): void {
    this.rows[this.count] = row;
    this.columns[this.count] = column;
    this.values[this.count++] = value;
  }
}

/** Entries of a matrix whose rows are rows from … of the programme. */
export function rowsOf(
  name: 'A' | 'E',
  matrix: Matrix | undefined,
  rows: number,
  n: number,
  from = 0,
): Entries {
  if (matrix === undefined) return new Entries(0);
  const side = name === 'A' ? 'b' : 'd';
  if ('shape' in matrix) {
    const [height, width] = matrix.shape;
    if (height !== rows || width !== n)
      invalid(
        `${name}.shape`,
        `${height} × ${width} beside ${rows} of ${side} and ${n} variables`,
        `[${rows}, ${n}]`,
      );
    const found = new Entries(matrix.entries.length);
    for (const [k, [i, j, value]] of matrix.entries.entries()) {
      const isThere = Number.isInteger(i) && Number.isInteger(j) && i >= 0 && i < rows && j >= 0 && j < n;
      if (!isThere)
        invalid(
          `${name}.entries[${k}]`,
          `there is no row ${i}, column ${j}`,
          `rows under ${rows}, columns under ${n}`,
        );
      found.add(from + i, j, value);
    }
    return found;
  }
  if (matrix.length !== rows)
    invalid(name, `${matrix.length} rows beside ${rows} of ${side}`, `${rows} rows`);
  const found = new Entries(rows * n);
  for (const [i, row] of matrix.entries()) {
    if (row.length !== n)
      invalid(`${name}[${i}]`, `${row.length} numbers for ${n} variables`, `${n} numbers`);
    for (const [j, value] of row.entries()) if (value !== 0) found.add(from + i, j, value);
  }
  return found;
}

/** Entries of one place count together, as their sum. */
export function columnsOf(n: number, m: number, ...matrices: readonly Entries[]): Columns {
  const all = new Entries(matrices.reduce((sum, { count }) => sum + count, 0));
  for (const { rows, columns, values, count } of matrices)
    for (let k = 0; k < count; k++) all.add(rows[k]!, columns[k]!, values[k]!);
  const byRow = sorted(Uint32Array.from(all.rows.keys()), all.rows, m);
  const order = sorted(byRow, all.columns, n);
  const starts = new Int32Array(n + 1);
  const rows = new Int32Array(order.length);
  const values = new Float64Array(order.length);
  let count = 0;
  for (let j = 0, k = 0; j < n; starts[++j] = count)
    while (k < order.length && all.columns[order[k]!] === j) {
      const row = all.rows[order[k]!]!;
      let sum = 0;
      for (; k < order.length && isAt(all, order[k]!, row, j); k++) sum += all.values[order[k]!]!;
      if (sum === 0) continue;
      rows[count] = row;
      values[count++] = sum;
    }
  return { starts, rows: rows.subarray(0, count), values: values.subarray(0, count) };
}

const isAt = ({ rows, columns }: Entries, k: number, row: number, column: number) =>
  rows[k] === row && columns[k] === column;

/** `order` by keys under `most`; what has one key stays in its order. */
function sorted(order: Uint32Array, keys: Int32Array, most: number): Uint32Array {
  const places = new Uint32Array(most + 1);
  for (const key of keys) places[key + 1]!++;
  for (let key = 0; key < most; key++) places[key + 1]! += places[key]!;
  const result = new Uint32Array(order.length);
  for (const k of order) result[places[keys[k]!]!++] = k;
  return result;
}
