import type { FastifyReply } from 'fastify';
import type { InFlightLimits } from './in-flight.ts';

export const eventStreams: InFlightLimits = {
  ofAccount: 32,
  ofNode: 1024,
  what: 'event streams open',
  retryAfter: 10,
};

/** So often a stream shows that it lives. */
export const HEARTBEAT_MS = 15_000;
/** A reader that has taken nothing for so long is gone; heartbeats fill what its connection still holds. */
const STALLED_MS = 60_000;

/**
 * Sends states of which only the newest counts. While the connection takes nothing only the newest state is kept, so
 * a reader that never reads costs one state and what its connection holds, and after a minute it is cut off.
 */
export class NewestState<State> {
  readonly #reply: FastifyReply;
  readonly #event: string;
  readonly #stalling: NodeJS.Timeout;
  #waiting: State | undefined;
  #wasFull = false;

  constructor(reply: FastifyReply, event: string) {
    const { raw } = reply;
    this.#reply = reply;
    this.#event = event;
    this.#stalling = setInterval(() => this.cutIfStalled(), STALLED_MS).unref();
    raw.on('drain', () => {
      this.#wasFull = false;
      this.#send();
    });
    raw.once('close', () => clearInterval(this.#stalling));
  }

  /** Cuts off a reader that has taken nothing since it was last looked at. */
  cutIfStalled(): void {
    const { raw } = this.#reply;
    if (this.#wasFull && raw.writableNeedDrain) raw.destroy();
    this.#wasFull = raw.writableNeedDrain;
  }

  show(state: State): void {
    this.#waiting = state;
    this.#send();
  }

  #send(): void {
    const { raw, sse } = this.#reply;
    const data = this.#waiting;
    if (data === undefined || !sse.isConnected || raw.writableNeedDrain) return;
    this.#waiting = undefined;
    sse.send({ event: this.#event, data }).catch(() => undefined);
  }
}
