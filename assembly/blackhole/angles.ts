// Angles of orbits by quadrature, with what flat space gives taken away beforehand, so that the smallest bending keeps
// its digits. Lengths in GM/c², w = 1/r.
//
// Matter between apses, w = (1 + e cos χ)/p: dφ/dχ = 1/√(1 − (6 + 2e cos χ)/p)        (Chandrasekhar 1983, §19, eq. 143)
// Light with turning point w₀, w = w₀ sin θ: dφ/dθ = 1/√(1 − 2w₀ (1 + s + s²)/(1 + s)), s = sin θ.
//
// Both are integrals of 1/√(1 − μ) − 1 = μ/(√(1 − μ)(1 + √(1 − μ))), by Gauss–Legendre on halves of halves.

const NODE1: f64 = 0.1834346424956498, WEIGHT1: f64 = 0.3626837833783620;
const NODE2: f64 = 0.5255324099163290, WEIGHT2: f64 = 0.3137066458778873;
const NODE3: f64 = 0.7966664774136267, WEIGHT3: f64 = 0.2223810344533745;
const NODE4: f64 = 0.9602898564975363, WEIGHT4: f64 = 0.1012285362903763;
const DEEPEST: i32 = 60;

let light: bool = false;
let first: f64 = 0, second: f64 = 0;

/** μ at angle t: `first`, `second` are w₀ of light, or p and e. */
function muAt(t: f64): f64 {
  const s = Math.cos(t);
  return light ? 2.0 * first * (1.0 + s + s * s) / (1.0 + s) : (6.0 + 2.0 * second * s) / first;
}

function excess(t: f64): f64 {
  const mu = muAt(t);
  const root = sqrt(1.0 - mu);
  return mu / (root * (1.0 + root));
}

function panel(a: f64, b: f64): f64 {
  const half = 0.5 * (b - a), m = 0.5 * (a + b);
  return half * (WEIGHT1 * (excess(m - NODE1 * half) + excess(m + NODE1 * half)) +
    WEIGHT2 * (excess(m - NODE2 * half) + excess(m + NODE2 * half)) +
    WEIGHT3 * (excess(m - NODE3 * half) + excess(m + NODE3 * half)) +
    WEIGHT4 * (excess(m - NODE4 * half) + excess(m + NODE4 * half)));
}

function halved(a: f64, b: f64, whole: f64, depth: i32): f64 {
  const m = 0.5 * (a + b), low = panel(a, m), high = panel(m, b), sum = low + high;
  // Where μ is near 1 its rounding is all that two halves can differ by.
  const rounding = 1e-15 / (1.0 - max(muAt(a), muAt(b)));
  if (depth == 0 || !(abs(sum - whole) > max(1e-13, rounding) * abs(sum))) return sum;
  return halved(a, m, low, depth - 1) + halved(m, b, high, depth - 1);
}

/** What a light ray with turning point w₀ turns in excess of π [rad]. θ is taken from the turning point on. */
export function lightExcess(w0: f64): f64 {
  light = true; first = w0;
  return 2.0 * halved(0.0, 0.5 * Math.PI, panel(0.0, 0.5 * Math.PI), DEEPEST);
}

/** What an orbit of matter turns in excess of 2π from periapsis to periapsis [rad]. */
export function orbitExcess(p: f64, e: f64): f64 {
  light = false; first = p; second = e;
  return 2.0 * halved(0.0, Math.PI, panel(0.0, Math.PI), DEEPEST);
}
