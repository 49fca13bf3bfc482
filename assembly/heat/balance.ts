// What flows into the free nodes through the ends of each axis, as the stencil has it, so that the balance of heat
// holds to rounding: through a fixed end α (T₀ − T₁)/dx, through a natural one α (γ − βT₀)/dx.

import {
  End, firstFree, lastFree, lowerBeta, lowerGamma, lowerKind, shareOf, upperBeta, upperGamma, upperKind, widthOf,
} from "../grid/axis";
import { rowAt } from "../grid/field";
import { alpha, nx, ny, x, y } from "./problem";

/** What flows in through both ends of a row, in units of α/dx · dy. */
@inline export function inflowOfRow(row: usize): f64 {
  const end = row + (<usize>nx << 3);
  const low = lowerKind(x) == End.FIXED ? load<f64>(row) - load<f64>(row, 8) : lowerGamma(x) - lowerBeta(x) * load<f64>(row);
  const high = upperKind(x) == End.FIXED ? load<f64>(end) - load<f64>(end - 8) : upperGamma(x) - upperBeta(x) * load<f64>(end);
  return low + high;
}

/** The unit of inflowOfRow. */
@inline export function inflowUnit(): f64 { return alpha / widthOf(x) * widthOf(y); }

/** Through left and right, per second. */
export function inflowX(field: usize): f64 {
  if (lowerKind(x) == End.PERIODIC) return 0.0;
  const first = firstFree(y), last = lastFree(y);
  let sum = 0.0;
  for (let j = first; j <= last; j++) sum += shareOf(y, j) * inflowOfRow(rowAt(field, nx, j));
  return sum * inflowUnit();
}

/** Through bottom and top, per second. */
export function inflowY(field: usize): f64 {
  if (ny == 0 || lowerKind(y) == End.PERIODIC) return 0.0;
  const bottom = lowerKind(y) == End.FIXED, top = upperKind(y) == End.FIXED;
  const first = rowAt(field, nx, 0), second = rowAt(field, nx, 1), last = rowAt(field, nx, ny);
  const before = rowAt(field, nx, ny - 1);
  let sum = 0.0;
  for (let i = firstFree(x); i <= lastFree(x); i++) {
    const k = <usize>i << 3;
    const low = bottom ? load<f64>(first + k) - load<f64>(second + k) : lowerGamma(y) - lowerBeta(y) * load<f64>(first + k);
    const high = top ? load<f64>(last + k) - load<f64>(before + k) : upperGamma(y) - upperBeta(y) * load<f64>(last + k);
    sum += shareOf(x, i) * (low + high);
  }
  return sum * alpha / widthOf(y) * widthOf(x);
}
