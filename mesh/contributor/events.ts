import type { Mode } from '../desk.ts';

/** What a contributor tells its owner, as it happens. Work is in units of the reference core's nanosecond. */
export type ContributorEvent =
  | { readonly kind: 'mode'; readonly mode: Mode }
  /** Whether the service answers. */
  | { readonly kind: 'service'; readonly answers: boolean }
  | { readonly kind: 'leased'; readonly run: string; readonly from: number }
  /** A span is durable at the service; `work` is what it took. */
  | {
      readonly kind: 'span';
      readonly run: string;
      readonly from: number;
      readonly to: number;
      readonly work: bigint;
    }
  /** The last span of a run is durable; `status` 1 is its result, 16 and up an error. */
  | { readonly kind: 'ended'; readonly run: string; readonly status: number }
  | CheckEvent<'checking'>
  | CheckEvent<'checked'>
  /** The service takes it back; what was not shown yet is lost. */
  | { readonly kind: 'lost'; readonly run: string; readonly reason: string }
  /** The node gives it back. */
  | { readonly kind: 'returned'; readonly run: string; readonly reason: string; readonly failed: boolean };

interface CheckEvent<Kind extends string> {
  readonly kind: Kind;
  readonly run: string;
  readonly check: 'second' | 'third' | 'confirm';
  readonly from: number;
  readonly through: number;
}

/** What one thread is at. */
export interface Occupation {
  readonly run: string;
  readonly kind: 'run' | 'second' | 'third' | 'confirm';
  /** First segment that this node runs, the one at hand, and the last one where it is known. */
  readonly from: number;
  readonly segment: number;
  readonly through?: number;
  /** 0 … 1 of the run, or of the span that is checked. */
  readonly share: number;
  readonly segmentsPerSecond: number;
  /** It has no thread now: a check came first, or all are taken. */
  readonly waits: boolean;
}

export interface ContributorStatus {
  readonly mode: Mode;
  readonly answers: boolean;
  readonly threads: number;
  readonly occupations: readonly Occupation[];
  /** Since the start of this process: spans that are durable at the service, and the work in them. */
  readonly spans: number;
  readonly work: bigint;
  readonly checks: number;
  /** Newest last. */
  readonly losses: readonly { readonly run: string; readonly reason: string }[];
}
