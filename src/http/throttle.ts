const WINDOW_MS = 60_000;
/** Addresses remembered at once; the oldest is forgotten first. */
const MAX_ADDRESSES = 10_000;

interface Window {
  readonly endsAt: number;
  count: number;
}

/** Counts failures by address in windows of a minute, so that keys cannot be guessed in a hurry. */
export class Throttle {
  readonly #most: number;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();

  /** `now` in milliseconds, monotonic. */
  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** Counts one failure. @returns seconds to wait when there were too many, else undefined */
  failed(address: string): number | undefined {
    const now = this.#now();
    const window = this.#window(address, now);
    window.count++;
    return window.count > this.#most ? Math.ceil((window.endsAt - now) / 1000) : undefined;
  }

  #window(address: string, now: number): Window {
    const known = this.#windows.get(address);
    if (known && known.endsAt > now) return known;
    this.#windows.delete(address); // a window that begins anew is the youngest
    const window = { endsAt: now + WINDOW_MS, count: 0 };
    this.#windows.set(address, window);
    if (this.#windows.size > MAX_ADDRESSES) this.#windows.delete(this.#windows.keys().next().value!);
    return window;
  }
}
