import type { Executor, Replication } from '../../workers/executor.ts';
import type { KernelCatalogue } from '../../workers/kernels.ts';
import type { HmacKey } from '../proof/crypto-keys.ts';
import type { NodeLog } from './node-log.ts';
import type { Settler } from './settlement.ts';
import type { WritableStore } from './writable-store.ts';

/** What the pipeline stands on. */
export interface SpineParts {
  readonly store: WritableStore;
  readonly executor: Executor;
  readonly catalogue: KernelCatalogue;
  readonly log: NodeLog;
  readonly node: string;
  readonly hmacKey: HmacKey;
  readonly now: () => bigint;
  readonly limits: SpineLimits;
  /** Throws a Refusal CLOCK_IN_DOUBT where the time is not known; absent: it always is. */
  readonly mustKnowTime?: () => void;
  /** Who settles small jobs; absent: this thread, as it does all others. */
  readonly settler?: Settler;
  /** Told of what the store would not take of a job that has ended otherwise. */
  readonly onError?: (error: unknown) => void;
}

export interface SpineLimits {
  /** Bytes of memory a run may take. */
  readonly memory: number;
  /** Jobs that run or wait at once in this process. */
  readonly jobs: number;
  /** Plancks of refused work an account has a day. */
  readonly refusedPlancks: bigint;
}

export interface JobRequest {
  readonly account: string;
  readonly solver: string;
  readonly body: unknown;
  readonly idempotencyKey?: string;
  /** Keep the job while it runs even if it is small, because nobody waits for it. */
  readonly background?: boolean;
  /** How much of its long runs is run a second time, where there is a mesh. */
  readonly replication?: Replication;
}
