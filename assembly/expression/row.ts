// What one program gave (f64):
//   0 value, hi · 8 value, lo · 16 value in double · 24 error bound · 32 uncertainty (JCGM 100:2008, 5.1.2)

import { finiteRange } from "../kernel/frame";

export const ROW: usize = 40;

@inline export function isFiniteRow(row: usize): bool { return finiteRange(row, 5); }

/** What the double evaluation of a row differs by from the double-double one, relative; 1 where the latter alone is 0. */
export function evaluationError(row: usize): f64 {
  const value = load<f64>(row), size = abs(value), distance = abs(load<f64>(row, 16) - value);
  return distance == 0 ? 0 : size == 0 ? 1 : distance / size;
}

/** The running error bound of a row over its value; 1 where the value is 0 and the bound is not. */
export function roundingError(row: usize): f64 {
  const value = load<f64>(row), error = load<f64>(row, 24);
  return error == 0 ? 0 : value == 0 ? 1 : error / abs(value);
}
