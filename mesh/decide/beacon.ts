import { sha256 } from '#crypto';
import { u64le, utf8 } from '../../src/proof/bytes.ts';

/**
 * Beacon(t) = SHA-256 of the service's Ed25519 signature over (t, last checkpoint): nobody but the service can know it
 * before t, and everybody can check it afterwards, because Ed25519 signatures are deterministic (RFC 8032 §5.1.6).
 */
const beaconTag = utf8('SVC-BEACON-1\0');
const drawTag = utf8('SVC-DRAW-1\0');

/** What the service signs for the beacon of time t (Unix ns). */
export function beaconMessage(tNs: bigint, checkpoint: string): Uint8Array {
  return sha256(beaconTag, u64le(tNs), utf8(checkpoint));
}

export const beaconOf = (signature: Uint8Array): Uint8Array => sha256(signature);

/** A number in [0, 1) with 53 bits, drawn by a beacon for a subject: a run and a segment. */
export function drawnNumber(beacon: Uint8Array, subject: string): number {
  const bytes = sha256(drawTag, beacon, utf8(subject));
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return (view.getUint32(0, true) * 0x200000 + (view.getUint32(4, true) >>> 11)) / 0x20000000000000;
}
