import { randomBytes } from 'node:crypto';
import { refuse } from '../../src/errors/refusal.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { subjects } from '../subjects.ts';
import { Backoff } from './backoff.ts';
import type { Bus } from './bus.ts';
import { BusError } from './bus-error.ts';
import { packWhole, unpack } from './frame.ts';
import type { Incoming } from './incoming.ts';
import { type Answer, type Ask, readAnswer } from './messages.ts';
import type { Identity } from './nkey.ts';
import { isFrom, signature } from './signature.ts';

type Asked<Kind> = Extract<Ask, { ask: Kind }>;
type Answered<Kind> = Extract<Answer, { answer: Kind }>;
type Unsent<Kind> = Omit<Asked<Kind>, 'id' | 'attempt' | 'at' | 'ask'>;

/** An answer with what came attached to it. */
export type AnswerWith<Kind> = Answered<Kind> & { readonly attachment?: Uint8Array };

export const messageId = (): string => toHex(new Uint8Array(randomBytes(12)));

const ANSWER_MS = 3000;

/** Asks any service node, again until one answers. An answer counts only with the service's signature on it. */
export class Asker {
  readonly #bus: Bus;
  readonly #identity: Identity;
  readonly #service: string;
  /** The service's clock less this one, once it has said that they differ. */
  #aheadMs = 0;
  /** When this node asked last, as it said. */
  #askedMs = 0;

  constructor(bus: Bus, identity: Identity, service: string) {
    this.#bus = bus;
    this.#identity = identity;
    this.#service = service;
  }

  /** @throws Refusal MESH_UNAVAILABLE when nobody answered within `patienceMs` */
  async ask<Kind extends Ask['ask']>(
    kind: Kind,
    question: Unsent<Kind>,
    patienceMs: number,
  ): Promise<AnswerWith<Kind> | AnswerWith<'none'>> {
    const id = messageId();
    const backoff = new Backoff(patienceMs);
    for (let attempt = 0; ; attempt++) {
      const at = this.#later();
      const answer = await this.#once(packWhole({ ask: kind, id, attempt, at, ...question }));
      if (answer?.answer === kind || answer?.answer === 'none') return answer as AnswerWith<Kind>;
      if (answer?.answer === 'unreadable')
        refuse('UNSUPPORTED', `The service does not understand what this node asks: ${kind}.`);
      if (answer?.answer === 'late') this.#goBy(answer.now);
      if (backoff.isOver || this.#bus.isClosed)
        refuse('MESH_UNAVAILABLE', 'No service node of the mesh answers.');
      await backoff.wait();
    }
  }

  /** Each question is later than the one before, whatever the clock does. */
  #later(): number {
    this.#askedMs = Math.max(Date.now() + this.#aheadMs, this.#askedMs + 1);
    return this.#askedMs;
  }

  #goBy(serviceMs: number): void {
    this.#aheadMs = serviceMs - Date.now();
    this.#askedMs = serviceMs - 1;
  }

  async #once(message: Uint8Array): Promise<(Answer & { attachment?: Uint8Array }) | undefined> {
    const subject = subjects.ask(this.#identity.id);
    const headers = signature(this.#identity, subject, message);
    try {
      return this.#read(await this.#bus.request(subject, message, { headers, timeoutMs: ANSWER_MS }));
    } catch (error) {
      if (error instanceof BusError) return undefined;
      throw error;
    }
  }

  #read(reply: Incoming): (Answer & { attachment?: Uint8Array }) | undefined {
    if (!isFrom(this.#service, reply.subject, reply)) return undefined;
    const frame = unpack(reply.data);
    const answer = frame && readAnswer(frame.header);
    return answer && { ...answer, attachment: frame.body };
  }
}
