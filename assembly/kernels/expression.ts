// expression: closed forms as bytecode, evaluated in double and in double-double; its own verdict.
//
// The value is the double-double one, rounded. Gates (kind estimate), for each program in turn:
//   0  evaluation   |double − double-double| / |double-double|: what cancellation or a wrong function costs
//   1  rounding     running error bound of the double-double evaluation over |value|
// Uncertainty, to first order (JCGM 100:2008, 5.1.2): u² = Σ (∂f/∂x_i σ_i)² + (rounding)².
//
// Parameters                                     State body, for each program
//   0  i32 programs m (1 … 8)                      0  f64 value, hi
//   4  i32 values n                                8  f64 value, lo
//   8  i32 words of code w                        16  f64 value in double
//  12  i32 deepest stack s                        24  f64 error bound
//  16  n × f64 {hi, lo, σ}                        32  f64 uncertainty
//   …  m × i32 {first word, words}
//   …  w × i32 code, then to a multiple of 8
//
// Result: a verdict of 2m gate rows with extras, for each program: value, lo, uncertainty. One step does it all.

import {
  allocate, configure, countStep, drain, drainLength, fail, isFiniteF64, observe, observeLength, openState, parameterI32, parameters,
  parametersLength, restoreState, result, resultLength, running, spend, state, stateLength, status, stepsDone,
  watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { BOUND, closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { derivative } from "../expression/derivative";
import { evaluate, SLOT, VALUE } from "../expression/evaluate";
import { cost, DERIVATIVE_COST, isBinary, isKnown, Op, operand, operation, PROGRAM_COST } from "../expression/opcodes";

export { configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work };

const HEADER: usize = 16;
const ROW: usize = 40;
const HALF_ULP: f64 = 1.1102230246251565e-16;
const MAX_PROGRAMS: i32 = 8;
const MAX_STACK: i32 = 1024;

let programs: i32 = 0;
let values: i32 = 0;
let valuesAt: usize = 0;
let programsAt: usize = 0;
let codeAt: usize = 0;
let stackAt: usize = 0;
let rowsAt: usize = 0;

export function start(budget: i32): i32 {
  layOut();
  return 1;
}

function layOut(): void {
  programs = parameterI32(0);
  values = parameterI32(4);
  const words = parameterI32(8), depth = parameterI32(12);
  valuesAt = parameters() + HEADER;
  programsAt = valuesAt + <usize>values * VALUE;
  codeAt = programsAt + <usize>programs * 8;
  const sound = soundHeader(words, depth) && soundCode(words, depth);
  rowsAt = openState(sound ? <usize>programs * ROW : 8);
  if (!sound) { fail(Status.INVALID_INPUT); return; }
  watchFinite(rowsAt, programs * 5);
  stackAt = allocate(<usize>depth * SLOT);
  openVerdict(2 * programs, 3 * programs);
}

function soundHeader(words: i32, depth: i32): bool {
  if (programs < 1 || programs > MAX_PROGRAMS || values < 0 || words < 1) return false;
  if (depth < 1 || depth > MAX_STACK || values > 4096 || words > 65536) return false;
  const bytes = 16 + values * 24 + programs * 8 + words * 4;
  return parametersLength() == ((bytes + 7) & ~7);
}

/** Every program stays on the stack and ends with one value on it. */
function soundCode(words: i32, depth: i32): bool {
  for (let j = 0; j < programs; j++) {
    const first = firstWord(j), count = wordsOf(j);
    if (first < 0 || count < 1 || count > words || first > words - count) return false;
    let height = 0;
    for (let i = first; i < first + count; i++) {
      const word = load<i32>(codeAt + (<usize>i << 2)), op = operation(word);
      if (!isKnown(op)) return false;
      if (op == Op.PUSH) { height++; if (operand(word) < 0 || operand(word) >= values) return false; }
      else if (op == Op.POWER_OF && abs(operand(word)) > 1024) return false;
      else if (isBinary(op)) { height--; if (height < 1) return false; }
      else if (height < 1) return false;
      if (height > depth) return false;
    }
    if (height != 1) return false;
  }
  return true;
}

@inline function firstWord(j: i32): i32 { return load<i32>(programsAt + (<usize>j << 3)); }
@inline function wordsOf(j: i32): i32 { return load<i32>(programsAt + (<usize>j << 3), 4); }

export function advance(steps: i32, budget: i32): i32 {
  if (steps < 1 || !running()) return 0;
  for (let j = 0; j < programs; j++) evaluateProgram(j);
  countStep();
  conclude();
  return 1;
}

function evaluateProgram(j: i32): void {
  const code = codeAt + (<usize>firstWord(j) << 2), words = wordsOf(j), row = rowsAt + <usize>j * ROW;
  let units: u64 = PROGRAM_COST;
  for (let i = 0; i < words; i++) units += cost(load<i32>(code + (<usize>i << 2)));
  evaluate(code, words, valuesAt, stackAt);
  const hi = load<f64>(stackAt, 8), error = load<f64>(stackAt, 24);
  store<f64>(row, hi + 0.0);
  store<f64>(row, load<f64>(stackAt, 16) + 0.0, 8);
  store<f64>(row, load<f64>(stackAt) + 0.0, 16);
  store<f64>(row, error, 24);
  const rounding = error + HALF_ULP * abs(hi);
  let uncertainty = rounding;
  for (let i = 0; i < values; i++) {
    const sigma = load<f64>(valuesAt + <usize>i * VALUE, 16);
    if (sigma == 0) continue;
    uncertainty = hypotenuse(uncertainty, derivative(code, words, valuesAt, i, stackAt) * sigma);
    units += DERIVATIVE_COST * <u64>words;
  }
  store<f64>(row, uncertainty, 32);
  spend(units);
}

/** √(a² + b²) without overflow on the way. */
function hypotenuse(a: f64, b: f64): f64 {
  const large = max(abs(a), abs(b)), small = min(abs(a), abs(b));
  if (large == 0 || !isFiniteF64(large)) return large;
  return large * sqrt(1.0 + (small / large) * (small / large));
}

/** |a − b| / |b|; 1 where b alone is zero. */
function difference(a: f64, b: f64): f64 {
  const size = abs(b), distance = abs(a - b);
  return distance == 0 ? 0 : size == 0 ? 1 : distance / size;
}

/** Gate rows and extras from the state. The observed values of a refusal are those of the gate that refused. */
function conclude(): void {
  for (let j = 0; j < programs; j++) {
    const row = rowsAt + <usize>j * ROW, value = load<f64>(row), double = load<f64>(row, 16), error = load<f64>(row, 24);
    gate(0, Kind.ESTIMATE, double, value, difference(double, value), BOUND);
    gate(1, Kind.ESTIMATE, value, value, error == 0 ? 0 : value == 0 ? 1 : error / abs(value), BOUND);
    const at = extras() + <usize>j * 24;
    store<f64>(at, value);
    store<f64>(at, load<f64>(row, 8), 8);
    store<f64>(at, load<f64>(row, 32), 16);
  }
  closeVerdict(load<f64>(rowsAt));
}

export function restore(length: i32): usize {
  layOut();
  return restoreState(length);
}

export function resumed(budget: i32): i32 {
  if (stepsDone() > 0) conclude();
  return 1;
}
