// What a formula is over a whole box of its variables: its value and its Taylor coefficients along one of them, up to
// the fourth, each as an interval that holds them at every point of the box (Taylor arithmetic: R. E. Moore, R. B.
// Kearfott & M. J. Cloud, Introduction to Interval Analysis, 2009, 9.3). It reads the programs that ./program opened.
//
// A series is five intervals and the number of the last that may differ from 0: 96 bytes.
//
// Over a box a formula that names a variable twice is enclosed too wide, by as much as the box is. Where the series of
// every word at a point z₀ of it has been kept, each word's coefficients lie in c_k(z₀) + (k + 1) c_(k+1) (z − z₀) as well
// (mean value form, 6.4 there), which is too wide by the square of that.

import { allocate } from "../kernel/frame";
import {
  addTo, hullTo, isZero, lower, magnitude, multiplyTo, reciprocalTo, scaleTo, set, setExact, setUnknown, shiftTo, squareTo, subtractTo, upper,
  wholePowerTo, widthOf,
} from "./interval";
import { isBinary, Op, operand, operation } from "./opcodes";
import { codeOf, deepestStack, firstWord, valueCount, valueOf, vanishesAt, wordCount, wordsOf } from "./program";
import { ORDER, realPower, taylorOf, wholePower } from "./taylor-functions";

const SERIES: usize = 96;
const TOP: usize = 80;

let variablesAt: usize = 0, stackAt: usize = 0, spareAt: usize = 0, functionAt: usize = 0, partAt: usize = 0, boxAt: usize = 0;
let order: i32 = ORDER;
/** Series of the words, then of the values, at a point; what is done with them. */
let keptAt: usize = 0, keeping: i32 = 0;
const APART: i32 = 0;
const KEEP: i32 = 1;
const REFINE: i32 = 2;
/** How far the box goes from that point, and the last coefficient that is what it says. */
let away: f64 = 0, known: i32 = 0;

@inline export function coefficient(series: usize, k: i32): usize { return series + (<usize>k << 4); }
@inline function top(series: usize): i32 { return load<i32>(series, TOP); }
@inline function setTop(series: usize, k: i32): void { store<i32>(series, k, TOP); }
@inline function variable(i: i32): usize { return variablesAt + <usize>i * SERIES; }

/** All values of the block as points. */
export function openSeries(): void {
  const count = valueCount();
  variablesAt = allocate(<usize>max(count, 1) * SERIES);
  stackAt = allocate(<usize>(2 * deepestStack() + 3) * SERIES);
  spareAt = allocate(2 * SERIES);
  functionAt = allocate(SERIES);
  partAt = allocate(64);
  boxAt = allocate(SERIES);
  for (let i = 0; i < count; i++) { memory.fill(variable(i), 0, SERIES); setExact(variable(i), valueOf(i), valueOf(i)); }
}

/** Room for series at a point; else none are kept. */
export function openKept(): void { keptAt = allocate(<usize>(wordCount() + valueCount()) * SERIES); }

@inline function keptVariable(i: i32): usize { return keptAt + <usize>(wordCount() + i) * SERIES; }

/** From here on series stand for themselves. */
export function standApart(): void { keeping = APART; }

/** From here on series are at the point that they are kept of. */
export function keepSeries(): void { keeping = KEEP; }

/** Values as they are set now are those at the point. */
export function keepValues(count: i32): void {
  for (let i = 0; i < count; i++) memory.copy(keptVariable(i), variable(i), SERIES);
}

/** From here on series are over a box that goes so far from the point, and their coefficients up to `last` are known. */
export function refineSeries(distance: f64, last: i32): void { keeping = REFINE; away = distance; known = last; }

/** The same for the values that are set. */
export function refineValues(count: i32): void { for (let i = 0; i < count; i++) refine(variable(i), keptVariable(i)); }

function refine(series: usize, kept: usize): void {
  for (let k = min(known, top(series)) - 1; k >= 0; k--) {
    const to = coefficient(series, k), point = coefficient(kept, k), more = away * <f64>(k + 1) * magnitude(coefficient(series, k + 1));
    set(partAt, lower(point) - more, upper(point) + more);
    const lo = max(lower(to), lower(partAt)), hi = min(upper(to), upper(partAt));
    if (lo <= hi) setExact(to, lo, hi);
  }
}

/** Value i lies between lo and hi, and does not depend on what the series runs along. */
export function setBetween(i: i32, lo: f64, hi: f64): void {
  setExact(variable(i), lo, hi);
  memory.fill(variable(i) + 16, 0, SERIES - 16);
}

/** Value i is what the series runs along. */
export function setAlong(i: i32, lo: f64, hi: f64): void {
  setBetween(i, lo, hi);
  setExact(coefficient(variable(i), 1), 1.0, 1.0);
  setTop(variable(i), 1);
}

/** Coefficient k of value i, where it runs along with others: those below are set already, those above are none yet. */
export function setCoefficient(i: i32, k: i32, from: usize, factor: f64): void {
  scaleTo(coefficient(variable(i), k), from, factor);
  setTop(variable(i), k);
}

/** Value i is e^(rate·z + …) between lo and hi, and the series runs along z. */
export function setExponential(i: i32, lo: f64, hi: f64, rate: f64): void {
  setExact(variable(i), lo, hi);
  let factor = 1.0;
  for (let k = 1; k <= ORDER; k++) {
    factor *= rate / <f64>k;
    scaleTo(coefficient(variable(i), k), variable(i), factor);
  }
  setTop(variable(i), ORDER);
}

/** Address of the series of program j over the box, up to the coefficient `last` (2 or 4). */
export function seriesOf(j: i32, last: i32): usize {
  const code = codeOf(j), words = wordsOf(j);
  order = last;
  let at = stackAt - SERIES, kept = keptAt + <usize>firstWord(j) * SERIES;
  for (let i = 0; i < words; i++, kept += SERIES) {
    const place = code + (<usize>i << 2), word = load<i32>(place), op = operation(word);
    if (op == Op.DIVIDE && mayCancel(at)) { at -= SERIES; cancel(place, at); }
    else at = take(word, at);
    if (op == Op.PUSH) continue;
    if (keeping == KEEP) memory.copy(kept, at, SERIES);
    else if (keeping == REFINE && top(at) > 0) refine(at, kept);
  }
  return stackAt;
}

/** One word on the stack whose top is `at`; gives the top that it leaves. */
function take(word: i32, at: usize): usize {
  const op = operation(word);
  if (op == Op.PUSH) {
    memory.copy(at + SERIES, variable(operand(word)), SERIES);
    if (top(at + SERIES) > order) setTop(at + SERIES, order);
    return at + SERIES;
  }
  if (isBinary(op)) { combine(op, at - SERIES, at); return at - SERIES; }
  alone(op, operand(word), at);
  return at;
}

// ---- a quotient of two that vanish together -----------------------------------------------------------------

// Where n and d, both of one value x alone, are 0 at the same z, u/(1 − e^(−u)) and sin(u)/u are no poles: there
// n(x) = (x − z) ∫ n′(z + s(x − z)) ds, so that coefficient k of n/(x − z) is in that of number k + 1 of n over whatever
// holds x and z, and that of d as well.

/** Above this ratio of the ends of a denominator of one sign it is looked at. */
const WIDE: f64 = 1.5;
const NEWTON_STEPS: i32 = 8;

/** The denominator at `b` is near 0 for its width. */
function mayCancel(b: usize): bool {
  const lo = lower(b), hi = upper(b);
  return lo < hi && ((lo <= 0.0 && hi >= 0.0) || max(abs(lo), abs(hi)) > WIDE * min(abs(lo), abs(hi)));
}

/** The quotient at `place` of the code of what stands at `a` and above it, also by its operands' common zero. */
function cancel(place: usize, a: usize): void {
  const middle = operandAt(place), first = operandAt(middle), i = onlyValue(first, middle), own = a + 2 * SERIES, box = boxAt;
  let isCancelled = false;
  if (i >= 0 && i == onlyValue(middle, place)) {
    memory.copy(box, variable(i), SERIES);
    isCancelled = cancelledOf(first, middle, place, i, own);
    memory.copy(variable(i), box, SERIES);
  }
  over(a, a + SERIES);
  if (!isCancelled) return;
  memory.copy(functionAt, own, SERIES);
  setTop(box, min(top(box), order));
  compose(box);
  for (let k = 0; k <= order; k++) {
    const x = coefficient(a, k), y = coefficient(box, k), lo = max(lower(x), lower(y)), hi = min(upper(x), upper(y));
    if (lo <= hi) setExact(x, lo, hi);
  }
}

/** Coefficients of the quotient by value i over its box and the zero, up to the third, into `to`. */
function cancelledOf(first: usize, middle: usize, end: usize, i: i32, to: usize): bool {
  const lo = lower(variable(i)), hi = upper(variable(i)), given = order;
  if (!(hi - lo < Infinity)) return false;
  order = ORDER;
  let zero = zeroOf(first, middle, i, 0.5 * (lo + hi), to);
  if (!isZeroOf(first, middle, end, i, zero)) zero = zeroOf(middle, end, i, 0.5 * (lo + hi), to);
  const isZero = isZeroOf(first, middle, end, i, zero);
  if (isZero) {
    setAlong(i, min(lo, zero), max(hi, zero));
    spanOf(first, middle, to);
    spanOf(middle, end, to + SERIES);
    lowerOrder(to);
    lowerOrder(to + SERIES);
    over(to, to + SERIES);
    setUnknown(coefficient(to, ORDER));
  }
  order = given;
  return isZero;
}

function isZeroOf(first: usize, middle: usize, end: usize, i: i32, x: f64): bool {
  return x == x && vanishesAt(first, <i32>((middle - first) >> 2), i, x) && vanishesAt(middle, <i32>((end - middle) >> 2), i, x);
}

/** Coefficient k becomes that of number k + 1. */
function lowerOrder(series: usize): void {
  memory.copy(series, coefficient(series, 1), <usize>ORDER << 4);
  setTop(series, max(0, top(series) - 1));
  clearAbove(series);
}

/** Where words first … end are 0, by Newton's method from x. */
function zeroOf(first: usize, end: usize, i: i32, x: f64, scratch: usize): f64 {
  for (let k = 0; k < NEWTON_STEPS; k++) {
    setAlong(i, x, x);
    spanOf(first, end, scratch);
    const value = 0.5 * (lower(scratch) + upper(scratch)), slope = 0.5 * (lower(coefficient(scratch, 1)) + upper(coefficient(scratch, 1)));
    const next = x - value / slope;
    if (next == x || !(abs(next) < 1e300)) return next;
    x = next;
  }
  return x;
}

/** Words first … end on a stack that begins at `bottom`. */
function spanOf(first: usize, end: usize, bottom: usize): void {
  let at = bottom - SERIES;
  for (let place = first; place < end; place += 4) at = take(load<i32>(place), at);
}

/** Where the operand begins that ends before `end`. */
function operandAt(end: usize): usize {
  let wanted = 1, place = end;
  while (wanted > 0) {
    place -= 4;
    const op = operation(load<i32>(place));
    wanted += op == Op.PUSH ? -1 : isBinary(op) ? 1 : 0;
  }
  return place;
}

/** The value that words first … end name beside fixed ones; −1 where there is none or another. */
function onlyValue(first: usize, end: usize): i32 {
  let found = -1;
  for (let place = first; place < end; place += 4) {
    const word = load<i32>(place), i = operand(word);
    if (operation(word) != Op.PUSH || (top(variable(i)) == 0 && widthOf(variable(i)) == 0.0)) continue;
    if (found >= 0 && found != i) return -1;
    found = i;
  }
  return found;
}

/** What stands above the top is exactly 0. */
function clearAbove(series: usize): void {
  for (let k = top(series) + 1; k <= ORDER; k++) setExact(coefficient(series, k), 0.0, 0.0);
}

function unknown(series: usize, isConstant: bool): void {
  setUnknown(series);
  for (let k = 1; k <= order; k++) setUnknown(coefficient(series, k));
  setTop(series, isConstant ? 0 : order);
  clearAbove(series);
}

// ---- one operand ---------------------------------------------------------------------------------------

function alone(op: i32, n: i32, series: usize): void {
  if (op == Op.NEGATE) { for (let k = 0; k <= top(series); k++) scaleTo(coefficient(series, k), coefficient(series, k), -1.0); return; }
  if (op == Op.POWER_OF) wholePower(series, n, functionAt); else taylorOf(op, series, functionAt);
  compose(series);
}

/** Of g(a) from g's coefficients at `functionAt` and a's (Faà di Bruno). */
function compose(a: usize): void {
  const u1 = coefficient(a, 1), u2 = coefficient(a, 2), u3 = coefficient(a, 3), u4 = coefficient(a, 4);
  memory.copy(a, functionAt, 16);
  if (top(a) == 0) return;
  const isLinear = top(a) == 1;
  const square = partAt, cube = partAt + 16, x = partAt + 32, y = partAt + 48;
  squareTo(square, u1);
  if (order == ORDER) {
    multiplyTo(cube, square, u1);
    // c₄ = g₁u₄ + g₂(2u₁u₃ + u₂²) + 3g₃u₁²u₂ + g₄u₁⁴, then c₃, from the highest down: each needs the ones below
    squareTo(x, square);
    multiplyTo(x, coefficient(functionAt, 4), x);
    if (!isLinear) {
      multiplyTo(y, square, u2);
      scaleTo(y, y, 3.0);
      multiplyTo(y, coefficient(functionAt, 3), y);
      addTo(x, x, y);
      multiplyTo(y, u1, u3);
      scaleTo(y, y, 2.0);
      const second = spareAt;
      squareTo(second, u2);
      addTo(y, y, second);
      multiplyTo(y, coefficient(functionAt, 2), y);
      addTo(x, x, y);
      multiplyTo(y, coefficient(functionAt, 1), u4);
      addTo(x, x, y);
    }
    setExact(u4, lower(x), upper(x));
    // c₃ = g₁u₃ + 2g₂u₁u₂ + g₃u₁³
    multiplyTo(x, coefficient(functionAt, 3), cube);
    if (!isLinear) {
      multiplyTo(y, u1, u2);
      scaleTo(y, y, 2.0);
      multiplyTo(y, coefficient(functionAt, 2), y);
      addTo(x, x, y);
      multiplyTo(y, coefficient(functionAt, 1), u3);
      addTo(x, x, y);
    }
    setExact(u3, lower(x), upper(x));
  }
  multiplyTo(x, coefficient(functionAt, 2), square);
  if (!isLinear) {
    multiplyTo(y, coefficient(functionAt, 1), u2);
    addTo(x, x, y);
  }
  setExact(u2, lower(x), upper(x));
  multiplyTo(u1, coefficient(functionAt, 1), u1);
  setTop(a, order);
}

// ---- two operands --------------------------------------------------------------------------------------

function combine(op: i32, a: usize, b: usize): void {
  switch (op) {
    case Op.ADD: { sum(a, b, false); return; }
    case Op.SUBTRACT: { sum(a, b, true); return; }
    case Op.MULTIPLY: { times(a, b); return; }
    case Op.DIVIDE: { over(a, b); return; }
    case Op.POWER: { power(a, b); return; }
    case Op.ATAN2: { angle(a, b); return; }
    case Op.MIN: { extreme(a, b, true); return; }
    case Op.MAX: { extreme(a, b, false); return; }
    default: remainder(a, b);
  }
}

function sum(a: usize, b: usize, isDifference: bool): void {
  const last = max(top(a), top(b));
  for (let k = 0; k <= last; k++) {
    const x = coefficient(a, k), y = coefficient(b, k);
    if (isDifference) subtractTo(x, x, y); else addTo(x, x, y);
  }
  setTop(a, last);
}

function times(a: usize, b: usize): void {
  const m = top(a), n = top(b), last = min(m + n, order), x = partAt, y = partAt + 16;
  for (let k = last; k >= 0; k--) { // c_k needs a's coefficients up to k alone
    setExact(x, 0.0, 0.0);
    for (let i = max(0, k - n); i <= min(k, m); i++) {
      multiplyTo(y, coefficient(a, i), coefficient(b, k - i));
      addTo(x, x, y);
    }
    setExact(coefficient(a, k), lower(x), upper(x));
  }
  setTop(a, last);
}

/** z_k = (a_k − Σ b_j z_{k−j})/b₀. */
function over(a: usize, b: usize): void {
  const n = top(b), last = n > 0 ? order : top(a), x = partAt, y = partAt + 16, inverse = partAt + 32;
  if (lower(b) <= 0.0 && upper(b) >= 0.0) {
    if (isZero(a) && top(a) == 0) return;
    unknown(a, top(a) == 0 && n == 0);
    return;
  }
  reciprocalTo(inverse, b);
  for (let k = 0; k <= last; k++) {
    setExact(x, lower(coefficient(a, k)), upper(coefficient(a, k)));
    for (let j = 1; j <= min(k, n); j++) {
      multiplyTo(y, coefficient(b, j), coefficient(a, k - j));
      subtractTo(x, x, y);
    }
    multiplyTo(coefficient(a, k), x, inverse);
  }
  setTop(a, last);
}

/** a^b: a power where b is a number, else e^(b ln a). */
function power(a: usize, b: usize): void {
  const q = lower(b);
  if (top(b) == 0 && q == upper(b)) {
    if (q == floor(q) && abs(q) <= 1024.0) wholePower(a, <i32>q, functionAt); else realPower(a, q, functionAt);
    compose(a);
    return;
  }
  taylorOf(Op.LN, a, functionAt);
  compose(a);
  times(a, b);
  taylorOf(Op.EXP, a, functionAt);
  compose(a);
}

/** atan(a/b) where b > 0, ±π/2 − atan(b/a) where a has that sign; elsewhere an angle. */
function angle(a: usize, b: usize): void {
  if (lower(b) > 0.0) {
    over(a, b);
    taylorOf(Op.ATAN, a, functionAt);
    compose(a);
    return;
  }
  if (lower(a) > 0.0 || upper(a) < 0.0) {
    const quarter = lower(a) > 0.0 ? 0.5 * Math.PI : -0.5 * Math.PI;
    over(b, a);
    taylorOf(Op.ATAN, b, functionAt);
    compose(b);
    for (let k = 0; k <= top(b); k++) scaleTo(coefficient(b, k), coefficient(b, k), -1.0);
    shiftTo(b, b, quarter);
    memory.copy(a, b, SERIES);
    return;
  }
  unknown(a, top(a) == 0 && top(b) == 0);
  setExact(a, -Math.PI, Math.PI);
}

/** Where the two may change places it has a kink: its slope is one of theirs, and it has no curvature. */
function extreme(a: usize, b: usize, isLeast: bool): void {
  if (isLeast ? upper(a) <= lower(b) : lower(a) >= upper(b)) return;
  if (isLeast ? upper(b) <= lower(a) : lower(b) >= upper(a)) { memory.copy(a, b, SERIES); return; }
  const last = max(top(a), top(b));
  if (isLeast) setExact(a, min(lower(a), lower(b)), min(upper(a), upper(b)));
  else setExact(a, max(lower(a), lower(b)), max(upper(a), upper(b)));
  if (last == 0) return;
  hullTo(coefficient(a, 1), coefficient(a, 1), coefficient(b, 1));
  for (let k = 2; k <= order; k++) setUnknown(coefficient(a, k));
  setTop(a, order);
}

/** a − b⌊a/b⌋. */
function remainder(a: usize, b: usize): void {
  const whole = spareAt, isConstant = top(a) == 0 && top(b) == 0, most = magnitude(b);
  memory.copy(whole, a, SERIES);
  over(whole, b);
  const n = floor(lower(whole));
  if (n == floor(upper(whole)) && abs(n) < 1e300) {
    for (let k = 0; k <= top(b); k++) scaleTo(coefficient(b, k), coefficient(b, k), n);
    sum(a, b, true);
    return;
  }
  const isNegative = upper(b) <= 0.0, isPositive = lower(b) >= 0.0;
  unknown(a, isConstant);
  setExact(a, isPositive ? 0.0 : -most, isNegative ? 0.0 : most);
}

/** Whether value i stands in program j. */
export function namesValue(j: i32, i: i32): bool {
  const code = codeOf(j), words = wordsOf(j);
  for (let k = 0; k < words; k++) {
    const word = load<i32>(code + (<usize>k << 2));
    if (operation(word) == Op.PUSH && operand(word) == i) return true;
  }
  return false;
}

// ---- work ----------------------------------------------------------------------------------------------

/** Work units (ns of the reference core) of a series of program j. src/solvers/expressions.ts has the same numbers. */
export function seriesWork(j: i32): u64 {
  const code = codeOf(j), words = wordsOf(j);
  let units: u64 = 20;
  for (let i = 0; i < words; i++) units += seriesCost(operation(load<i32>(code + (<usize>i << 2))));
  return units;
}

function seriesCost(op: i32): u64 {
  if (op == Op.PUSH || op == Op.NEGATE || op == Op.ADD || op == Op.SUBTRACT) return 20;
  if (op == Op.MULTIPLY || op == Op.DIVIDE || op == Op.MIN || op == Op.MAX || op == Op.MOD) return 120;
  return op == Op.POWER || (op >= Op.ASINH && op <= Op.ATANH) ? 600 : 400;
}
