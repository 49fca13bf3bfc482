// What is known of a device without solving anything, for the verdicts; no kernel uses it. Densities over n_i, potentials
// over V_t (Sze & Ng, Physics of Semiconductor Devices, §2.2–2.3; Shockley, Bell Syst. Tech. J. 28 (1949) 435).

import { L, Ln, Lp, Na, Nd, Vt, arrayNode, isJunction, lambda2, nodesOfArray } from "./problem";

/** The majority carriers of a neutral piece with doping c: n − p = c and np = 1. */
export function majority(c: f64): f64 { const half = 0.5 * abs(c); return half + sqrt(half * half + 1.0); }
/** n of such a piece; p is its inverse. */
export function electronsOf(c: f64): f64 { return c < 0.0 ? 1.0 / majority(c) : majority(c); }
/** u = asinh(c/2). */
export function potentialOf(c: f64): f64 {
  const size = abs(c) < 1e-4 ? 0.5 * abs(c) : Math.log(majority(c)); // the series' next term is c³/48
  return c < 0.0 ? -size : size;
}

export function leftDopingOf(): f64 { return isJunction ? -Na : arrayNode(0); }
export function rightDopingOf(): f64 { return isJunction ? Nd : arrayNode(nodesOfArray - 1); }
export function lengthOf(): f64 { return isJunction ? Lp + Ln : L; }

/** ∫ of the doping from a to b [m]. */
export function dopingBetween(a: f64, b: f64): f64 {
  if (isJunction) return Nd * max(0.0, b - max(a, Lp)) - Na * max(0.0, min(b, Lp) - a);
  const width = L / <f64>(nodesOfArray - 1);
  let sum = 0.0;
  for (let k = max(0, <i32>(a / width) - 1); k < nodesOfArray - 1 && <f64>k * width < b; k++) {
    const from = max(a, <f64>k * width), to = k == nodesOfArray - 2 ? b : min(b, <f64>(k + 1) * width);
    if (!(to > from)) continue;
    const s = 0.5 * (from + to) / width - <f64>k;
    sum += (to - from) * (arrayNode(k) + s * (arrayNode(k + 1) - arrayNode(k)));
  }
  return sum;
}

// ---- the abrupt junction in equilibrium --------------------------------------------------------------------

/** u at an abrupt junction, where the first integrals of both sides meet. */
function junctionPotential(): f64 {
  const un = potentialOf(Nd), up = potentialOf(-Na);
  return (Nd * un + Na * up + 2.0 * (Math.cosh(up) - Math.cosh(un))) / (Na + Nd);
}

/** |E| where the potential is u, by the first integral of λ²u″ = 2 sinh u − c from the far end, where u″ = u′ = 0 [V/m]. */
export function fieldAtPotential(u: f64, onRight: bool): f64 {
  const c = onRight ? Nd : -Na, end = potentialOf(c), s = 0.5 * (u - end);
  // 2(cosh u − cosh e) − c(u − e) with c = 2 sinh e: 4 sinh(s)(sinh(e + s)) − 4 s sinh(e), without cancellation for small s
  const whole = 4.0 * (Math.sinh(s) * Math.sinh(end + s) - s * Math.sinh(end));
  return Vt * sqrt(max(0.0, 2.0 * whole / lambda2));
}

export function junctionField(): f64 { return fieldAtPotential(junctionPotential(), true); }

/** Width of the depletion approximation [m], of V_bi − V; its field is 2(V_bi − V)/W. */
export function depletionWidth(volts: f64): f64 {
  return volts > 0.0 ? sqrt(2.0 * lambda2 * (volts / Vt) * (1.0 / Na + 1.0 / Nd)) : 0.0;
}

/** 1/(Λ tanh(length/Λ)), and 1/length where nothing recombines; Λ² = D τ. */
function perLength(length: f64, diffusion: f64, life: f64, recombines: bool): f64 {
  if (!recombines) return 1.0 / length;
  const way = sqrt(diffusion * life);
  return 1.0 / (way * Math.tanh(length / way));
}

/** Shockley's saturation current over q n_i [m/s]. */
export function saturation(mun: f64, mup: f64, taun: f64, taup: f64, recombines: bool): f64 {
  const Dn = mun * Vt, Dp = mup * Vt;
  return Dn / Na * perLength(Lp, Dn, taun, recombines) + Dp / Nd * perLength(Ln, Dp, taup, recombines);
}
