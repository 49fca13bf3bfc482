// What drives the nodes of a run. A pulse or a sine at a point (./problem) is spread over the nodes beside it. A formula
// of x, y and t is laid on the nodes row by row: scalar it is f itself [m/s²], at every time; Maxwell it is the current
// J [A/m²] at half steps, of which the last is kept, and f = −∂J/∂t is its difference. J at the start pushes Ez from the
// first on, ε ∂Ez/∂t = curl H − J; before the start the formula is not asked. On an absorbing side half a cell lies
// outside, which nothing drives.

import { allocate, parameterF64 } from "../kernel/frame";
import { isPeriodic, shareOf } from "../grid/axis";
import { layFormulaRow, setTime } from "../grid/formula";
import { laySourceAt, sampleAt, weight } from "../grid/source";
import {
  absorbs, boxNodes, boxX, boxY, drivenAt, dt, dx, dy, ex, isMaxwell, isUniform, nodePlaces, nx, ny, ox, oy, rhoAt, sourceIsFormula, x, y,
} from "./problem";
import { gainAt } from "./stencil";

/** f, or J half a step later, on one row; J half a step earlier on all nodes, and the step that this is of. */
let now: usize = 0, earlier: usize = 0;
let have: i64 = -1;
let perStep: f64 = 0;
/** Number of the sample that this step is, or −1, and its sum so far, of the force that nodes were given. */
let sample: i32 = -1;
let sampled: f64 = 0;

export function openSource(): void {
  now = 0; earlier = 0;
  if (!sourceIsFormula()) return;
  now = allocate(<usize>(nx + 1) << 3);
  earlier = isMaxwell ? allocate(boxNodes() << 3) : 0;
  have = -1;
}

/** The half of a cell that lies inside an absorbing side. */
export function edgeShare(i: i32, j: i32): f64 {
  const onX = (i == 0 && absorbs(0)) || (i == nx && absorbs(1));
  const onY = ny > 0 && ((j == 0 && absorbs(2)) || (j == ny && absorbs(3)));
  return (onX ? 0.5 : 1.0) * (onY ? 0.5 : 1.0);
}

/** Sets the time of the rows that step n lays. */
export function prepareStep(n: i64, first: i64, count: i64): void {
  openStep(n);
  sample = sampleAt(n, first, count);
  sampled = 0.0;
}

/** Keeps what the nodes were given. */
export function closeStep(sums: usize): void {
  if (sample >= 0) store<f64>(sums + (<usize>sample << 3), sampled);
}

function openStep(n: i64): void {
  if (!isMaxwell) { setTime(<f64>n * dt); return; }
  if (have != n) laySourceAt(0, n == 0 ? 0.0 : (<f64>n - 0.5) * dt, nodePlaces(), nx, ny, dy, earlier);
  setTime((<f64>n + 0.5) * dt);
  perStep = -1.0 / (n == 0 ? 0.5 * dt : dt);
  have = n + 1;
}

/** The formula on row b of the box. */
function layRow(b: i32): void { layFormulaRow(0, nodePlaces(), nx + 1, ny > 0 ? <f64>b * dy : 0.0, now); }

/** For the start: f there, and what J brings to ε ∂Ez/∂t; of f row b of the box at a time. */
export function layFirst(): void { if (sourceIsFormula()) { openStep(0); have = 0; } }
export function layFirstRow(b: i32): void { if (now && b >= 0 && b <= ny) layRow(b); }
/** Of node i of row b. */
@inline function forceOf(i: i32, b: i32): f64 {
  const f = load<f64>(now + (<usize>i << 3));
  return isMaxwell ? perStep * (f - load<f64>(earlier + offsetOf(i, b))) : f;
}
@inline function offsetOf(i: i32, j: i32): usize { return <usize>(j * (nx + 1) + i) << 3; }
export function startForceAt(i: i32, j: i32): f64 { return now ? edgeShare(i, j) * forceOf(i, j) : 0.0; }
export function startRateAt(i: i32, j: i32): f64 { return earlier ? -edgeShare(i, j) * load<f64>(earlier + offsetOf(i, j)) : 0.0; }

/** Adds the formula to row b of the box, whose u one step before was `was`; its work over this step. */
export function driveRow(out: usize, was: usize, b: i32): f64 {
  const sy = shareOf(boxY, b), uniform = isUniform(), gain = dt * dt / rhoAt(0, 0);
  let sum = 0.0;
  if (sy == 0.0) return 0.0;
  layRow(b);
  for (let i = 0; i <= nx; i++) {
    const share = shareOf(boxX, i), k = <usize>(i + ox) << 3;
    if (share == 0.0) continue;
    const inner = i > 0 && i < nx && b > 0 && b < ny, f = (inner ? 1.0 : edgeShare(i, b)) * forceOf(i, b);
    const u = load<f64>(out + k) + (uniform ? gain : gainAt(i + ox, b + oy)) * f;
    store<f64>(out + k, u);
    sum += share * f * (u - load<f64>(was + k));
    if (sample >= 0) sampled += share * sy * weight(i, b, nx, ny) * f;
  }
  if (isPeriodic(x)) store<f64>(out + (<usize>ex << 3), load<f64>(out));
  if (isMaxwell) memory.copy(earlier + offsetOf(0, b), now, <usize>(nx + 1) << 3);
  return 0.5 * sy * sum * dx * dy;
}

/** Rows between the height `sy` and row b, on a ring the shorter way. */
@inline function rowsApart(sy: f64, b: i32): f64 {
  const apart = abs(sy - <f64>b);
  return isPeriodic(y) ? min(apart, <f64>ny - apart) : apart;
}

/** Adds a source at a point to row b of the box, spread over its two (four) nodes by their distance; its work over this step. */
export function drivePoint(out: usize, was: usize, b: i32, f: f64): f64 {
  const sx = parameterF64(240) / dx, sy = parameterF64(248) / dy, i = min(<i32>sx, nx - 1);
  const across = ny == 0 ? 1.0 : max(0.0, 1.0 - rowsApart(sy, b));
  let sum = 0.0;
  for (let p = i; p <= i + 1; p++) {
    const weight = across * (1.0 - abs(sx - <f64>p)), share = shareOf(boxX, p) * shareOf(boxY, b), k = <usize>(p + ox) << 3;
    if (weight == 0.0 || share == 0.0) continue;
    store<f64>(out + k, load<f64>(out + k) + gainAt(p + ox, b + oy) * f * weight);
    sum += 0.5 * f * weight * share * (load<f64>(out + k) - load<f64>(was + k)) * dx * dy;
  }
  return sum;
}

/** −∂J/∂t of a point over the step n. */
export function pointForce(n: u64): f64 { return drivenAt(<f64>n) / (dx * dy); }
