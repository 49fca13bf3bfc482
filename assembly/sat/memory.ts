// The whole state of the search stands in one piece of memory, so that a checkpoint is a copy of it. Literals of
// variable v are 2v (true) and 2v + 1 (false); numbers are i32 at addresses that follow from the formula's size alone.
//
// A clause in the arena, i32: 0 size · 4 id · 8 glue, −1: of the formula · 12, 16 the next clause on the lists of its
// first and second literal, as offset in the arena, −1: none · 20 … literals
// The lists run through the clauses themselves (Biere, JSAT 4 (2008) 75), so that they need no room of their own.

import { openState } from "../kernel/frame";

export const COUNTERS: usize = 144;
/** Words before the literals of a clause. */
export const HEAD: i32 = 5;

export let n: i32 = 0;
export let body: usize = 0, values: usize = 0, phases: usize = 0, levels: usize = 0, reasons: usize = 0;
export let trail: usize = 0, limits: usize = 0, places: usize = 0, units: usize = 0, activities: usize = 0;
export let heap: usize = 0, heapPlaces: usize = 0, heads: usize = 0, arena: usize = 0;
export let arenaWords: i32 = 0;

@inline function padded(bytes: usize): usize { return (bytes + 15) & ~(<usize>15); }

/** Lays everything out; the same formula is in the plan. */
export function openMemory(variables: i32, words: i32): void {
  n = variables;
  arenaWords = words;
  const four = padded(<usize>n << 2), one = padded(<usize>n), two = padded(<usize>n << 1), eight = padded(<usize>n << 3);
  body = openState(COUNTERS + two + one + 8 * four + 16 + 2 * eight + padded(<usize>words << 2));
  values = body + COUNTERS;
  phases = values + two;
  levels = phases + one;
  reasons = levels + four;
  trail = reasons + four;
  limits = trail + four;
  places = limits + four + 16;
  units = places + four;
  heap = units + four;
  heapPlaces = heap + four;
  activities = heapPlaces + four;
  heads = activities + eight;
  arena = heads + eight;
}

@inline export function at(array: usize, i: i32): i32 { return load<i32>(array + (<usize>i << 2)); }
@inline export function put(array: usize, i: i32, value: i32): void { store<i32>(array + (<usize>i << 2), value); }
/** 0 open, 1 true, 2 false. */
@inline export function valueOf(literal: i32): i32 { return load<u8>(values + <usize>literal); }
/** Address of a clause by its offset in words. */
@inline export function clauseAt(offset: i32): usize { return arena + (<usize>offset << 2); }
@inline export function literalAt(clause: usize, i: i32): i32 { return load<i32>(clause + (<usize>(HEAD + i) << 2)); }
@inline export function putLiteral(clause: usize, i: i32, literal: i32): void {
  store<i32>(clause + (<usize>(HEAD + i) << 2), literal);
}

// ---- counters, u64 -------------------------------------------------------------------------------------

export namespace Counter {
  export const CONFLICTS: usize = 0;
  export const DECISIONS: usize = 8;
  export const PROPAGATIONS: usize = 16;
  export const RESTARTS: usize = 24;
  export const LEARNT: usize = 32;
  export const DELETED: usize = 40;
  export const NEXT_ID: usize = 48;
  export const ARENA_USED: usize = 56;
  export const TRAIL: usize = 64;
  export const LEVEL: usize = 72;
  export const AHEAD: usize = 80;
  export const HEAP: usize = 88;
  export const REDUCE_AT: usize = 96;
  export const RESTART_AT: usize = 104;
  /** f64: what an activity is bumped by. */
  export const BUMP: usize = 112;
  export const REDUCTIONS: usize = 120;
  /** Words of the proof so far. */
  export const PROOF: usize = 128;
}

@inline export function counter(which: usize): i64 { return load<i64>(body + which); }
@inline export function setCounter(which: usize, value: i64): void { store<i64>(body + which, value); }
@inline export function count(which: usize, by: i64): void { store<i64>(body + which, load<i64>(body + which) + by); }
