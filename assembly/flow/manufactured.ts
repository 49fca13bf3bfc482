// A flow in a cavity with a regularised lid that is known in full: ψ = 8 U Ly F(ξ) G(η), F = ξ⁴ − 2ξ³ + ξ², G = η⁴ − η²
// (Shih, Tan & Hwang, Int. J. Numer. Methods Fluids 9 (1989) 193). At η = 1 u = 16ξ²(1−ξ)² U; the force that holds it
// is what the equation leaves over. ω = −∇²ψ, and the curl of that force is S = u·∇ω − ν∇²ω.

import { Lx, Ly, nx, ny } from "./problem";

function curlAt(s: f64, t: f64, U: f64, nu: f64): f64 {
  const a = 8.0 * U * Ly, xx = Lx * Lx, yy = Ly * Ly;
  const F = s * s * (1.0 - s) * (1.0 - s), F1 = 2.0 * s * (2.0 * s - 1.0) * (s - 1.0), F2 = 12.0 * s * (s - 1.0) + 2.0, F3 = 24.0 * s - 12.0;
  const G = t * t * (t * t - 1.0), G1 = 4.0 * t * t * t - 2.0 * t, G2 = 12.0 * t * t - 2.0, G3 = 24.0 * t;
  const u = a * F * G1 / Ly, v = -a * F1 * G / Lx;
  const alongX = -a * (F3 * G / (xx * Lx) + F1 * G2 / (Lx * yy)), alongY = -a * (F2 * G1 / (xx * Ly) + F * G3 / (yy * Ly));
  const spread = -a * (24.0 * G / (xx * xx) + 2.0 * F2 * G2 / (xx * yy) + 24.0 * F / (yy * yy));
  return u * alongX + v * alongY - nu * spread;
}

/** field −= S on the inner corners. */
export function takeCurlOfForce(field: usize, U: f64, nu: f64): void {
  for (let j = 1; j < ny; j++) {
    for (let i = 1; i < nx; i++) {
      const at = field + (<usize>(j * (nx + 1) + i) << 3);
      store<f64>(at, load<f64>(at) - curlAt(<f64>i / <f64>nx, <f64>j / <f64>ny, U, nu));
    }
  }
}
