// Two-body motion in closed form, r̈ = −μ r/r³, by universal variables: one formula for ellipse, parabola and
// hyperbola (Battin 1999, §4.5; Curtis, Orbital Mechanics, §3.7). With α = 2/r₀ − v₀²/μ, σ₀ = r₀·v₀/√μ, z = αχ²
//
//   √μ t = r₀χ + σ₀ χ² c₂(z) + (1 − αr₀) χ³ c₃(z),        cₖ(z) = Σ (−z)ⁿ/(k + 2n)!     (Stumpff)
//
// whose left side grows with χ (its derivative is r), so a bracketed Newton iteration always finds it.

/** Stumpff c₀ … c₃ at 0, 8, 16, 24: series after quartering z, then c(4z) by doubling (Danby 1988, §6.9). */
const stumpff = memory.data(32, 16);
const SMALL: f64 = 0.1;

function stumpffFunctions(z: f64): void {
  let halvings = 0;
  while (abs(z) > SMALL) { z *= 0.25; halvings++; }
  let c2 = series(z, 2), c3 = series(z, 3);
  let c1 = 1.0 - z * c3, c0 = 1.0 - z * c2;
  for (; halvings > 0; halvings--) {
    c3 = 0.25 * (c2 + c0 * c3);
    c2 = 0.5 * c1 * c1;
    c1 = c0 * c1;
    c0 = 2.0 * c0 * c0 - 1.0;
  }
  store<f64>(stumpff, c0); store<f64>(stumpff, c1, 8); store<f64>(stumpff, c2, 16); store<f64>(stumpff, c3, 24);
}

/** Σ (−z)ⁿ/(k + 2n)!, k = 2 or 3, |z| ≤ 0.1: nine terms are below 1e-20. */
function series(z: f64, k: i32): f64 {
  let sum: f64 = 1;
  for (let n = 8; n >= 1; n--) sum = 1.0 - z * sum / <f64>((k + 2 * n - 1) * (k + 2 * n));
  return sum / (k == 2 ? 2.0 : 6.0);
}

/** Where the equation stands at χ, and the distance r there. */
let elapsed: f64 = 0;
let distance: f64 = 0;

function evaluate(chi: f64, r0: f64, sigma: f64, alpha: f64): void {
  stumpffFunctions(alpha * chi * chi);
  const c1 = load<f64>(stumpff, 8), c2 = load<f64>(stumpff, 16), c3 = load<f64>(stumpff, 24);
  const beta = 1.0 - alpha * r0;
  elapsed = chi * (r0 + chi * (sigma * c2 + chi * beta * c3));
  distance = r0 + chi * (sigma * c1 + chi * beta * c2);
}

function universalAnomaly(target: f64, r0: f64, sigma: f64, alpha: f64): f64 {
  let low: f64 = 0, high = target / r0;
  evaluate(high, r0, sigma, alpha);
  for (let i = 0; i < 2000 && elapsed < target; i++) { low = high; high *= 2.0; evaluate(high, r0, sigma, alpha); }
  let chi = 0.5 * (low + high);
  for (let i = 0; i < 200; i++) {
    evaluate(chi, r0, sigma, alpha);
    if (elapsed < target) low = chi; else high = chi;
    const newton = chi - (elapsed - target) / distance;
    const next = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (next == chi || !(high > low)) break;
    chi = next;
  }
  return chi;
}

/** Full turns are taken off an ellipse first: 2π√(a³/μ) each. */
function withoutTurns(t: f64, alpha: f64, mu: f64): f64 {
  if (!(alpha > 0)) return t;
  const period = 2.0 * NativeMath.PI / (alpha * sqrt(alpha * mu));
  return t - floor(t / period) * period;
}

/** Moves r and v (three f64 each) by t > 0. */
export function propagate(r: usize, v: usize, mu: f64, t: f64): void {
  const r0 = length(r), root = sqrt(mu);
  const alpha = 2.0 / r0 - dot(v, v) / mu;
  const left = withoutTurns(t, alpha, mu);
  const sigma = dot(r, v) / root;
  const chi = universalAnomaly(root * left, r0, sigma, alpha);
  evaluate(chi, r0, sigma, alpha);
  const c2 = load<f64>(stumpff, 16), c3 = load<f64>(stumpff, 24);
  const f = 1.0 - chi * chi * c2 / r0, g = left - chi * chi * chi * c3 / root;
  const fDot = root / (distance * r0) * chi * (alpha * chi * chi * c3 - 1.0);
  const gDot = 1.0 - chi * chi * c2 / distance;
  for (let axis: usize = 0; axis < 24; axis += 8) {
    const x = load<f64>(r + axis), u = load<f64>(v + axis);
    store<f64>(r + axis, f * x + g * u);
    store<f64>(v + axis, fDot * x + gDot * u);
  }
}

export function dot(a: usize, b: usize): f64 {
  return load<f64>(a) * load<f64>(b) + load<f64>(a, 8) * load<f64>(b, 8) + load<f64>(a, 16) * load<f64>(b, 16);
}
export function length(a: usize): f64 { return sqrt(dot(a, a)); }
