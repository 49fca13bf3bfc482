import { audit as auditLedger, type Audit as LedgerAudit } from '../ledger/audit.ts';
import { auditHolds, type Holders } from '../ledger/hold-audit.ts';
import { type TransferRow, transfersTable } from '../ledger/records.ts';
import { PAGE, Problems, pageAfter, paged } from '../store/audit-pages.ts';
import type { Store } from '../store/store.ts';
import type { Row } from '../store/table.ts';
import type { AnswerTrust } from './answer-audit.ts';
import { auditBlobs } from './blob-audit.ts';
import { auditIdempotencyKeys, auditJobs, runningJobs } from './job-audit.ts';
import { LogAudit } from './log-audit.ts';
import { gapInLog, storedHead } from './log-continuity.ts';
import { envelopes, jobs, logHeads, logNotes, logTiles } from './records.ts';
import type { OwnLog } from './restored-log.ts';

export interface SpineAudit {
  readonly sound: boolean;
  readonly problems: readonly string[];
  readonly ledger: LedgerAudit;
  /** Leaves of all logs in this store. */
  readonly leaves: number;
}

/**
 * Checks that the records belong together: every sealed envelope is the leaf that the log says, was charged what it
 * says and is the answer of its job, under a head that is one of the log; every charge has its leaf; the leaves give
 * the signed root and the tiles; what was revoked has its leaf, a void coin and its charge given back, and nothing else
 * has; the log goes as far as the node of this folder remembers; blobs are what they are called, and those that answers
 * name are there; what is held is held for a job that runs, or for one of `otherHolders`; the books balance.
 */
export async function auditSpine(
  store: Store,
  own?: OwnLog,
  trust: AnswerTrust = { vkeys: [] },
  otherHolders: readonly Holders[] = [],
): Promise<SpineAudit> {
  const ledger = await auditLedger(store);
  const problems = new Problems();
  for (const problem of ledger.problems) problems.add(problem);
  let leaves = 0;
  const heads = await store.find(logHeads);
  for (const head of heads) {
    await problems.within(head.node, () => new LogAudit(store, head, problems, trust).run());
    leaves += Number(head.size);
  }
  await logsWithoutHead(store, new Set(heads.map(({ node }) => node)), problems);
  await chargesWithoutLeaf(store, problems);
  await auditJobs(store, problems);
  await auditIdempotencyKeys(store, problems);
  await auditHolds(store, [runningJobs, ...otherHolders], problems);
  await auditBlobs(store, problems);
  if (own) await problems.within(own.node, () => logBehind(store, own, problems));
  return { sound: problems.count === 0, problems: problems.first, ledger, leaves };
}

/** What others have seen of the log is still there. */
async function logBehind(store: Store, { node, memory }: OwnLog, problems: Problems): Promise<void> {
  const seen = memory.read(); // before the store, which may grow meanwhile
  const gap = await gapInLog(store, await storedHead(store, node), seen);
  if (gap?.isKnown) problems.add(gap.sentence);
}

/** What has its place in a log needs the head of that log. */
async function logsWithoutHead(store: Store, heads: ReadonlySet<string>, problems: Problems): Promise<void> {
  const counts = new Map<string, number>();
  const count = ({ node }: { node: string }) => {
    if (!heads.has(node)) counts.set(node, (counts.get(node) ?? 0) + 1);
  };
  for await (const row of paged<Row<typeof envelopes>>((after) => store.find(envelopes, pageAfter(after))))
    count(row);
  for await (const row of paged<Row<typeof logNotes>>((after) => store.find(logNotes, pageAfter(after))))
    count(row);
  for await (const row of paged<Row<typeof logTiles>>((after) => store.find(logTiles, pageAfter(after))))
    count(row);
  for (const [node, rows] of counts)
    problems.add(`${node}: the log has no head, but ${rows} envelopes, notes and tiles`);
}

/** A charge names its job, which names its coin, which is a leaf. */
async function chargesWithoutLeaf(store: Store, problems: Problems): Promise<void> {
  const where = { reason: 'charge', phase: { in: ['posted', 'post'] } };
  const charges = paged<TransferRow>((after) => store.find(transfersTable, { where, ...pageAfter(after) }));
  let ids = new Set<string>();
  for await (const { id } of charges) {
    ids.add(id.split('/', 1)[0]!);
    if (ids.size < PAGE) continue;
    await jobsWithoutLeaf(store, [...ids], problems);
    ids = new Set();
  }
  await jobsWithoutLeaf(store, [...ids], problems);
}

async function jobsWithoutLeaf(store: Store, ids: readonly string[], problems: Problems): Promise<void> {
  if (ids.length === 0) return;
  const rows = await store.find(jobs, { where: { id: { in: ids } } });
  const coins = new Map(rows.map(({ id, token_id }) => [id, token_id]));
  const named = [...coins.values()].filter((coin) => coin !== null);
  const sealed = await store.find(envelopes, { where: { token_id: { in: named } } });
  const leaves = new Set(sealed.map(({ token_id, job }) => `${job} ${token_id}`));
  for (const id of ids)
    if (!leaves.has(`${id} ${coins.get(id)}`)) problems.add(`job ${id} was charged, but has no leaf`);
}
