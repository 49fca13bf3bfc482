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
  if (system == FPUT) return chainForces(q, f);
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

/** Two masses at a time; V lane by lane, so that no machine adds in another order. */
function chainForces(q: usize, f: usize): f64 {
  const k = f64x2.splat(first), alpha = f64x2.splat(second), half = f64x2.splat(0.5), third = f64x2.splat(1.0 / 3.0);
  const end = q + (<usize>(count & ~1) << 3);
  let sum = f64x2.splat(0.0), to = f;
  for (let at = q; at < end; at += 16, to += 16) {
    const here = v128.load(at);
    const before = f64x2.sub(here, v128.load(at - 8)), after = f64x2.sub(v128.load(at + 8), here);
    const beforeSquared = f64x2.mul(before, before);
    const pull = f64x2.add(f64x2.mul(k, before), f64x2.mul(alpha, beforeSquared));
    const push = f64x2.add(f64x2.mul(k, after), f64x2.mul(alpha, f64x2.mul(after, after)));
    v128.store(to, f64x2.sub(push, pull));
    const well = f64x2.add(f64x2.mul(half, k), f64x2.mul(third, f64x2.mul(alpha, before)));
    sum = f64x2.add(sum, f64x2.mul(beforeSquared, well));
  }
  let total = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
  if (count & 1) {
    const before = load<f64>(end) - load<f64>(end - 8), after = -load<f64>(end);
    store<f64>(to, after * (first + second * after) - before * (first + second * before));
    total += before * before * (0.5 * first + second * before / 3.0);
  }
  const last = -load<f64>(q + (<usize>(count - 1) << 3));
  return total + last * last * (0.5 * first + second * last / 3.0);
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
