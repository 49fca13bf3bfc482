// The discrete energy of leapfrog between two times, ½‖δ_t u‖² + ½K⟨∇u⁺, ∇u⟩ over the box, and what changes it: at an
// absorbing side K u_t ∂u/∂ν by central differences, the source's work f u_t, the loss s u_t². By summation by parts
// these balance to rounding at every step (Cohen, Higher-Order Numerical Methods for Transient Wave Equations, §5.2).

import { shareOf } from "../grid/axis";
import { fillGhosts, nodeAt, rowAt } from "../grid/field";
import { K, absorbs, boxX, boxY, dt, dx, dy, ex, nx, ny, ox, oy, rhoAt, sigmaOf, x } from "./problem";

export function energyOf(later: usize, earlier: usize): f64 {
  let inertia = 0.0, along = 0.0, across = 0.0;
  for (let j = 0; j <= ny; j++) {
    const a = nodeAt(later, ex, ox, j + oy), b = nodeAt(earlier, ex, ox, j + oy), sy = shareOf(boxY, j);
    for (let i = 0; i <= nx; i++) {
      const k = <usize>i << 3, v = (load<f64>(a + k) - load<f64>(b + k)) / dt;
      inertia += sy * shareOf(boxX, i) * rhoAt(i, j) * v * v;
      if (i < nx) along += sy * (load<f64>(a + k, 8) - load<f64>(a + k)) * (load<f64>(b + k, 8) - load<f64>(b + k));
      if (j < ny) across += shareOf(boxX, i) * stepUp(a + k) * stepUp(b + k);
    }
  }
  return 0.5 * dx * dy * (inertia + K * (along / (dx * dx) + across / (dy * dy)));
}

@inline function stepUp(at: usize): f64 { return load<f64>(at + rowAt(0, ex, 1) - rowAt(0, ex, 0)) - load<f64>(at); }

/** What came in over this step through the sides of row j, whose u before was `was`. */
export function inflowOfRow(next: usize, row: usize, was: usize, j: i32): f64 {
  let sum = 0.0;
  const low = <usize>ox << 3, high = <usize>(ox + nx) << 3;
  if (absorbs(0)) sum += (load<f64>(next + low) - load<f64>(was + low)) * (load<f64>(row + low - 8) - load<f64>(row + low, 8));
  if (absorbs(1)) sum += (load<f64>(next + high) - load<f64>(was + high)) * (load<f64>(row + high, 8) - load<f64>(row + high - 8));
  return 0.25 * K * dy / dx * shareOf(boxY, j) * sum;
}

/** The same through bottom or top: `inner` and `outer` are the rows on either side of it. */
export function inflowOfEdge(next: usize, was: usize, inner: usize, outer: usize): f64 {
  let sum = 0.0;
  for (let i = 0; i <= nx; i++) {
    const k = <usize>(i + ox) << 3;
    sum += shareOf(boxX, i) * (load<f64>(next + k) - load<f64>(was + k)) * (load<f64>(outer + k) - load<f64>(inner + k));
  }
  return 0.25 * K * dx / dy * sum;
}

/** Loss to σ in row j of the box over this step. */
export function lossOfRow(next: usize, was: usize, j: i32): f64 {
  let sum = 0.0;
  for (let i = 0; i <= nx; i++) {
    const k = <usize>(i + ox) << 3, change = load<f64>(next + k) - load<f64>(was + k);
    sum += shareOf(boxX, i) * sigmaOf(i, j) * change * change;
  }
  return 0.25 * dx * dy / dt * shareOf(boxY, j) * sum;
}
