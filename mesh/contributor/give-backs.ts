import type { Desk, Holding } from '../desk.ts';
import { untilKept } from './persist.ts';

interface GivenBack {
  readonly holding: Holding;
  readonly over: AbortController;
}

/**
 * What the node gives back, said until the service has heard it: until then others wait for this node, and what it held
 * may come to it again.
 */
export class GiveBacks {
  readonly #desk: Pick<Desk, 'release'>;
  readonly #unheard = new Set<GivenBack>();

  constructor(desk: Pick<Desk, 'release'>) {
    this.#desk = desk;
  }

  /** Resolves when the service has heard it, or it is over. */
  async say(holding: Holding, failed: boolean): Promise<void> {
    const given = { holding, over: new AbortController() };
    this.#unheard.add(given);
    const release = async () => {
      await this.#desk.release(holding, failed);
      return 'kept' as const;
    };
    await untilKept(release, given.over.signal).catch(() => undefined);
    this.#unheard.delete(given);
  }

  /** Whether the service may not know yet that this node gave it back. */
  has(holding: Holding): boolean {
    return [...this.#unheard].some((given) => isSame(given.holding, holding));
  }

  /** Whether that is so of a lease of the run. */
  hasLeaseOf(run: string): boolean {
    return [...this.#unheard].some(({ holding }) => holding.run === run && holding.from === undefined);
  }

  /** The service knows by itself that the node holds it no longer. */
  lost(holding: Holding): void {
    for (const given of this.#unheard) if (isSame(given.holding, holding)) given.over.abort();
  }

  /** Nothing is said any more. */
  close(): void {
    for (const { over } of this.#unheard) over.abort();
  }
}

export const isSame = (a: Holding, b: Holding): boolean =>
  a.run === b.run && a.fence === b.fence && a.from === b.from;
