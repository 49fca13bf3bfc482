import { Refusal } from '../errors/refusal.ts';
import type { Digest } from '../proof/job.ts';
import { isStoreFault } from '../store/store.ts';
import type { RefusalAllowance } from './allowance.ts';
import { draftAnswer, envelopeFields, runDigests, workOf } from './answers.ts';
import { keepJobBlobs, usedBlobs } from './job-blobs.ts';
import type { JobRecords, Lease } from './job-records.ts';
import { orderedId } from './ordered-id.ts';
import type { JobRequest, SpineParts } from './parts.ts';
import { endWith, type PastJobs, type SpineJob } from './past-jobs.ts';
import { Fenced } from './recorded-runs.ts';
import type { Prepared } from './request.ts';
import type { ExecutedJob } from './rounds.ts';
import { notWritten, type Settled, Settlement, type Settling } from './settlement.ts';
import { traced } from './trace.ts';
import { unsealedBytes } from './unsealed-answer.ts';

/** Blobs of an answer: those that were made for it, and those that it names. */
type JobBlobs = readonly [made: ReadonlyMap<Digest, Uint8Array>, used: ReadonlySet<Digest>];

/** What an ending touches beside the store. */
interface Around {
  readonly records: JobRecords;
  readonly allowance: RefusalAllowance;
  readonly past: PastJobs;
  readonly live: Map<string, SpineJob>;
}

interface Executed {
  readonly prepared: Prepared;
  readonly executed: ExecutedJob;
  /** Plancks that were held for it. */
  readonly held: bigint;
}

/** How jobs end: sealed, settled and recorded, or refused; what is told of a job is what became of it. */
export class JobEndings {
  readonly #parts: SpineParts;
  readonly #around: Around;
  readonly #settlement: Settlement;

  constructor(parts: SpineParts, around: Around) {
    this.#parts = parts;
    this.#around = around;
    this.#settlement = new Settlement(parts);
  }

  /** Ends a job that passed its gate. @throws whatever `refuse` is to be told */
  async settle(
    job: SpineJob,
    request: JobRequest,
    { prepared, executed, held }: Executed,
    lease: Lease | undefined,
  ): Promise<void> {
    const digests = runDigests(executed);
    const draft = draftAnswer(prepared, executed, digests);
    const settling: Settling = {
      job: {
        id: job.id,
        account: job.account,
        solver: job.solver,
        createdNs: job.createdNs,
        request: prepared.requestBytes,
        requestHash: prepared.requestHash,
        ceiling: held,
        idempotencyKey: request.idempotencyKey,
      },
      recorded: lease,
      work: workOf(executed),
      fields: envelopeFields(prepared, executed, digests, draft),
      tokenId: orderedId(job.createdNs),
      answer: { text: draft.text, diagnostics: draft.diagnostics },
    };
    const blobs = [draft.blobs, usedBlobs(prepared.request, executed.plans)] as const;
    const settled = (await this.#keepBlobs(job, blobs)) ?? (await this.#settle(settling));
    await this.#conclude(job, settled, lease, (why) =>
      unsealedBytes(draft, prepared, executed, { why, isKept: lease !== undefined }),
    );
  }

  #settle(item: Settling): Promise<Settled> {
    const settler = item.recorded ? this.#settlement : (this.#parts.settler ?? this.#settlement);
    return settler.settle(item);
  }

  /** @returns that it is not sealed, where the store would not take the blobs */
  async #keepBlobs(job: SpineJob, [made, used]: JobBlobs): Promise<Settled | undefined> {
    const { store, now } = this.#parts;
    try {
      await keepJobBlobs(store, job, made, used, now());
      return undefined;
    } catch (error) {
      if (isStoreFault(error)) return notWritten(error);
      throw error;
    }
  }

  async #conclude(
    job: SpineJob,
    settled: Settled,
    lease: Lease | undefined,
    unsealed: (why: string) => Uint8Array,
  ): Promise<void> {
    const { records, past } = this.#around;
    this.#parts.store.saw(settled);
    switch (settled.kind) {
      case 'settled':
        return this.end(job, () => job.succeed({ job: job.id, answer: settled.answer, sealed: true }));
      case 'repeated': {
        const before = await past.job(settled.job);
        return this.end(job, () => endWith(job, before));
      }
      case 'refused':
        throw traced(settled.refusal, 'hold');
      case 'fenced':
        throw new Fenced(`job ${job.id} was taken over`);
      case 'unknown':
        throw new Refusal(
          'STORE_UNAVAILABLE',
          'The store was lost while this was sealed, and whether it is sealed and charged is not known yet: ' +
            `GET /api/svc/jobs/${job.id} has it then, and the same Idempotency-Key gives it.`,
          { job: job.id },
        );
      case 'unsealed': {
        if (lease && settled.isStore) throw new Refusal('STORE_UNAVAILABLE', settled.reason);
        this.#parts.onError?.(new Error(`job ${job.id} could not be sealed: ${settled.reason}`));
        const answer = unsealed(settled.reason);
        if (lease && !(await this.#recorded(job, () => records.endUnsealed(job.id, lease, answer)))) return;
        return this.end(job, () => job.succeed({ job: job.id, answer, sealed: false }, 'unsealed'));
      }
    }
  }

  /** `finished` is the work of finished runs; one that was stopped on its way has worked too. Never rejects. */
  async refuse(job: SpineJob, lease: Lease | undefined, error: unknown, finished: bigint): Promise<void> {
    const { records, allowance } = this.#around;
    if (error instanceof Fenced || job.abandoned) {
      if (lease) await records.release(job.id, lease).catch(() => undefined); // it runs out
      this.#around.live.delete(job.id);
      return void this.#around.past.follow(job);
    }
    if (lease && isStoreFault(error)) return this.#leave(job, error);
    const refusal = traced(error, 'execute');
    const state = refusal instanceof Refusal && refusal.code === 'CANCELLED' ? 'cancelled' : 'refused';
    const seen = job.progress.work;
    const spent = seen > finished ? seen : finished;
    const record = () => records.endRefused(job.id, lease!, refusal, state, spent);
    if (lease && !(await this.#recorded(job, record))) return;
    if (!isStoreFault(error))
      await allowance.count(job.account, spent).catch((fault) => this.#parts.onError?.(fault));
    this.end(job, () => job.fail(refusal, state));
  }

  /** What is told of a recorded job is what its record says: where that cannot be written, the job is not over. */
  async #recorded(job: SpineJob, write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (fault) {
      this.#leave(job, fault);
      return false;
    }
  }

  /** A recorded job that the store stopped is not over: when its lease runs out, it is taken over and goes on. */
  #leave(job: SpineJob, fault: unknown): void {
    this.#parts.onError?.(fault);
    const sentence = `The store takes nothing of job ${job.id} now; it goes on when the store takes writes again.`;
    const refusal = new Refusal('STORE_UNAVAILABLE', sentence, { job: job.id });
    this.end(job, () => job.fail(refusal, 'running'));
  }

  /** It is of this process no more, and whoever waits is told. */
  end(job: SpineJob, say: () => void): void {
    this.#around.live.delete(job.id);
    say();
    if (job.recorded && job.state !== 'running') this.#parts.executor.ended?.(job.id).catch(() => undefined); // swept later
  }
}
