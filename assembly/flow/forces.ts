// Forces on the fluid by the velocities and pressures of the finest grid (assembly/flow/read.ts): what its momentum changes by.

import { parameterF64 } from "../kernel/frame";
import { dx, dy, nx, ny, pAt, sideAlong, sideKind, uAt, vAt } from "./read";

const WALL: i32 = 0, RING: i32 = 3;

/** The largest of what `term` was given. */
export let largestTerm: f64 = 0;
export function forgetTerms(): void { largestTerm = 0.0; }
@inline export function term(value: f64): f64 { largestTerm = max(largestTerm, abs(value)); return value; }

/** Forces on what lies between the middles of the first and last cells along x; all of a ring. */
export function forcesAlongX(nu: f64): f64 {
  const ring = sideKind(0) == RING, first = ring ? 0 : 1;
  let pressure = 0.0, carried = 0.0, drag = 0.0, shear = 0.0;
  if (!ring) for (let j = 0; j < ny; j++) {
    const a = 0.5 * (uAt(0, 0, j) + uAt(0, 1, j)), b = 0.5 * (uAt(0, nx - 1, j) + uAt(0, nx, j));
    pressure += dy * (pAt(0, 0, j) - pAt(0, nx - 1, j));
    carried += dy * (a * a - b * b);
    drag += dy * nu * ((uAt(0, nx, j) - uAt(0, nx - 1, j)) - (uAt(0, 1, j) - uAt(0, 0, j))) / dx;
  }
  if (sideKind(2) != RING) for (let i = first; i < nx; i++) {
    const low = uAt(0, i, 0), high = uAt(0, i, ny - 1), before = i > 0 ? i - 1 : nx - 1;
    const under = sideKind(2) == WALL ? sideAlong(2, i) : low, over = sideKind(3) == WALL ? sideAlong(3, i) : high;
    shear += dx * nu * 2.0 * ((under - low) + (over - high)) / dy;
    carried += dx * 0.5 * (under * (vAt(0, before, 0) + vAt(0, i, 0)) - over * (vAt(0, before, ny) + vAt(0, i, ny)));
  }
  const pull = parameterF64(240) * dx * dy * <f64>((nx - first) * ny);
  return term(pressure) + term(carried) + term(drag) + term(shear) + term(pull);
}

export function forcesAlongY(nu: f64): f64 {
  const ring = sideKind(2) == RING, first = ring ? 0 : 1;
  let pressure = 0.0, carried = 0.0, drag = 0.0, shear = 0.0;
  if (!ring) for (let i = 0; i < nx; i++) {
    const a = 0.5 * (vAt(0, i, 0) + vAt(0, i, 1)), b = 0.5 * (vAt(0, i, ny - 1) + vAt(0, i, ny));
    pressure += dx * (pAt(0, i, 0) - pAt(0, i, ny - 1));
    carried += dx * (a * a - b * b);
    drag += dx * nu * ((vAt(0, i, ny) - vAt(0, i, ny - 1)) - (vAt(0, i, 1) - vAt(0, i, 0))) / dy;
  }
  if (sideKind(0) != RING) for (let j = first; j < ny; j++) {
    const low = vAt(0, 0, j), high = vAt(0, nx - 1, j), before = j > 0 ? j - 1 : ny - 1;
    const under = sideKind(0) == WALL ? sideAlong(0, j) : low, over = sideKind(1) == WALL ? sideAlong(1, j) : high;
    shear += dy * nu * 2.0 * ((under - low) + (over - high)) / dx;
    carried += dy * 0.5 * (under * (uAt(0, 0, before) + uAt(0, 0, j)) - over * (uAt(0, nx, before) + uAt(0, nx, j)));
  }
  const pull = parameterF64(248) * dx * dy * <f64>((ny - first) * nx);
  return term(pressure) + term(carried) + term(drag) + term(shear) + term(pull);
}
