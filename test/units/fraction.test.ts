import fc from 'fast-check';
import t from 'tap';
import {
  decimal,
  fraction,
  invert,
  isDecimal,
  multiply,
  ofDouble,
  power,
  toDouble,
} from '../../src/units/fraction.ts';

t.test('a double is its own nearest double', async () => {
  const any = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(any, (x) => Object.is(toDouble(ofDouble(x)), x + 0)),
    { numRuns: 2000 },
  );
});

t.test('a decimal numeral rounds as the language rounds it', async () => {
  const numeral = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.integer({ min: -345, max: 300 }));
  fc.assert(
    fc.property(
      numeral,
      ([digits, exponent]) => toDouble(decimal(`${digits}e${exponent}`)) === Number(`${digits}e${exponent}`),
    ),
    { numRuns: 2000 },
  );
});

t.test('ties go to even, and past the range to infinity', async (t) => {
  t.equal(toDouble(fraction(2n ** 53n + 1n)), 2 ** 53);
  t.equal(toDouble(fraction(2n ** 53n + 3n)), 2 ** 53 + 4);
  t.equal(toDouble(fraction(1n, 2n ** 1075n)), 0);
  t.equal(toDouble(fraction(3n, 2n ** 1076n)), 5e-324);
  t.equal(toDouble(fraction(10n ** 400n)), Number.POSITIVE_INFINITY);
  t.equal(toDouble(fraction(-(10n ** 400n))), Number.NEGATIVE_INFINITY);
});

t.test('roots are exact where they are fractions, else good to 60 digits', async (t) => {
  t.same(power(fraction(9n, 4n), 30), fraction(3n, 2n));
  t.same(power(fraction(8n), -20), fraction(1n, 2n));
  const root = power(fraction(2n), 30);
  t.equal(toDouble(root), Math.SQRT2);
  t.ok(Math.abs(toDouble(multiply(multiply(root, root), invert(fraction(2n)))) - 1) < 1e-15);
});

t.test('what is no numeral is refused', async (t) => {
  for (const text of ['', '1.', '.5', '0x10', '1e', 'NaN', '1 2']) t.throws(() => decimal(text), RangeError);
});

t.test('a double is a decimal where its digits are all of them', async (t) => {
  for (const x of [0, 2, -7.5, 0.0009765625, 2 ** 50, 2 ** -20, 65536.25]) t.ok(isDecimal(x), `${x}`);
  for (const x of [0.1, 1e-30, 2 ** 32 + 2 ** -20, 2 ** 60, 2 ** -24, 1 / 3]) t.notOk(isDecimal(x), `${x}`);
  const any = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 30 })).map(([m, k]) => m / 2 ** k),
  );
  fc.assert(
    fc.property(any, (x) => {
      const [written, exact] = [decimal(String(x)), ofDouble(x)];
      return isDecimal(x) === (written.n * exact.d === exact.n * written.d);
    }),
    { numRuns: 2000 },
  );
});
