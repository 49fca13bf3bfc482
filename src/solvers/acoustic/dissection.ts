import type { Mask, Numbered } from './numbering.ts';

// Nested dissection as assembly/acoustics/dissection.ts makes it, counted: what its panels hold and what they cost.

const LEAF = 2;
const FREE = -2;
const DONE = 0;

export interface Dissection {
  readonly supernodes: number;
  /** Numbers in all panels. */
  readonly panels: number;
  /** Nodes in all lists. */
  readonly reached: number;
  /** Numbers in the rows below the largest diagonal. */
  readonly widest: number;
  /** Work units of one factorisation (assembly/linear/supernodal.ts, supernodeUnits). */
  readonly units: number;
}

/** Elements x0 ≤ x < x1, y0 ≤ y < y1. */
type Rectangle = readonly [x0: number, x1: number, y0: number, y1: number];

export function dissect({ cells, fine }: Mask, { numbers, columns, rows }: Numbered): Dissection {
  const [width, height] = [(columns - 1) / 2, (rows - 1) / 2];
  const air = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) air[y * width + x] = cells[Math.floor(y / fine)]![Math.floor(x / fine)]!;
  const isAir = (x: number, y: number) =>
    x >= 0 && y >= 0 && x < width && y < height && air[y * width + x] === 1;
  const nodes = numbers.map((number) => (number < 0 ? number : FREE));
  const counts = { supernodes: 0, panels: 0, reached: 0, widest: 0, units: 0 };

  function shrunk([x0, x1, y0, y1]: Rectangle): Rectangle | undefined {
    const inColumn = (x: number) => {
      for (let y = y0; y < y1; y++) if (isAir(x, y)) return true;
      return false;
    };
    const inRow = (y: number) => {
      for (let x = x0; x < x1; x++) if (isAir(x, y)) return true;
      return false;
    };
    while (x0 < x1 && !inColumn(x0)) x0++;
    if (x0 === x1) return undefined;
    while (!inColumn(x1 - 1)) x1--;
    while (!inRow(y0)) y0++;
    while (!inRow(y1 - 1)) y1--;
    return [x0, x1, y0, y1];
  }

  function divide(whole: Rectangle): void {
    const rectangle = shrunk(whole);
    if (!rectangle) return;
    const [x0, x1, y0, y1] = rectangle;
    const [wide, high] = [x1 - x0, y1 - y0];
    if (Math.max(wide, high) > LEAF) {
      const [x, y] = [x0 + Math.floor(wide / 2), y0 + Math.floor(high / 2)];
      divide(wide >= high ? [x0, x, y0, y1] : [x0, x1, y0, y]);
      divide(wide >= high ? [x, x1, y0, y1] : [x0, x1, y, y1]);
    }
    eliminate(rectangle);
  }

  /** Whether all air around a node lies inside, some of it, or none. */
  function surroundings(i: number, j: number, [x0, x1, y0, y1]: Rectangle): 'all' | 'some' | 'none' {
    let [inside, outside] = [false, false];
    for (let y = (j - 1) >> 1; y <= j >> 1; y++)
      for (let x = (i - 1) >> 1; x <= i >> 1; x++) {
        if (!isAir(x, y)) continue;
        if (x >= x0 && x < x1 && y >= y0 && y < y1) inside = true;
        else outside = true;
      }
    return !inside ? 'none' : outside ? 'some' : 'all';
  }

  function eliminate(rectangle: Rectangle): void {
    const [x0, x1, y0, y1] = rectangle;
    let [size, reach] = [0, 0];
    for (let j = 2 * y0; j <= 2 * y1; j++)
      for (let i = 2 * x0; i <= 2 * x1; i++) {
        if (nodes[j * columns + i] !== FREE) continue;
        const where = surroundings(i, j, rectangle);
        if (where === 'some') reach++;
        if (where !== 'all') continue;
        nodes[j * columns + i] = DONE;
        size++;
      }
    if (size > 0) count(size, reach);
  }

  function count(size: number, reach: number): void {
    const wide = size + (size % 2);
    const products = Math.floor((size * size * size) / 3) + size * reach * (size + reach);
    counts.supernodes++;
    counts.panels += (size + reach) * wide;
    counts.reached += reach;
    counts.widest = Math.max(counts.widest, reach * wide);
    counts.units += Math.floor(products / 2) + reach * reach + 20 * (size + reach) + 200;
  }

  divide([0, width, 0, height]);
  return counts;
}
