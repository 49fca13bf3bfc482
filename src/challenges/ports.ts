import type { Digest } from '../proof/job.ts';
import type { Transaction } from '../store/store.ts';
import type { End } from './claims.ts';

// What a challenge needs of others: somebody to run the segment, who had run it, and the bonds of contributors.

/** A node and the account that it belongs to. */
export interface Party {
  readonly node: string;
  readonly owner: string;
}

/** A run, to be run again from its start to the end of a segment: no state of a sealed run is kept. */
export interface SegmentWork {
  readonly kernel: Digest;
  readonly parameters: Uint8Array;
  readonly stepsPerSegment: number;
  /** Bytes of memory that the run may take. */
  readonly memory: number;
  /** Work units of the whole run, as sealed. */
  readonly work: number;
  /** The last segment in dispute: the run is run from its start to the end of this one. */
  readonly through: number;
  /** Who must not run it: the sides, whoever shares an owner with one, and thirds that were refuted. */
  readonly sides: { readonly nodes: readonly string[]; readonly owners: readonly string[] };
}

export interface SegmentRun {
  readonly node: string;
  /** WebAssembly engine and processor, such as `v8-11.3 x64`. */
  readonly engine: string;
  /** D_0 … D_through; behind the end of a run that ended before, 32 zero bytes. */
  readonly digests: readonly Uint8Array[];
  readonly end: End;
  /** What it is called where it was asked for. */
  readonly errand?: string;
}

export interface ThirdExecution {
  /** Runs the segments on a node that is no side; none where there is no such node, or nobody waits any more. */
  run(work: SegmentWork, signal: AbortSignal): Promise<SegmentRun | undefined>;
  /**
   * Told what the service's own run says of it: whoever ran it is paid, or reads why not. `counter`: the work counter
   * that the own run found at the end; undefined where the two differ.
   */
  judged?(run: SegmentRun, counter: bigint | undefined): Promise<void>;
}

export interface Provenance {
  /** Who computed segments of a run of a job; empty where the service's own threads did. */
  computedBy(
    job: string,
    run: number,
    segments: { from: number; through: number },
  ): Promise<readonly Party[]>;
}

/** The bonds of those who computed what is contested; all in the challenge's own transactions. */
export interface Bonds {
  /** Keeps an owner's bond where it is, until `challengeClosed`. */
  challengeOpened(tx: Transaction, challenge: OpenChallenge & { readonly atNs: bigint }): Promise<void>;
  challengeClosed(tx: Transaction, challenge: OpenChallenge): Promise<void>;
  /** Withholds the whole bond of the node's owner, once for a verdict (CONTRIB-06). */
  withhold(
    tx: Transaction,
    fault: { readonly node: string; readonly verdict: string; readonly atNs: bigint },
  ): Promise<void>;
  /** Takes back what the node was paid for the run from segment `from` on, as far as it still has it. */
  takeBack(
    tx: Transaction,
    refuted: { readonly node: string; readonly run: string; readonly from: number; readonly atNs: bigint },
  ): Promise<unknown>;
  /** The asker has the money back: what others were paid for the job is looked at again. */
  jobRefunded(tx: Transaction, refunded: { readonly job: string; readonly atNs: bigint }): Promise<void>;
}

export interface OpenChallenge {
  readonly owner: string;
  readonly challenge: string;
}

export const noThird: ThirdExecution = { run: async () => undefined };
