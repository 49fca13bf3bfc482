// One hemisphere, x = sin(latitude), of the diffusive energy balance (North, J. Atmos. Sci. 32 (1975) 2033, eq. 5):
//
//   D d/dx[(1 − x²) dT/dx] − (A + BT) + (S₀/4) s(x) c(x) = 0,   s = 1 + s₂P₂,   T in °C
//
// with coalbedo c = 1 − a₀ − a₂P₂ where there is no ice and 1 − a_i poleward of the edge x_s. Finite volumes on n equal
// cells; the mean of s c over each cell, the one with the edge too, is exact. No flux passes equator and pole, so T and
// the matrix are symmetric about the equator. The matrix is factored once, as LDLᵀ.

import { allocate } from "../kernel/frame";

let cells: i32 = 0;
let pivots: usize = 0, ratios: usize = 0, temperatures: usize = 0;
let A: f64 = 0, B: f64 = 0, D: f64 = 0, quarter: f64 = 0;
// Sunlight times coalbedo: free0 + free2 x² + free4 x⁴, ice0 + ice2 x².
let free0: f64 = 0, free2: f64 = 0, free4: f64 = 0, ice0: f64 = 0, ice2: f64 = 0;

/** Address of T in °C at the cells, x = (i + ½)/n. */
@inline export function temperaturesAt(): usize { return temperatures; }
@inline function get(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }

/** `p`: S₀, A, B, D, s₂, a₀, a₂, a_i. */
export function layHemisphere(p: usize, n: i32): void {
  cells = n;
  pivots = allocate(<usize>n << 3);
  ratios = allocate(<usize>n << 3);
  temperatures = allocate(<usize>n << 3);
  quarter = 0.25 * get(p, 0);
  A = get(p, 1); B = get(p, 2); D = get(p, 3);
  const s2 = get(p, 4), a2 = get(p, 6), even = 1.0 - 0.5 * s2, square = 1.5 * s2;
  const coalbedo = 1.0 - get(p, 5) + 0.5 * a2, ofIce = 1.0 - get(p, 7);
  free0 = even * coalbedo;
  free2 = square * coalbedo - even * 1.5 * a2;
  free4 = -square * 1.5 * a2;
  ice0 = even * ofIce;
  ice2 = square * ofIce;
  factor();
}

/** Pivots d_i and ratios k_i/d_i of B + k_(i−½) + k_(i+½) on the diagonal and −k beside it, k = D (1 − x²)/h². */
function factor(): void {
  const n2 = <f64>cells * <f64>cells;
  let before = 0.0, carried = 0.0;
  for (let i = 0; i < cells; i++) {
    const k = D * (n2 - <f64>(i + 1) * <f64>(i + 1)), pivot = B + before + k - carried;
    put(pivots, i, pivot);
    put(ratios, i, k / pivot);
    carried = k * (k / pivot);
    before = k;
  }
}

@inline function freeUpTo(x: f64): f64 { const q = x * x; return x * (free0 + q * (free2 / 3.0 + q * (free4 / 5.0))); }
@inline function iceUpTo(x: f64): f64 { return x * (ice0 + x * x * (ice2 / 3.0)); }

/**
 * What the kink of T′ at the edge adds to k(T_(i+1) − T_i), where it lies between the centres of cells i and i + 1: with
 * the known jump J of T″ and the distance d to the nearer centre ½ k J d² (immersed interface: LeVeque & Li, SIAM J.
 * Numer. Anal. 31 (1994) 1019).
 */
function kinkOf(edge: f64, i: i32): f64 {
  if (i < 0 || i >= cells - 1) return 0.0;
  const n = <f64>cells, q = edge * edge, left = (<f64>i + 0.5) / n, face = <f64>(i + 1);
  const jump = quarter * (free0 - ice0 + q * (free2 - ice2 + q * free4)) / (D * (1.0 - q));
  const distance = min(edge - left, left + 1.0 / n - edge);
  return 0.5 * D * (n * n - face * face) * jump * distance * distance;
}

/** T of all cells where the ice begins at `edge` (1: nowhere). */
export function solveWith(edge: f64): void {
  const n = <f64>cells;
  const first = <i32>(edge * n + 0.5) - 1, kink = kinkOf(edge, first);
  let value = 0.0, ratio = 0.0, free = 0.0, ice = iceUpTo(edge);
  for (let i = 0; i < cells; i++) {
    const right = <f64>(i + 1) / n, freeEnd = freeUpTo(min(right, edge)), iceEnd = iceUpTo(max(right, edge));
    value = quarter * n * (freeEnd - free + (iceEnd - ice)) - A + ratio * value;
    if (i == first) value -= kink;
    if (i == first + 1) value += kink;
    put(temperatures, i, value);
    ratio = get(ratios, i);
    free = freeEnd;
    ice = iceEnd;
  }
  let T = 0.0;
  for (let i = cells - 1; i >= 0; i--) {
    T = get(temperatures, i) / get(pivots, i) + get(ratios, i) * T;
    put(temperatures, i, T);
  }
}

/**
 * T at the edge of the ice, where T″ jumps: between two cells each side has the curvature that the balance gives it; beyond
 * the last cell the parabola of three; at the equator by symmetry.
 */
export function temperatureOnEdge(x: f64): f64 {
  const n = <f64>cells, place = x * n - 0.5, last = cells - 1;
  if (place <= 0.0) return onEquator(place + 0.5);
  if (place >= <f64>last) return parabola(last - 1, place - <f64>(last - 1));
  const i = <i32>place, part = place - <f64>i, left = get(temperatures, i), right = get(temperatures, i + 1);
  const T = left + part * (right - left), slope = n * (right - left), q = x * x;
  const shared = (A + B * T) / D + 2.0 * x * slope, sun = quarter / D;
  const free = (shared - sun * (free0 + q * (free2 + q * free4))) / (1.0 - q), ice = (shared - sun * (ice0 + q * ice2)) / (1.0 - q);
  return T - 0.5 * part * (1.0 - part) / (n * n) * (part * free + (1.0 - part) * ice);
}

/** T = T₀ + (T₁ − T₀)(p² − ¼)/2 at p cells from the equator. */
@inline function onEquator(p: f64): f64 {
  return get(temperatures, 0) + 0.5 * (get(temperatures, 1) - get(temperatures, 0)) * (p * p - 0.25);
}

function parabola(i: i32, part: f64): f64 {
  const before = get(temperatures, i - 1), here = get(temperatures, i), after = get(temperatures, i + 1);
  return here + part * (0.5 * (after - before) + 0.5 * part * (after - 2.0 * here + before));
}

/** T at x by the parabola of the three nearest cells, away from an edge of the ice. */
export function temperatureAt(x: f64): f64 {
  const place = x * <f64>cells - 0.5, i = min(<i32>(place + 0.5), cells - 2);
  return i < 1 ? onEquator(place + 0.5) : parabola(i, place - <f64>i);
}

/** Mean over the sphere. */
export function meanTemperature(): f64 {
  let sum = 0.0;
  for (let i = 0; i < cells; i++) sum += get(temperatures, i);
  return sum / <f64>cells;
}
