// Verdict of a count: up to 24 variables every assignment is tried, 64 of them at once as the bits of a word; with more
// the search has been done a second time in another order of the variables, and must have found as many; and the first
// search is proved, since a fault of both would be a fault of none: its tree is gone through by decisions, of which both
// branches must follow, forced literals, whose clause must have no other left, and ends, where a clause must have all of
// its literals false or every clause one that is true. Then the ends cover all assignments, each once (as in Fichte,
// Hecher & Roland, Proofs for Propositional Model Counting, SAT 2022), and 2^open summed over the true ones is the count.
//
// Parameters: f64: 0 n · 8 clauses M · 16 words of them · 24 1: try all · then i32: the clauses, size and literals each,
//   padded to 8 bytes · results of one run or two (16 bytes each) · of two the rows of the first: the tree, i32
// Extras (f64): 0 conflicts and leaves
//
// Gates: 2 models · 3 proof

import {
  allocate, countStep, openState, parameterF64, parameters, parametersLength, restoreState, spend,
} from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const CLAUSES: usize = 32;
/** Variables 0 … 5 in the 64 assignments of a word. */
const PATTERNS: StaticArray<u64> = [
  0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
];

let n: i32 = 0, M: i32 = 0;

export function start(_budget: i32): i32 { openState(0); return 1; }
export function restore(length: i32): usize { openState(0); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

export function advance(_steps: i32, _budget: i32): i32 {
  n = <i32>parameterF64(0);
  M = <i32>parameterF64(8);
  const words = <usize>parameterF64(16), results = parameters() + CLAUSES + (((words << 2) + 7) & ~(<usize>7));
  const found = load<f64>(results), isTried = parameterF64(24) == 1.0;
  const reference = isTried ? <f64>tryAll() : load<f64>(results, 16);
  openVerdict(isTried ? 1 : 2, 1);
  gate(2, isTried ? Kind.EXACT : Kind.CERTIFICATE, found, reference, abs(found - reference), 0.0);
  const ends = load<f64>(results, 8);
  let proofBytes: usize = 0;
  if (!isTried) {
    tree = results + 32;
    treeEnd = parameters() + <usize>parametersLength();
    proofBytes = treeEnd - tree;
    const proved = provedModels();
    gate(3, Kind.CERTIFICATE, found, proved, abs(found - proved), 0.0);
  }
  store<f64>(extras(), ends);
  spend(1000 + (isTried ? <u64>blocks() * (<u64>words + 10) : 5 * <u64>proofBytes + <u64>ends * (2 * <u64>words + 20)));
  countStep();
  closeVerdict(found);
  return 1;
}

@inline function blocks(): i32 { return n > 6 ? 1 << (n - 6) : 1; }

function tryAll(): u64 {
  const inUse: u64 = n >= 6 ? ~(<u64>0) : ((<u64>1 << (<u64>1 << n)) - 1);
  let models: u64 = 0;
  for (let block = 0; block < blocks(); block++) {
    let word = inUse, at = parameters() + CLAUSES;
    for (let c = 0; c < M && word != 0; c++) {
      const size = load<i32>(at);
      let clause: u64 = 0;
      for (let i = 1; i <= size; i++) clause |= valuesOf(load<i32>(at + (<usize>i << 2)), block);
      word &= clause;
      at += <usize>(size + 1) << 2;
    }
    models += popcnt<u64>(word);
  }
  return models;
}

/** A literal in the 64 assignments of a block: its number has the bits of the variables from the seventh on. */
@inline function valuesOf(literal: i32, block: i32): u64 {
  const v = abs(literal) - 1;
  const isTrue: u64 = v < 6 ? unchecked(PATTERNS[v]) : (block >> (v - 6)) & 1 ? ~(<u64>0) : 0;
  return literal > 0 ? isTrue : ~isTrue;
}

// ---- proof ---------------------------------------------------------------------------------------------

let tree: usize = 0, treeEnd: usize = 0;
/** Of each literal 1 true, 2 false; what is assigned; of each decision where it stands there, and 1 in its second branch. */
let values: usize = 0, trail: usize = 0, starts: usize = 0, second: usize = 0, clauses: usize = 0;
let assigned: i32 = 0, depth: i32 = 0, isOver: bool = false;

@inline function at(array: usize, i: i32): i32 { return load<i32>(array + (<usize>i << 2)); }
@inline function put(array: usize, i: i32, value: i32): void { store<i32>(array + (<usize>i << 2), value); }
@inline function valueOf(literal: i32): i32 { return load<u8>(values + <usize>literal); }
@inline function inner(literal: i32): i32 { return literal > 0 ? 2 * literal - 2 : -2 * literal - 1; }

/** Models by the tree; −1 where it proves nothing. */
function provedModels(): f64 {
  values = allocate(<usize>(2 * n + 8));
  trail = allocate(<usize>(n + 1) << 2);
  starts = allocate(<usize>(n + 1) << 2);
  second = allocate(<usize>(n + 1) << 2);
  clauses = allocate(<usize>(M + 1) << 2);
  for (let c = 0, address = parameters() + CLAUSES; c < M; c++) {
    put(clauses, c, <i32>address);
    address += <usize>(at(address, 0) + 1) << 2;
  }
  assigned = 0; depth = 0; isOver = false;
  let models: u64 = 0;
  while (tree < treeEnd && !isOver) {
    const word = next(), argument = word >> 2;
    if ((word & 3) == 1) { if (!decide(argument)) return -1.0; continue; }
    if ((word & 3) == 2) { if (!isForced(argument, next())) return -1.0; continue; }
    if ((word & 3) == 3) { if (argument < 0 || argument >= M || !isFalse(argument, -1)) return -1.0; }
    else if (n - assigned > 53 || !allTrue()) return -1.0;
    else models += <u64>1 << (n - assigned);
    goBack();
  }
  return isOver && tree == treeEnd && models <= <u64>1 << 53 ? <f64>models : -1.0;
}

function next(): i32 {
  const word = tree < treeEnd ? load<i32>(tree) : -1;
  tree += 4;
  return word;
}

/** False where the literal is none or has a value. */
function assign(literal: i32): bool {
  if (literal < 0 || literal >= 2 * n || valueOf(literal) != 0) return false;
  store<u8>(values + <usize>literal, 1);
  store<u8>(values + <usize>(literal ^ 1), 2);
  put(trail, assigned++, literal);
  return true;
}

function decide(literal: i32): bool {
  put(starts, depth, assigned);
  put(second, depth, 0);
  depth++;
  return assign(literal);
}

/** The clause has the literal, and its others are false. */
function isForced(literal: i32, c: i32): bool {
  return c >= 0 && c < M && isFalse(c, literal) && assign(literal);
}

/** All literals of a clause are false, but for `left`, which then must be in it. */
function isFalse(c: i32, left: i32): bool {
  const clause = <usize>at(clauses, c);
  let has = left < 0;
  for (let i = 1; i <= at(clause, 0); i++) {
    const literal = inner(at(clause, i));
    if (literal == left) has = true;
    else if (valueOf(literal) != 2) return false;
  }
  return has;
}

function allTrue(): bool {
  for (let c = 0; c < M; c++) {
    const clause = <usize>at(clauses, c);
    let holds = false;
    for (let i = 1; i <= at(clause, 0) && !holds; i++) holds = valueOf(inner(at(clause, i))) == 1;
    if (!holds) return false;
  }
  return true;
}

/** Into the second branch of the last decision that has not had it. */
function goBack(): void {
  for (; depth > 0; depth--) {
    const from = at(starts, depth - 1), literal = at(trail, from);
    while (assigned > from) {
      const last = at(trail, --assigned);
      store<u8>(values + <usize>last, 0);
      store<u8>(values + <usize>(last ^ 1), 0);
    }
    if (at(second, depth - 1) == 1) continue;
    put(second, depth - 1, 1);
    assign(literal ^ 1);
    return;
  }
  isOver = true;
}
