import { Refusal } from '../errors/refusal.ts';
import type { Contribution } from './contribution.ts';
import type { Notice } from './contribution-view.ts';

export interface ReadmissionParts {
  readonly contribution: Pick<Contribution, 'state' | 'switchTo'>;
  /** Passes the self-test again. */
  readonly admit: () => Promise<unknown>;
  readonly say: (notice: Notice, line: string) => void;
}

/**
 * A node leaves when any process with its key does, and is idle then wherever else it is. Such a process says so and is
 * admitted again; it stays idle, for whoever ended the other may have meant this one too.
 */
export class Readmission {
  readonly #parts: ReadmissionParts;
  #looking: Promise<void> | undefined;
  #isOver = false;
  #isSaid = false;

  constructor(parts: ReadmissionParts) {
    this.#parts = parts;
  }

  /** Looks why the node is idle. */
  look(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { contribution, say } = this.#parts;
    try {
      const state = await contribution.state();
      if (state === 'left') await this.#comeBack();
      if (state !== 'barred') return;
      this.#isOver = true;
      say({ kind: 'barred' }, 'idle: this node is barred, because a verdict found its work wrong');
    } catch (error) {
      if (!isFinal(error)) return;
      this.#isOver = true;
      say(
        { kind: 'not-admitted' },
        `idle: the service does not admit this node again: ${(error as Error).message}`,
      );
    }
  }

  async #comeBack(): Promise<void> {
    const { contribution, admit, say } = this.#parts;
    const why = 'another process with its key has left the mesh, or its account had it leave';
    if (!this.#isSaid)
      say({ kind: 'left-elsewhere' }, `idle: ${why}; a key is for one process on one machine`);
    this.#isSaid = true;
    await admit();
    await contribution.switchTo('idle');
    this.#isSaid = false;
    say({ kind: 'admitted' }, 'admitted again; svc mode contributing lets it take work');
  }

  /** Looks no more. Resolves when what was begun is over. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#looking;
  }
}

/** A service that does not answer, or cannot now, is asked again in a moment. */
const isFinal = (error: unknown): boolean =>
  error instanceof Refusal && error.status < 500 && error.status !== 429;
