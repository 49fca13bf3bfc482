// A device's answer as its verdict reads it: nodes, ψ, n and p of the finest run; currents through cells and what recombines,
// and whether contacts are what they should be. By other algebra than the kernel's, with which nothing is shared.

import { fail, parameterF64, show } from "../kernel/frame";
import { Status } from "../kernel/status";
import { dopingBetween, electronsOf, leftDopingOf, majority, potentialOf, rightDopingOf } from "./exact";
import { CHARGE, Vt, biasSteps, cells, lambda2, ni } from "./problem";

/** Where a contact must lie beyond the depletion layer. */
const DEBYE_LENGTHS: f64 = 5.0;

export let xs: usize = 0, psi: usize = 0, ns: usize = 0, ps: usize = 0, fields: usize = 0;
let alphas: usize = 0, betas: usize = 0;

/** `columns`: ψ, n and p of the nodes, of a bias the steps of φ_n and φ_p over V_t of the cells, then x and E of the nodes. */
export function openJudged(columns: usize): void {
  const column = <usize>(cells + 1) << 3;
  psi = columns; ns = psi + column; ps = ns + column; alphas = ps + column; betas = alphas + column;
  xs = biasSteps > 0 ? betas + column : alphas;
  fields = xs + column;
}

@inline export function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline export function width(i: i32): f64 { return at(xs, i + 1) - at(xs, i); }
@inline export function debyeOf(c: f64): f64 { const n = majority(c); return sqrt(lambda2 / (n + 1.0 / n)); }

// ---- currents ------------------------------------------------------------------------------------------

/**
 * Electrons and holes through cell i: with Δ of u and α of φ over it, −(Δ/2)/sinh(Δ/2)·√(n_l n_r)·2 sinh(α/2) and its mirror
 * image, which is the exact current between nodes where E and J do not change (Scharfetter & Gummel 1969).
 */
export function electronCurrent(i: i32): f64 {
  return CHARGE * parameterF64(112) * Vt / width(i) * drift(at(ns, i), at(ns, i + 1), step(i), at(alphas, i));
}
export function holeCurrent(i: i32): f64 {
  return -CHARGE * parameterF64(120) * Vt / width(i) * drift(at(ps, i), at(ps, i + 1), -step(i), -at(betas, i));
}

@inline function step(i: i32): f64 { return (at(psi, i + 1) - at(psi, i)) / Vt; }

function drift(left: f64, right: f64, delta: f64, alpha: f64): f64 {
  if (abs(delta) > 80.0) return delta > 0.0 ? delta * left * Math.expm1(-alpha) : delta * right * Math.expm1(alpha);
  const half = 0.5 * delta, slowed = abs(half) < 1e-4 ? 1.0 - half * half / 6.0 : half / Math.sinh(half);
  return -2.0 * slowed * sqrt(left) * sqrt(right) * Math.sinh(0.5 * alpha);
}

/**
 * How far n and p of a node are from n_i e^(ψ/V_t − φ_n) and n_i e^(φ_p − ψ/V_t), over themselves, at most; φ_n and φ_p
 * are summed from the left contact, where they are V, and are to be 0 at the right one.
 */
export function quasiFermiError(V: f64): f64 {
  let electrons = V / Vt, holes = electrons, worst = 0.0;
  for (let i = 0; i <= cells; i++) {
    const u = at(psi, i) / Vt;
    const error = max(abs(Math.log(at(ns, i) / ni) - u + electrons), abs(Math.log(at(ps, i) / ni) + u - holes));
    if (!(error <= worst)) worst = error;
    if (i == cells) break;
    electrons += at(alphas, i); holes += at(betas, i);
  }
  return max(worst, max(abs(electrons), abs(holes)));
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
