// What a conflict teaches: the clause at the first unique implication point (Marques-Silva & Sakallah 1999), without
// the literals that the others imply (Sörensson & Biere, SAT 2009), its glue (Audemard & Simon, IJCAI 2009), and the
// clauses that show it.

import { allocate } from "../kernel/frame";
import { decisionLevel } from "./clauses";
import {
  at, clauseAt, Counter, count, counter, levels, literalAt, n, places, put, reasons, trail, units, valueOf,
} from "./memory";
import { bump } from "./order";
import { dimacs, word } from "./proof";

/** The learnt clause: its literals, the one that it forces first. */
export let learnt: usize = 0;
export let learntSize: i32 = 0;
/** Literals of clauses that were looked at. */
export let resolved: u64 = 0;

/** 0 unseen · 1 in the clause or resolved · 2 known to be implied · 3 known not to be. */
let seen: usize = 0, touched: usize = 0, used: usize = 0, stack: usize = 0, stamps: usize = 0;
let touchedCount: i32 = 0, usedCount: i32 = 0, stamp: i32 = 0;

export function openAnalysis(): void {
  const four = <usize>(n + 4) << 2;
  learnt = allocate(four);
  seen = allocate(<usize>n);
  touched = allocate(four);
  used = allocate(four);
  stack = allocate(2 * four);
  stamps = allocate(four);
  stamp = 0;
}

@inline function isSeen(v: i32): i32 { return load<u8>(seen + <usize>v); }

function mark(v: i32, as: u8): void {
  if (isSeen(v) == 0) put(touched, touchedCount++, v);
  store<u8>(seen + <usize>v, as);
}

/** A variable whose reason the proof needs. */
@inline function use(v: i32): void { put(used, usedCount++, v); }

/** Learns from the clause at `conflict`, above level 0. */
export function learnFrom(conflict: i32): void {
  touchedCount = 0; usedCount = 0; learntSize = 1; resolved = 0;
  let open = 0, index = <i32>counter(Counter.TRAIL) - 1, clause = conflict, literal = -1;
  for (;;) {
    open += resolve(clauseAt(clause), literal);
    while (isSeen(at(trail, index) >> 1) != 1) index--;
    literal = at(trail, index--);
    open--;
    if (open == 0) break;
    clause = at(reasons, literal >> 1);
    use(literal >> 1);
  }
  put(learnt, 0, literal ^ 1);
  minimize();
}

/** Takes in the literals of a clause but `skip`; how many are of this level and new. */
function resolve(clause: usize, skip: i32): i32 {
  const size = load<i32>(clause), level = decisionLevel();
  let open = 0;
  resolved += <u64>size;
  for (let i = 0; i < size; i++) {
    const literal = literalAt(clause, i), v = literal >> 1;
    if (literal == skip || isSeen(v) != 0) continue;
    mark(v, 1);
    if (at(levels, v) == 0) { use(v); continue; }
    bump(v);
    if (at(levels, v) == level) open++;
    else put(learnt, learntSize++, literal);
  }
  return open;
}

function minimize(): void {
  let kept = 1;
  for (let i = 1; i < learntSize; i++) {
    const literal = at(learnt, i), v = literal >> 1;
    if (at(reasons, v) < 0 || !isImplied(v)) put(learnt, kept++, literal);
  }
  learntSize = kept;
}

/** Is v false by its reason, once the other literals of the clause are? Depth first, without recursion. */
function isImplied(v: i32): bool {
  const before = usedCount;
  let depth = 1;
  put(stack, 0, v);
  put(stack, 1, 0);
  while (depth > 0) {
    const top = at(stack, 2 * depth - 2), clause = clauseAt(at(reasons, top)), i = at(stack, 2 * depth - 1);
    if (i == load<i32>(clause)) {
      if (top != v) mark(top, 2);
      use(top);
      depth--;
      continue;
    }
    put(stack, 2 * depth - 1, i + 1);
    resolved++;
    const u = literalAt(clause, i) >> 1, was = isSeen(u);
    if (u == top || was == 1 || was == 2) continue;
    if (at(levels, u) == 0) { mark(u, 2); use(u); continue; }
    if (was == 3 || at(reasons, u) < 0 || depth > n - 2) {
      // Nothing on the way down can be told to be implied; what has been found on the way stays true.
      for (let k = 1; k < depth; k++) if (isSeen(at(stack, 2 * k)) == 0) mark(at(stack, 2 * k), 3);
      if (was == 0) mark(u, 3);
      return false;
    }
    put(stack, 2 * depth, u);
    put(stack, 2 * depth + 1, 0);
    depth++;
  }
  return before <= usedCount;
}

/** Brings a literal of the highest level below this one to place 1; that level. */
export function backLevel(): i32 {
  if (learntSize == 1) return 0;
  let best = 1;
  for (let i = 2; i < learntSize; i++) {
    if (at(levels, at(learnt, i) >> 1) > at(levels, at(learnt, best) >> 1)) best = i;
  }
  const literal = at(learnt, best);
  put(learnt, best, at(learnt, 1));
  put(learnt, 1, literal);
  return at(levels, literal >> 1);
}

/** How many levels the learnt clause touches. */
export function glueOf(): i32 {
  let glue = 0;
  stamp++;
  for (let i = 0; i < learntSize; i++) {
    const level = at(levels, at(learnt, i) >> 1);
    if (at(stamps, level) == stamp) continue;
    put(stamps, level, stamp);
    glue++;
  }
  return glue;
}

// ---- proof ---------------------------------------------------------------------------------------------

/** By place on the trail: a reason comes behind those of the literals it needs. Shell's gaps (Ciura 2001, tripled). */
function sortUsed(): void {
  for (let gap = 701; gap > 0; gap = gap == 701 ? 301 : gap == 301 ? 132 : gap == 132 ? 57 : gap == 57 ? 23 : gap == 23 ? 10 : gap == 10 ? 4 : gap == 4 ? 1 : 0) {
    for (let i = gap; i < usedCount; i++) {
      const v = at(used, i), place = at(places, v);
      let j = i;
      for (; j >= gap && at(places, at(used, j - gap)) > place; j -= gap) put(used, j, at(used, j - gap));
      put(used, j, v);
    }
  }
}

/** Writes the learnt clause with what shows it; its id. */
export function writeLearnt(conflict: i32): i32 {
  const id = <i32>counter(Counter.NEXT_ID);
  count(Counter.NEXT_ID, 1);
  sortUsed();
  word(id);
  word(learntSize);
  for (let i = 0; i < learntSize; i++) word(dimacs(at(learnt, i)));
  let hints = 1;
  for (let i = 0; i < usedCount; i++) if (i == 0 || at(used, i) != at(used, i - 1)) hints++;
  word(hints);
  for (let i = 0; i < usedCount; i++) {
    const v = at(used, i);
    if (i > 0 && v == at(used, i - 1)) continue;
    word(at(levels, v) == 0 ? at(units, v) : load<i32>(clauseAt(at(reasons, v)), 4));
  }
  word(load<i32>(clauseAt(conflict), 4));
  for (let i = 0; i < touchedCount; i++) store<u8>(seen + <usize>at(touched, i), 0);
  return id;
}

/** A clause that is false but for `literal` (−1: wholly) at level 0 makes it a clause of its own. */
export function writeUnit(offset: i32, literal: i32): i32 {
  const clause = clauseAt(offset), size = load<i32>(clause), id = <i32>counter(Counter.NEXT_ID);
  count(Counter.NEXT_ID, 1);
  word(id);
  word(literal < 0 ? 0 : 1);
  if (literal >= 0) word(dimacs(literal));
  word(literal < 0 ? size + 1 : size);
  for (let i = 0; i < size; i++) if (literalAt(clause, i) != literal) word(at(units, literalAt(clause, i) >> 1));
  word(load<i32>(clause, 4));
  return id;
}
