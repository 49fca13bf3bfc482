import type { decide } from '../../../mesh/decide/decide.ts';
import type { Decision, Event, World } from '../../../mesh/decide/decision.ts';
import { type Effect, isDeed } from '../../../mesh/decide/effects.ts';
import { LEASES_PER_CORE } from '../../../mesh/decide/leases.ts';
import { house, type MeshRun, type NodeFacts } from '../../../mesh/decide/run.ts';
import { TICK_MS } from './beacons.ts';
import type { Clock } from './clock.ts';
import type { Contributor, Heard } from './contributor.ts';
import type { Kernels, SimulatedRun } from './kernels.ts';
import type { Random } from './random.ts';
import type { Kept, SharedStore } from './shared-store.ts';

export interface ServiceFaults {
  /** Chance that a service node dies between a durable write and what follows from it. */
  readonly diesAfterWrite: number;
  /** Chance that what follows from a write is done twice. */
  readonly repeatsEffects: number;
}

/** What a service node can reach. */
export interface ServiceParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly kernels: Kernels;
  readonly store: SharedStore;
  readonly decide: typeof decide;
  readonly beacon: (tNs: bigint) => Uint8Array;
  readonly candidates: () => readonly NodeFacts[];
  readonly run: (id: string) => SimulatedRun;
  readonly tell: (
    node: string,
    run: string,
    effect: Extract<Effect, { node: string }>,
    ground: string,
  ) => void;
  readonly ring: (run: string) => void;
  readonly faults: () => ServiceFaults;
}

/** Of a contributor. */
export const CORES = 1;
/** Milliseconds until a message is read, and until a transaction is durable. */
const READ_MS = 1;
const COMMIT_MS = 3;

interface Moment {
  readonly id: string;
  readonly tick: number;
  readonly listeningSince: number;
  readonly house: NodeFacts;
  readonly isReveal: boolean;
  readonly nowMs: number;
}

/** What one decision sees; beacon and candidates are made when they are looked at: most decisions need neither. */
class SimulatedWorld implements World {
  readonly tick: number;
  readonly listeningSince: number;
  readonly house: NodeFacts;
  readonly matches: World['matches'];
  readonly parts: ServiceParts;
  readonly moment: Moment;
  drawnNs: bigint | undefined;

  constructor(parts: ServiceParts, moment: Moment) {
    this.tick = moment.tick;
    this.listeningSince = moment.listeningSince;
    this.house = moment.house;
    this.parts = parts;
    this.moment = moment;
    const { store } = parts;
    let known: Map<string, number> | undefined;
    // As it is read once, whatever another transaction makes of it before this one is durable.
    this.matches = (node) => {
      known ??= new Map();
      return known.get(node) ?? known.set(node, store.matches(moment.id, node)).get(node)!;
    };
  }

  get beacon(): Uint8Array {
    return this.parts.beacon(this.beaconNs);
  }

  get candidates(): readonly NodeFacts[] {
    return this.parts.candidates();
  }

  /** What draws comes after the commitment, also where that was made by a service node whose clock is ahead. */
  get beaconNs(): bigint {
    if (this.drawnNs !== undefined) return this.drawnNs;
    const { id, isReveal, nowMs } = this.moment;
    const now = BigInt(Math.round(nowMs * 1e6));
    const open = isReveal ? this.parts.store.read(id).run.spans.find(({ claim }) => !claim) : undefined;
    const committedNs = BigInt(open?.committedNs ?? 0);
    this.drawnNs = now > committedNs ? now : committedNs + 1n;
    return this.drawnNs;
  }
}

/** A service node: reads, decides, writes with a compare-and-set, and does what follows unless it dies before. */
export class Service {
  readonly id: string;
  readonly skewMs: number;
  readonly #parts: ServiceParts;
  #house: Contributor | undefined;
  #life = 0;
  #listeningSince = 0;
  isUp = false;

  constructor(id: string, skewMs: number, parts: ServiceParts) {
    this.id = id;
    this.skewMs = skewMs;
    this.#parts = parts;
  }

  get house(): Contributor {
    return this.#house!;
  }

  /** Connects the service's own threads. */
  employ(threads: Contributor): void {
    this.#house = threads;
  }

  start(): void {
    this.isUp = true;
    this.#life++;
    this.#listeningSince = this.#tick;
    this.house.start(false);
    const life = this.#life;
    const { clock, random } = this.#parts;
    const turn = () => {
      if (life !== this.#life) return;
      for (const id of this.#parts.store.wakingRuns(this.#tick)) this.hear(id, { kind: 'tick' });
      clock.after(TICK_MS, turn);
    };
    clock.after(random.between(0, TICK_MS), turn);
  }

  crash(): void {
    this.isUp = false;
    this.#life++;
    this.house.crash();
  }

  get #tick(): number {
    return Math.floor((this.#parts.clock.now + this.skewMs) / TICK_MS);
  }

  #nowNs(): bigint {
    return BigInt(Math.round((this.#parts.clock.now + this.skewMs) * 1e6));
  }

  hear(id: string, said: Event, answer?: (heard: Heard) => void): void {
    const life = this.#life;
    const attempt = () => {
      if (life === this.#life) this.#decide(id, this.#verified(id, said), answer, attempt);
    };
    this.#parts.clock.after(READ_MS, attempt);
  }

  /**
   * A commitment gets the service's time; a claim whose bytes are not what it says is one that no salt opens; who asks
   * for a lease has as many cores free as are not leased.
   */
  #verified(id: string, event: Event): Event {
    if (event.kind === 'lease') return { ...event, free: this.#free(id, event.node) };
    if (event.kind === 'commit') return { ...event, atNs: this.#nowNs() };
    if (event.kind !== 'reveal') return event;
    const isWhole = this.#parts.kernels.areBytesOf(this.#parts.run(id), event.claim);
    return isWhole ? event : { ...event, salt: new Uint8Array(0) };
  }

  #free(id: string, { id: node }: NodeFacts): number {
    const { lease } = this.#parts.store.read(id).run;
    return LEASES_PER_CORE * CORES + (lease?.id === node ? 1 : 0) - this.#parts.store.leasesOf(node);
  }

  #world(id: string, event: Event): World {
    return new SimulatedWorld(this.#parts, {
      ...{ id, tick: this.#tick, listeningSince: this.#listeningSince, house: this.house.facts },
      ...{ isReveal: event.kind === 'reveal', nowMs: this.#parts.clock.now + this.skewMs },
    });
  }

  #decide(id: string, event: Event, answer: ((heard: Heard) => void) | undefined, again: () => void): void {
    const { clock, store, random } = this.#parts;
    const kept = store.read(id);
    const world = this.#world(id, event);
    if (event.kind === 'reveal') void world.beaconNs; // as the run stands now
    const decision = this.#parts.decide(kept.run, event, world);
    if (decision.run === kept.run) {
      this.#follow(id, decision, answer);
      return;
    }
    const life = this.#life;
    clock.after(COMMIT_MS, () => {
      if (life !== this.#life) return;
      // Leases are counted in the transaction that gives another.
      const isCounted = event.kind !== 'lease' || event.free === this.#free(id, event.node);
      if (!isCounted || !store.write(kept, event, world, decision)) return again();
      const { diesAfterWrite, repeatsEffects } = this.#parts.faults();
      if (random.chance(diesAfterWrite)) return this.crash();
      this.#follow(id, decision, answer);
      if (random.chance(repeatsEffects)) this.#follow(id, decision, answer);
    });
  }

  #follow(id: string, { run, effects }: Decision, answer: ((heard: Heard) => void) | undefined): void {
    const kept = this.#parts.store.read(id);
    const leased = effects.find((effect) => effect.kind === 'leased');
    answer?.({ effects, ...(leased && { ground: this.#groundBefore(kept, run, leased.from) }) });
    for (const effect of effects) {
      if (isDeed(effect)) continue;
      if (effect.kind === 'ring') this.#parts.ring(id);
      else if (effect.kind === 'idle') this.house.take(id);
      else if (effect.kind === 'lost') this.#parts.tell(effect.node, id, effect, '');
      else if (effect.kind === 'ask')
        this.#parts.tell(effect.node, id, effect, this.#groundBefore(kept, run, effect.span.from) ?? '');
    }
  }

  /** What the state before segment `from` stands on. */
  #groundBefore(kept: Kept, run: MeshRun, from: number): string | undefined {
    if (from === 0) return '';
    const waiting = run.spans.find(({ to }) => to === from - 1)?.claim;
    const claim = waiting ?? kept.ends.get(from - 1);
    return claim && this.#parts.kernels.groundOf(claim.state);
  }
}

export const isHouse = ({ owner }: NodeFacts): boolean => owner === house;
