import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { HmacKey, SigningKey } from './crypto-keys.ts';

/** SHA-256 over the concatenation of `parts`. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** A KeyObject, not raw bytes: importing the raw key at every call costs five times the HMAC itself (Node 24). */
export function hmacKey(secret: Uint8Array): HmacKey {
  const key = createSecretKey(secret);
  return {
    mac(...parts) {
      const hmac = createHmac('sha256', key);
      for (const part of parts) hmac.update(part);
      return new Uint8Array(hmac.digest());
    },
  };
}

// DER before the 32 raw bytes of a key (RFC 8410 §4 and §7).
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** @param seed the 32-byte private key of RFC 8032 */
export function signingKey(seed: Uint8Array): SigningKey {
  if (seed.length !== 32) throw new RangeError('an Ed25519 private key has 32 bytes');
  const key = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new Uint8Array(spki.subarray(publicPrefix.length)),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}

function publicKeyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' });
}

/** False for a wrong signature and for bytes that are no key or no signature. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    return verify(null, message, publicKeyObject(publicKey), signature);
  } catch {
    return false;
  }
}

/** Takes the same time wherever the bytes differ. */
export function equalConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
