// Drift and diffusion of electrons and holes in one dimension, coupled with Poisson's equation: one iteration of
// Newton's method in (n, p, u) at once (Selberherr, Analysis and Simulation of Semiconductor Devices, §6.1, 7.1;
// Scharfetter and Gummel, IEEE Trans. Electron Devices 16 (1969) 64). With Δ = u_{i+1} − u_i and B Bernoulli's function,
//
//   F = [n_{i+1} B(Δ) − n_i B(−Δ)]/h,  J_n = q n_i V_t µ_n F        G = [p_{i+1} B(−Δ) − p_i B(Δ)]/h,  J_p = −q n_i V_t µ_p G
//   µ_n V_t (F_r − F_l) = w R        µ_p V_t (G_r − G_l) = w R        λ²(u_r′ − u_l′) + w (p − n) + C = 0
//
// A leakage is the difference of currents 10¹⁵ times as large, more than two numbers of 53 bits can say. So the steps α and
// β of the quasi-Fermi potentials φ_n = u − ln n and φ_p = u + ln p over each cell are kept beside n and p: with
// n_{i+1} B(Δ) = n_i B(−Δ) e^(−α) F is n_i B(−Δ) (e^(−α) − 1)/h, exact to its last bits however small. Elimination keeps
// them too: it carries how the fluxes of a cell answer to the node on its right, a conductance that is never had as a
// difference of larger ones, since in x = (δφ_n, δφ_p, δu) a flux has δF = T_0 δφ_l − T_1 δφ_r + F(k_r δu_r − k_l δu_l),
// T_0 = n_l B(−Δ)/h, T_1 = n_r B(Δ)/h, k_l = (1 − B(−Δ))/Δ, k_r = 1 + k_l. Carriers above n_i are multiplied by
// e^(δu − δφ), fewer ones by 1 + δu − δφ, in which the equations are linear.

import { bernoulli } from "./bernoulli";
import { Mesh } from "./mesh";
import { CHARGE, Vt, lambda2, ni } from "./problem";

/** Bytes of scratch per node: Y and y of x_i = Y x_{i+1} − y, by rows, then Y_00 − 1 and Y_11 − 1. */
export const BLOCK: usize = 112;
/** A step of u longer than this is shortened. */
const LONGEST: f64 = 8.0;

let electrons: f64 = 0, holes: f64 = 0, electronLife: f64 = 0, holeLife: f64 = 0, recombines: bool = false;

/** Mobilities [m²/(V s)] and lifetimes [s]. */
export function openTransport(mun: f64, mup: f64, taun: f64, taup: f64, srh: bool): void {
  electrons = mun * Vt; holes = mup * Vt; electronLife = taun; holeLife = taup; recombines = srh;
}

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** Where u, n and p of the nodes stand, and α and β of the cells. */
let us: usize = 0, electronsAt: usize = 0, holesAt: usize = 0, alphasAt: usize = 0, betasAt: usize = 0;

/** Five columns of n + 1 f64: u, n, p, α, β. */
export function layCarriers(columns: usize, n: i32): void {
  const column = <usize>(n + 1) << 3;
  us = columns; electronsAt = us + column; holesAt = electronsAt + column; alphasAt = holesAt + column; betasAt = alphasAt + column;
}

// ---- fluxes through a cell -------------------------------------------------------------------------------

/** (1 − B(−d))/d, of c = B(−d). */
@inline function slopeOf(d: f64, c: f64): f64 {
  const s = d * d;
  return s > 0.0025 ? (1.0 - c) / d : -0.5 - d * (1.0 / 12.0 - s * (1.0 / 720.0 - s / 30240.0));
}

/** e^x − 1 times `from`; `to` − `from` where they differ much. */
@inline function grownBy(x: f64, from: f64, to: f64): f64 {
  const size = abs(x);
  if (size > 0.25) return to - from;
  if (size > 0.05) return from * Math.expm1(x);
  // The next term is x⁸/362880 of the first.
  return from * (x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0 + x * (1.0 / 720.0 + x * (1.0 / 5040.0 + x / 40320.0))))))));
}

// ---- an iteration ----------------------------------------------------------------------------------------

/** The left contact's u becomes `to`, which all of the first cell's potentials bridge. */
export function moveContact(to: f64): void {
  const by = to - at(us, 0);
  put(us, 0, to);
  put(alphasAt, 0, at(alphasAt, 0) - by);
  put(betasAt, 0, at(betasAt, 0) - by);
}

/** One iteration on the inner nodes; the largest of the relative updates. `blocks`: (n + 1) × BLOCK bytes. */
export function transportIteration(n: i32, blocks: usize): f64 {
  eliminate(n, blocks);
  return substitute(n, blocks);
}

function eliminate(n: i32, blocks: usize): void {
  const u = us, ns = electronsAt, ps = holesAt, alphas = alphasAt, betas = betasAt, srh = recombines, tn = electronLife, tp = holeLife;
  const Dn = electrons, Dp = holes, square = lambda2;
  let h = Mesh.width(0), over = 1.0 / h, d = at(u, 1) - at(u, 0), stiff = square * over, field = stiff * d;
  let least = bernoulli(d), b = d < 0.0 ? least - d : least, c = d > 0.0 ? least + d : least, en = Dn * over, ep = Dp * over;
  // What the left and the right node of a cell bring to F and G.
  let n0 = en * at(ns, 0) * c, p0 = ep * at(ps, 0) * b;
  let Fl = grownBy(-at(alphas, 0), n0, en * at(ns, 1) * b), Gl = grownBy(at(betas, 0), p0, ep * at(ps, 1) * c);
  let n1 = n0 + Fl, p1 = p0 + Gl, kl = slopeOf(d, c);
  // Fluxes of the left cell answer q x + t to the node on its right.
  let q00 = -n1, q01 = 0.0, q02 = Fl * (1.0 + kl), q10 = 0.0, q11 = p1, q12 = Gl * kl, q20 = 0.0, q21 = 0.0, q22 = stiff;
  let t0 = 0.0, t1 = 0.0, t2 = 0.0;
  for (let i = 1, block = blocks + BLOCK; i < n; i++, block += BLOCK) {
    const left = h, fieldBelow = field, electron = at(ns, i), hole = at(ps, i);
    h = Mesh.width(i); d = at(u, i + 1) - at(u, i);
    over = 1.0 / h; stiff = square * over; field = stiff * d;
    least = bernoulli(d); b = d < 0.0 ? least - d : least; c = d > 0.0 ? least + d : least; en = Dn * over; ep = Dp * over;
    n0 = en * electron * c; p0 = ep * hole * b;
    const F = grownBy(-at(alphas, i), n0, en * at(ns, i + 1) * b), G = grownBy(at(betas, i), p0, ep * at(ps, i + 1) * c);
    n1 = n0 + F; p1 = p0 + G; kl = slopeOf(d, c);
    const w = 0.5 * (left + h), wn = w * electron, wp = w * hole;
    let R = 0.0, Rn = 0.0, Rp = 0.0, Ru = 0.0;
    if (srh) {
      const slow = 1.0 / (tp * (electron + 1.0) + tn * (hole + 1.0));
      R = w * (electron * hole - 1.0) * slow;
      Rn = electron * slow * (wp - R * tp);
      Rp = hole * slow * (wn - R * tn);
      Ru = R * slow * (tn * hole - tp * electron);
    }
    // Beyond the node they are z x − …: what recombines and the charge are added.
    const z00 = q00 - Rn, z01 = q01 + Rp, z02 = q02 + Ru, z10 = q10 - Rn, z11 = q11 + Rp, z12 = q12 + Ru;
    const z20 = q20 - wn, z21 = q21 - wp, z22 = q22 + wn + wp;
    const r0 = t0 - (F - Fl - R), r1 = t1 - (G - Gl - R), r2 = t2 - (field - fieldBelow + wp - wn + Mesh.doping(i));
    Fl = F; Gl = G;
    const left02 = F * kl, left12 = G * (1.0 + kl), right02 = F * (1.0 + kl), right12 = G * kl;
    // D = z + M_l = LU; right-hand sides: the three columns of M_r, and r.
    const d02 = z02 + left02, i0 = 1.0 / (z00 - n0), m1 = z10 * i0, m2 = z20 * i0;
    const d11 = z11 + p0 - m1 * z01, d12 = z12 + left12 - m1 * d02, i1 = 1.0 / d11;
    const m3 = (z21 - m2 * z01) * i1, i2 = 1.0 / (z22 + stiff - m2 * d02 - m3 * d12);
    const a10 = m1 * n1, a20 = m2 * n1 - m3 * a10, a21 = -m3 * p1;
    const a12 = right12 - m1 * right02, a22 = stiff - m2 * right02 - m3 * a12;
    const s1 = r1 - m1 * r0, s2 = r2 - m2 * r0 - m3 * s1;
    const y20 = a20 * i2, y21 = a21 * i2, y22 = a22 * i2, y2 = s2 * i2;
    const y10 = (a10 - d12 * y20) * i1, y11 = (p1 - d12 * y21) * i1, y12 = (a12 - d12 * y22) * i1, y1 = (s1 - d12 * y2) * i1;
    const y00 = (-n1 - z01 * y10 - d02 * y20) * i0, y01 = (-z01 * y11 - d02 * y21) * i0;
    const y02 = (right02 - z01 * y12 - d02 * y22) * i0, y0 = (r0 - z01 * y1 - d02 * y2) * i0;
    store<f64>(block, y00); store<f64>(block, y01, 8); store<f64>(block, y02, 16);
    store<f64>(block, y10, 24); store<f64>(block, y11, 32); store<f64>(block, y12, 40);
    store<f64>(block, y20, 48); store<f64>(block, y21, 56); store<f64>(block, y22, 64);
    store<f64>(block, y0, 72); store<f64>(block, y1, 80); store<f64>(block, y2, 88);
    store<f64>(block, (-F - z00 - z01 * y10 - d02 * y20) * i0, 96);
    store<f64>(block, (G - z11 + m1 * z01 - d12 * y21) * i1, 104);
    // q = z Y and t = M_l y: products alone.
    q00 = z00 * y00 + z01 * y10 + z02 * y20; q01 = z00 * y01 + z01 * y11 + z02 * y21; q02 = z00 * y02 + z01 * y12 + z02 * y22;
    q10 = z10 * y00 + z11 * y10 + z12 * y20; q11 = z10 * y01 + z11 * y11 + z12 * y21; q12 = z10 * y02 + z11 * y12 + z12 * y22;
    q20 = z20 * y00 + z21 * y10 + z22 * y20; q21 = z20 * y01 + z21 * y11 + z22 * y21; q22 = z20 * y02 + z21 * y12 + z22 * y22;
    t0 = left02 * y2 - n0 * y0; t1 = p0 * y1 + left12 * y2; t2 = stiff * y2;
  }
}

/** A relative update that keeps a density positive: 1 + s, and its mirror image 1/(1 − s) below 0. */
@inline function grown(density: f64, s: f64): f64 { return s < 0.0 ? density / (1.0 - s) : density * (1.0 + s); }

/** eˢ. */
@inline function risen(s: f64): f64 {
  return abs(s) > 1e-3 ? Math.exp(s) : 1.0 + s * (1.0 + s * (0.5 + s * (1.0 / 6.0 + s * (1.0 / 24.0 + s / 120.0))));
}

/** s less the logarithm of what a density is multiplied by; 0 where that is rounding, for the sake of differences. */
@inline function bend(s: f64): f64 {
  const size = abs(s);
  if (size < 1e-8) return 0.0;
  let rest: f64;
  if (size > 0.1) rest = size - Math.log1p(size);
  else {
    // ln(1 + s) = 2 artanh t, whose next term is t¹²/13 of the first.
    const t = size / (2.0 + size), q = t * t;
    rest = size - 2.0 * t * (1.0 + q * (1.0 / 3.0 + q * (0.2 + q * (1.0 / 7.0 + q * (1.0 / 9.0 + q / 11.0)))));
  }
  return s < 0.0 ? -rest : rest;
}

/** Steps of x over the cells are had as such, not as differences; nor is x, where little is left of it, had as a sum. */
function substitute(count: i32, blocks: usize): f64 {
  const u = us, ns = electronsAt, ps = holesAt, alphas = alphasAt, betas = betasAt;
  let a = 0.0, b = 0.0, c = 0.0, most = 0.0, nextN = 0.0, nextP = 0.0;
  for (let i = count - 1; i > 0; i--) {
    const y = blocks + <usize>i * BLOCK;
    const restN = load<f64>(y, 8) * b + load<f64>(y, 16) * c - load<f64>(y, 72);
    const restP = load<f64>(y, 24) * a + load<f64>(y, 40) * c - load<f64>(y, 80);
    const stepN = load<f64>(y, 96) * a + restN, stepP = load<f64>(y, 104) * b + restP;
    c = load<f64>(y, 48) * a + load<f64>(y, 56) * b + load<f64>(y, 64) * c - load<f64>(y, 88);
    a = load<f64>(y) * a + restN; b = load<f64>(y, 32) * b + restP;
    const sn = c - a, sp = b - c;
    if (!(abs(c) <= most)) most = abs(c);
    if (!(abs(sn) <= most)) most = abs(sn);
    if (!(abs(sp) <= most)) most = abs(sp);
    const step = c > LONGEST ? LONGEST : c < -LONGEST ? -LONGEST : c, short = step - c, n = at(ns, i), p = at(ps, i);
    // Carriers that are many follow their potential, lest a bend of it drive currents into a piece that nothing connects.
    const followsN = n > 1.0 && abs(sn) <= LONGEST, followsP = p > 1.0 && abs(sp) <= LONGEST;
    const moreN = followsN ? 0.0 : short + bend(sn), moreP = followsP ? 0.0 : short - bend(sp);
    put(ns, i, followsN ? n * risen(sn + short) : grown(n, sn));
    put(ps, i, followsP ? p * risen(sp - short) : grown(p, sp));
    put(u, i, at(u, i) + step);
    put(alphas, i, at(alphas, i) + ((nextN - moreN) - stepN));
    put(betas, i, at(betas, i) + ((nextP - moreP) - stepP));
    nextN = moreN; nextP = moreP;
  }
  put(alphas, 0, at(alphas, 0) + (a + nextN));
  put(betas, 0, at(betas, 0) + (b + nextP));
  return most;
}

/** J at the cell where its parts are smallest [A/m²]. */
export function current(n: i32): f64 {
  let best = Infinity, J = 0.0;
  for (let i = 0; i < n; i++) {
    const d = at(us, i + 1) - at(us, i), least = bernoulli(d), b = least + max(0.0, -d), c = least + max(0.0, d), h = Mesh.width(i);
    const n0 = electrons / h * at(electronsAt, i) * c, n1 = electrons / h * at(electronsAt, i + 1) * b;
    const p0 = holes / h * at(holesAt, i) * b, p1 = holes / h * at(holesAt, i + 1) * c;
    if (!(n0 + n1 + p0 + p1 < best)) continue;
    best = n0 + n1 + p0 + p1;
    J = CHARGE * ni * (grownBy(-at(alphasAt, i), n0, n1) - grownBy(at(betasAt, i), p0, p1));
  }
  return J;
}
