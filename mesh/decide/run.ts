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
  /** How much there is to do; runs that 0.2.0 began have none. */
  readonly work?: RunWork;
  readonly state: RunState;
  /** The last number that was given out, to a lease or to a check: each has one of its own. */
  readonly fence: number;
  readonly lease?: Lease;
  /** Last segment that was accepted for good; −1 before D₀. */
  readonly accepted: number;
  /** What goes on behind `accepted`, in order and without gaps. Only the last one can be without its claim. */
  readonly spans: readonly Span[];
  /** Nodes whose claims on this run came to nothing, or that cannot run it: they are not asked again. */
  readonly excluded: readonly string[];
  /** Those of them whose word counts for nothing (doubt.ts); runs that nobody was found out in have none. */
  readonly distrusted?: readonly string[];
  /** Whose leases came to nothing since a span was last accepted: ids, and `house` for each time it was the house. */
  readonly failed: readonly string[];
  /** Nodes that gave it back unbegun since then, which was no failure. */
  readonly returned?: readonly string[];
  /** Tick since which nobody has had what can be run next: leases come to an end, spans are accepted and dropped. */
  readonly movedTick: number;
}

export type Policy = 'none' | 'sampled' | 'full';

/** `open` takes leases; `done` and `cancelled` are ends; `failed`: nobody could run it, its job is refundable. */
export type RunState = 'open' | 'done' | 'failed' | 'cancelled';

/** Work units, 1 ns of the reference core each: how long anybody is waited for follows from them. */
export interface RunWork {
  /** Of the whole run, as planned. */
  readonly planned: number;
  /** Of one segment, as planned: until something was accepted. */
  readonly segment: number;
  /** The heaviest segment so far; 0 while nothing was accepted. */
  readonly heaviest: number;
  /** The counter at the end of the last accepted segment, where that is known. */
  readonly accepted?: number;
}

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
  /** Its first segment. */
  readonly from: number;
  /** Tick of the last sign of life. */
  readonly heard: number;
  /** Tick by which it must show what comes next (pace.ts); leases that 0.2.0 gave have none. */
  readonly due?: number;
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
  /** Time of the beacon that drew, Unix ns, decimal: anybody can draw again. */
  readonly drawnNs?: string;
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
  /** Time of the beacon that chose the node, Unix ns, decimal. */
  readonly placedNs: string;
  /** Tick in which the node was asked. */
  readonly asked: number;
  /** Tick by which it must have answered; checks that 0.2.0 asked for have none. */
  readonly due?: number;
  /** Tick of its last sign of life. */
  readonly heard: number;
  /** Who was asked before and is not waited for: ids, and `house` for each time that the house failed at it. */
  readonly silent: readonly string[];
  readonly claim?: Claim;
}

/** Owner of the service's own threads: it takes what nobody takes, and is nobody's third where it is a side. */
export const house = 'house';

/** Where nothing was planned: 60 s, and segments by the rule of docs/protocol.md, 'Segment length'. */
const unplanned = { planned: 60e9, segment: 2 ** 27 };

/** A run at its beginning, or behind segment `accepted`, which is there already. */
export function openRun(
  run: Pick<MeshRun, 'id' | 'kernel' | 'payer' | 'policy'> &
    Partial<Pick<MeshRun, 'accepted'>> & { readonly work?: Pick<RunWork, 'planned' | 'segment'> },
  tick: number,
): MeshRun {
  const { id, kernel, payer, policy, accepted = -1 } = run;
  const work: RunWork = {
    ...unplanned,
    ...run.work,
    ...{ heaviest: 0, ...(accepted < 0 && { accepted: 0 }) },
  };
  return {
    ...{ id, kernel, payer, policy, work, accepted, state: 'open', fence: 0 },
    ...{ spans: [], excluded: [], failed: [], movedTick: tick },
  };
}

/** Last segment that has a claim or a commitment: the next lease begins behind it. */
export function frontier({ accepted, spans }: MeshRun): number {
  return spans.at(-1)?.to ?? accepted;
}

export const facts = ({ id, owner, engine }: NodeFacts): NodeFacts => ({ id, owner, engine });

/** Under which name a failure or a silence is remembered: every service node's threads are the one house. */
export const nameOf = ({ id, owner }: NodeFacts): string => (owner === house ? house : id);

export function replaced(run: MeshRun, index: number, span: Span): MeshRun {
  return { ...run, spans: run.spans.with(index, span) };
}

/** These nodes are not asked again in this run. */
export function withoutNode<R extends MeshRun>(run: R, ...ids: readonly string[]): R {
  return { ...run, excluded: [...new Set([...run.excluded, ...ids])] };
}
