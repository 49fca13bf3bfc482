// Clauses, their watching lists, assignment and propagation (Moskewicz et al., DAC 2001).

import { insert } from "./order";
import {
  arenaWords, at, clauseAt, count, Counter, counter, HEAD, heads, levels, limits, literalAt, n, phases, places, put,
  putLiteral, reasons, setCounter, trail, values, valueOf,
} from "./memory";

/** What propagation has looked at since it was last asked: clauses, and literals of them. */
export let looked: u64 = 0;
export function lookedAgain(): void { looked = 0; }

@inline export function decisionLevel(): i32 { return <i32>counter(Counter.LEVEL); }
@inline export function roomLeft(): i32 { return arenaWords - <i32>counter(Counter.ARENA_USED); }

/** Room for a clause of `size` literals, which the caller fills; its offset. */
export function newClause(size: i32, id: i32, glue: i32): i32 {
  const offset = <i32>counter(Counter.ARENA_USED), clause = clauseAt(offset);
  setCounter(Counter.ARENA_USED, offset + HEAD + size);
  put(clause, 0, size);
  put(clause, 1, id);
  put(clause, 2, glue);
  put(clause, 3, -1);
  put(clause, 4, -1);
  return offset;
}

/** Puts a clause of two literals or more on the lists of its first two. */
export function watch(offset: i32): void {
  const clause = clauseAt(offset);
  for (let i = 0; i < 2; i++) {
    const literal = literalAt(clause, i);
    put(clause, 3 + i, at(heads, literal));
    put(heads, literal, offset);
  }
}

export function clearHeads(): void { for (let i = 0; i < 2 * n; i++) put(heads, i, -1); }

export function assign(literal: i32, reason: i32): void {
  const v = literal >> 1, size = <i32>counter(Counter.TRAIL);
  store<u8>(values + <usize>literal, 1);
  store<u8>(values + <usize>(literal ^ 1), 2);
  put(levels, v, decisionLevel());
  put(reasons, v, reason);
  put(places, v, size);
  put(trail, size, literal);
  setCounter(Counter.TRAIL, size + 1);
}

export function openLevel(): void {
  put(limits, decisionLevel(), <i32>counter(Counter.TRAIL));
  count(Counter.LEVEL, 1);
}

/** Back to a level: later literals are open again, their phases kept. */
export function backTo(level: i32): void {
  if (decisionLevel() <= level) return;
  const from = at(limits, level);
  for (let i = <i32>counter(Counter.TRAIL) - 1; i >= from; i--) {
    const literal = at(trail, i), v = literal >> 1;
    store<u8>(phases + <usize>v, <u8>(literal & 1));
    store<u8>(values + <usize>literal, 0);
    store<u8>(values + <usize>(literal ^ 1), 0);
    insert(v);
  }
  setCounter(Counter.TRAIL, from);
  setCounter(Counter.AHEAD, from);
  setCounter(Counter.LEVEL, level);
}

/** Follows all that the trail forces; the clause that is false then, −1: none. */
export function propagate(): i32 {
  let ahead = <i32>counter(Counter.AHEAD), conflict = -1;
  const first = ahead;
  while (conflict < 0 && ahead < <i32>counter(Counter.TRAIL)) {
    conflict = visit(at(trail, ahead) ^ 1);
    ahead++;
  }
  setCounter(Counter.AHEAD, ahead);
  count(Counter.PROPAGATIONS, ahead - first);
  looked += <u64>(ahead - first);
  return conflict;
}

/** All clauses that watch `literal`, which has turned false. */
function visit(literal: i32): i32 {
  let link = heads + (<usize>literal << 2), offset = load<i32>(link);
  while (offset >= 0) {
    looked++;
    const clause = clauseAt(offset), isSecond = literalAt(clause, 1) == literal;
    const next = clause + (isSecond ? 16 : 12), other = literalAt(clause, isSecond ? 0 : 1);
    if (valueOf(other) == 1) { link = next; offset = load<i32>(next); continue; }
    const place = openPlace(clause);
    if (place > 0) {
      const found = literalAt(clause, place), after = load<i32>(next);
      putLiteral(clause, isSecond ? 1 : 0, found);
      putLiteral(clause, place, literal);
      store<i32>(next, at(heads, found));
      put(heads, found, offset);
      store<i32>(link, after);
      offset = after;
      continue;
    }
    if (valueOf(other) == 2) return offset;
    assign(other, offset);
    link = next;
    offset = load<i32>(next);
  }
  return -1;
}

/** A literal behind the watched ones that is not false; 0: none. */
@inline function openPlace(clause: usize): i32 {
  const size = load<i32>(clause);
  for (let i = 2; i < size; i++) if (valueOf(literalAt(clause, i)) != 2) { looked += <u64>(i - 1); return i; }
  looked += <u64>(size - 2);
  return 0;
}
