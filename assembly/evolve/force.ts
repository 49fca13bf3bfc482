// Lennard-Jones forces, u = 4(r⁻¹² − r⁻⁶), each pair once, in rows of neighbours (Verlet, Phys. Rev. 159 (1967) 98; Allen &
// Tildesley, Computer Simulation of Liquids, 2nd ed., §1.6.3, §5.2–5.3). A row has the neighbours behind its atom and rises
// by index, so an atom's sum takes its pairs in the order of the other atom; what lies beyond r_c adds nothing. So the sums
// do not know when the rows were made. Rows reach 0.3σ beyond r_c and are made anew when an atom has moved half of that.
// Without r_c every other atom is a neighbour.
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
/** Rows as they were found, to be sorted before they are summed. */
let unsorted: bool = false;

/** The atoms side by side, x y z and a spare one. */
let places: usize = 0;
const PLACE: usize = 32;
/** What pairs have added to an atom so far: fx fy fz, u, r·f, and a spare one. */
let sums: usize = 0;
const SUM: usize = 48;

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
  places = allocate(<usize>n * PLACE);
  sums = allocate(<usize>n * SUM);
  made = false;
  unsorted = false;
  phase = 0;
  if (!listed) return;
  room = <i32>parameterF64(152);
  rows = allocate(<usize>n * (<usize>room << 2));
  lengths = allocate(<usize>n << 2);
  reference = allocate(3 * stride());
  near = allocate(<usize>(room + 2) * 36);
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
      cursor = 0;
      if (phase == 2) { phase = 0; unsorted = false; share(); return true; }
      phase = 2;
      continue;
    }
    if (phase == 1) makeRow(cursor); else if (listed) sumRow(cursor); else sumAll(cursor);
    units -= listed ? <i64>room : <i64>count();
    cursor++;
  }
  return false;
}

function placeAtoms(): void {
  const s = stride();
  for (let i: usize = 0, to = places; i < s; i += 8, to += PLACE) {
    const p = positionsAt() + i;
    store<f64>(to, load<f64>(p));
    store<f64>(to, load<f64>(p + s), 8);
    store<f64>(to, load<f64>(p + 2 * s), 16);
  }
  memory.fill(sums, 0, <usize>count() * SUM);
}

function beginRows(): void {
  cursor = 0;
  phase = 2;
  placeAtoms();
  if (!listed || (made && !moved())) return;
  memory.copy(reference, positionsAt(), 3 * stride());
  made = true;
  unsorted = true;
  phase = 1;
  memory.fill(lengths, 0, <usize>count() << 2);
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

/** The pairs that atom i finds: with cells the other members of its own and those of half the cells around. */
function makeRow(i: i32): void {
  if (cellsX == 0) { for (let j = i + 1; j < count(); j++) offer(i, j); return; }
  const cell = load<i32>(cellOf + (<usize>i << 2)), x = cell % cellsX, y = cell / cellsX % cellsY, z = cell / (cellsX * cellsY);
  for (let at = cellEnd(cell) - 1; at >= 0; at--) {
    const j = load<i32>(members + (<usize>at << 2));
    if (j == i) break;
    offer(i, j);
  }
  offerRange(i, y, z, x + 1, x + 2);
  for (let dy = 1; dy <= 2; dy++) offerRange(i, wrapped(y + dy, cellsY), z, x - 2, x + 2);
  for (let dz = 1; dz <= 2; dz++) for (let dy = -2; dy <= 2; dy++) {
    offerRange(i, wrapped(y + dy, cellsY), wrapped(z + dz, cellsZ), x - 2, x + 2);
  }
}

@inline function wrapped(c: i32, cells: i32): i32 { return c < 0 ? c + cells : c >= cells ? c - cells : c; }

/** Cells from x0 to x1 of a line; what reaches over its ends is at its other end. */
function offerRange(i: i32, y: i32, z: i32, x0: i32, x1: i32): void {
  const line = (z * cellsY + y) * cellsX;
  if (x0 < 0) offerCells(i, line + x0 + cellsX, line + cellsX - 1);
  offerCells(i, line + max(x0, 0), line + min(x1, cellsX - 1));
  if (x1 >= cellsX) offerCells(i, line + max(x0 - cellsX, 0), line + x1 - cellsX);
}

@inline function offerCells(i: i32, first: i32, last: i32): void {
  if (first > last) return;
  const end = cellEnd(last);
  for (let at = cellStart(first); at < end; at++) offer(i, load<i32>(members + (<usize>at << 2)));
}

/** A pair within reach goes behind the row of the atom with the lower index. */
@inline function offer(i: i32, j: i32): void {
  const reach = cutoff + SKIN;
  if (distance2(i, j) < reach * reach) append(min(i, j), max(i, j));
}

function append(i: i32, j: i32): void {
  const at = lengths + (<usize>i << 2), length = load<i32>(at);
  if (length == room) { fail(Status.LIMIT_EXCEEDED); return; }
  store<i32>(rows + (<usize>i * <usize>room + <usize>length << 2), j);
  store<i32>(at, length + 1);
}

/** By insertion: a row has some forty entries. */
function sortRow(row: usize, end: usize): void {
  for (let at = row + 4; at < end; at += 4) {
    const j = load<i32>(at);
    let to = at;
    for (; to > row && load<i32>(to - 4) > j; to -= 4) store<i32>(to, load<i32>(to - 4));
    store<i32>(to, j);
  }
}

@inline function nearest_(d: f64, length: f64, inverse: f64): f64 { return d - length * nearest(d * inverse); }

@inline function distance2(i: i32, j: i32): f64 {
  const p = places + <usize>i * PLACE, q = places + <usize>j * PLACE;
  const x = nearest_(load<f64>(p) - load<f64>(q), edge(0), inverseX), y = nearest_(load<f64>(p, 8) - load<f64>(q, 8), edge(1), inverseY);
  const z = nearest_(load<f64>(p, 16) - load<f64>(q, 16), edge(2), inverseZ);
  return x * x + y * y + z * z;
}

// ---- sums ----------------------------------------------------------------------------------------------

let fx: f64 = 0, fy: f64 = 0, fz: f64 = 0, energy: f64 = 0, virial: f64 = 0;

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
  virial += f * r2;
  fx += f * x; fy += f * y; fz += f * z;
  store<f64>(other, load<f64>(other) - f * x);
  store<f64>(other, load<f64>(other, 8) - f * y, 8);
  store<f64>(other, load<f64>(other, 16) - f * z, 16);
  store<f64>(other, load<f64>(other, 24) + u, 24);
  store<f64>(other, load<f64>(other, 32) + f * r2, 32);
}

/** Of the pairs within r_c, one behind the other: x, y, z, r², and where the other's sums are. */
let near: usize = 0;

@inline function folded2(d: v128, length: v128, inverse: v128): v128 {
  return f64x2.sub(d, f64x2.mul(length, f64x2.nearest(f64x2.mul(d, inverse))));
}

/** Neighbours j0, j1: those within r_c go to the place `at`; of the second only where `both`. */
@inline function gather(px: v128, py: v128, pz: v128, j0: i32, j1: i32, at: usize, both: bool): usize {
  const wide = <usize>(room + 2) << 3, to = near + at, q0 = places + <usize>j0 * PLACE, q1 = places + <usize>j1 * PLACE;
  const xy0 = v128.load(q0), xy1 = v128.load(q1);
  let x = f64x2.sub(px, v128.shuffle<f64>(xy0, xy1, 0, 2));
  let y = f64x2.sub(py, v128.shuffle<f64>(xy0, xy1, 1, 3));
  let z = f64x2.sub(pz, v128.load64_lane(q1 + 16, v128.load64_zero(q0 + 16), 1));
  x = folded2(x, f64x2.splat(edge(0)), f64x2.splat(inverseX));
  y = folded2(y, f64x2.splat(edge(1)), f64x2.splat(inverseY));
  z = folded2(z, f64x2.splat(edge(2)), f64x2.splat(inverseZ));
  const r2 = f64x2.add(f64x2.add(f64x2.mul(x, x), f64x2.mul(y, y)), f64x2.mul(z, z));
  const first = to + (f64x2.extract_lane(r2, 0) < cutoff2 ? 8 : 0), others = near + 4 * wide;
  v128.store64_lane(to, x, 0); v128.store64_lane(to + wide, y, 0); v128.store64_lane(to + 2 * wide, z, 0); v128.store64_lane(to + 3 * wide, r2, 0);
  store<u32>(others + (at >> 1), <u32>(sums + <usize>j0 * SUM));
  if (!both) return first - near;
  v128.store64_lane(first, x, 1); v128.store64_lane(first + wide, y, 1); v128.store64_lane(first + 2 * wide, z, 1); v128.store64_lane(first + 3 * wide, r2, 1);
  store<u32>(others + (first - near >> 1), <u32>(sums + <usize>j1 * SUM));
  return first + (f64x2.extract_lane(r2, 1) < cutoff2 ? 8 : 0) - near;
}

let inverseX: f64 = 0, inverseY: f64 = 0, inverseZ: f64 = 0;

/** The row of i: first its pairs within r_c are laid together, then two are summed at once, even and odd ones. */
function sumRow(i: i32): void {
  const p = places + <usize>i * PLACE;
  const px = v128.load64_splat(p), py = v128.load64_splat(p, 8), pz = v128.load64_splat(p, 16);
  const row = rows + <usize>i * (<usize>room << 2), length = load<i32>(lengths + (<usize>i << 2)), end = row + (<usize>(length & ~1) << 2);
  if (unsorted) sortRow(row, row + (<usize>length << 2));
  let used: usize = 0;
  for (let at = row; at < end; at += 8) used = gather(px, py, pz, load<i32>(at), load<i32>(at, 4), used, true);
  if (length & 1) used = gather(px, py, pz, load<i32>(end), load<i32>(end), used, false);
  sumNear(used);
  keepSums(i);
}

const ones = memory.data<f64>([1.0, 1.0], 16);
const fours = memory.data<f64>([4.0, 4.0], 16);
const twentyfours = memory.data<f64>([24.0, 24.0], 16);

/** Σ over the pairs in `used` bytes of each column. */
function sumNear(used: usize): void {
  const wide = <usize>(room + 2) << 3, end = near + (used & ~15), one = v128.load(ones), four = v128.load(fours);
  const atCut = f64x2.splat(atCutoff), forceAtCut = f64x2.splat(forceAtCutoff), cut = f64x2.splat(cutoff), shifted = forceAtCutoff != 0.0;
  let ax = f64x2.splat(0.0), ay = ax, az = ax, e = ax, w = ax, others = near + 4 * wide;
  for (let at = near; at < end; at += 16, others += 8) {
    const r2 = v128.load(at + 3 * wide), inv = f64x2.div(one, r2), s3 = f64x2.mul(f64x2.mul(inv, inv), inv), s6 = f64x2.mul(s3, s3);
    const difference = f64x2.sub(s6, s3);
    let u = f64x2.sub(f64x2.mul(four, difference), atCut);
    let f = f64x2.mul(f64x2.mul(v128.load(twentyfours), f64x2.add(s6, difference)), inv);
    if (shifted) {
      const r = f64x2.sqrt(r2);
      u = f64x2.add(u, f64x2.mul(f64x2.sub(r, cut), forceAtCut));
      f = f64x2.sub(f, f64x2.div(forceAtCut, r));
    }
    const x = f64x2.mul(f, v128.load(at)), y = f64x2.mul(f, v128.load(at + wide)), z = f64x2.mul(f, v128.load(at + 2 * wide));
    const v = f64x2.mul(f, r2);
    ax = f64x2.add(ax, x);
    ay = f64x2.add(ay, y);
    az = f64x2.add(az, z);
    e = f64x2.add(e, u);
    w = f64x2.add(w, v);
    addToOther(<usize>load<u32>(others), v128.shuffle<f64>(x, y, 0, 2), v128.shuffle<f64>(z, u, 0, 2), v);
    addToOther(<usize>load<u32>(others, 4), v128.shuffle<f64>(x, y, 1, 3), v128.shuffle<f64>(z, u, 1, 3), v128.shuffle<f64>(v, v, 1, 3));
  }
  clear();
  if (used & 8) pair(load<f64>(end), load<f64>(end + wide), load<f64>(end + 2 * wide), load<f64>(end + 3 * wide), <usize>load<u32>(others));
  fx += bothOf(ax); fy += bothOf(ay); fz += bothOf(az);
  energy += bothOf(e);
  virial += bothOf(w);
}

const signs = memory.data<u64>([0, 0x8000000000000000], 16);

/** The reaction (x, y), z with u, and r·f in the lower lane. */
@inline function addToOther(to: usize, xy: v128, zu: v128, v: v128): void {
  v128.store(to, f64x2.sub(v128.load(to), xy));
  // (z, u) is taken off and added: u with its sign turned is taken off.
  v128.store(to, f64x2.sub(v128.load(to, 16), v128.xor(zu, v128.load(signs))), 16);
  v128.store(to, f64x2.add(v128.load(to, 32), v), 32);
}

@inline function bothOf(v: v128): f64 { return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1); }

function sumAll(i: i32): void {
  const s = stride(), p = positionsAt() + (<usize>i << 3), px = load<f64>(p), py = load<f64>(p + s), pz = load<f64>(p + 2 * s);
  clear();
  for (let j = i + 1; j < count(); j++) {
    const q = positionsAt() + (<usize>j << 3), x = px - load<f64>(q), y = py - load<f64>(q + s), z = pz - load<f64>(q + 2 * s);
    pair(x, y, z, x * x + y * y + z * z, sums + <usize>j * SUM);
  }
  keepSums(i);
}

@inline function clear(): void { fx = 0.0; fy = 0.0; fz = 0.0; energy = 0.0; virial = 0.0; }

function keepSums(i: i32): void {
  const at = sums + <usize>i * SUM;
  store<f64>(at, load<f64>(at) + fx);
  store<f64>(at, load<f64>(at, 8) + fy, 8);
  store<f64>(at, load<f64>(at, 16) + fz, 16);
  store<f64>(at, load<f64>(at, 24) + energy, 24);
  store<f64>(at, load<f64>(at, 32) + virial, 32);
}

/** To the arrays of forces, and of the atoms' halves of energies and virials. */
function share(): void {
  const s = stride();
  for (let i: usize = 0, from = sums; i < s; i += 8, from += SUM) {
    const to = forcesAt() + i;
    store<f64>(to, load<f64>(from));
    store<f64>(to + s, load<f64>(from, 8));
    store<f64>(to + 2 * s, load<f64>(from, 16));
    store<f64>(eachAt() + i, 0.5 * load<f64>(from, 24));
    store<f64>(virials + i, 0.5 * load<f64>(from, 32));
  }
}

/** Adds every pair within r_c to one of `bins` equal bins, twice over: once from each side. */
export function countPairs(to: usize, bins: i32): void {
  for (let i = 0; i < count(); i++) {
    const row = rows + <usize>i * (<usize>room << 2), length = load<i32>(lengths + (<usize>i << 2));
    for (let k = 0; k < length; k++) {
      const bin = <i32>min(sqrt(distance2(i, load<i32>(row + (<usize>k << 2)))) / cutoff * <f64>bins, <f64>bins);
      if (bin >= bins) continue;
      const at = to + (<usize>bin << 3);
      store<f64>(at, load<f64>(at) + 2.0);
    }
  }
}
