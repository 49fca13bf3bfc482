// The logarithm of two lanes at once, as fdlibm's e_log.c has it (Sun Microsystems, 1993): with x = 2ᵏ(1 + f),
// √½ ≤ 1 + f < √2 and s = f/(2 + f),  ln x = k ln 2 + f − f²/2 + s (f²/2 + R(s²)),  R a polynomial of seven terms.
//
// Constants are loaded: the engine would build them anew in every turn of a loop.

const NUMBERS: usize = memory.data<f64>([
  0.1531383769920937332, 0.1531383769920937332, 0.2222219843214978396, 0.2222219843214978396,
  0.3999999999940941908, 0.3999999999940941908, 0.1479819860511658591, 0.1479819860511658591,
  0.1818357216161805012, 0.1818357216161805012, 0.2857142874366239149, 0.2857142874366239149,
  0.6666666666666735130, 0.6666666666666735130,
  6.93147180369123816490e-01, 6.93147180369123816490e-01, 1.90821492927058770002e-10, 1.90821492927058770002e-10,
  4503599627371519.0, 4503599627371519.0, 2.0, 2.0, 1.0, 1.0, 0.5, 0.5,
], 16);
/** What brings √½ to a power of two, the mantissa's bits, √½, and the bits of 2⁵². */
const BITS: usize = memory.data<u64>([
  0x00095f6200000000, 0x00095f6200000000, 0x000fffffffffffff, 0x000fffffffffffff,
  0x3fe6a09e00000000, 0x3fe6a09e00000000, 0x4330000000000000, 0x4330000000000000,
], 16);

@inline function number(i: usize): v128 { return v128.load(NUMBERS + 16 * i); }

/** ln x of two positive numbers that are neither subnormal nor infinite, error below 1 ulp. */
@inline export function logs(x: v128): v128 {
  const b = i64x2.add(x, v128.load(BITS));
  const k = f64x2.sub(v128.or(i64x2.shr_u(b, 52), v128.load(BITS + 48)), number(9));
  const f = f64x2.sub(i64x2.add(v128.and(b, v128.load(BITS + 16)), v128.load(BITS + 32)), number(11));
  const s = f64x2.div(f, f64x2.add(number(10), f)), z = f64x2.mul(s, s), w = f64x2.mul(z, z);
  const even = f64x2.add(f64x2.mul(f64x2.add(f64x2.mul(number(0), w), number(1)), w), number(2));
  const odd = f64x2.add(f64x2.mul(f64x2.add(f64x2.mul(number(3), w), number(4)), w), number(5));
  const R = f64x2.add(f64x2.mul(even, w), f64x2.mul(f64x2.add(f64x2.mul(odd, w), number(6)), z));
  const half = f64x2.mul(f64x2.mul(number(12), f), f);
  const tail = f64x2.add(f64x2.mul(s, f64x2.add(half, R)), f64x2.mul(k, number(8)));
  return f64x2.add(f64x2.add(f64x2.sub(tail, half), f), f64x2.mul(k, number(7)));
}
