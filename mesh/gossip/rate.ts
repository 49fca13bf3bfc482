import { TICK_NS } from '../../src/clock/pulse.ts';
import { Refusal } from '../../src/errors/refusal.ts';

/** Events of one sender in a window of so many ticks: a contributor has only itself to speak of. */
export const eventsPerWindow = { service: 2400, contributor: 24 } as const;
export const WINDOW_TICKS = 120;
/** Senders that are counted at once; the one that was quiet the longest is forgotten first. */
const MOST_SENDERS = 10_000;

interface Window {
  readonly since: number;
  count: number;
}

/** How much a sender may say. Counted once its handshake holds, so that nobody can spend another's share. */
export class SenderRate {
  readonly #windows = new Map<string, Window>();

  /** Counts one event. @throws Refusal RATE_LIMITED with the seconds to wait */
  count(sender: string, most: number, nowTick: number): void {
    const window = this.#window(sender, nowTick);
    window.count++;
    if (window.count <= most) return;
    const ticks = window.since + WINDOW_TICKS - nowTick;
    const retryAfter = Math.max(1, Math.ceil((ticks * Number(TICK_NS)) / 1e9));
    throw new Refusal('RATE_LIMITED', `More than ${most} events of one sender in ${WINDOW_TICKS} ticks.`, {
      retryAfter,
    });
  }

  #window(sender: string, nowTick: number): Window {
    const known = this.#windows.get(sender);
    const window = known && nowTick < known.since + WINDOW_TICKS ? known : { since: nowTick, count: 0 };
    this.#windows.delete(sender); // whoever speaks is the youngest
    this.#windows.set(sender, window);
    if (this.#windows.size > MOST_SENDERS) this.#windows.delete(this.#windows.keys().next().value!);
    return window;
  }
}
