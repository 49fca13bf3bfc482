import { Layout } from '../layout.ts';
import { MOST_NODES } from './fineness.ts';
import type { Lines } from './grading.ts';
import { tooMuch } from './problem.ts';

// Nodes of a cavity of cells, as assembly/acoustics/mask.ts numbers them.

export interface Mask {
  readonly cells: readonly (readonly number[])[];
  readonly h: number;
  /** left, right, bottom, top, inside: 0 rigid, 1 open, 2 an impedance of driven sound. */
  readonly open: readonly number[];
  readonly fine: number;
  readonly lines: Lines;
}

/** As the kernels read it, with three numbers that those for modes have. */
export const layMask = ({ cells, h, open, fine, lines }: Mask, modes = [0, 0, 0]): Layout =>
  new Layout()
    .f64(cells[0]!.length, cells.length, h, fine, ...open, ...modes)
    .f64s(cells.flat())
    .f64(lines.coarse, ...lines.x, ...lines.y);

/** As their verdicts do. */
export const meshOf = ({ fine, lines }: Mask): number[] => [fine / lines.coarse, ...lines.x, ...lines.y];

export interface Numbered {
  readonly columns: number;
  readonly rows: number;
  readonly n: number;
  readonly band: number;
  /** Number of each node of the grid, −1 where it is not free. */
  readonly numbers: Int32Array;
}

export function numberNodes({ cells, open, fine }: Mask): Numbered {
  const [height, width] = [cells.length, cells[0]!.length];
  const [columns, rows] = [2 * fine * width + 1, 2 * fine * height + 1];
  if (columns * rows > MOST_NODES) tooMuch('N', columns * rows, MOST_NODES);
  const [left, right, bottom, top, inside] = open;
  const air = (x: number, y: number) => cells[y]?.[x] === 1;
  const edge = 2 * fine;
  /** A node has up to four cells around it. */
  const isFree = (i: number, j: number) => {
    if ((i === 0 && left === 1) || (i === columns - 1 && right === 1)) return false;
    if ((j === 0 && bottom === 1) || (j === rows - 1 && top === 1)) return false;
    const [x, y] = [Math.floor(i / edge), Math.floor(j / edge)];
    let inAir = 0;
    let around = 0;
    for (let dx = i % edge === 0 ? -1 : 0; dx <= 0; dx++)
      for (let dy = j % edge === 0 ? -1 : 0; dy <= 0; dy++) {
        if (x + dx < 0 || y + dy < 0 || x + dx >= width || y + dy >= height) continue;
        around++;
        if (air(x + dx, y + dy)) inAir++;
      }
    return inAir > 0 && (inside !== 1 || inAir === around);
  };
  const numbers = new Int32Array(columns * rows).fill(-1);
  const wide = columns > rows;
  let n = 0;
  for (let a = 0; a < Math.max(columns, rows); a++)
    for (let b = 0; b < Math.min(columns, rows); b++) {
      const [i, j] = wide ? [a, b] : [b, a];
      if (isFree(i, j)) numbers[j * columns + i] = n++;
    }
  return {
    numbers,
    columns,
    rows,
    n,
    band: bandOf(numbers, columns, rows, (i, j) => air(Math.floor(i / fine), Math.floor(j / fine))),
  };
}

function bandOf(
  numbers: Int32Array,
  columns: number,
  rows: number,
  isAir: (i: number, j: number) => boolean,
): number {
  let band = 0;
  for (let j = 0; j < (rows - 1) / 2; j++)
    for (let i = 0; i < (columns - 1) / 2; i++) {
      if (!isAir(i, j)) continue;
      let [low, high] = [Number.POSITIVE_INFINITY, -1];
      for (let a = 0; a < 9; a++) {
        const number = numbers[(2 * j + Math.floor(a / 3)) * columns + 2 * i + (a % 3)]!;
        if (number < 0) continue;
        low = Math.min(low, number);
        high = Math.max(high, number);
      }
      band = Math.max(band, high - low);
    }
  return band;
}
