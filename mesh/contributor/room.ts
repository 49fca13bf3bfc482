interface Waiting {
  readonly bytes: number;
  readonly taken: () => void;
}

/** The memory that the owner lets all work together take. Checks wait for it in their order; a run never does. */
export class Room {
  #free: number;
  #waiting: readonly Waiting[] = [];

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** What a new run may take: nothing while a check waits. */
  get free(): number {
    return this.#waiting.length > 0 ? 0 : this.#free;
  }

  /** Takes what `free` has promised. */
  take(bytes: number): void {
    this.#free -= bytes;
  }

  /** Resolves once so much is taken. @throws the reason of `signal` when it is aborted before */
  async wait(bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (bytes <= this.free) return this.take(bytes);
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        reject(signal.reason);
        this.#next();
      };
      const taken = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting: Waiting = { bytes, taken };
      this.#waiting = [...this.#waiting, waiting];
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  give(bytes: number): void {
    this.#free += bytes;
    this.#next();
  }

  /** The first one waits for as much as it needs, and nobody overtakes it. */
  #next(): void {
    const [first, ...others] = this.#waiting;
    if (!first || first.bytes > this.#free) return;
    this.#waiting = others;
    this.#free -= first.bytes;
    first.taken();
    this.#next();
  }
}
