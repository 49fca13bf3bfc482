import { setTimeout as sleep } from 'node:timers/promises';

/** Waits longer each time, by a random part so that many nodes do not come back at once, until patience is over. */
export class Backoff {
  readonly #endsAt: number;
  #waitMs: number;

  constructor(patienceMs: number, firstMs = 100) {
    this.#endsAt = performance.now() + patienceMs;
    this.#waitMs = firstMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  async wait(signal?: AbortSignal): Promise<void> {
    const ms = this.#waitMs * (0.5 + Math.random());
    this.#waitMs = Math.min(LONGEST_MS, 2 * this.#waitMs);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}

const LONGEST_MS = 4000;
