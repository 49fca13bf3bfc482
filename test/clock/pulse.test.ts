import fc from 'fast-check';
import t from 'tap';
import {
  ALPHA,
  contributions,
  modulation,
  phaseOf,
  pulseSine,
  remainderNs,
  sampledSineSum,
  TICK_NS,
  tickAverage,
  tickOf,
} from '../../src/clock/pulse.ts';

const T = 777_000_777;

// R = 300 (1 + sin(2π rem/T)/1287), evaluated by Python's decimal module with 40 digits and the series of sin.
t.test('tick, remainder and R are the reference values, CLOCK-01, CLOCK-02, OPEN-36', async (t) => {
  const tNs = 1_700_000_000_000_000_000n;
  t.equal(tickOf(tNs), 2_187_900_000);
  t.equal(remainderNs(tNs), 1_700_000);
  const start = tNs - 1_700_000n;
  const table: [rem: bigint, R: number][] = [
    [1_700_000n, 300.0032043236],
    [259_000_259n, 300.2018707235],
    [518_000_518n, 299.7981292765],
  ];
  for (const [rem, R] of table) t.ok(Math.abs(modulation(300, start + rem).R - R) < 5e-11, `rem ${rem}`);
  t.equal(tickOf(0n), 0, 'tick 0 is the Unix epoch');
  t.equal(tickOf(TICK_NS - 1n), 0);
  t.equal(tickOf(TICK_NS), 1);
  t.throws(() => tickOf(-1n), RangeError);
});

t.test('1287 ticks are one nanosecond short of 1000 s', async (t) => {
  t.equal(1287n * TICK_NS, 10n ** 12n - 1n);
});

t.test('the sine is right to 2 ulp and odd to the bit', async (t) => {
  // Closed forms: sin 60° and the least step; T is odd, so no quarter of it is an integer.
  t.ok(Math.abs(pulseSine(T / 3) - Math.sqrt(3) / 2) < 3e-16);
  t.ok(Math.abs(pulseSine((2 * T) / 3) + Math.sqrt(3) / 2) < 3e-16);
  t.equal(pulseSine(0), 0);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: T - 1 }), (rem) => {
      const folded = Math.min(rem, T - rem); // Math.sin of a small argument is the other implementation
      const peer = Math.sign(T - 2 * rem) * Math.sin((2 * Math.PI * Math.min(folded, T / 2 - folded)) / T);
      return Object.is(pulseSine(T - rem), -pulseSine(rem)) && Math.abs(pulseSine(rem) - peer) < 4e-16;
    }),
    { numRuns: 2000 },
  );
});

t.test('|R/S − 1| never passes α, which is below the precision bound', async (t) => {
  t.ok(ALPHA < 1e-3);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 4n * 10n ** 18n }), (tNs) => {
      const { masterSum, R, phase } = modulation(300, tNs);
      return (
        Math.abs(masterSum - 1) <= ALPHA &&
        Object.is(R, 300 * masterSum) &&
        phase >= 0 &&
        phase < 6.2831853072
      );
    }),
  );
  t.equal(phaseOf(0n), 0);
});

t.test('the mean over a tick is the value itself, to the bit', async (t) => {
  t.equal(sampledSineSum(), 0, '777 samples, exactly 0');
  for (const S of [300, -1e-300, 0.1, 1e300]) {
    t.match(tickAverage(S), {
      value: S,
      periodNs: '777000777',
      check: { mean: S, samples: 777, everyNs: 1_000_001 },
    });
  }
});

t.test('contributions of operators sum to 1; without a common dimension they weigh the same', async (t) => {
  t.same(contributions([1, 3], true), { weights: 'values', C: [0.25, 0.75] });
  t.same(contributions([7], true), { weights: 'values', C: [1] });
  t.same(contributions([1, 3], false), { weights: 'equal', C: [0.5, 0.5] });
  t.same(contributions([1, -1], true), { weights: 'equal', C: [0.5, 0.5] });
});
