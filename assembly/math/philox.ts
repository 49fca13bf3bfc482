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

/** The keys of the ten rounds, four lanes of either. */
const KEYS: usize = memory.data(320, 16);
/** M₀, M₁, the exponent of 1, 0 1 2 3: constants that the engine would build anew in the loop. */
const WORDS: usize = memory.data<u32>([
  0xd2511f53, 0xd2511f53, 0xd2511f53, 0xd2511f53, 0xcd9e8d57, 0xcd9e8d57, 0xcd9e8d57, 0xcd9e8d57,
  0x3ff00000, 0x3ff00000, 0x3ff00000, 0x3ff00000, 0, 1, 2, 3,
], 16);
const LESS: usize = memory.data<f64>([0.9999999999999999, 0.9999999999999999], 16);

function layKeys(k0: u32, k1: u32): void {
  for (let at = KEYS; at < KEYS + 320; at += 32) {
    v128.store(at, i32x4.splat(k0));
    v128.store(at, i32x4.splat(k1), 16);
    k0 += W0;
    k1 += W1;
  }
}

/** The next c₀ (c₂): the high half of c₂ M₁ (c₀ M₀), XOR c₁ (c₃), XOR a key. The low half is the next c₁ (c₃). */
@inline function mix(c: v128, m: v128, other: v128, key: usize): v128 {
  const low = i64x2.extmul_low_i32x4_u(c, m), high = i64x2.extmul_high_i32x4_u(c, m);
  return v128.xor(v128.xor(i32x4.shuffle(low, high, 1, 3, 5, 7), other), v128.load(key));
}

/** The 52-bit mantissas of four counters, as uniforms. */
@inline function storeUniforms(w0: v128, w1: v128, at: usize): void {
  const high = v128.or(i32x4.shr_u(w0, 12), v128.load(WORDS + 32));
  const low = v128.or(i32x4.shl(i32x4.shr_u(w0, 6), 26), i32x4.shr_u(w1, 6));
  v128.store(at, f64x2.sub(i32x4.shuffle(low, high, 0, 4, 1, 5), v128.load(LESS)));
  v128.store(at, f64x2.sub(i32x4.shuffle(low, high, 2, 6, 3, 7), v128.load(LESS)), 16);
}

/**
 * Uniforms of the items `first` … `first + count − 1` (rounded up to a multiple of 8), of one draw and step: those of
 * words 0, 1 at `a`, those of words 2, 3 at `b`.
 */
export function uniformsOfItems(
  c0: u32, c1: u32, first: u32, count: u32, c3: u32, k0: u32, k1: u32, a: usize, b: usize,
): void {
  layKeys(k0, k1);
  const ramp = v128.load(WORDS + 48);
  uniformBlocks(i32x4.splat(c0), i32x4.splat(0), c1, i32x4.add(i32x4.splat(first), ramp), i32x4.splat(4), count, c3, a, b);
}

/** The same for successive draws `first` … of one item. */
export function uniformsOfDraws(
  first: u32, c1: u32, c2: u32, count: u32, c3: u32, k0: u32, k1: u32, a: usize, b: usize,
): void {
  layKeys(k0, k1);
  const ramp = v128.load(WORDS + 48);
  uniformBlocks(i32x4.add(i32x4.splat(first), ramp), i32x4.splat(4), c1, i32x4.splat(c2), i32x4.splat(0), count, c3, a, b);
}

/**
 * Eight counters a turn, two groups of four beside each other, which go on by `pace0` in c₀ and `pace2` in c₂. The
 * rounds are written out: a loop over them costs a tenth, for the engine's check of its stack and for moved registers.
 */
function uniformBlocks(
  c0: v128, pace0: v128, c1: u32, c2: v128, pace2: v128, count: u32, c3: u32, a: usize, b: usize,
): void {
  for (let i: u32 = 0; i < count; i += 8) {
    const m = v128.load(WORDS), n = v128.load(WORDS + 16);
    let x0 = c0, x1 = i32x4.splat(c1), x2 = c2, x3 = i32x4.splat(c3), x: v128;
    let y0 = i32x4.add(c0, pace0), y1 = x1, y2 = i32x4.add(c2, pace2), y3 = x3, y: v128;
    c0 = i32x4.add(y0, pace0);
    c2 = i32x4.add(y2, pace2);
    x = mix(x2, n, x1, KEYS); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 16); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 16); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 32); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 48); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 32); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 48); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 64); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 80); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 64); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 80); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 96); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 112); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 96); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 112); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 128); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 144); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 128); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 144); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 160); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 176); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 160); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 176); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 192); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 208); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 192); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 208); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 224); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 240); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 224); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 240); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 256); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 272); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 256); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 272); y3 = i32x4.mul(y0, m); y0 = y;
    x = mix(x2, n, x1, KEYS + 288); x1 = i32x4.mul(x2, n); x2 = mix(x0, m, x3, KEYS + 304); x3 = i32x4.mul(x0, m); x0 = x;
    y = mix(y2, n, y1, KEYS + 288); y1 = i32x4.mul(y2, n); y2 = mix(y0, m, y3, KEYS + 304); y3 = i32x4.mul(y0, m); y0 = y;
    storeUniforms(x0, x1, a);
    storeUniforms(y0, y1, a + 32);
    storeUniforms(x2, x3, b);
    storeUniforms(y2, y3, b + 32);
    a += 64;
    b += 64;
  }
}
