/** Time as everybody in the house gets it: Unix nanoseconds, strictly increasing. Injected, so that tests own it. */
export interface Clock {
  now(): bigint;
}

export interface ClockSources {
  /** A counter of nanoseconds that never goes back; its zero is anywhere. */
  readonly monotonicNs: () => bigint;
  /** The machine's wall clock in ms since the Unix epoch. */
  readonly wallMs: () => number;
}

/** Ahead by more than this, the wall clock was set or the machine slept: then we follow it, forward only. */
const FOLLOW_NS = 20_000_000n;

/**
 * Nanoseconds that are counted, not made up: the wall clock anchors once, and from there the monotonic counter
 * counts. So two readings differ by the true time between them, while the distance to UTC is that of the wall clock
 * (a millisecond at best). It follows the wall clock forward, never back, and never gives a reading twice.
 *
 * @param after a time that every reading must be later than, such as the last sealed one
 */
export function anchoredClock(sources: ClockSources, after = 0n): Clock {
  const wallNs = () => BigInt(Math.floor(sources.wallMs())) * 1_000_000n;
  let offset = wallNs() - sources.monotonicNs();
  let last = after;
  return {
    now() {
      let reading = offset + sources.monotonicNs();
      const wall = wallNs();
      if (wall - reading > FOLLOW_NS) {
        offset += wall - reading;
        reading = wall;
      }
      last = reading > last ? reading : last + 1n;
      return last;
    },
  };
}

interface HighResolution {
  readonly hrtime?: { bigint?: () => bigint };
}

/** The clock of this machine: `process.hrtime.bigint` where there is one, else `performance.now()`. */
export function systemClock(after?: bigint): Clock {
  const { process } = globalThis as { process?: HighResolution };
  const monotonicNs = process?.hrtime?.bigint ?? (() => BigInt(Math.floor(performance.now() * 1e6)));
  return anchoredClock({ monotonicNs, wallMs: () => Date.now() }, after);
}
