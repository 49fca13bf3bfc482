/**
 * So many runs at once as the owner allows. Checks come first, then runs that made way for one, then new runs: a run
 * gives its seat up between two spans, and whoever waits longest of the first kind takes it.
 */
export type Turn = 'check' | 'resumed';

interface Waiting {
  readonly turn: Turn;
  readonly seated: () => void;
}

export class Seats {
  #free: number;
  #waiting: Waiting[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Seats that a new run may take: none while anybody waits. */
  get free(): number {
    return this.#waiting.length > 0 ? 0 : this.#free;
  }

  get checksWait(): boolean {
    return this.#waiting.some(({ turn }) => turn === 'check');
  }

  /** Takes a seat that `free` has promised. */
  take(): void {
    this.#free--;
  }

  /** Resolves with a seat. @throws the reason of `signal` when it is aborted before */
  async wait(turn: Turn, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.free > 0) return this.take();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(signal.reason);
      };
      const seated = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting: Waiting = { turn, seated };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  give(): void {
    const first = this.#waiting.find(({ turn }) => turn === 'check') ?? this.#waiting[0];
    if (!first) {
      this.#free++;
      return;
    }
    this.#waiting = this.#waiting.filter((each) => each !== first);
    first.seated();
  }
}
