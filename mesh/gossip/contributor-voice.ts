import { tickOf } from '../../src/clock/pulse.ts';
import type { Mode } from '../desk.ts';
import type { Presence } from '../front.ts';
import type { Bus } from '../nats/bus.ts';
import type { Identity } from '../nats/nkey.ts';
import { subjects } from '../subjects.ts';
import { eventBytes, signedEvent } from './event.ts';
import { HANDSHAKE_HEADER, handshakeText } from './handshake.ts';
import { DISCOVERY_TICKS } from './kinds.ts';

export interface ContributorVoiceParts {
  readonly bus: Pick<Bus, 'publish' | 'isConnected'>;
  readonly identity: Identity;
  /** Its own key for `x-node-handshake`, which it was handed when it was admitted. */
  readonly key: Uint8Array;
  readonly presence: Presence;
  readonly mode: () => Mode;
  readonly now: () => bigint;
}

/** How often it looks whether there is something to say. */
const BEAT_MS = 3108;

/**
 * A contributor on the gossip: it says who it is and in which mode, once in each 60 ticks, over NATS. Its words are held
 * to the same check as those that come over HTTP; what is lost is said anew in the next span.
 */
export class ContributorVoice {
  readonly #parts: ContributorVoiceParts;
  #timer: NodeJS.Timeout | undefined;
  #period = -1;

  constructor(parts: ContributorVoiceParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.beat(), BEAT_MS);
    this.beat();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Says what is due. @returns whether something was */
  beat(): boolean {
    const tick = tickOf(this.#parts.now());
    const period = Math.floor(tick / DISCOVERY_TICKS);
    if (period === this.#period || !this.#parts.bus.isConnected) return false;
    this.#say(tick);
    this.#period = period;
    return true;
  }

  #say(tick: number): void {
    const { bus, identity, key, presence, mode } = this.#parts;
    const kind = 'node-discovery';
    const { engine, cores, memory } = presence;
    const body = { role: 'contributor', engine, cores, memory, mode: mode() };
    const bytes = eventBytes(signedEvent(identity, kind, body, tick));
    const headers = { [HANDSHAKE_HEADER]: handshakeText(key, identity.id, tick, bytes) };
    bus.publish(subjects.gossipOf(kind, identity.id), bytes, { headers });
  }
}
