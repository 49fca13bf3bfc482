import { utf8 } from '../../src/proof/bytes.ts';
import type { Incoming } from './incoming.ts';

const [ack, working, term] = [utf8('+ACK'), utf8('+WPI'), utf8('+TERM')];

/**
 * A message of a consumer that wants an answer: without one in the consumer's time it is delivered again. The answers
 * are not answered: one that is lost costs a delivery more.
 */
export class Delivery {
  readonly subject: string;
  readonly data: Uint8Array;
  /** 1 for the first delivery. */
  readonly count: number;
  /** Messages that waited behind it. */
  readonly waiting: number;
  readonly #message: Incoming;
  readonly #answer: (data: Uint8Array) => void;

  constructor(message: Incoming, answer: (data: Uint8Array) => void) {
    this.subject = message.subject;
    this.data = message.data;
    this.count = numberIn(message.reply, 4) ?? 1;
    this.waiting = numberIn(message.reply, 8) ?? 0;
    this.#message = message;
    this.#answer = answer;
  }

  header(name: string): string {
    return this.#message.header(name);
  }

  ack(): void {
    this.#answer(ack);
  }

  /** Deliver it again, to somebody, after so long. */
  retry(delayMs: number): void {
    this.#answer(utf8(`-NAK ${JSON.stringify({ delay: delayMs * 1e6 })}`));
  }

  /** Still at it: the time to answer begins again. */
  working(): void {
    this.#answer(working);
  }

  /** Never deliver it again. */
  drop(): void {
    this.#answer(term);
  }
}

/**
 * $JS.ACK.stream.consumer.deliveries.sequence.sequence.time.waiting or, with the domain and the account,
 * $JS.ACK.domain.account.stream.…
 */
function numberIn(reply: string, place: number): number | undefined {
  const tokens = reply.split('.');
  const token = tokens[tokens.length > 9 ? place + 2 : place];
  return token === undefined ? undefined : Number(token);
}
