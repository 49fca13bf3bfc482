// Philox4x32-10 (Salmon, Moraes, Dror & Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11): a random function
// of counter and key, so that every draw has an address and no order of work can change it.
//
// Counter (c0 draw or attempt, c1 step or sweep, c2 item, c3 = purpose << 24 | item's high bits); key = the seed's
// low and high word. The four words give two uniforms in (0, 1), ((w0 >>> 6) 2²⁶ + (w1 >>> 6) + ½) 2⁻⁵², exact.

const M0: u64 = 0xd2511f53;
const M1: u64 = 0xcd9e8d57;
const W0: u32 = 0x9e3779b9;
const W1: u32 = 0xbb67ae85;

export namespace Purpose {
  export const VELOCITIES: u32 = 1 << 24;
  export const LINKS: u32 = 2 << 24;
  export const PATHS: u32 = 3 << 24;
  export const SHIFTS: u32 = 4 << 24;
  export const MEASUREMENT: u32 = 5 << 24;
}

/** The four words of one counter, at `out`. */
export function philox(c0: u32, c1: u32, c2: u32, c3: u32, k0: u32, k1: u32, out: usize): void {
  for (let round = 0; round < 10; round++) {
    const p0 = M0 * <u64>c0, p1 = M1 * <u64>c2;
    c0 = <u32>(p1 >> 32) ^ c1 ^ k0;
    c2 = <u32>(p0 >> 32) ^ c3 ^ k1;
    c1 = <u32>p1;
    c3 = <u32>p0;
    k0 += W0;
    k1 += W1;
  }
  store<u32>(out, c0);
  store<u32>(out, c1, 4);
  store<u32>(out, c2, 8);
  store<u32>(out, c3, 12);
}

/** Uniform in (0, 1) from two words: 1.m − (1 − 2⁻⁵³), where m is 52 bits. */
@inline export function uniform(high: u32, low: u32): f64 {
  const m = (<u64>(high >>> 6) << 26) | <u64>(low >>> 6);
  return reinterpret<f64>(0x3ff0000000000000 | m) - 0.9999999999999999;
}

// ---- many at once --------------------------------------------------------------------------------------

@inline function low4(p: v128, q: v128): v128 { return i32x4.shuffle(p, q, 0, 2, 4, 6); }
@inline function high4(p: v128, q: v128): v128 { return i32x4.shuffle(p, q, 1, 3, 5, 7); }

/** The 52-bit mantissas of two lanes, as uniforms. `high` and `low` hold 32-bit words in 64-bit lanes. */
@inline function uniform2(high: v128, low: v128): v128 {
  const m = v128.or(i64x2.shl(i64x2.shr_u(high, 6), 26), i64x2.shr_u(low, 6));
  return f64x2.sub(v128.or(m, i64x2.splat(0x3ff0000000000000)), f64x2.splat(0.9999999999999999));
}

@inline function storeUniforms(high: v128, low: v128, at: usize): void {
  v128.store(at, uniform2(i64x2.extend_low_i32x4_u(high), i64x2.extend_low_i32x4_u(low)));
  v128.store(at, uniform2(i64x2.extend_high_i32x4_u(high), i64x2.extend_high_i32x4_u(low)), 16);
}

/**
 * Uniforms of the items `first` … `first + count − 1` (rounded up to a multiple of 8), of one draw and step: those of
 * words 0, 1 at `a`, those of words 2, 3 at `b`. Two groups of four counters run beside each other.
 */
export function uniformsOfItems(
  c0: u32, c1: u32, first: u32, count: u32, c3: u32, k0: u32, k1: u32, a: usize, b: usize,
): void {
  for (let i: u32 = 0; i < count; i += 8) {
    uniformBlock(c0, c1, first + i, 0, c3, k0, k1, a + (<usize>i << 3), b + (<usize>i << 3));
  }
}

/** The same for successive draws `first` … of one item. */
export function uniformsOfDraws(
  first: u32, c1: u32, c2: u32, count: u32, c3: u32, k0: u32, k1: u32, a: usize, b: usize,
): void {
  for (let i: u32 = 0; i < count; i += 8) {
    uniformBlock(first + i, c1, c2, 1, c3, k0, k1, a + (<usize>i << 3), b + (<usize>i << 3));
  }
}

/** Eight counters from (c0, c1, c2, c3) on; `draws` 1: c0 counts on, 0: c2 does. */
function uniformBlock(
  c0: u32, c1: u32, c2: u32, draws: u32, c3: u32, k0: u32, k1: u32, a: usize, b: usize,
): void {
  const m0 = i32x4.splat(<i32>M0), m1 = i32x4.splat(<i32>M1);
  const ramp = i32x4(0, 1, 2, 3), four = i32x4.splat(4);
  const onDraws = i32x4.splat(<i32>draws), onItems = i32x4.splat(<i32>(1 - draws));
  let x0 = i32x4.add(i32x4.splat(c0), i32x4.mul(ramp, onDraws)), y0 = i32x4.add(x0, i32x4.mul(four, onDraws));
  let x2 = i32x4.add(i32x4.splat(c2), i32x4.mul(ramp, onItems)), y2 = i32x4.add(x2, i32x4.mul(four, onItems));
  let x1 = i32x4.splat(c1), x3 = i32x4.splat(c3), y1 = x1, y3 = x3;
  for (let round = 0; round < 10; round++) {
    const key0 = i32x4.splat(k0), key1 = i32x4.splat(k1);
    const p = i64x2.extmul_low_i32x4_u(x0, m0), q = i64x2.extmul_high_i32x4_u(x0, m0);
    const r = i64x2.extmul_low_i32x4_u(x2, m1), s = i64x2.extmul_high_i32x4_u(x2, m1);
    const t = i64x2.extmul_low_i32x4_u(y0, m0), u = i64x2.extmul_high_i32x4_u(y0, m0);
    const v = i64x2.extmul_low_i32x4_u(y2, m1), w = i64x2.extmul_high_i32x4_u(y2, m1);
    x0 = v128.xor(v128.xor(high4(r, s), x1), key0);
    x2 = v128.xor(v128.xor(high4(p, q), x3), key1);
    y0 = v128.xor(v128.xor(high4(v, w), y1), key0);
    y2 = v128.xor(v128.xor(high4(t, u), y3), key1);
    x1 = low4(r, s);
    x3 = low4(p, q);
    y1 = low4(v, w);
    y3 = low4(t, u);
    k0 += W0;
    k1 += W1;
  }
  storeUniforms(x0, x1, a);
  storeUniforms(y0, y1, a + 32);
  storeUniforms(x2, x3, b);
  storeUniforms(y2, y3, b + 32);
}
