// Followed modes in rows that begin with k [1/m], re and im: their order, and the rectangle of the plane of k around the list in
// which roots are counted (Ahlfors, Complex Analysis, §4.5.2).

let table: usize = 0, numbers: i32 = 0, followed: i32 = 0;

/** `count` rows of so many numbers. */
export function readRows(at: usize, ofEach: i32, count: i32): void {
  table = at;
  numbers = ofEach;
  followed = count;
}

@inline function kRe(i: i32): f64 { return load<f64>(table + (<usize>(i * numbers) << 3)); }
@inline function kIm(i: i32): f64 { return load<f64>(table + (<usize>(i * numbers) << 3), 8); }
@inline function inOrder(order: usize, place: i32): i32 { return load<i32>(order + (<usize>place << 2)); }

/** Whether a mode swings: Q = κ/2 Im k above 1/100. Others only die, as that of even pressure does. */
@inline function swings(i: i32): bool { return kRe(i) > 0.02 * abs(kIm(i)); }

/** Followed modes that swing into `order` (i32), by their κ; says how many there are. */
export function ranked(order: usize): i32 {
  let count = 0;
  for (let i = 0; i < followed; i++) {
    if (!swings(i)) continue;
    let place = count++;
    for (; place > 0 && kRe(inOrder(order, place - 1)) > kRe(i); place--) {
      store<i32>(order + (<usize>place << 2), inOrder(order, place - 1));
    }
    store<i32>(order + (<usize>place << 2), i);
  }
  return count;
}

/** Of the first that is known: a soft spring swings at |Z|/ρc of it from an open end, which may be 1e-5. */
const LEAST: f64 = 1e-6;

let left: f64 = 0, low: f64 = 0;
export let right: f64 = 0, high: f64 = 0;

/** From just right of the modes that only die to beyond the last of `listed`, of `count` in order. */
export function openRim(order: usize, count: i32, listed: i32): void {
  const first = kRe(inOrder(order, 0)), last = kRe(inOrder(order, listed - 1));
  let next = listed;
  while (next < count && kRe(inOrder(order, next)) <= last * (1.0 + 1e-6)) next++;
  right = 1.01 * last;
  if (next < count) right = min(0.5 * (kRe(inOrder(order, next - 1)) + kRe(inOrder(order, next))), right);
  high = 0.0;
  for (let place = 0; place < next; place++) high = max(high, kIm(inOrder(order, place)));
  high = 1.25 * high + 0.25 * right;
  left = LEAST * first;
  low = -0.25 * first;
}

/** Followed modes inside. */
export function knownInside(): i32 {
  let count = 0;
  for (let i = 0; i < followed; i++) if (kRe(i) > left && kRe(i) < right && kIm(i) > low && kIm(i) < high) count++;
  return count;
}

/** The rim from the lower left corner, counter-clockwise: u = 0 … 4. */
export function rimRe(u: f64): f64 {
  const w = right - left;
  return u <= 1.0 ? left + w * u : u <= 2.0 ? right : u <= 3.0 ? right - w * (u - 2.0) : left;
}
export function rimIm(u: f64): f64 {
  const h = high - low;
  return u <= 1.0 ? low : u <= 2.0 ? low + h * (u - 1.0) : u <= 3.0 ? high : high - h * (u - 3.0);
}

export function longestEdge(): f64 { return max(right - left, high - low); }

/** From the rim at u to the next mode that is known, or to 0, in edges of the rim. */
export function clearance(u: f64): f64 {
  let least = Math.hypot(rimRe(u), rimIm(u));
  for (let i = 0; i < followed; i++) least = min(least, Math.hypot(rimRe(u) - kRe(i), rimIm(u) - kIm(i)));
  return least / longestEdge();
}
