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
// Groups are worked off in the order of the tree; each depends on the positions only. As a body moves, nodes switch
// between whole and opened: the force is not smooth enough for radau15, which is refused with it.

import { allocate } from "../kernel/frame";
import { accelerationsAt, count, massesAt, stride } from "./bodies";
import {
  buildOctree, countOf, firstOf, isLeaf, layOctree, nextOf, nodeAt, nodes, orderAt, sortedAt, sortedStride,
} from "./octree";
import { openingAngle, softening } from "./problem";
import { sliceSpent, take } from "./slice";

/** Most bodies of a group: a node with no more, under one with more. */
const GROUP: i32 = 64;
/** Entries in a list before it is summed. */
const LIST: i32 = 256;

/** Bodies to sum: x y z G m, each LIST f64. */
let bodiesAt: usize = 0;
const BODY_COLUMN: usize = <usize>LIST << 3;
let bodiesListed: i32 = 0;
/** Nodes to sum: the ten f64 a node begins with, one after another. */
let cellsAt: usize = 0;
const CELL: usize = 80;
let cellsListed: i32 = 0;
/** ax ay az φ of the group's bodies. */
let sumsAt: usize = 0;
let sumsStride: usize = 0;

/** Σⱼ G mⱼ/r of every body, in the order of the bodies. */
let potentialsAt: usize = 0;
export function treePotentials(): usize { return potentialsAt; }

let nodeNow: i32 = 0;
let potentialSum: f64 = 0;
let potentialError: f64 = 0;
let softening2: f64 = 0;

/**
 * Work units of one evaluation, fitted to Plummer spheres of 10³ to 6·10⁴ bodies; with a small θ that of meeting
 * every body. `src/solvers/multibody/cost.ts` states the same formula.
 */
export function treeCost(bodies: i64): i64 {
  const theta = openingAngle();
  const perBody = min(1.7 * <f64>bodies, 116.0 * logarithm(bodies) / (theta * sqrt(theta)));
  return <i64>(<f64>bodies * (perBody + 400.0));
}

/** log₂ N, between powers of two by the chord. */
function logarithm(bodies: i64): f64 {
  let power: i64 = 1, exponent: i64 = 0;
  while (2 * power <= bodies) { power *= 2; exponent++; }
  return <f64>exponent + <f64>bodies / <f64>power - 1.0;
}

export function layTree(): void {
  layOctree();
  softening2 = softening() * softening();
  bodiesAt = allocate(4 * BODY_COLUMN);
  cellsAt = allocate(<usize>LIST * CELL);
  sumsStride = (<usize>count + 2) << 3;
  sumsAt = allocate(4 * sumsStride);
  potentialsAt = allocate(stride);
}

export function treePotential(): f64 { return -0.5 * (potentialSum + potentialError); }

export function beginTree(): void {
  buildOctree();
  take(400 * count);
  nodeNow = 0;
  potentialSum = 0; potentialError = 0;
}

/** Goes on from group to group: true when all are done, false when the slice is spent. */
export function continueTree(): bool {
  while (nodeNow < nodes) {
    const node = nodeAt(nodeNow);
    if (countOf(node) > GROUP && !isLeaf(node)) { nodeNow++; continue; }
    take(sumGroup(node));
    nodeNow = nextOf(node);
    if (sliceSpent()) return false;
  }
  return true;
}

// ---- one group ---------------------------------------------------------------------------------------------

let groupFirst: i32 = 0;
let groupCount: i32 = 0;
let spent: i64 = 0;

function sumGroup(group: usize): i64 {
  groupFirst = firstOf(group); groupCount = countOf(group);
  bodiesListed = 0; cellsListed = 0; spent = 0;
  for (let column: usize = 0; column < 4; column++) {
    memory.fill(sumsAt + column * sumsStride, 0, <usize>(groupCount + 1) << 3);
  }
  for (let index = 0; index < nodes; ) {
    const node = nodeAt(index);
    if (isFar(node, group)) { listCell(node); index = nextOf(node); }
    else if (isLeaf(node)) { listBodies(node); index = nextOf(node); }
    else index++;
  }
  sumBodies();
  sumCells();
  scatter();
  return spent;
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
  memory.copy(cellsAt + <usize>cellsListed * CELL, node, CELL);
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
  spent += 17 * <i64>bodiesListed * <i64>groupCount / 10;
  bodiesListed = 0;
}

function sumCells(): void {
  for (let k = 0; k < groupCount; k += 2) cellsOn(k);
  spent += 33 * <i64>cellsListed * <i64>groupCount / 10;
  cellsListed = 0;
}

/** Listed bodies on bodies k, k+1 of the group. A body meets itself at distance 0 and is masked out. */
function bodiesOn(k: i32): void {
  const at = sortedAt + (<usize>(groupFirst + k) << 3);
  const xi = v128.load(at), yi = v128.load(at + sortedStride), zi = v128.load(at + 2 * sortedStride);
  const eps2 = f64x2.splat(softening2), zero = f64x2.splat(0.0), one = f64x2.splat(1.0);
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
  const eps2 = f64x2.splat(softening2), one = f64x2.splat(1.0);
  let ax = f64x2.splat(0.0), ay = ax, az = ax, phi = ax;
  const end = cellsAt + <usize>cellsListed * CELL;
  for (let c = cellsAt; c < end; c += CELL) {
    const x = f64x2.sub(v128.load64_splat(c, 8), xi);
    const y = f64x2.sub(v128.load64_splat(c, 16), yi);
    const z = f64x2.sub(v128.load64_splat(c, 24), zi);
    const r2 = f64x2.add(f64x2.add(f64x2.add(f64x2.mul(x, x), f64x2.mul(y, y)), f64x2.mul(z, z)), eps2);
    const inverse = f64x2.div(one, f64x2.sqrt(r2));
    const i2 = f64x2.mul(inverse, inverse);
    const xx = v128.load64_splat(c, 32), xy = v128.load64_splat(c, 40), xz = v128.load64_splat(c, 48);
    const yy = v128.load64_splat(c, 56), yz = v128.load64_splat(c, 64), zz = v128.load64_splat(c, 72);
    const sx = f64x2.add(f64x2.add(f64x2.mul(xx, x), f64x2.mul(xy, y)), f64x2.mul(xz, z));
    const sy = f64x2.add(f64x2.add(f64x2.mul(xy, x), f64x2.mul(yy, y)), f64x2.mul(yz, z));
    const sz = f64x2.add(f64x2.add(f64x2.mul(xz, x), f64x2.mul(yz, y)), f64x2.mul(zz, z));
    // In units of 1/ρ³: q = 3 RᵀSR/ρ², so that φ = M/ρ + ½ (q − T)/ρ³ and a = (M + (2.5 q − 1.5 T)/ρ²) R − 3 S R/ρ².
    const rsr = f64x2.add(f64x2.add(f64x2.mul(sx, x), f64x2.mul(sy, y)), f64x2.mul(sz, z));
    const q = f64x2.mul(f64x2.mul(f64x2.splat(3.0), i2), rsr);
    const trace = f64x2.add(f64x2.add(xx, yy), zz);
    const mass = v128.load64_splat(c);
    const half = f64x2.mul(f64x2.splat(0.5), f64x2.sub(q, trace));
    phi = f64x2.add(phi, f64x2.mul(inverse, f64x2.add(mass, f64x2.mul(i2, half))));
    const radial = f64x2.sub(f64x2.mul(f64x2.splat(2.5), q), f64x2.mul(f64x2.splat(1.5), trace));
    const along = f64x2.add(mass, f64x2.mul(i2, radial));
    const i3 = f64x2.mul(i2, inverse), three = f64x2.mul(f64x2.splat(3.0), i2);
    ax = f64x2.add(ax, f64x2.mul(i3, f64x2.sub(f64x2.mul(along, x), f64x2.mul(three, sx))));
    ay = f64x2.add(ay, f64x2.mul(i3, f64x2.sub(f64x2.mul(along, y), f64x2.mul(three, sy))));
    az = f64x2.add(az, f64x2.mul(i3, f64x2.sub(f64x2.mul(along, z), f64x2.mul(three, sz))));
  }
  addTo(k, ax, ay, az, phi);
}

@inline function addTo(k: i32, ax: v128, ay: v128, az: v128, phi: v128): void {
  const to = sumsAt + (<usize>k << 3);
  v128.store(to, f64x2.add(v128.load(to), ax));
  v128.store(to + sumsStride, f64x2.add(v128.load(to + sumsStride), ay));
  v128.store(to + 2 * sumsStride, f64x2.add(v128.load(to + 2 * sumsStride), az));
  v128.store(to + 3 * sumsStride, f64x2.add(v128.load(to + 3 * sumsStride), phi));
}

/** From the order of the tree to that of the bodies, and m φ to the potential (two-sum). */
function scatter(): void {
  for (let k = 0; k < groupCount; k++) {
    const body = <usize>load<i32>(orderAt + (<usize>(groupFirst + k) << 2)) << 3;
    const from = sumsAt + (<usize>k << 3);
    store<f64>(accelerationsAt + body, load<f64>(from));
    store<f64>(accelerationsAt + stride + body, load<f64>(from + sumsStride));
    store<f64>(accelerationsAt + 2 * stride + body, load<f64>(from + 2 * sumsStride));
    store<f64>(potentialsAt + body, load<f64>(from + 3 * sumsStride));
    const term = load<f64>(massesAt + body) * load<f64>(from + 3 * sumsStride);
    const total = potentialSum + term, kept = total - potentialSum;
    potentialError += (potentialSum - (total - kept)) + (term - kept);
    potentialSum = total;
  }
}
