import { sha256 } from '#crypto';

// Merkle Tree Hash of RFC 6962 §2.1 (the same in RFC 9162 §2.1.1).

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

export const leafHash = (leaf: Uint8Array): Uint8Array => sha256(leafPrefix, leaf);
export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(nodePrefix, left, right);

/** Pairs become parents; an odd last node moves up unchanged, which is RFC 6962's split. */
function levelAbove(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i + 1 < level.length; i += 2) above.push(nodeHash(level[i]!, level[i + 1]!));
  if (level.length % 2 === 1) above.push(level[level.length - 1]!);
  return above;
}

/** The nodes `height` levels above these: rootOfHashes of them is the root of the whole tree. */
export function nodeLevel(hashes: readonly Uint8Array[], height: number): readonly Uint8Array[] {
  let level = hashes;
  for (let i = 0; i < height; i++) level = levelAbove(level);
  return level;
}

/** Root over leaf hashes, or over all nodes of one level. */
export function rootOfHashes(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return sha256();
  let level = hashes;
  while (level.length > 1) level = levelAbove(level);
  return level[0]!;
}

/** Root over leaves. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return rootOfHashes(leaves.map(leafHash));
}
