import { Refusal } from '../errors/refusal.ts';
import type { RefusalAllowance } from './allowance.ts';
import { draftAnswer, envelopeFields, runDigests, unsealedBytes, workOf } from './answers.ts';
import { keepJobBlobs, usedBlobs } from './job-blobs.ts';
import type { JobRecords, Lease } from './job-records.ts';
import { orderedId } from './ordered-id.ts';
import { endWith, goesOnElsewhere, type PastJobs, type SpineJob } from './past-jobs.ts';
import type { JobRequest, SpineParts } from './pipeline.ts';
import { Fenced } from './recorded-runs.ts';
import type { Prepared } from './request.ts';
import type { ExecutedJob } from './rounds.ts';
import { type Settled, Settlement } from './settlement.ts';
import { traced } from './trace.ts';
import type { WritableStore } from './writable-store.ts';

/** What an ending touches beside the store. */
interface Around {
  readonly records: JobRecords;
  readonly allowance: RefusalAllowance;
  readonly writable: WritableStore;
  readonly past: PastJobs;
  readonly live: Map<string, SpineJob>;
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
    { prepared, executed }: { readonly prepared: Prepared; readonly executed: ExecutedJob },
    lease: Lease | undefined,
  ): Promise<void> {
    const digests = runDigests(executed);
    const draft = draftAnswer(prepared, executed, digests);
    const { store, now } = this.#parts;
    await keepJobBlobs(store, job, draft.blobs, usedBlobs(prepared.request, executed.plans), now());
    const settler = lease ? this.#settlement : (this.#parts.settler ?? this.#settlement);
    const settled = await settler.settle({
      job: {
        id: job.id,
        account: job.account,
        solver: job.solver,
        createdNs: job.createdNs,
        request: prepared.requestBytes,
        requestHash: prepared.requestHash,
        ceiling: BigInt(prepared.quote.work),
        idempotencyKey: request.idempotencyKey,
      },
      recorded: lease,
      work: workOf(executed),
      fields: envelopeFields(prepared, executed, digests, draft),
      tokenId: orderedId(job.createdNs),
      answer: { text: draft.text, diagnostics: draft.diagnostics },
    });
    await this.#conclude(job, settled, lease, (why) => unsealedBytes(draft, prepared, executed, why));
  }

  async #conclude(
    job: SpineJob,
    settled: Settled,
    lease: Lease | undefined,
    unsealed: (why: string) => Uint8Array,
  ): Promise<void> {
    const { records, writable, past } = this.#around;
    writable.saw(settled);
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
      case 'unsealed': {
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
      return this.end(job, () => job.fail(goesOnElsewhere(job.id), 'running'));
    }
    const refusal = traced(error, 'execute');
    const state = refusal instanceof Refusal && refusal.code === 'CANCELLED' ? 'cancelled' : 'refused';
    const seen = job.progress.work;
    const spent = seen > finished ? seen : finished;
    const record = () => records.endRefused(job.id, lease!, refusal, state, spent);
    if (lease && !(await this.#recorded(job, record))) return;
    await allowance.count(job.account, spent).catch((fault) => this.#parts.onError?.(fault));
    this.end(job, () => job.fail(refusal, state));
  }

  /** What is told of a recorded job is what its record says: where that cannot be written, the job is not over. */
  async #recorded(job: SpineJob, write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (fault) {
      this.#parts.onError?.(fault);
      const sentence = `The end of job ${job.id} could not be recorded; it goes on once the store takes writes again.`;
      const refusal = new Refusal('STORE_UNAVAILABLE', sentence, { job: job.id });
      this.end(job, () => job.fail(refusal, 'running'));
      return false;
    }
  }

  /** It is of this process no more, and whoever waits is told. */
  end(job: SpineJob, say: () => void): void {
    this.#around.live.delete(job.id);
    say();
    if (job.recorded && job.state !== 'running') this.#parts.executor.ended?.(job.id).catch(() => undefined); // swept later
  }
}
