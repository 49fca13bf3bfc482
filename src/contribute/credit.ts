import type { CreditedWork } from '../../mesh/coordinator/ports.ts';
import type { RunSheet } from '../../mesh/coordinator/run-rows.ts';
import { owed, type Segments } from '../../mesh/decide/pay.ts';
import { type MeshRun, house as serviceThreads } from '../../mesh/decide/run.ts';
import { meshRuns } from '../../mesh/records.ts';
import { accountId, accountRow, available, house } from '../ledger/accounts.ts';
import { transfersTable } from '../ledger/records.ts';
import { transfer } from '../ledger/transfers.ts';
import type { Reader, Transaction } from '../store/store.ts';
import { returnFreeWork, takeFreeWork } from './free-work.ts';
import { type RunCreditRow, runCredits, type WorkCreditRow, workCredits } from './records.ts';

/** The segments of a run are paid once each, in order; each check of a run has a fence of its own. */
function creditId({ kind, run, from, fence }: CreditedWork): string {
  const segment = `${run}/${from}`;
  if (kind === 'check') return `check/${segment}/${fence}`;
  return fence === 0 ? `work/${segment}` : `work/${segment}/${fence}`;
}

/**
 * Pays one coin per CPU-hour of work, once per (run, first segment) and once per check, however often it is asked to.
 * A run is paid no more than the work that it was planned with, which no honest run passes: a node that lies about its
 * work before anybody checks it gains no more than that. What somebody pays for is paid when the job is over
 * (pay-out.ts). What nobody paid for is paid by the house up to `freeWorkMost` work units per payer and day, so that
 * nobody mints coins with given fuel or by failing (docs/protocol.md, 'Price'). The service's own threads earn nothing.
 */
export async function creditWork(tx: Transaction, done: CreditedWork, freeWorkMost: bigint): Promise<void> {
  const { node, owner, run, from, to, work, counter = null, kind, atNs } = done;
  const id = creditId(done);
  if (owner === serviceThreads || work <= 0n || (await tx.get(workCredits, { id }))) return;
  const terms = await termsOf(tx, done);
  const within = await withinPlan(tx, done, terms);
  const paid = terms.job === undefined ? await takeFreeWork(tx, { ...done, work: within }, freeWorkMost) : 0n;
  const due = terms.job !== undefined && within > 0n ? within : null;
  const short = due === null && paid < within ? 'free' : within < work ? 'plan' : null;
  const segments = { from_segment: BigInt(from), to_segment: BigInt(to) };
  const line = { id, owner, node, run, ...segments, kind, counter, work, paid, short, due, at_ns: atNs };
  await tx.insert(workCredits, line);
  if (paid === 0n) return;
  const credit = accountId('coin', owner);
  await transfer(tx, { id, debit: house.freeWork, credit, amount: paid, unit: 'coin', reason: kind, atNs });
}

export type RepeatedWork = CreditedWork & { readonly counter: bigint };

/**
 * Pays for segments that are run again after a loss, as far as nobody is paid for them.
 * @returns work units that a line now stands for
 */
export async function creditAgain(
  tx: Transaction,
  done: RepeatedWork,
  freeWorkMost: bigint,
): Promise<bigint> {
  if (done.owner === serviceThreads) return 0n;
  const { run, from, to } = done;
  const rows = await tx.find(workCredits, {
    where: { run, kind: 'segment', from_segment: { lte: BigInt(to) }, to_segment: { gte: BigInt(from) } },
  });
  const lines = rows.map(({ from_segment, to_segment, work, counter, taken_back }) => ({
    ...{ from: Number(from_segment), to: Number(to_segment), work, counter },
    isTakenBack: taken_back !== null,
  }));
  let paid = 0n;
  for (const part of owed(done, lines)) {
    const fence = await tx.count(workCredits, { run, kind: 'segment', from_segment: BigInt(part.from) });
    await creditWork(tx, { ...done, ...part, fence }, freeWorkMost);
    paid += part.work;
  }
  return paid;
}

interface Terms {
  /** Work units that the run was planned with. */
  readonly planned: bigint;
  /** The job that pays; absent where given fuel does, or nobody. */
  readonly job?: string;
}

/** What nobody knows is worth nothing. */
async function termsOf(reader: Reader, { run: id, planned, job }: CreditedWork): Promise<Terms> {
  if (planned !== undefined) return { planned, job };
  const row = await reader.get(meshRuns, { id });
  if (!row) return { planned: 0n };
  const { work } = row.spec as RunSheet;
  return { planned: BigInt(Math.ceil(work)), ...(row.class.startsWith('paid') ? { job: row.job } : {}) };
}

/** Segments share the plan of their run; each check is within it by itself. */
async function withinPlan(
  tx: Transaction,
  { run, kind, work, payer, atNs }: CreditedWork,
  { planned, job }: Terms,
): Promise<bigint> {
  const isSegment = kind === 'segment';
  const known = isSegment || job !== undefined ? await tx.get(runCredits, { run }) : undefined;
  const before = known?.work ?? 0n;
  const left = isSegment ? max0(planned - before) : planned;
  const within = work < left ? work : left;
  const total = isSegment ? before + within : before;
  const state = known?.state ?? (job !== undefined && within > 0n ? 'pending' : null);
  const waits = job === undefined ? {} : { job, payer, state };
  const changes = { work: total, changed_ns: atNs };
  if (known && isWaiting(known, waits)) await tx.update(runCredits, { run }, changes);
  else if (isSegment || job !== undefined) await tx.put(runCredits, { run, ...waits, ...changes });
  return within;
}

/** Whether its row says so already: most credits of a run change nothing but its work. */
const isWaiting = (known: RunCreditRow, waits: Partial<Pick<RunCreditRow, 'job' | 'payer' | 'state'>>) =>
  known.job === (waits.job ?? null) &&
  known.payer === (waits.payer ?? null) &&
  known.state === (waits.state ?? null);

const max0 = (value: bigint): bigint => (value > 0n ? value : 0n);

/** Segments of a run that a node was paid for and that a verdict found wrong. */
export interface RefutedWork {
  readonly node: string;
  readonly run: string;
  /** First segment that is wrong: what the node did behind it stands on it. */
  readonly from: number;
  /** The last of them, where a later one is not in doubt. */
  readonly through?: number;
  readonly atNs: bigint;
}

/**
 * Takes back what a node was paid for refuted segments, as far as its account still has it: what was burnt to hours is
 * gone, and the bond stands for it. A line of which any segment is refuted goes whole: after a loss spans are cut
 * otherwise. A repeat does nothing. What the house gets back of work that nobody paid it pays again to whoever runs it.
 * @returns the segments that it was paid for
 */
export async function takeBackCredit(tx: Transaction, refuted: RefutedWork): Promise<Segments[]> {
  const { node, run, from, through, atNs } = refuted;
  const segments = {
    to_segment: { gte: BigInt(from) },
    ...(through !== undefined && { from_segment: { lte: BigInt(through) } }),
  };
  const where = { run, node, kind: 'segment', ...segments, taken_back: null };
  const rows = await tx.find(workCredits, { where });
  for (const row of rows) await takeBack(tx, row, atNs);
  // Whoever runs these segments again is paid within the plan too.
  const work = rows.reduce((sum, { due, paid }) => sum + (due ?? paid), 0n);
  const known = work > 0n ? await tx.get(runCredits, { run }) : undefined;
  if (known) await tx.update(runCredits, { run }, { work: max0(known.work - work), changed_ns: atNs });
  return rows.map(({ from_segment, to_segment }) => ({ from: Number(from_segment), to: Number(to_segment) }));
}

async function takeBack(
  tx: Transaction,
  { id, owner, run, paid }: WorkCreditRow,
  atNs: bigint,
): Promise<void> {
  const account = accountId('coin', owner);
  const left = available(await accountRow(tx, account));
  const amount = paid < left ? paid : left;
  await tx.update(workCredits, { id }, { taken_back: amount, due: null });
  if (amount === 0n) return;
  const { debit, at_ns: paidNs } = (await tx.get(transfersTable, { id }))!;
  const taken = { id: `${id}/taken-back`, debit: account, credit: debit, amount, unit: 'coin' } as const;
  await transfer(tx, { ...taken, reason: 'refuted', atNs });
  const asked = debit === house.freeWork ? await tx.get(meshRuns, { id: run }) : undefined;
  if (!asked) return;
  const { payer } = asked.machine as MeshRun;
  await returnFreeWork(tx, { payer, work: amount, atNs: paidNs });
}
