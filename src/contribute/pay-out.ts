import { meshRuns } from '../../mesh/records.ts';
import { accountId, accountRow, available, house } from '../ledger/accounts.ts';
import { transfersTable } from '../ledger/records.ts';
import { transfer } from '../ledger/transfers.ts';
import { envelopes, jobs } from '../spine/records.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import { takeFreeWork } from './free-work.ts';
import { type RunCreditRow, runCredits, type WorkCreditRow, workCredits } from './records.ts';

/**
 * Work on what somebody pays is paid once the job is over, not before: a job that is cancelled, refused or refunded was
 * paid by nobody, and whoever could mint coins with such jobs would need no money (docs/protocol.md, 'Price'). A job
 * that was charged pays from `house:work`; any other, and runs that no price holds, from the house up to what it pays a
 * day for whoever asked. Each line says what was paid of it, and why not all.
 */

/** Lines in one transaction: short enough that nobody waits behind it. */
const BATCH = 64;

export interface PayTerms {
  /** Work units that the house pays a day for what one account asked for and nobody paid. */
  readonly freeWorkMost: bigint;
  readonly nowNs: bigint;
}

/** One turn. Any number of processes may take it at once, and each may be killed. @returns lines that were settled */
export async function payOut(store: Store, terms: PayTerms): Promise<number> {
  const open = await store.find(runCredits, { where: { state: { in: ['pending', 'refunded'] } } });
  if (open.length === 0) return 0;
  const fates = await fatesOf(store, [...new Set(open.map(({ job }) => job ?? ''))]);
  let settled = 0;
  for (const row of open) {
    const isCharged = fates.get(row.job ?? '') ?? false;
    if (isCharged === 'runs') continue;
    const isPriced = row.state === 'pending' && isCharged && !(await isDropped(store, row.run));
    settled += await settleRun(store, row, isPriced, terms);
  }
  return settled;
}

/** Of a job that needs only some of its runs, one that no price holds (docs/protocol.md, 'Job'). */
async function isDropped(reader: Reader, id: string): Promise<boolean> {
  return (await reader.count(meshRuns, { id, state: { in: ['cancelled', 'failed'] } })) > 0;
}

/** Whether each job was charged and still is; a job that nobody knows was not. */
async function fatesOf(reader: Reader, ids: readonly string[]): Promise<Map<string, boolean | 'runs'>> {
  const rows = await reader.sumBy(jobs, 'attempt', ['id', 'state', 'token_id'], { id: { in: ids } });
  const sealed = rows.flatMap(({ state, token_id }) => (state === 'done' && token_id ? [token_id] : []));
  const standing = new Set(await standingCoins(reader, sealed));
  return new Map(
    rows.map(({ id, state, token_id }) => [
      id,
      state === 'running' ? 'runs' : token_id !== null && standing.has(token_id),
    ]),
  );
}

async function standingCoins(reader: Reader, tokens: readonly string[]): Promise<string[]> {
  if (tokens.length === 0) return [];
  const where = { token_id: { in: tokens }, revoked_ns: null };
  return (await reader.sumBy(envelopes, 'leaf_index', ['token_id'], where)).map(({ token_id }) => token_id);
}

async function settleRun(
  store: Store,
  row: RunCreditRow,
  isCharged: boolean,
  terms: PayTerms,
): Promise<number> {
  let settled = 0;
  for (;;) {
    const count = await store.transaction((tx) => settleBatch(tx, row, isCharged, terms));
    settled += count;
    if (count < BATCH) return settled;
  }
}

/** A few lines of a run; the last ones with the note that nothing is open any more. @returns how many */
async function settleBatch(
  tx: Transaction,
  { run, state, payer }: RunCreditRow,
  isCharged: boolean,
  terms: PayTerms,
): Promise<number> {
  const due = await tx.find(workCredits, { where: { run, due: { gte: 0n } }, limit: BATCH });
  const paid = state === 'refunded' ? await paidLines(tx, run, BATCH - due.length) : [];
  const next = due.length + paid.length < BATCH ? null : state;
  // Whoever credits the run or refunds its job writes this row too, so that one of the two sees the other.
  const changes = { state: next, changed_ns: terms.nowNs };
  if (!(await tx.update(runCredits, { run }, changes, { state }))) return 0;
  for (const line of due) await payLine(tx, line, isCharged, payer ?? '', terms);
  for (const line of paid) await refundLine(tx, line, payer ?? '', terms);
  return due.length + paid.length;
}

async function payLine(
  tx: Transaction,
  { id, owner, kind, work, due }: WorkCreditRow,
  isCharged: boolean,
  payer: string,
  { freeWorkMost, nowNs: atNs }: PayTerms,
): Promise<void> {
  const paid = isCharged ? due! : await takeFreeWork(tx, { payer, work: due!, atNs }, freeWorkMost);
  const short = paid < due! ? 'uncharged' : paid < work ? 'plan' : null;
  await tx.update(workCredits, { id }, { due: null, paid, short });
  if (paid === 0n) return;
  const debit = isCharged ? house.work : house.freeWork;
  await transfer(tx, {
    id,
    debit,
    credit: accountId('coin', owner),
    amount: paid,
    unit: 'coin',
    reason: kind,
    atNs,
  });
}

/** Lines of a job that was refunded after they were paid, and that were not looked at since. */
async function paidLines(tx: Transaction, run: string, limit: number): Promise<WorkCreditRow[]> {
  const rows: WorkCreditRow[] = [];
  for (const short of [null, 'plan'])
    if (rows.length < limit) {
      const where = { run, short, taken_back: null, paid: { gt: 0n } };
      rows.push(...(await tx.find(workCredits, { where, limit: limit - rows.length })));
    }
  return rows;
}

/** The house gives what is left of the payer's day; the rest goes back, as far as the account still has it. */
async function refundLine(
  tx: Transaction,
  { id, owner, paid }: WorkCreditRow,
  payer: string,
  { freeWorkMost, nowNs: atNs }: PayTerms,
): Promise<void> {
  const { debit } = (await tx.get(transfersTable, { id }))!;
  const isCharged = debit === house.work;
  const given = isCharged ? await takeFreeWork(tx, { payer, work: paid, atNs }, freeWorkMost) : paid;
  const account = accountId('coin', owner);
  const left = available(await accountRow(tx, account));
  const back = paid - given < left ? paid - given : left;
  await tx.update(workCredits, { id }, { short: 'refunded', ...(back > 0n ? { taken_back: back } : {}) });
  const moved = { unit: 'coin', reason: 'refunded', atNs } as const;
  if (back > 0n)
    await transfer(tx, { ...moved, id: `${id}/taken-back`, debit: account, credit: debit, amount: back });
  const kept = paid - back;
  if (isCharged && kept > 0n)
    await transfer(tx, { ...moved, id: `${id}/given`, debit: house.freeWork, credit: debit, amount: kept });
}

export interface RefundedJob {
  readonly job: string;
  readonly atNs: bigint;
}

/** A verdict took a result back and its asker was refunded: what was paid for its runs is looked at again. */
export async function jobRefunded(tx: Transaction, { job, atNs }: RefundedJob): Promise<void> {
  const refunded = { state: 'refunded', changed_ns: atNs };
  for (const { run } of await tx.find(runCredits, { where: { job } }))
    await tx.update(runCredits, { run }, refunded);
  await earlierRefunded(tx, job, refunded);
}

/** 0.2.0 paid at once and wrote down no job: its runs are known by their names, `<job>-<index>`, and who asked by the job. */
async function earlierRefunded(tx: Transaction, job: string, refunded: Partial<RunCreditRow>): Promise<void> {
  const where = { job: null, run: { gte: `${job}-`, lt: `${job}.` } };
  const runs = await tx.find(runCredits, { where });
  if (runs.length === 0) return;
  const row = await tx.get(jobs, { id: job });
  const coin = row?.token_id ? await tx.get(envelopes, { token_id: row.token_id }) : undefined;
  if (coin?.funding !== 'paid') return; // what given fuel asked for, the house had paid within its day
  for (const { run } of runs) await tx.update(runCredits, { run }, { ...refunded, job, payer: row!.account });
}
