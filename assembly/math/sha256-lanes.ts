// SHA-256 (FIPS 180-4, 6.2) of four messages at once, each in a lane of its own: the rounds are those of ./sha256, and
// take about as long for four as there for two. V. Gueron and V. Krasnov, J. Inf. Secur. 3 (2012) 319.

import { bigEndian, INITIAL, K } from "./sha256";

export const LANES: i32 = 4;

/** W_t of 6.2.2, one word of each message side by side; the running hash in the same way. */
const SCHEDULE: usize = memory.data(1024, 16);
const HASH: usize = memory.data(128, 16);

/** Ends a message of `length` bytes at `at` as 5.1.1 does, zeros standing behind it; gives its blocks. */
export function pad(at: usize, length: i32): i32 {
  const blocks = (length + 72) >> 6;
  store<u8>(at + <usize>length, 0x80);
  store<u64>(at + (<usize>blocks << 6) - 8, bswap<u64>(<u64>length << 3));
  return blocks;
}

/** The digests of four padded messages of as many blocks, one behind the other at `messages`; so are they, at `out`. */
export function sha256Lanes(messages: usize, blocks: i32, out: usize): void {
  for (let i: usize = 0; i < 8; i++) v128.store(HASH + (i << 4), v128.load_splat<u32>(INITIAL + (i << 2)));
  const apart = <usize>blocks << 6;
  for (let block = messages; block < messages + apart; block += 64) {
    for (let t: usize = 0; t < 64; t += 16) take(block + t, apart, SCHEDULE + (t << 2));
    compress();
  }
  for (let half: usize = 0; half < 2; half++) {
    const from = HASH + (half << 6);
    transpose(v128.load(from), v128.load(from, 16), v128.load(from, 32), v128.load(from, 48), out + (half << 4), 32);
  }
}

/** Four words of each message. */
@inline function take(at: usize, apart: usize, to: usize): void {
  const first = v128.load(at), second = v128.load(at + apart), third = v128.load(at + 2 * apart), fourth = v128.load(at + 3 * apart);
  transpose(first, second, third, fourth, to, 16);
}

/** Rows become columns, their words turned around, to `to` and each `step` bytes behind. */
@inline function transpose(a: v128, b: v128, c: v128, d: v128, to: usize, step: usize): void {
  const ab = i32x4.shuffle(a, b, 0, 4, 1, 5), cd = i32x4.shuffle(c, d, 0, 4, 1, 5);
  const above = i32x4.shuffle(a, b, 2, 6, 3, 7), beside = i32x4.shuffle(c, d, 2, 6, 3, 7);
  v128.store(to, bigEndian(i64x2.shuffle(ab, cd, 0, 2)));
  v128.store(to + step, bigEndian(i64x2.shuffle(ab, cd, 1, 3)));
  v128.store(to + 2 * step, bigEndian(i64x2.shuffle(above, beside, 0, 2)));
  v128.store(to + 3 * step, bigEndian(i64x2.shuffle(above, beside, 1, 3)));
}

/** The three of 4.1.2 that are turned or moved by constants; `c` is for σ how far it is moved. */
@inline function turned(x: v128, a: i32, b: i32): v128 {
  return v128.xor(
    v128.xor(i32x4.shr_u(x, a), i32x4.shl(x, 32 - a)),
    v128.xor(i32x4.shr_u(x, b), i32x4.shl(x, 32 - b)),
  );
}
@inline function sigma(x: v128, a: i32, b: i32, c: i32): v128 { return v128.xor(turned(x, a, b), i32x4.shr_u(x, c)); }
@inline function Sigma(x: v128, a: i32, b: i32, c: i32): v128 {
  return v128.xor(turned(x, a, b), v128.xor(i32x4.shr_u(x, c), i32x4.shl(x, 32 - c)));
}

/** Σ₁(e) + Ch(e, f, g) + K_t + W_t, W_t being made of the words before it from t = 16 on, in their place. */
@inline function round(t: usize, e: v128, f: v128, g: v128): v128 {
  const word = i32x4.add(v128.load(SCHEDULE + (t << 2)), v128.load_splat<u32>(K + t));
  return i32x4.add(i32x4.add(Sigma(e, 6, 11, 25), v128.xor(g, v128.and(e, v128.xor(f, g)))), word);
}

/** Σ₀(a) + Maj(a, b, c). */
@inline function majority(a: v128, b: v128, c: v128): v128 {
  return i32x4.add(Sigma(a, 2, 13, 22), v128.xor(b, v128.and(v128.xor(a, b), v128.xor(b, c))));
}

function expand(): void {
  let w2 = v128.load(SCHEDULE, 14 << 4), w1 = v128.load(SCHEDULE, 15 << 4);
  for (let at = SCHEDULE + 256; at < SCHEDULE + 1024; at += 32) {
    const even = expanded(at, w2), odd = expanded(at + 16, w1);
    v128.store(at, even);
    v128.store(at, odd, 16);
    w2 = even; w1 = odd;
  }
}

@inline function expanded(at: usize, w2: v128): v128 {
  const kept = i32x4.add(v128.load(at - (7 << 4)), v128.load(at - (16 << 4)));
  return i32x4.add(i32x4.add(sigma(w2, 17, 19, 10), sigma(v128.load(at - (15 << 4)), 7, 18, 3)), kept);
}

/** One block of each message into the running hashes; the letters change places every round, back after eight. */
function compress(): void {
  expand();
  let a = v128.load(HASH), b = v128.load(HASH, 16), c = v128.load(HASH, 32), d = v128.load(HASH, 48);
  let e = v128.load(HASH, 64), f = v128.load(HASH, 80), g = v128.load(HASH, 96), h = v128.load(HASH, 112);
  for (let t: usize = 0; t < 256; t += 32) {
    h = i32x4.add(h, round(t, e, f, g)); d = i32x4.add(d, h); h = i32x4.add(h, majority(a, b, c));
    g = i32x4.add(g, round(t + 4, d, e, f)); c = i32x4.add(c, g); g = i32x4.add(g, majority(h, a, b));
    f = i32x4.add(f, round(t + 8, c, d, e)); b = i32x4.add(b, f); f = i32x4.add(f, majority(g, h, a));
    e = i32x4.add(e, round(t + 12, b, c, d)); a = i32x4.add(a, e); e = i32x4.add(e, majority(f, g, h));
    d = i32x4.add(d, round(t + 16, a, b, c)); h = i32x4.add(h, d); d = i32x4.add(d, majority(e, f, g));
    c = i32x4.add(c, round(t + 20, h, a, b)); g = i32x4.add(g, c); c = i32x4.add(c, majority(d, e, f));
    b = i32x4.add(b, round(t + 24, g, h, a)); f = i32x4.add(f, b); b = i32x4.add(b, majority(c, d, e));
    a = i32x4.add(a, round(t + 28, f, g, h)); e = i32x4.add(e, a); a = i32x4.add(a, majority(b, c, d));
  }
  add(0, a); add(16, b); add(32, c); add(48, d); add(64, e); add(80, f); add(96, g); add(112, h);
}

@inline function add(at: usize, x: v128): void { v128.store(HASH + at, i32x4.add(v128.load(HASH + at), x)); }
