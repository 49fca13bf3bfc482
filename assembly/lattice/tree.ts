// The tree over the points of a lattice: leaf = SHA-256(0x00 ‖ u64 index ‖ f64 coordinates in the order of the axes
// ‖ f64 value), node = SHA-256(0x01 ‖ left ‖ right), in the shape of RFC 6962, 2.1: neighbours are paired level by
// level, and an odd last node moves up as it is. All integers and doubles are little-endian.
//
// The levels lie one behind the other, so that the path of any leaf can be read off in the end. A step makes one
// node; four of a level, which lie side by side, are hashed together with the last of them. Nodes follow from the
// parameters, so they are no state and are made again after a resume.

import { allocate } from "../kernel/frame";
import { LANES, LAST_BLOCKS, openLastBlocks, pad, sha256Lanes, sha256Pairs } from "../math/sha256-lanes";

const HASH: usize = 32;
/** The messages of the nodes that are hashed together: the longest is padded to two blocks. */
const MESSAGES: usize = memory.data(512, 16);
const NODE_BYTES: i32 = 65;
/** Leaves from which a table of last blocks takes less than it saves. */
const MANY: i32 = 1024;

let leaves: i32 = 0;
let treeAt: usize = 0;
/** The table of last blocks; 0 for few leaves. */
let lastBlocksAt: usize = 0;
/** Blocks of a message of the level that is being made. */
let blocks: i32 = 0;
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

/** A tree over n leaves of `axes` coordinates each. */
export function openTree(n: i32, axes: i32): void {
  leaves = n;
  treeAt = allocate(<usize>(treeNodes(n) + LANES - 1) * HASH); // the lanes that a level's end leaves over have room, too
  lastBlocksAt = n < MANY ? 0 : allocate(LAST_BLOCKS);
  if (lastBlocksAt) openLastBlocks(lastBlocksAt);
  levelNodes = n; made = 0; levelAt = treeAt; belowAt = 0; belowNodes = 0;
  openMessages(leafBytes(axes));
}

@inline function leafBytes(axes: i32): i32 { return 17 + 8 * axes; }

/** Room for messages of `length` bytes, padded already. */
function openMessages(length: i32): void {
  memory.fill(MESSAGES, 0, 512);
  const apart = <usize>((length + 72) >> 6) << 6;
  for (let lane: usize = 0; lane < <usize>LANES; lane++) blocks = pad(MESSAGES + lane * apart, length);
}

@inline function message(): usize { return MESSAGES + <usize>(made & (LANES - 1)) * (<usize>blocks << 6); }

/** Makes leaf `index`, the next one: its coordinates and its value. */
export function addLeaf(index: i32, coordinates: usize, axes: i32, value: f64): void {
  const at = message() + 1;
  store<u64>(at, <u64>index);
  for (let a: usize = 8; a <= <usize>axes << 3; a += 8) store<f64>(at + a, load<f64>(coordinates + a - 8));
  store<f64>(at + 8 + (<usize>axes << 3), value);
  hashFour();
  countNode();
}

/** Makes the next node above the leaves. */
export function addNode(): void {
  const pair = belowAt + <usize>made * (2 * HASH);
  if (2 * made + 1 < belowNodes) {
    const at = message();
    store<u8>(at, 1);
    for (let i: usize = 0; i < 2 * HASH; i += 16) v128.store(at + 1 + i, v128.load(pair + i));
    hashFour();
  } else {
    hashFour();
    memory.copy(levelAt + <usize>made * HASH, pair, HASH);
  }
  countNode();
}

/** With the last message of four, or of the level; what lanes that are left over give is written over later. */
function hashFour(): void {
  const lane = made & (LANES - 1);
  if (lane + 1 < LANES && made + 1 < levelNodes) return;
  const out = levelAt + <usize>(made - lane) * HASH;
  if (belowAt && lastBlocksAt) sha256Pairs(MESSAGES, lastBlocksAt, out);
  else sha256Lanes(MESSAGES, blocks, out);
}

function countNode(): void {
  made++;
  if (made < levelNodes || levelNodes == 1) return;
  if (belowAt == 0) openMessages(NODE_BYTES);
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
