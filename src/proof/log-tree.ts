import { sha256 } from '#crypto';
import { equalBytes } from './bytes.ts';
import { nodeHash } from './merkle.ts';

/**
 * An append-only Merkle tree (RFC 6962 §2.1, RFC 9162 §2.1) as pure functions over stored nodes.
 *
 * Only perfect subtrees are ever stored: node (level, index) covers the leaves [index·2^level, (index+1)·2^level)
 * and never changes. A tree of size n is the row of its maximal perfect subtrees, the frontier, largest first:
 *
 *        (2,0)                 n = 7: frontier (2,0) (1,2) (0,6)
 *      (1,0) (1,1) (1,2)
 *     0   1 2   3 4   5 6
 */
export interface LogState {
  readonly size: number;
  readonly frontier: readonly Uint8Array[];
}

export interface NodeAddress {
  readonly level: number;
  readonly index: number;
}

export interface LogNode extends NodeAddress {
  readonly hash: Uint8Array;
}

/** Where stored nodes are read; level 0 holds the leaf hashes. */
export interface NodeReader {
  node(level: number, index: number): Promise<Uint8Array>;
}

export const emptyLog: LogState = { size: 0, frontier: [] };

const pow2 = (level: number): number => 2 ** level;
const isOdd = (n: number): boolean => n % 2 === 1;
const half = (n: number): number => Math.floor(n / 2);

/** Levels of the maximal perfect subtrees, largest first: the binary digits of the size. */
function frontierLevels(size: number): number[] {
  const levels: number[] = [];
  for (let level = 0, n = size; n > 0; level++, n = half(n)) if (isOdd(n)) levels.unshift(level);
  return levels;
}

/** Root of the tree: the frontier folded from the right. */
export function logRoot(state: LogState): Uint8Array {
  return state.frontier.length === 0 ? sha256() : foldRight(state.frontier);
}

function foldRight(hashes: readonly Uint8Array[]): Uint8Array {
  let right = hashes[hashes.length - 1]!;
  for (let i = hashes.length - 2; i >= 0; i--) right = nodeHash(hashes[i]!, right);
  return right;
}

export interface AppendedBatch {
  readonly state: LogState;
  readonly root: Uint8Array;
  /** The new perfect nodes, leaf hashes included; to be stored with the leaves. */
  readonly nodes: readonly LogNode[];
  /** Inclusion proof of leaf `index`, one of this batch, in the new tree. Reads no store. */
  inclusionProof(index: number): Uint8Array[];
}

/** Appends leaf hashes in order. */
export function appendLeaves(before: LogState, leafHashes: readonly Uint8Array[]): AppendedBatch {
  const nodes: LogNode[] = [];
  const row = frontierNodes(before);
  const known = [...row];
  leafHashes.forEach((hash, i) => {
    pushNode(row, { level: 0, index: before.size + i, hash }, nodes);
  });
  const state = { size: before.size + leafHashes.length, frontier: row.map((node) => node.hash) };
  const reach = new Map([...known, ...nodes].map((node) => [`${node.level}/${node.index}`, node.hash]));
  return {
    state,
    root: logRoot(state),
    nodes,
    inclusionProof: (index) =>
      inclusionRanges(index, state.size).map((range) =>
        foldRight(perfectNodes(range).map(({ level, index: at }) => reach.get(`${level}/${at}`)!)),
      ),
  };
}

/** Where the frontier of a tree of that size is stored, largest first. */
export function frontierAddresses(size: number): NodeAddress[] {
  return perfectNodes({ from: 0, to: size });
}

function frontierNodes(state: LogState): LogNode[] {
  return frontierAddresses(state.size).map((address, i) => ({ ...address, hash: state.frontier[i]! }));
}

/** Two neighbours of one level become their parent, as in binary addition. */
function pushNode(row: LogNode[], node: LogNode, made: LogNode[]): void {
  made.push(node);
  const left = row[row.length - 1];
  if (left?.level !== node.level) {
    row.push(node);
    return;
  }
  row.pop();
  const parent = { level: node.level + 1, index: half(node.index), hash: nodeHash(left.hash, node.hash) };
  pushNode(row, parent, made);
}

/** Leaves from … to − 1, where `from` is a multiple of the least power of two ≥ to − from. */
interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** The perfect subtrees that make up a range, left to right. */
function perfectNodes({ from, to }: LeafRange): NodeAddress[] {
  let at = from;
  return frontierLevels(to - from).map((level) => {
    const node = { level, index: at / pow2(level) };
    at += pow2(level);
    return node;
  });
}

/** The subtrees beside the path from a leaf to the root, from below. */
function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!(Number.isSafeInteger(index) && index >= 0 && index < size))
    throw new RangeError(`no leaf ${index} of ${size}`);
  const ranges: LeafRange[] = [];
  let range: LeafRange = { from: 0, to: size };
  while (range.to - range.from > 1) {
    const middle = range.from + splitPoint(range.to - range.from);
    const left = { from: range.from, to: middle };
    const right = { from: middle, to: range.to };
    ranges.unshift(index < middle ? right : left);
    range = index < middle ? left : right;
  }
  return ranges;
}

/** The largest power of two below n (RFC 6962's k). */
function splitPoint(n: number): number {
  let k = 1;
  while (2 * k < n) k *= 2;
  return k;
}

/** Inclusion proof of a leaf in the tree of that size, from O(log size) stored nodes. */
export async function inclusionProof(index: number, size: number, nodes: NodeReader): Promise<Uint8Array[]> {
  return Promise.all(inclusionRanges(index, size).map((range) => rangeRoot(range, nodes)));
}

/** Consistency proof between the trees of `first` and `second` leaves (RFC 6962 §2.1.2), 0 < first ≤ second. */
export async function consistencyProof(
  first: number,
  second: number,
  nodes: NodeReader,
): Promise<Uint8Array[]> {
  return Promise.all(consistencyRanges(first, second).map((range) => rangeRoot(range, nodes)));
}

async function rangeRoot(range: LeafRange, nodes: NodeReader): Promise<Uint8Array> {
  const hashes = await Promise.all(perfectNodes(range).map(({ level, index }) => nodes.node(level, index)));
  return foldRight(hashes);
}

function consistencyRanges(first: number, second: number): LeafRange[] {
  if (!(first > 0 && first <= second))
    throw new RangeError(`no consistency proof from ${first} to ${second} leaves`);
  const ranges: LeafRange[] = [];
  let range: LeafRange = { from: 0, to: second };
  let isWhole = true; // the old tree is still a whole subtree of the range, so its root is known
  while (range.to !== first) {
    const middle = range.from + splitPoint(range.to - range.from);
    if (first <= middle) {
      ranges.unshift({ from: middle, to: range.to });
      range = { from: range.from, to: middle };
    } else {
      ranges.unshift({ from: range.from, to: middle });
      range = { from: middle, to: range.to };
      isWhole = false;
    }
  }
  return isWhole ? ranges : [range, ...ranges];
}

/** Root that a leaf hash and its inclusion proof lead to (RFC 9162 §2.1.3.2), or undefined for a wrong length. */
export function rootOfInclusion(
  index: number,
  size: number,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!(Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size))
    return undefined;
  let node = index;
  let last = size - 1;
  let root = leaf;
  for (const sibling of proof) {
    if (last === 0) return undefined;
    if (isOdd(node) || node === last) {
      root = nodeHash(sibling, root);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else root = nodeHash(root, sibling);
    node = half(node);
    last = half(last);
  }
  return last === 0 ? root : undefined;
}

export function verifyInclusion(
  index: number,
  size: number,
  leaf: Uint8Array,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  const found = rootOfInclusion(index, size, leaf, proof);
  return found !== undefined && equalBytes(found, root);
}

/** Whether the tree of `second` leaves is the tree of `first` leaves, continued (RFC 9162 §2.1.4.2). */
export function verifyConsistency(
  first: number,
  second: number,
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (!(first > 0 && first <= second)) return false;
  if (first === second) return proof.length === 0 && equalBytes(firstRoot, secondRoot);
  const isPowerOfTwo = splitPoint(2 * first) === first;
  const path = isPowerOfTwo ? [firstRoot, ...proof] : [...proof];
  let node = first - 1;
  let last = second - 1;
  while (isOdd(node)) {
    node = half(node);
    last = half(last);
  }
  let old = path[0];
  let grown = path[0];
  if (!old || !grown) return false;
  for (const sibling of path.slice(1)) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      old = nodeHash(sibling, old);
      grown = nodeHash(sibling, grown);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else grown = nodeHash(grown, sibling);
    node = half(node);
    last = half(last);
  }
  return last === 0 && equalBytes(old, firstRoot) && equalBytes(grown, secondRoot);
}
