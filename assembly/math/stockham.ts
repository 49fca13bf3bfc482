// Fourier transform along the rows of a table: n rows, each of complex numbers in pairs of f64, so that one twiddle
// serves a whole row and two f64 are one vector. Stockham's self-sorting form: it goes from one place to another and
// back, and the order stays natural (Van Loan, Computational Frameworks for the FFT, §1.7). Any n: stages of four, two
// and every other prime, a prime p in O(p²).
//
// Columns are taken in strips that fit the caches, and a strip goes through two rooms of its own: the first stage reads
// the table, the last one writes it, so that no second table is wanted. No sum depends on the width of a strip.

export const STRIP: usize = 512;

/** As `four` wants powers of a twiddle. */
const POWERS: usize = 112;
/** Bytes of the rooms of a strip of n rows, and of powers. */
export function stripBytes(n: i32): usize { return 2 * STRIP * <usize>n + POWERS; }

/** Bytes of the table of twiddles for n rows. */
export function stockhamBytes(n: i32): usize { return (<usize>n << 4); }

/** e^{−2πik/n}, k < n. */
export function layStockham(table: usize, n: i32): void {
  for (let k = 0; k < n; k++) {
    const angle = 2.0 * Math.PI * (<f64>k / <f64>n);
    store<f64>(table + (<usize>k << 4), Math.cos(angle));
    store<f64>(table + (<usize>k << 4), -Math.sin(angle), 8);
  }
}

/** The radix of the stage for what is left: 4, 2, or the least other prime. */
function radixOf(left: i32): i32 {
  if (left % 4 == 0) return 4;
  if (left % 2 == 0) return 2;
  for (let p = 3; p * p <= left; p += 2) if (left % p == 0) return p;
  return left;
}

/** (c + is)·z, `turn` = (−s, s). */
@inline function times(z: v128, c: v128, turn: v128): v128 {
  return f64x2.add(f64x2.mul(z, c), f64x2.mul(v128.shuffle<f64>(z, z, 1, 0), turn));
}
@inline function turnedBy<Turns>(z: v128, c: v128, turn: v128): v128 { return isBoolean<Turns>() ? z : times(z, c, turn); }
@inline function turnOf(s: f64): v128 { return f64x2.replace_lane(f64x2.splat(s), 0, -s); }

function two(from: usize, far: usize, to: usize, reach: usize, bytes: usize, w: usize): void {
  const cosine = v128.load(w), turn = v128.load(w, 16), end = from + bytes;
  let second = from + far, to1 = to + reach;
  for (; from < end; from += 16, second += 16, to += 16, to1 += 16) {
    const a = v128.load(from), b = v128.load(second);
    v128.store(to, f64x2.add(a, b));
    v128.store(to1, times(f64x2.sub(a, b), cosine, turn));
  }
}

/**
 * `w`: of the first three powers of a twiddle (c, c) and (−s, s), of a quarter turn the latter; `bool`: the powers are all
 * 1, in the first rows of a stage and the whole last. Eight pointers that advance: what a loop computes from a row's place
 * V8 computes in every turn.
 */
function four<Turns>(from: usize, far: usize, to: usize, reach: usize, bytes: usize, w: usize): void {
  const c1 = v128.load(w), t1 = v128.load(w, 16), c2 = v128.load(w, 32), t2 = v128.load(w, 48), c3 = v128.load(w, 64), t3 = v128.load(w, 80), i = v128.load(w, 96);
  const end = from + bytes;
  let second = from + far, third = second + far, fourth = third + far, to1 = to + reach, to2 = to1 + reach, to3 = to2 + reach;
  for (; from < end; from += 16, second += 16, third += 16, fourth += 16, to += 16, to1 += 16, to2 += 16, to3 += 16) {
    const a = v128.load(from), b = v128.load(second), c = v128.load(third), d = v128.load(fourth);
    const sum = f64x2.add(a, c), difference = f64x2.sub(a, c), other = f64x2.add(b, d), cross = f64x2.sub(b, d);
    const turned = f64x2.mul(v128.shuffle<f64>(cross, cross, 1, 0), i);
    v128.store(to, f64x2.add(sum, other));
    v128.store(to1, turnedBy<Turns>(f64x2.add(difference, turned), c1, t1));
    v128.store(to2, turnedBy<Turns>(f64x2.sub(sum, other), c2, t2));
    v128.store(to3, turnedBy<Turns>(f64x2.sub(difference, turned), c3, t3));
  }
}

/** One output of a prime's stage: Σ_q x_q e^{∓2πiq(...)/n}. */
function prime(from: usize, far: usize, to: usize, bytes: usize, p: i32, table: usize, n: i32, step: i32, first: i32, sign: f64): void {
  for (let k: usize = 0; k < bytes; k += 16) {
    let sum = v128.load(from + k), at = from + k + far, place = step;
    for (let q = 1; q < p; q++, at += far) {
      const w = table + (<usize>place << 4);
      sum = f64x2.add(sum, times(v128.load(at), v128.load64_splat(w), turnOf(sign * load<f64>(w, 8))));
      place += step;
      if (place >= n) place -= n;
    }
    const w = table + (<usize>first << 4);
    v128.store(to + k, times(sum, v128.load64_splat(w), turnOf(sign * load<f64>(w, 8))));
  }
}

function strip(home: usize, stride: usize, rooms: usize, n: i32, bytes: usize, table: usize, sign: f64): void {
  const otherRoom = rooms + STRIP * <usize>n, powers = otherRoom + STRIP * <usize>n;
  let from = home, apart = stride, left = n, s = 1;
  v128.store(powers, turnOf(-sign), 96);
  while (left > 1) {
    const p = radixOf(left), m = left / p, share = n / left, goesHome = m == 1 && from != home;
    const to = goesHome ? home : from == rooms ? otherRoom : rooms, step = goesHome ? stride : STRIP;
    const far = <usize>(s * m) * apart, reach = <usize>s * step;
    for (let r = 0; r < m; r++) {
      for (let j = 1; j < 4; j++) {
        const w = table + (<usize>((r * share * j) % n) << 4);
        v128.store(powers + (<usize>(j - 1) << 5), v128.load64_splat(w));
        v128.store(powers + (<usize>(j - 1) << 5), turnOf(sign * load<f64>(w, 8)), 16);
      }
      for (let q = 0; q < s; q++) {
        const x = from + <usize>(q + s * r) * apart, y = to + <usize>(q + s * p * r) * step;
        if (p == 4 && r == 0) four<bool>(x, far, y, reach, bytes, powers);
        else if (p == 4) four<f64>(x, far, y, reach, bytes, powers);
        else if (p == 2) two(x, far, y, reach, bytes, powers);
        else for (let j = 0; j < p; j++) prime(x, far, y + <usize>j * reach, bytes, p, table, n, (j * (n / p)) % n, (r * share * j) % n, sign);
      }
    }
    from = to; apart = step;
    left = m; s *= p;
  }
  if (from != home) for (let j = 0; j < n; j++) memory.copy(home + <usize>j * stride, from + <usize>j * STRIP, bytes);
}

/**
 * Σ_j x_j e^{∓2πijk/n} of every column in place; sign +1 forward, −1 backward (n times the inverse). Of the table `home`
 * n rows, `stride` bytes apart, `bytes` of each; `rooms`: stripBytes(n). A strip may stand in the first of them already.
 */
export function stockham(home: usize, stride: usize, rooms: usize, n: i32, bytes: usize, table: usize, sign: f64): void {
  for (let k: usize = 0; k < bytes; k += STRIP) strip(home + k, stride, rooms, n, min(STRIP, bytes - k), table, sign);
}
