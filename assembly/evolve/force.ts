// Lennard-Jones forces, u = 4(r⁻¹² − r⁻⁶), each pair once, in rows of neighbours (Verlet, Phys. Rev. 159 (1967) 98; Allen &
// Tildesley, Computer Simulation of Liquids, 2nd ed., §1.6.3, §5.2–5.3). A row has the neighbours behind its atom and rises
// by index, so an atom's sum takes its pairs in the order of the other atom; what lies beyond r_c adds nothing. So the sums
// do not know when the rows were made, nor how far they reach. Without r_c every other atom is a neighbour.
//
//   shifted u(r) − u(r_c)       shifted-force u(r) − u(r_c) + (r − r_c) f(r_c),  f = −u′
//
// Rows reach a skin beyond r_c and are made anew when an atom has moved half of it (./rows.ts).

import { allocate, parameterF64, running } from "../kernel/frame";
import { foldTree, leafCount } from "../math/reduce";
import { count, edge, lengthUnit, periodic, POINT, positionsAt } from "./atoms";
import { beginRows, distance2, entriesOf, layRows, makeRow, nextAfter, rowsHold, rowUnits } from "./rows";

let cutoff: f64 = 0, cutoff2: f64 = 0, atCutoff: f64 = 0, forceAtCutoff: f64 = 0;
let listed: bool = false;
let inverseX: f64 = 0, inverseY: f64 = 0, inverseZ: f64 = 0;
let cursor: i32 = 0, pairUnits: i64 = 0;
/** 0: look at the rows; 1: make them; 2: sum. */
let phase: i32 = 0;

/** What pairs have added to an atom so far: fx fy fz, u. */
let sums: usize = 0;
export const SUM: usize = 32;
/** Σ r·f of the rows of a leaf of atoms (../math/reduce.ts), and of all. */
let virials: usize = 0, virialSum: f64 = 0;

/** Forces of the atoms and their energies, each of a pair's whole: fx fy fz u, SUM bytes apart. */
@inline export function forcesAt(): usize { return sums; }
/** Σ r·f of all pairs. */
@inline export function virial(): f64 { return virialSum; }

export function layForce(): void {
  const n = count();
  cutoff = parameterF64(40) / lengthUnit();
  cutoff2 = cutoff * cutoff;
  listed = cutoff > 0.0;
  atCutoff = 0.0;
  forceAtCutoff = 0.0;
  const way = parameterF64(48), s = listed ? 1.0 / cutoff2 : 0.0, s3 = s * s * s;
  if (way >= 1.0) atCutoff = 4.0 * (s3 * s3 - s3);
  if (way == 2.0) forceAtCutoff = 24.0 * (2.0 * s3 * s3 - s3) / cutoff;
  inverseX = periodic() ? 1.0 / edge(0) : 0.0;
  inverseY = periodic() ? 1.0 / edge(1) : 0.0;
  inverseZ = periodic() ? 1.0 / edge(2) : 0.0;
  sums = allocate(<usize>n * SUM);
  virials = allocate(<usize>leafCount(n) << 3);
  phase = 0;
  pairUnits = listed ? <i64>parameterF64(152) : <i64>n;
  if (listed) layRows(cutoff, sums);
}

/** Positions have changed: the next evaluation begins with the rows. */
export function newPositions(): void { phase = 0; cursor = 0; }

/** Goes on for about `units` pairs; true when forces, energies and virials of all atoms are there. */
export function evaluate(units: i64): bool {
  if (phase == 0) {
    cursor = 0;
    if (listed && !rowsHold()) { phase = 1; beginRows(); } else beginSums();
  }
  while (units > 0 && running()) {
    if (cursor == count()) {
      if (phase == 2) { phase = 0; cursor = 0; endSums(); return true; }
      cursor = 0;
      beginSums();
      continue;
    }
    if (phase == 1) {
      cursor = makeRow(cursor) ? cursor + 1 : 0;
      units -= rowUnits();
    } else {
      if (listed) sumRow(cursor); else sumAll(cursor);
      units -= pairUnits;
      cursor++;
    }
  }
  return false;
}

function beginSums(): void {
  phase = 2;
  memory.fill(sums, 0, <usize>count() * SUM);
  memory.fill(virials, 0, <usize>leafCount(count()) << 3);
}

function endSums(): void { virialSum = foldTree(virials, leafCount(count())); }

// ---- sums ----------------------------------------------------------------------------------------------

let fx: f64 = 0, fy: f64 = 0, fz: f64 = 0, energy: f64 = 0, rf: f64 = 0;

/** One pair: to the sums of the first atom, and to those of the other at `other`. */
@inline function pair(x: f64, y: f64, z: f64, r2: f64, other: usize): void {
  const s = 1.0 / r2, s3 = s * s * s;
  let u = 4.0 * (s3 * s3 - s3), f = 24.0 * (2.0 * s3 * s3 - s3) * s;
  if (listed) {
    u -= atCutoff;
    if (forceAtCutoff != 0.0) {
      const r = sqrt(r2);
      u += (r - cutoff) * forceAtCutoff;
      f -= forceAtCutoff / r;
    }
  }
  energy += u;
  rf += f * r2;
  fx += f * x; fy += f * y; fz += f * z;
  store<f64>(other, load<f64>(other) - f * x);
  store<f64>(other, load<f64>(other, 8) - f * y, 8);
  store<f64>(other, load<f64>(other, 16) - f * z, 16);
  store<f64>(other, load<f64>(other, 24) + u, 24);
}

/** Of the pairs within r_c, one behind the other: x, y, z, r², and where the other's sums are. */
const NEAR: usize = 256, WIDE: usize = (NEAR + 2) << 3;
const near = memory.data(5 * 2064, 16), others = near + 4 * WIDE;

@inline function folded(d: v128, length: v128, inverse: v128): v128 {
  return f64x2.sub(d, f64x2.mul(length, f64x2.nearest(f64x2.mul(d, inverse))));
}

/** Neighbours j0, j1: those within r_c go to the place `at`; of the second only where `both`. */
@inline function gather(px: v128, py: v128, pz: v128, j0: i32, j1: i32, at: usize, both: bool): usize {
  const to = near + at, q0 = positionsAt() + <usize>j0 * POINT, q1 = positionsAt() + <usize>j1 * POINT;
  const xy0 = v128.load(q0), xy1 = v128.load(q1);
  let x = f64x2.sub(px, v128.shuffle<f64>(xy0, xy1, 0, 2));
  let y = f64x2.sub(py, v128.shuffle<f64>(xy0, xy1, 1, 3));
  let z = f64x2.sub(pz, v128.load64_lane(q1 + 16, v128.load64_zero(q0 + 16), 1));
  x = folded(x, f64x2.splat(edge(0)), f64x2.splat(inverseX));
  y = folded(y, f64x2.splat(edge(1)), f64x2.splat(inverseY));
  z = folded(z, f64x2.splat(edge(2)), f64x2.splat(inverseZ));
  const r2 = f64x2.add(f64x2.add(f64x2.mul(x, x), f64x2.mul(y, y)), f64x2.mul(z, z));
  const first = to + (f64x2.extract_lane(r2, 0) < cutoff2 ? 8 : 0);
  v128.store64_lane(to, x, 0); v128.store64_lane(to + WIDE, y, 0); v128.store64_lane(to + 2 * WIDE, z, 0); v128.store64_lane(to + 3 * WIDE, r2, 0);
  store<u32>(others + (at >> 1), <u32>(sums + <usize>j0 * SUM));
  if (!both) return first - near;
  v128.store64_lane(first, x, 1); v128.store64_lane(first + WIDE, y, 1); v128.store64_lane(first + 2 * WIDE, z, 1); v128.store64_lane(first + 3 * WIDE, r2, 1);
  store<u32>(others + (first - near >> 1), <u32>(sums + <usize>j1 * SUM));
  return first + (f64x2.extract_lane(r2, 1) < cutoff2 ? 8 : 0) - near;
}

/** The row of i: first its pairs within r_c are laid together, then two are summed at once, even and odd ones. */
function sumRow(i: i32): void {
  const p = positionsAt() + <usize>i * POINT;
  const px = v128.load64_splat(p), py = v128.load64_splat(p, 8), pz = v128.load64_splat(p, 16);
  let at = entriesOf(i), used: usize = 0, j = i;
  const entries = <i32>(entriesOf(i + 1) - at >> 1);
  memory.fill(lanes, 0, 80);
  for (const end = at + (<usize>(entries & ~1) << 1); at < end; at += 4) {
    const j0 = nextAfter(j, at);
    j = nextAfter(j0, at + 2);
    used = gather(px, py, pz, j0, j, used, true);
    if (used >= NEAR << 3) used = sumFull(used);
  }
  if (entries & 1) { j = nextAfter(j, at); used = gather(px, py, pz, j, j, used, false); }
  sumNear(used);
  clear();
  const last = near + (used & ~15);
  if (used & 8) pair(load<f64>(last), load<f64>(last, WIDE), load<f64>(last, 2 * WIDE), load<f64>(last, 3 * WIDE), <usize>load<u32>(others + (used >> 1) - 4));
  fx += bothOf(0); fy += bothOf(16); fz += bothOf(32);
  energy += bothOf(48);
  rf += bothOf(64);
  keepSums(i);
}

/** Sums what is there; one that is left over stands first then. Each pair stays in the lane that it would have without. */
function sumFull(used: usize): usize {
  sumNear(NEAR << 3);
  const left = used - (NEAR << 3);
  if (left > 0) {
    const last = near + (NEAR << 3);
    for (let column: usize = 0; column < 4 * WIDE; column += WIDE) store<f64>(near + column, load<f64>(last + column));
    store<u32>(others, load<u32>(others + (NEAR << 2)));
  }
  return left;
}

const ones = memory.data<f64>([1.0, 1.0], 16);
const fours = memory.data<f64>([4.0, 4.0], 16);
const twentyfours = memory.data<f64>([24.0, 24.0], 16);
/** Sums of even and odd pairs of a row: fx fy fz, u, r·f. */
const lanes = memory.data(80, 16);
@inline function bothOf(at: usize): f64 { return load<f64>(lanes + at) + load<f64>(lanes + at, 8); }

/** Σ over the pairs in `used` bytes of each column, but for one that is left over. */
function sumNear(used: usize): void {
  const end = near + (used & ~15), one = v128.load(ones), four = v128.load(fours);
  const atCut = f64x2.splat(atCutoff), forceAtCut = f64x2.splat(forceAtCutoff), cut = f64x2.splat(cutoff), shifted = forceAtCutoff != 0.0;
  let ax = v128.load(lanes), ay = v128.load(lanes, 16), az = v128.load(lanes, 32), e = v128.load(lanes, 48), w = v128.load(lanes, 64);
  for (let at = near, other = others; at < end; at += 16, other += 8) {
    const r2 = v128.load(at, 3 * WIDE), inv = f64x2.div(one, r2), s3 = f64x2.mul(f64x2.mul(inv, inv), inv), s6 = f64x2.mul(s3, s3);
    const difference = f64x2.sub(s6, s3);
    let u = f64x2.sub(f64x2.mul(four, difference), atCut);
    let f = f64x2.mul(f64x2.mul(v128.load(twentyfours), f64x2.add(s6, difference)), inv);
    if (shifted) {
      const r = f64x2.sqrt(r2);
      u = f64x2.add(u, f64x2.mul(f64x2.sub(r, cut), forceAtCut));
      f = f64x2.sub(f, f64x2.div(forceAtCut, r));
    }
    const x = f64x2.mul(f, v128.load(at)), y = f64x2.mul(f, v128.load(at, WIDE)), z = f64x2.mul(f, v128.load(at, 2 * WIDE));
    ax = f64x2.add(ax, x);
    ay = f64x2.add(ay, y);
    az = f64x2.add(az, z);
    e = f64x2.add(e, u);
    w = f64x2.add(w, f64x2.mul(f, r2));
    addToOther(<usize>load<u32>(other), v128.shuffle<f64>(x, y, 0, 2), v128.shuffle<f64>(z, u, 0, 2));
    addToOther(<usize>load<u32>(other, 4), v128.shuffle<f64>(x, y, 1, 3), v128.shuffle<f64>(z, u, 1, 3));
  }
  v128.store(lanes, ax); v128.store(lanes, ay, 16); v128.store(lanes, az, 32); v128.store(lanes, e, 48); v128.store(lanes, w, 64);
}

const signs = memory.data<u64>([0, 0x8000000000000000], 16);

/** The reaction (x, y), and z with u. */
@inline function addToOther(to: usize, xy: v128, zu: v128): void {
  v128.store(to, f64x2.sub(v128.load(to), xy));
  // (z, u) is taken off and added: u with its sign turned is taken off.
  v128.store(to, f64x2.sub(v128.load(to, 16), v128.xor(zu, v128.load(signs))), 16);
}

function sumAll(i: i32): void {
  const p = positionsAt() + <usize>i * POINT, px = load<f64>(p), py = load<f64>(p, 8), pz = load<f64>(p, 16);
  clear();
  for (let j = i + 1; j < count(); j++) {
    const q = positionsAt() + <usize>j * POINT, x = px - load<f64>(q), y = py - load<f64>(q, 8), z = pz - load<f64>(q, 16);
    pair(x, y, z, x * x + y * y + z * z, sums + <usize>j * SUM);
  }
  keepSums(i);
}

@inline function clear(): void { fx = 0.0; fy = 0.0; fz = 0.0; energy = 0.0; rf = 0.0; }

function keepSums(i: i32): void {
  const at = sums + <usize>i * SUM, leaf = virials + (<usize>(i >> 10) << 3);
  store<f64>(at, load<f64>(at) + fx);
  store<f64>(at, load<f64>(at, 8) + fy, 8);
  store<f64>(at, load<f64>(at, 16) + fz, 16);
  store<f64>(at, load<f64>(at, 24) + energy, 24);
  store<f64>(leaf, load<f64>(leaf) + rf);
}

/** Adds every pair within r_c to one of `bins` equal bins, twice over: once from each side. */
export function countPairs(to: usize, bins: i32): void {
  for (let i = 0; i < count(); i++) {
    for (let at = entriesOf(i), j = i; at < entriesOf(i + 1); at += 2) {
      j = nextAfter(j, at);
      const bin = <i32>min(sqrt(distance2(i, j)) / cutoff * <f64>bins, <f64>bins);
      if (bin >= bins) continue;
      const place = to + (<usize>bin << 3);
      store<f64>(place, load<f64>(place) + 2.0);
    }
  }
}
