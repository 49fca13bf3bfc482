// Drift and diffusion of electrons and holes in one dimension, coupled with Poisson's equation: one iteration of
// Newton's method in (n, p, u) at once (Selberherr, Analysis and Simulation of Semiconductor Devices, §6.1, 7.1;
// Scharfetter and Gummel, IEEE Trans. Electron Devices 16 (1969) 64). With Δ = u_{i+1} − u_i and B Bernoulli's function,
//
//   F = [n_{i+1} B(Δ) − n_i B(−Δ)]/h,  J_n = q n_i V_t µ_n F        G = [p_{i+1} B(−Δ) − p_i B(Δ)]/h,  J_p = −q n_i V_t µ_p G
//   µ_n V_t (F_r − F_l) = w R        µ_p V_t (G_r − G_l) = w R        λ²(u_r′ − u_l′) + w (p − n) + C = 0
//
// Columns are scaled by n and p: unknowns are δn/n, δp/p, δu. Blocks of 3 × 3 are eliminated in the order n, p, u, each
// of whose pivots has the sign of its diagonal, so that no rows are exchanged.

import { bernoulli, bernoulliSlope } from "./bernoulli";
import { Mesh } from "./mesh";
import { CHARGE, Vt, lambda2, ni } from "./problem";

/** Bytes of scratch per node: X = D⁻¹U by rows, y. */
export const BLOCK: usize = 96;
/** A step of u longer than this is shortened. */
const LONGEST: f64 = 8.0;

let electrons: f64 = 0, holes: f64 = 0, electronLife: f64 = 0, holeLife: f64 = 0, recombines: bool = false;

/** Mobilities [m²/(V s)] and lifetimes [s]. */
export function openTransport(mun: f64, mup: f64, taun: f64, taup: f64, srh: bool): void {
  electrons = mun * Vt; holes = mup * Vt; electronLife = taun; holeLife = taup; recombines = srh;
}

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** One iteration on the inner nodes; the largest of the relative updates. `blocks`: (n + 1) × BLOCK bytes. */
export function transportIteration(n: i32, u: usize, ns: usize, ps: usize, blocks: usize): f64 {
  memory.fill(blocks, 0, BLOCK);
  eliminate(n, u, ns, ps, blocks);
  return substitute(n, u, ns, ps, blocks);
}

function eliminate(n: i32, u: usize, ns: usize, ps: usize, blocks: usize): void {
  let h = Mesh.width(0), d = at(u, 1) - at(u, 0), least = bernoulli(d);
  let b = least + max(0.0, -d), c = least + max(0.0, d), s = bernoulliSlope(d, b, c);
  // Of the left edge: what its left and its right node bring to F and G, their slopes in Δ, and u′.
  let n0 = electrons * at(ns, 0) * c / h, n1 = electrons * at(ns, 1) * b / h;
  let p0 = holes * at(ps, 0) * b / h, p1 = holes * at(ps, 1) * c / h;
  let nSlope = electrons * (at(ns, 1) * s - at(ns, 0) * (1.0 + s)) / h;
  let pSlope = holes * (at(ps, 1) * (1.0 + s) - at(ps, 0) * s) / h;
  let stiff = lambda2 / h, field = stiff * d;
  for (let i = 1, block = blocks + BLOCK; i < n; i++, block += BLOCK) {
    const left = h, nl0 = n0, nl1 = n1, pl0 = p0, pl1 = p1, nlSlope = nSlope, plSlope = pSlope, below = stiff, fieldBelow = field;
    const electron = at(ns, i), hole = at(ps, i), nextN = at(ns, i + 1), nextP = at(ps, i + 1);
    h = Mesh.width(i); d = at(u, i + 1) - at(u, i); least = bernoulli(d);
    b = least + max(0.0, -d); c = least + max(0.0, d); s = bernoulliSlope(d, b, c);
    const en = electrons / h, ep = holes / h;
    n0 = en * electron * c; n1 = en * nextN * b;
    p0 = ep * hole * b; p1 = ep * nextP * c;
    nSlope = en * (nextN * s - electron * (1.0 + s));
    pSlope = ep * (nextP * (1.0 + s) - hole * s);
    stiff = lambda2 / h; field = stiff * d;
    const w = 0.5 * (left + h);
    let R = 0.0, Rn = 0.0, Rp = 0.0;
    if (recombines) {
      const excess = electron * hole - 1.0, slow = 1.0 / (holeLife * (electron + 1.0) + electronLife * (hole + 1.0));
      R = w * excess * slow;
      Rn = electron * slow * (w * hole - R * holeLife);
      Rp = hole * slow * (w * electron - R * electronLife);
    }
    // Residuals, then what the block to the left leaves of them and of D.
    const x = block - BLOCK, y0 = load<f64>(x, 72), y1 = load<f64>(x, 80), y2 = load<f64>(x, 88);
    let r0 = -(n1 - n0 - nl1 + nl0 - R) - nl0 * y0 - nlSlope * y2;
    let r1 = -(p1 - p0 - pl1 + pl0 - R) - pl0 * y1 - plSlope * y2;
    let r2 = -(field - fieldBelow + w * (hole - electron) + Mesh.doping(i)) - below * y2;
    const d00 = -n0 - nl1 - Rn - nl0 * load<f64>(x) - nlSlope * load<f64>(x, 48);
    const d01 = -Rp - nl0 * load<f64>(x, 8) - nlSlope * load<f64>(x, 56);
    const d02 = -nSlope - nlSlope - nl0 * load<f64>(x, 16) - nlSlope * load<f64>(x, 64);
    const d10 = -Rn - pl0 * load<f64>(x, 24) - plSlope * load<f64>(x, 48);
    let d11 = -p0 - pl1 - Rp - pl0 * load<f64>(x, 32) - plSlope * load<f64>(x, 56);
    let d12 = -pSlope - plSlope - pl0 * load<f64>(x, 40) - plSlope * load<f64>(x, 64);
    const d20 = -w * electron - below * load<f64>(x, 48);
    let d21 = w * hole - below * load<f64>(x, 56);
    let d22 = -stiff - below - below * load<f64>(x, 64);
    // D = LU, right-hand sides: the three columns of U, and r.
    const i0 = 1.0 / d00, m1 = d10 * i0, m2 = d20 * i0;
    d11 -= m1 * d01; d12 -= m1 * d02; r1 -= m1 * r0;
    d21 -= m2 * d01; d22 -= m2 * d02; r2 -= m2 * r0;
    const i1 = 1.0 / d11, m3 = d21 * i1;
    d22 -= m3 * d12; r2 -= m3 * r1;
    const i2 = 1.0 / d22;
    const a10 = -m1 * n1, a20 = -m2 * n1 - m3 * a10, a21 = -m3 * p1;
    const a12 = pSlope - m1 * nSlope, a22 = stiff - m2 * nSlope - m3 * a12;
    const x20 = a20 * i2, x21 = a21 * i2, x22 = a22 * i2, z2 = r2 * i2;
    const x10 = (a10 - d12 * x20) * i1, x11 = (p1 - d12 * x21) * i1, x12 = (a12 - d12 * x22) * i1, z1 = (r1 - d12 * z2) * i1;
    store<f64>(block, (n1 - d01 * x10 - d02 * x20) * i0);
    store<f64>(block, (-d01 * x11 - d02 * x21) * i0, 8);
    store<f64>(block, (nSlope - d01 * x12 - d02 * x22) * i0, 16);
    store<f64>(block, x10, 24); store<f64>(block, x11, 32); store<f64>(block, x12, 40);
    store<f64>(block, x20, 48); store<f64>(block, x21, 56); store<f64>(block, x22, 64);
    store<f64>(block, (r0 - d01 * z1 - d02 * z2) * i0, 72);
    store<f64>(block, z1, 80); store<f64>(block, z2, 88);
  }
}

/** A relative update that keeps a density positive: 1 + s, and its mirror image 1/(1 − s) below 0. */
@inline function grown(density: f64, s: f64): f64 { return s < 0.0 ? density / (1.0 - s) : density * (1.0 + s); }

function substitute(n: i32, u: usize, ns: usize, ps: usize, blocks: usize): f64 {
  let a = 0.0, b = 0.0, c = 0.0, most = 0.0;
  for (let i = n - 1; i > 0; i--) {
    const x = blocks + <usize>i * BLOCK, a1 = a, b1 = b, c1 = c;
    a = load<f64>(x, 72) - load<f64>(x) * a1 - load<f64>(x, 8) * b1 - load<f64>(x, 16) * c1;
    b = load<f64>(x, 80) - load<f64>(x, 24) * a1 - load<f64>(x, 32) * b1 - load<f64>(x, 40) * c1;
    c = load<f64>(x, 88) - load<f64>(x, 48) * a1 - load<f64>(x, 56) * b1 - load<f64>(x, 64) * c1;
    const size = max(abs(c), max(abs(a), abs(b)));
    if (!(size <= most)) most = size;
    put(ns, i, grown(at(ns, i), a));
    put(ps, i, grown(at(ps, i), b));
    put(u, i, at(u, i) + max(-LONGEST, min(LONGEST, c)));
  }
  return most;
}

/** J at the edge where its parts are smallest and so rounded least [A/m²]. */
export function current(n: i32, u: usize, ns: usize, ps: usize): f64 {
  let best = Infinity, J = 0.0;
  for (let i = 0; i < n; i++) {
    const d = at(u, i + 1) - at(u, i), least = bernoulli(d), b = least + max(0.0, -d), c = least + max(0.0, d), h = Mesh.width(i);
    const n0 = electrons * at(ns, i) * c / h, n1 = electrons * at(ns, i + 1) * b / h;
    const p0 = holes * at(ps, i) * b / h, p1 = holes * at(ps, i + 1) * c / h;
    if (!(n0 + n1 + p0 + p1 < best)) continue;
    best = n0 + n1 + p0 + p1;
    J = CHARGE * ni * ((n1 - n0) - (p1 - p0));
  }
  return J;
}
