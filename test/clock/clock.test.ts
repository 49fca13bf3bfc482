import fc from 'fast-check';
import t from 'tap';
import { anchoredClock, systemClock } from '../../src/clock/clock.ts';

/** A machine whose clocks the test moves. */
function machine(wallMs: number) {
  const now = { monotonicNs: 5n, wallMs };
  const sources = { monotonicNs: () => now.monotonicNs, wallMs: () => now.wallMs };
  return { now, sources };
}

t.test('between two readings lies the time that the counter counted', async (t) => {
  const { now, sources } = machine(1_700_000_000_000);
  const clock = anchoredClock(sources);
  t.equal(clock.now(), 1_700_000_000_000_000_000n);
  now.monotonicNs += 1_234_567n;
  now.wallMs += 1;
  t.equal(clock.now(), 1_700_000_000_001_234_567n);
});

t.test('it follows a wall clock that was set forward, and never goes back', async (t) => {
  const { now, sources } = machine(1000);
  const clock = anchoredClock(sources);
  now.wallMs = 61_000;
  t.equal(clock.now(), 61_000_000_000n, 'the machine slept a minute');
  now.wallMs = 500;
  now.monotonicNs += 7n;
  t.equal(clock.now(), 61_000_000_007n, 'set back: counted on');
});

t.test('no reading comes twice, whatever the sources do', async () => {
  const step = fc.record({ monotonicNs: fc.nat({ max: 3 }), wallMs: fc.integer({ min: -50, max: 50 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const { now, sources } = machine(10_000);
      const clock = anchoredClock(sources, 10_000_500_000n);
      let last = 10_000_500_000n;
      return steps.every(({ monotonicNs, wallMs }) => {
        now.monotonicNs += BigInt(monotonicNs);
        now.wallMs = Math.max(0, now.wallMs + wallMs);
        const reading = clock.now();
        const isLater = reading > last;
        last = reading;
        return isLater;
      });
    }),
  );
});

t.test("the machine's own clock is near its wall clock and counts nanoseconds", async (t) => {
  const clock = systemClock();
  const readings = Array.from({ length: 1000 }, () => clock.now());
  t.ok(Math.abs(Number(readings[0]! / 1_000_000n) - Date.now()) < 1000);
  t.ok(readings.some((reading) => reading % 1000n !== 0n));
});

const YEAR_MS = 365 * 86_400_000;
const MS = 1_000_000n;

t.test('a wall clock that jumps by more than a day while it runs is not followed, and shown', async (t) => {
  const start = 1_790_000_000_000;
  for (const [jump, isFollowed] of [
    [86_400_000, true],
    [86_400_000 + 21, false],
    [10 * YEAR_MS, false],
    [300 * YEAR_MS, false],
  ] as const) {
    const { now, sources } = machine(start);
    const clock = anchoredClock(sources, BigInt(start - 1000) * MS);
    clock.now();
    now.wallMs += jump;
    t.equal(clock.now() >= BigInt(now.wallMs) * MS, isFollowed, `${jump} ms`);
    t.equal(clock.ahead() > 0n, !isFollowed);
    now.wallMs = start + 5;
    now.monotonicNs += 5n * MS;
    const later = BigInt(isFollowed ? start + jump : start) * MS;
    t.ok(clock.now() >= later && clock.now() < later + 21n * MS, 'set right again: counted on');
    t.equal(clock.ahead(), 0n);
  }
});

t.test('it starts where the wall clock is, up to a year after the last seal', async (t) => {
  const signed = BigInt(1_790_000_000_000) * MS;
  for (const [years, isBelieved] of [
    [1, true],
    [2, false],
    [290, false],
  ] as const) {
    const { now, sources } = machine(1_790_000_000_000 + years * YEAR_MS);
    const clock = anchoredClock(sources, signed);
    t.equal(clock.ahead() === 0n, isBelieved, `${years} years`);
    t.equal(clock.now() - signed < MS, !isBelieved);
    if (isBelieved) continue;
    now.wallMs = 1_790_000_000_000 + YEAR_MS / 2; // set right
    t.equal(clock.now(), BigInt(now.wallMs) * MS);
    t.equal(clock.ahead(), 0n);
  }
});

t.test('a machine that starts without the time gets it later', async (t) => {
  const { now, sources } = machine(5000);
  const signed = BigInt(1_790_000_000_000) * MS;
  const clock = anchoredClock(sources, signed);
  t.equal(clock.now(), signed + 1n);
  now.wallMs = 1_790_000_000_000 + YEAR_MS / 2;
  t.equal(clock.now(), BigInt(now.wallMs) * MS);
});

t.test('a time beyond 64 bits is never read, even by the first clock of all', async (t) => {
  const { now, sources } = machine(2 ** 33 * 1e3 * 1.2);
  const clock = anchoredClock(sources);
  t.ok(clock.now() < 2n ** 62n);
  t.ok(clock.ahead() > 0n);
  now.wallMs = 1_790_000_000_000;
  t.equal(clock.now(), BigInt(now.wallMs) * MS);
});
