import { sha256 } from '#crypto';

// Merkle Tree Hash of RFC 6962 §2.1 (the same in RFC 9162 §2.1.1).

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

export const leafHash = (leaf: Uint8Array): Uint8Array => sha256(leafPrefix, leaf);
export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(nodePrefix, left, right);

/** Root over leaf hashes: pairs level by level; an odd last node moves up unchanged, which is RFC 6962's split. */
export function rootOfHashes(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return sha256();
  let level = hashes;
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let i = 0; i + 1 < level.length; i += 2) above.push(nodeHash(level[i]!, level[i + 1]!));
    if (level.length % 2 === 1) above.push(level[level.length - 1]!);
    level = above;
  }
  return level[0]!;
}

/** Root over leaves. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  return rootOfHashes(leaves.map(leafHash));
}
