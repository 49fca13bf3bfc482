import { type Row, table } from '../store/table.ts';

/**
 * A job from its acceptance to its answer. A small job is written once, when it is settled; a job that is recorded
 * while it runs has a lease: the process that holds it renews it, and whoever finds it expired takes the job over
 * with the next attempt number, which fences the process before it.
 */
export const jobs = table({
  name: 'jobs',
  key: ['id'],
  columns: {
    id: 'text',
    account: 'text',
    solver: 'text',
    /** Canonical request, JSON bytes. */
    request: 'blob',
    request_hash: 'text',
    state: 'text',
    created_ns: 'int64',
    finished_ns: 'int64?',
    /** What was held, in plancks: the quote, or what of it was there. */
    ceiling_plancks: 'int64',
    attempt: 'int64',
    lease_until_ns: 'int64',
    /** When somebody asked to cancel it: whoever holds the lease sees this as it renews it. */
    cancel_ns: 'int64?',
    /** Work units that were done, charged or not. */
    work: 'int64?',
    token_id: 'text?',
    /** The answer as JSON bytes; large arrays in it are blobs. */
    answer: 'blob?',
    /** The refusal that ended it. */
    error: 'json?',
    /** What was asked of the mesh: none, sampled or full; null: nothing. */
    replication: 'text?',
  },
  indexes: [{ columns: ['account', 'created_ns'] }, { columns: ['state', 'lease_until_ns'] }],
});

export type JobRow = Row<typeof jobs>;
export const jobStates = ['running', 'done', 'refused', 'cancelled', 'unsealed'] as const;
export type JobState = (typeof jobStates)[number];

/** What an Idempotency-Key was used for. */
export const idempotencyKeys = table({
  name: 'idempotency_keys',
  key: ['account', 'idempotency_key'],
  columns: {
    account: 'text',
    idempotency_key: 'text',
    job: 'text',
    solver: 'text',
    request_hash: 'text',
    created_ns: 'int64',
  },
});

/** Sealed envelopes: the bytes that are leaf `leaf_index` of the node's log, and the coin that they are. */
export const envelopes = table({
  name: 'envelopes',
  key: ['token_id'],
  columns: {
    token_id: 'text',
    node: 'text',
    leaf_index: 'int64',
    job: 'text',
    issued_to: 'text',
    owner: 'text',
    /** `paid` coins move, `free` coins are soulbound (TALLY-03, TALLY-04). */
    funding: 'text',
    face_plancks: 'int64',
    sealed_ns: 'int64',
    envelope: 'blob',
    /** What keeps the coin where it is, such as `bond/0123…`; null: nothing but its funding (TALLY-05). */
    locked_by: 'text?',
    /** When a verdict overturned the result: the coin is void, and stays where it is (`void/chl_0123…`). */
    revoked_ns: 'int64?',
  },
  indexes: [
    { columns: ['node', 'leaf_index'], unique: true },
    // Which coins of an account can move, oldest first.
    { columns: ['owner', 'funding', 'locked_by', 'sealed_ns'] },
  ],
});

/**
 * The nodes of each service node's Merkle log, in tiles: up to 256 hashes of one level that stand side by side, for
 * the levels 0, 8, 16 …. What lies between those levels is made from them.
 */
export const logTiles = table({
  name: 'log_tiles',
  key: ['node', 'level', 'tile'],
  columns: { node: 'text', level: 'int64', tile: 'int64', hashes: 'blob' },
});

/** Head of each log: the size is what a writer compares and sets. */
export const logHeads = table({
  name: 'log_heads',
  key: ['node'],
  columns: { node: 'text', size: 'int64', checkpoint: 'text', signed_ns: 'int64' },
});

/**
 * The last restore of this store, written by it: one row, which no backup brings along. A log that came out of a
 * backup may have gone further than the backup knows.
 */
export const logRestores = table({
  name: 'log_restores',
  key: ['id'],
  columns: {
    /** Random. */
    id: 'text',
    restored_ns: 'int64',
  },
});

/** Leaves that are no envelopes, verdicts and revocations: the bytes of leaf `leaf_index`. */
export const logNotes = table({
  name: 'log_notes',
  key: ['node', 'leaf_index'],
  columns: { node: 'text', leaf_index: 'int64', bytes: 'blob', logged_ns: 'int64' },
});

/** Results that a verdict overturned, each once. Their charge is given back, their coin is void. */
export const revocations = table({
  name: 'revocations',
  key: ['token_id'],
  columns: {
    token_id: 'text',
    node: 'text',
    /** Of the leaf that revokes. */
    leaf_index: 'int64',
    job: 'text',
    challenge: 'text',
    outcome: 'text',
    revoked_ns: 'int64',
  },
  indexes: [{ columns: ['node', 'leaf_index'], unique: true }],
});

export type RevocationRow = Row<typeof revocations>;

/** Where a run of a recorded job stands: its last durable segment. Kernel and parameters are in its hash. */
export const checkpoints = table({
  name: 'checkpoints',
  key: ['job', 'run'],
  columns: {
    job: 'text',
    run: 'int64',
    run_hash: 'text',
    segment: 'int64',
    steps: 'int64',
    /** Work units so far; null in checkpoints from before 0.2.0. */
    work: 'int64?',
  },
});

/**
 * Bytes of a recorded job that live as long as it runs, in parts of bounded size: the state at a checkpoint
 * (`state 17`), digests and rows since the checkpoint before (`pieces 12`), a finished run (`run`).
 */
export const scratch = table({
  name: 'scratch',
  key: ['job', 'run', 'name', 'part'],
  columns: { job: 'text', run: 'int64', name: 'text', part: 'int64', bytes: 'blob' },
});

/** Work of refused calls per account and day: the daily allowance is counted against it. */
export const refusedWork = table({
  name: 'refused_work',
  key: ['account', 'day'],
  columns: { account: 'text', day: 'int64', plancks: 'int64' },
});
