import { type Claim, commitmentOf } from '../../../mesh/decide/claim.ts';
import { decide } from '../../../mesh/decide/decide.ts';
import type { Event, World } from '../../../mesh/decide/decision.ts';
import type { Effect } from '../../../mesh/decide/effects.ts';
import { type MeshRun, type NodeFacts, openRun, type Policy } from '../../../mesh/decide/run.ts';
import { toHex } from '../../../src/proof/bytes.ts';
import { Kernels } from '../simulator/kernels.ts';

export const kernels = new Kernels();
export const node = (id: string, owner = `owner of ${id}`, engine = 'v8 x64'): NodeFacts => ({
  ...{ id, owner, engine },
});
export const ownThreads = node('H', 'house');
export const salt = new Uint8Array(32).fill(7);

/** A run of segments 0 … 9 that is told what happens, one event after another. */
export class Scene {
  run: MeshRun;
  tick = 100;
  listeningSince = 0;
  candidates: readonly NodeFacts[] = [];
  matches = 0;
  beacon: Uint8Array = new Uint8Array(32).fill(1);
  readonly facts = { id: 'r', last: 9, segmentMs: 1000 };
  #ns = 1_000n;

  constructor(policy: Policy = 'full', change: Partial<MeshRun> = {}) {
    this.run = { ...openRun({ id: 'r', kernel: 'k', payer: 'payer', policy }, this.tick), ...change };
  }

  get world(): World {
    const { tick, listeningSince, beacon, candidates, matches } = this;
    const drawn = { beacon, beaconNs: ++this.#ns };
    return { tick, listeningSince, ...drawn, candidates, house: ownThreads, matches: () => matches };
  }

  tell(event: Event): readonly Effect[] {
    const { run, effects } = decide(this.run, event, this.world);
    this.run = run;
    return effects;
  }

  /** @returns the fence, or why not */
  lease(who: NodeFacts, free = 1): number | string {
    const effects = this.tell({ kind: 'lease', node: who, free });
    const leased = of(effects, 'leased').at(-1);
    return leased ? leased.fence : of(effects, 'refused')[0]!.reason;
  }

  commit({ id }: NodeFacts, fence: number, claim: Claim, commitment = toHex(commitmentOf(claim, salt))) {
    const { from, to } = claim;
    return this.tell({ kind: 'commit', node: id, fence, from, to, commitment, atNs: ++this.#ns });
  }

  reveal({ id }: NodeFacts, fence: number, claim: Claim, shown = salt) {
    return this.tell({ kind: 'reveal', node: id, fence, claim, salt: shown });
  }

  /** Commits to a claim and shows it. */
  claims(who: NodeFacts, fence: number, claim: Claim) {
    this.commit(who, fence, claim);
    return this.reveal(who, fence, claim);
  }

  checked(id: string, fence: number, claim: Claim) {
    return this.tell({ kind: 'checked', node: id, fence, claim });
  }

  /** Ticks pass, one by one. */
  wait(ticks: number): readonly Effect[] {
    const effects: Effect[] = [];
    for (let i = 0; i < ticks; i++) {
      this.tick++;
      effects.push(...this.tell({ kind: 'tick' }));
    }
    return effects;
  }

  truth(from: number, to: number): Claim {
    return kernels.execute(this.facts, from, to, '');
  }

  lie(from: number, to: number, at = to, name = 'lie'): Claim {
    return kernels.lie(this.facts, from, to, '', { lie: 'digests', at, name });
  }
}

export function of<K extends Effect['kind']>(
  effects: readonly Effect[],
  kind: K,
): Extract<Effect, { kind: K }>[] {
  return effects.filter((effect): effect is Extract<Effect, { kind: K }> => effect.kind === kind);
}

export const kinds = (effects: readonly Effect[]): string[] => effects.map(({ kind }) => kind);

export const asked = (effects: readonly Effect[]) => of(effects, 'ask').at(-1)!.check;
