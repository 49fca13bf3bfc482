import { wrong } from './problem.ts';

// How fine the mesh of a cavity of cells is where the request leaves it open, and which would do where one did not.

/** Rows from the bottom; 1: air. */
export type Cells = readonly (readonly number[])[];

/** Nodes of the grid around a cavity at most. */
export const MOST_NODES = 3e5;
const LEAST = 8;
/** Elements across a cavity with corners that point into the air, where p has no second derivative; up to three cells across. */
const ACROSS = 36;
const OF_FEW_CELLS = { 1: 16, 2: 16, 3: 12 } as const;
/** Elements on the length over which the phase of the highest mode turns by 1. */
const PER_RADIAN = 3;
/** Nodes of the grid that a choice of ours may take. */
const CHOSEN_NODES = 6e4;

/** Whether three of four cells that meet are air. */
export function hasCorners(cells: Cells): boolean {
  return cells.some((row, y) => y > 0 && row.some((_, x) => x > 0 && airAround(cells, x, y).length === 3));
}

/** Whether the lower left corner of (x, y) is one that points into the air. */
export const isCorner = (cells: Cells, x: number, y: number): boolean =>
  x > 0 && y > 0 && x < cells[0]!.length && y < cells.length && airAround(cells, x, y).length === 3;

/** Of the four cells that meet in the lower left corner of (x, y) those that are air, as they lie around it. */
function airAround(cells: Cells, x: number, y: number): number[] {
  const around = [cells[y - 1]![x - 1], cells[y - 1]![x], cells[y]![x], cells[y]![x - 1]];
  return around.flatMap((air, place) => (air === 1 ? [place] : []));
}

/** Sound that passes a point couples as 1/log h: no mesh finds it. */
export function checkCorners(cells: Cells): void {
  cells.forEach((row, y) => {
    row.forEach((_, x) => {
      if (y === 0 || x === 0) return;
      const air = airAround(cells, x, y);
      if (air.length === 2 && air[1]! - air[0]! === 2)
        wrong(
          'domain.cells',
          `cells of air meet in the corner (${x}, ${y}) alone.`,
          'air that passes edges of cells: one more cell of air there, or one less',
        );
    });
  });
}

/**
 * Elements on the edge of a cell for so many modes: k of the highest from A k² + P k = 4π n, of air of the area A and the
 * girth P (Weyl’s law for rigid walls, Kuttruff §3.2), or what the corners take; and so many more where nodes allow it.
 */
export function elementsFor(cells: Cells, count: number, more = 0): number {
  const [height, width] = [cells.length, cells[0]!.length];
  const k = waveOf(cells, count + 1);
  const across = Math.max(width, height);
  const few = OF_FEW_CELLS[across as 1 | 2 | 3] ?? ACROSS / across;
  const wanted = Math.max(PER_RADIAN * k, hasCorners(cells) ? few : 0, LEAST);
  let chosen = 4 * Math.ceil(wanted / 4) + more;
  while (chosen > LEAST && (2 * chosen * width + 1) * (2 * chosen * height + 1) > CHOSEN_NODES) chosen -= 4;
  return chosen;
}

const areaOf = (cells: Cells) => cells.flat().reduce((sum, air) => sum + air, 0);

/** k of mode n, times the edge of a cell. */
function waveOf(cells: Cells, n: number): number {
  const [area, girth] = [areaOf(cells), girthOf(cells)];
  return (Math.sqrt(girth * girth + 16 * Math.PI * area * n) - girth) / (2 * area);
}

/**
 * How many modes between rigid walls have to be followed so that the `count` lowest beside a spring are among them, which is so
 * soft that it draws k down by a factor: those that run along it begin from jπ over its length in cells.
 */
export function modesBeside(cells: Cells, count: number, factor: number, length: number): number {
  const k = Math.min((count * Math.PI) / length, factor * waveOf(cells, count + 1));
  return Math.ceil((areaOf(cells) * k * k + girthOf(cells) * k) / (4 * Math.PI));
}

/** Edges between air and what is none. */
function girthOf(cells: Cells): number {
  let edges = 0;
  cells.forEach((row, y) => {
    row.forEach((air, x) => {
      if (air !== 1) return;
      for (const [dx, dy] of [
        [-1, 0],
        [1, 0],
        [0, -1],
        [0, 1],
      ] as const)
        if (cells[y + dy]?.[x + dx] !== 1) edges++;
    });
  });
  return edges;
}

/** N at which an error of N elements, over its bound, is within it, or undefined where no mesh that is taken has it. */
export function elementsWithin(cells: Cells, sent: number, excess: number, order: 2 | 4): number | undefined {
  const root = Math.sqrt(excess);
  // A fifth more: the order is that of fine meshes.
  const wanted = 4 * Math.ceil((1.2 * sent * (order === 2 ? root : Math.sqrt(root))) / 4);
  const nodes = (2 * wanted * cells.length + 1) * (2 * wanted * cells[0]!.length + 1);
  return wanted > sent && nodes <= MOST_NODES ? wanted : undefined;
}
