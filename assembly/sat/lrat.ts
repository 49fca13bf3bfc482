// A checker of proofs that shares nothing with the search: it knows clauses by their ids, sets the literals of a new
// clause false, and follows the clauses that are named, each of which must be unit, the last one false (Cruz-Filipe,
// Heule, Hunt, Kaufmann & Schneider-Kamp, CADE 2017, §3). A proof is accepted when it reaches the empty clause.

import { allocate } from "../kernel/frame";

/** By id: address of size and literals, 0: there is none. */
let table: usize = 0;
let known: i32 = 0, greatest: i32 = 0, variables: i32 = 0;
/** By literal 2v, 2v + 1: the number of the clause that is checked, where it is false. */
let falsified: usize = 0;
let round: u32 = 0;
/** Words that were looked at. */
export let visited: u64 = 0;

export function openChecker(n: i32, ids: i32): void {
  variables = n;
  greatest = ids;
  round = 0;
  visited = 0;
  table = allocate(4 * <usize>(ids + 1));
  falsified = allocate(8 * <usize>(n + 1));
}

export function forgetAll(): void { memory.fill(table, 0, 4 * <usize>(greatest + 1)); known = 0; }

@inline function word(at: usize): i32 { return load<i32>(at); }
@inline function slot(literal: i32): usize {
  return falsified + (<usize>(literal > 0 ? 2 * literal - 2 : -2 * literal - 1) << 2);
}
@inline function isFalse(literal: i32): bool { return load<u32>(slot(literal)) == round; }
@inline function setFalse(literal: i32): void { store<u32>(slot(literal), round); }
@inline function isLiteral(literal: i32): bool { return literal != 0 && literal <= variables && literal >= -variables; }
@inline function clauseOf(id: i32): usize { return id > 0 && id <= greatest ? <usize>load<u32>(table + 4 * <usize>id) : 0; }

/** A clause that is given: size and literals at `at`. */
export function give(id: i32, at: usize): void {
  store<u32>(table + 4 * <usize>id, <u32>at);
  known = id;
}

/** Is this a proof? Its words from `from` to `end`. */
export function isProof(from: usize, end: usize): bool {
  let at = from;
  while (at + 8 <= end) {
    const id = word(at);
    if (id == 0) {
      const count = word(at + 4);
      if (count < 0 || at + 8 + 4 * <usize>count > end) return false;
      for (let i = 0; i < count; i++) {
        const gone = word(at + 8 + 4 * <usize>i);
        if (clauseOf(gone) == 0) return false;
        store<u32>(table + 4 * <usize>gone, 0);
      }
      visited += <u64>count;
      at += 8 + 4 * <usize>count;
      continue;
    }
    const size = word(at + 4);
    if (id <= known || id > greatest || size < 0 || size > variables) return false;
    const counted = at + 8 + 4 * <usize>size;
    if (counted + 4 > end) return false;
    const hints = word(counted), next = counted + 4 + 4 * <usize>hints;
    if (hints <= 0 || next > end || hints > 1 << 26) return false;
    if (!follows(at + 4, counted + 4, hints)) return false;
    give(id, at + 4);
    if (size == 0) return true;
    at = next;
  }
  return false;
}

/** Does the clause at `clause` follow by unit propagation along the hints? */
function follows(clause: usize, hints: usize, count: i32): bool {
  round++;
  const size = word(clause);
  for (let i = 1; i <= size; i++) {
    const literal = word(clause + 4 * <usize>i);
    if (!isLiteral(literal)) return false;
    setFalse(literal);
  }
  visited += <u64>(size + count);
  for (let k = 0; k < count; k++) {
    const hint = clauseOf(word(hints + 4 * <usize>k));
    if (hint == 0) return false;
    const unit = unitOf(hint);
    if (unit == 0) return true;
    if (unit == NONE) return false;
    setFalse(-unit);
  }
  return false;
}

const NONE: i32 = i32.MIN_VALUE;

/** The one literal of a clause that is not false; 0: all are; NONE: there are several. */
function unitOf(clause: usize): i32 {
  const size = word(clause);
  let found = 0;
  visited += <u64>size;
  for (let i = 1; i <= size; i++) {
    const literal = word(clause + 4 * <usize>i);
    if (isFalse(literal)) continue;
    if (found != 0) return NONE;
    found = literal;
  }
  return found;
}
