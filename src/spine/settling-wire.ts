import type { Refusal } from '../errors/refusal.ts';
import type { NodeKeys } from './identity.ts';
import type { Settled, Settling } from './settlement.ts';

// What the settling thread and who starts it tell each other.

/** What the thread is told when it starts. */
export interface SettlingThreadData {
  readonly dataDir: string;
  readonly keys: NodeKeys;
}

/** Jobs to be settled, or the end of the thread. */
export type SettlingMessage = { readonly batch: number; readonly items: readonly Settling[] } | 'close';

/** An outcome without its answer's bytes, and without the class of a refusal. */
export type PackedOutcome =
  | { readonly kind: 'settled'; readonly from: number; readonly to: number }
  | { readonly kind: 'refused'; readonly refusal: ReturnType<Refusal['toJSON']>['error'] }
  | Extract<Settled, { kind: 'repeated' | 'fenced' | 'unsealed' | 'unknown' }>;

export interface SettledBatch {
  readonly batch: number;
  readonly outcomes: readonly PackedOutcome[];
  /** The answers of all, one behind the other, handed over in one piece. */
  readonly answers: Uint8Array;
}
