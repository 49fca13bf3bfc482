import { equalBytes } from '../src/proof/bytes.ts';
import { type SegmentEnd, segmentDigest } from '../src/proof/digests.ts';
import type { Checkpoint } from './executor.ts';

const unknown = new Uint8Array(32);
const nothing = new Uint8Array(0);

/**
 * Whether a state is the one at the end of a segment that a run goes on behind: it leads to D_k. Nothing that was
 * fetched is begun from without this.
 * @param end its segment, steps since the start, and SHA-256 of the rows of that segment
 */
export function isStateOf(runHash: Uint8Array, end: Omit<SegmentEnd, 'status'>, digest: Uint8Array): boolean {
  return equalBytes(segmentDigest(runHash, { ...end, status: 0 }), digest);
}

/**
 * A point to go on from of which nothing but the state is known. No D_k is hashed into a later one (docs/protocol.md,
 * 'Digests'), so those before are left open, and so are their rows.
 */
export function resumePoint({
  segment,
  steps,
  state,
}: Pick<SegmentEnd, 'segment' | 'steps' | 'state'>): Checkpoint {
  const count = segment + 1;
  const digests = new Array<Uint8Array>(count).fill(unknown);
  return { segment, steps, state, from: 0, digests, rows: new Array<Uint8Array>(count).fill(nothing) };
}
