import type { Delivery } from './delivery.ts';
import { attachmentsOf, type Frame, packWhole, unpack } from './frame.ts';
import { readParcel } from './messages.ts';

/**
 * Several results of one node in one message: its attachments are whole messages, each with its own id. What a node says
 * in one turn of its event loop so takes one signature and one place in the stream.
 */
export const packParcel = (frames: readonly Uint8Array[]): Uint8Array =>
  packWhole({ parcel: frames.length }, frames);

/** @returns the messages, undefined in the place of what is none; or undefined for what is no parcel */
export function messagesIn(frame: Frame): (Frame | undefined)[] | undefined {
  const header = readParcel(frame.header);
  const attachments = header && frame.parts.length === 0 ? attachmentsOf(frame) : undefined;
  return attachments?.length === header?.parcel ? attachments?.map(unpack) : undefined;
}

/** The answer to a delivery that brought several messages: given once, when all of them are settled. */
export class SharedAnswer {
  readonly #delivery: Delivery;
  #open: number;
  #retryMs: number | undefined;

  constructor(delivery: Delivery, messages: number) {
    this.#delivery = delivery;
    this.#open = messages;
  }

  /** How often it was delivered. */
  get count(): number {
    return this.#delivery.count;
  }

  /** One of them need not come again. */
  settle(): void {
    if (--this.#open > 0) return;
    if (this.#retryMs === undefined) this.#delivery.ack();
    else this.#delivery.retry(this.#retryMs);
  }

  /** One of them must come again after so long, and the others with it: that changes nothing of them. */
  retry(delayMs: number): void {
    this.#retryMs = Math.max(this.#retryMs ?? 0, delayMs);
    this.settle();
  }
}
