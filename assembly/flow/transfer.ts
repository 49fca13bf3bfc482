// Corner values between grids whose cells are twice as wide, in rows of nx + 1, zero on the walls.

@inline function at(base: usize, k: i32): f64 { return load<f64>(base + (<usize>k << 3)); }
@inline function put(base: usize, k: i32, value: f64): void { store<f64>(base + (<usize>k << 3), value); }

/** Every `by`-th corner of nx × ny cells. */
export function injectCorners(from: usize, to: usize, nx: i32, ny: i32, by: i32): void {
  const m = nx / by, n = ny / by;
  for (let j = 0; j <= n; j++) for (let i = 0; i <= m; i++) put(to, j * (m + 1) + i, at(from, by * (j * (nx + 1) + i)));
}

/** Means over the corner and its eight neighbours, weighted 4, 2, 1: from nx × ny cells to half as many each way. */
export function restrictCorners(from: usize, to: usize, nx: i32, ny: i32): void {
  const m = nx / 2, n = ny / 2, row = nx + 1;
  memory.fill(to, 0, <usize>((m + 1) * (n + 1)) << 3);
  for (let j = 1; j < n; j++) {
    for (let i = 1; i < m; i++) {
      const k = 2 * (j * row + i);
      const ends = (at(from, k - 1) + at(from, k + 1)) + (at(from, k - row) + at(from, k + row));
      const diagonals = (at(from, k - row - 1) + at(from, k - row + 1)) + (at(from, k + row - 1) + at(from, k + row + 1));
      put(to, j * (m + 1) + i, 0.25 * at(from, k) + 0.125 * ends + 0.0625 * diagonals);
    }
  }
}

/** By cubics half-way, to nx × ny cells from half as many each way; behind a wall is the mirror image. */
export function prolongCorners(from: usize, to: usize, nx: i32, ny: i32): void {
  const m = nx / 2, n = ny / 2, row = nx + 1;
  for (let j = 0; j <= n; j++) for (let i = 0; i <= m; i++) put(to, 2 * (j * row + i), at(from, j * (m + 1) + i));
  for (let j = 0; j <= ny; j += 2) for (let i = 1; i < nx; i += 2) put(to, j * row + i, halfway(to, j * row + i, 1, i, nx));
  for (let j = 1; j < ny; j += 2) for (let i = 0; i <= nx; i++) put(to, j * row + i, halfway(to, j * row + i, row, j, ny));
}

function halfway(field: usize, k: i32, stride: i32, place: i32, n: i32): f64 {
  const before = at(field, k - stride), after = at(field, k + stride);
  const far = (place < 3 ? after : at(field, k - 3 * stride)) + (place > n - 3 ? before : at(field, k + 3 * stride));
  return 0.5625 * (before + after) - 0.0625 * far;
}
