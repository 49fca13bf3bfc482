import type { Digest } from '../../src/proof/job.ts';
import type { Work } from '../desk.ts';

/** A run on a thread of this node, as far as its end matters. */
export interface Running {
  readonly work: Pick<Work, 'kernel' | 'memory' | 'work'>;
}

/** How far a run has come since it got its thread; `counted`: its work counter now, `before` it was this. */
export interface Advance {
  readonly ms: number;
  readonly counted: number;
  readonly before: number;
}

/** What the last run of a kernel came to. */
interface Known {
  /** Its work over what was planned. */
  readonly ofPlan: number;
  readonly msPerWork: number;
}

/** The next run is asked for so much earlier than a thread is free, in units of what that took last. */
const AHEAD = 1.5;
const LEAST_AHEAD_MS = 5;
const MOST_AHEAD_MS = 250;
/** After a wrong forecast so many ends of the kernel are waited for, and after each other one so many times as many. */
const ENDS_AFTER_WRONG = 4;
/** What is further away is not foreseen yet: how far a run has come is said several times a second. */
const LATER_MS = 2000;

/** How often the end of a kernel's run was foreseen wrongly, and ends until it is foreseen again. */
interface Doubt {
  readonly wrong: number;
  readonly ends: number;
}

/**
 * Foresees the ends of runs, so that the next ones are there when threads become free. A kernel whose run went on when
 * it should have ended is left alone for a while, each time longer: what is leased in vain is work that others could do.
 */
export class Endings {
  readonly #onSoon: () => void;
  readonly #known = new Map<Digest, Known>();
  readonly #doubts = new Map<Digest, Doubt>();
  readonly #timers = new Map<Running, NodeJS.Timeout>();
  readonly #soon = new Set<Running>();
  #aheadMs = LEAST_AHEAD_MS;

  /** @param onSoon called for each run that will be over about when another one is there */
  constructor(onSoon: () => void) {
    this.#onSoon = onSoon;
  }

  /** How many will be over soon. */
  get count(): number {
    return this.#soon.size;
  }

  /** Memory that they will let go of. */
  get memory(): number {
    return [...this.#soon].reduce((sum, { work }) => sum + work.memory, 0);
  }

  /** A run was fetched, from the question for work to the last byte. */
  fetched(ms: number): void {
    this.#aheadMs = Math.min(MOST_AHEAD_MS, Math.max(LEAST_AHEAD_MS, AHEAD * ms));
  }

  began(running: Running, before: number): void {
    const { kernel, work } = running.work;
    const known = this.#known.get(kernel);
    if (known) this.#expect(running, known.msPerWork * (known.ofPlan * work - before));
  }

  advanced(running: Running, { ms, counted, before }: Advance): void {
    const { kernel, work } = running.work;
    const total = work * (this.#known.get(kernel)?.ofPlan ?? 1);
    if (counted > before) this.#expect(running, (ms * (total - counted)) / (counted - before));
  }

  #expect(running: Running, leftMs: number): void {
    if (this.#soon.has(running) || (this.#doubts.get(running.work.kernel)?.ends ?? 0) > 0) return;
    clearTimeout(this.#timers.get(running));
    const soon = () => {
      this.#soon.add(running);
      this.#onSoon();
    };
    if (leftMs < LATER_MS) this.#timers.set(running, setTimeout(soon, leftMs - this.#aheadMs));
  }

  /** @param advance where it came to its end here */
  over(running: Running, advance?: Advance): void {
    clearTimeout(this.#timers.get(running));
    this.#timers.delete(running);
    this.#soon.delete(running);
    if (!advance || advance.counted <= advance.before) return;
    const { ms, counted, before } = advance;
    const { kernel, work } = running.work;
    this.#known.set(kernel, { ofPlan: counted / work, msPerWork: ms / (counted - before) });
    const doubt = this.#doubts.get(kernel);
    if (doubt) this.#doubts.set(kernel, { ...doubt, ends: Math.max(0, doubt.ends - 1) });
  }

  /** They go on. */
  wereWrong(): void {
    for (const running of [...this.#soon]) {
      const { kernel } = running.work;
      const wrong = (this.#doubts.get(kernel)?.wrong ?? 0) + 1;
      this.#doubts.set(kernel, { wrong, ends: ENDS_AFTER_WRONG ** wrong });
      this.over(running);
    }
  }
}
