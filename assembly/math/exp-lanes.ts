// The exponential of two lanes at once: with x = k ln 2 + r, |r| ≤ ½ ln 2, eˣ = 2ᵏ + 2ᵏ r P(r), P(r) = (eʳ − 1)/r by its
// series, whose next term there is r¹³/14! = 1.2e-17.
//
// Constants are loaded: the engine would build them anew in every turn of a loop.

/** 1/(j + 1)!, then 1/ln 2, the two parts of ln 2 of fdlibm's e_exp.c (Sun Microsystems, 1993), and 1.5·2⁵² + 1023. */
const NUMBERS: usize = memory.data<f64>([
  1.0, 1.0, 0.5, 0.5, 0.16666666666666666, 0.16666666666666666, 0.041666666666666664, 0.041666666666666664,
  0.008333333333333333, 0.008333333333333333, 0.001388888888888889, 0.001388888888888889,
  0.0001984126984126984, 0.0001984126984126984, 0.0000248015873015873, 0.0000248015873015873,
  0.0000027557319223985893, 0.0000027557319223985893, 2.755731922398589e-7, 2.755731922398589e-7,
  2.505210838544172e-8, 2.505210838544172e-8, 2.08767569878681e-9, 2.08767569878681e-9,
  1.6059043836821613e-10, 1.6059043836821613e-10,
  1.44269504088896338700, 1.44269504088896338700, 6.93147180369123816490e-01, 6.93147180369123816490e-01,
  1.90821492927058770002e-10, 1.90821492927058770002e-10, 6755399441056767.0, 6755399441056767.0,
], 16);

@inline function number(i: usize): v128 { return v128.load(NUMBERS + 16 * i); }
@inline function then(i: usize, w: v128, rest: v128): v128 { return f64x2.add(number(i), f64x2.mul(w, rest)); }

/** (eˣ − 1)/x to |x| = ½ ln 2. */
@inline export function dividedExps(x: v128): v128 {
  const w = f64x2.mul(x, x);
  const odd = then(1, w, then(3, w, then(5, w, then(7, w, then(9, w, number(11))))));
  return f64x2.add(then(0, w, then(2, w, then(4, w, then(6, w, then(8, w, then(10, w, number(12))))))), f64x2.mul(x, odd));
}

/** (eˣ − 1)/x to |x| = 0.05: the next term is x⁸/9!. */
@inline export function dividedExpsNearZero(x: v128): v128 {
  const w = f64x2.mul(x, x);
  return f64x2.add(then(0, w, then(2, w, then(4, w, number(6)))), f64x2.mul(x, then(1, w, then(3, w, then(5, w, number(7))))));
}

/** eˣ − 1 to |x| = 700, with its last bits where it is small. */
@inline export function expm1s(x: v128): v128 {
  const k = f64x2.nearest(f64x2.mul(x, number(13)));
  const r = f64x2.sub(f64x2.sub(x, f64x2.mul(k, number(14))), f64x2.mul(k, number(15)));
  const scale = i64x2.shl(f64x2.add(k, number(16)), 52);
  return f64x2.add(f64x2.mul(scale, f64x2.mul(r, dividedExps(r))), f64x2.sub(scale, number(0)));
}
