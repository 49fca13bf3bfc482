// Wilson loops for every group: the mean over all positions of ½Tr (Z2, U(1): Re) of the R × T loop, as products of
// two straight lines of links, and their adjoints.

import { allocate } from "../kernel/frame";
import { Group } from "./exact";
import { L, linkAt, next, volume, width } from "./lattice";
import { multiply } from "./su2";

let group: i32 = 0;
/** Products of R links to the right of T + 1 rows, of which row y is number y mod T + 1, and of T links upward of one. */
let across: usize = 0, upward: usize = 0;
let held: i32 = 1;
let left: usize = 0, right: usize = 0;

/** `tall` is T, 0: there is no loop. */
export function openLoops(kind: i32, tall: i32): void {
  group = kind;
  left = allocate(32);
  right = allocate(32);
  if (tall == 0) return;
  held = tall + 1;
  across = allocate(width * <usize>(held * L));
  upward = allocate(width * <usize>L);
}

/** a b at `out`. */
function combine(out: usize, a: usize, b: usize): void {
  if (group == Group.SU2) { multiply(out, a, 1.0, b, 1.0); return; }
  if (group == Group.Z2) { store<f64>(out, load<f64>(a) * load<f64>(b)); return; }
  const ar = load<f64>(a), ai = load<f64>(a, 8), br = load<f64>(b), bi = load<f64>(b, 8);
  store<f64>(out, ar * br - ai * bi);
  store<f64>(out, ar * bi + ai * br, 8);
}

/** ½Tr a b†, Re a b*: the scalar product. */
function overlap(a: usize, b: usize): f64 {
  let sum = 0.0;
  for (let i: usize = 0; i < width; i += 8) sum += load<f64>(a + i) * load<f64>(b + i);
  return sum;
}

@inline function rowAcross(y: i32): usize { return across + width * <usize>(y % held * L); }
@inline function site(row: usize, x: i32): usize { return row + width * <usize>x; }

/** The product of `count` links of one direction from (x, y). */
function line(at: usize, direction: i32, y: i32, x: i32, count: i32): void {
  memory.copy(at, linkAt(direction, y, x), width);
  for (let i = 1; i < count; i++) {
    if (direction == 0) x = next(x);
    else y = next(y);
    combine(right, at, linkAt(direction, y, x));
    memory.copy(at, right, width);
  }
}

/** Row y, of which those beyond L are the first ones again. */
function layAcross(y: i32, R: i32): void {
  for (let x = 0; x < L; x++) line(site(rowAcross(y), x), 0, y % L, x, R);
}

/** Mean over positions of the R × T loop: A(x,y) B(x+R,y) against B(x,y) A(x,y+T). */
export function meanLoop(R: i32, T: i32): f64 {
  for (let y = 0; y < T; y++) layAcross(y, R);
  let sum = 0.0;
  for (let y = 0; y < L; y++) {
    layAcross(y + T, R);
    for (let x = 0; x < L; x++) line(site(upward, x), 1, y, x, T);
    sum += loopRow(y, R, T);
  }
  return sum / <f64>volume;
}

function loopRow(y: i32, R: i32, T: i32): f64 {
  const low = rowAcross(y), high = rowAcross(y + T);
  let sum = 0.0;
  for (let x = 0; x < L; x++) {
    combine(left, site(low, x), site(upward, (x + R) % L));
    combine(right, site(upward, x), site(high, x));
    sum += overlap(left, right);
  }
  return sum;
}

/** ½Tr of the plaquette at (x, y). */
export function plaquette(y: i32, x: i32): f64 {
  combine(left, linkAt(0, y, x), linkAt(1, y, next(x)));
  combine(right, linkAt(1, y, x), linkAt(0, next(y), x));
  return overlap(left, right);
}
