import type { Digest } from '../../src/proof/job.ts';
import type { Transaction } from '../../src/store/store.ts';
import type { Refused, SegmentVerdict } from '../decide/effects.ts';
import type { Segments } from '../decide/pay.ts';
import type { CheckWork, Holding, Mode } from '../desk.ts';
import type { JobClass } from '../subjects.ts';

/** Work of a node that was accepted, or a check that was done as it was asked for. */
export interface CreditedWork {
  readonly node: string;
  readonly owner: string;
  readonly run: string;
  /** Account that paid for the run. */
  readonly payer: string;
  readonly from: number;
  readonly to: number;
  /** Work units. */
  readonly work: bigint;
  /** Of segments: the run's work counter at their end. */
  readonly counter?: bigint;
  /** Work units that it was planned with; absent: look into the run's row, for the job too. */
  readonly planned?: bigint;
  /** The job that pays; absent where given fuel does, or nobody. */
  readonly job?: string;
  readonly kind: 'segment' | 'check';
  /** Tells the checks of one span apart, and the times that segments were paid; 0 for the first. */
  readonly fence: number;
  readonly atNs: bigint;
}

/** Where credit and slashing come in: inside the transaction that accepts the work or writes the verdict. */
export interface Credits {
  credit(tx: Transaction, work: CreditedWork): Promise<void>;
  /** Pays for segments that are run again, where nobody is paid for them. @returns the work that is paid by it */
  creditAgain(tx: Transaction, work: CreditedWork & { readonly counter: bigint }): Promise<bigint>;
  withhold(
    tx: Transaction,
    bond: { readonly node: string; readonly verdict: string; readonly atNs: bigint },
  ): Promise<void>;
  /** Takes back what a node that was found out was paid for these segments of a run. @returns what that was for */
  takeBack(
    tx: Transaction,
    work: {
      readonly node: string;
      readonly run: string;
      readonly from: number;
      /** Absent: to the end. */
      readonly through?: number;
      readonly atNs: bigint;
    },
  ): Promise<readonly Segments[]>;
}

/** The name under which kernels are: every run has them in common. */
export const KERNELS = 'kernels';

/**
 * Bytes of a run under their SHA-256: parameters, states, rows; and kernels, of all runs. A stream of NATS, or this
 * process's memory. Two runs with the same bytes have them twice, so one may let go of its own. Each throws Refusal
 * MESH_UNAVAILABLE while it cannot be had.
 */
export interface Objects {
  put(run: string, bytes: Uint8Array): Promise<Digest>;
  get(run: string, sha256: Digest): Promise<Uint8Array | undefined>;
  delete(run: string, sha256: Digest): Promise<void>;
  /** Lets go of everything of a run. */
  forget(run: string): Promise<void>;
  /** Runs of which something is kept. */
  runs(): Promise<readonly string[]>;
}

/** What the service says to nodes. All of it may be lost: the reconciler says it again. */
export interface Post {
  ring(
    runs: readonly { readonly id: string; readonly class: JobClass; readonly fence: number }[],
  ): Promise<void>;
  check(node: string, work: CheckWork): Promise<void>;
  lost(node: string, holding: Holding, reason: Refused): Promise<void>;
  mode(node: string, mode: Mode): Promise<void>;
  /** Nodes that gave a sign of life lately, as seen by all service nodes. */
  present(): Promise<readonly string[]>;
  /** Unix ns since when nodes are heard without a gap: whoever was silent before may have spoken. */
  listeningSince(): bigint;
}

/** Beacons that draw and place checks: each later than everything that was durable when it is asked for. */
export interface Beacons {
  /** `after`: one that is later than this time too, whatever the clock here says; Unix ns. */
  next(after?: bigint): Promise<{ readonly tNs: bigint; readonly beacon: Uint8Array }>;
  /** Keeps one that drew something, together with what it drew. */
  keep(tx: Transaction, tNs: bigint): Promise<void>;
  /** Publishes one that is kept. */
  tell(tNs: bigint): void;
}

/** A verdict about a segment, and what one needs to run it again beside the bytes of the run's parameters. */
export interface NewVerdict {
  readonly id: string;
  readonly run: string;
  readonly kernel: Digest;
  readonly runHash: Digest;
  readonly stepsPerSegment: number;
  /** D of the segment before the span, from which all of them went on; undefined for the start of the run. */
  readonly before: Digest | undefined;
  readonly content: SegmentVerdict;
  readonly atNs: bigint;
}

export interface WrittenVerdict {
  /** Signed statement. */
  readonly note: string;
  /** Name of the service node that signed it, and its leaf in that one's log. */
  readonly node: string;
  readonly index: number;
  /** To be called once the transaction is durable. */
  committed(): void;
}

/** Signs a verdict and makes it a leaf of the log, in the transaction in which it takes effect. */
export type WriteVerdict = (tx: Transaction, verdict: NewVerdict) => Promise<WrittenVerdict>;

/** Says to the other service nodes what goes on: for people and for measuring, nothing is decided by it. */
export type Announce = (
  ...said:
    | [
        'job-broadcast',
        { readonly run: string; readonly class: JobClass; readonly kernel: Digest; readonly work: number },
      ]
    | [
        'shard-placement',
        { readonly run: string; readonly shard: number; readonly fence: number; readonly node: string },
      ]
) => void;
