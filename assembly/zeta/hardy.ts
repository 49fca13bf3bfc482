// Hardy's function Z(t) = e^{iθ(t)} ζ(½ + it), real for real t, at one point.
//
// t >= 200: the Riemann–Siegel formula (Edwards, Riemann's Zeta Function, 7.6; Gabcke, thesis, Göttingen 1979):
//   Z = 2 Σ_{n<=N} n^{−½} cos(θ − t ln n) + (−1)^{N−1} a^{−½} Σ_{k<=4} C_k(z) a^{−k} + R_4,
//   a = √(t/2π), N = ⌊a⌋, z = 2(a − N) − 1, |R_4| <= 0.017 t^{−11/4}.
// t < 200: Euler–Maclaurin (Edwards, 6.4), M = 20 + ⌊2t/5⌋ terms and 16 Bernoulli numbers:
//   ζ(s) = Σ_{n<M} n^{−s} + M^{−s} [M/(s − 1) + ½ + Σ_k B_2k/(2k)! s(s + 1)…(s + 2k − 2) M^{1−2k}] + R.
//
// zBound(t) bounds what was computed: R plus rounding. Main sum: a phase is off by at most 2^-45 turns (phase) and
// the block grid's rotations and interpolation add less than 2^-42 (grid.ts); with 2 Σ n^{−½} < 4√N that is below
// 2^-38 √N; so do sums at heights close to one another, whose polynomial is off by less than 2^-43. Below 200 both
// together stay under 2^-36.

import { REMAINDER_SERIES, REMAINDER_TERMS } from "./coefficients";
import { cosTurns, mainSum, nearbySum, sinTurns, turnsOfTerm } from "./main-sum";
import { INV_TWO_PI, thetaIndex, thetaPhase } from "./theta";

/** Heights from here on are for the Riemann–Siegel formula. */
export const SIEGEL_FROM: f64 = 200;
const BERNOULLI_TERMS: i32 = 16;

/** B_2k / (2k)!, k = 1 … 16. */
const BERNOULLI: usize = memory.data<f64>([
  0.0833333333333333333, -0.00138888888888888889, 0.0000330687830687830688, -8.2671957671957672e-7,
  2.0876756987868099e-8, -5.28419013868749318e-10, 1.33825365306846788e-11, -3.38968029632258287e-13,
  8.58606205627784456e-15, -2.17486869855806187e-16, 5.50900282836022952e-18, -1.39544646858125233e-19,
  3.53470703962946747e-21, -8.95351742703754685e-23, 2.26795245233768306e-24, -5.74479066887220245e-26,
]);

/** N = ⌊√(t/2π)⌋. */
@inline export function siegelTerms(t: f64): i32 { return <i32>floor(sqrt(t * INV_TWO_PI)); }

/** How many terms zAt needs at t. */
export function termsAt(t: f64): i32 { return t < SIEGEL_FROM ? eulerTerms(t) : siegelTerms(t); }

@inline function eulerTerms(t: f64): i32 { return 20 + <i32>floor(0.4 * t); }

/** Bound of |Z computed − Z|. */
export function zBound(t: f64): f64 {
  if (t < SIEGEL_FROM) return 1.4551915228366852e-11;
  const quarter = sqrt(sqrt(t));
  return 0.017 * quarter / (t * t * t) + 3.637978807091713e-12 * sqrt(<f64>siegelTerms(t));
}

/** θ(t)/2π modulo 1. */
export function thetaTurns(t: f64): f64 {
  const part = thetaPhase(t);
  return 0.5 * (part + (thetaIndex - 2.0 * floor(0.5 * thetaIndex)));
}

/** Z(t), t >= 0; the tables hold at least termsAt(t) terms. */
export function zAt(t: f64): f64 {
  const turns = thetaTurns(t);
  if (t < SIEGEL_FROM) return zByEuler(t, turns);
  const terms = siegelTerms(t);
  return 2.0 * mainSum(t, turns, 1, terms) + remainder(t, terms);
}

/** Z(t) where heights close to t are asked for too (openNearby). */
export function zNearby(t: f64): f64 {
  if (t < SIEGEL_FROM) return zAt(t);
  const terms = siegelTerms(t);
  return 2.0 * nearbySum(t, thetaTurns(t), terms) + remainder(t, terms);
}

/** (−1)^{N−1} a^{−½} Σ_{k<=4} C_k(z) a^{−k}. */
export function remainder(t: f64, terms: i32): f64 {
  const a = sqrt(t * INV_TWO_PI);
  const z = 2.0 * (a - <f64>terms) - 1.0;
  const s = f64x2.splat(z * z);
  let c01 = v128.load(REMAINDER_SERIES), c23 = v128.load(REMAINDER_SERIES, 16), c4 = v128.load(REMAINDER_SERIES, 32);
  for (let row = REMAINDER_SERIES + 48; row < REMAINDER_SERIES + <usize>REMAINDER_TERMS * 48; row += 48) {
    c01 = f64x2.add(f64x2.mul(c01, s), v128.load(row));
    c23 = f64x2.add(f64x2.mul(c23, s), v128.load(row, 16));
    c4 = f64x2.add(f64x2.mul(c4, s), v128.load(row, 32));
  }
  const i = 1.0 / a;
  const c1 = z * f64x2.extract_lane(c01, 1), c3 = z * f64x2.extract_lane(c23, 1);
  const sum = f64x2.extract_lane(c01, 0)
    + i * (c1 + i * (f64x2.extract_lane(c23, 0) + i * (c3 + i * f64x2.extract_lane(c4, 0))));
  const size = sum * sqrt(i);
  return (terms & 1) == 1 ? size : -size;
}

function zByEuler(t: f64, turns: f64): f64 {
  const terms = eulerTerms(t), m = <f64>terms;
  const sum = mainSum(t, turns, 1, terms - 1);
  // The bracket, s = ½ + it: M/(s − 1) + ½ + Σ.
  const norm = 0.25 + t * t;
  let re = 0.5 - 0.5 * m / norm, im = -t * m / norm;
  let pr = 0.5 / m, pi = t / m; // s(s + 1)…(s + 2k − 2) M^{1−2k}
  for (let k = 1; k <= BERNOULLI_TERMS; k++) {
    const b = load<f64>(BERNOULLI + (<usize>(k - 1) << 3));
    re += b * pr; im += b * pi;
    for (let j = 2 * k - 1; j <= 2 * k; j++) {
      const x = (0.5 + <f64>j) / m, y = t / m;
      const r = pr * x - pi * y;
      pi = pr * y + pi * x; pr = r;
    }
  }
  const x = turns - t * turnsOfTerm(terms);
  return sum + (re * cosTurns(x) - im * sinTurns(x)) / sqrt(m);
}
