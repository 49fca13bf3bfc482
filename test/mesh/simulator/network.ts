import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export interface NetworkFaults {
  /** Chances that a message is lost, comes twice, or takes seconds. */
  readonly loss: number;
  readonly repeats: number;
  readonly straggles: number;
  /** Milliseconds between partitions, on average. */
  readonly partitionEveryMs: number;
}

export const faultless: NetworkFaults = {
  ...{ loss: 0, repeats: 0, straggles: 0, partitionEveryMs: Number.POSITIVE_INFINITY },
};

export const isFaultless = ({ loss, repeats, straggles, partitionEveryMs }: NetworkFaults): boolean =>
  loss + repeats + straggles === 0 && partitionEveryMs === Number.POSITIVE_INFINITY;

/** Carries messages between names: late, in another order, twice or never, and parts them for a while. */
export class Network {
  readonly #clock: Clock;
  readonly #random: Random;
  #faults: NetworkFaults;
  #cut: ReadonlySet<string> = new Set();

  constructor(clock: Clock, random: Random, faults: NetworkFaults) {
    this.#clock = clock;
    this.#random = random;
    this.#faults = faults;
  }

  /** From now on it carries every message, once, soon. */
  heal(): void {
    this.#faults = faultless;
    this.#cut = new Set();
  }

  /** Those names hear only each other, and nobody else hears them. */
  part(names: readonly string[]): void {
    this.#cut = new Set(names);
  }

  get partitionEveryMs(): number {
    return this.#faults.partitionEveryMs;
  }

  carry(from: string, to: string, deliver: () => void): void {
    const { loss, repeats } = this.#faults;
    if (this.#cut.size > 0 && this.#cut.has(from) !== this.#cut.has(to)) return;
    if (!this.#random.chance(loss)) this.#clock.after(this.#delayMs(), deliver);
    if (this.#random.chance(repeats)) this.#clock.after(this.#delayMs(), deliver);
  }

  #delayMs(): number {
    const { straggles } = this.#faults;
    return this.#random.chance(straggles) ? this.#random.between(500, 8000) : this.#random.between(1, 30);
  }
}
