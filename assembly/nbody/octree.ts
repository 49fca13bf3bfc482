// An octree over the bodies, built afresh for every force evaluation, always in the same order.
//
// Bodies are sorted by the Morton key of their place in the bounding cube (21 bits an axis, ties by index), so a
// node is a range of the sorted bodies. Nodes stand in preorder: the first child of a node follows it, and `next`
// is the node after its subtree, so that a walk needs no stack. Octants that hold all bodies of their parent make
// no node. A leaf has at most LEAF bodies (more only where 21 bits cannot tell them apart).
//
//   node   0 G M | 8 centre of mass x y z | 32 second moments about it, of G m: xx xy xz yy yz zz
//          80 (opening distance)² | 88 box: least x y z, greatest x y z | 136 i32 first, count, next, is leaf

import { allocate } from "../kernel/frame";
import { attractionsAt, count, positionsAt, stride } from "./bodies";
import { openingAngle } from "./problem";

export const LEAF: i32 = 16;
const NODE: usize = 152;
const LEVELS: i32 = 21;

export let nodes: i32 = 0;
let nodesAt: usize = 0;
/** The bodies in the order of the tree: x y z and G m, arrays of `sortedStride` bytes; and their indices. */
export let sortedAt: usize = 0;
export let sortedStride: usize = 0;
export let orderAt: usize = 0;

let keysAt: usize = 0;
export let spareKeysAt: usize = 0;
let spareOrderAt: usize = 0;
let bucketsAt: usize = 0;

export function layOctree(): void {
  const bodies = <usize>count;
  nodesAt = allocate(2 * bodies * NODE);
  sortedStride = (bodies + 2) << 3;
  sortedAt = allocate(4 * sortedStride);
  orderAt = allocate(bodies << 2);
  spareOrderAt = allocate(bodies << 2);
  keysAt = allocate(bodies << 3);
  spareKeysAt = allocate(bodies << 3);
  bucketsAt = allocate(256 << 2);
}

@inline export function nodeAt(index: i32): usize { return nodesAt + <usize>index * NODE; }
@inline export function firstOf(node: usize): i32 { return load<i32>(node, 136); }
@inline export function countOf(node: usize): i32 { return load<i32>(node, 140); }
@inline export function nextOf(node: usize): i32 { return load<i32>(node, 144); }
@inline export function isLeaf(node: usize): bool { return load<i32>(node, 148) != 0; }

export function buildOctree(): void {
  makeKeys();
  sortByKey();
  gather();
  nodes = 0;
  buildNode(0, count, 0);
}

// ---- order -----------------------------------------------------------------------------------------------

@inline function coordinate(at: usize): f64 { return load<f64>(positionsAt + at); }

function makeKeys(): void {
  let low = Infinity, high = -Infinity, size: f64 = 0;
  const lows = bucketsAt; // room for three f64 before the buckets are used
  for (let axis: usize = 0; axis < 3; axis++) {
    low = Infinity; high = -Infinity;
    for (let i: usize = 0; i < <usize>count; i++) {
      const x = coordinate(axis * stride + (i << 3));
      low = min(low, x); high = max(high, x);
    }
    store<f64>(lows + (axis << 3), low);
    size = max(size, high - low);
  }
  const lowX = load<f64>(lows), lowY = load<f64>(lows, 8), lowZ = load<f64>(lows, 16);
  const cells = size > 0 ? 2097151.0 / size : 0.0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const x = (coordinate(i << 3) - lowX) * cells;
    const y = (coordinate(stride + (i << 3)) - lowY) * cells;
    const z = (coordinate(2 * stride + (i << 3)) - lowZ) * cells;
    store<u64>(keysAt + (i << 3), (spread(cell(x)) << 2) | (spread(cell(y)) << 1) | spread(cell(z)));
    store<i32>(orderAt + (i << 2), <i32>i);
  }
}

/** A cell number of 21 bits, also of what is not finite: the run fails on that later. */
@inline function cell(x: f64): u64 { return x >= 0 && x < 2097152.0 ? <u64>x : 0; }

/** The 21 bits of x with two zeros between neighbours. */
@inline function spread(x: u64): u64 {
  x = (x | (x << 32)) & 0x1f00000000ffff;
  x = (x | (x << 16)) & 0x1f0000ff0000ff;
  x = (x | (x << 8)) & 0x100f00f00f00f00f;
  x = (x | (x << 4)) & 0x10c30c30c30c30c3;
  return (x | (x << 2)) & 0x1249249249249249;
}

/** Radix sort, eight passes of eight bits: stable, so equal keys stay in the order of their indices. */
function sortByKey(): void {
  for (let shift: u64 = 0; shift < 64; shift += 8) {
    memory.fill(bucketsAt, 0, 256 << 2);
    for (let i: usize = 0; i < <usize>count; i++) {
      const bucket = bucketsAt + (<usize>((load<u64>(keysAt + (i << 3)) >> shift) & 255) << 2);
      store<i32>(bucket, load<i32>(bucket) + 1);
    }
    let start = 0;
    for (let b: usize = 0; b < 256 << 2; b += 4) {
      const size = load<i32>(bucketsAt + b);
      store<i32>(bucketsAt + b, start);
      start += size;
    }
    for (let i: usize = 0; i < <usize>count; i++) {
      const key = load<u64>(keysAt + (i << 3));
      const bucket = bucketsAt + (<usize>((key >> shift) & 255) << 2);
      const to = <usize>load<i32>(bucket);
      store<i32>(bucket, <i32>to + 1);
      store<u64>(spareKeysAt + (to << 3), key);
      store<i32>(spareOrderAt + (to << 2), load<i32>(orderAt + (i << 2)));
    }
    const keys = keysAt, order = orderAt;
    keysAt = spareKeysAt; orderAt = spareOrderAt;
    spareKeysAt = keys; spareOrderAt = order;
  }
}

function gather(): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const from = <usize>load<i32>(orderAt + (i << 2)) << 3, to = sortedAt + (i << 3);
    store<f64>(to, coordinate(from));
    store<f64>(to + sortedStride, coordinate(stride + from));
    store<f64>(to + 2 * sortedStride, coordinate(2 * stride + from));
    store<f64>(to + 3 * sortedStride, load<f64>(attractionsAt + from));
  }
}

// ---- nodes -------------------------------------------------------------------------------------------------

/** The node of the sorted bodies [first, end), which agree in the bits above `level`. */
function buildNode(first: i32, end: i32, level: i32): void {
  const index = nodes++;
  const node = nodeAt(index);
  store<i32>(node, first, 136);
  store<i32>(node, end - first, 140);
  while (end - first > LEAF && level < LEVELS && octant(first, level) == octant(end - 1, level)) level++;
  const leaf = end - first <= LEAF || level == LEVELS;
  store<i32>(node, leaf ? 1 : 0, 148);
  if (!leaf) {
    for (let from = first; from < end; ) {
      const to = octantEnd(from, end, level);
      buildNode(from, to, level + 1);
      from = to;
    }
  }
  store<i32>(node, nodes, 144);
  if (leaf) momentsOfBodies(node); else momentsOfChildren(node, index);
  setOpening(node);
}

@inline function octant(i: i32, level: i32): u64 {
  return (load<u64>(keysAt + (<usize>i << 3)) >> <u64>(3 * (LEVELS - 1 - level))) & 7;
}

function octantEnd(from: i32, end: i32, level: i32): i32 {
  const here = octant(from, level);
  let low = from + 1, high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (octant(middle, level) == here) low = middle + 1; else high = middle;
  }
  return low;
}

function clearNode(node: usize): void {
  memory.fill(node, 0, 80);
  for (let axis: usize = 0; axis < 24; axis += 8) {
    store<f64>(node + axis, Infinity, 88);
    store<f64>(node + axis, -Infinity, 112);
  }
}

function momentsOfBodies(node: usize): void {
  clearNode(node);
  const from = sortedAt + (<usize>firstOf(node) << 3), end = from + (<usize>countOf(node) << 3);
  for (let p = from; p < end; p += 8) {
    addMass(node, p, sortedStride, load<f64>(p + 3 * sortedStride));
    widen(node, p, sortedStride, 0);
  }
  placeCentre(node);
  for (let p = from; p < end; p += 8) addSecond(node, p, sortedStride, load<f64>(p + 3 * sortedStride));
}

function momentsOfChildren(node: usize, index: i32): void {
  clearNode(node);
  for (let child = index + 1; child < nextOf(node); child = nextOf(nodeAt(child))) {
    const at = nodeAt(child);
    addMass(node, at + 8, 8, load<f64>(at));
    widen(node, at + 88, 8, 24);
  }
  placeCentre(node);
  for (let child = index + 1; child < nextOf(node); child = nextOf(nodeAt(child))) {
    const at = nodeAt(child);
    addSecond(node, at + 8, 8, load<f64>(at));
    for (let s: usize = 32; s < 80; s += 8) store<f64>(node + s, load<f64>(node + s) + load<f64>(at + s));
  }
}

/** A mass at the point at `p`, whose coordinates are `step` bytes apart. */
@inline function addMass(node: usize, p: usize, step: usize, mass: f64): void {
  store<f64>(node, load<f64>(node) + mass);
  store<f64>(node, load<f64>(node, 8) + mass * load<f64>(p), 8);
  store<f64>(node, load<f64>(node, 16) + mass * load<f64>(p + step), 16);
  store<f64>(node, load<f64>(node, 24) + mass * load<f64>(p + 2 * step), 24);
}

/** The box takes in the box from the point at `p` to the point `size` bytes behind it. */
@inline function widen(node: usize, p: usize, step: usize, size: usize): void {
  for (let axis: usize = 0; axis < 3; axis++, p += step) {
    const at = node + (axis << 3);
    store<f64>(at, min(load<f64>(at, 88), load<f64>(p)), 88);
    store<f64>(at, max(load<f64>(at, 112), load<f64>(p + size)), 112);
  }
}

/** Without mass the centre of the box stands in: nothing comes from it. */
function placeCentre(node: usize): void {
  const mass = load<f64>(node);
  for (let axis: usize = 0; axis < 24; axis += 8) {
    const middle = 0.5 * (load<f64>(node + axis, 88) + load<f64>(node + axis, 112));
    store<f64>(node + axis, mass > 0 ? load<f64>(node + axis, 8) / mass : middle, 8);
  }
}

@inline function addSecond(node: usize, p: usize, step: usize, mass: f64): void {
  const x = load<f64>(p) - load<f64>(node, 8), y = load<f64>(p + step) - load<f64>(node, 16);
  const z = load<f64>(p + 2 * step) - load<f64>(node, 24);
  store<f64>(node, load<f64>(node, 32) + mass * x * x, 32);
  store<f64>(node, load<f64>(node, 40) + mass * x * y, 40);
  store<f64>(node, load<f64>(node, 48) + mass * x * z, 48);
  store<f64>(node, load<f64>(node, 56) + mass * y * y, 56);
  store<f64>(node, load<f64>(node, 64) + mass * y * z, 64);
  store<f64>(node, load<f64>(node, 72) + mass * z * z, 72);
}

/** Opening distance l/θ + δ: l the longest edge of the box, δ from its middle to the centre of mass (Barnes 1994). */
function setOpening(node: usize): void {
  let edge: f64 = 0, away: f64 = 0;
  for (let axis: usize = 0; axis < 24; axis += 8) {
    const low = load<f64>(node + axis, 88), high = load<f64>(node + axis, 112);
    const d = load<f64>(node + axis, 8) - 0.5 * (low + high);
    edge = max(edge, high - low);
    away += d * d;
  }
  const distance = openingAngle() > 0 ? edge / openingAngle() + sqrt(away) : Infinity;
  store<f64>(node, distance * distance, 80);
}
