import type { Digest } from '../../src/proof/job.ts';
import type { Claim } from './claim.ts';

/**
 * A run on the mesh, as the store keeps it and as decide.ts changes it: plain data, no clock, no network. Its segments
 * are a chain: one node at a time holds the lease of the next ones, and what it claims waits in `spans` until it was
 * checked, or drawn not to be.
 */
export interface MeshRun {
  readonly id: string;
  readonly kernel: Digest;
  /** Account that pays for it: its own nodes neither run nor check it. */
  readonly payer: string;
  readonly policy: Policy;
  readonly state: RunState;
  /** Number of the last lease: whoever has an earlier one is fenced. */
  readonly fence: number;
  readonly lease?: Lease;
  /** Last segment that was accepted for good; −1 before D₀. */
  readonly accepted: number;
  /** What goes on behind `accepted`, in order and without gaps. */
  readonly spans: readonly Span[];
  /** Nodes whose claims on this run came to nothing: they are not asked again. */
  readonly excluded: readonly string[];
  /** Leases since the last accepted span that ended in a crash or a refusal of the node. */
  readonly failures: number;
  /** Tick of the last change that moved the run on. */
  readonly movedTick: number;
}

export type Policy = 'none' | 'sampled' | 'full';

/** `open` takes leases; `done` and `cancelled` are ends; `failed`: nobody could run it, its job is refundable. */
export type RunState = 'open' | 'done' | 'failed' | 'cancelled';

/** A node as the decisions see it. */
export interface NodeFacts {
  readonly id: string;
  /** Account that it belongs to. The service's own threads belong to `house`. */
  readonly owner: string;
  /** WebAssembly engine and processor, such as `v8-11.3 x64`. */
  readonly engine: string;
}

export interface Lease extends NodeFacts {
  readonly fence: number;
  /** Tick of the last sign of life. */
  readonly heard: number;
}

/** Segments that a node committed itself to, and what came of it. */
export interface Span extends NodeFacts {
  readonly fence: number;
  readonly from: number;
  readonly to: number;
  /** Salted hash of the claim, 64 hexadecimal digits. */
  readonly commitment: Digest;
  /** When the commitment was durable, Unix ns, decimal: the beacon that draws must be later. */
  readonly committedNs: string;
  readonly claim?: Claim;
  /** Second and third executions of the span; empty while nothing was drawn. */
  readonly checks: readonly Check[];
  /** True once the claim was matched, or drawn not to be checked: it waits for those before it. */
  readonly sound: boolean;
}

export interface Check extends NodeFacts {
  /** `second`: the whole span; `third` and `confirm`, by the service: up to the first segment on which two differ. */
  readonly kind: 'second' | 'third' | 'confirm';
  readonly through: number;
  /** Fence of the check, within its run. */
  readonly fence: number;
  /** Tick of the last sign of life of the node that was asked. */
  readonly heard: number;
  /** Nodes that were asked and did not answer. */
  readonly silent: readonly string[];
  readonly claim?: Claim;
}

/** Owner of the service's own threads: it takes what nobody takes, and is nobody's third where it is a side. */
export const house = 'house';

/** Last segment that has a claim or a commitment: the next lease begins behind it. */
export function frontier({ accepted, spans }: MeshRun): number {
  return spans.at(-1)?.to ?? accepted;
}

export const facts = ({ id, owner, engine }: NodeFacts): NodeFacts => ({ id, owner, engine });

export function replaced(run: MeshRun, index: number, span: Span): MeshRun {
  return { ...run, spans: run.spans.with(index, span) };
}
