import type { Claim } from '../../../mesh/decide/claim.ts';
import type { Event } from '../../../mesh/decide/decision.ts';
import type { Effect } from '../../../mesh/decide/effects.ts';
import { firstAsked, PATIENCE_TICKS, SLOWEST } from '../../../mesh/decide/pace.ts';
import type { Check, NodeFacts, Span } from '../../../mesh/decide/run.ts';
import { toHex } from '../../../src/proof/bytes.ts';
import { TICK_MS } from './beacons.ts';
import type { Character } from './characters.ts';
import type { Clock } from './clock.ts';
import { commitmentTo } from './commitments.ts';
import type { Kernels, SimulatedRun } from './kernels.ts';
import type { Random } from './random.ts';

/** What a node hears to what it said: effects that concern it and, with a lease, what its first state stands on. */
export interface Heard {
  readonly effects: readonly Effect[];
  readonly ground?: string;
}

/** What a contributor does so that nobody waits for it longer than needed; a broken one must be found out. */
export interface Manners {
  /** Which of the checks that wait it takes next. */
  readonly nextCheck: typeof firstAsked;
  /** Whether a give-back is said until it is heard. */
  readonly insists: boolean;
}

export const manners: Manners = { nextCheck: firstAsked, insists: true };

/** What a contributor can reach. */
export interface Outside {
  readonly clock: Clock;
  readonly random: Random;
  readonly kernels: Kernels;
  readonly manners: Manners;
  run(id: string): SimulatedRun;
  say(node: Contributor, run: string, event: Event, hear: (heard: Heard) => void): void;
  /** Whether nothing goes wrong any more. */
  isQuiet(): boolean;
  /** Takes a name from the work queue. */
  look(node: Contributor, got: (run: string) => void): void;
}

interface Leased {
  readonly run: SimulatedRun;
  readonly fence: number;
  /** What the next span begins on. */
  ground: string;
  /** First segment that is not claimed yet, and the next one to run. */
  from: number;
  next: number;
  isRunning: boolean;
  said?: Claim;
}

interface Asked {
  readonly run: SimulatedRun;
  readonly span: Span;
  readonly check: Check;
  readonly ground: string;
}

interface Waiting {
  readonly run: string;
  readonly fence: number;
}

const keyOf = ({ run, fence }: Waiting): string => `${run}/${fence}`;

const ALIVE_MS = 2300;
const LOOK_MS = 1000;
/** Segments that may be run before the span before them is kept. */
const AHEAD = 4;

/** What is left of it is to be said. */
const isComputed = ({ next, from, run }: Leased): boolean => next > Math.max(run.last, from);

/** A contributor, or the threads of a service node, as a state machine in simulated time. */
export class Contributor {
  readonly facts: NodeFacts;
  readonly character: Character;
  readonly #outside: Outside;
  readonly #seats: number;
  readonly #leases = new Map<string, Leased>();
  readonly #asked = new Map<string, Asked>();
  /** What was given back and nobody has heard of yet. */
  readonly #givenBack = new Map<string, Extract<Event, { kind: 'release' }>>();
  /** Checks that were not begun yet. */
  #waiting: Waiting[] = [];
  #isChecking = false;
  /** Counts lives: what an earlier life began goes nowhere. */
  #life = 0;
  #pausedUntil = 0;
  isUp = false;

  constructor(facts: NodeFacts, character: Character, outside: Outside, seats = 1) {
    this.facts = facts;
    this.character = character;
    this.#outside = outside;
    this.#seats = seats;
  }

  get isFree(): boolean {
    const running = [...this.#leases.values()].filter((lease) => !isComputed(lease));
    return this.isUp && (running.length < this.#seats || this.character.hoards === true);
  }

  start(looks = true): void {
    this.#life++;
    this.isUp = true;
    this.#leases.clear();
    this.#asked.clear();
    this.#givenBack.clear();
    this.#waiting = [];
    this.#isChecking = false;
    const { random } = this.#outside;
    this.#after(random.between(0, ALIVE_MS), () => this.#sayAlive());
    if (looks) this.#after(random.between(0, LOOK_MS), () => this.#lookAgain());
  }

  crash(): void {
    this.#life++;
    this.isUp = false;
  }

  pause(ms: number): void {
    this.#pausedUntil = this.#outside.clock.now + ms;
  }

  /** Acts later in this life; not while it is paused. */
  #after(ms: number, act: () => void): void {
    const life = this.#life;
    this.#outside.clock.after(ms, () => this.#act(life, act));
  }

  #act(life: number, act: () => void): void {
    if (life !== this.#life) return;
    const left = this.#pausedUntil - this.#outside.clock.now;
    if (left > 0) this.#outside.clock.after(left, () => this.#act(life, act));
    else act();
  }

  #say(run: string, event: Event, hear: (heard: Heard) => void): void {
    const life = this.#life;
    this.#outside.say(this, run, event, (heard) => this.#act(life, () => hear(heard)));
  }

  /** Says it until it is answered or no longer matters. */
  #persist(run: string, event: Event, matters: () => boolean, hear: (heard: Heard) => void): void {
    let isAnswered = false;
    const again = () => {
      if (isAnswered || !matters()) return;
      this.#say(run, event, (heard) => {
        if (isAnswered || !matters()) return;
        isAnswered = true;
        hear(heard);
      });
      this.#after(this.#outside.random.between(1500, 2500), again);
    };
    again();
  }

  #sayAlive(): void {
    for (const lease of this.#leases.values()) {
      const { run, fence } = lease;
      this.#say(run.id, { kind: 'alive', node: this.facts.id, fence }, ({ effects }) => {
        if (refusalIn(effects) && !this.character.isStubborn) this.#forget(lease);
      });
    }
    for (const [key, { run, span, check }] of this.#asked) {
      const { fence } = check;
      const event: Event = { kind: 'alive', node: this.facts.id, fence, from: span.from };
      this.#say(run.id, event, ({ effects }) => {
        if (refusalIn(effects)) this.#asked.delete(key);
      });
    }
    this.#after(ALIVE_MS, () => this.#sayAlive());
  }

  // ---- leases --------------------------------------------------------------------------------------------

  #lookAgain(): void {
    this.look();
    this.#after(LOOK_MS, () => this.#lookAgain());
  }

  /** Looks whether there is something to run. */
  look(): void {
    if (!this.isFree) return;
    const life = this.#life;
    this.#outside.look(this, (run) => this.#act(life, () => this.take(run)));
  }

  take(run: string): void {
    if (!this.isFree || this.#leases.has(run) || this.#isGivingBack(run)) return;
    // How many of its cores are free the service counts itself.
    this.#say(run, { kind: 'lease', node: this.facts, free: 0 }, ({ effects, ground }) => {
      const leased = effects.find((effect) => effect.kind === 'leased');
      const held = this.#leases.get(run);
      if (!leased || ground === undefined || (held && held.fence >= leased.fence)) return;
      this.#begin(run, leased.fence, leased.from, ground);
    });
  }

  #begin(id: string, fence: number, from: number, ground: string): void {
    const run = this.#outside.run(id);
    const lease: Leased = { run, fence, ground, from, next: from, isRunning: false };
    this.#leases.set(id, lease);
    const failed = !this.#outside.kernels.canRun(run, from, ground);
    if (failed || this.character.bounces) {
      this.#release(lease, failed);
      return;
    }
    if (!this.character.isIdle) this.#runNext(lease);
  }

  #holds = (lease: Leased): boolean => this.#leases.get(lease.run.id) === lease;

  #forget(lease: Leased): void {
    if (this.#holds(lease)) this.#leases.delete(lease.run.id);
  }

  #release(lease: Leased, failed: boolean): void {
    this.#forget(lease);
    const { run, fence } = lease;
    this.#sayGivenBack(run.id, { kind: 'release', node: this.facts.id, fence, failed });
  }

  #sayGivenBack(run: string, event: Extract<Event, { kind: 'release' }>): void {
    if (!this.#outside.manners.insists) {
      this.#say(run, event, () => undefined);
      return;
    }
    const key = keyOf({ run, fence: event.fence });
    this.#givenBack.set(key, event);
    const matters = () => this.#givenBack.get(key) === event;
    this.#persist(run, event, matters, () => this.#givenBack.delete(key));
  }

  /** What it gives back it would be given again. */
  #isGivingBack(run: string): boolean {
    return [...this.#givenBack].some(
      ([key, { fence, from }]) => from === undefined && key === keyOf({ run, fence }),
    );
  }

  #runNext(lease: Leased): void {
    if (lease.isRunning || !this.#holds(lease)) return;
    if (isComputed(lease) || lease.next - lease.from >= AHEAD) return;
    lease.isRunning = true;
    this.#after(this.#segmentMs(lease.run), () => {
      lease.isRunning = false;
      lease.next++;
      this.#commit(lease);
      this.#runNext(lease);
    });
  }

  #segmentMs({ segmentMs }: SimulatedRun): number {
    const { slowness = 1, dallies = 0 } = this.character;
    const longestMs = PATIENCE_TICKS * TICK_MS + SLOWEST * segmentMs;
    return segmentMs * slowness * (0.8 + 0.4 * this.#outside.random.next()) + dallies * longestMs;
  }

  /** Claims what is done; one claim at a time. */
  #commit(lease: Leased): void {
    if (lease.said || lease.next === lease.from || !this.#holds(lease)) return;
    const { run, fence, from, ground } = lease;
    const claim = this.character.answers({ run, from, to: lease.next - 1, ground }, this.#outside.kernels);
    const salt = this.#outside.random.bytes(32);
    const commitment = this.#commitmentTo(claim, salt);
    lease.said = claim;
    const node = this.facts.id;
    this.#persist(
      run.id,
      // When it is durable, the service says.
      { kind: 'commit', node, fence, from, to: claim.to, commitment, atNs: 0n },
      () => this.#holds(lease) && lease.said === claim,
      ({ effects }) => this.#committed(lease, claim, salt, refusalIn(effects)),
    );
  }

  #commitmentTo(claim: Claim, salt: Uint8Array): string {
    const { random } = this.#outside;
    if (random.chance(this.character.fickleness ?? 0)) return toHex(random.bytes(32));
    try {
      return commitmentTo(claim, salt);
    } catch {
      return toHex(random.bytes(32)); // what cannot be a claim
    }
  }

  #committed(lease: Leased, claim: Claim, salt: Uint8Array, refused: string | undefined): void {
    if (refused === 'settled') {
      this.#kept(lease, claim);
      return;
    }
    if (refused === 'waiting') {
      delete lease.said;
      this.#after(1000, () => this.#commit(lease));
      return;
    }
    if (refused !== undefined) {
      this.#forget(lease);
      return;
    }
    if (this.character.isMute) return;
    const { run, fence } = lease;
    this.#persist(
      run.id,
      { kind: 'reveal', node: this.facts.id, fence, claim, salt },
      () => this.#holds(lease) && lease.said === claim,
      ({ effects }) => {
        const reason = refusalIn(effects);
        if (reason === undefined || reason === 'settled') this.#kept(lease, claim);
        else this.#forget(lease);
      },
    );
  }

  #kept(lease: Leased, claim: Claim): void {
    delete lease.said;
    lease.from = claim.to + 1;
    lease.next = Math.max(lease.next, lease.from);
    lease.ground = this.#outside.kernels.groundOf(claim.state) ?? lease.ground;
    if (claim.final) {
      this.#forget(lease);
      return;
    }
    this.#commit(lease);
    this.#runNext(lease);
  }

  // ---- checks --------------------------------------------------------------------------------------------

  asked(run: string, span: Span, check: Check, ground: string): void {
    if (!this.isUp || this.character.isDeaf) return;
    const waiting: Waiting = { run, fence: check.fence };
    const key = keyOf(waiting);
    if (this.#asked.has(key) || this.#givenBack.has(key)) return;
    const asked = { run: this.#outside.run(run), span, check, ground };
    this.#asked.set(key, asked);
    const { random } = this.#outside;
    const { givesBack = 0, waitsMs = 0 } = this.#outside.isQuiet() ? {} : this.character;
    if (givesBack > 0 && random.chance(givesBack)) {
      this.#giveBack(key, asked, false);
      return;
    }
    const begin = () => {
      this.#waiting.push(waiting);
      this.#checkNext();
    };
    if (waitsMs > 0) this.#after(random.wait(waitsMs), begin);
    else begin();
  }

  #checkNext(): void {
    if (this.#isChecking || this.character.isIdle) return;
    const next = this.#outside.manners.nextCheck(this.#waiting);
    if (!next) return;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    const key = keyOf(next);
    const asked = this.#asked.get(key);
    if (!asked) {
      this.#checkNext();
      return;
    }
    const { run, span, check, ground } = asked;
    if (!this.#outside.kernels.canRun(run, span.from, ground)) {
      this.#giveBack(key, asked, true);
      this.#checkNext();
      return;
    }
    this.#isChecking = true;
    this.#after((check.through - span.from + 1) * this.#segmentMs(run), () => {
      const question = { run, from: span.from, to: check.through, ground, check: { span, check } };
      const claim = this.character.answers(question, this.#outside.kernels);
      const event: Event = { kind: 'checked', node: this.facts.id, fence: check.fence, claim };
      const isAsked = () => this.#asked.get(key) === asked;
      this.#persist(run.id, event, isAsked, () => this.#asked.delete(key));
      this.#isChecking = false;
      this.#checkNext();
    });
  }

  #giveBack(key: string, { run, span, check }: Asked, failed: boolean): void {
    this.#asked.delete(key);
    const { from } = span;
    this.#sayGivenBack(run.id, { kind: 'release', node: this.facts.id, fence: check.fence, from, failed });
  }

  /** What the node holds was taken from it. */
  lost(run: string, fence: number, from: number | undefined): void {
    this.#givenBack.delete(keyOf({ run, fence }));
    if (from !== undefined) this.#asked.delete(keyOf({ run, fence }));
    const lease = this.#leases.get(run);
    if (from === undefined && lease?.fence === fence && !this.character.isStubborn) this.#forget(lease);
  }
}

function refusalIn(effects: readonly Effect[]): string | undefined {
  return effects.find((effect) => effect.kind === 'refused')?.reason;
}
