// The profile that a verdict measures time and space by: of a row of the field, what it was two steps before the end;
// and one step before it, the row below, the row and the row above (of a line three times itself). Lines of nx + 1.

import { rowAt } from "./field";

/** Keeps a row as line `place`. */
export function keepLine(lines: usize, place: i32, field: usize, nx: i32, row: i32): void {
  const bytes = <usize>(nx + 1) << 3;
  memory.copy(lines + <usize>place * bytes, rowAt(field, nx, row), bytes);
}

/** Lines 0 … 3, each when so many steps are left as it wants. */
export function keepProfile(lines: usize, left: u64, field: usize, nx: i32, ny: i32, row: i32): void {
  if (left == 2) keepLine(lines, 0, field, nx, row);
  if (left != 1) return;
  const beside = ny > 0 ? 1 : 0;
  for (let k: i32 = -1; k <= 1; k++) keepLine(lines, k + 2, field, nx, row + k * beside);
}
