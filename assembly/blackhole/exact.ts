// Closed forms of Schwarzschild's geodesics, lengths in GM/c². With the roots w₁ < w₂ < w₃ of (dw/dφ)² = 2(w − w₁)(w − w₂)
// (w − w₃), k² = (w₂ − w₁)/(w₃ − w₁) and v = φ √((w₃ − w₁)/2) from the periapsis on (Chandrasekhar, The Mathematical Theory
// of Black Holes, §19 and 20; Darwin, Proc. R. Soc. A 249 (1959) 180)
//
//   w = w₁ + (w₂ − w₁) cd²(v, k),     φ from periapsis to periapsis = 4 K(k)/√(2(w₃ − w₁)),
//   deflection = 4/√(2(w₃ − w₁)) [K(k) − F(ψ, k)] − π,   sin²ψ = −w₁/(w₂ − w₁).

import { ellipticK, jacobi } from "../math/jacobi";

/** w₁, w₂, w₃, then w₃ − w₂, which may have lost its digits in the others. */
export const ROOTS: usize = memory.data(32, 16);
const JACOBI: usize = memory.data(24, 16);
const SCRATCH: usize = memory.data(2 * 16 * 8, 16);

@inline function root(i: i32): f64 { return load<f64>(ROOTS + (<usize>i << 3)); }
@inline function setRoots(w1: f64, w2: f64, w3: f64, gap: f64): void {
  store<f64>(ROOTS, w1); store<f64>(ROOTS, w2, 8); store<f64>(ROOTS, w3, 16); store<f64>(ROOTS, gap, 24);
}

/** Carlson's R_F(x, y, z) by duplication (Numer. Algorithms 10 (1995) 13). */
export function carlsonRF(x: f64, y: f64, z: f64): f64 {
  for (let i = 0; i < 60; i++) {
    const mean = (x + y + z) / 3.0;
    const X = 1.0 - x / mean, Y = 1.0 - y / mean, Z = -X - Y;
    if (max(abs(X), max(abs(Y), abs(Z))) < 2e-3) {
      const e2 = X * Y - Z * Z, e3 = X * Y * Z;
      return (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / sqrt(mean);
    }
    const lambda = sqrt(x * y) + sqrt(x * z) + sqrt(y * z);
    x = 0.25 * (x + lambda); y = 0.25 * (y + lambda); z = 0.25 * (z + lambda);
  }
  return NaN;
}

// ---- roots ---------------------------------------------------------------------------------------------

/** Of light, by thirds of the angle θ with sin(θ/2) = √27/b. */
export function rootsOfRay(b: f64): void {
  const half = Math.asin(sqrt(27.0) / b), third = 2.0 * half / 3.0;
  const small = Math.sin(0.5 * third) * Math.sin(0.5 * third) / 3.0, odd = sqrt(3.0) / 6.0 * Math.sin(third);
  const gap = Math.sin(2.0 * Math.acos(sqrt(27.0) / b) / 3.0) / sqrt(3.0);
  setRoots(small - odd, small + odd, 1.0 / 6.0 + Math.cos(third) / 3.0, gap);
}

/** Of matter with semi-latus rectum p and eccentricity e. */
export function rootsOfOrbit(p: f64, e: f64): void {
  setRoots((1.0 - e) / p, (1.0 + e) / p, 0.5 - 2.0 / p, 0.5 - (3.0 + e) / p);
}

/**
 * Of matter with energy E and angular momentum l: the largest by thirds of an angle, polished by Newton's method, the others by
 * their product and their pairs with it, in which roots that are small beside it keep their digits. Energy below that of the
 * circular orbit, p = (l² + l√(l² − 12))/2 and 1 − E² = (p − 4)/(p(p − 3)), is that orbit's, rounded.
 */
export function rootsOfMotion(E: f64, l: f64): void {
  const p = 0.5 * l * (l + sqrt(l * l - 12.0));
  if ((1.0 - E) * (1.0 + E) >= (p - 4.0) / (p * (p - 3.0))) { rootsOfOrbit(p, 0.0); return; }
  const pull = 1.0 / (l * l), c = (E - 1.0) * (E + 1.0) * pull;
  const P = pull - 1.0 / 12.0, Q = pull / 6.0 + 0.5 * c - 1.0 / 108.0, size = 2.0 * sqrt(-P / 3.0);
  const third = Math.acos(min(1.0, max(-1.0, 1.5 * Q / P * sqrt(-3.0 / P)))) / 3.0;
  const w3 = polished(1.0 / 6.0 + size * Math.cos(third), pull, c), product = -0.5 * c / w3, half = 0.5 * (pull - product) / w3;
  const w2 = half + sqrt(max(0.0, half * half - product)), w1 = product / w2;
  setRoots(w1, w2, 0.5 - w1 - w2, 0.5 - w1 - 2.0 * w2);
}

function polished(w: f64, pull: f64, c: f64): f64 {
  for (let i = 0; i < 40; i++) {
    const slope = (6.0 * w - 2.0) * w + 2.0 * pull, value = ((2.0 * w - 1.0) * w + 2.0 * pull) * w + c;
    if (abs(slope) <= 1e-7 * pull) break;
    w -= value / slope;
    if (abs(value) <= 1e-16 * abs(slope * w)) break;
  }
  return w;
}

// ---- angles and orbits ---------------------------------------------------------------------------------

/** [rad], b in GM/c²; far out by its series (Keeton & Petters, Phys. Rev. D 72 (2005) 104006, eq. 24). */
export function deflection(b: f64): f64 {
  rootsOfRay(b);
  const t = 1.0 / b;
  if (b > 1e5) return t * (4.0 + t * (15.0 * Math.PI / 4.0 + t * (128.0 / 3.0 + t * (3465.0 * Math.PI / 64.0))));
  const span = root(2) - root(0), n = (root(1) - root(0)) / span, sine = -root(0) / (root(1) - root(0));
  const F = sqrt(sine) * carlsonRF(1.0 - sine, 1.0 - n * sine, 1.0);
  return 4.0 / sqrt(2.0 * span) * (carlsonRF(0.0, root(3) / span, 1.0) - F) - Math.PI;
}

/**
 * 4K/√(2(w₃ − w₁)) − 2π. The arithmetic–geometric mean is taken of what 1 and √(1 − k²) lack to 1, so that a small
 * advance keeps its digits; √(2(w₃ − w₁)) = √(1 − m), m = 4w₁ + 2w₂. NaN where there is none, w₂ > w₃.
 */
export function advanceOfOrbit(): f64 {
  const span = root(2) - root(0), n = (root(1) - root(0)) / span, m = 4.0 * root(0) + 2.0 * root(1);
  let a = 0.0, b = n / (1.0 + sqrt(root(3) / span));
  for (let i = 0; i < 60 && !(abs(a - b) <= 1e-16 * b); i++) {
    const mean = 0.5 * (a + b), product = a + b - a * b;
    b = product / (1.0 + sqrt(1.0 - product));
    a = mean;
  }
  const speed = sqrt(1.0 - m), slow = m / (speed * (1.0 + speed));
  return 2.0 * Math.PI * (slow + a) / (1.0 - a);
}

/** w at the angle φ from the periapsis. */
export function exactOrbit(phi: f64): f64 {
  const span = root(2) - root(0), complement = root(3) / span, n = (root(1) - root(0)) / span;
  let v = phi * sqrt(0.5 * span);
  const half = ellipticK(complement);
  v -= 2.0 * half * nearest(0.5 * v / half); // cd² has the period 2K
  jacobi(v, n, complement, JACOBI, SCRATCH);
  const cd = load<f64>(JACOBI, 8) / load<f64>(JACOBI, 16);
  return root(0) + (root(1) - root(0)) * cd * cd;
}
