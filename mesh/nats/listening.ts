import { TICK_NS } from '../../src/clock/pulse.ts';
import type { Bus } from './bus.ts';

/** So long without an answer of the server is a gap: what nodes said meanwhile may be lost. */
const GAP_NS = 3n * TICK_NS;
const PROBE_MS = Number(TICK_NS / 1_000_000n);

/**
 * Since when this service node hears what nodes say, without a gap: whoever was silent before may have spoken. The
 * server is asked once a tick, because a connection that is dead looks alive for seconds; a process that stood still
 * itself has heard nobody either.
 */
export class Listening {
  readonly #bus: Pick<Bus, 'flush' | 'isConnected'>;
  readonly #now: () => bigint;
  readonly #timer: NodeJS.Timeout;
  #sinceNs: bigint;
  #heardNs: bigint;
  #isAsking = false;

  constructor(bus: Pick<Bus, 'flush' | 'isConnected'>, now: () => bigint) {
    this.#bus = bus;
    this.#now = now;
    this.#sinceNs = now();
    this.#heardNs = this.#sinceNs;
    this.#timer = setInterval(() => void this.probe(), PROBE_MS);
    this.#timer.unref();
  }

  /** Unix ns; this very moment while nothing is heard. */
  get since(): bigint {
    const now = this.#now();
    return !this.#bus.isConnected || now - this.#heardNs > GAP_NS ? now : this.#sinceNs;
  }

  /** The connection is there again. */
  resumed(): void {
    this.#sinceNs = this.#now();
  }

  /** Asks the server whether it is there. */
  async probe(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const isThere = await this.#bus.flush().then(
      () => true,
      () => false,
    );
    this.#isAsking = false;
    if (!isThere) return;
    const now = this.#now();
    if (now - this.#heardNs > GAP_NS) this.#sinceNs = now;
    this.#heardNs = now;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
