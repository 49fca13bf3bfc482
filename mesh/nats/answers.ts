import type { Digest } from '../../src/proof/job.ts';
import type { Front } from '../front.ts';
import { subjects } from '../subjects.ts';
import { AskedOnce } from './asked-once.ts';
import type { Bus } from './bus.ts';
import { ByteCache } from './byte-cache.ts';
import { PART_BYTES, packWhole, unpack } from './frame.ts';
import type { Incoming } from './incoming.ts';
import { type Answer, type Ask, readAsk } from './messages.ts';
import type { Identity } from './nkey.ts';
import { isFrom, signature } from './signature.ts';

type Answered = readonly [answer: Answer, attachment?: Uint8Array];

/** Questions of one node that are being answered at once. */
const MOST_AT_ONCE = 32;
/** Leases that are remembered, so that who asks again after a lost answer hears the same. */
const LEASES_KEPT = 4096;
/** All service nodes listen in one group: each question goes to one of them. */
const GROUP = 'service';

export interface AnswersParts {
  readonly bus: Bus;
  readonly identity: Identity;
  readonly front: Front;
  readonly now: () => bigint;
  readonly onError: (error: unknown) => void;
}

/** Answers what nodes ask: nothing is looked at before the signature was checked, every answer is signed. */
export class Answers {
  readonly #bus: Bus;
  readonly #identity: Identity;
  readonly #front: Front;
  readonly #onError: (error: unknown) => void;
  readonly #asking = new Map<string, number>();
  readonly #leases = new Map<string, Promise<Answered>>();
  readonly #cache = new ByteCache();
  readonly #once: AskedOnce;
  readonly #nowMs: () => number;
  readonly #stop: () => void;

  constructor({ bus, identity, front, now, onError }: AnswersParts) {
    this.#bus = bus;
    this.#identity = identity;
    this.#front = front;
    this.#onError = onError;
    this.#nowMs = () => Number(now() / 1_000_000n);
    this.#once = new AskedOnce(this.#nowMs);
    this.#stop = bus.subscribe(subjects.ask('*'), (message) => this.#asked(message), GROUP);
  }

  close(): void {
    this.#stop();
  }

  #asked(message: Incoming): void {
    const node = message.subject.split('.')[2] ?? '';
    if (message.reply === '' || !isFrom(node, message.subject, message)) return;
    void this.#answered(node, message.data).then((answered) => this.#reply(message, answered));
  }

  async #answered(node: string, data: Uint8Array): Promise<Answered> {
    const frame = unpack(data);
    const ask = frame && readAsk(frame.header);
    if (!ask) return [{ answer: 'unreadable' }];
    if (!this.#once.isNew(node, `${ask.id}/${ask.attempt}`, ask.at))
      return [{ answer: 'late', now: this.#nowMs() }];
    const asking = this.#asking.get(node) ?? 0;
    if (asking >= MOST_AT_ONCE) return [{ answer: 'busy' }];
    this.#asking.set(node, asking + 1);
    try {
      const before = await this.#askedBefore(node, ask);
      // Whoever recorded it, from another service node too; a node whose clock was set back goes by this one.
      if (before >= ask.at) return [{ answer: 'late', now: before + 1 }];
      return await this.#answer(node, ask);
    } catch (error) {
      this.#onError(error);
      return [{ answer: 'busy' }];
    } finally {
      this.#leave(node);
    }
  }

  /** What changes nothing, or nothing more when it is said again, need not be written down. */
  async #askedBefore(node: string, ask: Ask): Promise<number> {
    const isSign = ask.ask === 'alive' && ask.holding.length > 0;
    return isSign || ask.ask === 'lease' ? this.#front.asked(node, ask.ask, ask.at) : 0;
  }

  #leave(node: string): void {
    const asking = this.#asking.get(node)! - 1;
    if (asking > 0) this.#asking.set(node, asking);
    else this.#asking.delete(node);
  }

  #reply({ reply }: Incoming, [answer, attachment]: Answered): void {
    const data = packWhole(answer, attachment ? [attachment] : []);
    this.#bus.publish(reply, data, { headers: signature(this.#identity, reply, data) });
  }

  async #answer(node: string, ask: Ask): Promise<Answered> {
    switch (ask.ask) {
      case 'lease':
        return this.#lease(node, ask);
      case 'alive': {
        const { mode, lost } = await this.#front.alive(node, ask.holding);
        return [{ answer: 'alive', mode, lost: [...lost] }];
      }
      case 'release':
        await this.#front.release(node, ask.holding, ask.failed);
        return [{ answer: 'release' }];
      case 'bytes':
        return this.#bytes(node, ask.run, ask.sha256, ask.offset);
    }
  }

  /** Asked twice, a lease would be refused the second time because the first has it. */
  #lease(node: string, { id, runs }: Extract<Ask, { ask: 'lease' }>): Promise<Answered> {
    const key = `${node}/${id}`;
    const known = this.#leases.get(key);
    if (known) return known;
    const answered = this.#front
      .leases(node, runs)
      .then((leases): Answered => [{ answer: 'lease', leases: [...leases] }]);
    this.#leases.set(key, answered);
    answered.catch(() => this.#leases.delete(key));
    if (this.#leases.size > LEASES_KEPT) this.#leases.delete(this.#leases.keys().next().value!);
    return answered;
  }

  async #bytes(node: string, run: string, sha256: Digest, offset: number): Promise<Answered> {
    const key = `${node}/${run}/${sha256}`;
    const bytes = await this.#cache.take(key, () => this.#front.bytesFor(node, run, sha256));
    if (!bytes || offset > bytes.length) return [{ answer: 'none' }];
    return [{ answer: 'bytes', total: bytes.length }, bytes.subarray(offset, offset + PART_BYTES)];
  }
}
