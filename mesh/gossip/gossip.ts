import { hmacKey } from '#crypto';
import { tickOf } from '../../src/clock/pulse.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import type { HmacKey } from '../../src/proof/crypto-keys.ts';
import { DuplicateKey, type Store } from '../../src/store/store.ts';
import type { Identity } from '../nats/nkey.ts';
import { meshNodes } from '../records.ts';
import { subjects } from '../subjects.ts';
import {
  type Agreement,
  agreement,
  type Bucket,
  coherenceScore,
  heldDigests,
  SETTLE_TICKS,
} from './coherence.ts';
import {
  checkedSender,
  eventBytes,
  type GossipEvent,
  type HeardEvent,
  readEvent,
  refuseLong,
  signedEvent,
  unknownSender,
} from './event.ts';
import {
  checkedHandshake,
  HANDSHAKE_HEADER,
  HANDSHAKE_TICKS,
  type Handshake,
  handshakeText,
  nodeHandshakeKey,
  SeenHandshakes,
} from './handshake.ts';
import { DISCOVERY_TICKS, type modes } from './kinds.ts';
import { absorb, forget, MOST_HELD, PRESENT_TICKS, presence } from './merge.ts';
import { eventsPerWindow, SenderRate } from './rate.ts';
import { gossipEvents } from './records.ts';
import { type Sender, senderOf } from './sender.ts';

/** One way out of a node: NATS, or HTTP to the peers. What it loses is lost; gossip is said again. */
export interface GossipWay {
  send(message: {
    readonly subject: string;
    readonly bytes: Uint8Array;
    readonly headers: () => Headers;
  }): void;
}

type Headers = Readonly<Record<string, string>>;

export interface GossipParts {
  readonly store: Store;
  readonly now: () => bigint;
  /** The service node's own key; its id is the verifier key. */
  readonly identity: Identity;
  /** Absent: the node takes part in no gossip. */
  readonly secret?: Uint8Array;
  /** What this node says of itself. */
  readonly self: { readonly engine: string; readonly cores: number; readonly memory: number };
}

export interface GossipStatus {
  /** Share of gossip subjects on which the peers of the last 120 ticks agree with this node; null until measured. */
  readonly coherenceScore: number | null;
  /** Service nodes whose digests were compared. */
  readonly peersCompared: number;
  /** Events of others that were taken in within the last 120 ticks. */
  readonly recentGossipCount: number;
  /** Tick of the last one; null while nothing was heard. */
  readonly lastGossipTick: number | null;
  readonly nodes: { readonly service: number; readonly unknown: number } & Readonly<
    Record<(typeof modes)[number], number>
  >;
}

/**
 * Ticks that an event is kept: as long as a handshake could open the door for it again, and as a peer's last report may
 * count it (120 until the report is too old, 4 to settle, 120 that it counts).
 */
export const KEPT_TICKS = 264;
/** Ticks between two reports of what the node holds. */
const REPORT_TICKS = 8;
/** Rows that one step of forgetting deletes, and steps at a time. */
const FORGET_BATCH = 500;
const FORGET_STEPS = 40;
/** Peers whose reports are compared, those that were heard last. */
const MOST_COMPARED = 64;

/**
 * What a service node hears and says about the mesh. Both entrances, HTTP and NATS, lead to `receive`, which checks
 * the handshake and the signature before anything is stored.
 */
export class Gossip {
  readonly #parts: GossipParts;
  readonly #secret: HmacKey | undefined;
  readonly #seen = new SeenHandshakes();
  readonly #rate = new SenderRate();
  readonly #held = new Map<string, HeardEvent>();
  readonly #ways = new Set<GossipWay>();
  #loaded: Promise<void> | undefined;
  #discovered = -1;
  #reported = -1;
  #lastTick: number | null = null;
  /** Counts what was taken in; a status is good until it changes, or the tick does. */
  #version = 0;
  #status: { readonly tick: number; readonly version: number; readonly status: GossipStatus } | undefined;

  constructor(parts: GossipParts) {
    this.#parts = parts;
    this.#secret = parts.secret && hmacKey(parts.secret);
  }

  get id(): string {
    return this.#parts.identity.id;
  }

  /** Adds a way out. @returns what takes it away again */
  addWay(way: GossipWay): () => void {
    this.#ways.add(way);
    return () => this.#ways.delete(way);
  }

  /** @throws Refusal NO_MESH_SECRET where this node takes part in no gossip */
  refuseClosed(): void {
    this.#mustBeOpen();
  }

  /**
   * The key that a contributor is handed when it is admitted, to sign its handshakes with. Only for an nkey: with the
   * key of a verifier key it could pass for a service node.
   *
   * @throws Refusal NO_MESH_SECRET · UNKNOWN_SENDER for what is no nkey
   */
  keyForContributor(nkey: string): Uint8Array {
    const secret = this.#mustBeOpen();
    if (senderOf(nkey)?.role !== 'contributor') throw unknownSender(nkey);
    return nodeHandshakeKey(secret, nkey);
  }

  /**
   * Says something in this node's name, no more often than its peers listen to it.
   * @throws Refusal NO_MESH_SECRET · INVALID_INPUT · RATE_LIMITED
   */
  async publish(kind: string, body: Readonly<Record<string, unknown>>): Promise<HeardEvent> {
    const key = nodeHandshakeKey(this.#mustBeOpen(), this.id);
    this.#count(this.id, this.#tick());
    await this.#load();
    const event = signedEvent(this.#parts.identity, kind, body, this.#tick());
    await this.#keep(event).catch(passDuplicate);
    const bytes = eventBytes(event);
    const headers = () => ({ [HANDSHAKE_HEADER]: handshakeText(key, this.id, this.#tick(), bytes) });
    for (const way of this.#ways) way.send({ subject: subjects.gossip(kind), bytes, headers });
    return event;
  }

  /**
   * Takes in what came: the one door of HTTP and NATS. Nothing is stored before handshake, sender and signature hold.
   *
   * @throws Refusal NO_MESH_SECRET · PAYLOAD_TOO_LARGE · MISSING_HANDSHAKE · BAD_HANDSHAKE · STALE_HANDSHAKE ·
   *   HANDSHAKE_MISUSED · GOSSIP_REPLAYED · RATE_LIMITED · INVALID_INPUT · UNKNOWN_SENDER · BAD_SIGNATURE · FORBIDDEN
   */
  async receive(
    bytes: Uint8Array,
    header: string | undefined,
  ): Promise<{ event: HeardEvent; holds: boolean }> {
    const secret = this.#mustBeOpen();
    refuseLong(bytes);
    const tick = this.#tick();
    const handshake = checkedHandshake(header, bytes, secret, tick);
    if (this.#seen.has(handshake)) throw replayed();
    this.#count(handshake.sender, tick);
    const event = readEvent(bytes);
    refuseMisuse(event, handshake);
    await this.#admitted(checkedSender(event));
    await this.#load();
    const holds = await this.#keep(event).catch(refuseDuplicate);
    this.#seen.add(handshake, tick);
    return { event, holds };
  }

  /** The NATS entrance: what is refused is dropped there. @returns whether the event is held now */
  async onMessage(bytes: Uint8Array, header: (name: string) => string | undefined): Promise<boolean> {
    try {
      return (await this.receive(bytes, header(HANDSHAKE_HEADER))).holds;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  /** Says what is due: who this node is, every 60 ticks, and what it holds, every 8. Forgets what is old. */
  async beat(): Promise<void> {
    if (!this.#secret) return;
    await this.#load();
    const tick = this.#tick();
    const period = Math.floor(tick / DISCOVERY_TICKS);
    if (period !== this.#discovered) {
      await this.announce();
      this.#discovered = period;
      await this.#forgetOld(tick);
    }
    if (this.#ways.size > 0 && tick >= this.#reported + REPORT_TICKS) {
      await this.report();
      this.#reported = tick;
    }
  }

  announce(): Promise<HeardEvent> {
    return this.publish('node-discovery', { role: 'service', ...this.#parts.self, mode: null });
  }

  async report(): Promise<HeardEvent> {
    await this.#load();
    const through = this.#tick() - SETTLE_TICKS;
    return this.publish('held-digests', { through, buckets: heldDigests(this.#held.values(), through) });
  }

  async status(): Promise<GossipStatus> {
    await this.#load();
    const tick = this.#tick();
    if (this.#status?.tick !== tick || this.#status.version !== this.#version)
      this.#status = { tick, version: this.#version, status: this.#statusAt(tick) };
    return this.#status.status;
  }

  #statusAt(tick: number): GossipStatus {
    const heard = this.heard().filter(({ sender }) => sender !== this.id);
    const recent = heard.filter((event) => event.tick >= tick - PRESENT_TICKS);
    const compared = this.#compared(tick);
    return {
      coherenceScore: coherenceScore(compared),
      peersCompared: compared.length,
      recentGossipCount: recent.length,
      lastGossipTick: this.#lastTick,
      nodes: this.#nodes(tick),
    };
  }

  /** What this node holds of one kind, or of all. */
  heard(kind?: string): HeardEvent[] {
    const events = [...this.#held.values()];
    return kind === undefined ? events : events.filter((event) => event.kind === kind);
  }

  // ---- inside -------------------------------------------------------------------------------------------

  #tick(): number {
    return tickOf(this.#parts.now());
  }

  #mustBeOpen(): HmacKey {
    if (this.#secret) return this.#secret;
    throw new Refusal(
      'NO_MESH_SECRET',
      'This node has no mesh secret (SVC_MESH_SECRET), so it takes no gossip.',
      {
        retryAfter: 3600,
      },
    );
  }

  #count(sender: string, tick: number): void {
    const known = senderOf(sender);
    if (!known) throw unknownSender(sender);
    this.#rate.count(sender, eventsPerWindow[known.role], tick);
  }

  /** Service nodes prove by their handshake that they hold the secret; contributors must still be admitted. */
  async #admitted({ id, role }: Sender): Promise<void> {
    if (role === 'service') return;
    const node = await this.#parts.store.get(meshNodes, { id });
    if (node?.state !== 'admitted') throw unknownSender(id);
  }

  async #keep(event: HeardEvent): Promise<boolean> {
    const { id, kind, sender, tick } = event;
    const said: GossipEvent = { kind, sender, tick, body: event.body, signature: event.signature };
    const row = {
      holder: this.id,
      id,
      kind,
      sender,
      tick: BigInt(tick),
      event: said,
      heard_ns: this.#parts.now(),
    };
    await this.#parts.store.transaction((tx) => tx.insert(gossipEvents, row));
    return this.#absorb(event);
  }

  #absorb(event: HeardEvent): boolean {
    this.#version++;
    if (event.sender !== this.id) this.#lastTick = Math.max(this.#lastTick ?? 0, event.tick);
    return absorb(this.#held, event);
  }

  /** What was held before the node was started again. */
  #load(): Promise<void> {
    this.#loaded ??= this.#read().catch((error) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #read(): Promise<void> {
    const since = BigInt(this.#tick() - KEPT_TICKS);
    const rows = await this.#parts.store.find(gossipEvents, {
      where: { holder: this.id, tick: { gte: since } },
      orderBy: { tick: 'asc' },
      limit: MOST_HELD,
    });
    for (const { event } of rows) {
      const known = readIfKnown(event as GossipEvent);
      if (known) this.#absorb(known);
    }
  }

  async #forgetOld(tick: number): Promise<void> {
    forget(this.#held, tick - KEPT_TICKS);
    for (let step = 0; step < FORGET_STEPS; step++) {
      if ((await this.#forgetSome(BigInt(tick - KEPT_TICKS))) < FORGET_BATCH) return;
    }
  }

  async #forgetSome(before: bigint): Promise<number> {
    const { store } = this.#parts;
    const where = { holder: this.id, tick: { lt: before } };
    const old = await store.find(gossipEvents, { where, limit: FORGET_BATCH });
    if (old.length > 0)
      await store.transaction(async (tx) => {
        for (const { holder, id } of old) await tx.delete(gossipEvents, { holder, id });
      });
    return old.length;
  }

  /** Each peer's last report, against what this node holds of the same ticks. */
  #compared(tick: number): Agreement[] {
    const last = new Map<string, HeardEvent>();
    for (const report of this.heard('held-digests')) {
      const known = last.get(report.sender);
      if (report.sender !== this.id && (!known || known.tick < report.tick)) last.set(report.sender, report);
    }
    const own = new Map<number, Bucket[]>(); // most reports are of the same ticks
    return [...last.values()]
      .filter((report) => presence(report.tick, tick) === 'present')
      .sort((a, b) => b.tick - a.tick)
      .slice(0, MOST_COMPARED)
      .map(({ body }) => {
        const { through, buckets } = body as { through: number; buckets: Bucket[] };
        const digests = own.get(through) ?? heldDigests(this.#held.values(), through);
        own.set(through, digests);
        return agreement(digests, buckets);
      })
      .filter(({ all }) => all > 0);
  }

  /** Nodes by what they last said of themselves. */
  #nodes(tick: number): GossipStatus['nodes'] {
    const last = new Map<string, HeardEvent>();
    for (const event of this.heard('node-discovery')) {
      if ((last.get(event.sender)?.tick ?? -1) < event.tick) last.set(event.sender, event);
    }
    const counts = { service: 0, idle: 0, contributing: 0, experimenting: 0, unknown: 0 };
    for (const { body, tick: heard } of last.values()) {
      const mode = (body.mode ?? 'service') as (typeof modes)[number] | 'service';
      counts[presence(heard, tick) === 'present' ? mode : 'unknown']++;
    }
    return counts;
  }
}

const replayed = (): Refusal =>
  new Refusal('GOSSIP_REPLAYED', 'This handshake was used, or this event was heard before; nothing changed.');

function refuseDuplicate(error: unknown): never {
  throw error instanceof DuplicateKey ? replayed() : error;
}

/** An event of a kind that this version does not know any more is passed over. */
function readIfKnown(event: GossipEvent): HeardEvent | undefined {
  try {
    return readEvent(eventBytes(event));
  } catch {
    return undefined;
  }
}

/** One's own words, said twice within a tick, are one event. */
function passDuplicate(error: unknown): void {
  if (!(error instanceof DuplicateKey)) throw error;
}

/** A handshake opens the door for its own sender, and for an event that was said when the handshake was made. */
function refuseMisuse(event: HeardEvent, { sender, tick }: Handshake): void {
  if (event.sender !== sender)
    throw new Refusal('HANDSHAKE_MISUSED', 'The sender of the handshake is not that of the event.', {
      field: '/sender',
    });
  if (event.tick > tick || event.tick < tick - HANDSHAKE_TICKS)
    throw new Refusal(
      'STALE_HANDSHAKE',
      `The event is of tick ${event.tick}, its handshake of tick ${tick}.`,
      {
        field: '/tick',
        accepts: `tick ${tick - HANDSHAKE_TICKS} to ${tick}`,
      },
    );
}
