// Number of models of a formula by complete search (Davis, Logemann & Loveland 1962): where every clause is true, what
// is open counts twice for each variable. Variables are chosen in a fixed order, those of most occurrences first, or
// those of fewest: a second order is another tree, whose count must be the same.
//
// Parameters: f64: 0 n · 8 clauses M · 16 words of them · 24 ends allowed · 32 order: 0 most, 1 fewest first · 40 work
//   units allowed · 48 1: writes what proves the count · 56 reserved · then i32: the clauses, size and DIMACS literals each
// State body: 0 models (u64) · 8 ends: conflicts and leaves (u64) · 16 trail · 24 level (u64 each) · 32 0: go down, 1: go
//   back (u64) · 40 words of the proof (u64) · 48 the rest 0, to 64 · i32: trail (n) · start of each level on it (n+1) · 1: its second branch (n+1)
//   values (2n bytes, 1 true, 2 false) · true literals of each clause (M) · open ones (M)
// Result (f64): 0 models · 8 ends
// Rows (i32): the tree as it is searched, every word its argument times four and a kind: 1 a decision, by its literal,
//   whose other branch comes when this one is done · 2 a literal that a clause forces, the clause behind it · 3 an end at a
//   clause all of whose literals are false · 0 an end where every clause is true. Literals are 2(v − 1), +1 where negative.
//
// A step is an end: a conflict or a leaf.

import {
  allocate, appendRow, countStep, fail, finish, openResult, openRows, openState, parameterF64, parameters, restoreState,
  rowsFull, running, show, spend, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const CLAUSES: usize = 64;
const EXACT: u64 = 1 << 53;
const UNIT: u64 = 6;
const ROWS: i32 = 1 << 16;
const MOST_PROOF: u64 = 1 << 23;

let n: i32 = 0, M: i32 = 0;
let body: usize = 0, trail: usize = 0, starts: usize = 0, second: usize = 0, values: usize = 0;
let trueOnes: usize = 0, openOnes: usize = 0;
/** By literal: clauses that hold it, from `firsts` on in `uses`, laid from the last one down (`filled` so far). By clause its address. Variables in their order. */
let firsts: usize = 0, filled: usize = 0, uses: usize = 0, clauses: usize = 0, order: usize = 0;
let looked: u64 = 0;
let proves: bool = false;
/** The clause that the last assignment left without a literal, and the most bytes that an end writes. */
let broken: i32 = 0, mostBytes: i32 = 0;

@inline function at(array: usize, i: i32): i32 { return load<i32>(array + (<usize>i << 2)); }
@inline function put(array: usize, i: i32, value: i32): void { store<i32>(array + (<usize>i << 2), value); }
@inline function field(offset: usize): u64 { return load<u64>(body + offset); }
@inline function setField(offset: usize, value: u64): void { store<u64>(body + offset, value); }
@inline function inner(literal: i32): i32 { return literal > 0 ? 2 * literal - 2 : -2 * literal - 1; }

function prepare(): void {
  n = <i32>parameterF64(0);
  M = <i32>parameterF64(8);
  const words = <usize>parameterF64(16), four = <usize>(n + 2) << 2, each = <usize>(M + 2) << 2;
  body = openState(64 + 3 * four + ((<usize>(2 * n) + 15) & ~(<usize>15)) + 2 * each);
  trail = body + 64;
  starts = trail + four;
  second = starts + four;
  values = second + four;
  trueOnes = values + ((<usize>(2 * n) + 15) & ~(<usize>15));
  openOnes = trueOnes + each;
  firsts = allocate((<usize>(2 * n) + 2) << 2);
  filled = allocate((<usize>(2 * n) + 2) << 2);
  uses = allocate(words << 2);
  clauses = allocate(each);
  order = allocate(four);
  index();
  looked = 0;
  proves = parameterF64(48) == 1.0;
  mostBytes = (4 * n + 8) << 2;
  openRows(proves ? ROWS + mostBytes : 0);
}

/** Lists of uses, and the order. */
function index(): void {
  let address = parameters() + CLAUSES;
  for (let c = 0; c < M; c++) {
    put(clauses, c, <i32>address);
    for (let i = 1; i <= at(address, 0); i++) put(firsts, inner(at(address, i)) + 1, at(firsts, inner(at(address, i)) + 1) + 1);
    address += <usize>(at(address, 0) + 1) << 2;
  }
  for (let l = 0; l < 2 * n; l++) put(firsts, l + 1, at(firsts, l + 1) + at(firsts, l));
  for (let c = M - 1; c >= 0; c--) {
    const clause = <usize>at(clauses, c);
    for (let i = 1; i <= at(clause, 0); i++) {
      const l = inner(at(clause, i));
      put(uses, at(firsts, l + 1) - 1 - at(filled, l), c);
      put(filled, l, at(filled, l) + 1);
    }
  }
  for (let i = 0; i < n; i++) put(order, i, i);
  sortOrder(parameterF64(32) == 1.0);
}

@inline function usesOf(v: i32): i32 { return at(firsts, 2 * v + 2) - at(firsts, 2 * v); }

function sortOrder(fewestFirst: bool): void {
  for (let i = 1; i < n; i++) {
    const v = at(order, i);
    let j = i;
    for (; j > 0; j--) {
      const u = at(order, j - 1), apart = usesOf(u) - usesOf(v);
      if (fewestFirst ? apart <= 0 : apart >= 0) break;
      put(order, j, u);
    }
    put(order, j, v);
  }
}

export function start(_budget: i32): i32 {
  prepare();
  let isEmpty = false;
  for (let c = 0; c < M; c++) {
    const size = at(<usize>at(clauses, c), 0);
    put(openOnes, c, size);
    if (size == 0) { isEmpty = true; broken = c; }
  }
  put(starts, 0, 0);
  spend(1000 + 20 * <u64>parameterF64(16));
  if (isEmpty) { write(4 * broken + 3); conclude(); }
  return 1;
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function write(word: i32): void {
  if (!proves) return;
  store<i32>(appendRow(4), word);
  setField(40, field(40) + 1);
}

// ---- assignment ----------------------------------------------------------------------------------------

/** Sets a literal true; false where a clause has nothing left. */
function assign(literal: i32): bool {
  put(trail, <i32>field(16), literal);
  setField(16, field(16) + 1);
  store<u8>(values + <usize>literal, 1);
  store<u8>(values + <usize>(literal ^ 1), 2);
  let holds = true;
  for (let i = at(firsts, literal); i < at(firsts, literal + 1); i++) {
    const c = at(uses, i);
    put(trueOnes, c, at(trueOnes, c) + 1);
    put(openOnes, c, at(openOnes, c) - 1);
  }
  for (let i = at(firsts, literal ^ 1); i < at(firsts, (literal ^ 1) + 1); i++) {
    const c = at(uses, i), left = at(openOnes, c) - 1;
    put(openOnes, c, left);
    if (left == 0 && at(trueOnes, c) == 0) { holds = false; broken = c; }
  }
  looked += <u64>(at(firsts, literal + 1) - at(firsts, literal) + at(firsts, (literal ^ 1) + 1) - at(firsts, literal ^ 1) + 4);
  return holds;
}

function unassign(literal: i32): void {
  store<u8>(values + <usize>literal, 0);
  store<u8>(values + <usize>(literal ^ 1), 0);
  for (let i = at(firsts, literal); i < at(firsts, literal + 1); i++) {
    const c = at(uses, i);
    put(trueOnes, c, at(trueOnes, c) - 1);
    put(openOnes, c, at(openOnes, c) + 1);
  }
  for (let i = at(firsts, literal ^ 1); i < at(firsts, (literal ^ 1) + 1); i++) {
    put(openOnes, at(uses, i), at(openOnes, at(uses, i)) + 1);
  }
}

/** Assigns what the clauses with one literal left force, until nothing more is; false at a conflict. */
function followAll(from: i32): bool {
  if (from == 0 && !followClauses()) return false;
  for (let i = from; i < <i32>field(16); i++) {
    const literal = at(trail, i) ^ 1;
    for (let use = at(firsts, literal); use < at(firsts, literal + 1); use++) if (!force(at(uses, use))) return false;
  }
  return true;
}

/** At the root every clause may be one of a single literal. */
function followClauses(): bool {
  for (let c = 0; c < M; c++) if (!force(c)) return false;
  return true;
}

function force(c: i32): bool {
  looked++;
  if (at(trueOnes, c) > 0 || at(openOnes, c) != 1) return true;
  const clause = <usize>at(clauses, c);
  for (let i = 1; i <= at(clause, 0); i++) {
    const literal = inner(at(clause, i));
    looked++;
    if (load<u8>(values + <usize>literal) == 0) { write(4 * literal + 2); write(c); return assign(literal); }
  }
  return true;
}

// ---- search --------------------------------------------------------------------------------------------

export function advance(steps: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < steps && running() && work() < end && !(proves && rowsFull(mostBytes))) {
    if (field(32) == 1) goBack();
    if (running()) goDown();
    spend(100 + UNIT * looked);
    looked = 0;
    countStep();
    taken++;
    if (running() && (field(8) >= <u64>parameterF64(24) || work() > <u64>parameterF64(40) || field(40) > MOST_PROOF)) fail(Status.DID_NOT_CONVERGE);
  }
  show(0, <f64>field(0));
  show(1, <f64>field(8));
  show(2, field(40) > MOST_PROOF ? 1.0 : 0.0);
  return taken;
}

/** To the next end. */
function goDown(): void {
  let holds = followAll(field(24) > 0 ? at(starts, <i32>field(24)) : 0);
  while (holds) {
    const v = nextVariable();
    if (v < 0) { leaf(); return; }
    write(8 * v + 1);
    const from = openLevel(2 * v, 0);
    holds = !isBroken && followAll(from);
  }
  write(4 * broken + 3);
  setField(8, field(8) + 1);
  setField(32, 1);
}

function openLevel(literal: i32, isSecond: i32): i32 {
  const level = <i32>field(24) + 1, from = <i32>field(16);
  setField(24, <u64>level);
  put(starts, level, from);
  put(second, level, isSecond);
  isBroken = !assign(literal);
  return from;
}

/** The last branch made a clause false at once. */
let isBroken: bool = false;

/** The first open variable of a clause that is not true yet; −1: all are true. */
function nextVariable(): i32 {
  let isDone = true;
  for (let c = 0; c < M && isDone; c++) { looked++; if (at(trueOnes, c) == 0) isDone = false; }
  if (isDone) return -1;
  for (let i = 0; i < n; i++) {
    const v = at(order, i);
    looked++;
    if (load<u8>(values + <usize>(2 * v)) == 0 && isWanted(v)) return v;
  }
  return -1;
}

/** Does it stand in a clause that is not true yet? */
function isWanted(v: i32): bool {
  for (let i = at(firsts, 2 * v); i < at(firsts, 2 * v + 2); i++) if (at(trueOnes, at(uses, i)) == 0) return true;
  return false;
}

function leaf(): void {
  write(0);
  const open = n - <i32>field(16), models = open > 53 ? EXACT + 1 : <u64>1 << open;
  setField(0, field(0) + models);
  setField(8, field(8) + 1);
  setField(32, 1);
  if (field(0) > EXACT) { show(0, <f64>field(0)); fail(Status.LIMIT_EXCEEDED); }
}

/** To the deepest level whose second branch is still to be taken, and into it. */
function goBack(): void {
  setField(32, 0);
  while (field(24) > 0) {
    const level = <i32>field(24), from = at(starts, level), literal = at(trail, from);
    while (<i32>field(16) > from) {
      setField(16, field(16) - 1);
      unassign(at(trail, <i32>field(16)));
    }
    setField(24, <u64>(level - 1));
    if (at(second, level) == 1) continue;
    openLevel(literal ^ 1, 1);
    if (!isBroken) return;
    write(4 * broken + 3);
    setField(8, field(8) + 1);
  }
  conclude();
}

function conclude(): void {
  const out = openResult(16);
  store<f64>(out, <f64>field(0));
  store<f64>(out, <f64>field(8), 8);
  finish();
}
