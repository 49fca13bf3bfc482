// Energy of a rigid ligand on a rigid receptor, and its gradient by force and torque, for the kernel of `dock`.
//
//   lj    E = Σ 4ε[(σ/r)¹² − (σ/r)⁶] + k q q′/r       no cut-off; σ, ε by Lorentz–Berthelot or geometric means
//   vina  E = Σ h(t_i, t_j, r), r < 8 Å                Trott & Olson, J. Comput. Chem. 31 (2010) 455, eqs. 2–7, table 1
//
// Atoms, six f64 each: x, y, z [Å], then for lj σ [Å], ε [kJ/mol], charge [e]; for vina radius [Å], 1 hydrophobic
// + 2 donor + 4 acceptor, 0. Receptor atoms go two at a time in the two lanes of a vector: a couple is
//   0 x · 16 y · 32 z · 48 σ part or radius · 64 √ε or kind · 80 k q · 96 1/r² of the atom that is looked at

import { allocate } from "../kernel/frame";

const KCAL: f64 = 4.184;
const GAUSS1: f64 = -0.035579, GAUSS2: f64 = -0.005156, REPULSION: f64 = 0.840245;
const HYDROPHOBIC: f64 = -0.035069, HYDROGEN: f64 = -0.587439;
const CUT: f64 = 8.0;

let vina: bool = false, geometric: bool = false, coulomb: f64 = 0;
let receptors: i32 = 0, ligands: i32 = 0;
let couples: usize = 0, couplesEnd: usize = 0;
let ligand: usize = 0;
const COUPLE: usize = 112;
/** Couples of a pass: what it leaves stays in L1. */
const PASS: usize = 32 * COUPLE;
/** Constants from memory: the engine would build them anew in the loop. */
const ONE: usize = memory.data<f64>([1.0, 1.0], 16);
const SIXTH: usize = memory.data<f64>([0.16666666666666666, 0.16666666666666666], 16);
/** Radius of gyration, or 1 Å for one atom: an angle times this is a length. */
export let arm: f64 = 1;
/** A length of the interaction [Å]. */
export let reach: f64 = 1;

/** Force on the ligand's centre and torque/arm, with the sign of the gradient: six f64. */
export const gradient = memory.data(48, 16);

@inline function item(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }

export function layOutPairs(scoring: i32, rule: i32, k: f64, n: i32, m: i32, atoms: usize): void {
  vina = scoring == 1;
  geometric = rule == 1;
  coulomb = k;
  receptors = (n + 1) & ~1;
  ligands = m;
  couples = allocate(COUPLE * <usize>(receptors >> 1));
  couplesEnd = couples + COUPLE * <usize>(receptors >> 1);
  ligand = allocate(<usize>(m * 6) << 3);
  put(place(receptors - 1), 0, 1e8);
  let size = 0.0;
  for (let j = 0; j < n; j++) {
    const atom = atoms + <usize>j * 48;
    const to = place(j);
    put(to, 0, item(atom, 0)); put(to, 2, item(atom, 1)); put(to, 4, item(atom, 2));
    put(to, 6, lengthOf(atom)); put(to, 8, vina ? item(atom, 4) : sqrt(item(atom, 4))); put(to, 10, coulomb * item(atom, 5));
    size += item(atom, 3);
  }
  reach = vina ? 3.5 : size / <f64>n;
  layOutLigand(m, atoms + <usize>n * 48);
}

/** Where receptor atom j stands: its numbers are two apart. */
@inline function place(j: i32): usize { return couples + COUPLE * <usize>(j >> 1) + (<usize>(j & 1) << 3); }

/** What two atoms' lengths are made of: σ/2 or √σ. */
@inline function lengthOf(atom: usize): f64 {
  return vina ? item(atom, 3) : geometric ? sqrt(item(atom, 3)) : 0.5 * item(atom, 3);
}

function layOutLigand(m: i32, atoms: usize): void {
  let x = 0.0, y = 0.0, z = 0.0, square = 0.0;
  for (let i = 0; i < m; i++) {
    const atom = atoms + <usize>i * 48;
    x += item(atom, 0); y += item(atom, 1); z += item(atom, 2);
  }
  x /= <f64>m; y /= <f64>m; z /= <f64>m;
  for (let i = 0; i < m; i++) {
    const atom = atoms + <usize>i * 48, to = ligand + <usize>i * 48;
    const a = item(atom, 0) - x, b = item(atom, 1) - y, c = item(atom, 2) - z;
    put(to, 0, a); put(to, 1, b); put(to, 2, c);
    put(to, 3, lengthOf(atom)); put(to, 4, vina ? item(atom, 4) : sqrt(item(atom, 4))); put(to, 5, item(atom, 5));
    square += a * a + b * b + c * c;
  }
  arm = square > 0.0 ? sqrt(square / <f64>m) : 1.0;
}

// ---- one atom of the ligand against all of the receptor -------------------------------------------------

let energy: f64 = 0, gx: f64 = 0, gy: f64 = 0, gz: f64 = 0;

@inline function both(v: v128): f64 { return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1); }

function lennardJones(x: f64, y: f64, z: f64, atom: usize): void {
  const charged = coulomb != 0.0 && item(atom, 5) != 0.0;
  if (geometric) { if (charged) overReceptor(x, y, z, atom, true, true); else overReceptor(x, y, z, atom, true, false); }
  else if (charged) overReceptor(x, y, z, atom, false, true);
  else overReceptor(x, y, z, atom, false, false);
}

/**
 * The two choices are constants: nothing is decided inside of the loops. All 1/r² of a pass come first, so that what waits
 * for a division does not fill the processor's window. Forces are summed without their factor 6.
 */
@inline function overReceptor(x: f64, y: f64, z: f64, atom: usize, product: bool, charged: bool): void {
  const ax = f64x2.splat(x), ay = f64x2.splat(y), az = f64x2.splat(z);
  const s = f64x2.splat(item(atom, 3)), e = f64x2.splat(4.0 * item(atom, 4)), q = f64x2.splat(item(atom, 5));
  let sum = f64x2.splat(0.0), pulls = sum, fx = sum, fy = sum, fz = sum;
  for (let from = couples; from < couplesEnd; from += PASS) {
    const end = min(from + PASS, couplesEnd);
    for (let at = from; at < end; at += COUPLE) {
      const dx = f64x2.sub(ax, v128.load(at)), dy = f64x2.sub(ay, v128.load(at, 16)), dz = f64x2.sub(az, v128.load(at, 32));
      const square = f64x2.add(f64x2.mul(dx, dx), f64x2.add(f64x2.mul(dy, dy), f64x2.mul(dz, dz)));
      v128.store(at, f64x2.div(v128.load(ONE), square), 96);
    }
    for (let at = from; at < end; at += COUPLE) {
      const dx = f64x2.sub(ax, v128.load(at)), dy = f64x2.sub(ay, v128.load(at, 16)), dz = f64x2.sub(az, v128.load(at, 32));
      const inverse = v128.load(at, 96), other = v128.load(at, 48);
      const sigma = product ? f64x2.mul(s, other) : f64x2.add(s, other);
      const u = f64x2.mul(f64x2.mul(sigma, sigma), inverse), u3 = f64x2.mul(u, f64x2.mul(u, u));
      const depth = f64x2.mul(f64x2.mul(e, v128.load(at, 64)), u3), high = f64x2.mul(depth, u3);
      sum = f64x2.add(sum, f64x2.sub(high, depth));
      let slope = f64x2.sub(depth, f64x2.add(high, high));
      if (charged) {
        const pull = f64x2.mul(f64x2.mul(q, v128.load(at, 80)), f64x2.sqrt(inverse));
        pulls = f64x2.add(pulls, pull);
        slope = f64x2.sub(slope, f64x2.mul(v128.load(SIXTH), pull));
      }
      slope = f64x2.mul(slope, inverse);
      fx = f64x2.add(fx, f64x2.mul(slope, dx));
      fy = f64x2.add(fy, f64x2.mul(slope, dy));
      fz = f64x2.add(fz, f64x2.mul(slope, dz));
    }
  }
  energy = charged ? both(sum) + both(pulls) : both(sum);
  gx = 6.0 * both(fx); gy = 6.0 * both(fy); gz = 6.0 * both(fz);
}

function vinaTerms(x: f64, y: f64, z: f64, atom: usize): void {
  const radius = item(atom, 3), kind = <i32>item(atom, 4);
  energy = 0.0; gx = 0.0; gy = 0.0; gz = 0.0;
  for (let j = 0; j < receptors; j++) {
    const there = place(j), dx = x - item(there, 0), dy = y - item(there, 2), dz = z - item(there, 4);
    const square = dx * dx + dy * dy + dz * dz;
    if (square >= CUT * CUT) continue;
    const r = sqrt(square), d = r - radius - item(there, 6), other = <i32>item(there, 8);
    const near = GAUSS1 * Math.exp(-4.0 * d * d), far = GAUSS2 * Math.exp(-0.25 * (d - 3.0) * (d - 3.0));
    let value = near + far, slope = -8.0 * d * near - 0.5 * (d - 3.0) * far;
    if (d < 0.0) { value += REPULSION * d * d; slope += 2.0 * REPULSION * d; }
    if (kind & other & 1 && d < 1.5) {
      value += HYDROPHOBIC * min(1.0, 1.5 - d);
      if (d > 0.5) slope -= HYDROPHOBIC;
    }
    if (((kind & 2 && other & 4) || (kind & 4 && other & 2)) && d < 0.0) {
      value += HYDROGEN * min(1.0, -d / 0.7);
      if (d > -0.7) slope -= HYDROGEN / 0.7;
    }
    const force = r > 0.0 ? KCAL * slope / r : 0.0;
    energy += KCAL * value;
    gx += force * dx; gy += force * dy; gz += force * dz;
  }
}

/** Energy of a pose: centre and unit quaternion, seven f64. The gradient goes to `gradient`. */
export function energyOf(pose: usize): f64 {
  const w = item(pose, 3), a = item(pose, 4), b = item(pose, 5), c = item(pose, 6);
  let total = 0.0, fx = 0.0, fy = 0.0, fz = 0.0, tx = 0.0, ty = 0.0, tz = 0.0;
  for (let i = 0; i < ligands; i++) {
    const atom = ligand + <usize>i * 48, x = item(atom, 0), y = item(atom, 1), z = item(atom, 2);
    const px = (1.0 - 2.0 * (b * b + c * c)) * x + 2.0 * (a * b - w * c) * y + 2.0 * (a * c + w * b) * z;
    const py = 2.0 * (a * b + w * c) * x + (1.0 - 2.0 * (a * a + c * c)) * y + 2.0 * (b * c - w * a) * z;
    const pz = 2.0 * (a * c - w * b) * x + 2.0 * (b * c + w * a) * y + (1.0 - 2.0 * (a * a + b * b)) * z;
    if (vina) vinaTerms(item(pose, 0) + px, item(pose, 1) + py, item(pose, 2) + pz, atom);
    else lennardJones(item(pose, 0) + px, item(pose, 1) + py, item(pose, 2) + pz, atom);
    total += energy;
    fx += gx; fy += gy; fz += gz;
    tx += py * gz - pz * gy; ty += pz * gx - px * gz; tz += px * gy - py * gx;
  }
  put(gradient, 0, fx); put(gradient, 1, fy); put(gradient, 2, fz);
  put(gradient, 3, tx / arm); put(gradient, 4, ty / arm); put(gradient, 5, tz / arm);
  return total;
}

/** `to` = the pose moved by six lengths: along the axes, and about them by length/arm. */
export function move(from: usize, by: usize, factor: f64, to: usize): void {
  for (let i = 0; i < 3; i++) put(to, i, item(from, i) + factor * item(by, i));
  const half = 0.5 * factor / arm, x = half * item(by, 3), y = half * item(by, 4), z = half * item(by, 5);
  const w = item(from, 3), a = item(from, 4), b = item(from, 5), c = item(from, 6);
  const nw = w - x * a - y * b - z * c, na = a + x * w + y * c - z * b;
  const nb = b + y * w + z * a - x * c, nc = c + z * w + x * b - y * a;
  const size = sqrt(nw * nw + na * na + nb * nb + nc * nc);
  put(to, 3, nw / size); put(to, 4, na / size); put(to, 5, nb / size); put(to, 6, nc / size);
}
