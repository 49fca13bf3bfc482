// SHA-256 (FIPS 180-4, 6.2) of four messages at once, each in a lane of its own: the rounds are those of ./sha256, and
// take about as long for four as there for two. V. Gueron and V. Krasnov, J. Inf. Secur. 3 (2012) 319.

import { bigEndian, INITIAL, K } from "./sha256";

export const LANES: i32 = 4;

/** W_t of 6.2.2, one word of each message side by side, at times with its K_t; the running hash in the same way. */
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
  begin();
  const apart = <usize>blocks << 6;
  for (let block = messages; block < messages + apart; block += 64) compress(block, apart);
  end(out);
}

function begin(): void {
  for (let i: usize = 0; i < 8; i++) v128.store(HASH + (i << 4), v128.load_splat<u32>(INITIAL + (i << 2)));
}

function end(out: usize): void {
  for (let half: usize = 0; half < 2; half++) {
    const from = HASH + (half << 6);
    transpose(v128.load(from), v128.load(from, 16), v128.load(from, 32), v128.load(from, 48), out + (half << 4), 32, true);
  }
}

// ---- messages of 65 bytes --------------------------------------------------------------------------------
// Their second block has one byte of its own, so that all its schedules fit into a table: K_t + W_t for every byte.

const PAIR: i32 = 65;
const ENTRY: usize = 256;
export const LAST_BLOCKS: usize = 256 * ENTRY;

/** Fills such a table, of LAST_BLOCKS bytes at `table`. */
export function openLastBlocks(table: usize): void {
  for (let byte: usize = 0; byte < 256; byte += <usize>LANES) {
    memory.fill(SCHEDULE, 0, 1024);
    const first = i32x4.add(i32x4.splat(<i32>byte), i32x4(0, 1, 2, 3));
    v128.store(SCHEDULE, v128.or(i32x4.shl(first, 24), i32x4.splat(0x800000)));
    v128.store(SCHEDULE, i32x4.splat(PAIR << 3), 15 << 4);
    for (let t: usize = 64; t < 256; t += 4) expand(t);
    for (let t: usize = 0; t < 256; t += 16) {
      const at = SCHEDULE + (t << 2);
      transpose(keyed(at, t), keyed(at + 16, t + 4), keyed(at + 32, t + 8), keyed(at + 48, t + 12), table + byte * ENTRY + t, ENTRY, false);
    }
  }
}

@inline function keyed(at: usize, t: usize): v128 { return i32x4.add(v128.load(at), v128.load_splat<u32>(K + t)); }

/** As `sha256Lanes` of two blocks, for messages of 65 bytes. */
export function sha256Pairs(messages: usize, table: usize, out: usize): void {
  begin();
  compress(messages, 128);
  const last = messages + 64;
  const first = rowOf(table, last), second = rowOf(table, last + 128), third = rowOf(table, last + 256), fourth = rowOf(table, last + 384);
  for (let t: usize = 0; t < 256; t += 16) {
    transpose(v128.load(first + t), v128.load(second + t), v128.load(third + t), v128.load(fourth + t), SCHEDULE + (t << 2), 16, false);
  }
  compressKeyed();
  end(out);
}

@inline function rowOf(table: usize, byte: usize): usize { return table + <usize>load<u8>(byte) * ENTRY; }

// ---- blocks ------------------------------------------------------------------------------------------------

/** Four words of each message. */
@inline function take(at: usize, apart: usize, to: usize): void {
  transpose(v128.load(at), v128.load(at + apart), v128.load(at + 2 * apart), v128.load(at + 3 * apart), to, 16, true);
}

/** Rows become columns, their words turned around or not, to `to` and each `step` bytes behind. */
@inline function transpose(a: v128, b: v128, c: v128, d: v128, to: usize, step: usize, turn: bool): void {
  const ab = i32x4.shuffle(a, b, 0, 4, 1, 5), cd = i32x4.shuffle(c, d, 0, 4, 1, 5);
  const above = i32x4.shuffle(a, b, 2, 6, 3, 7), beside = i32x4.shuffle(c, d, 2, 6, 3, 7);
  column(i64x2.shuffle(ab, cd, 0, 2), to, turn);
  column(i64x2.shuffle(ab, cd, 1, 3), to + step, turn);
  column(i64x2.shuffle(above, beside, 0, 2), to + 2 * step, turn);
  column(i64x2.shuffle(above, beside, 1, 3), to + 3 * step, turn);
}

@inline function column(words: v128, to: usize, turn: bool): void { v128.store(to, turn ? bigEndian(words) : words); }

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

/** Σ₁(e) + Ch(e, f, g) + K_t + W_t. */
@inline function round(e: v128, f: v128, g: v128, word: v128): v128 {
  return i32x4.add(i32x4.add(Sigma(e, 6, 11, 25), v128.xor(g, v128.and(e, v128.xor(f, g)))), word);
}

/** With the word of a message, of one that is made of the words before it, and of one to which K_t was added. */
@inline function given(t: usize, e: v128, f: v128, g: v128): v128 { return round(e, f, g, keyed(SCHEDULE + (t << 2), t)); }
@inline function made(t: usize, e: v128, f: v128, g: v128): v128 {
  return round(e, f, g, i32x4.add(expand(t), v128.load_splat<u32>(K + t)));
}
@inline function known(t: usize, e: v128, f: v128, g: v128): v128 { return round(e, f, g, v128.load(SCHEDULE + (t << 2))); }

/** Σ₀(a) + Maj(a, b, c). */
@inline function majority(a: v128, b: v128, c: v128): v128 {
  return i32x4.add(Sigma(a, 2, 13, 22), v128.xor(b, v128.and(v128.xor(a, b), v128.xor(b, c))));
}

/** W_t from t = 16 on, in its place; t counts bytes of a message. */
@inline function expand(t: usize): v128 {
  const at = SCHEDULE + (t << 2);
  const word = i32x4.add(
    i32x4.add(sigma(v128.load(at - (2 << 4)), 17, 19, 10), sigma(v128.load(at - (15 << 4)), 7, 18, 3)),
    i32x4.add(v128.load(at - (7 << 4)), v128.load(at - (16 << 4))),
  );
  v128.store(at, word);
  return word;
}

/** One block of each message into the running hashes; the letters change places every round, back after eight. */
function compress(block: usize, apart: usize): void {
  for (let t: usize = 0; t < 64; t += 16) take(block + t, apart, SCHEDULE + (t << 2));
  let a = v128.load(HASH), b = v128.load(HASH, 16), c = v128.load(HASH, 32), d = v128.load(HASH, 48);
  let e = v128.load(HASH, 64), f = v128.load(HASH, 80), g = v128.load(HASH, 96), h = v128.load(HASH, 112);
  for (let t: usize = 0; t < 64; t += 32) {
    h = i32x4.add(h, given(t, e, f, g)); d = i32x4.add(d, h); h = i32x4.add(h, majority(a, b, c));
    g = i32x4.add(g, given(t + 4, d, e, f)); c = i32x4.add(c, g); g = i32x4.add(g, majority(h, a, b));
    f = i32x4.add(f, given(t + 8, c, d, e)); b = i32x4.add(b, f); f = i32x4.add(f, majority(g, h, a));
    e = i32x4.add(e, given(t + 12, b, c, d)); a = i32x4.add(a, e); e = i32x4.add(e, majority(f, g, h));
    d = i32x4.add(d, given(t + 16, a, b, c)); h = i32x4.add(h, d); d = i32x4.add(d, majority(e, f, g));
    c = i32x4.add(c, given(t + 20, h, a, b)); g = i32x4.add(g, c); c = i32x4.add(c, majority(d, e, f));
    b = i32x4.add(b, given(t + 24, g, h, a)); f = i32x4.add(f, b); b = i32x4.add(b, majority(c, d, e));
    a = i32x4.add(a, given(t + 28, f, g, h)); e = i32x4.add(e, a); a = i32x4.add(a, majority(b, c, d));
  }
  for (let t: usize = 64; t < 256; t += 32) {
    h = i32x4.add(h, made(t, e, f, g)); d = i32x4.add(d, h); h = i32x4.add(h, majority(a, b, c));
    g = i32x4.add(g, made(t + 4, d, e, f)); c = i32x4.add(c, g); g = i32x4.add(g, majority(h, a, b));
    f = i32x4.add(f, made(t + 8, c, d, e)); b = i32x4.add(b, f); f = i32x4.add(f, majority(g, h, a));
    e = i32x4.add(e, made(t + 12, b, c, d)); a = i32x4.add(a, e); e = i32x4.add(e, majority(f, g, h));
    d = i32x4.add(d, made(t + 16, a, b, c)); h = i32x4.add(h, d); d = i32x4.add(d, majority(e, f, g));
    c = i32x4.add(c, made(t + 20, h, a, b)); g = i32x4.add(g, c); c = i32x4.add(c, majority(d, e, f));
    b = i32x4.add(b, made(t + 24, g, h, a)); f = i32x4.add(f, b); b = i32x4.add(b, majority(c, d, e));
    a = i32x4.add(a, made(t + 28, f, g, h)); e = i32x4.add(e, a); a = i32x4.add(a, majority(b, c, d));
  }
  add(0, a); add(16, b); add(32, c); add(48, d); add(64, e); add(80, f); add(96, g); add(112, h);
}

/** The same of a block whose words, keyed, stand in the schedule. */
function compressKeyed(): void {
  let a = v128.load(HASH), b = v128.load(HASH, 16), c = v128.load(HASH, 32), d = v128.load(HASH, 48);
  let e = v128.load(HASH, 64), f = v128.load(HASH, 80), g = v128.load(HASH, 96), h = v128.load(HASH, 112);
  for (let t: usize = 0; t < 256; t += 32) {
    h = i32x4.add(h, known(t, e, f, g)); d = i32x4.add(d, h); h = i32x4.add(h, majority(a, b, c));
    g = i32x4.add(g, known(t + 4, d, e, f)); c = i32x4.add(c, g); g = i32x4.add(g, majority(h, a, b));
    f = i32x4.add(f, known(t + 8, c, d, e)); b = i32x4.add(b, f); f = i32x4.add(f, majority(g, h, a));
    e = i32x4.add(e, known(t + 12, b, c, d)); a = i32x4.add(a, e); e = i32x4.add(e, majority(f, g, h));
    d = i32x4.add(d, known(t + 16, a, b, c)); h = i32x4.add(h, d); d = i32x4.add(d, majority(e, f, g));
    c = i32x4.add(c, known(t + 20, h, a, b)); g = i32x4.add(g, c); c = i32x4.add(c, majority(d, e, f));
    b = i32x4.add(b, known(t + 24, g, h, a)); f = i32x4.add(f, b); b = i32x4.add(b, majority(c, d, e));
    a = i32x4.add(a, known(t + 28, f, g, h)); e = i32x4.add(e, a); a = i32x4.add(a, majority(b, c, d));
  }
  add(0, a); add(16, b); add(32, c); add(48, d); add(64, e); add(80, f); add(96, g); add(112, h);
}

@inline function add(at: usize, x: v128): void { v128.store(HASH + at, i32x4.add(v128.load(HASH + at), x)); }
