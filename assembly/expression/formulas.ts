// Formulas of the caller inside other kernels, in double, at many points: a reaction, a source, a payoff.
//
// The block is that of ./program, the functions those of ./partials. When it is opened each program becomes a list of
// instructions with addresses, in which a push costs nothing and what depends on constants alone is done already. The
// rest runs over a strip of points at once, where an instruction is a loop over the strip and its dispatch is paid once;
// point by point ./point has the same bits.
//
// The values of the block stand in this order:
//   columns   differ from point to point: their f64 are read where `bindColumn` says
//   variables the kernel sets them before a call (`setVariable`), such as the time
//   constants parameters and numerals; never change
//
// Instruction (24 bytes): 0 i32 operation · 4 i32 form · 8 u32 left · 12 u32 right · 16 u32 to · 20 i32 power
// Addresses of f64; of a column the address of the pointer to its f64. Form: LEFT_MANY, RIGHT_MANY for an operand
// that differs from point to point, LEFT_COLUMN, RIGHT_COLUMN for a pointer.

import { allocate, finiteRange } from "../kernel/frame";
import { isBinary, Op, operand, operation } from "./opcodes";
import { binary, powerOf, unary } from "./partials";
import { codeOf, deepestStack, openPrograms, programCount, valueCount, valueOf, wordsOf } from "./program";
import { runOverStrip } from "./strip";

export { programCount };

/** Points of a strip: long enough that dispatch is nothing, short enough that all operands stay in the first cache. */
export const STRIP: i32 = 128;

export const LEFT_MANY: i32 = 1;
export const RIGHT_MANY: i32 = 2;
export const LEFT_COLUMN: i32 = 4;
export const RIGHT_COLUMN: i32 = 8;
const INSTRUCTION: usize = 24;

// Where an operand stands while a program is translated.
const CONSTANT: i32 = 0;
const VARIABLE: i32 = 1;
const COLUMN: i32 = 2;
const TEMPORARY: i32 = 3;

let cellsAt: usize = 0;
let columns: i32 = 0, firstConstant: i32 = 0;
let pointersAt: usize = 0;
let listsAt: usize = 0;
let resultsAt: usize = 0;
let spareAt: usize = 0;
let stripsAt: usize = 0;
let spreadAt: usize = 0;
let kindsAt: usize = 0;
let next: usize = 0;

@inline function cell(i: i32): usize { return cellsAt + (<usize>i << 3); }
@inline export function setVariable(i: i32, x: f64): void { store<f64>(cell(i), x); }
/** Column i of the next strips begins at `at`; what stands behind its end up to a multiple of four must be readable. */
@inline export function bindColumn(i: i32, at: usize): void { store<usize>(pointersAt + (<usize>i << 2), at); }

/**
 * Opens a block whose first `columnCount` values are columns and the next `variableCount` are variables; false for one
 * that is not sound.
 */
export function openFormulas(at: usize, length: i32, columnCount: i32, variableCount: i32): bool {
  if (!openPrograms(at, length)) return false;
  const count = valueCount(), depth = deepestStack();
  columns = columnCount;
  firstConstant = columnCount + variableCount;
  if (firstConstant > count) return false;
  let words = 0;
  for (let j = 0; j < programCount(); j++) words += wordsOf(j);
  cellsAt = allocate(<usize>count << 3);
  for (let i = 0; i < count; i++) store<f64>(cell(i), valueOf(i));
  pointersAt = allocate(<usize>(columns << 2) + 8);
  listsAt = allocate(<usize>(programCount() + 1) << 3);
  resultsAt = allocate(<usize>programCount() << 3);
  spareAt = allocate(<usize>words << 3);
  kindsAt = allocate(<usize>(depth + 1) << 3);
  if (columns > 0) {
    stripsAt = allocate(<usize>depth * STRIP * 8);
    spreadAt = allocate(STRIP * 8);
  }
  next = allocate(<usize>words * INSTRUCTION);
  for (let j = 0; j < programCount(); j++) translate(j);
  store<usize>(listsAt + (<usize>programCount() << 2), next);
  return true;
}

// ---- translation ---------------------------------------------------------------------------------------

@inline function kindOf(height: i32): i32 { return load<i32>(kindsAt + (<usize>height << 3)); }
@inline function placeOf(height: i32): u32 { return load<u32>(kindsAt + (<usize>height << 3), 4); }
@inline function isMany(kind: i32): bool { return kind >= COLUMN; }

function mark(height: i32, kind: i32, place: usize): void {
  store<i32>(kindsAt + (<usize>height << 3), kind);
  store<u32>(kindsAt + (<usize>height << 3), <u32>place, 4);
}

function translate(j: i32): void {
  store<usize>(listsAt + (<usize>j << 2), next);
  const code = codeOf(j), words = wordsOf(j);
  let height = -1;
  for (let i = 0; i < words; i++) {
    const word = load<i32>(code + (<usize>i << 2)), op = operation(word);
    if (op == Op.PUSH) pushValue(++height, operand(word));
    else if (isBinary(op)) { height--; emit(op, height, height + 1, 0); }
    else emit(op, height, -1, operand(word));
  }
  memory.copy(resultsAt + (<usize>j << 3), kindsAt, 8);
}

function pushValue(height: i32, i: i32): void {
  if (i < columns) mark(height, COLUMN, pointersAt + (<usize>i << 2));
  else mark(height, i < firstConstant ? VARIABLE : CONSTANT, cell(i));
}

/** One operation on what stands at `left`, and at `right` where it has two operands. */
function emit(op: i32, left: i32, right: i32, power: i32): void {
  const a = kindOf(left), b = right < 0 ? CONSTANT : kindOf(right);
  const many = isMany(a) || isMany(b);
  let to = stripsAt + <usize>left * STRIP * 8;
  if (!many) { to = spareAt; spareAt += 8; }
  const at = next;
  store<i32>(at, op);
  store<i32>(at, form(a, b), 4);
  store<u32>(at, placeOf(left), 8);
  store<u32>(at, right < 0 ? placeOf(left) : placeOf(right), 12);
  store<u32>(at, <u32>to, 16);
  store<i32>(at, power, 20);
  const constant = a == CONSTANT && b == CONSTANT;
  if (constant) runAtPoint(at);
  else next += INSTRUCTION;
  mark(left, many ? TEMPORARY : constant ? CONSTANT : VARIABLE, to);
}

function form(a: i32, b: i32): i32 {
  return (isMany(a) ? LEFT_MANY : 0) | (isMany(b) ? RIGHT_MANY : 0)
    | (a == COLUMN ? LEFT_COLUMN : 0) | (b == COLUMN ? RIGHT_COLUMN : 0);
}

// ---- at a point ----------------------------------------------------------------------------------------

@inline function runAtPoint(at: usize): void {
  const op = load<i32>(at), a = load<f64>(load<u32>(at, 8)), to = <usize>load<u32>(at, 16);
  if (isBinary(op)) {
    const b = load<f64>(load<u32>(at, 12));
    if (op == Op.MULTIPLY) store<f64>(to, a * b);
    else if (op == Op.ADD) store<f64>(to, a + b);
    else if (op == Op.SUBTRACT) store<f64>(to, a - b);
    else if (op == Op.DIVIDE) store<f64>(to, a / b);
    else store<f64>(to, binary(op, a, b));
  } else if (op == Op.POWER_OF) {
    const n = load<i32>(at, 20);
    store<f64>(to, n == 2 ? a * a : powerOf(a, n));
  } else store<f64>(to, op == Op.NEGATE ? -a : unary(op, a));
}

// ---- over a strip --------------------------------------------------------------------------------------

/** Address of what program j gives at the `count` ≤ STRIP points of its columns; good until the next call. */
export function evaluateStrip(j: i32, count: i32): usize {
  const end = load<usize>(listsAt + (<usize>(j + 1) << 2));
  for (let at = load<usize>(listsAt + (<usize>j << 2)); at < end; at += INSTRUCTION) {
    if (load<i32>(at, 4) & (LEFT_MANY | RIGHT_MANY)) runOverStrip(at, count);
    else runAtPoint(at);
  }
  const kind = load<i32>(resultsAt + (<usize>j << 3)), place = <usize>load<u32>(resultsAt + (<usize>j << 3), 4);
  if (kind == TEMPORARY) return place;
  if (kind == COLUMN) return load<usize>(place);
  const x = load<f64>(place);
  for (let i = 0; i < count; i++) store<f64>(spreadAt + (<usize>i << 3), x);
  return spreadAt;
}

/** The same for any number of points, written to `to`; columns must be bound by `bindColumn` and go on from there. */
export function evaluateField(j: i32, count: i32, to: usize): bool {
  for (let done = 0; done < count; done += STRIP) {
    const points = min(STRIP, count - done);
    memory.copy(to + (<usize>done << 3), evaluateStrip(j, points), <usize>points << 3);
    for (let i = 0; i < columns; i++) {
      const pointer = pointersAt + (<usize>i << 2);
      store<usize>(pointer, load<usize>(pointer) + STRIP * 8);
    }
  }
  return finiteRange(to, count);
}
