/**
 * A plot of fields by name: one curve per y against x, or a heat map over x (right) and y (up); `name[k]` is column k of a
 * field of rows. Surfaces draw it, nothing computes.
 */
export type Plot =
  | { readonly kind: 'line'; readonly title: string; readonly x: Axis; readonly y: readonly string[] }
  | { readonly kind: 'points'; readonly title: string; readonly x: string; readonly y: string }
  | {
      readonly kind: 'map';
      readonly title: string;
      readonly field: string;
      readonly x: Axis;
      readonly y: Axis;
    };

/**
 * Where the numbers of a curve or map stand: the field of the coordinates, one for each number of the curve, for each
 * column (row) or of a curved grid for each number; or, where they are even, the first and the last.
 */
export type Axis = string | Extent;
export interface Extent {
  readonly name: string;
  readonly unit: string | null;
  readonly from: number;
  readonly to: number;
}

/** So many numbers that are counted from 1. */
export const counted = (name: string, count: number): Extent => ({ name, unit: null, from: 1, to: count });

/** A field on the nodes of a box that has a corner in the origin, in metres. */
export function mapOverBox(title: string, field: string, { Lx, Ly }: { Lx: number; Ly: number }): Plot {
  const along = (name: string, to: number): Extent => ({ name, unit: 'm', from: 0, to });
  return { kind: 'map', title, field, x: along('x', Lx), y: along('y', Ly) };
}
