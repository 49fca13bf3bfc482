import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { signingKey } from '#crypto';
import { concat } from '../../src/proof/bytes.ts';

/**
 * Names of Ed25519 keys as NATS writes them (github.com/nats-io/nkeys): base 32 of a prefix byte, the 32 bytes and a
 * CRC-16, so that a name shows what it is and a typing error is found. Signing and verifying is the platform's own.
 */
export type KeyKind = 'user' | 'account' | 'server';

const prefixes: Readonly<Record<KeyKind, number>> = { user: 20 << 3, account: 0, server: 13 << 3 };
const SEED = 18 << 3;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Who speaks on the mesh: a contributor or the service of a deployment. */
export interface Identity {
  /** Public nkey; for a user the id of its node. */
  readonly id: string;
  /** Ed25519, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** @param seed 32 bytes, the private key of RFC 8032 */
export function identityOf(kind: KeyKind, seed: Uint8Array): Identity {
  const key = signingKey(seed);
  return { id: publicNkey(kind, key.publicKey), sign: (message) => key.sign(message) };
}

export const publicNkey = (kind: KeyKind, publicKey: Uint8Array): string =>
  checked(Uint8Array.of(prefixes[kind]), publicKey);

/** The seed as `nk -gen` writes it, such as `SU…`: what a node keeps in its file. */
export function seedNkey(kind: KeyKind, seed: Uint8Array): string {
  const prefix = prefixes[kind];
  return checked(Uint8Array.of(SEED | (prefix >> 5), (prefix & 31) << 3), seed);
}

/** @returns the 32 bytes, or undefined for what is no seed of this kind */
export function seedBytes(kind: KeyKind, text: string): Uint8Array | undefined {
  const bytes = fromBase32(text);
  const seed = bytes?.subarray(2, 34);
  return seed?.length === 32 && seedNkey(kind, seed) === text ? seed : undefined;
}

/** @returns the public key, or undefined for what is no public nkey of this kind */
export function publicKeyOf(kind: KeyKind, nkey: string): Uint8Array | undefined {
  const key = nkey.length === 56 ? fromBase32(nkey)?.subarray(1, 33) : undefined;
  return key?.length === 32 && publicNkey(kind, key) === nkey ? key : undefined;
}

export function isSignedBy(nkey: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = signature.length === 64 ? keyObject(nkey) : undefined;
  return key !== undefined && verify(null, message, key, signature);
}

/** The same beside the main thread, which a verification holds for 0.1 ms. */
export async function isSignedByInTime(
  nkey: string,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = signature.length === 64 ? keyObject(nkey) : undefined;
  if (!key) return false;
  return new Promise((done) => {
    verify(null, message, key, signature, (error, isValid) => done(!error && isValid));
  });
}

/** Reading a key costs as much as a verification: those that were used lately are kept. */
const keyObjects = new Map<string, KeyObject>();
const KEYS_KEPT = 16_384;
/** DER before the 32 bytes of a public key (RFC 8410 §4). */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex');

function keyObject(nkey: string): KeyObject | undefined {
  const known = keyObjects.get(nkey);
  if (known) return known;
  const publicKey = publicKeyOf('user', nkey);
  if (!publicKey) return undefined;
  const key = createPublicKey({ key: Buffer.concat([derPrefix, publicKey]), format: 'der', type: 'spki' });
  if (keyObjects.size >= KEYS_KEPT) keyObjects.delete(keyObjects.keys().next().value!);
  keyObjects.set(nkey, key);
  return key;
}

function checked(prefix: Uint8Array, key: Uint8Array): string {
  if (key.length !== 32) throw new RangeError('an Ed25519 key has 32 bytes');
  const body = concat([prefix, key]);
  const crc = crc16(body);
  return toBase32(concat([body, Uint8Array.of(crc & 255, crc >> 8)]));
}

/** CRC-16/XMODEM: polynomial 0x1021, from 0. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}

/** RFC 4648 §6 without padding. */
export function toBase32(bytes: Uint8Array): string {
  let [word, bits, text] = [0, 0, ''];
  for (const byte of bytes) {
    word = ((word << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(word >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + alphabet[(word << (5 - bits)) & 31] : text;
}

function fromBase32(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let [word, bits, at] = [0, 0, 0];
  for (const letter of text) {
    const value = alphabet.indexOf(letter);
    if (value < 0) return undefined;
    word = ((word << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (word >> bits) & 255;
  }
  return bytes;
}
