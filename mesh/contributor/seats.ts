import type { Asked } from '../decide/pace.ts';
import { Line } from './line.ts';

/**
 * So many runs at once as the owner allows. A run that was fetched for a seat that is about to be free takes that; then
 * come checks, then runs that made way for one, then new runs: a run gives its seat up between two spans, and whoever
 * waits longest of the first kind takes it, of the checks of one run the one that was asked for first.
 */
export type Turn = 'next' | 'check' | 'resumed';

const turns: readonly Turn[] = ['next', 'check', 'resumed'];

export class Seats {
  #free: number;
  readonly #line = new Line<{ readonly turn: Turn }>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Seats that a new run may take: none while anybody waits, who gets what is given up. */
  get free(): number {
    return this.#free;
  }

  get checksWait(): boolean {
    return this.waiting('check') > 0;
  }

  waiting(turn: Turn): number {
    return this.#line.count((each) => each.turn === turn);
  }

  /** Takes a seat that `free` has promised. */
  take(): void {
    this.#free--;
  }

  /** Resolves with a seat. @throws the reason of `signal` when it is aborted before */
  async wait(turn: Turn, { run, fence }: Asked, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.free > 0) return this.take();
    await this.#line.wait({ turn, run, fence }, signal);
  }

  give(): void {
    const inTurn = turns.map((turn) => this.#line.next((each) => each.turn === turn));
    const first = inTurn.find((waiting) => waiting !== undefined);
    if (first) this.#line.call(first);
    else this.#free++;
  }
}
