// What a program may be off by because its values are uncertain, in double: u² = Σ f_i² u_i² to first order, and where that
// does not say what the program is within a standard uncertainty, the second order of JCGM 100:2008, 5.1.2, note, too:
//
//   u² = Σ f_i² u_i² + ½ Σ f_ij² u_i² u_j²
//
// Whether it says so, one look at all values together tells, each up to its own uncertainty to the side on which the
// program grows, and back. The third derivatives of the note, which may take away, are left out; where a value alone, or
// all together, move the program further than these sums say, that counts.

import { isFiniteF64 } from "../kernel/frame";
import { derivative } from "./derivative";
import { VALUE } from "./evaluate";
import { isBinary, isPush, isTurning, Op, operand, operation } from "./opcodes";
import { binary, powerOf, unary } from "./partials";

/** Bytes that are kept of a value: 0 slope, f_i u_i · 8 bend, f_ii u_i² · 16 shift. */
export const KEPT: usize = 24;
const HALF_ULP: f64 = 1.1102230246251565e-16;
const ROOT_HALF: f64 = 0.7071067811865476;
/** How many times what a program in double is off by a sum of four of it may be off by. */
const DOUBT: f64 = 16;
/** Part of the first order that the program may be elsewhere. */
const LINEAR: f64 = 0.01;
/** Parts of their uncertainties that values are shifted by together, no two alike: 1, and below down to 0.618. */
const GOLDEN: f64 = 0.6180339887498949;
const ALL: i32 = -1;

let keptAt: usize = 0;
@inline function slopeOf(i: i32): f64 { return load<f64>(keptAt + <usize>i * KEPT); }
@inline function bendOf(i: i32): f64 { return load<f64>(keptAt + <usize>i * KEPT, 8); }
@inline function shiftOf(i: i32): f64 { return load<f64>(keptAt + <usize>i * KEPT, 16); }
@inline function sigmaOf(values: usize, i: i32): f64 { return load<f64>(values + <usize>i * VALUE, 16); }

/**
 * Of `words` of code, with or without steps and kinks (`turns`), on `count` values, whose value is `hi`, off by `error` at most, and `here` in double. `kept` has room
 * for KEPT bytes of each value.
 */
export function uncertaintyOf(code: usize, words: i32, turns: bool, values: usize, count: i32, stack: usize, kept: usize, hi: f64, here: f64, error: f64): f64 {
  keptAt = kept;
  const rounding = error + HALF_ULP * abs(hi);
  let u = rounding, together = 0.0, uncertain: i32 = 0;
  for (let i = 0; i < count; i++) {
    const sigma = sigmaOf(values, i), at = keptAt + <usize>i * KEPT;
    store<f64>(at, 0, 16);
    if (sigma == 0) continue;
    const slope = derivative(code, words, values, i, stack) * sigma, part = 1 - (1 - GOLDEN) * fractionOf(GOLDEN * <f64>uncertain);
    uncertain++;
    store<f64>(at, slope);
    store<f64>(at, slope < 0 ? -part * sigma : part * sigma, 16);
    u = hypotenuse(u, slope);
    together += part * abs(slope);
  }
  if (uncertain == 0 || !isFiniteF64(u)) return u;
  sideBySide(code, words, values, stack, ALL, 0, 0);
  const ahead = load<f64>(stack) - here, behind = load<f64>(stack, 8) - here, doubt = DOUBT * (abs(here - hi) + HALF_ULP * abs(hi));
  if (!turns && max(abs(ahead - together), abs(behind + together)) <= LINEAR * u + doubt) return u;
  return toSecondOrder(code, words, turns, values, count, stack, here, rounding, doubt, farther(ahead, behind));
}

function toSecondOrder(code: usize, words: i32, turns: bool, values: usize, count: i32, stack: usize, here: f64, rounding: f64, doubt: f64, together: f64): f64 {
  let u = rounding, seen = 0.0;
  for (let i = 0; i < count; i++) {
    const sigma = sigmaOf(values, i);
    if (sigma == 0) continue;
    const across = turns ? farthestAcross(code, words, values, i, stack, sigma) : 0.0;
    sideBySide(code, words, values, stack, i, sigma, -sigma);
    const slope = slopeOf(i), ahead = load<f64>(stack) - here, behind = load<f64>(stack, 8) - here;
    const half = 0.5 * abs(ahead - behind), first = beyond(half - abs(slope), doubt) > 0 ? max(half, abs(slope)) : abs(slope);
    const bend = across > 0 ? NaN : bendIn(ahead, behind, slope);
    store<f64>(keptAt + <usize>i * KEPT, bend, 8);
    u = hypotenuse(hypotenuse(u, max(first, across)), ROOT_HALF * beyond(bend, doubt));
    seen += max(max(first, across), farther(ahead, behind));
    for (let k = 0; k < i; k++) {
      if (sigmaOf(values, k) == 0) continue;
      const mixed = beyond(mixedBend(code, words, values, stack, here, i, k), doubt);
      u = hypotenuse(u, mixed);
      seen += mixed;
    }
  }
  return max(u, beyond(together - seen, doubt));
}

/** f(x + σ) + f(x − σ) − 2f(x); where only one side has a value, twice what it is off by from the tangent. */
function bendIn(ahead: f64, behind: f64, slope: f64): f64 {
  if (isFiniteF64(ahead)) return isFiniteF64(behind) ? ahead + behind : 2 * (ahead - slope);
  return isFiniteF64(behind) ? 2 * (behind + slope) : NaN;
}

/** f_ik u_i u_k, from both values ahead and both behind; no number where one of them has no bend. */
function mixedBend(code: usize, words: i32, values: usize, stack: usize, here: f64, i: i32, k: i32): f64 {
  if (isNaN(bendOf(i)) || isNaN(bendOf(k))) return NaN;
  const at = values + <usize>k * VALUE, x = load<f64>(at), sigma = sigmaOf(values, i), beside = sigmaOf(values, k);
  store<f64>(at, x + beside);
  sideBySide(code, words, values, stack, i, sigma, -sigma);
  const both = load<f64>(stack), apart = load<f64>(stack, 8);
  store<f64>(at, x - beside);
  sideBySide(code, words, values, stack, i, sigma, -sigma);
  store<f64>(at, x);
  return 0.25 * (both - apart - load<f64>(stack) + load<f64>(stack, 8));
}

/** The larger change of those that are numbers. */
function farther(ahead: f64, behind: f64): f64 { return max(isFiniteF64(ahead) ? abs(ahead) : 0.0, isFiniteF64(behind) ? abs(behind) : 0.0); }

/** What is no rounding of the program in double, which is `doubt`; 0 where there is no such number. */
@inline function beyond(x: f64, doubt: f64): f64 { return isFiniteF64(x) && abs(x) > doubt ? abs(x) : 0; }

@inline function fractionOf(x: f64): f64 { return x - floor(x); }

/** √(a² + b²) without overflow on the way. */
function hypotenuse(a: f64, b: f64): f64 {
  const large = max(abs(a), abs(b)), small = min(abs(a), abs(b));
  if (large == 0 || !isFiniteF64(large)) return large;
  return large * sqrt(1.0 + (small / large) * (small / large));
}

// ---- steps and kinks -----------------------------------------------------------------------------------

/** Places at which a program is asked again: a standard uncertainty to either side, and WITHIN of it. */
export const PLACES: i32 = 4;
/** No plain fraction, at which numbers as people write them would put poles and kinks: 0.3 ± 0.5, 0.1 ± 0.2. */
const WITHIN: f64 = 0.618;

/**
 * The most that a program changes by where value `index` lies up to `sigma` elsewhere, of those places at which one of its
 * operations is on the other side of a step or a kink than at the value; 0 where there is none: the first order alone
 * would lose it (JCGM 100:2008, 5.1.2, note).
 */
function farthestAcross(code: usize, words: i32, values: usize, index: i32, stack: usize, sigma: f64): f64 {
  let most = 0.0;
  for (let place = 0; place < PLACES; place++) {
    const side = (place & 1) == 0 ? sigma : -sigma, away = place < 2 ? side : WITHIN * side;
    if (sideBySide(code, words, values, stack, index, 0, away)) most = max(most, abs(load<f64>(stack, 8) - load<f64>(stack)));
  }
  return most;
}

/**
 * The program in two columns, value `index` being `first` and `second` away from what it is, or, where `index` is ALL, every
 * value its SHIFT ahead and behind; whether an operation is on two sides of a step or kink in them.
 */
function sideBySide(code: usize, words: i32, values: usize, stack: usize, index: i32, first: f64, second: f64): bool {
  let top = stack - 16, turns = false;
  for (let i = 0; i < words; i++) {
    const word = load<i32>(code + (<usize>i << 2)), op = operation(word);
    if (isPush(op)) {
      const value = operand(word), x = load<f64>(values + <usize>value * VALUE);
      top += 16;
      const shift = index == ALL ? shiftOf(value) : value == index ? first : 0.0;
      store<f64>(top, x + shift);
      store<f64>(top, index == ALL ? x - shift : value == index ? x + second : x, 8);
      continue;
    }
    if (isBinary(op)) top -= 16;
    turns = turns || (isTurning(op) && turned(op, load<f64>(top), load<f64>(top, 16)) != turned(op, load<f64>(top, 8), load<f64>(top, 24)));
    for (let side: usize = 0; side < 16; side += 8) store<f64>(top + side, result(op, operand(word), load<f64>(top + side), load<f64>(top + side, 16)));
  }
  return turns;
}

/** On which side of its steps or its kink an operation is; of one of one operand `b` is not looked at. */
function turned(op: i32, a: f64, b: f64): f64 {
  if (op == Op.FLOOR) return floor(a);
  if (op == Op.MOD) return floor(a / b);
  return unary(Op.SIGN, op == Op.MIN || op == Op.MAX ? a - b : a);
}

function result(op: i32, n: i32, a: f64, b: f64): f64 {
  if (isBinary(op)) return binary(op, a, b);
  return op == Op.NEGATE ? -a : op == Op.POWER_OF ? powerOf(a, n) : unary(op, a);
}
