import type { Replication } from '../../workers/executor.ts';
import { Refusal } from '../errors/refusal.ts';
import { holdPrice, type Price, voidHold } from '../ledger/charge.ts';
import { blobsIn } from '../solvers/input.ts';
import type { Page, Store } from '../store/store.ts';
import { holdJobBlobs } from './job-blobs.ts';
import type { LiveJob } from './live-job.ts';
import { RecordedRuns } from './recorded-runs.ts';
import { idempotencyKeys, type JobRow, type JobState, jobs } from './records.ts';
import type { Prepared } from './request.ts';

/** A process that dies loses its jobs to others after this long. */
const LEASE_NS = 8_000_000_000n;
const LEASE_MS = Number(LEASE_NS / 1_000_000n);
/** A job is expected to be over by then; its hold ends with it, whenever that is. */
const HOLD_NS = 30n * 86_400_000_000_000n;

/** The right to run a recorded job: whoever has a later attempt fences the earlier. */
export interface Lease {
  readonly attempt: bigint;
  readonly runs: RecordedRuns;
  /** Plancks that are held for the job. */
  readonly held: bigint;
}

/** What a renewal finds: the lease is held, was lost, or is held and somebody asked to cancel the job. */
export type Renewal = 'held' | 'lost' | 'cancel';

/** A lease as this process saw it, and since when it has not changed. */
interface SeenLease {
  readonly attempt: bigint;
  readonly until: bigint;
  readonly sinceMs: number;
}

/** Jobs that are recorded while they run, and the jobs of an account as a list. */
export class JobRecords {
  readonly #store: Store;
  readonly #now: () => bigint;
  readonly #monotonicMs: () => number;
  #seen = new Map<string, SeenLease>();

  constructor(store: Store, now: () => bigint, monotonicMs: () => number = () => performance.now()) {
    this.#store = store;
    this.#now = now;
    this.#monotonicMs = monotonicMs;
  }

  /** Job, hold and Idempotency-Key in one transaction. @throws Refusal INSUFFICIENT_BALANCE · IDEMPOTENCY_CONFLICT */
  async begin(start: {
    readonly job: Pick<LiveJob<unknown>, 'id' | 'account' | 'solver' | 'createdNs'>;
    readonly request: {
      readonly account: string;
      readonly idempotencyKey?: string;
      readonly replication?: Replication;
    };
    readonly prepared: Prepared;
    readonly price: Price;
    /** What small jobs of this process hold of the same account, in memory. */
    readonly reserved: bigint;
  }): Promise<Lease> {
    const { job, request, prepared, price, reserved } = start;
    const { id, account, solver, createdNs } = job;
    const payment = { id, zid: account, ...price, atNs: createdNs, expiresNs: createdNs + HOLD_NS };
    const held = await this.#store.transaction(async (tx) => {
      const { price_plancks: ceiling } = await holdPrice(tx, payment, reserved);
      await tx.insert(jobs, {
        id,
        account,
        solver,
        request: prepared.requestBytes,
        request_hash: prepared.requestHash,
        state: 'running',
        created_ns: createdNs,
        ceiling_plancks: ceiling,
        replication: request.replication ?? null,
        attempt: 1n,
        lease_until_ns: this.#now() + LEASE_NS,
      });
      await holdJobBlobs(tx, job, blobsIn(prepared.request), createdNs);
      if (request.idempotencyKey === undefined) return ceiling;
      await tx.insert(idempotencyKeys, {
        account,
        idempotency_key: request.idempotencyKey,
        job: id,
        solver,
        request_hash: prepared.requestHash,
        created_ns: createdNs,
      });
      return ceiling;
    });
    return this.#lease(id, 1n, held);
  }

  async renew(id: string, { attempt }: Lease): Promise<Renewal> {
    const until = { lease_until_ns: this.#now() + LEASE_NS };
    return this.#store.transaction(async (tx) => {
      if (!(await tx.update(jobs, { id }, until, { state: 'running', attempt }))) return 'lost';
      return (await tx.count(jobs, { id, cancel_ns: { gt: 0n } })) > 0 ? 'cancel' : 'held';
    });
  }

  /** Asks whichever process runs a job to cancel it, or the one that takes it over. @returns whether it runs */
  async askToCancel(id: string): Promise<boolean> {
    const asked = { cancel_ns: this.#now() };
    return this.#store.transaction((tx) => tx.update(jobs, { id }, asked, { state: 'running' }));
  }

  /**
   * Recorded jobs whose process is gone: it gave the lease back, or this process has watched the lease stand still
   * for its whole length. Clocks of two machines are never compared: one that is ahead would take over what lives,
   * and would keep what it left from the others.
   */
  async abandoned(): Promise<JobRow[]> {
    const nowMs = this.#monotonicMs();
    const seen = new Map<string, SeenLease>();
    const gone: string[] = [];
    const running = await this.#store.sumBy(jobs, 'lease_until_ns', ['id', 'attempt'], { state: 'running' });
    for (const { id, attempt, sum: until } of running) {
      const before = this.#seen.get(id);
      const same = before?.attempt === attempt && before.until === until;
      const lease = same ? before : { attempt, until, sinceMs: nowMs };
      seen.set(id, lease);
      if (until === 0n || nowMs - lease.sinceMs >= LEASE_MS) gone.push(id);
    }
    this.#seen = seen;
    const rows = await Promise.all(gone.map((id) => this.row(id)));
    return rows.filter((row) => row !== undefined && isAsSeen(row, seen.get(row.id)!)) as JobRow[];
  }

  /** The next attempt of an abandoned job, unless another process was quicker. */
  async takeOver(row: JobRow): Promise<Lease | undefined> {
    const attempt = row.attempt + 1n;
    const changes = { attempt, lease_until_ns: this.#now() + LEASE_NS };
    const expected = { state: 'running', attempt: row.attempt, lease_until_ns: row.lease_until_ns };
    const taken = await this.#store.transaction((tx) => tx.update(jobs, { id: row.id }, changes, expected));
    return taken ? this.#lease(row.id, attempt, row.ceiling_plancks) : undefined;
  }

  /** Gives a lease back at once, so that the next start need not wait for it to run out. */
  async release(id: string, { attempt }: Lease): Promise<void> {
    await this.#store.transaction((tx) =>
      tx.update(jobs, { id }, { lease_until_ns: 0n }, { state: 'running', attempt }),
    );
  }

  /** The hold is voided and the refusal kept, in one transaction. */
  async endRefused(id: string, lease: Lease, error: unknown, state: JobState, work: bigint): Promise<void> {
    const refusal =
      error instanceof Refusal ? error : new Refusal('INTERNAL', 'Something broke on our side.');
    const end = { state, error: refusal.toJSON(), work, finished_ns: this.#now() };
    await this.#end(id, lease, end);
  }

  async endUnsealed(id: string, lease: Lease | undefined, answer: Uint8Array): Promise<void> {
    if (lease) await this.#end(id, lease, { state: 'unsealed', answer, finished_ns: this.#now() });
  }

  async #end(id: string, { attempt, runs }: Lease, end: Partial<JobRow>): Promise<void> {
    await this.#store.transaction(async (tx) => {
      if (!(await tx.update(jobs, { id }, end, { state: 'running', attempt }))) return;
      await voidHold(tx, id, this.#now());
      await runs.forgetAll(tx);
    });
  }

  row(id: string): Promise<JobRow | undefined> {
    return this.#store.get(jobs, { id });
  }

  /** Jobs of an account, newest first, with the real total. */
  list(account: string, query: { limit: number; offset: number }): Promise<Page<JobRow>> {
    return this.#store.page(jobs, { where: { account }, orderBy: { created_ns: 'desc' }, ...query });
  }

  async ofIdempotencyKey(
    account: string,
    idempotencyKey: string,
  ): Promise<{ job: string; requestHash: string; solver: string } | undefined> {
    const row = await this.#store.get(idempotencyKeys, { account, idempotency_key: idempotencyKey });
    return row && { job: row.job, requestHash: row.request_hash, solver: row.solver };
  }

  #lease(id: string, attempt: bigint, held: bigint): Lease {
    return { attempt, runs: new RecordedRuns(this.#store, id, attempt), held };
  }
}

const isAsSeen = (row: JobRow, { attempt, until }: SeenLease): boolean =>
  row.state === 'running' && row.attempt === attempt && row.lease_until_ns === until;
