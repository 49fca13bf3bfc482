// Lennard-Jones forces, u = 4(r⁻¹² − r⁻⁶), in rows of neighbours (Verlet, Phys. Rev. 159 (1967) 98; Allen & Tildesley,
// Computer Simulation of Liquids, 2nd ed., §1.6.3, §5.2–5.3). Rows are full and rise by index, and what lies beyond r_c
// adds nothing: so the sums do not know when the rows were made. Rows reach 0.3σ beyond r_c and are made anew when an atom
// has moved half of that. Without r_c every other atom is a neighbour.
//
//   shifted u(r) − u(r_c)       shifted-force u(r) − u(r_c) + (r − r_c) f(r_c),  f = −u′

import { allocate, fail, parameterF64, running } from "../kernel/frame";
import { Status } from "../kernel/status";
import { count, eachAt, edge, forcesAt, lengthUnit, periodic, positionsAt, stride } from "./atoms";

const SKIN: f64 = 0.3;

let cutoff: f64 = 0, cutoff2: f64 = 0, atCutoff: f64 = 0, forceAtCutoff: f64 = 0;
let room: i32 = 0, listed: bool = false, made: bool = false;
let rows: usize = 0, lengths: usize = 0, reference: usize = 0, virials: usize = 0;
let cellsX: i32 = 0, cellsY: i32 = 0, cellsZ: i32 = 0;
let cellStarts: usize = 0, members: usize = 0, cellOf: usize = 0;
let cursor: i32 = 0;
/** 0: look at the rows; 1: make them; 2: sum. */
let phase: i32 = 0;

@inline export function virialsAt(): usize { return virials; }

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
  virials = allocate(stride());
  made = false;
  phase = 0;
  if (!listed) return;
  room = <i32>parameterF64(152);
  rows = allocate(<usize>n * (<usize>room << 2));
  lengths = allocate(<usize>n << 2);
  reference = allocate(3 * stride());
  near = allocate(<usize>(room + 2) << 5);
  inverseX = periodic() ? 1.0 / edge(0) : 0.0;
  inverseY = periodic() ? 1.0 / edge(1) : 0.0;
  inverseZ = periodic() ? 1.0 / edge(2) : 0.0;
  const reach = 0.5 * (cutoff + SKIN);
  cellsX = periodic() ? <i32>min(floor(edge(0) / reach), 256.0) : 0;
  cellsY = periodic() ? <i32>min(floor(edge(1) / reach), 256.0) : 0;
  cellsZ = periodic() ? <i32>min(floor(edge(2) / reach), 256.0) : 0;
  if (min(cellsX, min(cellsY, cellsZ)) < 5) { cellsX = 0; return; }
  cellStarts = allocate(<usize>(cellsX * cellsY * cellsZ + 1) << 2);
  members = allocate(<usize>n << 2);
  cellOf = allocate(<usize>n << 2);
}

/** Positions have changed: the next evaluation begins with the rows. */
export function newPositions(): void { phase = 0; cursor = 0; }

/** Goes on for about `units` pairs; true when forces, energies and virials of all atoms are there. */
export function evaluate(units: i64): bool {
  if (phase == 0) beginRows();
  while (units > 0 && running()) {
    if (cursor == count()) {
      if (phase == 2) { phase = 0; cursor = 0; return true; }
      phase = 2;
      cursor = 0;
      continue;
    }
    if (phase == 1) makeRow(cursor); else if (listed) sumRow(cursor); else sumAll(cursor);
    units -= listed ? <i64>room : <i64>count();
    cursor++;
  }
  return false;
}

function beginRows(): void {
  cursor = 0;
  phase = 2;
  if (!listed || (made && !moved())) return;
  memory.copy(reference, positionsAt(), 3 * stride());
  made = true;
  phase = 1;
  if (cellsX > 0) sortIntoCells();
}

/** Whether some atom has moved half the skin. A position that is no number has. */
function moved(): bool {
  const s = stride(), bound = 0.25 * SKIN * SKIN;
  for (let i: usize = 0; i < s; i += 8) {
    const p = positionsAt() + i, q = reference + i;
    const x = load<f64>(p) - load<f64>(q), y = load<f64>(p + s) - load<f64>(q + s), z = load<f64>(p + 2 * s) - load<f64>(q + 2 * s);
    if (!(x * x + y * y + z * z < bound)) return true;
  }
  return false;
}

// ---- rows ----------------------------------------------------------------------------------------------

@inline function folded(i: i32, axis: i32, cells: i32): i32 {
  const u = load<f64>(positionsAt() + <usize>axis * stride() + (<usize>i << 3)) / edge(axis);
  return min(max(<i32>((u - floor(u)) * <f64>cells), 0), cells - 1);
}

function sortIntoCells(): void {
  const n = count(), cells = cellsX * cellsY * cellsZ;
  memory.fill(cellStarts, 0, <usize>(cells + 1) << 2);
  for (let i = 0; i < n; i++) {
    const cell = (folded(i, 2, cellsZ) * cellsY + folded(i, 1, cellsY)) * cellsX + folded(i, 0, cellsX);
    store<i32>(cellOf + (<usize>i << 2), cell);
    const at = cellStarts + (<usize>(cell + 1) << 2);
    store<i32>(at, load<i32>(at) + 1);
  }
  for (let c: usize = 0; c < <usize>cells << 2; c += 4) store<i32>(cellStarts + c, load<i32>(cellStarts + c) + load<i32>(cellStarts + c, 4), 4);
  for (let i = n - 1; i >= 0; i--) {
    const at = cellStarts + (<usize>(load<i32>(cellOf + (<usize>i << 2)) + 1) << 2), place = load<i32>(at) - 1;
    store<i32>(at, place);
    store<i32>(members + (<usize>place << 2), i);
  }
}

/** After the sort a cell's members end where the next one's begin: entry c + 1 is the start of cell c. */
@inline function cellStart(c: i32): i32 { return load<i32>(cellStarts + (<usize>(c + 1) << 2)); }
@inline function cellEnd(c: i32): i32 { return c + 1 == cellsX * cellsY * cellsZ ? count() : cellStart(c + 1); }

let rowLength: i32 = 0;

function makeRow(i: i32): void {
  const row = rows + <usize>i * (<usize>room << 2);
  rowLength = 0;
  if (cellsX == 0) for (let j = 0; j < count(); j++) offer(row, i, j);
  else offerCells(row, i);
  store<i32>(lengths + (<usize>i << 2), min(rowLength, room));
}

function offerCells(row: usize, i: i32): void {
  const cell = load<i32>(cellOf + (<usize>i << 2)), x = cell % cellsX, y = cell / cellsX % cellsY, z = cell / (cellsX * cellsY);
  for (let dz = -2; dz <= 2; dz++) for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) {
    const c = ((z + dz + cellsZ) % cellsZ * cellsY + (y + dy + cellsY) % cellsY) * cellsX + (x + dx + cellsX) % cellsX;
    for (let at = cellStart(c); at < cellEnd(c); at++) offer(row, i, load<i32>(members + (<usize>at << 2)));
  }
}

/** Inserts j by its index where it is within reach. */
function offer(row: usize, i: i32, j: i32): void {
  const reach = cutoff + SKIN;
  if (j == i || !(distance2(i, j) < reach * reach)) return;
  if (rowLength == room) { fail(Status.LIMIT_EXCEEDED); return; }
  let at = row + (<usize>rowLength << 2);
  for (; at > row && load<i32>(at - 4) > j; at -= 4) store<i32>(at, load<i32>(at - 4));
  store<i32>(at, j);
  rowLength++;
}

@inline function nearest_(d: f64, length: f64, inverse: f64): f64 { return d - length * nearest(d * inverse); }

function distance2(i: i32, j: i32): f64 {
  const s = stride(), p = positionsAt() + (<usize>i << 3), q = positionsAt() + (<usize>j << 3);
  const x = nearest_(load<f64>(p) - load<f64>(q), edge(0), inverseX), y = nearest_(load<f64>(p + s) - load<f64>(q + s), edge(1), inverseY);
  const z = nearest_(load<f64>(p + 2 * s) - load<f64>(q + 2 * s), edge(2), inverseZ);
  return x * x + y * y + z * z;
}

// ---- sums ----------------------------------------------------------------------------------------------

let fx: f64 = 0, fy: f64 = 0, fz: f64 = 0, energy: f64 = 0, virial: f64 = 0;

@inline function pair(x: f64, y: f64, z: f64, r2: f64): void {
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
  virial += f * r2;
  fx += f * x; fy += f * y; fz += f * z;
}

/** Differences and squared distances of the pairs within r_c, one behind the other: x, y, z, r². */
let near: usize = 0;

@inline function folded2(d: v128, length: v128, inverse: v128): v128 {
  return f64x2.sub(d, f64x2.mul(length, f64x2.nearest(f64x2.mul(d, inverse))));
}

/** Two neighbours at `q0` and `q1`: those within r_c go to the place `at`; of the second only where `both`. */
@inline function gather(px: v128, py: v128, pz: v128, q0: usize, q1: usize, at: usize, both: bool): usize {
  const s = stride(), wide = <usize>(room + 2) << 3, to = near + at;
  const lx = f64x2.splat(edge(0)), ly = f64x2.splat(edge(1)), lz = f64x2.splat(edge(2));
  let x = f64x2.sub(px, v128.load64_lane(q1, v128.load64_zero(q0), 1));
  let y = f64x2.sub(py, v128.load64_lane(q1 + s, v128.load64_zero(q0 + s), 1));
  let z = f64x2.sub(pz, v128.load64_lane(q1 + 2 * s, v128.load64_zero(q0 + 2 * s), 1));
  x = folded2(x, lx, f64x2.splat(inverseX));
  y = folded2(y, ly, f64x2.splat(inverseY));
  z = folded2(z, lz, f64x2.splat(inverseZ));
  const r2 = f64x2.add(f64x2.add(f64x2.mul(x, x), f64x2.mul(y, y)), f64x2.mul(z, z));
  const first = to + (f64x2.extract_lane(r2, 0) < cutoff2 ? 8 : 0);
  v128.store64_lane(to, x, 0); v128.store64_lane(to + wide, y, 0); v128.store64_lane(to + 2 * wide, z, 0); v128.store64_lane(to + 3 * wide, r2, 0);
  if (!both) return first - near;
  v128.store64_lane(first, x, 1); v128.store64_lane(first + wide, y, 1); v128.store64_lane(first + 2 * wide, z, 1); v128.store64_lane(first + 3 * wide, r2, 1);
  return first + (f64x2.extract_lane(r2, 1) < cutoff2 ? 8 : 0) - near;
}

let inverseX: f64 = 0, inverseY: f64 = 0, inverseZ: f64 = 0;

/** The row of i: first its pairs within r_c are laid together, then two are summed at once, even and odd ones. */
function sumRow(i: i32): void {
  const s = stride(), x = positionsAt(), p = x + (<usize>i << 3);
  const px = v128.load64_splat(p), py = v128.load64_splat(p + s), pz = v128.load64_splat(p + 2 * s);
  const row = rows + <usize>i * (<usize>room << 2), length = load<i32>(lengths + (<usize>i << 2)), end = row + (<usize>(length & ~1) << 2);
  let used: usize = 0;
  for (let at = row; at < end; at += 8) {
    used = gather(px, py, pz, x + (<usize>load<i32>(at) << 3), x + (<usize>load<i32>(at, 4) << 3), used, true);
  }
  if (length & 1) {
    const last = x + (<usize>load<i32>(end) << 3);
    used = gather(px, py, pz, last, last, used, false);
  }
  sumNear(used);
  keepSums(i);
}

/** Σ over the pairs in `used` bytes of each column. */
function sumNear(used: usize): void {
  const wide = <usize>(room + 2) << 3, end = near + (used & ~15), one = f64x2.splat(1.0), two = f64x2.splat(2.0);
  const atCut = f64x2.splat(atCutoff), forceAtCut = f64x2.splat(forceAtCutoff), cut = f64x2.splat(cutoff), shifted = forceAtCutoff != 0.0;
  let ax = f64x2.splat(0.0), ay = ax, az = ax, e = ax, w = ax;
  for (let at = near; at < end; at += 16) {
    const r2 = v128.load(at + 3 * wide), inv = f64x2.div(one, r2), s3 = f64x2.mul(f64x2.mul(inv, inv), inv), s6 = f64x2.mul(s3, s3);
    let u = f64x2.sub(f64x2.mul(f64x2.splat(4.0), f64x2.sub(s6, s3)), atCut);
    let f = f64x2.mul(f64x2.mul(f64x2.splat(24.0), f64x2.sub(f64x2.mul(two, s6), s3)), inv);
    if (shifted) {
      const r = f64x2.sqrt(r2);
      u = f64x2.add(u, f64x2.mul(f64x2.sub(r, cut), forceAtCut));
      f = f64x2.sub(f, f64x2.div(forceAtCut, r));
    }
    e = f64x2.add(e, u);
    w = f64x2.add(w, f64x2.mul(f, r2));
    ax = f64x2.add(ax, f64x2.mul(f, v128.load(at)));
    ay = f64x2.add(ay, f64x2.mul(f, v128.load(at + wide)));
    az = f64x2.add(az, f64x2.mul(f, v128.load(at + 2 * wide)));
  }
  clear();
  if (used & 8) pair(load<f64>(end), load<f64>(end + wide), load<f64>(end + 2 * wide), load<f64>(end + 3 * wide));
  fx += bothOf(ax); fy += bothOf(ay); fz += bothOf(az);
  energy += bothOf(e);
  virial += bothOf(w);
}

@inline function bothOf(v: v128): f64 { return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1); }

function sumAll(i: i32): void {
  const s = stride(), p = positionsAt() + (<usize>i << 3), px = load<f64>(p), py = load<f64>(p + s), pz = load<f64>(p + 2 * s);
  clear();
  for (let j = 0; j < count(); j++) {
    if (j == i) continue;
    const q = positionsAt() + (<usize>j << 3), x = px - load<f64>(q), y = py - load<f64>(q + s), z = pz - load<f64>(q + 2 * s);
    pair(x, y, z, x * x + y * y + z * z);
  }
  keepSums(i);
}

@inline function clear(): void { fx = 0.0; fy = 0.0; fz = 0.0; energy = 0.0; virial = 0.0; }

function keepSums(i: i32): void {
  const at = <usize>i << 3, s = stride();
  store<f64>(forcesAt() + at, fx);
  store<f64>(forcesAt() + at + s, fy);
  store<f64>(forcesAt() + at + 2 * s, fz);
  store<f64>(eachAt() + at, 0.5 * energy);
  store<f64>(virials + at, 0.5 * virial);
}

/** Adds every pair within r_c to one of `bins` equal bins, twice over: once from each side. */
export function countPairs(to: usize, bins: i32): void {
  for (let i = 0; i < count(); i++) {
    const row = rows + <usize>i * (<usize>room << 2), length = load<i32>(lengths + (<usize>i << 2));
    for (let k = 0; k < length; k++) {
      const bin = <i32>min(sqrt(distance2(i, load<i32>(row + (<usize>k << 2)))) / cutoff * <f64>bins, <f64>bins);
      if (bin >= bins) continue;
      const at = to + (<usize>bin << 3);
      store<f64>(at, load<f64>(at) + 1.0);
    }
  }
}
