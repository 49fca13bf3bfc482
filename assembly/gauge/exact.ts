// Exact expectation values of two-dimensional lattice gauge theory on the periodic L × L lattice.
//
// Every plaquette's weight is expanded in characters, exp(β ½Tr U) = Σ_λ d_λ c_λ χ_λ(U), and all links integrated
// (Migdal, Sov. Phys. JETP 42 (1975) 413; Rusakov, Mod. Phys. Lett. A 5 (1990) 693). Gluing leaves one representation
// on a connected region; a disc of area A gives d_λ c_λ^A χ_λ, the torus without a disc of area V−A c_λ^{V−A} χ_λ/d_λ,
// so Z = Σ_λ c_λ^V and a contractible Wilson loop of area A couples the region inside to λ ⊗ fundamental:
//
//   Z2     c₀ = cosh β, c₁ = sinh β, t = tanh β:   W = (t^A + t^{V−A}) / (1 + t^V)
//   U(1)   c_n = I_n(β), all integers n:          W = Σ_n I_n^{V−A} I_{n+1}^A / Σ_n I_n^V
//   SU(2)  c_d = 2 I_d(β)/β, d = 1, 2, …:         W = ½ Σ_d c_d^{V−A} [(d+1) c_{d+1}^A + (d−1) c_{d−1}^A]/d / Σ_d c_d^V
//
// The last is ½Tr in the fundamental, since ∫ χ₂ χ_d' χ_d = 1 for d' = d ± 1. The plaquette is A = 1.

import { besselOverI0, besselRatio } from "../math/bessel";

export namespace Group {
  export const Z2: i32 = 0;
  export const U1: i32 = 1;
  export const SU2: i32 = 2;
}

/** Representations kept: c_λ falls like (eβ/2n)^n, and β ≤ 50. */
const TERMS: i32 = 192;
export const EXACT_SCRATCH: i32 = TERMS * 8;

/** ⟨W⟩ of a contractible loop around `area` of `volume` plaquettes; area 1 is the plaquette. */
export function exactLoop(group: i32, beta: f64, volume: f64, area: f64, scratch: usize): f64 {
  if (group == Group.Z2) return loopZ2(Math.tanh(beta), volume, area);
  besselOverI0(beta, TERMS, scratch);
  return group == Group.U1 ? loopU1(volume, area, scratch) : loopSU2(volume, area, scratch);
}

function loopZ2(t: f64, volume: f64, area: f64): f64 {
  return (Math.pow(t, area) + Math.pow(t, volume - area)) / (1.0 + Math.pow(t, volume));
}

@inline function ratioOf(scratch: usize, n: i32): f64 { return load<f64>(scratch + (<usize>abs(n) << 3)); }

/** The terms n and −1−n are one the other's mirror inside out; both are in the sum. */
function loopU1(volume: f64, area: f64, scratch: usize): f64 {
  let above = 0.0, below = 0.0;
  for (let n = -(TERMS - 2); n <= TERMS - 2; n++) {
    above += Math.pow(ratioOf(scratch, n), volume - area) * Math.pow(ratioOf(scratch, n + 1), area);
    below += Math.pow(ratioOf(scratch, n), volume);
  }
  return above / below;
}

/** With c_d over c₁: I_d/I₁. */
function loopSU2(volume: f64, area: f64, scratch: usize): f64 {
  const first = ratioOf(scratch, 1);
  let above = 0.0, below = 0.0;
  for (let d = 1; d <= TERMS - 2; d++) {
    const c = ratioOf(scratch, d) / first, up = ratioOf(scratch, d + 1) / first;
    const down = d > 1 ? ratioOf(scratch, d - 1) / first : 0.0;
    const inside = <f64>(d + 1) * Math.pow(up, area) + <f64>(d - 1) * Math.pow(down, area);
    above += 0.5 * Math.pow(c, volume - area) * inside / <f64>d;
    below += Math.pow(c, volume);
  }
  return above / below;
}

/** E of cos (Z2: of ±1; SU(2): of ½Tr) of a link whose weight is exp(κ ·): tanh κ, I₁/I₀(κ), I₂/I₁(κ). */
export function linkMean(group: i32, kappa: f64): f64 {
  if (group == Group.Z2) return Math.tanh(kappa);
  return besselRatio(group == Group.U1 ? 1 : 2, kappa);
}
