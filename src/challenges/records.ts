import type { Schema } from '../store/schema.ts';
import { type Row, table } from '../store/table.ts';

/**
 * A challenge from its stake to its end. Each change compares and sets `version`, so that two processes on one store
 * cannot both go on with it.
 */
export const challenges = table({
  name: 'challenges',
  key: ['id'],
  columns: {
    id: 'text',
    token_id: 'text',
    job: 'text',
    /** The node that sealed the result and settles the challenge. */
    node: 'text',
    /** Who put the stake. */
    account: 'text',
    run: 'int64',
    state: 'text',
    version: 'int64',
    /** Claim: what the challenger says of the run. */
    claim: 'json',
    /** SealedClaim: what was sealed of it. */
    sealed: 'json',
    /** Dispute: where the two sides part, as far as it is known. */
    dispute: 'json',
    /** Parties: contributors who computed the run, whose bonds stay where they are until the end. */
    parties: 'json',
    exchanges: 'int64',
    /** The challenger has lost if it says nothing through this tick; null once it need not say more. */
    deadline_tick: 'int64?',
    stake_plancks: 'int64',
    /** Executions that came to nothing. */
    failures: 'int64',
    outcome: 'text?',
    /** How it ended, in a sentence. */
    detail: 'text?',
    /** The signed verdict, and its leaf in the log. */
    verdict: 'text?',
    verdict_index: 'int64?',
    revocation_index: 'int64?',
    opened_ns: 'int64',
    ended_ns: 'int64?',
  },
  indexes: [
    { columns: ['node', 'state', 'deadline_tick'] },
    { columns: ['token_id', 'state'] },
    { columns: ['job'] },
    { columns: ['account', 'state'] },
    { columns: ['opened_ns'] },
  ],
});

/** What both sides showed in each exchange; only ever appended to. */
export const challengeExchanges = table({
  name: 'challenge_exchanges',
  key: ['challenge', 'n'],
  columns: {
    challenge: 'text',
    n: 'int64',
    /** The node of the digest tree: leaves from … from + count − 1. */
    from_leaf: 'int64',
    leaves: 'int64',
    /** Children of the node, of the sealed list and of the challenger's. */
    sealed: 'json',
    claimed: 'json',
    at_ns: 'int64',
  },
});

export const challengesSchema: Schema = { feature: 'challenges', tables: [challenges, challengeExchanges] };

export type ChallengeRow = Row<typeof challenges>;
export type ExchangeRow = Row<typeof challengeExchanges>;

/** `bisecting`: the challenger's turn; `executing`: the service's; the others are ends. */
export type ChallengeState = 'bisecting' | 'executing' | 'settled' | 'forfeited' | 'moot' | 'undecided';

/** Of a challenge that goes on. */
export const openStates = { in: ['bisecting', 'executing'] };
