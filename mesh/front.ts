import type { Coordinator } from './coordinator/coordinator.ts';
import type { JobClass } from './subjects.ts';

/**
 * The service as the transport sees it: what it asks on behalf of nodes whose signatures it has checked. `results`
 * answers once the messages are durable; an error means that none of them may be taken as kept.
 */
export type Front = Pick<Coordinator, 'asked' | 'leases' | 'alive' | 'release' | 'results' | 'bytesFor'>;

/** What a node says of itself while it is there; the store says what it may do. */
export interface Presence {
  /** WebAssembly engine and processor, such as `v8-11.3 x64`. */
  readonly engine: string;
  readonly cores: number;
  /** Bytes of memory that its owner lets it use. */
  readonly memory: number;
}

/** "This run has a segment to run", taken from the work queue. Comes back after 3 s without an answer. */
export interface Bell {
  readonly run: string;
  readonly class: JobClass;
  /** It was seen to: somebody has the lease, or nobody can. */
  ack(): void;
  /** Not now, not here: comes back to somebody after so long. */
  retry(delayMs: number): void;
  /** Still at it: another 3 s. */
  working(): void;
}

/** The work queue as a contributor sees it. */
export interface Bells {
  /** One sweep over the classes, paid before free and small before large; at most `count`, possibly none. */
  take(count: number): Promise<Bell[]>;
}
