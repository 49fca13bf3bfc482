import fc from 'fast-check';
import t from 'tap';
import { type Fraction, ofDouble } from '../../src/units/fraction.ts';
import { assemblyModule } from './assembly-module.ts';

interface Quotients {
  quotient(ah: number, al: number, bh: number, bl: number): number;
  rest(): number;
}

const module = await assemblyModule<Quotients>(`
import { ddDiv, low } from "./dd";
export function quotient(ah: f64, al: f64, bh: f64, bl: f64): f64 { return ddDiv(ah, al, bh, bl); }
export function rest(): f64 { return low; }
`);

/** hi + lo, exactly. */
function exact(hi: number, lo: number): Fraction {
  const [a, b] = [ofDouble(hi), ofDouble(lo)];
  return { n: a.n * b.d + b.n * a.d, d: a.d * b.d };
}

/** Whether a/b, by `hi` + `lo`, is off by at most 2^-bits of it; with integers. */
function isWithin(bits: number, a: Fraction, b: Fraction, q: Fraction): boolean {
  const [n, d] = [a.n * b.d, a.d * b.n];
  const off = q.n * d - n * q.d;
  const abs = (x: bigint) => (x < 0n ? -x : x);
  return abs(off) << BigInt(bits) <= abs(n * q.d);
}

const wide = fc
  .tuple(
    fc.double({ min: 1, max: 2, noNaN: true }),
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.integer({ min: -200, max: 200 }),
    fc.boolean(),
  )
  .map(([m, part, k, isNegative]) => {
    const hi = (isNegative ? -m : m) * 2 ** k;
    return { hi, lo: part * 2 ** (k - 54) };
  });

t.test('a quotient of double-doubles is off by at most 2^-102 of it', async () => {
  fc.assert(
    fc.property(wide, wide, (a, b) => {
      const hi = module.quotient(a.hi, a.lo, b.hi, b.lo);
      const q = exact(hi, module.rest());
      return isWithin(102, exact(a.hi, a.lo), exact(b.hi, b.lo), q) && hi + module.rest() === hi;
    }),
    { numRuns: 20_000 },
  );
});

t.test('a quotient that is a double has nothing behind it', async (t) => {
  for (const [a, b, q] of [
    [1, 4, 0.25],
    [15, 5, 3],
    [-3e22, 1.5e11, -2e11],
    [0, 3, 0],
  ] as const) {
    t.equal(module.quotient(a, 0, b, 0), q, `${a}/${b}`);
    t.equal(module.rest(), 0, `${a}/${b}`);
  }
});
