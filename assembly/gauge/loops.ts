// Wilson loops for every group: the mean over all positions of ½Tr (Z2, U(1): Re) of the R × T loop, as products of
// two straight lines of links, and their adjoints.

import { allocate } from "../kernel/frame";
import { Group } from "./exact";
import { L, linkAt, next, volume, width } from "./lattice";
import { multiply } from "./su2";

let group: i32 = 0;
/** Products of R links to the right and of T links upward from every site. */
let across: usize = 0, upward: usize = 0;
let left: usize = 0, right: usize = 0;

export function openLoops(kind: i32): void {
  group = kind;
  left = allocate(32);
  right = allocate(32);
  across = allocate(width * <usize>volume);
  upward = allocate(width * <usize>volume);
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

@inline function site(plane: usize, y: i32, x: i32): usize { return plane + width * <usize>(y * L + x); }

/** The product of `count` links of one direction from (x, y), into the plane. */
function line(plane: usize, direction: i32, y: i32, x: i32, count: i32): void {
  const at = site(plane, y, x);
  memory.copy(at, linkAt(direction, y, x), width);
  for (let i = 1; i < count; i++) {
    if (direction == 0) x = next(x);
    else y = next(y);
    combine(right, at, linkAt(direction, y, x));
    memory.copy(at, right, width);
  }
}

/** Mean over positions of the R × T loop: A(x,y) B(x+R,y) against B(x,y) A(x,y+T). */
export function meanLoop(R: i32, T: i32): f64 {
  for (let y = 0; y < L; y++) {
    for (let x = 0; x < L; x++) {
      line(across, 0, y, x, R);
      line(upward, 1, y, x, T);
    }
  }
  let sum = 0.0;
  for (let y = 0; y < L; y++) sum += loopRow(y, R, T);
  return sum / <f64>volume;
}

function loopRow(y: i32, R: i32, T: i32): f64 {
  let sum = 0.0;
  for (let x = 0; x < L; x++) {
    combine(left, site(across, y, x), site(upward, y, (x + R) % L));
    combine(right, site(upward, y, x), site(across, (y + T) % L, x));
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
