import { sha256, verifySignature } from '#crypto';
import { printable } from '../../src/errors/printable.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import { fromBase64, textOf, toBase64, toHex, utf8 } from '../../src/proof/bytes.ts';
import { canonicalBytes, canonicalText } from '../../src/proof/canonical.ts';
import { base64, count, record, type Shape, string } from '../../src/proof/shape.ts';
import { parseStrictJson } from '../../src/proof/strict-json.ts';
import type { Identity } from '../nats/nkey.ts';
import { kindNames, kindOf, mayTell } from './kinds.ts';
import type { Told } from './merge.ts';
import { type Sender, senderOf } from './sender.ts';

/**
 * An event of the gossip: canonical JSON (RFC 8785) with these members and no others. Its id is SHA-256 over
 * "SVC-GOSSIP-1\0" ‖ the canonical JSON without `signature`; the sender's Ed25519 key signs the 32 bytes of the id.
 */
export interface GossipEvent {
  readonly kind: string;
  readonly sender: string;
  /** When it was said, in ticks of the pulse. */
  readonly tick: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Base 64. */
  readonly signature: string;
}

/** An event that was read and, unless it is one's own, checked. */
export interface HeardEvent extends GossipEvent, Told {}

export const MOST_EVENT_BYTES = 8192;

const tag = utf8('SVC-GOSSIP-1\0');

function idBytes({ kind, sender, tick, body }: Omit<GossipEvent, 'signature'>): Uint8Array {
  return sha256(tag, canonicalBytes({ kind, sender, tick, body }));
}

/** Says something in one's own name. @throws Refusal INVALID_INPUT for a body that the kind does not take */
export function signedEvent(
  identity: Identity,
  kind: string,
  body: Readonly<Record<string, unknown>>,
  tick: number,
): HeardEvent {
  const said = { kind, sender: identity.id, tick, body };
  const id = idBytes(said);
  const event = { ...said, signature: toBase64(identity.sign(id)) };
  return { ...event, id: toHex(id), subject: subjectOf(event) };
}

export function eventBytes({ kind, sender, tick, body, signature }: GossipEvent): Uint8Array {
  return canonicalBytes({ kind, sender, tick, body, signature });
}

const isMember: Shape = () => undefined;
const members = record({ kind: string, sender: string, tick: count, body: isMember, signature: base64 });

/**
 * Reads the bytes of an event: their length first, then their form. Who sent it is not known yet.
 *
 * @throws Refusal PAYLOAD_TOO_LARGE · INVALID_INPUT
 */
export function readEvent(bytes: Uint8Array): HeardEvent {
  refuseLong(bytes);
  const value = canonicalValue(bytes);
  members(value, '');
  const event = value as GossipEvent;
  return { ...event, subject: subjectOf(event), id: toHex(idBytes(event)) };
}

export function refuseLong(bytes: Uint8Array): void {
  if (bytes.length <= MOST_EVENT_BYTES) return;
  throw new Refusal('PAYLOAD_TOO_LARGE', `An event of the gossip has at most ${MOST_EVENT_BYTES} bytes.`, {
    accepts: MOST_EVENT_BYTES,
  });
}

function canonicalValue(bytes: Uint8Array): unknown {
  try {
    const text = textOf(bytes);
    const value = parseStrictJson(text);
    if (canonicalText(value) === text) return value;
  } catch {
    // what was wrong would repeat what the caller sent
  }
  throw new Refusal('INVALID_INPUT', 'An event of the gossip is canonical JSON (RFC 8785).', {
    accepts: 'canonical JSON',
  });
}

function subjectOf({ kind, sender, tick, body }: GossipEvent): string {
  const row = kindOf(kind);
  if (!row)
    throw new Refusal('INVALID_INPUT', `There is no gossip of the kind ${printable(kind)}.`, {
      field: '/kind',
      accepts: kindNames,
    });
  row.shape(body, '/body');
  return row.subject(body, sender, tick);
}

/**
 * Who signed the event, and was allowed to say it.
 *
 * @throws Refusal UNKNOWN_SENDER where the id is no key · BAD_SIGNATURE · FORBIDDEN for what others may say
 */
export function checkedSender(event: HeardEvent): Sender {
  const sender = senderOf(event.sender);
  if (!sender) throw unknownSender(event.sender);
  if (!verifySignature(sender.publicKey, idBytes(event), fromBase64(event.signature)))
    throw new Refusal('BAD_SIGNATURE', 'The signature of the event is not that of its sender.');
  if (!mayTell(kindOf(event.kind)!, sender, event.body))
    throw new Refusal('FORBIDDEN', `A ${sender.role} does not say this about itself or others.`, {
      field: '/kind',
    });
  return sender;
}

export const unknownSender = (sender: string): Refusal =>
  new Refusal('UNKNOWN_SENDER', `${printable(sender)} is no node of this mesh.`, { field: '/sender' });
