// Absorbing sides: a perfectly matched layer in second-order form (M. Grote, I. Sim, arXiv:1001.0319, eq. 3.7),
//
//   ρ[u_tt + (ζ₁+ζ₂)u_t + ζ₁ζ₂u] + s[u_t + (ζ₁+ζ₂)u] = K∇²u + ∇·φ + f,
//   ∂φ₁/∂t = −ζ₁φ₁ + K(ζ₂−ζ₁)∂u/∂x,   ∂φ₂/∂t = −ζ₂φ₂ + K(ζ₁−ζ₂)∂u/∂y,
//
// φ on the edges at half steps. It lies outside the box, whose nodes obey the bare equation. (With s, corners lack a
// term s ζ₁ζ₂∫u dt.) What a layer sends back is measured by the gate ‘layer’.

import { End, firstFree, isPeriodic, lastFree, lowerKind } from "../grid/axis";
import { copyRow, nodeAt, rowAt } from "../grid/field";
import { K, dt, dx, dy, ex, ey, nx, ny, ox, oy, rhoAt, sigmaOf, x, y, zetaAt } from "./problem";
import { gainAt } from "./stencil";

@inline function isBeside(j: i32): bool { return ey > 0 && (j < oy || j > oy + ny); }

/** ½∇·φ, less what damps u itself, added to the next u in the layers. */
export function pushLayers(next: usize, field: usize, phi1: usize, phi2: usize, damp: bool): void {
  for (let j = firstFree(y); j <= lastFree(y); j++) {
    if (isBeside(j)) { pushRow(next, field, phi1, phi2, j, firstFree(x), lastFree(x), damp); continue; }
    pushRow(next, field, phi1, phi2, j, firstFree(x), ox - 1, damp);
    pushRow(next, field, phi1, phi2, j, ox + nx + 1, lastFree(x), damp);
  }
  if (isPeriodic(x)) for (let j = 0; j <= ey; j++) store<f64>(nodeAt(next, ex, ex, j), load<f64>(nodeAt(next, ex, 0, j)));
}

function pushRow(next: usize, field: usize, phi1: usize, phi2: usize, j: i32, from: i32, to: i32, damp: bool): void {
  const zy = ey > 0 ? zetaAt(<f64>j, oy, ny) : 0.0;
  for (let i = from; i <= to; i++) {
    let force = 0.5 * divergence(phi1, phi2, i, j);
    if (damp) {
      const zx = zetaAt(<f64>i, ox, nx), bi = max(0, min(nx, i - ox)), bj = max(0, min(ny, j - oy));
      force -= (rhoAt(bi, bj) * zx * zy + sigmaOf(bi, bj) * (zx + zy)) * load<f64>(nodeAt(field, ex, i, j));
    }
    const at = nodeAt(next, ex, i, j);
    store<f64>(at, load<f64>(at) + gainAt(i, j) * force);
  }
}

/** Through a free end as much comes in as goes out. */
function divergence(phi1: usize, phi2: usize, i: i32, j: i32): f64 {
  const right = i < ex ? load<f64>(nodeAt(phi1, ex, i, j)) : -load<f64>(nodeAt(phi1, ex, ex - 1, j));
  const left = i > 0 ? load<f64>(nodeAt(phi1, ex, i - 1, j)) : lowerKind(x) == End.PERIODIC ? load<f64>(nodeAt(phi1, ex, ex - 1, j)) : -right;
  const along = (right - left) / dx;
  if (ey == 0) return along;
  const over = j < ey ? load<f64>(nodeAt(phi2, ex, i, j)) : -load<f64>(nodeAt(phi2, ex, i, ey - 1));
  const under = j > 0 ? load<f64>(nodeAt(phi2, ex, i, j - 1)) : lowerKind(y) == End.PERIODIC ? load<f64>(nodeAt(phi2, ex, i, ey - 1)) : -over;
  return along + (over - under) / dy;
}

/** φ over one step, by the u in its middle. */
export function turnLayers(field: usize, phi1: usize, phi2: usize): void {
  for (let j = 0; j <= ey; j++) {
    const row = rowAt(field, ex, j), beside = isBeside(j), zy = ey > 0 ? zetaAt(<f64>j, oy, ny) : 0.0;
    for (let i = 0; i < ex; i++) {
      if (!beside && i == ox) i = min(ex, ox + nx);
      if (i >= ex) break;
      const k = <usize>i << 3, zx = zetaAt(<f64>i + 0.5, ox, nx);
      turn(rowAt(phi1, ex, j) + k, zx, zy, (load<f64>(row + k, 8) - load<f64>(row + k)) / dx);
    }
    if (j == ey) break;
    const between = j < oy || j >= oy + ny, zb = zetaAt(<f64>j + 0.5, oy, ny), over = rowAt(field, ex, j + 1);
    for (let i = 0; i <= ex; i++) {
      if (!between && i == ox) i = ox + nx + 1;
      if (i > ex) break;
      const k = <usize>i << 3;
      turn(rowAt(phi2, ex, j) + k, zb, zetaAt(<f64>i, ox, nx), (load<f64>(over + k) - load<f64>(row + k)) / dy);
    }
  }
}

/** Crank–Nicolson in its own ζ. */
@inline function turn(at: usize, own: f64, other: f64, slope: f64): void {
  const h = 0.5 * dt * own;
  store<f64>(at, ((1.0 - h) * load<f64>(at) + dt * K * (other - own) * slope) / (1.0 + h));
}
