import type { Store, Transaction } from '../../src/store/store.ts';
import type { Claim } from '../decide/claim.ts';
import { type MeshSpanRow, meshErrands, meshRuns, meshSpans, meshUnpaid } from '../records.ts';
import { unpaidErrand } from './errands.ts';
import type { Objects } from './ports.ts';

const DAY_NS = 86_400_000_000_000n;
/** What only whoever runs or gathers a run needs goes so long after its end. */
export const RUN_DAYS = 30n;
/** Lines of unpaid work can be read so long. */
export const UNPAID_DAYS = 90n;
/** An errand that nobody was told the end of is over then: whoever asked is gone. */
const ERRAND_NS = DAY_NS;
const NAMES = 500;
const RUNS = 20;
const SPANS = 128;
const LINES = 256;

export interface HousekeepingParts {
  readonly store: Store;
  readonly objects: Pick<Objects, 'runs' | 'forget'>;
  /** Of these jobs, those that are not over. */
  readonly running: (jobs: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly now: () => bigint;
}

/**
 * What the mesh need not keep: bytes of runs whose job is over, and, after a while, the rows of such runs. Who ran
 * which segments stays for good, because a result can be contested for good; so do verdicts, and what was paid is the
 * ledger's. A few rows at a time; any number of service nodes may do it at once.
 */
export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #suspects: ReadonlySet<string> = new Set();

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
  }

  /**
   * Lets go of bytes that no run or errand which is not over needs, the second time that it finds them so: a run has
   * its bytes before it has its row. @returns the names that were let go of
   */
  async sweep(): Promise<readonly string[]> {
    const { objects } = this.#parts;
    const names = await objects.runs();
    const orphans: string[] = [];
    for (let i = 0; i < names.length; i += NAMES)
      orphans.push(...(await this.#orphans(names.slice(i, i + NAMES))));
    const over = orphans.filter((name) => this.#suspects.has(name));
    for (const name of over) await objects.forget(name);
    this.#suspects = new Set(orphans);
    return over;
  }

  async #orphans(names: readonly string[]): Promise<string[]> {
    const { store, running, now } = this.#parts;
    const rows = await store.sumBy(meshRuns, 'version', ['id', 'job', 'state'], { id: { in: names } });
    const jobs = await running([...new Set(rows.map(({ job }) => job))]);
    const asked = { answered_ns: null, asked_ns: { gt: now() - ERRAND_NS } };
    const errands = await store.sumBy(meshErrands, 'asked_ns', ['id'], { id: { in: names }, ...asked });
    const needed = new Set([
      ...rows.filter(({ job, state }) => state !== 'cancelled' && jobs.has(job)).map(({ id }) => id),
      ...errands.map(({ id }) => id),
    ]);
    return names.filter((name) => !needed.has(name));
  }

  /** Ends errands that nobody waits for, and forgets what is old. @returns rows that went */
  async forgetOld(): Promise<number> {
    const { store, now } = this.#parts;
    const nowNs = now();
    await store.transaction((tx) => endErrands(tx, nowNs));
    const before = nowNs - RUN_DAYS * DAY_NS;
    return (
      (await this.#forgetRuns(before)) +
      (await store.transaction((tx) => forgetErrands(tx, before))) +
      (await store.transaction((tx) => forgetUnpaid(tx, nowNs - UNPAID_DAYS * DAY_NS)))
    );
  }

  async #forgetRuns(before: bigint): Promise<number> {
    const { store, running } = this.#parts;
    const over = { state: { in: ['done', 'failed', 'cancelled'] }, deadline_ns: { lt: before } };
    const rows = await store.find(meshRuns, { where: { ...over, created_ns: { lt: before } }, limit: RUNS });
    const jobs = await running([...new Set(rows.map(({ job }) => job))]);
    const old = rows.filter(({ job }) => !jobs.has(job));
    for (const { id } of old) {
      for (let from: bigint | undefined = -1n; from !== undefined; ) {
        const at: bigint = from;
        from = await store.transaction((tx) => mergeSpans(tx, id, at));
      }
      await store.transaction((tx) => tx.delete(meshRuns, { id }));
    }
    return old.length;
  }
}

/**
 * Makes one row of neighbouring spans of the same node, without their claims: who ran what is all that is asked of an
 * old run. @returns where to go on, or undefined where nothing follows
 */
async function mergeSpans(tx: Transaction, run: string, from: bigint): Promise<bigint | undefined> {
  const where = { run, from_segment: { gte: from } };
  const spans = await tx.find(meshSpans, { where, orderBy: { from_segment: 'asc' }, limit: SPANS });
  const merged: MeshSpanRow[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    const isSame = last?.node === span.node && last.replaced_by === span.replaced_by;
    if (last && isSame && last.to_segment + 1n === span.from_segment) {
      merged[merged.length - 1] = { ...last, to_segment: span.to_segment, work: last.work + span.work };
      await tx.delete(meshSpans, { run, from_segment: span.from_segment });
    } else merged.push({ ...span, claim: {}, bytes: '', drawn_ns: null });
  }
  for (const span of merged) await tx.put(meshSpans, span);
  return spans.length === SPANS ? merged.at(-1)!.from_segment : undefined;
}

/** Whoever asked is gone: nobody waits for an answer, nor will anybody judge one. */
async function endErrands(tx: Transaction, nowNs: bigint): Promise<void> {
  const asked = { judged_ns: null, asked_ns: { lt: nowNs - ERRAND_NS } };
  for (const row of await tx.find(meshErrands, { where: asked, limit: LINES })) {
    if (row.claim) await unpaidErrand(tx, row, row.claim as Claim, 'unawaited', nowNs);
    const ended = { judged_ns: nowNs, answered_ns: row.answered_ns ?? nowNs };
    await tx.update(meshErrands, { id: row.id }, ended, { judged_ns: null });
  }
}

async function forgetErrands(tx: Transaction, before: bigint): Promise<number> {
  const where = { judged_ns: { lt: before } };
  const rows = await tx.find(meshErrands, { where, limit: LINES });
  for (const { id } of rows) await tx.delete(meshErrands, { id });
  return rows.length;
}

async function forgetUnpaid(tx: Transaction, before: bigint): Promise<number> {
  const rows = await tx.find(meshUnpaid, { where: { at_ns: { lt: before } }, limit: LINES });
  for (const { node, at_ns, run, from_segment } of rows)
    await tx.delete(meshUnpaid, { node, at_ns, run, from_segment });
  return rows.length;
}
