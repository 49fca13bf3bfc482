import type { Asked } from '../decide/pace.ts';
import { Line } from './line.ts';

/** The memory that the owner lets all work together take. Checks wait for it in their order; a new run never does. */
export class Room {
  #free: number;
  readonly #line = new Line<{ readonly bytes: number }>();

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** What a new run may take: nothing while a check waits. */
  get free(): number {
    return this.#line.count() > 0 ? 0 : this.#free;
  }

  /** Takes what `free` has promised. */
  take(bytes: number): void {
    this.#free -= bytes;
  }

  /** Resolves once so much is taken. @throws the reason of `signal` when it is aborted before */
  async wait(bytes: number, { run, fence }: Asked, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (bytes <= this.free) return this.take(bytes);
    await this.#line.wait({ bytes, run, fence }, signal, () => this.#next());
  }

  give(bytes: number): void {
    this.#free += bytes;
    this.#next();
  }

  /** The first one waits for as much as it needs, and nobody overtakes it. */
  #next(): void {
    const first = this.#line.next();
    if (!first || first.bytes > this.#free) return;
    this.#free -= first.bytes;
    this.#line.call(first);
    this.#next();
  }
}
