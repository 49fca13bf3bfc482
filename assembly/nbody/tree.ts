// Newtonian attraction by a tree (Barnes & Hut 1986) with monopole and quadrupole of distant nodes, evaluated for
// groups of neighbouring bodies at once (Barnes 1990): one walk per group fills lists of nodes and of bodies, and
// the bodies of the group are then summed over them, two at a time.
//
// A node is taken whole when its centre of mass lies farther from the group's box than its opening distance. With
// R = c − x, ρ² = R² + ε², second moments S of G m about c and T their trace, expansion of the softened potential
// to second order gives
//
//   φ = M/ρ + ½ (3 RᵀSR/ρ⁵ − T/ρ³),      a = M R/ρ³ − 3 S R/ρ⁵ + (15/2) (RᵀSR) R/ρ⁷ − (3/2) T R/ρ⁵
//
// Groups are worked off in the order of the tree; each depends on the positions only, so that several threads share them
// (../kernel/team.ts), with a room to work in each. As a body moves, nodes switch
// between whole and opened: the force is not smooth enough for radau15, which is refused with it.

import { allocate } from "../kernel/frame";
import { SEATS, TEAM, each, seat } from "../kernel/team";
import { accelerationsAt, count, massesAt, stride } from "./bodies";
import {
  bodyAt, buildOctree, countOf, firstOf, isLeaf, layOctree, nextOf, nodeAt, nodes, sortedAt, sortedStride, spareKeysAt,
  sumOverBodies,
} from "./octree";
import { openingAngle, softening } from "./problem";
import { sliceSpent, take } from "./slice";

/** Most bodies of a group: a node with no more, under one with more; or a part of a leaf that has more itself. */
const GROUP: i32 = 64;
/** Entries in a list before it is summed. */
const LIST: i32 = 256;

/** Groups that are given to threads at once. */
const BATCH: i32 = TEAM ? 64 : 1;

/** Of a thread: bodies to sum, nodes to sum, sums of the group. */
let roomsAt: usize = 0;
/** Work units of each group of a batch, i64. */
let spentAt: usize = 0;

/** Bodies to sum: x y z G m, each LIST f64. */
let bodiesAt: usize = 0;
const BODY_COLUMN: usize = <usize>LIST << 3;
let bodiesListed: i32 = 0;
/** Nodes to sum, one after another: G M, centre, 3/2 S (xx xy xz yy yz zz), T/2. */
let cellsAt: usize = 0;
const CELL: usize = 88;
/** Constants from memory: the engine would build them anew in the loop. */
const ones = memory.data<f64>([1.0, 1.0], 16);
const fives = memory.data<f64>([5.0, 5.0], 16);
let cellsListed: i32 = 0;
/** ax ay az φ of the group's bodies. */
let sumsAt: usize = 0;
const SUMS_COLUMN: usize = <usize>GROUP << 3;
const ROOM: usize = 4 * BODY_COLUMN + <usize>LIST * CELL + 4 * SUMS_COLUMN;

/** Σⱼ G mⱼ/r of every body, in the order of the bodies. */
let potentialsAt: usize = 0;
export function treePotentials(): usize { return potentialsAt; }

/** Of the groups, and how many are done. Node and first body of each, i32, stand where the keys were sorted. */
let groups: i32 = 0;
let groupNow: i32 = 0;
let potential: f64 = 0;
let softening2: f64 = 0;

/**
 * Work units of one evaluation, fitted to Plummer spheres of 2·10³ to 4·10⁴ bodies and θ from 0 to 1: a body meets
 * N0 log₂(1 + N/N0) others, N0 = 325/θ², so all of them with a small θ. `src/solvers/multibody/cost.ts` states the same formula.
 */
export function treeCost(bodies: i64): i64 {
  const n = <f64>bodies, theta = openingAngle(), reach = 325.0 / (theta * theta);
  const met = reach < 1e9 ? reach * logarithm(1.0 + n / reach) : 1.44 * n;
  return <i64>(n * (2.34 * met + BUILD));
}
/** Of sorting a body into the tree. */
const BUILD: f64 = 300;

/** log₂ x, x ≥ 1, to 0.003: 2 artanh((m − 1)/(m + 1)) / ln 2 to its second term, m = x / 2ᵏ. */
function logarithm(x: f64): f64 {
  let exponent: f64 = 0;
  while (x >= 2.0) { x *= 0.5; exponent += 1.0; }
  const u = (x - 1.0) / (x + 1.0);
  return exponent + 2.8853900817779268 * (u + u * u * u / 3.0);
}

export function layTree(): void {
  layOctree();
  softening2 = softening() * softening();
  roomsAt = allocate((TEAM ? <usize>SEATS : 1) * ROOM);
  spentAt = allocate(<usize>BATCH << 3);
  potentialsAt = allocate(stride);
}

export function treePotential(): f64 { return -0.5 * potential; }

export function beginTree(): void {
  buildOctree();
  take(<i64>BUILD * count);
  groups = 0; groupNow = 0;
  for (let index = 0; index < nodes; ) {
    const node = nodeAt(index);
    if (countOf(node) > GROUP && !isLeaf(node)) { index++; continue; }
    for (let first = firstOf(node); first < firstOf(node) + countOf(node); first += GROUP) {
      store<i32>(spareKeysAt + (<usize>groups << 3), index);
      store<i32>(spareKeysAt + (<usize>groups << 3), first, 4);
      groups++;
    }
    index = nextOf(node);
  }
}

/** Goes on from group to group: true when all are done, false when the slice is spent. */
export function continueTree(): bool {
  while (groupNow < groups) {
    const batch = min(BATCH, groups - groupNow);
    each(sumGroup, batch);
    for (let k = 0; k < batch; k++) take(load<i64>(spentAt + (<usize>k << 3)));
    groupNow += batch;
    if (groupNow < groups && sliceSpent()) return false;
  }
  potential = sumOverBodies(massesAt, potentialsAt);
  return true;
}

// ---- one group ---------------------------------------------------------------------------------------------

let groupFirst: i32 = 0;
let groupCount: i32 = 0;
let spent: i64 = 0;

/** The k-th group of the batch. */
function sumGroup(k: i32): void {
  const entry = spareKeysAt + (<usize>(groupNow + k) << 3), group = nodeAt(load<i32>(entry));
  bodiesAt = roomsAt + (TEAM ? <usize>seat() : 0) * ROOM;
  cellsAt = bodiesAt + 4 * BODY_COLUMN;
  sumsAt = cellsAt + <usize>LIST * CELL;
  groupFirst = load<i32>(entry, 4);
  groupCount = min(GROUP, firstOf(group) + countOf(group) - groupFirst);
  bodiesListed = 0; cellsListed = 0; spent = 0;
  memory.fill(sumsAt, 0, 4 * SUMS_COLUMN);
  for (let index = 0; index < nodes; ) {
    const node = nodeAt(index);
    if (isFar(node, group)) { listCell(node); index = nextOf(node); }
    else if (isLeaf(node)) { listBodies(node); index = nextOf(node); }
    else index++;
  }
  sumBodies();
  sumCells();
  scatter();
  store<i64>(spentAt + (<usize>k << 3), spent);
}

/** The node's centre lies farther from the group's box than its opening distance. */
@inline function isFar(node: usize, group: usize): bool {
  let d2: f64 = 0;
  for (let axis: usize = 0; axis < 24; axis += 8) {
    const c = load<f64>(node + axis, 8);
    const d = max(max(load<f64>(group + axis, 88) - c, c - load<f64>(group + axis, 112)), 0.0);
    d2 += d * d;
  }
  return d2 > load<f64>(node, 80);
}

function listCell(node: usize): void {
  const to = cellsAt + <usize>cellsListed * CELL;
  for (let at: usize = 0; at < 32; at += 8) store<f64>(to + at, load<f64>(node + at));
  for (let at: usize = 32; at < 80; at += 8) store<f64>(to + at, 1.5 * load<f64>(node + at));
  store<f64>(to, 0.5 * (load<f64>(node, 32) + load<f64>(node, 56) + load<f64>(node, 72)), 80);
  if (++cellsListed == LIST) sumCells();
}

function listBodies(node: usize): void {
  const end = firstOf(node) + countOf(node);
  for (let i = firstOf(node); i < end; i++) {
    const from = sortedAt + (<usize>i << 3), to = bodiesAt + (<usize>bodiesListed << 3);
    store<f64>(to, load<f64>(from));
    store<f64>(to + BODY_COLUMN, load<f64>(from + sortedStride));
    store<f64>(to + 2 * BODY_COLUMN, load<f64>(from + 2 * sortedStride));
    store<f64>(to + 3 * BODY_COLUMN, load<f64>(from + 3 * sortedStride));
    if (++bodiesListed == LIST) sumBodies();
  }
}

function sumBodies(): void {
  for (let k = 0; k < groupCount; k += 2) bodiesOn(k);
  spent += 34 * <i64>bodiesListed * <i64>groupCount / 10;
  bodiesListed = 0;
}

function sumCells(): void {
  for (let k = 0; k < groupCount; k += 2) cellsOn(k);
  spent += 66 * <i64>cellsListed * <i64>groupCount / 10;
  cellsListed = 0;
}

/** Listed bodies on bodies k, k+1 of the group. A body meets itself at distance 0 and is masked out. */
function bodiesOn(k: i32): void {
  const at = sortedAt + (<usize>(groupFirst + k) << 3);
  const xi = v128.load(at), yi = v128.load(at + sortedStride), zi = v128.load(at + 2 * sortedStride);
  const eps2 = f64x2.splat(softening2), zero = f64x2.splat(0.0), one = v128.load(ones);
  let ax = zero, ay = zero, az = zero, phi = zero;
  const end = bodiesAt + (<usize>bodiesListed << 3);
  for (let p = bodiesAt; p < end; p += 8) {
    const dx = f64x2.sub(v128.load64_splat(p), xi);
    const dy = f64x2.sub(v128.load64_splat(p, BODY_COLUMN), yi);
    const dz = f64x2.sub(v128.load64_splat(p, 2 * BODY_COLUMN), zi);
    const r2 = f64x2.add(f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy)), f64x2.mul(dz, dz));
    const inverse = v128.and(f64x2.div(one, f64x2.sqrt(f64x2.add(r2, eps2))), f64x2.gt(r2, zero));
    const g = f64x2.mul(v128.load64_splat(p, 3 * BODY_COLUMN), inverse);
    phi = f64x2.add(phi, g);
    const w = f64x2.mul(f64x2.mul(inverse, inverse), g);
    ax = f64x2.add(ax, f64x2.mul(w, dx));
    ay = f64x2.add(ay, f64x2.mul(w, dy));
    az = f64x2.add(az, f64x2.mul(w, dz));
  }
  addTo(k, ax, ay, az, phi);
}

/** Listed nodes on bodies k, k+1 of the group. */
function cellsOn(k: i32): void {
  const at = sortedAt + (<usize>(groupFirst + k) << 3);
  const xi = v128.load(at), yi = v128.load(at + sortedStride), zi = v128.load(at + 2 * sortedStride);
  const eps2 = f64x2.splat(softening2), one = v128.load(ones), five = v128.load(fives);
  let ax = f64x2.splat(0.0), ay = ax, az = ax, phi = ax;
  const end = cellsAt + <usize>cellsListed * CELL;
  for (let c = cellsAt; c < end; c += CELL) {
    const x = f64x2.sub(v128.load64_splat(c, 8), xi);
    const y = f64x2.sub(v128.load64_splat(c, 16), yi);
    const z = f64x2.sub(v128.load64_splat(c, 24), zi);
    const r2 = f64x2.add(f64x2.add(f64x2.add(f64x2.mul(x, x), f64x2.mul(y, y)), f64x2.mul(z, z)), eps2);
    const inverse = f64x2.div(one, f64x2.sqrt(r2));
    const i2 = f64x2.mul(inverse, inverse), i3 = f64x2.mul(i2, inverse);
    const xy = v128.load64_splat(c, 40), xz = v128.load64_splat(c, 48), yz = v128.load64_splat(c, 64);
    const sx = f64x2.add(f64x2.add(f64x2.mul(v128.load64_splat(c, 32), x), f64x2.mul(xy, y)), f64x2.mul(xz, z));
    const sy = f64x2.add(f64x2.add(f64x2.mul(xy, x), f64x2.mul(v128.load64_splat(c, 56), y)), f64x2.mul(yz, z));
    const sz = f64x2.add(f64x2.add(f64x2.mul(xz, x), f64x2.mul(yz, y)), f64x2.mul(v128.load64_splat(c, 72), z));
    // h = ½ (3 RᵀSR/ρ² − T), so that φ = M/ρ + h/ρ³ and a = (M + (5 h + T)/ρ²) R/ρ³ − 3 S R/ρ⁵.
    const rsr = f64x2.add(f64x2.add(f64x2.mul(sx, x), f64x2.mul(sy, y)), f64x2.mul(sz, z));
    const mass = v128.load64_splat(c), trace = v128.load64_splat(c, 80);
    const h = f64x2.sub(f64x2.mul(i2, rsr), trace);
    phi = f64x2.add(phi, f64x2.mul(inverse, f64x2.add(mass, f64x2.mul(i2, h))));
    const radial = f64x2.add(f64x2.mul(five, h), f64x2.add(trace, trace));
    const along = f64x2.mul(i3, f64x2.add(mass, f64x2.mul(i2, radial)));
    const across = f64x2.mul(i3, f64x2.add(i2, i2));
    ax = f64x2.add(ax, f64x2.sub(f64x2.mul(along, x), f64x2.mul(across, sx)));
    ay = f64x2.add(ay, f64x2.sub(f64x2.mul(along, y), f64x2.mul(across, sy)));
    az = f64x2.add(az, f64x2.sub(f64x2.mul(along, z), f64x2.mul(across, sz)));
  }
  addTo(k, ax, ay, az, phi);
}

@inline function addTo(k: i32, ax: v128, ay: v128, az: v128, phi: v128): void {
  const to = sumsAt + (<usize>k << 3);
  v128.store(to, f64x2.add(v128.load(to), ax));
  v128.store(to + SUMS_COLUMN, f64x2.add(v128.load(to + SUMS_COLUMN), ay));
  v128.store(to + 2 * SUMS_COLUMN, f64x2.add(v128.load(to + 2 * SUMS_COLUMN), az));
  v128.store(to + 3 * SUMS_COLUMN, f64x2.add(v128.load(to + 3 * SUMS_COLUMN), phi));
}

/** From the order of the tree to that of the bodies. */
function scatter(): void {
  for (let k = 0; k < groupCount; k++) {
    const body = bodyAt(groupFirst + k) << 3;
    const from = sumsAt + (<usize>k << 3);
    store<f64>(accelerationsAt + body, load<f64>(from));
    store<f64>(accelerationsAt + stride + body, load<f64>(from + SUMS_COLUMN));
    store<f64>(accelerationsAt + 2 * stride + body, load<f64>(from + 2 * SUMS_COLUMN));
    store<f64>(potentialsAt + body, load<f64>(from + 3 * SUMS_COLUMN));
  }
}
