import { equalConstantTime, hmacKey, sha256 } from '#crypto';
import { Refusal } from '../../src/errors/refusal.ts';
import { fromHex, toHex, u64le, utf8 } from '../../src/proof/bytes.ts';
import type { HmacKey } from '../../src/proof/crypto-keys.ts';

/**
 * The header `x-node-handshake`: who sends an event, when, and which one. Its text is five words with a space between
 * each two:
 *
 *     v1 <sender> <tick> <SHA-256 of the body> <mac>
 *
 * mac = HMAC-SHA256(key, "SVC-HANDSHAKE-1\0" ‖ sender ‖ 0x00 ‖ u64 tick ‖ SHA-256 of the body), where key =
 * HMAC-SHA256(mesh secret, sender) is handed over when a node is admitted: so no node can speak for another, and only
 * service nodes, who hold the secret, can check. A header is good for about 120 ticks (93 s) and for its own event.
 */
export interface Handshake {
  /** Node id: an nkey, or the verifier key of a service node. */
  readonly sender: string;
  readonly tick: number;
  readonly bodySha256: Uint8Array;
  readonly mac: Uint8Array;
}

export const HANDSHAKE_HEADER = 'x-node-handshake';
/** Ticks that a header stays good for after it was made. */
export const HANDSHAKE_TICKS = 120;
/** Ticks (about 6 s) that a sender's clock may be ahead. */
export const CLOCK_AHEAD_TICKS = 8;

const tag = utf8('SVC-HANDSHAKE-1\0');
const zero = Uint8Array.of(0);
/** A sender is printable ASCII without a space, so that a header can carry it. */
const form = /^v1 ([!-~]{1,200}) (0|[1-9][0-9]{0,15}) ([0-9a-f]{64}) ([0-9a-f]{64})$/;

/** The 32 bytes that are handed to a node when it is admitted: its own key, and nobody else's. */
export function nodeHandshakeKey(meshSecret: HmacKey, node: string): Uint8Array {
  return meshSecret.mac(utf8(node));
}

function macOf(key: HmacKey, sender: string, tick: number, bodySha256: Uint8Array): Uint8Array {
  return key.mac(tag, utf8(sender), zero, u64le(tick), bodySha256);
}

/** The header for an event's bytes. `key`: what the node got when it was admitted. */
export function handshakeText(key: Uint8Array, sender: string, tick: number, body: Uint8Array): string {
  const bodySha256 = sha256(body);
  const mac = macOf(hmacKey(key), sender, tick, bodySha256);
  return `v1 ${sender} ${tick} ${toHex(bodySha256)} ${toHex(mac)}`;
}

/** @throws Refusal MISSING_HANDSHAKE · BAD_HANDSHAKE for what is not of this form */
export function readHandshake(text: string | undefined): Handshake {
  if (text === undefined || text === '')
    throw new Refusal('MISSING_HANDSHAKE', `Gossip needs the header ${HANDSHAKE_HEADER}.`, { accepts });
  const [, sender, tick, body, mac] = form.exec(text) ?? [];
  if (sender === undefined || !Number.isSafeInteger(Number(tick)))
    throw new Refusal('BAD_HANDSHAKE', `The header ${HANDSHAKE_HEADER} has another form.`, { accepts });
  return { sender, tick: Number(tick), bodySha256: fromHex(body!), mac: fromHex(mac!) };
}

const accepts = 'v1 <sender> <tick> <SHA-256 of the body> <HMAC-SHA256>';

/**
 * Reads a header and checks it against the body that it came with. The HMAC comes first: who has no key learns nothing
 * else.
 *
 * @throws Refusal MISSING_HANDSHAKE · BAD_HANDSHAKE · STALE_HANDSHAKE · HANDSHAKE_MISUSED
 */
export function checkedHandshake(
  text: string | undefined,
  body: Uint8Array,
  meshSecret: HmacKey,
  nowTick: number,
): Handshake {
  const handshake = readHandshake(text);
  const { sender, tick, bodySha256, mac } = handshake;
  const key = hmacKey(nodeHandshakeKey(meshSecret, sender));
  if (!equalConstantTime(mac, macOf(key, sender, tick, bodySha256)))
    throw new Refusal('BAD_HANDSHAKE', 'The HMAC of the handshake is not that of its sender in this mesh.');
  if (tick < nowTick - HANDSHAKE_TICKS || tick > nowTick + CLOCK_AHEAD_TICKS)
    throw new Refusal('STALE_HANDSHAKE', `The handshake is of tick ${tick}; it is tick ${nowTick} here.`, {
      accepts: `tick ${nowTick - HANDSHAKE_TICKS} to ${nowTick + CLOCK_AHEAD_TICKS}`,
    });
  if (!equalConstantTime(bodySha256, sha256(body)))
    throw new Refusal(
      'HANDSHAKE_MISUSED',
      'The handshake was made for another event than the one it came with.',
    );
  return handshake;
}

const MOST_SEEN = 16_384;

/**
 * Handshakes that were used: the quick refusal of a replay. It forgets the oldest when it is full; the store, where an
 * event stands once, refuses those too.
 */
export class SeenHandshakes {
  readonly #most: number;
  /** In the order in which they came; the value is the tick. */
  readonly #seen = new Map<string, number>();

  constructor(most: number = MOST_SEEN) {
    this.#most = most;
  }

  get size(): number {
    return this.#seen.size;
  }

  has({ mac }: Handshake): boolean {
    return this.#seen.has(toHex(mac));
  }

  add({ mac, tick }: Handshake, nowTick: number): void {
    for (const [oldest, oldTick] of this.#seen) {
      if (this.#seen.size < this.#most && oldTick >= nowTick - HANDSHAKE_TICKS) break;
      this.#seen.delete(oldest);
    }
    this.#seen.set(toHex(mac), tick);
  }
}
