import fc from 'fast-check';
import t from 'tap';
import { formatHours, plancksOfHours, plancksPerHour } from '../../src/ledger/plancks.ts';

// One planck is 1 ns of reference-core time; an hour has 3600 · 10⁹ ns.
t.test('an hour is 3 600 000 000 000 plancks, and decimal hours convert exactly', async (t) => {
  t.equal(plancksPerHour, 3600n * 10n ** 9n);
  for (const [hours, plancks] of [
    ['0', 0n],
    ['1', 3_600_000_000_000n],
    ['1.5', 5_400_000_000_000n],
    ['0.1', 360_000_000_000n],
    ['0.0000000000025', 9n],
    ['1000000.000', 3_600_000_000_000_000_000n],
  ] as const)
    t.equal(plancksOfHours(hours), plancks, hours);
});

t.test('hours that are no whole number of plancks, and what is no number, are refused', async (t) => {
  for (const bad of [
    '0.0000000000001',
    '',
    '.5',
    '1.',
    '-1',
    '1e3',
    ' 1',
    'NaN',
    1.5,
    null,
    '9999999999',
    '0x10',
  ])
    t.throws(() => plancksOfHours(bad), { code: 'INVALID_INPUT' }, String(bad));
});

t.test('hours are shown cut off, never rounded up, and read back where they are exact', async (t) => {
  t.equal(formatHours(5_400_000_000_000n), '1.5');
  t.equal(formatHours(1n), '0');
  t.equal(formatHours(1n, 13), '0.0000000000002');
  t.equal(formatHours(plancksPerHour - 1n), '0.999999999');
  t.equal(formatHours(-plancksPerHour / 2n), '-0.5');
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      (n) => plancksOfHours(formatHours(n * 3600n)) === n * 3600n,
    ),
    { seed: 1 },
  );
});
