// Lists, flags and sets of rows or columns, sets as bits: what few entries are gone over by.

import { allocate } from "../kernel/frame";
import { m } from "./program";

@inline export function ints(count: i32): usize { return allocate((<usize>count + 1 & ~1) << 2); }
@inline export function intAt(list: usize, k: i32): i32 { return load<i32>(list + (<usize>k << 2)); }
@inline export function putInt(list: usize, k: i32, value: i32): void { store<i32>(list + (<usize>k << 2), value); }

@inline export function flag(list: usize, k: i32): bool { return load<u8>(list + <usize>k) != 0; }
@inline export function setFlag(list: usize, k: i32, value: u8): void { store<u8>(list + <usize>k, value); }

/** Bytes of a set of rows. */
@inline export function setBytes(): usize { return <usize>(m + 63 >> 6) << 3; }
@inline function wordOf(set: usize, i: i32): usize { return set + (<usize>(i >> 6) << 3); }

export function include(set: usize, i: i32): void {
  const word = wordOf(set, i);
  store<u64>(word, load<u64>(word) | (1 << <u64>(i & 63)));
}

export function exclude(set: usize, i: i32): void {
  const word = wordOf(set, i);
  store<u64>(word, load<u64>(word) & ~(1 << <u64>(i & 63)));
}

/** All that `others` has comes into `set`. */
export function unite(set: usize, others: usize): void {
  for (let offset: usize = 0; offset < setBytes(); offset += 8) {
    store<u64>(set + offset, load<u64>(set + offset) | load<u64>(others + offset));
  }
}

export function countOf(set: usize): i32 {
  let count: u64 = 0;
  for (let offset: usize = 0; offset < setBytes(); offset += 8) count += popcnt<u64>(load<u64>(set + offset));
  return <i32>count;
}

/** Lays the members down in ascending order and says how many there are. */
export function listed(set: usize, list: usize): i32 {
  let count = 0;
  for (let offset: usize = 0; offset < setBytes(); offset += 8) {
    for (let bits = load<u64>(set + offset); bits != 0; bits &= bits - 1) {
      putInt(list, count++, <i32>((<u64>offset << 3) + ctz<u64>(bits)));
    }
  }
  return count;
}
