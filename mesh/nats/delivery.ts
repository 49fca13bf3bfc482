import { utf8 } from '../../src/proof/bytes.ts';
import type { Incoming } from './bus.ts';

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
  readonly #message: Incoming;
  readonly #answer: (data: Uint8Array) => void;

  constructor(message: Incoming, answer: (data: Uint8Array) => void) {
    this.subject = message.subject;
    this.data = message.data;
    this.count = deliveriesIn(message.reply);
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

/** $JS.ACK.stream.consumer.deliveries.… or, with the domain and the account, $JS.ACK.domain.account.stream.… */
function deliveriesIn(reply: string): number {
  const tokens = reply.split('.');
  return Number(tokens[tokens.length > 9 ? 6 : 4] ?? 1);
}
