// How many modes of cells a rectangle of the plane of k holds: the turns of det T(κ) around it (Ahlfors, Complex Analysis, §4.5.2).

import { fail } from "../kernel/frame";
import { Status } from "../kernel/status";
import { complexAt } from "../linear/complex-band";
import { im, re, times } from "../math/complex";
import { band, n } from "./mask";
import { edge, field, modes, order, ROW, setField, spendFactor, table } from "./mask-state";
import { a, factor } from "./mask-vectors";
import { wallField } from "./mask-walls";
import { clearance, openRim, ranked, readRows, rimIm, rimRe } from "./rim";

const LONGEST: f64 = 1.0 / 64.0;

/** Modes in order. */
export let count: i32 = 0;

/** The list in order, and the rectangle around it. */
export function openCount(): void {
  readRows(table, ROW, modes);
  count = ranked(order);
  if (count < <i32>wallField(16)) { fail(Status.DID_NOT_CONVERGE); return; }
  openRim(order, count, <i32>wallField(16));
}

/** One determinant further around; u = −1 before the first. Says whether the round is whole. */
export function stepRim(): bool {
  const u = field(80), h = min(field(88), 0.5 * clearance(max(0.0, u))), next = u < 0.0 ? 0.0 : min(u + h, Math.floor(u) + 1.0);
  factor(rimRe(next) * edge, rimIm(next) * edge, 1.0);
  spendFactor();
  turnOfFactors();
  const x = re, y = im, angle = u < 0.0 ? 0.0 : Math.atan2(y * field(96) - x * field(104), x * field(96) + y * field(104));
  if (!(abs(angle) <= 0.7)) {
    setField(88, 0.5 * h);
    if (h < 1e-9) fail(Status.DID_NOT_CONVERGE);
    return false;
  }
  setField(80, next);
  setField(88, u < 0.0 ? LONGEST : min(2.0 * h, LONGEST));
  setField(96, x);
  setField(104, y);
  setField(112, field(112) + angle);
  return next >= 4.0;
}

/** det T over its size. */
function turnOfFactors(): void {
  let x = 1.0, y = 0.0;
  for (let i = 0; i < n; i++) {
    const d = complexAt(a, band, i, i), size = Math.hypot(load<f64>(d), load<f64>(d, 8));
    times(x, y, load<f64>(d) / size, -load<f64>(d, 8) / size);
    x = re;
    y = im;
  }
  times(x, y, 1.0, 0.0);
}
