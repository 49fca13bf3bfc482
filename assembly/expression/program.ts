// A block of programs, as src/operators/parameters.ts writes it, for kernels that run it, on values of their own if
// need be: its layout, whether it is sound, and one program's row.
//
// Block                                          The row of a program stands in ./row.
//   0  i32 programs m (1 … 32)
//   4  i32 values n
//   8  i32 words of code w
//  12  i32 deepest stack s
//  16  n × f64 {hi, lo, σ}
//   …  m × i32 {first word, words}
//   …  w × i32 code, then to a multiple of 8

import { allocate } from "../kernel/frame";
import { derivative, plain } from "./derivative";
import { evaluate, SLOT, VALUE } from "./evaluate";
import { cost, DERIVATIVE_COST, isBinary, isKnown, isPush, isStep, isTurning, Op, operand, operation, PROGRAM_COST } from "./opcodes";
import { KEPT, PLACES, uncertaintyOf } from "./uncertainty";

const HEADER: usize = 16;
const MAX_PROGRAMS: i32 = 32;
const MAX_VALUES: i32 = 4096;
const MAX_WORDS: i32 = 65536;
const MAX_STACK: i32 = 1024;

let programs: i32 = 0;
let values: i32 = 0;
let programsAt: usize = 0;
let codeAt: usize = 0;
let stackAt: usize = 0;
let workingAt: usize = 0;
let keptAt: usize = 0;
/** Of each program (i32): 1 where it has steps, 2 where it has steps or kinks. */
let kindsAt: usize = 0;
const STEPS: i32 = 1, TURNS: i32 = 2;
let deepest: i32 = 0, allWords: i32 = 0;

@inline export function programCount(): i32 { return programs; }
@inline export function valueCount(): i32 { return values; }

/** Reads the block at `at`; false for one that is not sound. The values are copied: `setValue` changes the copy. */
export function openPrograms(at: usize, length: i32): bool {
  programs = load<i32>(at);
  values = load<i32>(at, 4);
  const words = load<i32>(at, 8), depth = load<i32>(at, 12);
  if (!soundHeader(words, depth, length)) return false;
  programsAt = at + HEADER + <usize>values * VALUE;
  codeAt = programsAt + <usize>programs * 8;
  kindsAt = allocate(<usize>programs << 2);
  for (let j = 0; j < programs; j++) if (!soundCode(j, words, depth)) return false;
  workingAt = allocate(<usize>values * VALUE);
  memory.copy(workingAt, at + HEADER, <usize>values * VALUE);
  keptAt = allocate(<usize>values * KEPT);
  stackAt = allocate(<usize>depth * SLOT);
  deepest = depth;
  allWords = words;
  return true;
}

function soundHeader(words: i32, depth: i32, length: i32): bool {
  if (programs < 1 || programs > MAX_PROGRAMS || values < 0 || values > MAX_VALUES) return false;
  if (words < 1 || words > MAX_WORDS || depth < 1 || depth > MAX_STACK) return false;
  const bytes = 16 + values * 24 + programs * 8 + words * 4;
  return length == ((bytes + 7) & ~7);
}

/** The program stays on the stack and ends with one value on it. */
function soundCode(j: i32, words: i32, depth: i32): bool {
  const first = firstWord(j), count = wordsOf(j);
  if (first < 0 || count < 1 || count > words || first > words - count) return false;
  let height = 0, kind = 0;
  for (let i = first; i < first + count; i++) {
    const word = load<i32>(codeAt + (<usize>i << 2)), op = operation(word);
    if (!isKnown(op)) return false;
    if (isTurning(op)) kind |= isStep(op) ? STEPS | TURNS : TURNS;
    if (isPush(op)) { height++; if (operand(word) < 0 || operand(word) >= values) return false; }
    else if (op == Op.POWER_OF && abs(operand(word)) > 1024) return false;
    else if (isBinary(op)) { height--; if (height < 1) return false; }
    else if (height < 1) return false;
    if (height > depth) return false;
  }
  store<i32>(kindsAt + (<usize>j << 2), kind);
  return height == 1;
}

/** Address and length of a program's code, and the deepest stack of all. */
@inline export function codeOf(j: i32): usize { return codeAt + (<usize>firstWord(j) << 2); }
@inline export function deepestStack(): i32 { return deepest; }
/** Words of all programs, and the first of program j. */
@inline export function wordCount(): i32 { return allWords; }
/** Value `i` of the block. */
@inline export function valueOf(i: i32): f64 { return load<f64>(workingAt + <usize>i * VALUE); }

@inline export function firstWord(j: i32): i32 { return load<i32>(programsAt + (<usize>j << 3)); }
@inline function has(kind: i32, j: i32): bool { return (load<i32>(kindsAt + (<usize>j << 2)) & kind) != 0; }
@inline export function wordsOf(j: i32): i32 { return load<i32>(programsAt + (<usize>j << 3), 4); }

/** Value `i` of the block becomes the double `x`; its uncertainty stays. */
@inline export function setValue(i: i32, x: f64): void { setWideValue(i, x, 0); }

/** The same with a double-double. */
@inline export function setWideValue(i: i32, hi: f64, lo: f64): void {
  const at = workingAt + <usize>i * VALUE;
  store<f64>(at, hi);
  store<f64>(at, lo, 8);
}

/** Work units of program j: its words, twice where it has steps, and the passes for each uncertain value and each pair. */
export function programWork(j: i32): u64 {
  const code = codeAt + (<usize>firstWord(j) << 2), words = wordsOf(j);
  let own: u64 = 0;
  for (let i = 0; i < words; i++) own += cost(load<i32>(code + (<usize>i << 2)));
  let units: u64 = PROGRAM_COST + (has(STEPS, j) ? 2 * own : own);
  const passes: u64 = has(TURNS, j) ? 1 + PLACES : 1;
  let uncertain: u64 = 0;
  for (let i = 0; i < values; i++) if (sigmaOf(i) != 0) uncertain++;
  return units + (uncertain > 0 ? uncertain * (passes + uncertain) + 1 : 0) * DERIVATIVE_COST * <u64>words;
}

@inline function sigmaOf(i: i32): f64 { return load<f64>(workingAt + <usize>i * VALUE, 16); }

/** Runs program j on the values as they are now, and writes its row. */
export function evaluateProgram(j: i32, row: usize): void {
  const code = codeAt + (<usize>firstWord(j) << 2), words = wordsOf(j);
  evaluate(code, words, has(STEPS, j), workingAt, stackAt);
  const hi = load<f64>(stackAt, 8), error = load<f64>(stackAt, 24);
  store<f64>(row, hi + 0.0);
  store<f64>(row, load<f64>(stackAt, 16) + 0.0, 8);
  store<f64>(row, load<f64>(stackAt) + 0.0, 16);
  store<f64>(row, error, 24);
  store<f64>(row, uncertaintyOf(code, words, has(TURNS, j), workingAt, values, stackAt, keptAt, hi, load<f64>(row, 16), error), 32);
}

/** Program j in double alone, by a pass of its own: other code than the one that made its row. */
export function plainValue(j: i32): f64 { return plain(codeOf(j), wordsOf(j), workingAt, stackAt); }

/**
 * Whether `words` at `code` are exactly 0 where value i is x: what is computed without an error leaves no bound of one.
 * The double evaluation is asked first, since it has a value for every angle.
 */
export function vanishesAt(code: usize, words: i32, i: i32, x: f64): bool {
  const value = workingAt + <usize>i * VALUE, hi = load<f64>(value), lo = load<f64>(value, 8);
  setValue(i, x);
  let vanishes = plain(code, words, workingAt, stackAt) == 0;
  if (vanishes) {
    evaluate(code, words, true, workingAt, stackAt);
    vanishes = load<f64>(stackAt, 8) == 0 && load<f64>(stackAt, 16) == 0 && load<f64>(stackAt, 24) == 0;
  }
  setWideValue(i, hi, lo);
  return vanishes;
}

/** ∂(program j)/∂(value i), on the values as they are now. */
export function partialOf(j: i32, i: i32): f64 {
  return derivative(codeOf(j), wordsOf(j), workingAt, i, stackAt);
}

/** Work units of that. */
export function plainWork(j: i32): u64 { return DERIVATIVE_COST * <u64>wordsOf(j); }
