// Levels and passages that have a closed form, from the parameters alone (Landau & Lifshitz, Quantum Mechanics, §22 …
// §25, §36; Flügge, Practical Quantum Mechanics, problems 25, 39, 42, 70). Nothing here is used by a kernel.

import { parameterF64 } from "../kernel/frame";
import { Potential } from "./problem";

@inline function hbar(): f64 { return parameterF64(0); }
@inline function mass(): f64 { return parameterF64(8); }

/** Level n on a line [J], NaN where there is no closed form or no such level. */
export function exactOnLine(kind: i32, n: i32): f64 {
  const m = mass(), L = parameterF64(24), a = parameterF64(56), N = <f64>n;
  if (kind == Potential.INFINITE_WELL) return boxLevel(N + 1.0, L);
  if (kind == Potential.FINITE_WELL) return wellLevel(n, 0.5 * L);
  if (kind == Potential.HARMONIC) return hbar() * parameterF64(40) * (N + 0.5);
  if (kind == Potential.MORSE) {
    const quantum = hbar() * a * sqrt(2.0 * parameterF64(48) / m) * (N + 0.5);
    return quantum < 2.0 * parameterF64(48) ? quantum - quantum * quantum / (4.0 * parameterF64(48)) : NaN;
  }
  if (kind != Potential.POSCHL_TELLER || N >= parameterF64(72)) return NaN;
  const rest = hbar() * a * (parameterF64(72) - N);
  return -rest * rest / (2.0 * m);
}

@inline function boxLevel(wave: f64, L: f64): f64 {
  const p = Math.PI * hbar() * wave / L;
  return p * p / (2.0 * mass());
}

/** z = nπ/2 + atan(√(z₀² − z²)/z), z = k·half; E = V₀ z²/z₀². */
function wellLevel(n: i32, half: f64): f64 {
  const z0 = sqrt(2.0 * mass() * parameterF64(32)) * half / hbar(), from = 0.5 * Math.PI * <f64>n;
  if (from >= z0) return NaN;
  let low = from, high = min(z0, from + 0.5 * Math.PI);
  for (let i = 0; i < 80; i++) {
    const z = 0.5 * (low + high);
    if (z - from < Math.atan2(sqrt(max(0.0, z0 * z0 - z * z)), z)) low = z; else high = z;
  }
  const share = 0.5 * (low + high) / z0;
  return parameterF64(32) * share * share;
}

/** Level n of angular momentum l [J]; wells have the radius L/2. */
export function exactOnRay(kind: i32, n: i32, l: f64): f64 {
  const half = 0.5 * parameterF64(24), N = <f64>n;
  if (kind == Potential.COULOMB) {
    const strength = parameterF64(80) / hbar() / (N + l + 1.0);
    return -0.5 * mass() * strength * strength;
  }
  if (kind == Potential.HARMONIC) return hbar() * parameterF64(40) * (2.0 * N + l + 1.5);
  if (l > 0.0) return NaN;
  if (kind == Potential.INFINITE_WELL) return boxLevel(N + 1.0, half);
  return kind == Potential.FINITE_WELL ? wellLevel(2 * n + 1, half) : NaN;
}

/** Level n in the plane [J]: shells of an oscillator, i² + j² of a square box. */
export function exactInPlane(kind: i32, n: i32): f64 {
  if (kind == Potential.HARMONIC) {
    let shell = 0;
    while ((shell + 1) * (shell + 2) / 2 <= n) shell++;
    return hbar() * parameterF64(40) * <f64>(shell + 1);
  }
  if (kind != Potential.INFINITE_WELL) return NaN;
  for (let square = 2, below = 0; ; square++) {
    for (let i = 1; i * i < square; i++) {
      const j = <i32>sqrt(<f64>(square - i * i));
      if (j * j == square - i * i) below++;
    }
    if (below > n) return boxLevel(sqrt(<f64>square), parameterF64(24));
  }
  return NaN;
}

/** Transmission at the energy E, NaN where there is no closed form. */
export function exactTransmission(kind: i32, E: f64): f64 {
  const V0 = parameterF64(32), L = parameterF64(24), unit = 2.0 * mass() / (hbar() * hbar());
  if (kind == Potential.FREE) return 1.0;
  if (kind == Potential.POSCHL_TELLER) {
    const s = Math.sinh(Math.PI * sqrt(unit * E) / parameterF64(56)), t = Math.sin(Math.PI * parameterF64(72));
    return s * s / (s * s + t * t);
  }
  if (kind == Potential.FINITE_WELL) {
    const s = V0 * Math.sin(sqrt(unit * E) * L);
    return 1.0 / (1.0 + s * s / (4.0 * E * (E - V0)));
  }
  if (kind != Potential.BARRIER) return NaN;
  if (E == V0) return 1.0 / (1.0 + 0.25 * unit * V0 * L * L);
  const phase = sqrt(unit * abs(E - V0)) * L, s = V0 * (E < V0 ? Math.sinh(phase) : Math.sin(phase));
  return 1.0 / (1.0 + s * s / (4.0 * E * abs(E - V0)));
}
