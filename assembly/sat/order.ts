// Variables in the order of their activity, a binary heap; of equal ones the smaller index comes first (VSIDS as in
// Eén & Sörensson, SAT 2003, with a bump that grows by 1/0.95 a conflict).

import { activities, at, body, Counter, counter, heap, heapPlaces, n, put, setCounter } from "./memory";

const DECAY: f64 = 0.95;
const LARGEST: f64 = 1e100;

@inline function activity(v: i32): f64 { return load<f64>(activities + (<usize>v << 3)); }

@inline function isBefore(a: i32, b: i32): bool {
  const x = activity(a), y = activity(b);
  return x > y || (x == y && a < b);
}

@inline function stand(v: i32, place: i32): void { put(heap, place, v); put(heapPlaces, v, place); }

function rise(v: i32): void {
  let place = at(heapPlaces, v);
  while (place > 0) {
    const above = at(heap, (place - 1) >> 1);
    if (!isBefore(v, above)) break;
    stand(above, place);
    place = (place - 1) >> 1;
  }
  stand(v, place);
}

function sink(v: i32): void {
  const size = <i32>counter(Counter.HEAP);
  let place = at(heapPlaces, v);
  for (;;) {
    let child = 2 * place + 1;
    if (child >= size) break;
    if (child + 1 < size && isBefore(at(heap, child + 1), at(heap, child))) child++;
    if (!isBefore(at(heap, child), v)) break;
    stand(at(heap, child), place);
    place = child;
  }
  stand(v, place);
}

export function fillHeap(): void {
  store<f64>(body + Counter.BUMP, 1.0);
  for (let v = 0; v < n; v++) stand(v, v);
  setCounter(Counter.HEAP, n);
  for (let v = n - 1; v >= 0; v--) sink(v);
}

export function insert(v: i32): void {
  if (at(heapPlaces, v) >= 0) return;
  const size = <i32>counter(Counter.HEAP);
  setCounter(Counter.HEAP, size + 1);
  stand(v, size);
  rise(v);
}

/** The first variable leaves the heap; −1 where it is empty. */
export function takeFirst(): i32 {
  const size = <i32>counter(Counter.HEAP) - 1;
  if (size < 0) return -1;
  const first = at(heap, 0), last = at(heap, size);
  setCounter(Counter.HEAP, size);
  put(heapPlaces, first, -1);
  if (size > 0) {
    stand(last, 0);
    sink(last);
  }
  return first;
}

export function setActivity(v: i32, value: f64): void { store<f64>(activities + (<usize>v << 3), value); }

export function bump(v: i32): void {
  const grown = activity(v) + load<f64>(body + Counter.BUMP);
  setActivity(v, grown);
  if (grown > LARGEST) rescale();
  if (at(heapPlaces, v) >= 0) rise(v);
}

function rescale(): void {
  for (let v = 0; v < n; v++) setActivity(v, activity(v) * 1e-100);
  store<f64>(body + Counter.BUMP, load<f64>(body + Counter.BUMP) * 1e-100);
}

export function growBump(): void { store<f64>(body + Counter.BUMP, load<f64>(body + Counter.BUMP) / DECAY); }
