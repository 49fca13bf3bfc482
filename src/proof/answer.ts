import type { Decimal, Envelope } from './envelope.ts';
import type { Digest } from './job.ts';
import type { Receipt, TickReceipt } from './receipt.ts';
import type { KindName } from './verdict-bytes.ts';

/**
 * The answer to a job: what a solver's route returns and what `svc verify` and `svc rerun` take as a file
 * (docs/protocol.md, 'Answer'). Everything in it is JSON; bytes are base 64, digests lower-case hexadecimal.
 */
export interface Answer {
  readonly format: 'svc-answer-1';
  readonly value: number;
  readonly unit: string | null;
  readonly envelope: Envelope;
  readonly receipt: Receipt;
  readonly charges: Charges;
  readonly tick_receipt: TickReceipt;
  readonly tick_averaged: Receipt['tick_averaged'];
  /** The canonical request; above 64 KiB a blob, whose digest is the requestHash. */
  readonly request: unknown;
  readonly gates: readonly GateEntry[];
  /** Result bytes of the verdict, which is the last run; base 64. */
  readonly verdict: string;
  /** In declared order; above 64 KiB a blob with the canonical JSON of the list. */
  readonly runs: readonly RunEntry[] | BlobReference;
  readonly fields: readonly FieldEntry[];
  readonly plots: readonly unknown[];
  readonly assumed: readonly unknown[];
  readonly warnings: readonly string[];
  /** JSON pointers of numbers that no byte in the answer vouches for: shown, not sealed. */
  readonly unsealed: readonly string[];
}

export interface Charges {
  readonly work: Decimal;
  readonly price_plancks: Decimal;
  readonly from_bond_plancks: Decimal;
  readonly from_fuel_plancks: Decimal;
}

/** One row of the verdict with the labels of the solver's declaration. */
export interface GateEntry {
  readonly index: number;
  readonly name: string;
  readonly kind: KindName;
  readonly quantity: string;
  readonly source: string;
  readonly measured: number;
  readonly reference: number;
  readonly relError: number;
  readonly bound: number;
}

export interface BlobReference {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly $blob: string;
  readonly length: number;
}

/** Bytes in the answer, or beside it. */
export type BytesEntry = string | BlobReference;

export interface RunEntry {
  readonly kernel: Digest;
  /** What the kernel is called and what the run is for: labels. */
  readonly name: string;
  readonly label: string;
  readonly parts: readonly PartEntry[];
  readonly runHash: Digest;
  readonly stepsPerSegment: number;
  /** Steps in all. */
  readonly steps: number;
  /** n; there are n + 1 digests. */
  readonly segments: number;
  /** 1: a sealed job has no other. */
  readonly status: number;
  readonly digests: readonly Digest[] | DigestNodes;
  /** Merkle root over D₀ … D_n. */
  readonly root: Digest;
  readonly resultHash: Digest;
  readonly work: Decimal;
  /** Result and rows, where a later run or a field takes from them. */
  readonly result?: BytesEntry;
  readonly rows?: BytesEntry;
}

/** Instead of more than 16,384 digests: the nodes of level `level` of the tree over them, level 0 the leaf hashes. */
export interface DigestNodes {
  readonly level: number;
  readonly nodes: readonly Digest[];
}

export type PartEntry =
  | { readonly bytes: string }
  | { readonly blob: Digest; readonly length: number }
  | { readonly run: number; readonly of: 'result' | 'rows'; readonly from: number; readonly length: number };

/** Doubles that an answer shows: a slice of what a run gave. */
export interface FieldEntry {
  readonly name: string;
  readonly unit: string | null;
  /** Row-major. */
  readonly shape: readonly number[];
  /** Run, result or rows, byte offset and byte length. */
  readonly source: {
    readonly run: number;
    readonly of: 'result' | 'rows';
    readonly from: number;
    readonly length: number;
  };
  /** True when the verdict gated these numbers; otherwise they are shown, not vouched for. */
  readonly sealed: boolean;
  /** Up to 4096 numbers; a longer field is the blob. */
  readonly values: readonly number[] | BlobReference;
}

export const MAX_DIGESTS = 16_384;
export const MAX_INLINE_BYTES = 65_536;
export const MAX_FIELD_NUMBERS = 4096;

/** The members that every answer has; others are outputs: named numbers, words and small structures of the solver. */
export const answerKeys: ReadonlySet<string> = new Set<keyof Answer>([
  'format',
  'value',
  'unit',
  'envelope',
  'receipt',
  'charges',
  'tick_receipt',
  'tick_averaged',
  'request',
  'gates',
  'verdict',
  'runs',
  'fields',
  'plots',
  'assumed',
  'warnings',
  'unsealed',
]);

/** What a solver says beside the value: the members at the top of an answer that not every answer has. */
export function outputsOf(answer: object): [name: string, value: unknown][] {
  return Object.entries(answer).filter(([key]) => !answerKeys.has(key));
}

const blobName = /^sha256:([0-9a-f]{64})$/;

/** The digest of a blob reference, or undefined for anything else. */
export function blobDigest(value: unknown): Digest | undefined {
  const name = (value as Partial<BlobReference> | null | undefined)?.$blob;
  return typeof name === 'string' ? blobName.exec(name)?.[1] : undefined;
}

export function isBlobReference(value: unknown): value is BlobReference {
  return blobDigest(value) !== undefined;
}
