import { type Claim, saysTheSame } from './claim.ts';
import type { Check, Span } from './run.ts';

/**
 * What a decision wants done. Deeds belong into the transaction that writes the run: they are done once or the
 * decision was never made. Messages go out after it; they may be lost, come twice or late, and 'tick' makes up for it.
 */
export type Effect = Deed | Message;

export type Deed =
  /** For good: paid once. */
  | { readonly kind: 'accepted'; readonly span: Span }
  /** A check that was done right is paid too. */
  | { readonly kind: 'worked'; readonly check: Check; readonly span: Span }
  | { readonly kind: 'matched'; readonly node: string }
  /** `claim`: what it said of the span when it was asked to be the third. */
  | { readonly kind: 'mismatched'; readonly node: string; readonly claim?: Claim }
  | { readonly kind: 'verdict'; readonly verdict: SegmentVerdict }
  | { readonly kind: 'ended'; readonly state: 'done' | 'failed' | 'cancelled' };

export type Message =
  /** Say on the work queue that the run has a segment to run. */
  | { readonly kind: 'ring' }
  /** Nobody takes it: the service's own threads do. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'leased'; readonly node: string; readonly fence: number; readonly from: number }
  /** The answer to what this node has just said or asked for. */
  | { readonly kind: 'refused'; readonly node: string; readonly reason: Refused }
  /** The commitment is durable: the node may reveal. */
  | { readonly kind: 'committed'; readonly node: string; readonly fence: number; readonly from: number }
  /** What a node holds is taken from it: its lease, or, with `from`, a check of the span that begins there. */
  | {
      readonly kind: 'lost';
      readonly node: string;
      readonly fence: number;
      readonly from?: number;
      readonly reason: Refused;
    }
  /** Ask this node, and no other, for a second or third execution of a span. */
  | { readonly kind: 'ask'; readonly node: string; readonly span: Span; readonly check: Check };

const deeds: readonly string[] = ['accepted', 'worked', 'matched', 'mismatched', 'verdict', 'ended'];

export const isDeed = (effect: Effect): effect is Deed => deeds.includes(effect.kind);

/** Why a node does not get what it asks for, or is no longer listened to. */
export type Refused =
  /** The run is over. */
  | 'ended'
  /** Its last segment is claimed already. */
  | 'complete'
  /** Checks must catch up first: the same question may be asked again a little later. */
  | 'waiting'
  | 'leased'
  /** Of the account that pays for the run. */
  | 'own'
  | 'excluded'
  | 'house-only'
  /** It holds as many leases as it may. */
  | 'busy'
  /** Somebody else goes on, or what it was said of is gone. */
  | 'fenced'
  /** Without a sign of life, or without a result, for too long. */
  | 'lapsed'
  /** Not what comes next: spans are committed without gaps, each after the one before it was revealed. */
  | 'out-of-order'
  /** Accepted already. */
  | 'settled'
  /** Not what was committed to, or asked for. */
  | 'not-committed';

export type Outcome = 'contributor_wrong' | 'challenger_wrong' | 'not_reproducible';

/** Who is right, by what an execution found up to the first segment on which two claims differ. */
export function outcomeBy(found: Claim, contributor: Claim, challenger: Claim): Outcome {
  if (saysTheSame(found, contributor)) return 'challenger_wrong';
  return saysTheSame(found, challenger) ? 'contributor_wrong' : 'not_reproducible';
}

/**
 * What a dispute about one segment came to. The claims are those of the contributor, the challenger, the third
 * execution and, unless the service is one of these, its own run, without which nothing is withheld.
 */
export interface SegmentVerdict {
  readonly outcome: Outcome;
  readonly segment: number;
  readonly span: Span;
  readonly challenger: Check;
  readonly third: Check;
  readonly confirm?: Check;
  /** Whose bond is withheld. */
  readonly faulty: readonly string[];
}
