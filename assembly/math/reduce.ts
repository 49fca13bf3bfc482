// Sums and dot products of a fixed shape (docs/protocol.md, 'Kernel'): leaf blocks of 1024 elements, in each
// eight partial sums (element i goes to sum i mod 8) that are folded pairwise, then a binary tree over the
// leaves, pair (2i, 2i+1). The shape depends on the count alone, so slices and threads cannot change a bit.
// The rounding error grows with log n instead of n (N. J. Higham, SIAM J. Sci. Comput. 14 (1993) 783).
//
// Callers that work in slices compute leaves [from, to) into a scratch of leafCount(n) f64 and fold at the end.

export const LEAF: i32 = 1024;

@inline export function leafCount(n: i32): i32 { return (n + (LEAF - 1)) >> 10; }

@inline function foldEight(a: v128, b: v128, c: v128, d: v128): f64 {
  const p01 = f64x2.extract_lane(a, 0) + f64x2.extract_lane(a, 1);
  const p23 = f64x2.extract_lane(b, 0) + f64x2.extract_lane(b, 1);
  const p45 = f64x2.extract_lane(c, 0) + f64x2.extract_lane(c, 1);
  const p67 = f64x2.extract_lane(d, 0) + f64x2.extract_lane(d, 1);
  return (p01 + p23) + (p45 + p67);
}

/** Element `i` of the tail (i mod 8 = k) as a lane vector: zero where there is none. */
@inline function tailPair(a: usize, b: usize, left: i32, k: i32): v128 {
  let v = f64x2.splat(0);
  if (left > k) v = f64x2.replace_lane(v, 0, load<f64>(a + (<usize>k << 3)) * load<f64>(b + (<usize>k << 3)));
  if (left > k + 1) v = f64x2.replace_lane(v, 1, load<f64>(a + (<usize>(k + 1) << 3)) * load<f64>(b + (<usize>(k + 1) << 3)));
  return v;
}

/** Σ a_i b_i of one leaf of n ≤ 1024 elements. */
export function dotLeaf(a: usize, b: usize, n: i32): f64 {
  let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
  const whole = a + (<usize>(n & ~7) << 3);
  while (a < whole) {
    s0 = f64x2.add(s0, f64x2.mul(v128.load(a), v128.load(b)));
    s1 = f64x2.add(s1, f64x2.mul(v128.load(a, 16), v128.load(b, 16)));
    s2 = f64x2.add(s2, f64x2.mul(v128.load(a, 32), v128.load(b, 32)));
    s3 = f64x2.add(s3, f64x2.mul(v128.load(a, 48), v128.load(b, 48)));
    a += 64; b += 64;
  }
  const left = n & 7;
  if (left) {
    s0 = f64x2.add(s0, tailPair(a, b, left, 0));
    s1 = f64x2.add(s1, tailPair(a, b, left, 2));
    s2 = f64x2.add(s2, tailPair(a, b, left, 4));
    s3 = f64x2.add(s3, tailPair(a, b, left, 6));
  }
  return foldEight(s0, s1, s2, s3);
}

/** Σ a_i of one leaf of n ≤ 1024 elements. */
export function sumLeaf(a: usize, n: i32): f64 {
  let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
  const whole = a + (<usize>(n & ~7) << 3);
  while (a < whole) {
    s0 = f64x2.add(s0, v128.load(a));
    s1 = f64x2.add(s1, v128.load(a, 16));
    s2 = f64x2.add(s2, v128.load(a, 32));
    s3 = f64x2.add(s3, v128.load(a, 48));
    a += 64;
  }
  const left = n & 7;
  if (left > 0) s0 = f64x2.replace_lane(s0, 0, f64x2.extract_lane(s0, 0) + load<f64>(a));
  if (left > 1) s0 = f64x2.replace_lane(s0, 1, f64x2.extract_lane(s0, 1) + load<f64>(a, 8));
  if (left > 2) s1 = f64x2.replace_lane(s1, 0, f64x2.extract_lane(s1, 0) + load<f64>(a, 16));
  if (left > 3) s1 = f64x2.replace_lane(s1, 1, f64x2.extract_lane(s1, 1) + load<f64>(a, 24));
  if (left > 4) s2 = f64x2.replace_lane(s2, 0, f64x2.extract_lane(s2, 0) + load<f64>(a, 32));
  if (left > 5) s2 = f64x2.replace_lane(s2, 1, f64x2.extract_lane(s2, 1) + load<f64>(a, 40));
  if (left > 6) s3 = f64x2.replace_lane(s3, 0, f64x2.extract_lane(s3, 0) + load<f64>(a, 48));
  return foldEight(s0, s1, s2, s3);
}

/** Leaves [from, to) of Σ a_i b_i, written to `leaves`. */
export function dotLeaves(a: usize, b: usize, n: i32, from: i32, to: i32, leaves: usize): void {
  for (let leaf = from; leaf < to; leaf++) {
    const first = leaf << 10;
    const at = <usize>first << 3;
    store<f64>(leaves + (<usize>leaf << 3), dotLeaf(a + at, b + at, min(LEAF, n - first)));
  }
}

/** Leaves [from, to) of Σ a_i, written to `leaves`. */
export function sumLeaves(a: usize, n: i32, from: i32, to: i32, leaves: usize): void {
  for (let leaf = from; leaf < to; leaf++) {
    const first = leaf << 10;
    store<f64>(leaves + (<usize>leaf << 3), sumLeaf(a + (<usize>first << 3), min(LEAF, n - first)));
  }
}

/** Folds `count` leaves in place by pairs (2i, 2i+1), level by level; an odd one goes up as it is. */
export function foldTree(leaves: usize, count: i32): f64 {
  if (count == 0) return 0;
  while (count > 1) {
    const half = count >> 1;
    for (let i = 0; i < half; i++) {
      const pair = leaves + (<usize>i << 4);
      store<f64>(leaves + (<usize>i << 3), load<f64>(pair) + load<f64>(pair, 8));
    }
    if (count & 1) store<f64>(leaves + (<usize>half << 3), load<f64>(leaves + (<usize>(count - 1) << 3)));
    count = (count + 1) >> 1;
  }
  return load<f64>(leaves);
}

/** Σ a_i b_i at once; `scratch` holds leafCount(n) f64. */
export function dot(a: usize, b: usize, n: i32, scratch: usize): f64 {
  const count = leafCount(n);
  dotLeaves(a, b, n, 0, count, scratch);
  return foldTree(scratch, count);
}

/** Σ a_i at once; `scratch` holds leafCount(n) f64. */
export function sum(a: usize, n: i32, scratch: usize): f64 {
  const count = leafCount(n);
  sumLeaves(a, n, 0, count, scratch);
  return foldTree(scratch, count);
}
