import { tickOf } from '../clock/pulse.ts';
import { Refusal } from '../errors/refusal.ts';
import { type Charge, refund } from '../ledger/charge.ts';
import { textOf, toHex, utf8 } from '../proof/bytes.ts';
import { leafHash } from '../proof/merkle.ts';
import { type Revocation, type RevocationPage, revocationText } from '../proof/revocation.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { NodeLog, PendingBatch } from './node-log.ts';
import { envelopes, logNotes, revocations } from './records.ts';

/** Why a sealed result does not stand. */
export interface Overturning {
  readonly tokenId: string;
  readonly outcome: Revocation['outcome'];
  readonly challenge: string;
  /** The signed verdict's text, a leaf of its own before the revocation. */
  readonly verdict: string;
}

export interface Overturned {
  /** To be told once the transaction is durable. */
  readonly batch: PendingBatch;
  readonly verdictIndex: number;
  readonly revocationIndex: number;
  readonly refunded: Charge;
}

export interface LogParts {
  readonly log: NodeLog;
  readonly node: string;
  readonly now: () => bigint;
}

/** A verdict that overturns nothing: a leaf. */
export async function logVerdict(tx: Transaction, parts: LogParts, verdict: string): Promise<PendingBatch> {
  return appendNotes(tx, parts, [verdict]);
}

/**
 * Takes a sealed result back, in the caller's transaction: verdict and revocation are leaves of the log that holds the
 * envelope, the charge goes back by reversing transfers, the coin is void (docs/protocol.md, 'Challenges and
 * revocation').
 * @throws Refusal CONFLICT for a result that was revoked before, or that another node sealed · NOT_FOUND
 */
export async function overturn(tx: Transaction, parts: LogParts, why: Overturning): Promise<Overturned> {
  const { node, log } = parts;
  const token_id = why.tokenId;
  const row = await tx.get(envelopes, { token_id });
  if (row?.node !== node) throw new Refusal('NOT_FOUND', `${node} has sealed no ${token_id}.`);
  const atNs = parts.now();
  const coin = { revoked_ns: atNs, locked_by: `void/${why.challenge}` };
  if (!(await tx.update(envelopes, { token_id }, coin, { revoked_ns: null })))
    throw new Refusal('CONFLICT', `The result of coin ${token_id} was revoked before.`);
  const verdictIndex = await log.size(tx);
  const leaf = revocationText({
    envelope: toHex(leafHash(row.envelope)),
    index: Number(row.leaf_index),
    token_id,
    outcome: why.outcome,
    challenge: why.challenge,
    verdict: toHex(leafHash(utf8(why.verdict))),
    verdict_index: verdictIndex,
    node,
    tick: tickOf(atNs),
    t_ns: String(atNs),
  });
  const batch = await appendNotes(tx, parts, [why.verdict, leaf]);
  const { job } = row;
  const key = { token_id, node, leaf_index: BigInt(verdictIndex + 1), job };
  const { challenge, outcome } = why;
  await tx.insert(revocations, { ...key, challenge, outcome, revoked_ns: atNs });
  const refunded = await refund(tx, job, atNs);
  return { batch, verdictIndex, revocationIndex: verdictIndex + 1, refunded };
}

async function appendNotes(
  tx: Transaction,
  { log, node, now }: LogParts,
  texts: readonly string[],
): Promise<PendingBatch> {
  const leaves = texts.map(utf8);
  const batch = await log.append(tx, leaves);
  for (const [i, bytes] of leaves.entries())
    await tx.insert(logNotes, { node, leaf_index: BigInt(batch.firstIndex + i), bytes, logged_ns: now() });
  return batch;
}

/** Of coins that are void, the challenge whose verdict made them so. */
export async function revokedBy(
  reader: Reader,
  coins: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (coins.length === 0) return new Map();
  const rows = await reader.find(revocations, { where: { token_id: { in: coins } } });
  return new Map(rows.map(({ token_id, challenge }) => [token_id, challenge]));
}

const PAGE = 100;

/** Revocations in the log of a node from leaf `since` on, in their order, each with its proof. */
export async function revocationsSince(
  reader: Reader,
  { log, node }: Pick<LogParts, 'log' | 'node'>,
  since: number,
  limit = PAGE,
): Promise<RevocationPage> {
  const where = { node, leaf_index: { gte: BigInt(since) } };
  const rows = await reader.find(revocations, { where, orderBy: { leaf_index: 'asc' }, limit: limit + 1 });
  const shown = rows.slice(0, limit).map((row) => Number(row.leaf_index));
  const proofs = await log.proofs(reader, shown);
  const listed = await Promise.all(
    proofs.map(async ({ index, path }) => {
      const note = await reader.get(logNotes, { node, leaf_index: BigInt(index) });
      return { index, leaf: textOf(note!.bytes), path };
    }),
  );
  const checkpoint = proofs[0]?.checkpoint ?? (await log.checkpoint(reader)) ?? null;
  const next = rows.length > limit ? Number(rows[limit]!.leaf_index) : null;
  return { node, since, checkpoint, revocations: listed, next };
}
