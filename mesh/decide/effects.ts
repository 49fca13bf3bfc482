import type { Check, Span } from './run.ts';

/** What a decision wants done, once it is durable. All of it may be done twice, or late. */
export type Effect =
  /** Say on the work queue that the run has a segment to run. */
  | { readonly kind: 'ring' }
  /** Nobody takes it: the service's own threads do. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'leased'; readonly node: string; readonly fence: number; readonly from: number }
  | { readonly kind: 'refused'; readonly node: string; readonly reason: Refused }
  /** The commitment is durable: the node may reveal. */
  | { readonly kind: 'committed'; readonly node: string; readonly fence: number; readonly from: number }
  | { readonly kind: 'lapsed'; readonly node: string }
  /** Ask this node, and no other, for a second or third execution of a span. */
  | { readonly kind: 'ask'; readonly node: string; readonly span: Span; readonly check: Check }
  /** For good: paid once. */
  | { readonly kind: 'accepted'; readonly span: Span }
  /** A check that came to nothing but was done right is paid too. */
  | { readonly kind: 'worked'; readonly check: Check; readonly span: Span }
  | { readonly kind: 'matched'; readonly node: string }
  | { readonly kind: 'mismatched'; readonly node: string }
  | { readonly kind: 'verdict'; readonly verdict: SegmentVerdict }
  | { readonly kind: 'ended'; readonly state: 'done' | 'failed' | 'cancelled' };

/** Why a node does not get what it asks for, or is no longer listened to. */
export type Refused =
  | 'ended'
  | 'complete'
  | 'waiting'
  | 'leased'
  | 'own'
  | 'excluded'
  | 'house-only'
  | 'fenced'
  | 'out-of-order'
  | 'settled'
  | 'not-committed';

export type Outcome = 'contributor_wrong' | 'challenger_wrong' | 'not_reproducible';

/**
 * What a dispute about one segment came to. The claims are those of the contributor, the challenger, the third
 * execution and, unless the service is a side, its own run of the segment, without which nothing is withheld.
 */
export interface SegmentVerdict {
  readonly outcome: Outcome;
  readonly segment: number;
  readonly span: Span;
  readonly challenger: Check;
  readonly third?: Check;
  readonly confirm?: Check;
  /** Whose bond is withheld. */
  readonly faulty: readonly string[];
}
