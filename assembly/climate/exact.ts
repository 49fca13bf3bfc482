// Closed forms of the energy balances without latitude.

const TURN: f64 = 6.283185307179586;

/** 2π⁵k⁴/(15h³c²), W/(m² K⁴), from the defining constants (CODATA 2022). */
export function stefanBoltzmann(): f64 {
  const pi = 0.5 * TURN, k = 1.380649e-23, hc = 6.62607015e-34 * 299792458.0;
  const ratio = k / hc;
  return 2.0 * pi * pi * pi * pi * pi * (k * ratio) * (ratio * ratio) * 299792458.0 / 15.0;
}

// ---- C Ṫ = A − εσT⁴ ------------------------------------------------------------------------------------

// With u = T/T_e, T_e⁴ = A/εσ, and k = εσT_e³/C: du/(1 − u⁴) = k dt. The colder of u and 1/u is tanh(y/2), and
//   u < 1:  ½ atan u + ½ artanh u = kt + const       u > 1:  ½ artanh(1/u) − ½ atan(1/u) = kt + const
// Both sides grow with y, whose equation Newton's method solves from the left where it is concave, from the right
// where it is convex: after the first step it never overshoots.

let cold: bool = false;

/** ½(artanh w ± atan w), w = tanh(y/2); small w > 0 with − by its series w³/3 + w⁷/7 + … */
function elapsed(y: f64): f64 {
  const w = Math.tanh(0.5 * y);
  if (cold) return 0.5 * (0.5 * y + Math.atan(w));
  if (w > 0.4) return 0.5 * (0.5 * y - Math.atan(w));
  const w4 = (w * w) * (w * w);
  let sum = 0.0, power = w * w * w;
  for (let n = 3; n < 44; n += 4) { sum += power / <f64>n; power *= w4; }
  return sum;
}

/** d elapsed / dy. */
function slope(y: f64): f64 {
  const w = Math.tanh(0.5 * y), square = w * w;
  return (cold ? 1.0 : square) / (2.0 * (1.0 + square));
}

function solveFor(target: f64, from: f64): f64 {
  let y = from;
  for (let i = 0; i < 200; i++) {
    const step = (target - elapsed(y)) / slope(y);
    y += step;
    if (abs(step) <= 4e-16 * abs(y)) break;
  }
  return y;
}

/** T at t [s] of C Ṫ = A − eT⁴, T(0) = T₀; A [W/m²], e = εσ [W/(m² K⁴)]. */
export function cooled(A: f64, e: f64, C: f64, T0: f64, t: f64): f64 {
  if (e == 0.0) return T0 + A * t / C;
  if (A == 0.0) return T0 / Math.cbrt(1.0 + 3.0 * e * T0 * T0 * T0 * t / C);
  const Te = Math.exp(0.25 * Math.log(A / e)), u = T0 / Te;
  if (abs(u - 1.0) < 1e-15) return T0;
  cold = u < 1.0;
  const w = cold ? u : 1.0 / u, first = Math.log1p(2.0 * w / (1.0 - w));
  const y = solveFor(elapsed(first) + e * Te * Te * Te / C * t, first), end = Math.tanh(0.5 * y);
  return cold ? Te * end : Te / end;
}

// ---- two layers ----------------------------------------------------------------------------------------

// T and T_d as sums of two modes (b, s_k) e^(r_k t), b = γ/C: s_k = r_k + (λ + γ)/C are the roots of
// s² + (γ/C_d − (λ+γ)/C) s − bγ/C_d = 0, of opposite signs, and r₁r₂ = λγ/(C C_d). Every root is had without a
// difference of near numbers. The forcing's share of mode k is f_k (e^(r_k t) − 1)/r_k.

let surfaceNow: f64 = 0, deepNow: f64 = 0;
@inline export function surfaceOfTwo(): f64 { return surfaceNow; }
@inline export function deepOfTwo(): f64 { return deepNow; }

/** Solves C Ṫ = F − λT − γ(T − T_d), C_d Ṫ_d = γ(T − T_d) from (T, D) to t [s]. */
export function twoLayers(F: f64, lambda: f64, gamma: f64, C: f64, deep: f64, T: f64, D: f64, t: f64): void {
  const a = (lambda + gamma) / C, b = gamma / C, d = gamma / deep;
  const apart = a - d, root = sqrt(apart * apart + 4.0 * b * d);
  const slowRoot = apart > 0.0 ? 0.5 * (apart + root) : 2.0 * b * d / (root - apart), fastRoot = -b * d / slowRoot;
  const fast = -0.5 * (a + d + root), slow = lambda / C * d / fast;
  const span = b * (fastRoot - slowRoot);
  const force = F / C;
  const cSlow = weight(fastRoot * T - b * D, fastRoot * force, span, slow, t);
  const cFast = weight(b * D - slowRoot * T, -slowRoot * force, span, fast, t);
  surfaceNow = b * (cSlow + cFast);
  deepNow = slowRoot * cSlow + fastRoot * cFast;
}

function weight(start: f64, force: f64, span: f64, rate: f64, t: f64): f64 {
  return (start * Math.exp(rate * t) + force * Math.expm1(rate * t) / rate) / span;
}

// ---- ln ------------------------------------------------------------------------------------------------

/** ln x: six roots, then 2⁷ artanh((r − 1)/(r + 1)) by its series. */
export function logarithm(x: f64): f64 {
  let r = x;
  for (let i = 0; i < 6; i++) r = sqrt(r);
  const z = (r - 1.0) / (r + 1.0), square = z * z;
  let sum = 0.0, power = z;
  for (let n = 1; n < 200; n += 2) { sum += power / <f64>n; power *= square; }
  return 128.0 * sum;
}
