/** Time as everybody in the house gets it: Unix nanoseconds, strictly increasing. Injected, so that tests own it. */
export interface Clock {
  now(): bigint;
  /** By how many ns the wall clock is ahead of what is counted, where that is not believed; 0n: it is. Absent: always. */
  ahead?(): bigint;
}

export interface ClockSources {
  /** A counter of nanoseconds that never goes back; its zero is anywhere. */
  readonly monotonicNs: () => bigint;
  /** The machine's wall clock in ms since the Unix epoch. */
  readonly wallMs: () => number;
}

/** Ahead by more than this, the wall clock was set or the machine slept: then we follow it, forward only. */
const FOLLOW_NS = 20_000_000n;
const DAY_NS = 86_400_000_000_000n;
/** While it runs, a wall clock is followed so far at once: one that jumps further is wrong, and time never goes back. */
const JUMP_NS = DAY_NS;
/** A node may have been off so long before it starts. */
const PAUSE_NS = 366n * DAY_NS;
/** What is stored are integers of 64 bits. */
const LATEST_NS = 2n ** 63n - 1n;

/**
 * Nanoseconds that are counted, not made up: the wall clock anchors once, and from there the monotonic counter
 * counts. So two readings differ by the true time between them, while the distance to UTC is that of the wall clock
 * (a millisecond at best). It follows the wall clock forward, never back, and never gives a reading twice. A wall clock
 * that is too far ahead to be believed is not followed: counting goes on from what was last believed.
 *
 * @param after a time that every reading must be later than, such as the last sealed one; 0n: nothing was sealed
 */
export function anchoredClock(sources: ClockSources, after = 0n): Required<Clock> {
  const wallNs = () => BigInt(Math.floor(sources.wallMs())) * 1_000_000n;
  let last = after;
  let offset = after - sources.monotonicNs();
  let believed = after === 0n ? LATEST_NS : PAUSE_NS;
  const counted = () => offset + sources.monotonicNs();
  const ahead = () => {
    const wall = wallNs();
    const reading = counted();
    const latest = reading > last ? reading : last;
    return wall > LATEST_NS || wall - latest > believed ? wall - latest : 0n;
  };
  const follow = (wall: bigint) => {
    offset += wall - counted();
    if (wall >= last) believed = JUMP_NS; // until then it may be set right, as on machines that start without the time
  };
  if (ahead() === 0n) follow(wallNs());
  return {
    ahead,
    now() {
      if (wallNs() - counted() > FOLLOW_NS && ahead() === 0n) follow(wallNs());
      const reading = counted();
      last = reading > last ? reading : last + 1n;
      return last;
    },
  };
}

interface HighResolution {
  readonly hrtime?: { bigint?: () => bigint };
}

/** The clock of this machine: `process.hrtime.bigint` where there is one, else `performance.now()`. */
export function systemClock(after?: bigint): Required<Clock> {
  const { process } = globalThis as { process?: HighResolution };
  const monotonicNs = process?.hrtime?.bigint ?? (() => BigInt(Math.floor(performance.now() * 1e6)));
  return anchoredClock({ monotonicNs, wallMs: () => Date.now() }, after);
}
