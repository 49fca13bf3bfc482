import { textOf } from '../../src/proof/bytes.ts';
import type { Presence } from '../front.ts';
import { buckets } from '../subjects.ts';
import type { Bus } from './bus.ts';
import type { Incoming } from './incoming.ts';
import { readPresence } from './messages.ts';
import { isFrom, SIGNATURE } from './signature.ts';
import { PRESENCE_SECONDS } from './streams.ts';

interface Seen {
  readonly presence: Presence;
  readonly signature: string;
  readonly atMs: number;
}

const subjectOf = (node: string) => `$KV.${buckets.nodes}.${node}`;
const nodeIn = (subject: string) => subject.split('.')[2] ?? '';

/** Who is there: the bucket of nodes as this service node hears it. A node that is not in it is unknown, not dead. */
export class Presences {
  readonly #seen = new Map<string, Seen>();
  readonly #stop: () => void;

  private constructor(bus: Bus) {
    this.#stop = bus.subscribe(subjectOf('*'), (message) => this.#heard(message.subject, message));
  }

  /** Begins with what is in the bucket now. */
  static async open(bus: Bus): Promise<Presences> {
    const presences = new Presences(bus);
    const all = { batch: MOST, multi_last: [subjectOf('>')] };
    for (const message of await bus.directGet(`KV_${buckets.nodes}`, all))
      presences.#heard(message.header('Nats-Subject'), message);
    return presences;
  }

  list(): ReadonlyMap<string, Presence> {
    const oldest = performance.now() - PRESENCE_SECONDS * 1000;
    for (const [node, { atMs }] of this.#seen) if (atMs < oldest) this.#seen.delete(node);
    return new Map([...this.#seen].map(([node, { presence }]) => [node, presence]));
  }

  forget(node: string): void {
    this.#seen.delete(node);
  }

  close(): void {
    this.#stop();
  }

  /** The same words under the same signature need no second look at it. */
  #heard(subject: string, message: Incoming): void {
    const node = nodeIn(subject);
    const before = this.#seen.get(node);
    const signature = message.header(SIGNATURE);
    const isKnown = before?.signature === signature && signature !== '';
    const presence = presenceIn(message.data);
    if (!presence) return;
    const isSame = isKnown && JSON.stringify(presence) === JSON.stringify(before?.presence);
    if (!isSame && !isFrom(node, subject, message)) return;
    this.#seen.set(node, { presence, signature, atMs: performance.now() });
  }
}

const MOST = 1024;

function presenceIn(data: Uint8Array): Presence | undefined {
  if (data.length > 1024) return undefined;
  try {
    return readPresence(JSON.parse(textOf(data)));
  } catch {
    return undefined;
  }
}
