import type { Children } from '../../mesh/decide/bisection.ts';
import type { Decimal } from '../proof/envelope.ts';
import type { Digest } from '../proof/job.ts';

/** What somebody says of a whole run: all that a run leaf binds beside runHash and n (docs/protocol.md, §2). */
export interface Claim {
  /** Merkle root over D₀ … D_n, as many entries as the sealed list has. */
  readonly root: Digest;
  readonly resultHash: Digest;
  readonly work: Decimal;
}

/** What was sealed of the run. */
export interface SealedClaim extends Claim {
  readonly kernel: Digest;
  readonly runHash: Digest;
  readonly stepsPerSegment: number;
  /** n */
  readonly segments: number;
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

/** The segments of a dispute that was found: first and last. */
export const segmentsOf = ({ from, count }: Pick<Dispute, 'from' | 'count'>) => ({
  from,
  through: from + count - 1,
});
