/**
 * So many runs at once as the owner allows. A run that was fetched for a seat that is about to be free takes that; then
 * come checks, then runs that made way for one, then new runs: a run gives its seat up between two spans, and whoever
 * waits longest of the first kind takes it.
 */
export type Turn = 'next' | 'check' | 'resumed';

const turns: readonly Turn[] = ['next', 'check', 'resumed'];

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
    return this.waiting('check') > 0;
  }

  waiting(turn: Turn): number {
    return this.#waiting.filter((each) => each.turn === turn).length;
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
    const inTurn = turns.map((turn) => this.#waiting.find((each) => each.turn === turn));
    const first = inTurn.find((waiting) => waiting !== undefined);
    if (!first) {
      this.#free++;
      return;
    }
    this.#waiting = this.#waiting.filter((each) => each !== first);
    first.seated();
  }
}
