import { angleOf } from '../elementary.ts';
import type { Mesh, Patch } from './mesh.ts';

type Point = readonly number[];

/** A side at the corner where a fan begins or ends; `xi` is −1 or 1 there. */
interface End {
  readonly patch: number;
  readonly side: number;
  readonly xi: number;
}

/** The patches about a corner of the boundary, from one free side to the next, counter-clockwise. */
export interface Fan {
  /** Number of the corner, and its place. */
  readonly corner: number;
  readonly at: Point;
  /** Direction of the first side, and from there to the last one. */
  readonly from: number;
  readonly angle: number;
  readonly ends: readonly [first: End, last: End];
}

/** Side `c` begins at corner `c`, seen counter-clockwise: the sides of a corner are `c`, then the one before. */
const before = (c: number) => (c + 3) % 4;
/** ξ at corner `c` of side `c` and of the side before it. */
const XI_FIRST = [-1, -1, 1, 1] as const;
const XI_LAST = [-1, 1, 1, -1] as const;

export function fans(mesh: Mesh): Fan[] {
  return mesh.patches.flatMap(({ neighbours }, patch) =>
    [0, 1, 2, 3].flatMap((c) => (neighbours[c]! < 0 ? [fanFrom(mesh, patch, c)] : [])),
  );
}

function fanFrom(mesh: Mesh, patch: number, c: number): Fan {
  const first = mesh.patches[patch]!;
  const [x, y] = direction(first, c, c);
  let [angle, p, corner] = [0, patch, c];
  for (;;) {
    const here = mesh.patches[p]!;
    const [a, b] = [direction(here, corner, corner), direction(here, corner, before(corner))];
    angle += angleOf(a[0]! * b[0]! + a[1]! * b[1]!, a[0]! * b[1]! - a[1]! * b[0]!);
    const code = here.neighbours[before(corner)]!;
    if (code < 0) break;
    [p, corner] = [code >> 3, (code >> 1) & 3];
  }
  return {
    corner: first.corners[c]!,
    at: first.points[c]!,
    from: angleOf(x!, y!),
    angle,
    ends: [
      { patch, side: c, xi: XI_FIRST[c]! },
      { patch: p, side: before(corner), xi: XI_LAST[corner]! },
    ],
  };
}

/** Of a side where it leaves corner `c`. */
function direction({ points }: Patch, c: number, side: number): number[] {
  const [a, b, middle] = [points[c]!, points[side === c ? (c + 1) % 4 : before(c)]!, points[4 + side]];
  return [0, 1].map((i) => (middle ? 4 * middle[i]! - 3 * a[i]! - b[i]! : b[i]! - a[i]!));
}
