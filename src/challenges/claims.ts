import { sha256 } from '#crypto';
import type { Children } from '../../mesh/decide/bisection.ts';
import { toHex } from '../proof/bytes.ts';
import type { Decimal } from '../proof/envelope.ts';
import type { Digest, FinishedRun } from '../proof/job.ts';

/** How a run ended, as far as the segments go that were sealed. */
export interface End {
  /** SHA-256 of the result; of nothing where the run has none by then. */
  readonly resultHash: Digest;
  readonly work: Decimal;
  /** The segment with which it ended; one more than were sealed where it would go on. */
  readonly segments: number;
}

/** What somebody says of a whole run: all that a run leaf binds beside runHash (docs/protocol.md, §2). */
export interface Claim extends End {
  /** Merkle root over D₀ … D_n, as many entries as the sealed list has (`asMany`). */
  readonly root: Digest;
}

/** What was sealed of the run. */
export interface SealedClaim extends Claim {
  readonly kernel: Digest;
  readonly runHash: Digest;
  readonly stepsPerSegment: number;
  /** Of the nodes that the answer lists: 0 where it lists D₀ … D_n themselves. */
  readonly level: number;
}

/** A node of both sides' digest trees on which they differ: leaves from … from + count − 1. */
export interface Dispute {
  readonly from: number;
  readonly count: number;
  readonly sealed: Digest;
  readonly claimed: Digest;
  /** Children of the sealed node; absent where the search is over. */
  readonly children?: Children;
}

/** What a run that was driven to segment `through`, and no further, says of its end. */
export function endOf({ status, result, work, digests }: FinishedRun, through: number): End {
  const resultHash = toHex(sha256(status === 1 ? result : new Uint8Array(0)));
  return { resultHash, work: String(work), segments: status === 0 ? through + 1 : digests.length - 1 };
}

/** A list of so many digests: a longer one is cut off, a shorter one filled up with 32 zero bytes. */
export function asMany(digests: readonly Uint8Array[], count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, k) => digests[k] ?? new Uint8Array(32));
}

/** The segments of a dispute that was found: first and last. */
export const segmentsOf = ({ from, count }: Pick<Dispute, 'from' | 'count'>) => ({
  from,
  through: from + count - 1,
});
