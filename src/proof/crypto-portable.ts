import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as noble } from '@noble/hashes/sha2.js';
import type { HmacKey, SigningKey } from './crypto-keys.ts';

/** SHA-256 over the concatenation of `parts`. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = noble.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function hmacKey(secret: Uint8Array): HmacKey {
  const key = secret.slice();
  return {
    mac(...parts) {
      const mac = hmac.create(noble, key);
      for (const part of parts) mac.update(part);
      return mac.digest();
    },
  };
}

/** @param seed the 32-byte private key of RFC 8032 */
export function signingKey(seed: Uint8Array): SigningKey {
  if (seed.length !== 32) throw new RangeError('an Ed25519 private key has 32 bytes');
  const key = seed.slice();
  return { publicKey: ed25519.getPublicKey(key), sign: (message) => ed25519.sign(message, key) };
}

/** False for a wrong signature and for bytes that are no key or no signature. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}

/** Takes the same time wherever the bytes differ. */
export function equalConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ b[i]!;
  return difference === 0;
}
