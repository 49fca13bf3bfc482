import type { RunSheet } from '../../mesh/coordinator/run-rows.ts';
import { house as serviceThreads } from '../../mesh/decide/run.ts';
import { meshRuns } from '../../mesh/records.ts';
import { accountId, accountRow, available, house } from '../ledger/accounts.ts';
import { transfersTable } from '../ledger/records.ts';
import { transfer } from '../ledger/transfers.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { freeWork, runCredits, type WorkCreditRow, workCredits } from './records.ts';

const DAY_NS = 86_400_000_000_000n;

/** Work of a node that was accepted, or a check that was done as it was asked for. */
export interface DoneWork {
  readonly node: string;
  readonly owner: string;
  readonly run: string;
  /** Account that asked for the run. */
  readonly payer: string;
  readonly from: number;
  readonly to: number;
  /** Work units. */
  readonly work: bigint;
  readonly kind: 'segment' | 'check';
  /** Tells the checks of one span apart; 0 for the span itself. */
  readonly fence: number;
  readonly atNs: bigint;
}

/** The segments of a run are accepted once each, in order; each check of a run has a fence of its own. */
function creditId({ kind, run, from, fence }: DoneWork): string {
  return kind === 'segment' ? `work/${run}/${from}` : `check/${run}/${from}/${fence}`;
}

/**
 * Pays one coin per CPU-hour of work, once per (run, first segment) and once per check, however often it is asked to.
 * A run is paid no more than the work that it was planned with, which no honest run passes: a node that lies about its
 * work before anybody checks it gains no more than that. What nobody paid for is paid by the house up to `freeWorkMost`
 * work units per payer and day, so that nobody mints coins with given fuel or by failing (docs/protocol.md, 'Price').
 * The service's own threads earn nothing.
 */
export async function creditWork(tx: Transaction, done: DoneWork, freeWorkMost: bigint): Promise<void> {
  const { node, owner, run, from, to, work, kind, atNs } = done;
  const id = creditId(done);
  if (owner === serviceThreads || work <= 0n || (await tx.get(workCredits, { id }))) return;
  const { planned, isFree } = await termsOf(tx, run);
  const within = await withinPlan(tx, done, planned);
  const paid = isFree ? await takeFreeWork(tx, { ...done, work: within }, freeWorkMost) : within;
  const short = paid < within ? 'free' : within < work ? 'plan' : null;
  const segments = { from_segment: BigInt(from), to_segment: BigInt(to) };
  await tx.insert(workCredits, { id, owner, node, run, ...segments, kind, work, paid, short, at_ns: atNs });
  if (paid === 0n) return;
  const debit = isFree ? house.freeWork : house.work;
  const credit = accountId('coin', owner);
  await transfer(tx, { id, debit, credit, amount: paid, unit: 'coin', reason: kind, atNs });
}

/** Work units that a run was planned with, and whether given fuel pays for it. What nobody knows is worth nothing. */
async function termsOf(reader: Reader, id: string): Promise<{ planned: bigint; isFree: boolean }> {
  const row = await reader.get(meshRuns, { id });
  if (!row) return { planned: 0n, isFree: true };
  const { work } = row.spec as RunSheet;
  return { planned: BigInt(Math.ceil(work)), isFree: !row.class.startsWith('paid') };
}

/** Segments share the plan of their run; each check is within it by itself. */
async function withinPlan(tx: Transaction, { run, kind, work }: DoneWork, planned: bigint): Promise<bigint> {
  const before = kind === 'segment' ? ((await tx.get(runCredits, { run }))?.work ?? 0n) : 0n;
  const left = planned > before ? planned - before : 0n;
  const within = work < left ? work : left;
  if (kind === 'segment') await tx.put(runCredits, { run, work: before + within });
  return within;
}

/** What is left of the payer's day, up to the work; it is taken. */
async function takeFreeWork(tx: Transaction, { payer, work, atNs }: DoneWork, most: bigint): Promise<bigint> {
  const key = { payer, day: atNs / DAY_NS };
  const taken = (await tx.get(freeWork, key))?.work ?? 0n;
  const left = most > taken ? most - taken : 0n;
  const paid = work < left ? work : left;
  if (paid > 0n) await tx.put(freeWork, { ...key, work: taken + paid });
  return paid;
}

/**
 * A job that was to be paid ended without a charge: what contributors earned with it is the house's gift, and counts
 * against the payer's day. Contributors keep it: they did what they were asked. A repeat does nothing.
 */
export async function countRefusedJob(
  tx: Transaction,
  { job, payer, atNs }: { readonly job: string; readonly payer: string; readonly atNs: bigint },
): Promise<void> {
  const runs = await tx.find(meshRuns, { where: { job } });
  const paying = runs.filter((row) => row.class.startsWith('paid')).map(({ id }) => id);
  const amount = paying.length ? await tx.sum(workCredits, 'paid', { run: { in: paying } }) : 0n;
  const id = `refused/${job}`;
  if (amount === 0n || (await tx.get(transfersTable, { id }))) return;
  const [debit, credit] = [house.freeWork, house.work];
  await transfer(tx, { id, debit, credit, amount, unit: 'coin', reason: 'refused', atNs });
  const key = { payer, day: atNs / DAY_NS };
  await tx.put(freeWork, { ...key, work: ((await tx.get(freeWork, key))?.work ?? 0n) + amount });
}

/** Segments of a run that a node was paid for and that a verdict found wrong. */
export interface RefutedWork {
  readonly node: string;
  readonly run: string;
  /** First segment that is wrong: what the node did behind it stands on it. */
  readonly from: number;
  readonly atNs: bigint;
}

/**
 * Takes back what a node was paid for refuted segments, as far as its account still has it: what was burnt to hours is
 * gone, and the bond stands for it. A repeat does nothing.
 */
export async function takeBackCredit(tx: Transaction, { node, run, from, atNs }: RefutedWork): Promise<void> {
  const where = { run, node, kind: 'segment', to_segment: { gte: BigInt(from) }, taken_back: null };
  for (const row of await tx.find(workCredits, { where })) await takeBack(tx, row, atNs);
}

async function takeBack(tx: Transaction, { id, owner, paid }: WorkCreditRow, atNs: bigint): Promise<void> {
  const account = accountId('coin', owner);
  const left = available(await accountRow(tx, account));
  const amount = paid < left ? paid : left;
  await tx.update(workCredits, { id }, { taken_back: amount });
  if (amount === 0n) return;
  const { debit } = (await tx.get(transfersTable, { id }))!;
  const taken = { id: `${id}/taken-back`, debit: account, credit: debit, amount, unit: 'coin' } as const;
  await transfer(tx, { ...taken, reason: 'refuted', atNs });
}
