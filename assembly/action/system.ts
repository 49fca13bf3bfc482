// Hamiltonians H = Σ p²/2μ + V(q) of `action`: forces and potential. μ is the mass, of a pendulum mL², of
// Hénon–Heiles 1 (Hénon & Heiles, Astron. J. 69 (1964) 73); FPUT: fixed ends, V = Σ kΔ²/2 + αΔ³/3 (Fermi, Pasta,
// Ulam & Tsingou, LA-1940 (1955)).
//
// Coordinates stand in an array with one zero before and one behind them: the fixed ends of the chain.

export const HARMONIC: i32 = 0;
export const PENDULUM: i32 = 1;
export const QUARTIC: i32 = 2;
export const DOUBLE_WELL: i32 = 3;
export const KEPLER: i32 = 4;
export const HENON_HEILES: i32 = 5;
export const FPUT: i32 = 6;

let system: i32 = 0;
let mass: f64 = 1, first: f64 = 0, second: f64 = 0;
export let count: i32 = 1;
/** What p is divided by to give q̇. */
export let inertia: f64 = 1;

/** `a`, `b`: k; g, L; λ; a, b; μ; λ; k, α in the order of the codes. */
export function setSystem(code: i32, m: f64, a: f64, b: f64, n: i32): void {
  system = code;
  mass = m;
  first = a;
  second = b;
  count = n;
  inertia = code == PENDULUM ? m * b * b : m;
}

/** −∂V/∂q to `f`; returns V. */
export function forces(q: usize, f: usize): f64 {
  if (system == FPUT) return chain(q, q, f, 0.0, 0.0, false);
  const x = load<f64>(q);
  if (system == HARMONIC) {
    store<f64>(f, -first * x);
    return 0.5 * first * x * x;
  }
  if (system == PENDULUM) {
    const s = NativeMath.sin(0.5 * x), c = NativeMath.cos(0.5 * x), weight = 2.0 * mass * first * second;
    store<f64>(f, -weight * s * c);
    return weight * s * s;
  }
  if (system == QUARTIC) {
    store<f64>(f, -first * x * x * x);
    return 0.25 * first * x * x * x * x;
  }
  if (system == DOUBLE_WELL) {
    store<f64>(f, x * (first - second * x * x));
    return x * x * (0.25 * second * x * x - 0.5 * first);
  }
  return planarForces(x, load<f64>(q, 8), f);
}

@inline function planarForces(x: f64, y: f64, f: usize): f64 {
  if (system == KEPLER) {
    const square = x * x + y * y, potential = -mass * first / sqrt(square), pull = potential / square;
    store<f64>(f, pull * x);
    store<f64>(f, pull * y, 8);
    return potential;
  }
  store<f64>(f, -x - 2.0 * first * x * y);
  store<f64>(f, -y - first * (x * x - y * y), 8);
  return 0.5 * (x * x + y * y) + first * y * (x * x - y * y / 3.0);
}

/** q += `drifting` p, forces, p += `kicking` f in one pass over a chain; returns V and leaves Σp² in `squares`. */
export function chainStage(q: usize, p: usize, f: usize, drifting: f64, kicking: f64): f64 {
  return chain(q, p, f, drifting, kicking, true);
}

/** Σp² after the last chainStage, with the bits of `kinetic`. */
export let squares: f64 = 0;

/** V of the springs' lengthenings d, per d². */
@inline function well(d: v128, half: v128, third: v128): v128 { return f64x2.add(half, f64x2.mul(third, d)); }
@inline function tension(d: v128, k: v128, alpha: v128): v128 { return f64x2.mul(d, f64x2.add(k, f64x2.mul(alpha, d))); }

/**
 * Two masses at a time, each spring once: a mass is pulled by the spring before it and pushed by the one behind it, which
 * is known one turn later. V lane by lane, so that no machine adds in another order.
 */
@inline function chain(q: usize, p: usize, f: usize, drifting: f64, kicking: f64, moving: bool): f64 {
  const k = f64x2.splat(first), alpha = f64x2.splat(second), half = f64x2.splat(0.5 * first), third = f64x2.splat(second / 3.0);
  const drift = f64x2.splat(drifting), kick = f64x2.splat(kicking), end = q + (<usize>(count & ~1) << 3);
  let here = f64x2.splat(0.0), pull = here, sum = here, motion = here, at = q, from = p, to = f;
  for (; at < end; at += 16, from += 16, to += 16) {
    let next = v128.load(at);
    if (moving) {
      next = f64x2.add(next, f64x2.mul(drift, v128.load(from)));
      v128.store(at, next);
    }
    const d = f64x2.sub(next, v128.shuffle<f64>(here, next, 1, 2)), push = tension(d, k, alpha);
    sum = f64x2.add(sum, f64x2.mul(f64x2.mul(d, d), well(d, half, third)));
    if (at > q) motion = closeTwo(to - 16, from - 16, pull, push, kick, motion, moving);
    here = next;
    pull = push;
  }
  let total = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1), last = f64x2.extract_lane(here, 1);
  let odd = f64x2.splat(0.0), alone = 0.0;
  if (count & 1) {
    alone = moving ? load<f64>(at) + drifting * load<f64>(from) : load<f64>(at);
    if (moving) store<f64>(at, alone);
    const d = f64x2.splat(alone - last);
    odd = tension(d, k, alpha);
    total += f64x2.extract_lane(f64x2.mul(f64x2.mul(d, d), well(d, half, third)), 0);
    last = alone;
  }
  const d = f64x2.splat(-last), fixed = tension(d, k, alpha);
  if (count > 1) motion = closeTwo(to - 16, from - 16, pull, count & 1 ? odd : fixed, kick, motion, moving);
  let moved = f64x2.extract_lane(motion, 0) + f64x2.extract_lane(motion, 1);
  if (count & 1) {
    const force = f64x2.extract_lane(fixed, 0) - f64x2.extract_lane(odd, 0);
    store<f64>(to, force);
    if (moving) {
      const momentum = load<f64>(from) + kicking * force;
      store<f64>(from, momentum);
      moved += momentum * momentum;
    }
  }
  if (moving) squares = moved;
  return total + f64x2.extract_lane(f64x2.mul(f64x2.mul(d, d), well(d, half, third)), 0);
}

/** Forces on two masses between the springs `pull` and, one further, `push`; their momenta, and Σp² with them. */
@inline function closeTwo(f: usize, p: usize, pull: v128, push: v128, kick: v128, motion: v128, moving: bool): v128 {
  const force = f64x2.sub(v128.shuffle<f64>(pull, push, 1, 2), pull);
  v128.store(f, force);
  if (!moving) return motion;
  const momentum = f64x2.add(v128.load(p), f64x2.mul(kick, force));
  v128.store(p, momentum);
  return f64x2.add(motion, f64x2.mul(momentum, momentum));
}

/** Σ p²/2μ. */
export function kinetic(p: usize): f64 {
  if (count == 1) return 0.5 * load<f64>(p) * load<f64>(p) / inertia;
  const end = p + (<usize>(count & ~1) << 3);
  let sum = f64x2.splat(0.0);
  for (let at = p; at < end; at += 16) { const x = v128.load(at); sum = f64x2.add(sum, f64x2.mul(x, x)); }
  let total = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  if (count & 1) total += load<f64>(end) * load<f64>(end);
  return 0.5 * total / inertia;
}

/** y += c x. */
export function addScaled(y: usize, c: f64, x: usize): void {
  if (count == 1) { store<f64>(y, load<f64>(y) + c * load<f64>(x)); return; }
  const end = y + (<usize>(count & ~1) << 3), factor = f64x2.splat(c);
  let from = x, at = y;
  for (; at < end; at += 16, from += 16) v128.store(at, f64x2.add(v128.load(at), f64x2.mul(factor, v128.load(from))));
  if (count & 1) store<f64>(at, load<f64>(at) + c * load<f64>(from));
}
