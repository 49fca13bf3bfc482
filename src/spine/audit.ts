import { audit as auditLedger, type Audit as LedgerAudit } from '../ledger/audit.ts';
import { transfersTable } from '../ledger/records.ts';
import { equalBytes, textOf } from '../proof/bytes.ts';
import { readCheckpoint } from '../proof/checkpoint.ts';
import type { Envelope } from '../proof/envelope.ts';
import { appendLeaves, emptyLog, type LogNode } from '../proof/log-tree.ts';
import { leafHash } from '../proof/merkle.ts';
import type { Reader, Store } from '../store/store.ts';
import { tilesOf } from './log-tiles.ts';
import { envelopes, jobs, logHeads, logNotes, logTiles, revocations } from './records.ts';

export interface SpineAudit {
  readonly sound: boolean;
  readonly problems: readonly string[];
  readonly ledger: LedgerAudit;
  /** Leaves of all logs in this store. */
  readonly leaves: number;
}

const MOST_PROBLEMS = 100;

/**
 * Checks that the records belong together: every sealed envelope is the leaf that the log says, was charged what it
 * says and is the answer of its job; every charge has its leaf; the leaves give the signed root and the tiles; what was revoked has
 * its leaf, a void coin and its charge given back, and nothing else has; the books balance.
 */
export async function auditSpine(store: Store): Promise<SpineAudit> {
  const ledger = await auditLedger(store);
  const problems = [...ledger.problems];
  let leaves = 0;
  const heads = await store.find(logHeads);
  for (const head of heads) {
    const found = await auditLog(store, head.node, head.checkpoint, Number(head.size));
    problems.push(...found);
    leaves += Number(head.size);
  }
  problems.push(...(await logsWithoutHead(store, new Set(heads.map(({ node }) => node)))));
  problems.push(...(await chargesWithoutLeaf(store)));
  return { sound: problems.length === 0, problems: problems.slice(0, MOST_PROBLEMS), ledger, leaves };
}

async function auditLog(store: Store, node: string, checkpoint: string, size: number): Promise<string[]> {
  const rows = await store.find(envelopes, { where: { node }, orderBy: { leaf_index: 'asc' } });
  const notes = await store.find(logNotes, { where: { node } });
  const leaves = [...rows.map(({ leaf_index, envelope: bytes }) => ({ leaf_index, bytes })), ...notes].sort(
    (a, b) => Number(a.leaf_index - b.leaf_index),
  );
  const problems = leaves.flatMap((leaf, i) =>
    leaf.leaf_index === BigInt(i) ? [] : [`${node}: leaf ${i} is missing, ${leaf.leaf_index} stands there`],
  );
  if (leaves.length !== size)
    problems.push(`${node}: ${rows.length} envelopes and ${notes.length} notes, but ${size} leaves`);
  const { root, nodes } = appendLeaves(
    emptyLog,
    leaves.map(({ bytes }) => leafHash(bytes)),
  );
  const signed = readCheckpoint(checkpoint);
  if (signed.size !== size) problems.push(`${node}: the head has ${size} leaves, ${signed.size} are signed`);
  if (!equalBytes(root, signed.root)) problems.push(`${node}: the leaves do not give the signed root`);
  problems.push(...(await auditTiles(store, node, nodes)));
  for (const row of rows) problems.push(...(await auditEnvelope(store, row)));
  return problems;
}

/** The tiles are what the leaves give, each of them: without them no leaf is proved and none is added. */
async function auditTiles(store: Store, node: string, nodes: readonly LogNode[]): Promise<string[]> {
  const kept = await store.find(logTiles, { where: { node } });
  const there = new Map(kept.map(({ level, tile, hashes }) => [`${level}/${tile}`, hashes]));
  const problems: string[] = [];
  for (const [name, hashes] of tilesOf(nodes)) {
    const found = there.get(name);
    if (found === undefined) problems.push(`${node}: tile ${name} of the log is missing`);
    else if (!equalBytes(found, hashes))
      problems.push(`${node}: tile ${name} of the log is not that of the leaves`);
    there.delete(name);
  }
  return [...problems, ...[...there.keys()].map((name) => `${node}: tile ${name} of the log covers no leaf`)];
}

/** What has its place in a log needs the head of that log. */
async function logsWithoutHead(store: Store, heads: ReadonlySet<string>): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const rows of [await store.find(envelopes), await store.find(logNotes), await store.find(logTiles)])
    for (const { node } of rows) if (!heads.has(node)) counts.set(node, (counts.get(node) ?? 0) + 1);
  return [...counts].map(
    ([node, rows]) => `${node}: the log has no head, but ${rows} envelopes, notes and tiles`,
  );
}

async function auditEnvelope(
  reader: Reader,
  row: {
    token_id: string;
    job: string;
    face_plancks: bigint;
    envelope: Uint8Array;
    revoked_ns: bigint | null;
  },
): Promise<string[]> {
  const envelope = JSON.parse(textOf(row.envelope)) as Envelope;
  const job = await reader.get(jobs, { id: row.job });
  const charged = await chargedFor(reader, row.job);
  const problems: string[] = [];
  if (job?.state !== 'done' || job.token_id !== row.token_id || job.answer === null)
    problems.push(`envelope ${row.token_id}: job ${row.job} is not done with it`);
  if (charged !== row.face_plancks || String(charged) !== envelope.price_plancks)
    problems.push(
      `envelope ${row.token_id}: ${charged} plancks were charged, it says ${envelope.price_plancks}`,
    );
  return [...problems, ...(await auditRevocation(reader, row, charged))];
}

/** A revoked result is refunded whole, and no other is. */
async function auditRevocation(
  reader: Reader,
  { token_id, job, revoked_ns }: { token_id: string; job: string; revoked_ns: bigint | null },
  charged: bigint,
): Promise<string[]> {
  const where = { id: { gte: `${job}/`, lt: `${job}0` }, reason: 'reversal' };
  const back = await reader.sum(transfersTable, 'amount', where);
  const expected = revoked_ns === null ? 0n : charged;
  const isListed = (await reader.get(revocations, { token_id })) !== undefined;
  return [
    ...(back === expected ? [] : [`envelope ${token_id}: ${back} plancks were given back, not ${expected}`]),
    ...(isListed === (revoked_ns !== null) ? [] : [`envelope ${token_id}: coin and revocation disagree`]),
  ];
}

/** What a job was charged: its posted transfers, from a hold or at once. */
async function chargedFor(reader: Reader, job: string): Promise<bigint> {
  const id = { gte: `${job}/`, lt: `${job}0` };
  const where = { id, reason: 'charge', phase: { in: ['posted', 'post'] } };
  return reader.sum(transfersTable, 'amount', where);
}

async function chargesWithoutLeaf(store: Store): Promise<string[]> {
  const where = { reason: 'charge', phase: { in: ['posted', 'post'] } };
  const charges = await store.find(transfersTable, { where });
  const paid = new Set(charges.map((charge) => charge.id.split('/', 1)[0]!));
  const sealed = new Set((await store.find(envelopes)).map((row) => row.job));
  return [...paid].filter((job) => !sealed.has(job)).map((job) => `job ${job} was charged, but has no leaf`);
}
