import { verifySignature } from '#crypto';
import { equalBytes, fromBase64, fromHex } from '../src/proof/bytes.ts';
import { readVkey } from '../src/proof/note.ts';
import { base64, decimal, digest, record, string } from '../src/proof/shape.ts';
import { beaconMessage, beaconOf } from './decide/beacon.ts';

/** A beacon as `GET /api/mesh/beacons` shows it: enough for a stranger to make it again. */
export interface ShownBeacon {
  /** Unix ns, decimal. */
  readonly t_ns: string;
  /** Signed head of the node's log when it was made; empty while the log was. */
  readonly checkpoint: string;
  /** Ed25519 over SHA-256("SVC-BEACON-1\0" ‖ u64 t_ns ‖ checkpoint), base 64. */
  readonly signature: string;
  /** SHA-256 of the signature, hexadecimal: what draws. */
  readonly beacon: string;
}

const shape = record({ t_ns: decimal, checkpoint: string, signature: base64, beacon: digest });

/**
 * Whether the node with this verifier key made the beacon. Runs anywhere: needs no node and no network.
 * @throws Refusal INVALID_INPUT for what is no beacon · RangeError for what is no verifier key
 */
export function isBeaconOf(vkey: string, shown: ShownBeacon): boolean {
  shape(shown, '');
  const tNs = BigInt(shown.t_ns);
  if (tNs >= 2n ** 64n) return false;
  const signature = fromBase64(shown.signature);
  const message = beaconMessage(tNs, shown.checkpoint);
  return (
    verifySignature(readVkey(vkey).publicKey, message, signature) &&
    equalBytes(beaconOf(signature), fromHex(shown.beacon))
  );
}
