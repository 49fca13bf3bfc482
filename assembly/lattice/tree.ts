// The tree over the points of a lattice: leaf = SHA-256(0x00 ‖ u64 index ‖ f64 coordinates in the order of the axes
// ‖ f64 value), node = SHA-256(0x01 ‖ left ‖ right), in the shape of RFC 6962, 2.1: neighbours are paired level by
// level, and an odd last node moves up as it is. All integers and doubles are little-endian.
//
// The levels lie one behind the other, so that the path of any leaf can be read off in the end. A step makes one
// node; nodes follow from the parameters, so they are no state and are made again after a resume.

import { allocate } from "../kernel/frame";
import { sha256 } from "../math/sha256";

const HASH: usize = 32;
const MESSAGE: usize = memory.data(80, 16);

let leaves: i32 = 0;
let treeAt: usize = 0;
/** The level that is being made: nodes of it, how many stand, where it lies, and where the one below does. */
let levelNodes: i32 = 0;
let made: i32 = 0;
let levelAt: usize = 0;
let belowAt: usize = 0;
let belowNodes: i32 = 0;

/** Nodes of all levels over n leaves. */
export function treeNodes(n: i32): i32 {
  let sum = n;
  while (n > 1) { n = (n + 1) >> 1; sum += n; }
  return sum;
}

/** Levels above the leaves: the longest path. */
export function treeHeight(n: i32): i32 {
  let height = 0;
  while (n > 1) { n = (n + 1) >> 1; height++; }
  return height;
}

export function openTree(n: i32): void {
  leaves = n;
  treeAt = allocate(<usize>treeNodes(n) * HASH);
  levelNodes = n; made = 0; levelAt = treeAt; belowAt = 0; belowNodes = 0;
}

/** Makes leaf `index`, the next one: its coordinates and its value. */
export function addLeaf(index: i32, coordinates: usize, axes: i32, value: f64): void {
  const bytes = <usize>axes << 3;
  store<u8>(MESSAGE, 0);
  store<u64>(MESSAGE + 1, <u64>index);
  memory.copy(MESSAGE + 9, coordinates, bytes);
  store<f64>(MESSAGE + 9 + bytes, value);
  sha256(MESSAGE, <i32>(17 + bytes), levelAt + <usize>made * HASH);
  countNode();
}

/** Makes the next node above the leaves. */
export function addNode(): void {
  const to = levelAt + <usize>made * HASH, pair = belowAt + <usize>made * (2 * HASH);
  if (2 * made + 1 < belowNodes) {
    store<u8>(MESSAGE, 1);
    memory.copy(MESSAGE + 1, pair, 2 * HASH);
    sha256(MESSAGE, 65, to);
  } else memory.copy(to, pair, HASH);
  countNode();
}

function countNode(): void {
  made++;
  if (made < levelNodes || levelNodes == 1) return;
  belowAt = levelAt; belowNodes = levelNodes;
  levelAt += <usize>levelNodes * HASH;
  levelNodes = (levelNodes + 1) >> 1;
  made = 0;
}

/** Of a whole tree. */
export function treeRoot(): usize { return treeAt + <usize>(treeNodes(leaves) - 1) * HASH; }

/** The inclusion path of a leaf (RFC 9162, 2.1.3), nodes of 32 bytes to `to`; gives how many. */
export function inclusionPath(leaf: i32, to: usize): i32 {
  let at = treeAt, nodes = leaves, index = leaf, length = 0;
  while (nodes > 1) {
    const sibling = index ^ 1;
    if (sibling < nodes) {
      memory.copy(to + <usize>length * HASH, at + <usize>sibling * HASH, HASH);
      length++;
    }
    at += <usize>nodes * HASH;
    nodes = (nodes + 1) >> 1;
    index >>= 1;
  }
  return length;
}

/** The eight big-endian words of a digest, each as a double. */
export function digestWords(digest: usize, to: usize): void {
  for (let i: usize = 0; i < 8; i++) store<f64>(to + (i << 3), <f64>bswap<u32>(load<u32>(digest + (i << 2))));
}
