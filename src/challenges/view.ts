import type { Children } from '../../mesh/decide/bisection.ts';
import type { Claim, Dispute, SealedClaim } from './claims.ts';
import type { ChallengeRow, ExchangeRow } from './records.ts';

/** A challenge as everybody may see it: digests and states, no inputs, no values, no accounts. */
export interface ChallengeView {
  readonly challenge: string;
  readonly token_id: string;
  readonly node: string;
  readonly run: number;
  readonly state: string;
  readonly sealed: SealedClaim;
  readonly claim: Claim;
  /** Node of both digest trees on which they differ; at the end the segments in dispute. */
  readonly dispute: Dispute;
  readonly exchanges: number;
  readonly deadline_tick: number | null;
  readonly stake_plancks: string;
  readonly outcome: string | null;
  readonly detail: string | null;
  /** Signed statement svc-verdict-1, and its leaf in the log of the node. */
  readonly verdict: string | null;
  readonly verdict_index: number | null;
  readonly revocation_index: number | null;
  readonly opened_ns: string;
  readonly ended_ns: string | null;
}

export interface ExchangeView {
  readonly from: number;
  readonly count: number;
  readonly sealed: Children;
  readonly claimed: Children;
}

const integer = (value: bigint | null): number | null => (value === null ? null : Number(value));

export function viewOf(row: ChallengeRow): ChallengeView {
  return {
    challenge: row.id,
    token_id: row.token_id,
    node: row.node,
    run: Number(row.run),
    state: row.state,
    sealed: row.sealed as SealedClaim,
    claim: row.claim as Claim,
    dispute: row.dispute as Dispute,
    exchanges: Number(row.exchanges),
    deadline_tick: integer(row.deadline_tick),
    stake_plancks: String(row.stake_plancks),
    outcome: row.outcome,
    detail: row.detail,
    verdict: row.verdict,
    verdict_index: integer(row.verdict_index),
    revocation_index: integer(row.revocation_index),
    opened_ns: String(row.opened_ns),
    ended_ns: row.ended_ns === null ? null : String(row.ended_ns),
  };
}

export const exchangeView = ({ from_leaf, leaves, sealed, claimed }: ExchangeRow): ExchangeView => ({
  from: Number(from_leaf),
  count: Number(leaves),
  sealed: sealed as Children,
  claimed: claimed as Children,
});
