import { wakeTick } from '../../../mesh/coordinator/wake.ts';
import type { Claim } from '../../../mesh/decide/claim.ts';
import type { Decision, Event, World } from '../../../mesh/decide/decision.ts';
import { isDeed } from '../../../mesh/decide/effects.ts';
import type { MeshRun } from '../../../mesh/decide/run.ts';

export interface Kept {
  readonly run: MeshRun;
  readonly version: number;
  /** Claims of accepted spans by their last segment. */
  readonly ends: ReadonlyMap<number, Claim>;
  /** Until then the passing of time changes nothing of it: nobody needs to look. A lower bound, made exact there. */
  wakeTick: number;
}

/** No job here has a deadline. */
const NO_DEADLINE_NS = 2n ** 62n;

/** Is told of each write, and of what it stands on. */
export interface Witness {
  written(before: MeshRun, event: Event, world: World, decision: Decision): void;
}

/** The one store behind all service nodes: a compare-and-set by version, and the deeds in the same transaction. */
export class SharedStore {
  readonly #runs = new Map<string, Kept>();
  readonly #open = new Set<string>();
  readonly #leases = new Map<string, number>();
  readonly #matches = new Map<string, number>();
  readonly #witness: Witness;

  constructor(witness: Witness) {
    this.#witness = witness;
  }

  insert(run: MeshRun): void {
    this.#runs.set(run.id, { run, version: 1, ends: new Map(), wakeTick: 0 });
    this.#open.add(run.id);
  }

  read(id: string): Kept {
    return this.#runs.get(id)!;
  }

  /** Open runs that the passing of time may change. */
  wakingRuns(tick: number): string[] {
    return [...this.#open].filter((id) => {
      const kept = this.read(id);
      if (kept.wakeTick <= tick) kept.wakeTick = wakeTick(kept.run, NO_DEADLINE_NS);
      return kept.wakeTick <= tick;
    });
  }

  get size(): number {
    return this.#runs.size;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get runs(): MeshRun[] {
    return Array.from(this.#runs.values(), ({ run }) => run);
  }

  /** How many runs it holds. */
  leasesOf(node: string): number {
    return this.#leases.get(node) ?? 0;
  }

  #counts({ lease }: MeshRun, more: 1 | -1): void {
    if (lease) this.#leases.set(lease.id, this.leasesOf(lease.id) + more);
  }

  matches(id: string, node: string): number {
    return this.#matches.get(`${this.read(id).run.kernel} ${node}`) ?? 0;
  }

  trust(kernel: string, node: string, matches: number): void {
    this.#matches.set(`${kernel} ${node}`, matches);
  }

  /** @returns false when another was quicker */
  write({ run: before, version }: Kept, event: Event, world: World, decision: Decision): boolean {
    const kept = this.read(before.id);
    if (kept.version !== version) return false;
    this.#witness.written(before, event, world, decision);
    const { run, effects } = decision;
    const ends = kept.ends as Map<number, Claim>;
    for (const effect of effects) {
      if (!isDeed(effect)) continue;
      if (effect.kind === 'accepted') ends.set(effect.span.to, effect.span.claim!);
      else if (effect.kind === 'matched')
        this.trust(run.kernel, effect.node, this.matches(run.id, effect.node) + 1);
      else if (effect.kind === 'mismatched') this.trust(run.kernel, effect.node, 0);
    }
    this.#counts(before, -1);
    this.#counts(run, 1);
    // A sign of life puts off what time may change; anything else may bring it on.
    const wakes = event.kind === 'alive' ? kept.wakeTick : 0;
    this.#runs.set(run.id, { run, version: version + 1, ends, wakeTick: wakes });
    if (run.state !== 'open') this.#open.delete(run.id);
    return true;
  }
}
