import { sha256 } from '#crypto';
import { utf8 } from '../../../src/proof/bytes.ts';

/** A tick lasts 777,000,777 ns (src/clock/pulse.ts); here a whole number of milliseconds. */
export const TICK_MS = 777;

/** The service's beacons: nobody else knows the secret, so that nobody foresees them. */
export function secretBeacon(seed: number): (tNs: bigint) => Uint8Array {
  return (tNs) => sha256(utf8(`beacon ${seed} ${tNs}`));
}
