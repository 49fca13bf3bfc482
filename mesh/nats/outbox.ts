import { parcels, subjects } from '../subjects.ts';
import { messageId } from './asker.ts';
import type { Bus } from './bus.ts';
import type { Identity } from './nkey.ts';
import { packParcel } from './parcel.ts';
import { signature } from './signature.ts';

/** Of messages that go together; one that is larger goes alone. */
const PARCEL_BYTES = 32 * 1024;
const COMMITMENT_BYTES = 1024;

interface Outgoing {
  readonly run: string;
  readonly frame: Uint8Array;
  /** The stream takes another message of the same id for this one. */
  readonly id: string;
  /** Not with others: what is said again may be meant for a service node of before 0.4.0, which knows no parcels. */
  readonly isAlone: boolean;
  readonly sent: () => void;
  readonly failed: (error: unknown) => void;
}

/** Puts results of a node into the stream: what is said in one turn of the event loop goes together, signed once. */
export class Outbox {
  readonly #bus: Bus;
  readonly #identity: Identity;
  #waiting: Outgoing[] = [];

  constructor(bus: Bus, identity: Identity) {
    this.#bus = bus;
    this.#identity = identity;
  }

  /** @returns once the stream has it. @throws BusError `full` where the stream takes no more */
  send(message: Omit<Outgoing, 'sent' | 'failed'>): Promise<void> {
    return new Promise((sent, failed) => {
      if (this.#waiting.push({ ...message, sent, failed }) === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const together of grouped(waiting)) void this.#publish(together);
  }

  async #publish(together: readonly Outgoing[]): Promise<void> {
    try {
      await this.#persist(together);
      for (const { sent } of together) sent();
    } catch (error) {
      for (const { failed } of together) failed(error);
    }
  }

  async #persist(together: readonly Outgoing[]): Promise<void> {
    const [first] = together as [Outgoing];
    const isAlone = together.length === 1;
    const subject = subjects.results(isAlone ? first.run : parcels, this.#identity.id);
    const data = isAlone ? first.frame : packParcel(together.map(({ frame }) => frame));
    const headers = signature(this.#identity, subject, data);
    await this.#bus.persist(subject, data, { id: isAlone ? first.id : messageId(), headers });
  }
}

/** The commitment behind a claim goes with it: where it came first it would come too early. */
const isBehind = (before: Outgoing, { run, frame, isAlone }: Outgoing): boolean =>
  before.run === run && !before.isAlone && !isAlone && frame.length < COMMITMENT_BYTES;

/** In the order in which they were said. */
function grouped(waiting: readonly Outgoing[]): Outgoing[][] {
  const groups: Outgoing[][] = [];
  let room = 0;
  for (const each of waiting) {
    const size = each.isAlone ? PARCEL_BYTES : each.frame.length;
    if (groups.length === 0 || (size > room && !isBehind(groups.at(-1)!.at(-1)!, each))) {
      groups.push([]);
      room = PARCEL_BYTES;
    }
    groups.at(-1)!.push(each);
    room -= size;
  }
  return groups;
}
