import type { Schema } from '../store/schema.ts';
import { type Row, table } from '../store/table.ts';

/** An account that contributes. Whoever decides by its bond or its mode also writes this row. */
export const contributors = table({
  name: 'contributors',
  key: ['owner'],
  columns: {
    owner: 'text',
    /** What its nodes are told when they are admitted: idle · contributing · experimenting */
    mode: 'text',
    /** The bond that stands; null: not bonded. */
    bond: 'text?',
    changed_ns: 'int64',
  },
});

/** Bonds: coins that are marked immovable where they are. Nothing is moved into escrow (CONTRIB-01). */
export const bonds = table({
  name: 'bonds',
  key: ['id'],
  columns: {
    id: 'text',
    owner: 'text',
    /** bonded · released · withheld */
    state: 'text',
    /** Ids of the coins. */
    tokens: 'json',
    bonded_ns: 'int64',
    /** End of its term (OPEN-37). */
    ends_ns: 'int64',
    ended_ns: 'int64?',
  },
  indexes: [{ columns: ['owner', 'bonded_ns'] }, { columns: ['state', 'ends_ns'] }],
});

/** Verdicts that found a node wrong, each once, and the bond that was withheld by it. Only ever appended. */
export const bondVerdicts = table({
  name: 'bond_verdicts',
  key: ['node', 'verdict'],
  columns: { node: 'text', verdict: 'text', owner: 'text', bond: 'text?', coins: 'int64', at_ns: 'int64' },
  indexes: [{ columns: ['owner', 'at_ns'] }],
});

/** Challenges that are open against an account: while there is one, its bond is not released (OPEN-37). */
export const bondChallenges = table({
  name: 'bond_challenges',
  key: ['owner', 'challenge'],
  columns: { owner: 'text', challenge: 'text', opened_ns: 'int64' },
});

/** Work that was accepted, each once, and what was paid for it: beside each stands a transfer of the same id. */
export const workCredits = table({
  name: 'work_credits',
  key: ['id'],
  columns: {
    id: 'text',
    owner: 'text',
    node: 'text',
    run: 'text',
    from_segment: 'int64',
    to_segment: 'int64',
    /** segment · check */
    kind: 'text',
    /** The run's work counter at the end of the segments; null of checks, and in rows from before 0.7.0. */
    counter: 'int64?',
    /** Work units that were done, and of them those that were paid. */
    work: 'int64',
    paid: 'int64',
    /** Why not all of it was, or not for long: plan · free · uncharged · refunded; null where it was. */
    short: 'text?',
    /** Work units that are paid once the job is over, by whoever pays then; null where nothing waits. */
    due: 'int64?',
    /** Work units that were taken back, when a verdict found the work wrong after it was paid. */
    taken_back: 'int64?',
    at_ns: 'int64',
  },
  indexes: [{ columns: ['owner', 'at_ns'] }, { columns: ['owner', 'due'] }, { columns: ['run', 'due'] }],
});

/** What was credited of each run so far. */
export const runCredits = table({
  name: 'run_credits',
  key: ['run'],
  columns: {
    run: 'text',
    /** Work units of its segments: no more than it was planned with. */
    work: 'int64',
    /** Of runs that are paid when their job is over: the job, and who asked for it. */
    job: 'text?',
    payer: 'text?',
    /** pending: lines wait for the end of the job · refunded: all of its lines are looked at again · null */
    state: 'text?',
    changed_ns: 'int64?',
  },
  indexes: [{ columns: ['state'] }, { columns: ['job'] }],
});

/** Work that contributors were paid for and that nobody else paid, by the account that asked for it and by day. */
export const freeWork = table({
  name: 'free_work',
  key: ['payer', 'day'],
  columns: { payer: 'text', day: 'int64', work: 'int64' },
});

export const contributeSchema: Schema = {
  feature: 'contribute',
  tables: [contributors, bonds, bondVerdicts, bondChallenges, workCredits, runCredits, freeWork],
};

export type BondRow = Row<typeof bonds>;
export type ContributorRow = Row<typeof contributors>;
export type RunCreditRow = Row<typeof runCredits>;
export type WorkCreditRow = Row<typeof workCredits>;
