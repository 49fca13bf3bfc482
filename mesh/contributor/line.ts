import { type Asked, firstAsked } from '../decide/pace.ts';

type Waiting<T> = T & Asked & { readonly called: () => void };

/** Who waits for what this node has not enough of: seats, or memory. */
export class Line<T extends object> {
  #waiting: readonly Waiting<T>[] = [];

  /** @returns who is next of those that fit */
  next(fits: (waiting: T) => boolean = () => true): T | undefined {
    return firstAsked(this.#waiting.filter(fits));
  }

  count(fits: (waiting: T) => boolean = () => true): number {
    return this.#waiting.filter(fits).length;
  }

  /**
   * Resolves when it is called. @throws the reason of `signal` when it is aborted before
   * @param left called when somebody has gone uncalled
   */
  async wait(who: T & Asked, signal: AbortSignal, left: () => void = () => undefined): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#remove(waiting);
        reject(signal.reason);
        left();
      };
      const called = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting: Waiting<T> = { ...who, called };
      this.#waiting = [...this.#waiting, waiting];
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Calls whom `next` has named. */
  call(next: T): void {
    const waiting = this.#waiting.find((each) => each === next)!;
    this.#remove(waiting);
    waiting.called();
  }

  #remove(waiting: Waiting<T>): void {
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
  }
}
