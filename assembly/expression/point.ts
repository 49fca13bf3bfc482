// Formulas of the caller at one point after another, in double: a right-hand side, a potential. The functions are those
// of ./partials, and what depends on constants alone is done once.
//
// A program becomes a list of instructions with addresses, in which a push costs nothing. Where a point costs only a few
// operations, finding out which they are is most of the time, so that
//
//   a product and what is done with it are one instruction of three operands, each rounded as by itself
//   what stands twice in the programs that are evaluated together is computed once
//   what depends on the last variable alone, the time, is computed when that changes: RK4 asks twice at every instant
//
// which changes no bit. The values of the block are the variables, which the kernel sets, then constants.
//
// Instruction (24 bytes): 0 i32 operation · 4 u32 left · 8 u32 right · 12 u32 third · 16 u32 to · 20 i32 opcode or power

import { allocate } from "../kernel/frame";
import { isBinary, Op, operand, operation } from "./opcodes";
import { binary, powerOf, unary } from "./partials";
import { codeOf, deepestStack, openPrograms, programCount, valueCount, valueOf, wordsOf } from "./program";

const INSTRUCTION: usize = 24;
/** So many instructions back, the same one is looked for. */
const LOOK_BACK: usize = 64 * INSTRUCTION;

/** Dense, so that the choice between them is one jump. */
namespace Do {
  export const ADD: i32 = 0;
  export const SUBTRACT: i32 = 1;
  export const MULTIPLY: i32 = 2;
  export const DIVIDE: i32 = 3;
  /** third + left · right, third − left · right, left · right − third, left · right · third, left · right / third */
  export const ADD_PRODUCT: i32 = 4;
  export const SUBTRACT_PRODUCT: i32 = 5;
  export const PRODUCT_LESS: i32 = 6;
  export const PRODUCT_TIMES: i32 = 7;
  export const PRODUCT_OVER: i32 = 8;
  export const NEGATE: i32 = 9;
  export const SQUARE: i32 = 10;
  export const CUBE: i32 = 11;
  export const POWER_OF: i32 = 12;
  export const SQRT: i32 = 13;
  export const SIN: i32 = 14;
  export const COS: i32 = 15;
  export const EXP: i32 = 16;
  export const UNARY: i32 = 17;
  export const BINARY: i32 = 18;
  export const COPY: i32 = 19;
  /** With what the instruction before gave, which need not come back from memory: as its left operand, its right one, its third. */
  export const LAST_PLUS: i32 = 20;
  export const LAST_LESS: i32 = 21;
  export const LESS_LAST: i32 = 22;
  export const LAST_TIMES: i32 = 23;
  export const LAST_OVER: i32 = 24;
  export const OVER_LAST: i32 = 25;
  export const LAST_PLUS_PRODUCT: i32 = 26;
  export const LAST_LESS_PRODUCT: i32 = 27;
}

// What an operand depends on.
const CONSTANT: i32 = 0;
const TIME: i32 = 1;
const VARIABLE: i32 = 2;

let cellsAt: usize = 0, variables: i32 = 0, together: i32 = 0;
/** Where the list of each program begins, and results. */
let listsAt: usize = 0, resultsAt: usize = 0;
/** The list that is written, what depends on the time alone, and what is between. */
let next: usize = 0, timesAt: usize = 0, nextOfTime: usize = 0, spareAt: usize = 0;
/** While a program is translated: kind and address of each operand, where its list may be looked back to. */
let stackAt: usize = 0, begins: usize = 0;
/** The last instruction, while nothing else reads what it gives. */
let fresh: usize = 0;
/** Bits of the time that the list of times was run at, where it was. */
let atTime: u64 = 0, hasTime: bool = false;

/** Address of variable i. */
@inline export function cell(i: i32): usize { return cellsAt + (<usize>i << 3); }
/** Sets variable i, not the last. */
@inline export function setVariable(i: i32, x: f64): void { store<f64>(cell(i), x); }
/** Addresses (u32) of what programs gave, one after the other: that of program j is good until a variable above j is set. */
@inline export function results(): usize { return resultsAt; }
@inline export function resultOf(j: i32): f64 { return load<f64>(<usize>load<u32>(resultsAt + (<usize>j << 2))); }

/**
 * Opens a block with so many variables, of which the last is the time; false for one that is not sound. The first
 * `count` programs are always evaluated together.
 */
export function openPoints(at: usize, length: i32, variableCount: i32, count: i32): bool {
  if (!openPrograms(at, length) || variableCount > valueCount() || count > programCount()) return false;
  variables = variableCount;
  together = count;
  let words = 0;
  for (let j = 0; j < programCount(); j++) words += wordsOf(j);
  cellsAt = allocate(<usize>valueCount() << 3);
  for (let i = 0; i < valueCount(); i++) store<f64>(cell(i), valueOf(i));
  listsAt = allocate(<usize>(programCount() + 1) << 2);
  resultsAt = allocate(<usize>programCount() << 2);
  spareAt = allocate(<usize>(words + programCount()) << 3);
  stackAt = allocate(<usize>(deepestStack() + 1) << 3);
  timesAt = allocate(<usize>words * INSTRUCTION);
  nextOfTime = timesAt;
  next = allocate(<usize>(words + programCount()) * INSTRUCTION);
  begins = next;
  for (let j = 0; j < programCount(); j++) translate(j);
  store<u32>(listsAt + (<usize>programCount() << 2), <u32>next);
  for (let j = 0; j < programCount(); j++) join(<usize>load<u32>(listsAt + (<usize>j << 2)), <usize>load<u32>(listsAt + (<usize>(j + 1) << 2)));
  hasTime = false;
  return true;
}

// ---- translation ---------------------------------------------------------------------------------------

@inline function kindOf(height: i32): i32 { return load<i32>(stackAt + (<usize>height << 3)); }
@inline function placeOf(height: i32): u32 { return load<u32>(stackAt + (<usize>height << 3), 4); }
function mark(height: i32, kind: i32, place: u32): void {
  store<i32>(stackAt + (<usize>height << 3), kind);
  store<u32>(stackAt + (<usize>height << 3), place, 4);
}

function translate(j: i32): void {
  store<u32>(listsAt + (<usize>j << 2), <u32>next);
  if (j >= together) begins = next;
  fresh = 0;
  const code = codeOf(j), words = wordsOf(j);
  let height = -1;
  for (let i = 0; i < words; i++) {
    const word = load<i32>(code + (<usize>i << 2)), op = operation(word), value = operand(word);
    if (op == Op.PUSH) mark(++height, value >= variables ? CONSTANT : value == variables - 1 && j < together ? TIME : VARIABLE, <u32>cell(value));
    else if (isBinary(op)) { height--; emit(op, value, height, height + 1); }
    else emit(op, value, height, height);
  }
  conclude(j);
}

/** A variable that is set before the result is read is copied. */
function conclude(j: i32): void {
  let at = placeOf(0);
  if (at < <u32>cell(j)) {
    write(next, Do.COPY, at, at, <u32>spareAt, 0);
    next += INSTRUCTION;
    at = <u32>spareAt;
    spareAt += 8;
  }
  store<u32>(resultsAt + (<usize>j << 2), at);
}

/** One operation on what stands at `left` and `right`; its result takes the place of the first. */
function emit(op: i32, n: i32, left: i32, right: i32): void {
  const kind = max(kindOf(left), kindOf(right)), a = placeOf(left), b = placeOf(right), code = doing(op, n), third = op == Op.POWER_OF ? n : op;
  if (kind == VARIABLE && fuse(code, a, b)) { mark(left, kind, load<u32>(fresh, 16)); return; }
  const list = kind == TIME ? nextOfTime : next, known = found(list, kind == TIME ? timesAt : begins, code, a, b, third);
  if (known != 0) { if (known == fresh) fresh = 0; mark(left, kind, load<u32>(known, 16)); return; }
  write(list, code, a, b, <u32>spareAt, third);
  mark(left, kind, <u32>spareAt);
  spareAt += 8;
  if (kind == CONSTANT) run(list, list + INSTRUCTION);
  else if (kind == TIME) nextOfTime += INSTRUCTION;
  else { fresh = next; next += INSTRUCTION; }
}

function write(at: usize, code: i32, a: u32, b: u32, to: u32, third: i32): void {
  store<i32>(at, code);
  store<u32>(at, a, 4);
  store<u32>(at, b, 8);
  store<u32>(at, a, 12);
  store<u32>(at, to, 16);
  store<i32>(at, third, 20);
}

function found(list: usize, first: usize, code: i32, a: u32, b: u32, third: i32): usize {
  const until = max(first, list > LOOK_BACK ? list - LOOK_BACK : 0);
  for (let at = list; at > until;) {
    at -= INSTRUCTION;
    if (load<i32>(at) == code && load<u32>(at, 4) == a && load<u32>(at, 8) == b && load<i32>(at, 20) == third) return at;
  }
  return 0;
}

/** What is done with a product that nothing else reads becomes part of it. */
function fuse(code: i32, a: u32, b: u32): bool {
  if (fresh == 0 || load<i32>(fresh) != Do.MULTIPLY || a == b) return false;
  const product = load<u32>(fresh, 16);
  let fused = -1;
  if (b == product) fused = code == Do.ADD ? Do.ADD_PRODUCT : code == Do.SUBTRACT ? Do.SUBTRACT_PRODUCT : code == Do.MULTIPLY ? Do.PRODUCT_TIMES : -1;
  else if (a == product) {
    fused = code == Do.ADD ? Do.ADD_PRODUCT : code == Do.SUBTRACT ? Do.PRODUCT_LESS : code == Do.MULTIPLY ? Do.PRODUCT_TIMES
      : code == Do.DIVIDE ? Do.PRODUCT_OVER : -1;
  }
  if (fused < 0) return false;
  store<i32>(fresh, fused);
  store<u32>(fresh, a == product ? b : a, 12);
  return true;
}

/** Instructions that go on with what the one before gave. */
function join(from: usize, end: usize): void {
  for (let at = from + INSTRUCTION; at < end; at += INSTRUCTION) {
    const last = load<u32>(at - INSTRUCTION, 16), a = load<u32>(at, 4), b = load<u32>(at, 8), code = load<i32>(at);
    if (a == b) continue;
    if ((code == Do.ADD || code == Do.MULTIPLY) && b == last) { store<u32>(at, b, 4); store<u32>(at, a, 8); }
    const joined = joinedTo(code, load<u32>(at, 4) == last, b == last, load<u32>(at, 12) == last);
    if (joined >= 0) store<i32>(at, joined);
  }
}

function joinedTo(code: i32, isLeft: bool, isRight: bool, isThird: bool): i32 {
  if (isThird && code == Do.ADD_PRODUCT) return Do.LAST_PLUS_PRODUCT;
  if (isThird && code == Do.SUBTRACT_PRODUCT) return Do.LAST_LESS_PRODUCT;
  if (isLeft) return code == Do.ADD ? Do.LAST_PLUS : code == Do.SUBTRACT ? Do.LAST_LESS : code == Do.MULTIPLY ? Do.LAST_TIMES : code == Do.DIVIDE ? Do.LAST_OVER : -1;
  if (isRight) return code == Do.SUBTRACT ? Do.LESS_LAST : code == Do.DIVIDE ? Do.OVER_LAST : -1;
  return -1;
}

function doing(op: i32, n: i32): i32 {
  switch (op) {
    case Op.ADD: return Do.ADD;
    case Op.SUBTRACT: return Do.SUBTRACT;
    case Op.MULTIPLY: return Do.MULTIPLY;
    case Op.DIVIDE: return Do.DIVIDE;
    case Op.NEGATE: return Do.NEGATE;
    case Op.POWER_OF: return n == 2 ? Do.SQUARE : n == 3 ? Do.CUBE : Do.POWER_OF;
    case Op.SQRT: return Do.SQRT;
    case Op.SIN: return Do.SIN;
    case Op.COS: return Do.COS;
    case Op.EXP: return Do.EXP;
    default: return isBinary(op) ? Do.BINARY : Do.UNARY;
  }
}

// ---- at a point ----------------------------------------------------------------------------------------

/** Sets the last variable. */
@inline export function setTime(t: f64): void { if (!hasTime || atTime != reinterpret<u64>(t)) changeTime(t); }

function changeTime(t: f64): void {
  atTime = reinterpret<u64>(t);
  hasTime = true;
  store<f64>(cell(variables - 1), t);
  run(timesAt, nextOfTime);
}

/** Runs the programs `first` to `last` on the variables as they stand in their cells. */
export function evaluateAt(first: i32, last: i32): void {
  run(<usize>load<u32>(listsAt + (<usize>first << 2)), <usize>load<u32>(listsAt + (<usize>(last + 1) << 2)));
}

@inline function leftOf(at: usize): f64 { return load<f64>(<usize>load<u32>(at, 4)); }
@inline function rightOf(at: usize): f64 { return load<f64>(<usize>load<u32>(at, 8)); }
@inline function thirdOf(at: usize): f64 { return load<f64>(<usize>load<u32>(at, 12)); }

function run(from: usize, end: usize): void {
  let last = 0.0;
  for (let at = from; at < end; at += INSTRUCTION) {
    switch (load<i32>(at)) {
      case Do.ADD: { last = leftOf(at) + rightOf(at); break; }
      case Do.SUBTRACT: { last = leftOf(at) - rightOf(at); break; }
      case Do.MULTIPLY: { last = leftOf(at) * rightOf(at); break; }
      case Do.DIVIDE: { last = leftOf(at) / rightOf(at); break; }
      case Do.ADD_PRODUCT: { last = thirdOf(at) + leftOf(at) * rightOf(at); break; }
      case Do.SUBTRACT_PRODUCT: { last = thirdOf(at) - leftOf(at) * rightOf(at); break; }
      case Do.PRODUCT_LESS: { last = leftOf(at) * rightOf(at) - thirdOf(at); break; }
      case Do.PRODUCT_TIMES: { last = leftOf(at) * rightOf(at) * thirdOf(at); break; }
      case Do.PRODUCT_OVER: { last = leftOf(at) * rightOf(at) / thirdOf(at); break; }
      case Do.NEGATE: { last = -leftOf(at); break; }
      case Do.SQUARE: { const a = leftOf(at); last = a * a; break; }
      case Do.CUBE: { const a = leftOf(at); last = a * (a * a); break; } // in the order of powerOf
      case Do.POWER_OF: { last = powerOf(leftOf(at), load<i32>(at, 20)); break; }
      case Do.SQRT: { last = sqrt(leftOf(at)); break; }
      case Do.SIN: { last = Math.sin(leftOf(at)); break; }
      case Do.COS: { last = Math.cos(leftOf(at)); break; }
      case Do.EXP: { last = Math.exp(leftOf(at)); break; }
      case Do.UNARY: { last = unary(load<i32>(at, 20), leftOf(at)); break; }
      case Do.COPY: { last = leftOf(at); break; }
      case Do.LAST_PLUS: { last = last + rightOf(at); break; }
      case Do.LAST_LESS: { last = last - rightOf(at); break; }
      case Do.LESS_LAST: { last = leftOf(at) - last; break; }
      case Do.LAST_TIMES: { last = last * rightOf(at); break; }
      case Do.LAST_OVER: { last = last / rightOf(at); break; }
      case Do.OVER_LAST: { last = leftOf(at) / last; break; }
      case Do.LAST_PLUS_PRODUCT: { last = last + leftOf(at) * rightOf(at); break; }
      case Do.LAST_LESS_PRODUCT: { last = last - leftOf(at) * rightOf(at); break; }
      default: last = binary(load<i32>(at, 20), leftOf(at), rightOf(at));
    }
    store<f64>(<usize>load<u32>(at, 16), last);
  }
}
