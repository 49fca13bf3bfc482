// SHA-256 (FIPS 180-4, 6.2), for kernels that bind numbers by a digest: the bytes at `at`, the digest to `out`.
// One message at a time, whole; the schedule and the running hash stand in static memory.

const SCHEDULE: usize = memory.data(256, 16);
const HASH: usize = memory.data(32, 16);
/** The end of a message: what is left of it, 0x80, zeros, and its length in bits. */
const TAIL: usize = memory.data(128, 16);

/** FIPS 180-4, 4.2.2. */
export const K: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
], 16);

/** FIPS 180-4, 5.3.3. */
export const INITIAL: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
], 16);

@inline function word(at: usize, i: usize): u32 { return load<u32>(at + (i << 2)); }

/** The digest of `length` bytes at `at`, 32 bytes, to `out`. */
export function sha256(at: usize, length: i32, out: usize): void {
  v128.store(HASH, v128.load(INITIAL));
  v128.store(HASH, v128.load(INITIAL, 16), 16);
  const blocks = length >> 6, rest = length & 63;
  for (let i = 0; i < blocks; i++) compress(at + (<usize>i << 6));
  const padded: usize = rest < 56 ? 64 : 128;
  for (let i: usize = 0; i < padded; i += 16) v128.store(TAIL + i, i32x4.splat(0));
  memory.copy(TAIL, at + (<usize>blocks << 6), rest);
  store<u8>(TAIL + rest, 0x80);
  store<u64>(TAIL + padded - 8, bswap<u64>(<u64>length << 3));
  compress(TAIL);
  if (padded == 128) compress(TAIL + 64);
  v128.store(out, bigEndian(v128.load(HASH)));
  v128.store(out, bigEndian(v128.load(HASH, 16)), 16);
}

/** The bytes of four words turned around. */
@inline export function bigEndian(words: v128): v128 {
  return i8x16.shuffle(words, words, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

/** W_t of 6.2.2, to each of which its K_t is added in the end. */
function schedule(block: usize): void {
  for (let t: usize = 0; t < 64; t += 16) v128.store(SCHEDULE + t, bigEndian(v128.load(block + t)));
  let w2 = load<u32>(SCHEDULE, 56), w1 = load<u32>(SCHEDULE, 60);
  for (let t: usize = 64; t < 256; t += 8) {
    const even = expanded(SCHEDULE + t, w2), odd = expanded(SCHEDULE + t + 4, w1);
    store<u32>(SCHEDULE + t, even);
    store<u32>(SCHEDULE + t, odd, 4);
    w2 = even; w1 = odd;
  }
  for (let t: usize = 0; t < 256; t += 16) v128.store(SCHEDULE + t, i32x4.add(v128.load(SCHEDULE + t), v128.load(K + t)));
}

/** W_t from the words before it, of which W_{t−2} is at hand. */
@inline function expanded(at: usize, w2: u32): u32 {
  const w15 = load<u32>(at - 60);
  const s1 = rotr<u32>(w2, 17) ^ rotr<u32>(w2, 19) ^ (w2 >> 10);
  return s1 + load<u32>(at - 28) + (rotr<u32>(w15, 7) ^ rotr<u32>(w15, 18) ^ (w15 >> 3)) + load<u32>(at - 64);
}

/** Σ₁(e) + Ch(e, f, g) + (K_t + W_t) of 6.2.2. */
@inline function round(t: usize, e: u32, f: u32, g: u32): u32 {
  const turned = rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25);
  return turned + (g ^ (e & (f ^ g))) + load<u32>(SCHEDULE + t);
}

/** Σ₀(a) + Maj(a, b, c). */
@inline function majority(a: u32, b: u32, c: u32): u32 {
  return (rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22)) + ((a & b) | (c & (a | b)));
}

/** One block of 64 bytes into the running hash (6.2.2); the letters change places every round, back after eight. */
function compress(block: usize): void {
  schedule(block);
  let a = word(HASH, 0), b = word(HASH, 1), c = word(HASH, 2), d = word(HASH, 3);
  let e = word(HASH, 4), f = word(HASH, 5), g = word(HASH, 6), h = word(HASH, 7);
  for (let t: usize = 0; t < 256; t += 32) {
    h += round(t, e, f, g); d += h; h += majority(a, b, c);
    g += round(t + 4, d, e, f); c += g; g += majority(h, a, b);
    f += round(t + 8, c, d, e); b += f; f += majority(g, h, a);
    e += round(t + 12, b, c, d); a += e; e += majority(f, g, h);
    d += round(t + 16, a, b, c); h += d; d += majority(e, f, g);
    c += round(t + 20, h, a, b); g += c; c += majority(d, e, f);
    b += round(t + 24, g, h, a); f += b; b += majority(c, d, e);
    a += round(t + 28, f, g, h); e += a; a += majority(b, c, d);
  }
  add(0, a); add(1, b); add(2, c); add(3, d); add(4, e); add(5, f); add(6, g); add(7, h);
}

@inline function add(i: usize, x: u32): void { store<u32>(HASH + (i << 2), word(HASH, i) + x); }
