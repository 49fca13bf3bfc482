// Closed forms that a run of `heat` is held against; nothing here is shared with the kernels.
//
// Along an axis of length L with ξ = x/L the problem φ'' = −ζ²φ has the ends of a fixed node (φ = 0), of no flux
// (B = 0) or of convection, φ' = ±Bφ with Biot number B = hL/k. Its eigenfunctions, their roots and norms: Carslaw &
// Jaeger, Conduction of Heat in Solids, §3.9–3.10; Özışık, Heat Conduction, table 2-2. A start a + bξ becomes
// Σ c_n φ_n(ξ) e^(−ζ_n² Fo), Fo = αt/L². Boxes are products (C & J §5.6), steady rods parabolas (§3.14), steady
// rectangles with fixed sides sums of sinh (§5.2).

/** One axis: where its two ends stand in the parameters, the first root's number, terms and where they are kept. */
const TERM: usize = 32;

@inline function lowerFixed(ends: usize): bool { return load<f64>(ends) == 0.0; }
@inline function upperFixed(ends: usize): bool { return load<f64>(ends, 32) == 0.0; }
@inline function biot(end: usize, length: f64): f64 { return load<f64>(end, 16) * length; }

/** Roots lie one in each interval of this function, whose sign changes from one end to the other. */
function characteristic(zeta: f64, kind: i32, B1: f64, B2: f64): f64 {
  const s = Math.sin(zeta), c = Math.cos(zeta);
  if (kind == 0) return s;
  return kind == 3 ? (zeta * zeta - B1 * B2) * s - zeta * (B1 + B2) * c : zeta * c + (B1 + B2) * s;
}

function bisect(low: f64, high: f64, kind: i32, B1: f64, B2: f64): f64 {
  const sign = characteristic(low, kind, B1, B2) < 0.0;
  for (let i = 0; i < 80; i++) {
    const middle = 0.5 * (low + high);
    if ((characteristic(middle, kind, B1, B2) < 0.0) == sign) low = middle; else high = middle;
  }
  return 0.5 * (low + high);
}

function root(n: i32, kind: i32, B1: f64, B2: f64): f64 {
  const high = Math.PI * <f64>n;
  if (kind == 0) return high;
  if (kind == 3) return bisect(high - Math.PI + 1e-12, high - (B1 + B2 == 0.0 ? Math.PI : 0.0), kind, B1, B2);
  return B1 + B2 == 0.0 ? high - 0.5 * Math.PI : bisect(high - 0.5 * Math.PI, high, kind, B1, B2);
}

/** Writes the terms {ζ, c e^(−ζ² Fo), sine's share, cosine's share} of the start a + bξ. */
export function layTerms(terms: usize, count: i32, ends: usize, length: f64, Fo: f64, a: f64, b: f64): void {
  const low = lowerFixed(ends), high = upperFixed(ends);
  const kind = low && high ? 0 : low ? 1 : high ? 2 : 3;
  const B1 = low ? 0.0 : biot(ends, length), B2 = high ? 0.0 : biot(ends + 32, length);
  for (let n = 1; n <= count; n++) {
    const at = terms + <usize>(n - 1) * TERM, z = root(n, kind, B1, B2), s = Math.sin(z), c = Math.cos(z);
    const sine = low ? 1.0 : B1 / z, cosine = low ? 0.0 : 1.0;
    const whole = sine * (1.0 - c) / z + cosine * s / z;
    const moment = sine * (s / (z * z) - c / z) + cosine * (s / z + (c - 1.0) / (z * z));
    const far = high ? 0.0 : B2 / (z * z + B2 * B2);
    const norm = low ? 0.5 * (1.0 + far) : 0.5 * ((1.0 + B1 * B1 / (z * z)) * (1.0 + far) + B1 / (z * z));
    store<f64>(at, z);
    store<f64>(at, (a * whole + b * moment) / norm * Math.exp(-z * z * Fo), 8);
    store<f64>(at, sine, 16);
    store<f64>(at, cosine, 24);
  }
}

/** Nothing flows through either end: the start's mean stays. */
export function isInsulated(ends: usize): bool {
  return load<f64>(ends) == 2.0 || (!lowerFixed(ends) && !upperFixed(ends) && biot(ends, 1.0) == 0.0 && biot(ends + 32, 1.0) == 0.0);
}

export function sumTerms(terms: usize, count: i32, xi: f64): f64 {
  let sum = 0.0;
  for (let n = count - 1; n >= 0; n--) {
    const at = terms + <usize>n * TERM, z = load<f64>(at) * xi;
    sum += load<f64>(at, 8) * (load<f64>(at, 16) * Math.sin(z) + load<f64>(at, 24) * Math.cos(z));
  }
  return sum;
}

// ---- steady ----------------------------------------------------------------------------------------------

/** T = c₀ + c₁x − sx²/2α between two ends. */
export let line0: f64 = 0, line1: f64 = 0;

export function solveLine(ends: usize, length: f64, curvature: f64): void {
  const end = ends + 32, bow = 0.5 * curvature * length * length;
  const low = lowerFixed(ends), high = upperFixed(ends), B = load<f64>(end, 16);
  const a0 = low ? 1.0 : load<f64>(ends, 16), a1 = low ? 0.0 : -1.0, a = low ? load<f64>(ends, 8) : load<f64>(ends, 24);
  const b0 = high ? 1.0 : B, b1 = high ? length : 1.0 + B * length;
  const b = high ? load<f64>(end, 8) + bow : load<f64>(end, 24) + curvature * length + B * bow;
  const determinant = a0 * b1 - a1 * b0;
  line0 = (a * b1 - a1 * b) / determinant;
  line1 = (a0 * b - b0 * a) / determinant;
}

/** One side at 1, the others at 0: `along` the side of length `a`, `away` the distance from the opposite one, of `b`. */
function oneSide(along: f64, a: f64, away: f64, b: f64): f64 {
  if (along <= 0.0 || along >= a || away <= 0.0) return 0.0;
  if (away >= b) return 1.0;
  let sum = 0.0;
  for (let n = 1; n < 200000; n += 2) {
    const k = Math.PI * <f64>n / a, size = Math.exp(-k * (b - away));
    sum += 4.0 / (Math.PI * <f64>n) * Math.sin(k * along) * size * Math.expm1(-2.0 * k * away) / Math.expm1(-2.0 * k * b);
    if (size < 1e-17) break;
  }
  return sum;
}

/** Four fixed sides: `sides` their entries left, right, bottom, top. */
export function rectangle(sides: usize, x: f64, y: f64, Lx: f64, Ly: f64): f64 {
  return load<f64>(sides, 8) * oneSide(y, Ly, Lx - x, Lx) + load<f64>(sides, 40) * oneSide(y, Ly, x, Lx)
    + load<f64>(sides, 72) * oneSide(x, Lx, Ly - y, Ly) + load<f64>(sides, 104) * oneSide(x, Lx, y, Ly);
}
