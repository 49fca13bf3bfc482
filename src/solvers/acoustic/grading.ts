import { type Cells, isCorner } from './fineness.ts';

// Lines of the coarsest mesh of a cavity of cells, in edges of a cell. What is singular in a corner, p ~ r^(2/3), costs a mesh whose
// lines stand evenly h^(4/3); lines at the cube of even places towards it cost h⁴, as elements of this order do elsewhere (Grisvard,
// Elliptic Problems in Nonsmooth Domains, ch. 8.4). Finer meshes part what is between two lines evenly.

export interface Lines {
  /** On the edge of a cell. */
  readonly coarse: number;
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** Corners of cells where p is singular. */
export type Place = readonly [x: number, y: number];

export const evenLines = (cells: Cells): Lines => linesTowards(cells, 1, []);

/** Lines that stand closer towards these places. */
export function linesTowards(cells: Cells, coarse: number, places: readonly Place[]): Lines {
  const along = (axis: 0 | 1, count: number) => {
    const towards = new Set(places.map((place) => place[axis]));
    const lines = [0];
    for (let cell = 0; cell < count; cell++)
      for (let i = 1; i <= coarse; i++)
        lines.push(cell + placed(i / coarse, towards.has(cell), towards.has(cell + 1)));
    return lines;
  };
  return { coarse, x: along(0, cells[0]!.length), y: along(1, cells.length) };
}

/** Where the line t of even ones stands in a cell that is graded towards its first end, its last or both. */
function placed(t: number, first: boolean, last: boolean): number {
  if (first && last) return t <= 0.5 ? cubeThenEven(t, 0.5) : 1 - cubeThenEven(1 - t, 0.5);
  if (first) return cubeThenEven(t, 1);
  return last ? 1 - cubeThenEven(1 - t, 1) : t;
}

/** Of what stands at the cube there is half of the length, or three tenths of a cell of two ends: the longest are not much longer. */
const CUBED = { 1: 0.5, 0.5: 0.3 } as const;

/** From 0 to a length: at the cube of t, then evenly, without a leap of the distance. */
function cubeThenEven(t: number, length: 1 | 0.5): number {
  const knee = CUBED[length];
  const scale = length / (3 * knee * knee * length - 2 * knee * knee * knee);
  return t <= knee ? scale * t * t * t : length - 3 * scale * knee * knee * (length - t);
}

/** Corners that point into the air. */
export function cornersOf(cells: Cells): Place[] {
  return cells.flatMap((row, y) => row.flatMap((_, x): Place[] => (isCorner(cells, x, y) ? [[x, y]] : [])));
}

/** The longest element, over those of as many that are even. */
export const stretchOf = ({ coarse, x, y }: Lines): number =>
  coarse * Math.max(...[x, y].map((lines) => Math.max(...lines.slice(1).map((line, i) => line - lines[i]!))));

/** Elements before `at` on an axis that has so many on the edge of a cell, and what is left, over the next. */
export function elementAlong(lines: readonly number[], parts: number, at: number): number {
  const piece = Math.min(
    Math.max(
      0,
      lines.findLastIndex((line) => line <= at),
    ),
    lines.length - 2,
  );
  return parts * (piece + (at - lines[piece]!) / (lines[piece + 1]! - lines[piece]!));
}
