import { createHash } from 'node:crypto';
import type { Contributor } from '../../mesh/contributor/contributor.ts';
import { areBytesOf } from '../../mesh/coordinator/span-bytes.ts';
import { decide } from '../../mesh/decide/decide.ts';
import type { Event, World } from '../../mesh/decide/decision.ts';
import type { Effect } from '../../mesh/decide/effects.ts';
import {
  house,
  type MeshRun,
  type NodeFacts,
  openRun,
  type Policy,
  type Span,
} from '../../mesh/decide/run.ts';
import type { CheckWork, Desk, Kept, Reveal, StartState, Work } from '../../mesh/desk.ts';
import type { Bell } from '../../mesh/front.ts';
import { runHash } from '../../src/proof/digests.ts';
import type { RunSpec } from '../../workers/executor.ts';

const nameOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What the service keeps of a run. */
interface RunKept {
  readonly spec: RunSpec;
  readonly parameters: string;
  machine: MeshRun;
  /** Reveals by first segment; those that were accepted stay. */
  readonly shown: Map<number, Reveal>;
  readonly accepted: Span[];
}

/**
 * The service in a few lines: runs in a map, mesh/decide applied at once, bytes by their digest. Time goes on where a
 * test says so, and nothing is ever lost.
 */
export class MemoryService {
  readonly runs = new Map<string, RunKept>();
  readonly bytes = new Map<string, Uint8Array>();
  readonly effects: Effect[] = [];
  readonly #house: NodeFacts = { id: 'house-1', owner: house, engine: 'test' };
  readonly #nodes = new Map<string, { facts: NodeFacts; contributor?: Contributor }>();
  readonly #queue = new Set<string>();
  readonly #ends = new Map<string, () => void>();
  #tick = 0;

  /** Puts a run on the mesh. @returns resolves when it has ended */
  begin(id: string, spec: RunSpec, policy: Policy = 'none'): Promise<void> {
    const machine = openRun({ id, kernel: spec.kernel, payer: 'payer', policy }, this.#tick);
    const parameters = this.keep(spec.parameters);
    this.runs.set(id, { spec, parameters, machine, shown: new Map(), accepted: [] });
    const ended = new Promise<void>((resolve) => this.#ends.set(id, resolve));
    this.ring(id);
    return ended;
  }

  keep(bytes: Uint8Array): string {
    const name = nameOf(bytes);
    this.bytes.set(name, bytes);
    return name;
  }

  ring(id: string): void {
    this.#queue.add(id);
    for (const { contributor } of this.#nodes.values()) contributor?.bell();
  }

  /** So many ticks pass. */
  pass(ticks: number): void {
    for (let i = 0; i < ticks; i++) {
      this.#tick++;
      for (const id of this.runs.keys()) this.decide(id, { kind: 'tick' });
    }
  }

  /** From now on the node is asked for checks and told what it lost. */
  employ(id: string, contributor: Contributor): void {
    this.#nodes.get(id)!.contributor = contributor;
  }

  dismiss(id: string): void {
    this.#nodes.delete(id);
  }

  readonly bells = {
    take: (count: number): Promise<Bell[]> => {
      const runs = [...this.#queue].slice(0, count);
      for (const run of runs) this.#queue.delete(run);
      return Promise.resolve(runs.map((run) => this.#bell(run)));
    },
  };

  #bell(run: string): Bell {
    const nothing = () => undefined;
    return { run, class: 'paid-small', ack: nothing, retry: () => this.#queue.add(run), working: nothing };
  }

  /** The desk of one node. */
  desk(facts: NodeFacts): Desk {
    this.#nodes.set(facts.id, { facts });
    const node = facts.id;
    const refusal = (effects: readonly Effect[]): Kept => {
      const refused = effects.find((effect) => effect.kind === 'refused');
      return refused ? refused.reason : 'kept';
    };
    return {
      lease: async (runs) =>
        runs.map((run) => {
          const effects = this.decide(run, { kind: 'lease', node: facts, free: 1 });
          const leased = effects.find((effect) => effect.kind === 'leased');
          if (!leased) return { run, refused: refusal(effects) as 'leased' };
          return { lease: this.work(run, leased.fence, leased.from) };
        }),
      alive: async (holding) => ({
        mode: 'contributing',
        lost: holding.filter(({ run, fence, from }) => {
          const effects = this.decide(run, {
            kind: 'alive',
            node,
            fence,
            ...(from !== undefined && { from }),
          });
          return refusal(effects) !== 'kept';
        }),
      }),
      release: async ({ run, fence, from }, failed) => {
        this.decide(run, { kind: 'release', node, fence, failed, ...(from !== undefined && { from }) });
      },
      commit: async ({ run, ...commitment }) =>
        refusal(this.decide(run, { kind: 'commit', node, ...commitment, atNs: BigInt(this.#tick) })),
      reveal: async (reveal) => this.#reveal(node, reveal, refusal),
      checked: async ({ run, fence, claim }) =>
        refusal(this.decide(run, { kind: 'checked', node, fence, claim })),
      bytes: async (_, name) => {
        const bytes = this.bytes.get(name);
        if (!bytes) throw new Error('no such bytes');
        return bytes;
      },
    };
  }

  #reveal(node: string, reveal: Reveal, refusal: (effects: readonly Effect[]) => Kept): Kept {
    const { spec, shown } = this.runs.get(reveal.run)!;
    const hash = Buffer.from(runHash(spec.kernel, spec.parameters, spec.stepsPerSegment)).toString('hex');
    if (!areBytesOf(hash, reveal)) return 'not-committed';
    this.keep(reveal.state);
    shown.set(reveal.claim.from, reveal);
    const { fence, claim, salt } = reveal;
    return refusal(this.decide(reveal.run, { kind: 'reveal', node, fence, claim, salt }));
  }

  // ---- deciding ----------------------------------------------------------------------------------------

  decide(id: string, event: Event): readonly Effect[] {
    const kept = this.runs.get(id)!;
    const { run, effects } = decide(kept.machine, event, this.#world());
    kept.machine = run;
    this.effects.push(...effects);
    for (const effect of effects) this.#follow(id, effect);
    return effects;
  }

  #world(): World {
    const candidates = [...this.#nodes.values()]
      .filter(({ contributor }) => contributor)
      .map(({ facts }) => facts);
    return {
      ...{ tick: this.#tick, listeningSince: 0, beacon: new Uint8Array(32), beaconNs: BigInt(this.#tick) },
      ...{ candidates, house: this.#house, matches: () => 0 },
    };
  }

  #follow(id: string, effect: Effect): void {
    const contributor = 'node' in effect ? this.#nodes.get(effect.node)?.contributor : undefined;
    if (effect.kind === 'ring') this.ring(id);
    else if (effect.kind === 'accepted') this.runs.get(id)!.accepted.push(effect.span);
    else if (effect.kind === 'ended') this.#ends.get(id)!();
    else if (effect.kind === 'ask') contributor?.check(this.checkWork(id, effect.span, effect.check));
    else if (effect.kind === 'lost') {
      const { fence, from, reason } = effect;
      contributor?.lost({ run: id, fence, ...(from !== undefined && { from }) }, reason);
    }
  }

  work(id: string, fence: number, from: number): Work {
    const { spec, parameters } = this.runs.get(id)!;
    const { kernel, stepsPerSegment, memory, work } = spec;
    const start = this.#start(id, from);
    return {
      ...{ run: id, fence, kernel, parameters, stepsPerSegment, memory, work, from },
      ...(start && { start }),
    };
  }

  checkWork(id: string, { from }: Span, { fence, kind, through }: Span['checks'][number]): CheckWork {
    return { ...this.work(id, fence, from), kind, through };
  }

  #start(id: string, from: number): StartState | undefined {
    if (from === 0) return undefined;
    const { shown } = this.runs.get(id)!;
    const { claim } = [...shown.values()].find((reveal) => reveal.claim.to === from - 1)!;
    const { steps, state, rowsHash } = claim;
    return { digest: claim.digests.at(-1)!, steps, state, rowsHash };
  }

  /** All that was accepted, in order: what the run's answer is put together from. */
  gathered(id: string) {
    const { accepted, shown } = this.runs.get(id)!;
    const claims = accepted.map(({ claim }) => claim!);
    const reveals = accepted.map(({ from }) => shown.get(from)!);
    return {
      spans: accepted,
      digests: claims.flatMap(({ digests }) => digests),
      rows: reveals.flatMap(({ rows }) => rows),
      result: reveals.at(-1)?.result,
      work: claims.at(-1)?.work,
      status: claims.at(-1)?.final?.status,
    };
  }
}
