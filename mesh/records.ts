import type { Schema } from '../src/store/schema.ts';
import { type Row, table } from '../src/store/table.ts';

/**
 * What the store keeps of the mesh. A run's row holds the state that decide.ts changes; each change is a
 * compare-and-set on `version`, so two service nodes cannot both decide.
 */
export const meshRuns = table({
  name: 'mesh_runs',
  key: ['id'],
  columns: {
    id: 'text',
    job: 'text',
    class: 'text',
    state: 'text',
    version: 'int64',
    /** MeshRun as JSON. */
    machine: 'json',
    /** Objects of claims that are not accepted yet: `fence/from` → name. */
    pending: 'json',
    /** RunSpec: kernel, parameters' digest, steps per segment, memory, work. */
    spec: 'json',
    /** Last segment that was paid for: what is run again after a loss is not paid again. */
    credited: 'int64',
    /** The work counter at the end of that segment; null in rows from before 0.3.0. */
    credited_work: 'int64?',
    /** Node that holds its lease; empty while nobody does. */
    holder: 'text?',
    /** First tick in which the passing of time alone may change anything of it (coordinator/wake.ts). */
    wake_tick: 'int64?',
    created_ns: 'int64',
    /** Given up, and refunded, when it is not done by then. */
    deadline_ns: 'int64',
  },
  indexes: [
    { columns: ['state', 'created_ns'] },
    { columns: ['state', 'wake_tick'] },
    { columns: ['holder', 'state'] },
    { columns: ['job'] },
  ],
});

/** Accepted segments, each once: what the run is put together from, and what was paid for it. */
export const meshSpans = table({
  name: 'mesh_spans',
  key: ['run', 'from_segment'],
  columns: {
    run: 'text',
    from_segment: 'int64',
    to_segment: 'int64',
    node: 'text',
    owner: 'text',
    claim: 'json',
    /** Rows, result and what was observed at the end: name in the object store. */
    bytes: 'text',
    /** Work units of these segments. */
    work: 'int64',
    /** Time of the beacon that drew whether it is checked; null where nothing was drawn. */
    drawn_ns: 'int64?',
    /** Who ran all of it too and found the same; null where nobody did, or a version before 0.7.0 wrote the row. */
    checked_by: 'text?',
    /** Owner of whose run the answer is made in place of this one: the house, where it found another; else null. */
    replaced_by: 'text?',
    accepted_ns: 'int64',
  },
  indexes: [{ columns: ['node', 'accepted_ns'] }],
});

/** Contributors that passed the self-test. The id is the public nkey of the node. */
export const meshNodes = table({
  name: 'mesh_nodes',
  key: ['id'],
  columns: {
    id: 'text',
    owner: 'text',
    engine: 'text',
    cores: 'int64',
    memory: 'int64',
    mode: 'text',
    /** admitted · left · barred */
    state: 'text',
    admitted_ns: 'int64',
    heard_ns: 'int64',
  },
  indexes: [{ columns: ['owner'] }, { columns: ['state', 'mode'] }],
});

/** Matches of a node on a kernel since its last mismatch: how often it is checked follows from them. */
export const meshTrust = table({
  name: 'mesh_trust',
  key: ['node', 'kernel'],
  columns: { node: 'text', kernel: 'text', matches: 'int64' },
});

/** Signed verdicts about single segments: anybody can run the segment again. */
export const meshVerdicts = table({
  name: 'mesh_verdicts',
  key: ['id'],
  columns: {
    id: 'text',
    run: 'text',
    segment: 'int64',
    outcome: 'text',
    /** Nodes whose bond is withheld, joined by commas. */
    faulty: 'text',
    /** svc-segment-verdict-1. */
    note: 'text',
    /** Service node that signed it, and its leaf in the log of that one; null in rows from before 0.7.0. */
    node: 'text?',
    leaf_index: 'int64?',
    decided_ns: 'int64',
  },
  indexes: [{ columns: ['run', 'segment'] }, { columns: ['decided_ns'] }],
});

/** Why work is not paid: the words of lines of unpaid work. What each means is said in src/contribute/earnings.ts. */
export type UnpaidReason =
  | ('done' | 'failed' | 'cancelled')
  | ('refuted' | 'behind-refuted' | 'undecided' | 'contradicted')
  | ('fenced' | 'not-committed' | 'returned' | 'unawaited' | 'rewound' | 'paid-before');

/** Work that was not paid, and why: what a contributor reads line by line. */
export const meshUnpaid = table({
  name: 'mesh_unpaid',
  key: ['node', 'at_ns', 'run', 'from_segment'],
  columns: {
    node: 'text',
    at_ns: 'int64',
    run: 'text',
    from_segment: 'int64',
    /** 0 also where it was never shown how much it was. */
    work: 'int64',
    /** UnpaidReason. */
    reason: 'text',
  },
  indexes: [{ columns: ['at_ns'] }, { columns: ['node', 'run'] }],
});

/** Third executions for challenges: who was asked to run how far, and what came back. */
export const meshErrands = table({
  name: 'mesh_errands',
  key: ['id'],
  columns: {
    id: 'text',
    node: 'text',
    owner: 'text',
    /** CheckWork. */
    work: 'json',
    claim: 'json?',
    /** Written by 0.3.0 alone, where it is 0: a table keeps the columns that it had. */
    counted: 'int64?',
    asked_ns: 'int64',
    heard_ns: 'int64',
    /** When it was answered, or given up: then there is no claim. */
    answered_ns: 'int64?',
    /** When the service's own run was held against it. */
    judged_ns: 'int64?',
  },
  indexes: [{ columns: ['node', 'asked_ns'] }, { columns: ['judged_ns', 'asked_ns'] }],
});

/** When a node asked last, of each kind of question: what was recorded and is said again is not later. */
export const meshAsked = table({
  name: 'mesh_asked',
  key: ['node', 'kind'],
  columns: {
    node: 'text',
    /** lease · alive */
    kind: 'text',
    /** Unix ms by the clock that the node goes by. */
    at_ms: 'int64',
  },
});

export const meshSchema: Schema = {
  feature: 'mesh',
  tables: [meshRuns, meshSpans, meshNodes, meshTrust, meshVerdicts, meshUnpaid, meshErrands, meshAsked],
};

export type MeshRunRow = Row<typeof meshRuns>;
export type MeshSpanRow = Row<typeof meshSpans>;
export type MeshErrandRow = Row<typeof meshErrands>;
export type MeshNodeRow = Row<typeof meshNodes>;
export type MeshVerdictRow = Row<typeof meshVerdicts>;
