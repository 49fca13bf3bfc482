import type { Digest } from '../src/proof/job.ts';
import type { Claim } from './decide/claim.ts';
import type { Refused } from './decide/effects.ts';

/**
 * The service as a contributor sees it: where it asks for work, shows what it did and fetches bytes. Two adapters: over
 * NATS (nats/desk.ts), and inside the service process for its own threads (coordinator/house.ts).
 */
export interface Desk {
  /** Leases for runs that the work queue named, one answer each. */
  lease(runs: readonly string[]): Promise<readonly LeaseAnswer[]>;
  /** Signs of life for all that the node does; cannot change its mode (CONTRIB-05). */
  alive(holding: readonly Holding[]): Promise<AliveAnswer>;
  /** Gives work back; `failed`: it cannot be run here. */
  release(holding: Holding, failed: boolean): Promise<void>;
  /** Resolves once the commitment is durable. */
  commit(commitment: Commitment): Promise<Kept>;
  /**
   * Shows the claim behind a commitment. Resolves once it is durable.
   * @param carried told when the claim no longer needs this node: what carries it to the service has all of it on disk
   */
  reveal(reveal: Reveal, carried?: () => void): Promise<Kept>;
  /** The claim of a second or third execution. */
  checked(answer: CheckAnswer): Promise<Kept>;
  /** Bytes of a kernel, of parameters or of a state that belongs to work which the node holds. */
  bytes(run: string, sha256: Digest): Promise<Uint8Array>;
}

/** Bytes that a run asks for at least, where the limit of its kernel is not lower: who has less takes no part. */
export const LEAST_MEMORY = 128 * 2 ** 20;

/** What a node is asked to run: a run's spec, and where to begin. */
export interface Work {
  readonly run: string;
  readonly fence: number;
  readonly kernel: Digest;
  readonly parameters: Digest;
  readonly stepsPerSegment: number;
  /** Bytes of memory that the run may take. */
  readonly memory: number;
  /** Expected work units of the whole run. */
  readonly work: number;
  /** First segment to run. */
  readonly from: number;
  /** State at the end of segment from − 1; absent for the start of the run. */
  readonly start?: StartState;
}

export interface StartState {
  /** D_(from−1): the state below must lead to it. */
  readonly digest: Digest;
  readonly steps: number;
  readonly state: Digest;
  readonly rowsHash: Digest;
}

/** A second or third execution: this span through this segment, by nobody else. */
export interface CheckWork extends Work {
  readonly kind: 'second' | 'third' | 'confirm';
  readonly through: number;
}

export type LeaseAnswer =
  | { readonly lease: Work }
  | { readonly run: string; readonly refused: Refused | 'unknown' };

export interface Holding {
  readonly run: string;
  readonly fence: number;
  /** For a check: the first segment of its span. */
  readonly from?: number;
}

export type Mode = 'idle' | 'contributing' | 'experimenting';

export interface AliveAnswer {
  readonly mode: Mode;
  /** What the node holds no longer. */
  readonly lost: readonly Holding[];
}

export interface Commitment {
  readonly run: string;
  readonly fence: number;
  readonly from: number;
  readonly to: number;
  readonly commitment: Digest;
}

export interface Reveal {
  readonly run: string;
  readonly fence: number;
  readonly claim: Claim;
  /** 32 random bytes that were hashed into the commitment. */
  readonly salt: Uint8Array;
  readonly state: Uint8Array;
  /** Rows drained in each segment of the claim. */
  readonly rows: readonly Uint8Array[];
  /** The result bytes, when the run ended. */
  readonly result?: Uint8Array;
  /** What the kernel shows of itself, f64: shown, never sealed. */
  readonly observed: readonly number[];
}

export interface CheckAnswer {
  readonly run: string;
  readonly fence: number;
  readonly claim: Claim;
}

/** `kept`: durable. Otherwise why nobody listens any more. */
export type Kept = 'kept' | Refused;

/** What the service says to a node without being asked. */
export interface DeskEvents {
  /** A check to run, now. */
  check(work: CheckWork): void;
  /** Work that the node holds no longer. */
  lost(holding: Holding, reason: Refused): void;
  mode(mode: Mode): void;
  /** There may be something on the work queue. */
  bell(): void;
}
