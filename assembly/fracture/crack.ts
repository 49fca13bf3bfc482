// What a straight crack costs on cells of width h, and where a crack lies. Without the kernel: discrete closed forms.

import { parameterF64 } from "../kernel/frame";

/** Damage from which on a node is on the path. */
const BROKEN: f64 = 0.95;

/**
 * Energy over G_c of the discrete profile between a broken node and a free end n cells away. AT2: d_j = cosh θ(n−j)/cosh θn
 * with 2 cosh θ the ratio of the stencil of linear elements; AT1: parabolas of second difference h²/2ℓ², down to zero, or
 * level at the end where they do not get so far.
 */
function halfProfile(n: i32, h: f64): f64 {
  const s = h / parameterF64(48), isAT1 = parameterF64(56) == 1.0;
  if (n <= 0) return 0.0;
  if (!isAT1) {
    const across = 1.0 / s - s / 6.0, own = 1.0 / s + s / 3.0, theta = Math.acosh(own / across);
    // Energy = ½ d₀ times the force at the broken node, half an element row: ½ (own − across d₁).
    return 0.5 * (own - across * Math.cosh(theta * <f64>(n - 1)) / Math.cosh(theta * <f64>n));
  }
  const c = 0.5 * s * s;
  const whole = <i32>((1.0 + sqrt(1.0 + 8.0 / c)) / 2.0);
  const last = min(n, whole), endsAtZero = 0.5 * c * <f64>n * <f64>n > 1.0;
  let sum = 0.0, before = 1.0;
  for (let j = 1; j <= last; j++) {
    const x = <f64>j;
    const d = endsAtZero ? 1.0 - x / <f64>whole - 0.5 * c * x * (<f64>whole - x) : 1.0 - 0.5 * c * x * (2.0 * <f64>n - x);
    const inside = max(d, 0.0);
    sum += 0.5 * s * (before + inside) + (before - inside) * (before - inside) / s;
    before = inside;
  }
  return 0.375 * sum;
}

/**
 * γ_h of a crack at height y, whose row of nodes is broken: the profiles on both sides, and between two rows, if y lies in
 * the middle of them, a row of broken cells.
 */
export function crackWidth(h: f64, Ly: f64, y: f64): f64 {
  const at = y / h, low = <i32>Math.ceil(at - 0.5 - 1e-9), high = <i32>Math.floor(at + 0.5 + 1e-9), cells = <i32>Math.round(Ly / h);
  const own = <f64>(high - low) * h / parameterF64(48) / (parameterF64(56) == 1.0 ? 8.0 / 3.0 : 2.0);
  return own + halfProfile(low, h) + halfProfile(cells - high, h);
}

/** Height of the ridge of d in column i, where it is broken, by the parabola through the highest nodes; else −1. */
export function pathAt(d: usize, N: i32, M: i32, h: f64, i: i32): f64 {
  let first = -1, last = -1, most = BROKEN;
  for (let j = 0; j <= M; j++) {
    const here = load<f64>(d + (<usize>(j * (N + 1) + i) << 3));
    if (here > most || (here == most && first < 0)) { most = here; first = j; last = j; } else if (here == most && j == last + 1) last = j;
  }
  if (first < 0) return -1.0;
  if (last > first || first == 0 || first == M) return 0.5 * <f64>(first + last) * h;
  const below = load<f64>(d + (<usize>((first - 1) * (N + 1) + i) << 3)), above = load<f64>(d + (<usize>((first + 1) * (N + 1) + i) << 3));
  return (<f64>first + 0.5 * (above - below) / ((most - below) + (most - above))) * h;
}
