import { sha256 as noble } from '@noble/hashes/sha2.js';

/** SHA-256 over the concatenation of `parts`. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = noble.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}
