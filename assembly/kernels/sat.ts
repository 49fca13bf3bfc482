// Satisfiability of a formula in conjunctive normal form under a cube, by conflict-driven clause learning (Handbook of
// Satisfiability, ch. 4): two watched literals, learning at the first unique implication point with minimization, VSIDS,
// saved phases, restarts by Luby's sequence (Inf. Process. Lett. 47 (1993) 173), deletion of clauses by their glue. It
// counts conflicts, never seconds. Every clause that is learnt goes to the proof with what shows it (assembly/sat/
// proof.ts), a cube's literals being clauses of their own.
//
// Parameters: f64: 0 variables n · 8 clauses M · 16 words of them · 24 conflicts allowed · 32 literals of the cube ·
//   40 words of the arena · 48 work units allowed · 56 words of the proof
//   allowed · then i32: the clauses, size and DIMACS literals each ·
//   the literals of the cube
// State body: assembly/sat/memory.ts. A step is a conflict, or the end.
// Rows: the proof
// Result (f64): 0 outcome: 1 satisfiable, 0 not, 2 budget spent · 8 conflicts · 16 decisions · 24 propagations · 32 restarts ·
//   40 learnt · 48 deleted · 56 next id · 64 n bytes, 1: true, padded to 8

import {
  allocate, countStep, fail, finish, openResult, openRows, parameterF64, parameters, restoreState, rowsFull, running,
  show, spend, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import {
  backLevel, glueOf, learnFrom, learnt, learntSize, openAnalysis, resolved, writeLearnt, writeUnit,
} from "../sat/analyze";
import {
  assign, backTo, clearHeads, decisionLevel, looked, lookedAgain, newClause, openLevel, propagate, roomLeft, watch,
} from "../sat/clauses";
import {
  at, clauseAt, count, Counter, counter, HEAD, literalAt, n, openMemory, phases, put, putLiteral, reasons,
  setCounter, trail, units, valueOf,
} from "../sat/memory";
import { bump, fillHeap, growBump, takeFirst } from "../sat/order";
import { word } from "../sat/proof";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const CLAUSES: usize = 64;
const LUBY_UNIT: i64 = 64;
const FIRST_REDUCTION: i64 = 700;
const MORE_BETWEEN: i64 = 100;
/** Clauses of so small a glue are kept for ever. */
const KEPT_GLUE: i32 = 2;
/**
 * Bytes of rows that a step may make, more with every literal of the formula and every variable: what its clauses force,
 * or what a reduction deletes. A step begins only where so many are free; room for as many as with no formula stands
 * beyond.
 */
const ROWS: i32 = 1 << 17;
const ROWS_PER_WORD: i32 = 4;
const ROWS_PER_VARIABLE: i32 = 48;
/** Work units: a literal or clause looked at, a literal resolved, a conflict. */
const LOOK: u64 = 6;
const RESOLVE: u64 = 16;
const CONFLICT: u64 = 1000;

let M: i32 = 0;
let allowed: i64 = 0;
let workAllowed: u64 = 0, wordsAllowed: i64 = 0;
let rowsReserved: i32 = 0;
let order: usize = 0;

function prepare(): void {
  M = <i32>parameterF64(8);
  allowed = <i64>parameterF64(24);
  workAllowed = <u64>parameterF64(48);
  wordsAllowed = <i64>parameterF64(56);
  openMemory(<i32>parameterF64(0), <i32>parameterF64(40));
  openAnalysis();
  lookedAgain();
  rowsReserved = ROWS + ROWS_PER_WORD * <i32>parameterF64(16) + ROWS_PER_VARIABLE * n;
  openRows(rowsReserved + ROWS);
  order = allocate(<usize>(n + 2) << 2);
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

// ---- start ---------------------------------------------------------------------------------------------

@inline function internal(literal: i32): i32 { return literal > 0 ? 2 * (literal - 1) : 2 * (-literal - 1) + 1; }

export function start(_budget: i32): i32 {
  prepare();
  const cube = <i32>parameterF64(32), words = <i32>parameterF64(16);
  clearHeads();
  for (let v = 0; v < n; v++) store<u8>(phases + <usize>v, 1);
  fillHeap();
  setCounter(Counter.NEXT_ID, <i64>(M + cube + 1));
  setCounter(Counter.REDUCE_AT, FIRST_REDUCTION);
  setCounter(Counter.RESTART_AT, LUBY_UNIT);
  let at0 = parameters() + CLAUSES;
  for (let id = 1; id <= M && running(); id++) {
    const size = load<i32>(at0);
    addClause(at0 + 4, size, id);
    at0 += <usize>(size + 1) << 2;
  }
  for (let i = 0; i < cube && running(); i++) addClause(parameters() + CLAUSES + (<usize>(words + i) << 2), 1, M + 1 + i);
  spend(1000 + 20 * <u64>words + 50 * <u64>n);
  if (running()) followUnits();
  return 1;
}

function addClause(literals: usize, size: i32, id: i32): void {
  const offset = newClause(size, id, -1), clause = clauseAt(offset);
  for (let i = 0; i < size; i++) {
    const literal = internal(load<i32>(literals + (<usize>i << 2)));
    putLiteral(clause, i, literal);
    if (size > 1) bump(literal >> 1);
  }
  if (size > 1) { watch(offset); return; }
  const literal = size == 0 ? -1 : literalAt(clause, 0);
  if (size == 0 || valueOf(literal) == 2) { writeUnit(offset, -1); conclude(0.0); return; }
  if (valueOf(literal) == 0) { assign(literal, offset); put(units, literal >> 1, id); }
}

/** Propagation at level 0: whatever is forced there becomes a clause of its own. */
function followUnits(): void {
  const from = <i32>counter(Counter.AHEAD), known = <i32>counter(Counter.TRAIL);
  const conflict = propagate();
  for (let i = max(from, known); i < <i32>counter(Counter.TRAIL) && running(); i++) {
    const literal = at(trail, i), v = literal >> 1;
    put(units, v, writeUnit(at(reasons, v), literal));
  }
  charge();
  if (conflict < 0) return;
  writeUnit(conflict, -1);
  conclude(0.0);
}

@inline function charge(): void {
  spend(LOOK * looked);
  lookedAgain();
}

// ---- search --------------------------------------------------------------------------------------------

export function advance(steps: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < steps && running() && work() < end && !rowsFull(rowsReserved)) {
    searchOnce();
    countStep();
    taken++;
    if (running() && isSpent()) conclude(2.0);
  }
  show(0, <f64>counter(Counter.CONFLICTS));
  show(1, <f64>counter(Counter.PROPAGATIONS));
  return taken;
}

@inline function isSpent(): bool {
  return counter(Counter.CONFLICTS) >= allowed || counter(Counter.PROOF) >= wordsAllowed || work() > workAllowed;
}

/** To the next conflict and what it teaches, or to an answer. */
function searchOnce(): void {
  for (;;) {
    const conflict = propagate();
    charge();
    if (conflict >= 0) { learn(conflict); return; }
    const v = openVariable();
    if (v < 0) { conclude(1.0); return; }
    count(Counter.DECISIONS, 1);
    openLevel();
    assign(2 * v + <i32>load<u8>(phases + <usize>v), -1);
  }
}

function openVariable(): i32 {
  let v = takeFirst();
  while (v >= 0 && valueOf(2 * v) != 0) v = takeFirst();
  return v;
}

function learn(conflict: i32): void {
  count(Counter.CONFLICTS, 1);
  spend(CONFLICT);
  learnFrom(conflict);
  const glue = glueOf(), id = writeLearnt(conflict), level = backLevel();
  spend(RESOLVE * resolved);
  growBump();
  backTo(level);
  count(Counter.LEARNT, 1);
  const offset = newClause(learntSize, id, glue), clause = clauseAt(offset), literal = at(learnt, 0);
  for (let i = 0; i < learntSize; i++) putLiteral(clause, i, at(learnt, i));
  if (learntSize > 1) watch(offset);
  assign(literal, offset);
  if (learntSize == 1) { put(units, literal >> 1, id); followUnits(); }
  if (running()) housekeep();
}

/** Restarts and reductions, both by the count of conflicts; a full arena is reduced at once. */
function housekeep(): void {
  const conflicts = counter(Counter.CONFLICTS), isFull = roomLeft() < HEAD + n + 1;
  if (!isFull && conflicts < counter(Counter.RESTART_AT)) return;
  count(Counter.RESTARTS, 1);
  setCounter(Counter.RESTART_AT, conflicts + LUBY_UNIT * luby(counter(Counter.RESTARTS) + 1));
  backTo(0);
  if (isFull || conflicts >= counter(Counter.REDUCE_AT)) reduce(conflicts);
}

/** 1 1 2 1 1 2 4 …, i from 1. */
function luby(i: i64): i64 {
  let power: i64 = 1;
  while (2 * power - 1 < i) power *= 2;
  while (2 * power - 1 != i) {
    i -= power - 1;
    power = 1;
    while (2 * power - 1 < i) power *= 2;
  }
  return power;
}

// ---- reduction -----------------------------------------------------------------------------------------

/** Clauses above this glue go, and the first `goneAtLimit`, the oldest, of those at it. */
let limitGlue: i32 = 0, goneAtLimit: i32 = 0, goneCount: i32 = 0;

function findLimit(end: i32): void {
  memory.fill(order, 0, <usize>(n + 2) << 2);
  let candidates = 0;
  for (let from = 0; from < end;) {
    const clause = clauseAt(from), glue = at(clause, 2);
    if (glue > KEPT_GLUE) { candidates++; put(order, glue, at(order, glue) + 1); }
    from += HEAD + load<i32>(clause);
  }
  goneCount = candidates / 2;
  let missing = goneCount;
  limitGlue = n + 1;
  goneAtLimit = 0;
  for (let glue = n; glue > KEPT_GLUE && missing > 0; glue--) {
    limitGlue = glue;
    goneAtLimit = min(missing, at(order, glue));
    missing -= goneAtLimit;
    if (missing > 0 || goneAtLimit == at(order, glue)) { limitGlue = glue - 1; goneAtLimit = 0; }
  }
}

/** At level 0: the worse half of the learnt clauses goes, the rest moves together and is watched anew. */
function reduce(conflicts: i64): void {
  count(Counter.REDUCTIONS, 1);
  setCounter(Counter.REDUCE_AT, conflicts + FIRST_REDUCTION + MORE_BETWEEN * counter(Counter.REDUCTIONS));
  const end = <i32>counter(Counter.ARENA_USED);
  findLimit(end);
  for (let v = 0; v < n; v++) put(reasons, v, -1);
  clearHeads();
  word(0);
  word(goneCount);
  let to = 0, left = goneAtLimit;
  for (let from = 0; from < end;) {
    const clause = clauseAt(from), words = HEAD + load<i32>(clause), glue = at(clause, 2);
    const goes = glue > limitGlue || (glue == limitGlue && left-- > 0);
    if (goes) word(at(clause, 1));
    else {
      if (to != from) memory.copy(clauseAt(to), clause, <usize>words << 2);
      if (words > HEAD + 1) watch(to);
      to += words;
    }
    from += words;
  }
  setCounter(Counter.ARENA_USED, to);
  count(Counter.DELETED, goneCount);
  spend(4 * <u64>end);
  if (roomLeft() < 4 * (HEAD + n + 1)) fail(Status.LIMIT_EXCEEDED);
}

// ---- end -----------------------------------------------------------------------------------------------

function conclude(outcome: f64): void {
  const out = openResult(64 + ((n + 7) & ~7));
  store<f64>(out, outcome);
  store<f64>(out, <f64>counter(Counter.CONFLICTS), 8);
  store<f64>(out, <f64>counter(Counter.DECISIONS), 16);
  store<f64>(out, <f64>counter(Counter.PROPAGATIONS), 24);
  store<f64>(out, <f64>counter(Counter.RESTARTS), 32);
  store<f64>(out, <f64>counter(Counter.LEARNT), 40);
  store<f64>(out, <f64>counter(Counter.DELETED), 48);
  store<f64>(out, <f64>counter(Counter.NEXT_ID), 56);
  for (let v = 0; v < n; v++) store<u8>(out + 64 + <usize>v, valueOf(2 * v) == 1 ? 1 : 0);
  finish();
}
