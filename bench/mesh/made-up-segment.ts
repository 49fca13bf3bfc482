import { sha256 } from '#crypto';
import type { Claim } from '../../mesh/decide/claim.ts';
import { fromHex, toHex } from '../../src/proof/bytes.ts';
import { segmentDigest } from '../../src/proof/digests.ts';
import { merkleRoot } from '../../src/proof/merkle.ts';

// Segments that nobody has run, with bytes that belong together: what the service is shown in dispatch.ts.

/** Work units that a segment claims. */
const WORK = 1000;
const STEPS = 10;

export const rowBytes = new Uint8Array(64).fill(9);
const rowsHash = sha256(rowBytes);

/** Begins with the kernel's counters of work and of steps, as the service expects it of a state. */
export function stateAt(segment: number, bytes: number): Uint8Array {
  const state = new Uint8Array(bytes).fill(7);
  const counters = new DataView(state.buffer);
  counters.setBigUint64(0, BigInt(WORK * (segment + 1)), true);
  counters.setBigUint64(8, BigInt(STEPS * (segment + 1)), true);
  return state;
}

function digestOf(runHash: string, segment: number, status: number, bytes: number): string {
  const [steps, state] = [STEPS * (segment + 1), stateAt(segment, bytes)];
  return toHex(segmentDigest(fromHex(runHash), { segment, steps, status, state, rowsHash }));
}

export function claimOf(
  runHash: string,
  { from, to, isLast }: { readonly from: number; readonly to: number; readonly isLast: boolean },
  state: Uint8Array,
): Claim {
  const stateHash = toHex(sha256(state));
  const count = to - from + 1;
  const final = { status: 1, result: stateHash };
  return {
    ...{ from, to, steps: STEPS * (to + 1), work: String(WORK * (to + 1)), state: stateHash },
    digests: Array.from({ length: count }, (_, i) =>
      digestOf(runHash, from + i, isLast && from + i === to ? 1 : 0, state.length),
    ),
    rowsRoot: toHex(merkleRoot(Array<Uint8Array>(count).fill(rowsHash))),
    rowsHash: toHex(rowsHash),
    ...(isLast ? { final } : {}),
  };
}
