import { sha256 } from '#crypto';
import type { Replication } from '../../workers/executor.ts';
import { Refusal } from '../errors/refusal.ts';
import { isPaid, type Price } from '../ledger/charge.ts';
import { type SmallHold, SmallHolds } from '../ledger/small-holds.ts';
import { textOf, toHex } from '../proof/bytes.ts';
import { expectedWork } from '../solvers/quote.ts';
import type { Quote } from '../solvers/solver.ts';
import { DuplicateKey } from '../store/store.ts';
import { RefusalAllowance } from './allowance.ts';
import { executeJob } from './execution.ts';
import { JobEndings } from './job-endings.ts';
import { JobRecords, type Lease } from './job-records.ts';
import { LiveJob } from './live-job.ts';
import { orderedId } from './ordered-id.ts';
import type { JobRequest, SpineParts } from './parts.ts';
import { PastJobs, type SpineJob, viewOf } from './past-jobs.ts';
import type { JobRow } from './records.ts';
import { type Prepared, prepare } from './request.ts';
import { keyUsedBefore } from './settlement.ts';
import { traced } from './trace.ts';

/** Above this price a job is recorded while it runs: it survives a kill, and its hold is in the store. */
const SMALL_PLANCKS = 1_000_000_000n;
const LEASE_RENEWAL_MS = 2000;
/** Of the reference core. */
const PLANCKS_PER_SECOND = 1e9;

export interface QuoteAnswer {
  readonly solver: string;
  readonly requestHash: string;
  /** Work units. */
  readonly work: string;
  readonly price_plancks: string;
  /** What has to be there for it to begin. */
  readonly expected_plancks: string;
  /** What would all have to be done for the price to be charged, in words. */
  readonly ceiling: string | null;
  readonly exact: boolean;
  readonly memory: number;
}

/**
 * The one pipeline: plan → quote → hold → execute → gate → seal → settle → record. Every computed value goes
 * through it; a failure at any step leaves no charge, no envelope and no half-written record.
 */
export class Spine {
  readonly #parts: SpineParts;
  readonly #holds: SmallHolds;
  readonly #allowance: RefusalAllowance;
  readonly #past: PastJobs;
  readonly #endings: JobEndings;
  readonly records: JobRecords;
  readonly #live = new Map<string, SpineJob>();
  /** Jobs under way by account and Idempotency-Key. */
  readonly #underWay = new Map<string, Asked<Promise<SpineJob>>>();
  #draining = false;

  constructor(parts: SpineParts) {
    this.#parts = parts;
    this.#holds = new SmallHolds(parts.store);
    this.#allowance = new RefusalAllowance(parts.store, parts.now, parts.limits.refusedPlancks);
    this.records = new JobRecords(parts.store, parts.now);
    this.#past = new PastJobs(this.records, this.#live);
    this.#endings = new JobEndings(parts, {
      records: this.records,
      allowance: this.#allowance,
      past: this.#past,
      live: this.#live,
    });
  }

  /** @throws Refusal STORE_UNAVAILABLE where the last write failed, and none can be done yet */
  mustBeAbleToWrite(): Promise<void> {
    return this.#parts.store.check();
  }

  /** Price and work of a request before anything runs; `account` is whose jobs it may continue. Writes nothing. */
  async quote(solver: string, body: unknown, account?: string): Promise<QuoteAnswer> {
    const { quote, requestHash } = await this.#prepare(solver, body, account);
    const { amount, least } = priceOf(quote);
    const { exact, memory, ceiling } = quote;
    const price = String(amount);
    return {
      ...{ solver, requestHash, work: price, price_plancks: price, expected_plancks: String(least) },
      ceiling: least < amount ? (ceiling ?? null) : null,
      ...{ exact, memory },
    };
  }

  /** Jobs of this process that are not over. */
  get liveJobs(): ReadonlyMap<string, SpineJob> {
    return this.#live;
  }

  /**
   * Plans, quotes and holds; what follows goes on in the background and ends in the job's outcome.
   * @throws Refusal for a request that is refused before it runs
   */
  async submit(request: JobRequest): Promise<SpineJob> {
    if (this.#draining)
      throw new Refusal('SHUTTING_DOWN', 'This node is draining; try another or come back.');
    const prepared = await this.#prepare(request.solver, request.body, request.account);
    const { account, idempotencyKey } = request;
    if (idempotencyKey === undefined) return this.#start(request, prepared);
    const name = `${account}/${idempotencyKey}`;
    const { requestHash } = prepared;
    const before = this.#underWay.get(name);
    if (before) return sameRequest(before, request, prepared).job;
    const job = this.#repeatedOrStarted(account, idempotencyKey, request, prepared);
    this.#underWay.set(name, { job, requestHash, solver: request.solver });
    const forget = () => this.#underWay.delete(name);
    job.then(({ outcome }) => outcome).then(forget, forget);
    return job;
  }

  /** Cancels a job that this process runs. @returns whether there was one */
  cancel(id: string): boolean {
    const job = this.#live.get(id);
    job?.cancelled.abort();
    return job !== undefined;
  }

  /** Takes over recorded jobs whose process is gone, from their checkpoints. @returns how many */
  async recover(): Promise<number> {
    if (this.#draining || !(await this.#parts.store.takesWrites())) return 0;
    const rows = await this.records.abandoned();
    let count = 0;
    for (const row of rows) {
      const lease = this.#live.has(row.id) ? undefined : await this.records.takeOver(row);
      if (!lease) continue;
      await this.#goOn(row, lease);
      count++;
    }
    return count;
  }

  /** Takes no new jobs, lets small ones end, and leaves recorded ones to the next start. */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#past.close();
    const ends = [...this.#live.values()].map((job) => {
      if (job.recorded) job.abandon();
      return job.outcome.catch(() => undefined);
    });
    await Promise.all(ends);
  }

  // ---- plan and quote ----------------------------------------------------------------------------------

  async #prepare(solver: string, body: unknown, account: string | undefined): Promise<Prepared> {
    try {
      const { store, catalogue } = this.#parts;
      const kernel = (name: string) => catalogue.digest(name);
      const prepared = await prepare(store, solver, body, { account, kernel });
      const { memory } = this.#parts.limits;
      if (prepared.quote.memory > memory)
        throw new Refusal(
          'LIMIT_EXCEEDED',
          `This needs ${prepared.quote.memory} bytes; a run may take ${memory}.`,
          {
            memory: prepared.quote.memory,
            accepts: memory,
          },
        );
      return prepared;
    } catch (error) {
      throw traced(error, 'plan');
    }
  }

  #refuseOverload(): void {
    if (this.#live.size < this.#parts.limits.jobs) return;
    throw new Refusal('OVERLOADED', `This node runs ${this.#live.size} jobs, which is its limit.`, {
      retryAfter: 1,
    });
  }

  // ---- Idempotency-Key ---------------------------------------------------------------------------------

  async #repeatedOrStarted(
    account: string,
    key: string,
    request: JobRequest,
    prepared: Prepared,
  ): Promise<SpineJob> {
    const before = await this.records.ofIdempotencyKey(account, key);
    if (before) return this.#past.job(sameRequest(before, request, prepared).job);
    try {
      return await this.#start(request, prepared);
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error;
      const rival = await this.records.ofIdempotencyKey(account, key); // another process was first
      if (!rival) throw error;
      return this.#past.job(sameRequest(rival, request, prepared).job);
    }
  }

  // ---- start -------------------------------------------------------------------------------------------

  async #start(request: JobRequest, prepared: Prepared): Promise<SpineJob> {
    this.#refuseOverload();
    await this.#parts.store.check();
    this.#parts.mustKnowTime?.();
    await this.#allowance.check(request.account);
    const price = priceOf(prepared.quote);
    const job = this.#register(request, prepared);
    try {
      if (request.background || price.amount > SMALL_PLANCKS)
        await this.#startRecorded(job, request, prepared, price);
      else await this.#startSmall(job, request, prepared, price);
    } catch (error) {
      const refusal = traced(this.#withTime(error, job, price.least), 'hold');
      this.#endings.end(job, () => job.fail(refusal, 'refused'));
      throw refusal;
    }
    return job;
  }

  /** Where too much is held for the account's other jobs: when the first of those that run here is expected to end. */
  #withTime(error: unknown, refused: SpineJob, least: bigint): unknown {
    if (!(error instanceof Refusal) || error.code !== 'INSUFFICIENT_BALANCE') return error;
    const { bond_plancks: bond, fuel_plancks: fuel, held_plancks: held } = error.details;
    const left = [...this.#live.values()]
      .filter(({ id, account }) => id !== refused.id && account === refused.account)
      .map(({ likely, progress }) => likely - Number(progress.work));
    const wouldDo = [bond, fuel, held].reduce((sum: bigint, part) => sum + BigInt(String(part)), 0n) >= least;
    if (left.length === 0 || !wouldDo) return error;
    const retryAfter = Math.max(1, Math.ceil(Math.min(...left) / PLANCKS_PER_SECOND));
    const when = `Ask again in about ${retryAfter} s, when one of them is expected to end.`;
    return new Refusal(error.code, `${error.message} ${when}`, { ...error.details, retryAfter });
  }

  #register({ account, solver }: JobRequest, prepared: Prepared): SpineJob {
    const createdNs = this.#parts.now();
    const job: SpineJob = new LiveJob({
      id: `job_${orderedId(createdNs)}`,
      account,
      solver,
      createdNs,
      expected: prepared.quote.work,
      likely: expectedWork(prepared.quote),
    });
    this.#live.set(job.id, job);
    return job;
  }

  async #startSmall(job: SpineJob, request: JobRequest, prepared: Prepared, price: Price): Promise<void> {
    const hold = await this.#holds.hold(request.account, price.amount, price.least);
    void this.#run(job, request, prepared, { hold, held: hold.amount });
  }

  async #startRecorded(job: SpineJob, request: JobRequest, prepared: Prepared, price: Price): Promise<void> {
    const reserved = this.#holds.reserved(request.account);
    const lease = await this.records.begin({ job, request, prepared, price, reserved });
    void this.#run(job, request, prepared, { lease, held: lease.held });
  }

  async #goOn(row: JobRow, lease: Lease): Promise<void> {
    const job: SpineJob = new LiveJob(viewOf(row));
    this.#live.set(job.id, job);
    try {
      if (toHex(sha256(row.request)) !== row.request_hash)
        throw new Refusal('INTERNAL', 'What is kept of the request of this job is damaged.');
      const body = JSON.parse(textOf(row.request));
      const replication = (row.replication ?? undefined) as Replication | undefined;
      const request: JobRequest = { account: row.account, solver: row.solver, body, replication };
      const prepared = await this.#prepare(row.solver, body, row.account);
      void this.#run(job, request, prepared, { lease, held: lease.held });
    } catch (error) {
      await this.#endings.refuse(job, lease, error, 0n);
    }
  }

  // ---- execute and gate; the rest is in job-endings.ts -------------------------------------------------

  async #run(job: SpineJob, request: JobRequest, prepared: Prepared, means: Means): Promise<void> {
    let spent = 0n;
    const { held } = means;
    const renewal = means.lease && this.#renewing(job, means.lease);
    job.recorded = means.lease !== undefined;
    try {
      const executed = await executeJob(prepared.solver, prepared.input, prepared.context, {
        ...this.#parts,
        memory: this.#parts.limits.memory,
        ...{ held, price: priceOf(prepared.quote).amount },
        recorded: means.lease && {
          runs: means.lease.runs,
          name: {
            ...{ job: job.id, payer: job.account, paid: await isPaid(this.#parts.store, job.id) },
            replication: request.replication,
          },
        },
        live: means.lease && job,
        spend: (work) => {
          spent += work;
        },
      });
      if (job.isCancelled && !job.abandoned) throw new Refusal('CANCELLED', 'The run was cancelled.');
      await this.#endings.settle(job, request, { prepared, executed, held }, means.lease);
    } catch (error) {
      await this.#endings.refuse(job, means.lease, error, spent);
    } finally {
      clearInterval(renewal);
      means.hold?.release();
    }
  }

  #renewing(job: SpineJob, lease: Lease): NodeJS.Timeout {
    return setInterval(() => {
      this.records.renew(job.id, lease).then(
        (found) => {
          if (found === 'lost') job.abandon();
          if (found === 'cancel') job.cancelled.abort();
        },
        () => undefined, // the store is away for a moment: the lease tells in the end
      );
    }, LEASE_RENEWAL_MS).unref();
  }
}

/** A request that an Idempotency-Key stands for, and its job. */
interface Asked<Job> {
  readonly job: Job;
  readonly requestHash: string;
  readonly solver: string;
}

function sameRequest<Job>(before: Asked<Job>, request: JobRequest, prepared: Prepared): Asked<Job> {
  if (before.requestHash === prepared.requestHash && before.solver === request.solver) return before;
  throw keyUsedBefore();
}

/** Held is all that it may be charged, or what of that is there; with less than is expected it does not begin. */
const priceOf = (quote: Quote): Required<Price> => ({
  amount: BigInt(quote.work),
  least: BigInt(expectedWork(quote)),
});

/** What a job runs on: a hold in memory, or a lease on its record; and how much is held. */
interface Means {
  readonly hold?: SmallHold;
  readonly lease?: Lease;
  readonly held: bigint;
}
