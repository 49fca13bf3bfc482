import type { Claim } from './claim.ts';
import type { Effect, Refused } from './effects.ts';
import type { MeshRun, NodeFacts } from './run.ts';

/** What happens to a run. */
export type Event =
  /** `free`: leases that the node may take beside those that it holds on other open runs. */
  | { readonly kind: 'lease'; readonly node: NodeFacts; readonly free: number }
  /** `from`: a check, by the first segment of its span; without it, the lease. */
  | { readonly kind: 'alive'; readonly node: string; readonly fence: number; readonly from?: number }
  | {
      readonly kind: 'release';
      readonly node: string;
      readonly fence: number;
      readonly from?: number;
      readonly failed: boolean;
    }
  | {
      readonly kind: 'commit';
      readonly node: string;
      readonly fence: number;
      readonly from: number;
      readonly to: number;
      readonly commitment: string;
      readonly atNs: bigint;
    }
  | {
      readonly kind: 'reveal';
      readonly node: string;
      readonly fence: number;
      readonly claim: Claim;
      readonly salt: Uint8Array;
    }
  | { readonly kind: 'checked'; readonly node: string; readonly fence: number; readonly claim: Claim }
  | { readonly kind: 'tick' }
  | { readonly kind: 'cancel' };

/** What a decision may look at beside the run. */
export interface World {
  readonly tick: number;
  /**
   * Tick since when this service node has heard nodes without a gap. What nobody could hear before is no silence: after
   * an outage of the service or of the transport every lease and every check has its whole time again.
   */
  readonly listeningSince: number;
  /**
   * Draws checks and places them. Made after the event came in: a node that knew the beacon when it revealed its claim
   * could wait for one that spares it.
   */
  readonly beacon: Uint8Array;
  /** Time of the beacon, Unix ns. */
  readonly beaconNs: bigint;
  /** Nodes that can be asked for a second or third execution now. */
  readonly candidates: readonly NodeFacts[];
  /** The service's own threads. */
  readonly house: NodeFacts;
  /** Matches of a node on a kernel since its last mismatch. */
  readonly matches: (node: string) => number;
}

export interface Decision {
  readonly run: MeshRun;
  readonly effects: readonly Effect[];
}

/** One decision after another, as one. */
export function andThen({ run, effects }: Decision, next: (run: MeshRun) => Decision): Decision {
  const after = next(run);
  return { run: after.run, effects: [...effects, ...after.effects] };
}

/** Nothing happens, and the node that spoke hears why. */
export function unchanged(run: MeshRun, node: string, reason: Refused): Decision {
  return { run, effects: [{ kind: 'refused', node, reason }] };
}
