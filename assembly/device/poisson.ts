// Equilibrium of a device in one dimension: λ²u″ = 2 sinh u − C with u = ψ/V_t, on control volumes, by Newton's method
// and Thomas' algorithm (Selberherr, Analysis and Simulation of Semiconductor Devices, §2.1, 5.1).

import { Mesh } from "./mesh";
import { lambda2 } from "./problem";

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** A step of Newton longer than this is shortened to it, as a whole: e^u must not run away. */
const LONGEST: f64 = 8.0;

/** One iteration on the inner nodes of u; the largest update. `upper`, `y`: scratch of n + 1 f64. */
export function poissonIteration(n: i32, u: usize, upper: usize, y: usize): f64 {
  put(upper, 0, 0.0); put(y, 0, 0.0);
  for (let i = 1; i < n; i++) {
    const ui = at(u, i), left = Mesh.width(i - 1), right = Mesh.width(i), w = 0.5 * (left + right);
    const a = lambda2 / left, c = lambda2 / right, up = Math.exp(ui), down = 1.0 / up;
    const residual = c * (at(u, i + 1) - ui) - a * (ui - at(u, i - 1)) + w * (down - up) + Mesh.doping(i);
    const pivot = -(a + c) - w * (up + down) - a * at(upper, i - 1);
    put(upper, i, c / pivot);
    put(y, i, (-residual - a * at(y, i - 1)) / pivot);
  }
  let most = 0.0;
  for (let i = n - 1, next = 0.0; i > 0; i--) {
    next = at(y, i) - at(upper, i) * next;
    put(y, i, next);
    if (!(abs(next) <= most)) most = abs(next);
  }
  const share = most > LONGEST ? LONGEST / most : 1.0;
  for (let i = 1; i < n; i++) put(u, i, at(u, i) + share * at(y, i));
  return most;
}
