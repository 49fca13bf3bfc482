// What a run gives: the quantity, the sums for its gates, the probe line and the sampled field. All f64.
//
//    0 value                 1 largest size of the field        2 ½ uᵀKu            3 ½ (fᵀu + Rᵀu_c)
//    4, 5 applied load       6, 7 reactions                     8 Σ sizes of both   9 patch test error
//   10 iterations           11 ‖r‖/‖r₀‖ of the recursion       12 the same, of K u − f itself
//   13 free unknowns        14 cells                           15 levels
//   16 probe line: 0 curved, 1 straight   17 its length        18 1 when both side lines exist
//   19 k                    20 f                               21 range of the field
//   22 Σ sizes of the reactions at nodes that supports name   23 1 when the probe is a node   24 … 31 zero
//   32 probe line, 129 values; then the lines beside it at ± its spacing, 129 each
//  419 field samples: x, y, u(, v), von Mises stress (Poisson: flux), one array of P·m·m each

import { allocate, openResult } from "../kernel/frame";
import { shear, stiffC1, stiffC2 } from "./element";
import { locate, mapPoint } from "./geometry";
import { LevelField, cellsS, cellsT, copyIndex, gridAt, levelCount, levelField, levelSize, positionS, positionT } from "./levels";
import {
  PatchField, at, component, fieldSamples, hasProbe, modulus, patchAt, patchCount, planeStrain, poissonRatio, probeX,
  probeY, quantity, source, unknownsPerNode,
} from "./problem";
import { linearStress, linearValue, shift } from "./boundary";
import { shapeFunctions } from "./shape";
import { nodeClass, nodeI, nodeJ } from "./stencil";

export const LINE: i32 = 129;
export const HEADER: i32 = 32;
const STRESS: i32 = 1, ENERGY: i32 = 2;

let solution: usize = 0;
let shapes: usize = 0, map: usize = 0, located: usize = 0, local: usize = 0;
let resultAt: usize = 0;

@inline export function setOutput(i: i32, value: f64): void { store<f64>(resultAt + (<usize>i << 3), value); }
@inline export function output(i: i32): f64 { return load<f64>(resultAt + (<usize>i << 3)); }

export function layOutput(x: usize): void {
  solution = x;
  shapes = allocate(27 * 8);
  map = allocate(48);
  located = allocate(64);
  local = allocate(64);
  const m = fieldSamples();
  const arrays = unknownsPerNode() == 1 ? 4 : 5;
  resultAt = openResult((HEADER + 3 * LINE + arrays * patchCount() * m * m) << 3);
}

// ---- evaluation ------------------------------------------------------------------------------------------

// local: 0 u, 8 v (both less the shift), 16 ∂u/∂x, 24 ∂u/∂y, 32 ∂v/∂x, 40 ∂v/∂y
@inline function part(i: i32): f64 { return load<f64>(local + (<usize>i << 3)); }
@inline function displaced(c: i32): f64 { return part(c) + shift(c); }

/** Cell that holds the place, by bisection; the right end belongs to the last one. */
function cellOf(grid: usize, second: bool, place: f64): i32 {
  let low = 0, high = second ? cellsT(grid) : cellsS(grid);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((second ? positionT(grid, middle) : positionS(grid, middle)) <= place) low = middle;
    else high = middle;
  }
  return low;
}

/** Field and gradient in cell (i, j) of patch p at (s, t) of the patch. */
function evaluateIn(p: i32, i: i32, j: i32, s: f64, t: f64): void {
  const grid = gridAt(0, p), size = levelSize(0);
  const hs = positionS(grid, i + 1) - positionS(grid, i), ht = positionT(grid, j + 1) - positionT(grid, j);
  shapeFunctions((s - positionS(grid, i)) / hs, (t - positionT(grid, j)) / ht, shapes);
  mapPoint(p, s, t, map);
  const xs = at(map, 2) * hs, ys = at(map, 3) * hs, xt = at(map, 4) * ht, yt = at(map, 5) * ht;
  const det = xs * yt - xt * ys;
  for (let c = 0; c < unknownsPerNode(); c++) {
    let value = 0.0, ds = 0.0, dt = 0.0;
    for (let a = 0; a < 9; a++) {
      const e = copyIndex(grid, nodeClass(a), i + nodeI(a), j + nodeJ(a));
      const u = load<f64>(solution + (<usize>(c * size + e) << 3));
      const n = shapes + (<usize>a << 3);
      value += u * load<f64>(n);
      ds += u * load<f64>(n, 72);
      dt += u * load<f64>(n, 144);
    }
    store<f64>(local + (<usize>c << 3), value);
    store<f64>(local + (<usize>c << 4), (ds * yt - dt * ys) / det, 16);
    store<f64>(local + (<usize>c << 4), (dt * xs - ds * xt) / det, 24);
  }
}
function evaluate(p: i32, s: f64, t: f64): void {
  const grid = gridAt(0, p);
  evaluateIn(p, cellOf(grid, false, s), cellOf(grid, true, t), s, t);
}

/** Stress component of the last evaluation: 0 xx, 1 yy, 2 xy, 3 von Mises; for Poisson the flux −k∇u, 3 its size. */
function stress(which: i32): f64 {
  if (unknownsPerNode() == 1) {
    const fx = -modulus() * part(2), fy = -modulus() * part(3);
    return which == 0 ? fx : which == 1 ? fy : sqrt(fx * fx + fy * fy);
  }
  const xx = stiffC1 * part(2) + stiffC2 * part(5), yy = stiffC2 * part(2) + stiffC1 * part(5);
  const xy = shear * (part(3) + part(4));
  if (which == 0) return xx;
  if (which == 1) return yy;
  if (which == 2) return xy;
  const zz = planeStrain() ? poissonRatio() * (xx + yy) : 0.0;
  const a = xx - yy, b = yy - zz, c = zz - xx;
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * xy * xy);
}

/** The field that the request asks about, at the last evaluation. */
function shown(): f64 {
  if (quantity() == STRESS) return stress(component());
  if (unknownsPerNode() == 1) return displaced(0);
  if (quantity() == ENERGY) return sqrt(displaced(0) * displaced(0) + displaced(1) * displaced(1));
  return displaced(component());
}

/** Mean over the cells of all patches that hold the probe; NaN-free: `found` says how many. */
let found: i32 = 0;
/** Whether the probe is a node of this mesh. */
let isNode: bool = false;
function meanAtProbe(): f64 {
  let sum = 0.0;
  found = 0;
  isNode = false;
  for (let p = 0; p < patchCount(); p++) {
    if (!locate(p, probeX(), probeY(), located)) continue;
    const grid = gridAt(0, p), s = at(located, 0), t = at(located, 1);
    const i = cellOf(grid, false, s), j = cellOf(grid, true, t);
    isNode = isNode || (isHalf(grid, false, i, s) && isHalf(grid, true, j, t));
    for (let J = touches(grid, true, j, t, -1); J <= touches(grid, true, j, t, 1); J++) {
      for (let I = touches(grid, false, i, s, -1); I <= touches(grid, false, i, s, 1); I++) {
        evaluateIn(p, I, J, s, t);
        sum += shown();
        found++;
      }
    }
  }
  return found ? sum / <f64>found : 0;
}
/** Whether a place in cell i is at one of its ends or in its middle. */
function isHalf(grid: usize, second: bool, i: i32, place: f64): bool {
  const here = second ? positionT(grid, i) : positionS(grid, i);
  const next = second ? positionT(grid, i + 1) : positionS(grid, i + 1);
  const halves = 2 * (place - here) / (next - here);
  return abs(halves - Math.round(halves)) < 1e-6;
}
/** The lowest (−1) or highest (+1) cell along one coordinate that touches the place. */
function touches(grid: usize, second: bool, i: i32, place: f64, side: i32): i32 {
  const here = second ? positionT(grid, i) : positionS(grid, i);
  const next = second ? positionT(grid, i + 1) : positionS(grid, i + 1);
  const near = 1e-8 * (next - here);
  if (side < 0) return i > 0 && place - here < near ? i - 1 : i;
  return i + 1 < (second ? cellsT(grid) : cellsS(grid)) && next - place < near ? i + 1 : i;
}

// ---- the patch test of what is shown ---------------------------------------------------------------------

/**
 * Largest error of displacement and stress as they are read off the linear field of the patch test, at the probe or
 * the middle of the first patch, relative to the largest of each. The stress to compare with comes from Lamé's
 * constants and the invariant form of von Mises' stress.
 */
export function readingError(field: usize): f64 {
  const kept = solution;
  let p = 0, s = 0.5, t = 0.5;
  if (hasProbe()) {
    for (let q = patchCount() - 1; q >= 0; q--) {
      if (locate(q, probeX(), probeY(), located)) { p = q; s = at(located, 0); t = at(located, 1); }
    }
  }
  solution = field;
  evaluate(p, s, t);
  solution = kept;
  return max(valueError(), stressError());
}

function valueError(): f64 {
  let off = 0.0, size = 0.0;
  for (let c = 0; c < unknownsPerNode(); c++) {
    const exact = linearValue(c, at(map, 0), at(map, 1));
    off = max(off, abs(part(c) - exact));
    size = max(size, abs(exact));
  }
  return size > 0 ? off / size : off;
}

function stressError(): f64 {
  if (unknownsPerNode() == 1) {
    const fx = linearStress(0, 0), fy = linearStress(0, 1), size = sqrt(fx * fx + fy * fy);
    return max(max(abs(stress(0) + fx), abs(stress(1) + fy)), abs(stress(3) - size)) / size;
  }
  const xx = linearStress(0, 0), yy = linearStress(1, 1), xy = linearStress(0, 1);
  const zz = planeStrain() ? poissonRatio() * (xx + yy) : 0.0;
  const mises = sqrt(((xx * xx + yy * yy) + zz * zz) - ((xx * yy + yy * zz) + zz * xx) + 3 * xy * xy);
  const size = max(max(abs(xx), abs(yy)), abs(xy));
  const off = max(max(abs(stress(0) - xx), abs(stress(1) - yy)), abs(stress(2) - xy));
  return max(off, abs(stress(3) - mises)) / size;
}

// ---- the parts of the result -----------------------------------------------------------------------------

/** Largest size of the field: of the displacement, or of the stress at the centres of cells. */
function largest(): f64 {
  let most = 0.0;
  if (quantity() != STRESS) {
    const bytes = <usize>levelSize(0) << 3;
    for (let c = 0; c < unknownsPerNode(); c++) {
      const from = solution + <usize>c * bytes, by = shift(c);
      for (let q = from; q < from + bytes; q += 8) most = max(most, abs(load<f64>(q) + by));
    }
    return most;
  }
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(0, p);
    for (let j = 0; j < cellsT(grid); j++) {
      for (let i = 0; i < cellsS(grid); i++) {
        const s = 0.5 * (positionS(grid, i) + positionS(grid, i + 1)), t = 0.5 * (positionT(grid, j) + positionT(grid, j + 1));
        evaluateIn(p, i, j, s, t);
        most = max(most, stress(3));
      }
    }
  }
  return most;
}

/** Largest less smallest nodal value of the first unknown. */
function range(): f64 {
  let low = Infinity, high = -Infinity;
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(0, p);
    for (let j = 0; j <= 2 * cellsT(grid); j++) {
      for (let i = 0; i <= 2 * cellsS(grid); i++) {
        const u = load<f64>(solution + (<usize>copyIndex(grid, (i & 1) + 2 * (j & 1), i >> 1, j >> 1) << 3));
        low = min(low, u);
        high = max(high, u);
      }
    }
  }
  return high - low;
}

/** Value, scale and probe line; false when the probe lies in no patch. */
export function writeQuantity(): bool {
  setOutput(1, quantity() == ENERGY ? abs(output(2)) : largest());
  setOutput(0, quantity() == ENERGY ? output(2) : meanAtProbe());
  let p = 0, t = 0.5;
  if (hasProbe()) {
    p = -1;
    for (let q = patchCount() - 1; q >= 0; q--) if (locate(q, probeX(), probeY(), located)) { p = q; t = at(located, 1); }
    if (p < 0) return false;
    // A line along a side shows the side alone; the place is kept, the neighbours decide whether lines beside it exist.
  }
  writeLine(p, t);
  setOutput(13, <f64>freeUnknowns());
  setOutput(14, <f64>levelField(0, LevelField.CELLS));
  setOutput(15, <f64>levelCount());
  setOutput(19, modulus());
  setOutput(20, source(0));
  setOutput(21, range());
  setOutput(23, isNode ? 1 : 0);
  return true;
}

function freeUnknowns(): i32 {
  const size = levelSize(0), d = unknownsPerNode();
  const flags = <usize>levelField(0, LevelField.FLAGS);
  let nodes = 0, fixed = 0;
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(0, p);
    nodes += (2 * cellsS(grid) + 1) * (2 * cellsT(grid) + 1);
  }
  for (let e = 0; e < size; e++) fixed += popcnt<i32>(<i32>load<u8>(flags + <usize>e));
  const list = <usize>levelField(0, LevelField.SHARED), pairs = levelField(0, LevelField.SHARED_COUNT);
  for (let n = 0; n < pairs; n++) {
    fixed -= popcnt<i32>(<i32>load<u8>(flags + <usize>load<i32>(list + (<usize>n << 3), 4)));
  }
  return (nodes - pairs) * d - fixed;
}

function writeLine(p: i32, t: f64): void {
  const line = resultAt + (HEADER << 3);
  const straight = at(patchAt(p), PatchField.GEOMETRY) == 4;
  for (let i = 0; i < LINE; i++) {
    evaluate(p, <f64>i / <f64>(LINE - 1), t);
    store<f64>(line + (<usize>i << 3), shown());
  }
  mapPoint(p, 0, t, map);
  const x0 = at(map, 0), y0 = at(map, 1);
  mapPoint(p, 1, t, map);
  const dx = at(map, 0) - x0, dy = at(map, 1) - y0;
  setOutput(16, straight ? 1 : 0);
  setOutput(17, sqrt(dx * dx + dy * dy));
  setOutput(18, straight && writeBeside(p, x0, y0, dx, dy, line) ? 1 : 0);
}

/** The two lines at distance of one spacing, for derivatives across; false when one leaves the patch inside. */
function writeBeside(p: i32, x0: f64, y0: f64, dx: f64, dy: f64, line: usize): bool {
  const n = <f64>(LINE - 1);
  for (let side = 0; side < 2; side++) {
    const sign: f64 = side == 0 ? 1 : -1;
    const to = line + <usize>((side + 1) * LINE * 8);
    for (let i = 1; i < LINE - 1; i++) {
      const x = x0 + <f64>i / n * dx - sign * dy / n, y = y0 + <f64>i / n * dy + sign * dx / n;
      if (!locate(p, x, y, located)) { memory.fill(line + LINE * 8, 0, 2 * LINE * 8); return false; }
      evaluate(p, at(located, 0), at(located, 1));
      store<f64>(to + (<usize>i << 3), shown());
    }
  }
  return true;
}

/** m × m samples of each patch, evenly in its own coordinates. */
export function writeFields(): void {
  const m = fieldSamples(), d = unknownsPerNode();
  if (m < 2) return;
  const bytes = <usize>(patchCount() * m * m) << 3;
  let to = resultAt + ((HEADER + 3 * LINE) << 3);
  for (let p = 0; p < patchCount(); p++) {
    for (let j = 0; j < m; j++) {
      for (let i = 0; i < m; i++) {
        evaluate(p, <f64>i / <f64>(m - 1), <f64>j / <f64>(m - 1));
        store<f64>(to, at(map, 0));
        store<f64>(to + bytes, at(map, 1));
        for (let c = 0; c < d; c++) store<f64>(to + <usize>(2 + c) * bytes, displaced(c));
        store<f64>(to + <usize>(2 + d) * bytes, stress(3));
        to += 8;
      }
    }
  }
}
