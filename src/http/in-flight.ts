import type { FastifyReply } from 'fastify';
import { Refusal } from '../errors/refusal.ts';

/** What is counted, for the sentence of a refusal, and how much of it may go on at once. */
export interface InFlightLimits {
  readonly ofAccount: number;
  readonly ofNode: number;
  /** Such as `event streams open`. */
  readonly what: string;
  readonly retryAfter: number;
}

/** Counts responses that go on, by account and in all, so that one account cannot take what is there for all. */
export class InFlight {
  readonly #limits: InFlightLimits;
  readonly #accounts = new Map<string, number>();
  #all = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  get all(): number {
    return this.#all;
  }

  /**
   * Counts until the response is over, whoever ends it; where there is no key, an address stands for the account.
   * @throws Refusal RATE_LIMITED · OVERLOADED
   */
  enter(account: string, reply: FastifyReply): void {
    const { ofAccount, ofNode, what, retryAfter } = this.#limits;
    const own = this.#accounts.get(account) ?? 0;
    if (own >= ofAccount)
      throw new Refusal('RATE_LIMITED', `This caller has ${own} ${what}, as many as it may.`, {
        retryAfter,
      });
    if (this.#all >= ofNode)
      throw new Refusal('OVERLOADED', `This node has ${this.#all} ${what}, as many as it may.`, {
        retryAfter,
      });
    this.#accounts.set(account, own + 1);
    this.#all++;
    let isOver = false;
    const leave = () => {
      if (!isOver) this.#leave(account);
      isOver = true;
    };
    reply.raw.once('finish', leave);
    reply.raw.once('close', leave);
  }

  #leave(account: string): void {
    this.#all--;
    const left = this.#accounts.get(account)! - 1;
    if (left > 0) this.#accounts.set(account, left);
    else this.#accounts.delete(account);
  }
}
