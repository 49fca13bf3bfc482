// A binary heap of entries of `bytes` bytes that begin with the f64 by which they are ordered, the largest first (Williams,
// Algorithm 232, CACM 7, 1964). It lies where its owner allocated it; `size` is the number of entries before the call.

/** Takes a copy of `entry` in. */
export function pushEntry(heap: usize, size: i32, bytes: usize, entry: usize): void {
  let i = size;
  while (i > 0) {
    const above = (i - 1) >> 1;
    if (load<f64>(at(heap, above, bytes)) >= load<f64>(entry)) break;
    memory.copy(at(heap, i, bytes), at(heap, above, bytes), bytes);
    i = above;
  }
  memory.copy(at(heap, i, bytes), entry, bytes);
}

/** Moves the largest to `to`. */
export function popEntry(heap: usize, size: i32, bytes: usize, to: usize): void {
  memory.copy(to, heap, bytes);
  const left = size - 1, last = at(heap, left, bytes);
  let i = 0;
  while (2 * i + 1 < left) {
    let k = 2 * i + 1;
    if (k + 1 < left && load<f64>(at(heap, k + 1, bytes)) > load<f64>(at(heap, k, bytes))) k++;
    if (load<f64>(at(heap, k, bytes)) <= load<f64>(last)) break;
    memory.copy(at(heap, i, bytes), at(heap, k, bytes), bytes);
    i = k;
  }
  memory.copy(at(heap, i, bytes), last, bytes);
}

@inline function at(heap: usize, i: i32, bytes: usize): usize { return heap + <usize>i * bytes; }
