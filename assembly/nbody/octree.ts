// An octree over the bodies, built afresh for every force evaluation, always in the same order.
//
// Bodies are sorted by the Morton key of their place in the bounding cube (21 bits an axis, ties by index), so a
// node is a range of the sorted bodies. Nodes stand in preorder: the first child of a node follows it, and `next`
// is the node after its subtree, so that a walk needs no stack. Octants that hold all bodies of their parent make
// no node. A leaf has at most LEAF bodies, more where 21 bits cannot tell them apart, and twice, four times … as many
// where there would be more nodes than have room.
//
// Several threads share all of it (../kernel/team.ts): bodies go in blocks of the same length, of which each counts its
// digits in buckets of its own; and the tree is cut into branches of at most a 32nd of the bodies, which are counted, so
// that each has its place, and then built. How it is cut depends on the positions alone.
//
//   node   0 G M | 8 centre of mass x y z | 32 second moments about it, of G m: xx xy xz yy yz zz
//          80 (opening distance)² | 88 box: least x y z, greatest x y z | 136 i32 first, count, next, is leaf

import { allocate } from "../kernel/frame";
import { each } from "../kernel/team";
import { attractionsAt, count, positionsAt, stride } from "./bodies";
import { openingAngle } from "./problem";

const LEAF: i32 = 16;
const NODE: usize = 152;
const LEVELS: i32 = 21;
/** Bodies of a block. */
const BLOCK: i32 = 2048;
/** Bodies of a branch, at least. */
const BRANCH: i32 = 512;
/** Of a block: how many bodies have each digit, then where the next of them goes. */
const BUCKETS: usize = 256 << 2;

export let nodes: i32 = 0;
let nodesAt: usize = 0;
let mostNodes: i32 = 0;
let leafSize: i32 = 0;
/** The bodies in the order of the tree: x y z and G m, arrays of `sortedStride` bytes; and their indices. Two at a time are
 *  read, at the end of an array the first of the next. */
export let sortedAt: usize = 0;
export let sortedStride: usize = 0;
let orderAt: usize = 0;
export function bodyAt(sorted: i32): usize { return <usize>load<i32>(orderAt + (<usize>sorted << 2)); }

let keysAt: usize = 0;
/** Behind the sort: 8 bytes a body that are anybody's. */
export let spareKeysAt: usize = 0;
let spareOrderAt: usize = 0;
let blocks: i32 = 0;
let bucketsAt: usize = 0;

/** 5/16 of the bodies and some have room as nodes: of a uniform cube 0.1 to 0.45, of a sphere of Plummer a quarter. */
export function layOctree(): void {
  const bodies = <usize>count;
  mostNodes = 64 + (count >> 4) * 5;
  nodesAt = allocate(<usize>mostNodes * NODE);
  sortedStride = bodies << 3;
  sortedAt = allocate(4 * sortedStride);
  orderAt = allocate(bodies << 2);
  spareOrderAt = allocate(bodies << 2);
  keysAt = allocate(bodies << 3);
  spareKeysAt = allocate(bodies << 3);
  blocks = (count + BLOCK - 1) / BLOCK;
  bucketsAt = allocate(<usize>blocks * BUCKETS);
}

@inline export function nodeAt(index: i32): usize { return nodesAt + <usize>index * NODE; }
@inline export function firstOf(node: usize): i32 { return load<i32>(node, 136); }
@inline export function countOf(node: usize): i32 { return load<i32>(node, 140); }
@inline export function nextOf(node: usize): i32 { return load<i32>(node, 144); }
@inline export function isLeaf(node: usize): bool { return load<i32>(node, 148) != 0; }

export function buildOctree(): void {
  makeKeys();
  sortByKey();
  each(gather, blocks);
  placeBranches();
  each(buildBranch, branches);
  nodes = 0; branches = 0;
  grain = branchSize();
  buildNode(0, count, 0);
}

@inline function firstIn(block: i32): usize { return <usize>(block * BLOCK); }
@inline function endOf(block: i32): usize { return <usize>min(count, (block + 1) * BLOCK); }

/** Σ mass × value over the bodies: each block's sum and what rounding dropped of it (two-sum), and these in their order. */
export function sumOverBodies(masses: usize, values: usize): f64 {
  weightsAt = masses; valuesAt = values;
  each(sumBlock, blocks);
  let sum: f64 = 0, error: f64 = 0;
  for (let block = 0; block < blocks; block++) {
    const at = bucketsAt + <usize>block * BUCKETS, term = load<f64>(at), total = sum + term, kept = total - sum;
    error += (sum - (total - kept)) + (term - kept) + load<f64>(at, 8);
    sum = total;
  }
  return sum + error;
}

let weightsAt: usize = 0;
let valuesAt: usize = 0;

function sumBlock(block: i32): void {
  const end = endOf(block) << 3, weights = weightsAt, values = valuesAt;
  let sum: f64 = 0, error: f64 = 0;
  for (let p = firstIn(block) << 3; p < end; p += 8) {
    const term = load<f64>(weights + p) * load<f64>(values + p);
    const total = sum + term, kept = total - sum;
    error += (sum - (total - kept)) + (term - kept);
    sum = total;
  }
  store<f64>(bucketsAt + <usize>block * BUCKETS, sum);
  store<f64>(bucketsAt + <usize>block * BUCKETS, error, 8);
}

// ---- order -----------------------------------------------------------------------------------------------

@inline function coordinate(at: usize): f64 { return load<f64>(positionsAt + at); }

let lowX: f64 = 0, lowY: f64 = 0, lowZ: f64 = 0, cells: f64 = 0;

function makeKeys(): void {
  each(boundBlock, blocks);
  lowX = lowest(0); lowY = lowest(8); lowZ = lowest(16);
  const size = max(max(highest(0) - lowX, highest(8) - lowY), highest(16) - lowZ);
  cells = size > 0 ? 2097151.0 / size : 0.0;
  each(keyBlock, blocks);
}

/** Least and greatest x, y, z of a block, where its buckets will be. */
function boundBlock(block: i32): void {
  const first = firstIn(block) << 3, end = endOf(block) << 3, to = bucketsAt + <usize>block * BUCKETS;
  for (let axis: usize = 0; axis < 3; axis++) {
    let low = Infinity, high = -Infinity;
    for (let p = positionsAt + axis * stride + first; p < positionsAt + axis * stride + end; p += 8) {
      const x = load<f64>(p);
      low = min(low, x); high = max(high, x);
    }
    store<f64>(to + (axis << 3), low);
    store<f64>(to + (axis << 3), high, 24);
  }
}

function lowest(axis: usize): f64 {
  let low = Infinity;
  for (let block = 0; block < blocks; block++) low = min(low, load<f64>(bucketsAt + <usize>block * BUCKETS + axis));
  return low;
}

function highest(axis: usize): f64 {
  let high = -Infinity;
  for (let block = 0; block < blocks; block++) high = max(high, load<f64>(bucketsAt + <usize>block * BUCKETS + axis, 24));
  return high;
}

function keyBlock(block: i32): void {
  const end = endOf(block), keys = keysAt, order = orderAt;
  for (let i = firstIn(block); i < end; i++) {
    const x = (coordinate(i << 3) - lowX) * cells;
    const y = (coordinate(stride + (i << 3)) - lowY) * cells;
    const z = (coordinate(2 * stride + (i << 3)) - lowZ) * cells;
    store<u64>(keys + (i << 3), (spread(cell(x)) << 2) | (spread(cell(y)) << 1) | spread(cell(z)));
    store<i32>(order + (i << 2), <i32>i);
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

let shift: u64 = 0;

/** Radix sort, eight passes of eight bits: stable, so equal keys stay in the order of their indices. */
function sortByKey(): void {
  const end = bucketsAt + <usize>blocks * BUCKETS;
  for (shift = 0; shift < 64; shift += 8) {
    each(countDigits, blocks);
    let start = 0;
    for (let digit = bucketsAt; digit < bucketsAt + BUCKETS; digit += 4) {
      for (let bucket = digit; bucket < end; bucket += BUCKETS) {
        const size = load<i32>(bucket);
        store<i32>(bucket, start);
        start += size;
      }
    }
    each(placeByDigit, blocks);
    const keys = keysAt, order = orderAt;
    keysAt = spareKeysAt; orderAt = spareOrderAt;
    spareKeysAt = keys; spareOrderAt = order;
  }
}

function countDigits(block: i32): void {
  const end = endOf(block), keys = keysAt, by = shift, buckets = bucketsAt + <usize>block * BUCKETS;
  memory.fill(buckets, 0, BUCKETS);
  for (let i = firstIn(block); i < end; i++) {
    const bucket = buckets + (<usize>((load<u64>(keys + (i << 3)) >> by) & 255) << 2);
    store<i32>(bucket, load<i32>(bucket) + 1);
  }
}

function placeByDigit(block: i32): void {
  const end = endOf(block), keys = keysAt, order = orderAt, toKeys = spareKeysAt, toOrder = spareOrderAt;
  const by = shift, buckets = bucketsAt + <usize>block * BUCKETS;
  for (let i = firstIn(block); i < end; i++) {
    const key = load<u64>(keys + (i << 3));
    const bucket = buckets + (<usize>((key >> by) & 255) << 2);
    const to = <usize>load<i32>(bucket);
    store<i32>(bucket, <i32>to + 1);
    store<u64>(toKeys + (to << 3), key);
    store<i32>(toOrder + (to << 2), load<i32>(order + (i << 2)));
  }
}

function gather(block: i32): void {
  const end = endOf(block), step = sortedStride;
  for (let i = firstIn(block); i < end; i++) {
    const from = bodyAt(<i32>i) << 3, to = sortedAt + (i << 3);
    store<f64>(to, coordinate(from));
    store<f64>(to + step, coordinate(stride + from));
    store<f64>(to + 2 * step, coordinate(2 * stride + from));
    store<f64>(to + 3 * step, load<f64>(attractionsAt + from));
  }
}

// ---- branches ----------------------------------------------------------------------------------------------

/** Bodies of what is left to another block; 0: nothing is. */
let grain: i32 = 0;
/** Of each branch, where keys were sorted: i32 first body, end, level, then nodes before it and its own nodes. */
const BRANCH_BYTES: usize = 20;
let branches: i32 = 0;

/** A branch has more than a few bodies of 32 parts, so that there is room for all: at most 7 are cut from each of 32 octants
 *  of each of 21 levels. */
@inline function branchSize(): i32 { return max(BRANCH, count >> 5); }
@inline function branchAt(branch: i32): usize { return spareKeysAt + <usize>branch * BRANCH_BYTES; }

/** Where the nodes of each branch begin, with leaves for whose nodes there is room. */
function placeBranches(): void {
  for (leafSize = LEAF; ; leafSize <<= 1) {
    nodes = 0; branches = 0;
    grain = branchSize();
    countNodes(0, count, 0);
    const above = nodes;
    grain = 0;
    each(countBranch, branches);
    let before = 0;
    for (let branch = 0; branch < branches; branch++) {
      const at = branchAt(branch);
      store<i32>(at, load<i32>(at, 12) + before, 12);
      before += load<i32>(at, 16);
    }
    if (above + before <= mostNodes) return;
  }
}

function countBranch(branch: i32): void {
  const at = branchAt(branch);
  nodes = 0;
  countNodes(load<i32>(at), load<i32>(at, 4), load<i32>(at, 8));
  store<i32>(at, nodes, 16);
}

function buildBranch(branch: i32): void {
  const at = branchAt(branch);
  nodes = load<i32>(at, 12);
  buildNode(load<i32>(at), load<i32>(at, 4), load<i32>(at, 8));
}

/** Counts the nodes that buildNode() makes of them. */
function countNodes(first: i32, end: i32, level: i32): void {
  if (end - first <= grain) {
    const at = branchAt(branches++);
    store<i32>(at, first);
    store<i32>(at, end, 4);
    store<i32>(at, level, 8);
    store<i32>(at, nodes, 12);
    return;
  }
  nodes++;
  level = splitLevel(first, end, level);
  if (level == LEVELS) return;
  for (let from = first; from < end; ) {
    const to = octantEnd(from, end, level);
    countNodes(from, to, level + 1);
    from = to;
  }
}

// ---- nodes -------------------------------------------------------------------------------------------------

/** The node of the sorted bodies [first, end), which agree in the bits above `level`. */
function buildNode(first: i32, end: i32, level: i32): void {
  if (end - first <= grain) { nodes += load<i32>(branchAt(branches++), 16); return; }
  const index = nodes++;
  const node = nodeAt(index);
  store<i32>(node, first, 136);
  store<i32>(node, end - first, 140);
  level = splitLevel(first, end, level);
  const leaf = level == LEVELS;
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

/** The level at which bodies of a node part, LEVELS for those of a leaf. */
function splitLevel(first: i32, end: i32, level: i32): i32 {
  if (end - first <= leafSize) return LEVELS;
  while (level < LEVELS && octant(first, level) == octant(end - 1, level)) level++;
  return level;
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
