import { equalBytes, fromHex, toHex } from '../../src/proof/bytes.ts';
import type { Digest } from '../../src/proof/job.ts';
import { leafHash, nodeHash } from '../../src/proof/merkle.ts';
import { isDigest } from './claim.ts';

/**
 * The search for the first segment on which two lists of digests differ. Each side has committed to the Merkle root
 * over its list (RFC 6962); in each exchange both show the two children of the node at hand, which must hash to it,
 * and the search goes into the left one if the sides differ there, else into the right one. So it ends after
 * ⌈log₂ n⌉ exchanges at the first leaf that differs, wherever the lists agree or differ behind it, and everything
 * before that leaf is equal.
 */
export interface Bisection {
  /** Leaves from … from + count − 1 lie under the node at hand. */
  readonly from: number;
  readonly count: number;
  /** The node at hand, as each side has it; they differ. */
  readonly hashes: readonly [Digest, Digest];
}

/** The two children of the node at hand. */
export interface Children {
  readonly left: Digest;
  readonly right: Digest;
}

/**
 * @param length entries of either list: segments + 1
 * @returns undefined for equal roots: there is nothing to dispute
 */
export function beginBisection(length: number, roots: readonly [Digest, Digest]): Bisection | undefined {
  if (!(Number.isSafeInteger(length) && length > 0)) throw new RangeError('a list of digests is not empty');
  if (!roots.every(isDigest)) throw new RangeError('a root is 64 lower-case hexadecimal digits');
  return roots[0] === roots[1] ? undefined : { from: 0, count: length, hashes: roots };
}

/** How many exchanges are left at most. */
export const exchangesLeft = ({ count }: Bisection): number => Math.ceil(Math.log2(count));

/** Leaves under the left child: the largest power of two below `count` (RFC 6962 §2.1). */
export function leftCount(count: number): number {
  let left = 1;
  while (2 * left < count) left *= 2;
  return left;
}

/**
 * Whether what a side shows hashes to what it is held to. Both must be whole digests: 31 and 33 bytes hash to the same
 * parent as 32 and 32, and would lead the search away from the difference.
 */
export function areChildrenOf(parent: Digest, { left, right }: Children): boolean {
  if (!isDigest(left) || !isDigest(right)) return false;
  return equalBytes(nodeHash(fromHex(left), fromHex(right)), fromHex(parent));
}

/** The search after both sides have shown the children. @throws RangeError for a side that is not held to its root */
export function narrowed(bisection: Bisection, shown: readonly [Children, Children]): Bisection {
  const { from, count, hashes } = bisection;
  if (count === 1) throw new RangeError('the first difference is found already');
  for (const side of [0, 1] as const)
    if (!areChildrenOf(hashes[side], shown[side]))
      throw new RangeError(`side ${side} is not held to its root`);
  const left = leftCount(count);
  return shown[0].left === shown[1].left
    ? { from: from + left, count: count - left, hashes: [shown[0].right, shown[1].right] }
    : { from, count: left, hashes: [shown[0].left, shown[1].left] };
}

/** What a side that has its whole list shows for the node at hand. */
export function childrenIn(digests: readonly Digest[], from: number, count: number): Children {
  const left = leftCount(count);
  return {
    left: subtreeRoot(digests, from, left),
    right: subtreeRoot(digests, from + left, count - left),
  };
}

function subtreeRoot(digests: readonly Digest[], from: number, count: number): Digest {
  return toHex(subtreeHash(digests, from, count));
}

function subtreeHash(digests: readonly Digest[], from: number, count: number): Uint8Array {
  if (count === 1) return leafHash(fromHex(digests[from]!));
  const left = leftCount(count);
  return nodeHash(subtreeHash(digests, from, left), subtreeHash(digests, from + left, count - left));
}
