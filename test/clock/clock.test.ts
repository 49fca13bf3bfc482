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
