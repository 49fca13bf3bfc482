// A device's answer as its verdict reads it: nodes, ψ, n and p of the finest run; currents through cells and what recombines,
// and whether contacts are what they should be. By other algebra than the kernel's, with which nothing is shared.

import { fail, parameterF64, show } from "../kernel/frame";
import { Status } from "../kernel/status";
import { dopingBetween, electronsOf, leftDopingOf, majority, potentialOf, rightDopingOf } from "./exact";
import { CHARGE, Vt, cells, lambda2, ni } from "./problem";

/** Where a contact must lie beyond the depletion layer. */
const DEBYE_LENGTHS: f64 = 5.0;
const ULP: f64 = 2.220446049250313e-16;

export let xs: usize = 0, psi: usize = 0, ns: usize = 0, ps: usize = 0, fields: usize = 0;

/** `columns`: x, ψ, n, p, E of the nodes. */
export function openJudged(columns: usize): void {
  const column = <usize>(cells + 1) << 3;
  xs = columns; psi = xs + column; ns = psi + column; ps = ns + column; fields = ps + column;
}

@inline export function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline export function width(i: i32): f64 { return at(xs, i + 1) - at(xs, i); }
@inline export function debyeOf(c: f64): f64 { const n = majority(c); return sqrt(lambda2 / (n + 1.0 / n)); }

// ---- currents ------------------------------------------------------------------------------------------

/**
 * Electrons and holes through cell i: with Δ of u over it, (Δ/2)/sinh(Δ/2)·(n_r e^(−Δ/2) − n_l e^(Δ/2)) and its
 * mirror image, which is the exact current between nodes where E and J do not change (Scharfetter & Gummel 1969).
 */
export function electronCurrent(i: i32): f64 { return electronScale(i) * drift(at(ns, i), at(ns, i + 1), step(i), -1.0); }
export function holeCurrent(i: i32): f64 { return -holeScale(i) * drift(at(ps, i), at(ps, i + 1), -step(i), -1.0); }
/** How far rounding may have moved them: both parts, of which they are the difference, follow u = ψ/V_t by e^u. */
export function electronNoise(i: i32): f64 { return rounding(i) * electronScale(i) * drift(at(ns, i), at(ns, i + 1), step(i), 1.0); }
export function holeNoise(i: i32): f64 { return rounding(i) * holeScale(i) * drift(at(ps, i), at(ps, i + 1), -step(i), 1.0); }

@inline function step(i: i32): f64 { return (at(psi, i + 1) - at(psi, i)) / Vt; }
@inline function electronScale(i: i32): f64 { return CHARGE * parameterF64(112) * Vt / width(i); }
@inline function holeScale(i: i32): f64 { return CHARGE * parameterF64(120) * Vt / width(i); }
@inline function rounding(i: i32): f64 { return ULP * (2.0 + (abs(at(psi, i)) + abs(at(psi, i + 1))) / Vt); }

/** Its two parts, the left one times `sign`. */
function drift(left: f64, right: f64, delta: f64, sign: f64): f64 {
  if (abs(delta) > 80.0) return delta > 0.0 ? sign * delta * left : -delta * right;
  const half = 0.5 * delta, slowed = abs(half) < 1e-4 ? 1.0 - half * half / 6.0 : half / Math.sinh(half);
  return slowed * (right * Math.exp(-half) + sign * left * Math.exp(half));
}

/** ∫ of the recombination of Shockley, Read and Hall over the volume of an inner node [1/(m² s)]. */
export function recombined(i: i32): f64 {
  if (parameterF64(144) != 1.0) return 0.0;
  const n = at(ns, i), p = at(ps, i), slow = parameterF64(136) * (n + ni) + parameterF64(128) * (p + ni);
  return 0.5 * (width(i - 1) + width(i)) * (n * p - ni * ni) / slow;
}

// ---- contacts ------------------------------------------------------------------------------------------

/** Both contacts are neutral, in equilibrium, and parted by V: errors of ψ over V_t and of the carriers over themselves. */
export function contactError(V: f64): f64 {
  const left = leftDopingOf(), right = rightDopingOf();
  const error = abs(at(psi, 0) - V - Vt * potentialOf(left)) / Vt + abs(at(psi, cells) - Vt * potentialOf(right)) / Vt;
  return error + carrierError(0, electronsOf(left)) + carrierError(cells, electronsOf(right));
}
function carrierError(i: i32, n: f64): f64 { return abs(at(ns, i) / (ni * n) - 1.0) + abs(at(ps, i) * n / ni - 1.0); }

/**
 * A contact that reaches into a depletion layer is not neutral, though it was held so: within five Debye lengths of it the
 * majority carriers may not be fewer than half of the doping. Shows reason 2 (left) or 3, the distance found and its bound.
 */
export function checkContact(right: bool): void {
  const reach = DEBYE_LENGTHS * debyeOf(right ? rightDopingOf() : leftDopingOf()), end = right ? at(xs, cells) : 0.0;
  for (let k = 1; k < cells; k++) {
    const i = right ? cells - k : k, distance = abs(end - at(xs, i));
    if (distance > reach) return;
    if (!isDepleted(i)) continue;
    show(0, right ? 3.0 : 2.0); show(1, distance); show(2, reach);
    fail(Status.INVALID_INPUT);
    return;
  }
}

function isDepleted(i: i32): bool {
  const x = at(xs, i), from = x - 0.5 * width(i - 1), to = x + 0.5 * width(i), c = ni * dopingBetween(from, to) / (to - from);
  return c < 0.0 ? at(ps, i) < -0.5 * c : at(ns, i) < 0.5 * c;
}
