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
//
// Nodes are eliminated from both ends to the middle, in the two lanes of a vector: seen from its end the right half is a device
// like the left one, its nodes counted backwards, x and the steps over cells with the other sign. The factors of one stretch
// of nodes are kept. Where there are more stretches, what is carried into each of them is kept instead, and the others are
// eliminated a second time when their turn comes to be substituted.

import { dividedExps, dividedExpsNearZero, expm1s } from "../math/exp-lanes";
import { logs } from "../math/lanes";
import { against, along, findBernoulli, slope } from "./bernoulli";
import { CHARGE, Vt, lambda2, ni } from "./problem";

/** Nodes from each end whose factors are kept at once. */
const STRETCH: i32 = 512;
/** Bytes of a node's factors: Y and y of x_i = Y x_{i+1} − y, by rows, then Y_00 − 1 and Y_11 − 1, two lanes of each. */
const FACTORS: usize = 14 * 16;
/** Bytes of what is carried into a stretch: h, λ²u′, F and G of the cell before it, q and t, then u, n and p of its first nodes. */
const CARRY: usize = 19 * 16;

/** A step of u longer than this is shortened. */
const LONGEST: f64 = 8.0;

let electrons: f64 = 0, holes: f64 = 0, electronLife: f64 = 0, holeLife: f64 = 0, recombines: bool = false;

/** Mobilities [m²/(V s)] and lifetimes [s]. */
export function openTransport(mun: f64, mup: f64, taun: f64, taup: f64, srh: bool): void {
  electrons = mun * Vt; holes = mup * Vt; electronLife = taun; holeLife = taup; recombines = srh;
}

/** Cells; where u stands; how far behind it n, p, α, β, x and the doping do. */
let count: i32 = 0, us: usize = 0, toN: usize = 0, toP: usize = 0, toAlpha: usize = 0, toBeta: usize = 0, toX: usize = 0, toC: usize = 0;
let factors: usize = 0, carries: usize = 0;

/** Seven columns of n + 1 f64: u, n, p, α, β, x, and the doping of the nodes. */
export function layCarriers(columns: usize, n: i32): void {
  count = n; us = columns;
  toN = <usize>(n + 1) << 3; toP = 2 * toN; toAlpha = 3 * toN; toBeta = 4 * toN; toX = 5 * toN; toC = 6 * toN;
}

@inline function middleNode(): i32 { return count >> 1; }
@inline function stretches(): i32 { return max(1, (middleNode() - 1 + STRETCH - 1) / STRETCH); }
export function transportScratch(n: i32): usize {
  const inner = (n >> 1) - 1;
  return <usize>min(inner, STRETCH) * FACTORS + <usize>((inner + STRETCH - 1) / STRETCH + 1) * CARRY;
}
export function layScratch(at: usize): void {
  carries = at;
  factors = at + <usize>(stretches() + 1) * CARRY;
}

// ---- lanes -----------------------------------------------------------------------------------------------

const SIGNS: usize = memory.data<u64>([0, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000], 16);

@inline function plus(a: v128, b: v128): v128 { return f64x2.add(a, b); }
@inline function less(a: v128, b: v128): v128 { return f64x2.sub(a, b); }
@inline function times(a: v128, b: v128): v128 { return f64x2.mul(a, b); }
@inline function over(a: v128, b: v128): v128 { return f64x2.div(a, b); }
@inline function all(a: f64): v128 { return f64x2.splat(a); }
@inline function either(a: v128): bool { return v128.any_true(a); }
/** What the right half has with the other sign. */
@inline function mirrored(a: v128): v128 { return v128.xor(a, v128.load(SIGNS)); }
/** Of a column the numbers at `left` and `right`. */
@inline function ends(left: usize, right: usize): v128 { return v128.load64_lane(right, v128.load64_zero(left), 1); }
@inline function putEnds(left: usize, right: usize, value: v128): void {
  v128.store64_lane(left, value, 0);
  v128.store64_lane(right, value, 1);
}
@inline function kept(at: usize, k: usize): v128 { return v128.load(at + 16 * k); }
@inline function keep(at: usize, k: usize, value: v128): void { v128.store(at + 16 * k, value); }

// ---- fluxes through a cell -------------------------------------------------------------------------------

/** Of the cells found last, one from each end: h, λ²/h, λ²u′, what the node before brings to F and G, F and G. */
let width: v128 = f64x2.splat(0), stiff: v128 = f64x2.splat(0), field: v128 = f64x2.splat(0);
let n0: v128 = f64x2.splat(0), p0: v128 = f64x2.splat(0), F: v128 = f64x2.splat(0), G: v128 = f64x2.splat(0);

/** The cells behind the nodes whose u stands at `left` and `right`. */
@inline function findCells(left: usize, right: usize): void {
  const d = less(ends(left + 8, right - 8), ends(left, right));
  width = mirrored(less(ends(left + 8 + toX, right - 8 + toX), ends(left + toX, right + toX)));
  const inverse = over(all(1.0), width), en = times(all(electrons), inverse), ep = times(all(holes), inverse);
  stiff = times(all(lambda2), inverse);
  field = times(stiff, d);
  findBernoulli(d);
  n0 = times(en, times(ends(left + toN, right + toN), along));
  p0 = times(ep, times(ends(left + toP, right + toP), against));
  const n1 = times(en, times(ends(left + 8 + toN, right - 8 + toN), against));
  const p1 = times(ep, times(ends(left + 8 + toP, right - 8 + toP), along));
  const a = f64x2.neg(mirrored(ends(left + toAlpha, right - 8 + toAlpha))), b = mirrored(ends(left + toBeta, right - 8 + toBeta));
  const size = f64x2.pmax(f64x2.abs(a), f64x2.abs(b));
  if (either(f64x2.gt(size, all(0.05)))) {
    F = grownBy(a, n0, n1); G = grownBy(b, p0, p1);
  } else {
    F = times(n0, times(a, dividedExpsNearZero(a))); G = times(p0, times(b, dividedExpsNearZero(b)));
  }
}

/** e^x − 1 times `from`; `to` − `from` where they differ much. */
@inline function grownBy(x: v128, from: v128, to: v128): v128 {
  return v128.bitselect(times(from, times(x, dividedExps(x))), less(to, from), f64x2.le(f64x2.abs(x), all(0.25)));
}

// ---- an iteration ----------------------------------------------------------------------------------------

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** The left contact's u becomes `to`, which all of the first cell's potentials bridge. */
export function moveContact(to: f64): void {
  const by = to - at(us, 0);
  put(us, 0, to);
  put(us + toAlpha, 0, at(us + toAlpha, 0) - by);
  put(us + toBeta, 0, at(us + toBeta, 0) - by);
}

/** One iteration on the inner nodes; the largest of the relative updates. */
export function transportIteration(): f64 {
  const parts = stretches();
  openElimination();
  for (let k = 0; k < parts; k++) eliminate(k);
  solveMiddle(carries + <usize>parts * CARRY);
  for (let k = parts - 1; k >= 0; k--) {
    if (k < parts - 1) {
      exchange(k + 1);
      eliminate(k);
      exchange(k + 1);
    }
    substitute(k);
  }
  return closeSubstitution();
}

/** The first node of a stretch. */
@inline function firstOf(k: i32): i32 { return 1 + k * STRETCH; }

/** Fluxes of the cells at the ends answer q x + t to the node behind them. */
function openElimination(): void {
  findCells(us, us + (<usize>count << 3));
  const zero = all(0.0), right12 = times(G, slope);
  keep(carries, 0, width); keep(carries, 1, field); keep(carries, 2, F); keep(carries, 3, G);
  keep(carries, 4, f64x2.neg(plus(n0, F))); keep(carries, 5, zero); keep(carries, 6, plus(F, times(F, slope)));
  keep(carries, 7, zero); keep(carries, 8, plus(p0, G)); keep(carries, 9, right12);
  keep(carries, 10, zero); keep(carries, 11, zero); keep(carries, 12, stiff);
  keep(carries, 13, zero); keep(carries, 14, zero); keep(carries, 15, zero);
}

/** The nodes of stretch k, from what is carried into it; what is carried out of it stands behind that. */
function eliminate(k: i32): void {
  const first = firstOf(k), end = min(first + STRETCH, middleNode()), carry = carries + <usize>k * CARRY;
  const srh = recombines, tn = all(electronLife), tp = all(holeLife), one = all(1.0);
  let h = kept(carry, 0), below = kept(carry, 1), Fl = kept(carry, 2), Gl = kept(carry, 3);
  let q00 = kept(carry, 4), q01 = kept(carry, 5), q02 = kept(carry, 6), q10 = kept(carry, 7), q11 = kept(carry, 8), q12 = kept(carry, 9);
  let q20 = kept(carry, 10), q21 = kept(carry, 11), q22 = kept(carry, 12), t0 = kept(carry, 13), t1 = kept(carry, 14), t2 = kept(carry, 15);
  let left = us + (<usize>first << 3), right = us + (<usize>(count - first) << 3), block = factors;
  keep(carry, 16, ends(left, right)); keep(carry, 17, ends(left + toN, right + toN)); keep(carry, 18, ends(left + toP, right + toP));
  for (let i = first; i < end; i++, left += 8, right -= 8, block += FACTORS) {
    findCells(left, right);
    const electron = ends(left + toN, right + toN), hole = ends(left + toP, right + toP);
    const w = times(all(0.5), plus(h, width)), wn = times(w, electron), wp = times(w, hole);
    // Beyond the node they are z x − …: what recombines and the charge are added.
    let z00 = q00, z01 = q01, z02 = q02, z10 = q10, z11 = q11, z12 = q12, R = all(0.0);
    if (srh) {
      const slow = over(one, plus(times(tp, plus(electron, one)), times(tn, plus(hole, one))));
      R = times(times(w, less(times(electron, hole), one)), slow);
      const Rn = times(times(electron, slow), less(wp, times(R, tp))), Rp = times(times(hole, slow), less(wn, times(R, tn)));
      const Ru = times(times(R, slow), less(times(tn, hole), times(tp, electron)));
      z00 = less(z00, Rn); z01 = plus(z01, Rp); z02 = plus(z02, Ru);
      z10 = less(z10, Rn); z11 = plus(z11, Rp); z12 = plus(z12, Ru);
    }
    const z20 = less(q20, wn), z21 = less(q21, wp), z22 = plus(q22, plus(wn, wp));
    const charge = plus(less(wp, wn), ends(left + toC, right + toC));
    const r0 = less(t0, less(less(F, Fl), R)), r1 = less(t1, less(less(G, Gl), R)), r2 = less(t2, plus(less(field, below), charge));
    h = width; below = field; Fl = F; Gl = G;
    const n1 = plus(n0, F), p1 = plus(p0, G);
    const left02 = times(F, slope), right12 = times(G, slope), left12 = plus(G, right12), right02 = plus(F, left02);
    // D = z + M_l = LU; right-hand sides: the three columns of M_r, and r.
    const d02 = plus(z02, left02), i0 = over(one, less(z00, n0)), m1 = times(z10, i0), m2 = times(z20, i0);
    const d11 = less(plus(z11, p0), times(m1, z01)), d12 = less(plus(z12, left12), times(m1, d02)), i1 = over(one, d11);
    const m3 = times(less(z21, times(m2, z01)), i1), i2 = over(one, less(less(plus(z22, stiff), times(m2, d02)), times(m3, d12)));
    const a10 = times(m1, n1), a20 = less(times(m2, n1), times(m3, a10)), a21 = f64x2.neg(times(m3, p1));
    const a12 = less(right12, times(m1, right02)), a22 = less(less(stiff, times(m2, right02)), times(m3, a12));
    const s1 = less(r1, times(m1, r0)), s2 = less(less(r2, times(m2, r0)), times(m3, s1));
    const y20 = times(a20, i2), y21 = times(a21, i2), y22 = times(a22, i2), y2 = times(s2, i2);
    const y10 = times(less(a10, times(d12, y20)), i1), y11 = times(less(p1, times(d12, y21)), i1);
    const y12 = times(less(a12, times(d12, y22)), i1), y1 = times(less(s1, times(d12, y2)), i1);
    const w00 = plus(times(z01, y10), times(d02, y20)), y00 = f64x2.neg(times(plus(n1, w00), i0));
    const y01 = f64x2.neg(times(plus(times(z01, y11), times(d02, y21)), i0));
    const y02 = times(less(less(right02, times(z01, y12)), times(d02, y22)), i0), y0 = times(less(less(r0, times(z01, y1)), times(d02, y2)), i0);
    keep(block, 0, y00); keep(block, 1, y01); keep(block, 2, y02);
    keep(block, 3, y10); keep(block, 4, y11); keep(block, 5, y12);
    keep(block, 6, y20); keep(block, 7, y21); keep(block, 8, y22);
    keep(block, 9, y0); keep(block, 10, y1); keep(block, 11, y2);
    keep(block, 12, f64x2.neg(times(plus(plus(F, z00), w00), i0)));
    keep(block, 13, times(less(plus(less(G, z11), times(m1, z01)), times(d12, y21)), i1));
    // q = z Y and t = M_l y: products alone.
    q00 = plus(plus(times(z00, y00), times(z01, y10)), times(z02, y20)); q01 = plus(plus(times(z00, y01), times(z01, y11)), times(z02, y21));
    q02 = plus(plus(times(z00, y02), times(z01, y12)), times(z02, y22));
    q10 = plus(plus(times(z10, y00), times(z11, y10)), times(z12, y20)); q11 = plus(plus(times(z10, y01), times(z11, y11)), times(z12, y21));
    q12 = plus(plus(times(z10, y02), times(z11, y12)), times(z12, y22));
    q20 = plus(plus(times(z20, y00), times(z21, y10)), times(z22, y20)); q21 = plus(plus(times(z20, y01), times(z21, y11)), times(z22, y21));
    q22 = plus(plus(times(z20, y02), times(z21, y12)), times(z22, y22));
    t0 = less(times(left02, y2), times(n0, y0)); t1 = plus(times(p0, y1), times(left12, y2)); t2 = times(stiff, y2);
  }
  const to = carry + CARRY;
  keep(to, 0, h); keep(to, 1, below); keep(to, 2, Fl); keep(to, 3, Gl);
  keep(to, 4, q00); keep(to, 5, q01); keep(to, 6, q02); keep(to, 7, q10); keep(to, 8, q11); keep(to, 9, q12);
  keep(to, 10, q20); keep(to, 11, q21); keep(to, 12, q22); keep(to, 13, t0); keep(to, 14, t1); keep(to, 15, t2);
}

/** The first nodes of stretch k, which the last cells of the one before end at, as they were, or again as they are. */
function exchange(k: i32): void {
  const left = us + (<usize>firstOf(k) << 3), right = us + (<usize>(count - firstOf(k)) << 3), carry = carries + <usize>k * CARRY;
  const u = ends(left, right), n = ends(left + toN, right + toN), p = ends(left + toP, right + toP);
  putEnds(left, right, kept(carry, 16)); putEnds(left + toN, right + toN, kept(carry, 17)); putEnds(left + toP, right + toP, kept(carry, 18));
  keep(carry, 16, u); keep(carry, 17, n); keep(carry, 18, p);
}

/** What both lanes carry, together; of what has the other sign in the right one that is the difference. */
@inline function joined(carry: usize, k: usize): f64 {
  const both = kept(carry, k);
  return f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
}

/** x of the middle node, to which both halves answer. */
function solveMiddle(carry: usize): void {
  const m = middleNode(), electron = at(us + toN, m), hole = at(us + toP, m), w = 0.5 * joined(carry, 0), wn = w * electron, wp = w * hole;
  let R = 0.0, Rn = 0.0, Rp = 0.0, Ru = 0.0;
  if (recombines) {
    const slow = 1.0 / (holeLife * (electron + 1.0) + electronLife * (hole + 1.0));
    R = w * (electron * hole - 1.0) * slow;
    Rn = electron * slow * (wp - R * holeLife);
    Rp = hole * slow * (wn - R * electronLife);
    Ru = R * slow * (electronLife * hole - holeLife * electron);
  }
  const z00 = joined(carry, 4) - Rn, z01 = joined(carry, 5) + Rp, z02 = joined(carry, 6) + Ru;
  const z10 = joined(carry, 7) - Rn, z11 = joined(carry, 8) + Rp, z12 = joined(carry, 9) + Ru;
  const z20 = joined(carry, 10) - wn, z21 = joined(carry, 11) - wp, z22 = joined(carry, 12) + wn + wp;
  const r0 = joined(carry, 13) + joined(carry, 2) + R, r1 = joined(carry, 14) + joined(carry, 3) + R;
  const r2 = joined(carry, 15) + joined(carry, 1) - (wp - wn + at(us + toC, m));
  const m1 = z10 / z00, m2 = z20 / z00, d11 = z11 - m1 * z01, d12 = z12 - m1 * z02, m3 = (z21 - m2 * z01) / d11;
  const s1 = r1 - m1 * r0, y2 = (r2 - m2 * r0 - m3 * s1) / (z22 - m2 * z02 - m3 * d12), y1 = (s1 - d12 * y2) / d11;
  stepN = all(-(r0 - z01 * y1 - z02 * y2) / z00); stepP = all(-y1); stepU = all(-y2);
  largest = all(0.0);
  const node = us + (<usize>m << 3);
  renew(node, node);
}

// ---- what x does to the carriers -------------------------------------------------------------------------

/** x of the nodes that come before those to be substituted; what δφ_n and δφ_p of them have beside it; the largest update. */
let stepN: v128 = f64x2.splat(0), stepP: v128 = f64x2.splat(0), stepU: v128 = f64x2.splat(0);
let bentN: v128 = f64x2.splat(0), bentP: v128 = f64x2.splat(0), largest: v128 = f64x2.splat(0);

/** A relative update that keeps a density positive: 1 + s, and its mirror image 1/(1 − s) below 0. */
@inline function grown(density: v128, s: v128): v128 {
  const by = plus(all(1.0), f64x2.abs(s));
  return v128.bitselect(over(density, by), times(density, by), f64x2.lt(s, all(0.0)));
}

/** s less the logarithm of what a density is multiplied by; 0 where that is rounding, for the sake of differences. */
@inline function bend(s: v128, far: bool): v128 {
  const size = f64x2.abs(s);
  // ln(1 + s) = 2 artanh t, whose next term is t¹²/13 of the first.
  const t = over(size, plus(all(2.0), size)), q = times(t, t);
  const series = plus(all(1.0), times(q, plus(all(1.0 / 3.0), times(q, plus(all(0.2), times(q, plus(all(1.0 / 7.0), times(q, plus(all(1.0 / 9.0), times(q, all(1.0 / 11.0)))))))))));
  let rest = less(size, times(plus(t, t), series));
  if (far) rest = v128.bitselect(less(size, logs(plus(all(1.0), size))), rest, f64x2.gt(size, all(0.1)));
  const signed = v128.or(rest, v128.and(s, v128.load(SIGNS + 16)));
  return v128.andnot(signed, f64x2.lt(size, all(1e-8)));
}

/**
 * u, n and p of the nodes whose u stands at `left` and `right`, from x. Carriers that are many follow their potential, lest
 * a bend of it drive currents into a piece that nothing connects.
 */
@inline function renew(left: usize, right: usize): void {
  const c = stepU, sn = less(c, stepN), sp = less(stepP, c), sizeN = f64x2.abs(sn), sizeP = f64x2.abs(sp), longest = all(LONGEST);
  largest = f64x2.max(largest, f64x2.max(f64x2.abs(c), f64x2.max(sizeN, sizeP)));
  const step = f64x2.max(f64x2.neg(longest), f64x2.min(longest, c)), short = less(step, c);
  const n = ends(left + toN, right + toN), p = ends(left + toP, right + toP), one = all(1.0);
  const followsN = v128.and(f64x2.gt(n, one), f64x2.le(sizeN, longest)), followsP = v128.and(f64x2.gt(p, one), f64x2.le(sizeP, longest));
  const rise = plus(sn, short), fall = less(sp, short), size = f64x2.pmax(sizeN, sizeP);
  putEnds(left, right, plus(ends(left, right), step));
  if (either(v128.or(f64x2.ne(step, c), v128.not(f64x2.le(size, all(0.05)))))) {
    bentN = v128.andnot(plus(short, bend(sn, true)), followsN);
    bentP = v128.andnot(less(short, bend(sp, true)), followsP);
    putEnds(left + toN, right + toN, v128.bitselect(plus(n, times(n, expm1s(rise))), grown(n, sn), followsN));
    putEnds(left + toP, right + toP, v128.bitselect(plus(p, times(p, expm1s(fall))), grown(p, sp), followsP));
    return;
  }
  if (either(f64x2.ge(size, all(1e-8)))) {
    bentN = v128.andnot(bend(sn, false), followsN);
    bentP = v128.andnot(f64x2.neg(bend(sp, false)), followsP);
  } else { bentN = all(0.0); bentP = all(0.0); }
  putEnds(left + toN, right + toN, v128.bitselect(plus(n, times(times(n, sn), dividedExpsNearZero(sn))), grown(n, sn), followsN));
  putEnds(left + toP, right + toP, v128.bitselect(plus(p, times(times(p, sp), dividedExpsNearZero(sp))), grown(p, sp), followsP));
}

/** Steps of x over the cells are had as such, not as differences; nor is x, where little is left of it, had as a sum. */
function substitute(k: i32): void {
  const first = firstOf(k), end = min(first + STRETCH, middleNode());
  let left = us + (<usize>(end - 1) << 3), right = us + (<usize>(count - end + 1) << 3), y = factors + <usize>(end - 1 - first) * FACTORS;
  for (let i = end; i > first; i--, left -= 8, right += 8, y -= FACTORS) {
    const a = stepN, b = stepP, c = stepU, nextN = bentN, nextP = bentP;
    const restN = less(plus(times(kept(y, 1), b), times(kept(y, 2), c)), kept(y, 9));
    const restP = less(plus(times(kept(y, 3), a), times(kept(y, 5), c)), kept(y, 10));
    stepU = less(plus(plus(times(kept(y, 6), a), times(kept(y, 7), b)), times(kept(y, 8), c)), kept(y, 11));
    stepN = plus(times(kept(y, 0), a), restN); stepP = plus(times(kept(y, 4), b), restP);
    renew(left, right);
    const acrossN = plus(times(kept(y, 12), a), restN), acrossP = plus(times(kept(y, 13), b), restP);
    bridge(left, right - 8, less(less(nextN, bentN), acrossN), less(less(nextP, bentP), acrossP));
  }
}

/** The steps of φ_n and φ_p over two cells become larger. */
@inline function bridge(left: usize, right: usize, byN: v128, byP: v128): void {
  putEnds(left + toAlpha, right + toAlpha, plus(ends(left + toAlpha, right + toAlpha), mirrored(byN)));
  putEnds(left + toBeta, right + toBeta, plus(ends(left + toBeta, right + toBeta), mirrored(byP)));
}

/** The cells at the contacts, where x is 0; the largest update. */
function closeSubstitution(): f64 {
  bridge(us, us + (<usize>(count - 1) << 3), plus(stepN, bentN), plus(stepP, bentP));
  return max(f64x2.extract_lane(largest, 0), f64x2.extract_lane(largest, 1));
}

/** J at the cell where its parts are smallest [A/m²]. */
export function current(): f64 {
  let best = all(Infinity), J = all(0.0);
  for (let i = 0, left = us, right = us + (<usize>count << 3), m = middleNode(); i < m; i++, left += 8, right -= 8) {
    findCells(left, right);
    const parts = plus(plus(plus(n0, n0), F), plus(plus(p0, p0), G)), isLess = f64x2.lt(parts, best);
    best = v128.bitselect(parts, best, isLess);
    J = v128.bitselect(less(F, G), J, isLess);
  }
  const isRight = f64x2.extract_lane(best, 1) < f64x2.extract_lane(best, 0);
  return CHARGE * ni * (isRight ? -f64x2.extract_lane(J, 1) : f64x2.extract_lane(J, 0));
}
