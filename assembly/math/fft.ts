// Fourier transforms of 2^k complex numbers in place: forward by decimation in frequency, whose output stands
// in bit-reversed order, backward by decimation in time from that order (Cooley & Tukey, Math. Comp. 19 (1965) 297;
// Van Loan, Computational Frameworks for the FFT, ch. 1). What is multiplied between the two is laid out in that
// order, so nothing is ever moved. Stages of radix 2 go two by two, which halves what is loaded and stored. `inner` numbers stand at each place: 1, or a whole row where columns are transformed.

/** Bytes of the table for n places. */
export function twiddleBytes(n: i32): usize { return <usize>max(1, n >> 1) << 4; }

/** e^{−2πik/n}, k < n/2. */
export function layOutTwiddles(table: usize, n: i32): void {
  for (let k = 0; k < n >> 1; k++) {
    const angle = 2.0 * Math.PI * (<f64>k / <f64>n);
    store<f64>(table + (<usize>k << 4), Math.cos(angle));
    store<f64>(table + (<usize>k << 4), -Math.sin(angle), 8);
  }
}

/** The frequency that stands at place p of n after the forward transform: −n/2 … n/2 − 1. */
export function frequencyAt(p: i32, n: i32): i32 {
  let k = 0;
  for (let bit = 1; bit < n; bit <<= 1) { k = (k << 1) | (p & 1); p >>= 1; }
  return k < n >> 1 ? k : k - n;
}

/** One stage for inner = 1: the twiddle changes with every butterfly. */
function stageDown(x: usize, n: i32, half: i32, table: usize): void {
  const stride = <usize>((n >> 1) / half) << 4, reach = <usize>half << 4, end = x + (<usize>n << 4);
  for (let block = x; block < end; block += 2 * reach) {
    let w = table;
    for (let at = block; at < block + reach; at += 16, w += stride) {
      const a = v128.load(at), b = v128.load(at + reach), d = f64x2.sub(a, b), s = load<f64>(w, 8);
      v128.store(at, f64x2.add(a, b));
      const turned = f64x2.mul(v128.shuffle<f64>(d, d, 1, 0), f64x2.replace_lane(f64x2.splat(-s), 1, s));
      v128.store(at + reach, f64x2.add(f64x2.mul(d, v128.load64_splat(w)), turned));
    }
  }
}

function stageUp(x: usize, n: i32, half: i32, table: usize): void {
  const stride = <usize>((n >> 1) / half) << 4, reach = <usize>half << 4, end = x + (<usize>n << 4);
  for (let block = x; block < end; block += 2 * reach) {
    let w = table;
    for (let at = block; at < block + reach; at += 16, w += stride) {
      const a = v128.load(at), b = v128.load(at + reach), s = load<f64>(w, 8);
      const turned = f64x2.mul(v128.shuffle<f64>(b, b, 1, 0), f64x2.replace_lane(f64x2.splat(s), 1, -s));
      const d = f64x2.add(f64x2.mul(b, v128.load64_splat(w)), turned);
      v128.store(at, f64x2.add(a, d));
      v128.store(at + reach, f64x2.sub(a, d));
    }
  }
}

@inline function swapped(z: v128): v128 { return v128.shuffle<f64>(z, z, 1, 0); }
/** z (c + is), `turn` = (−s, s). */
@inline function times(z: v128, c: v128, turn: v128): v128 { return f64x2.add(f64x2.mul(z, c), f64x2.mul(swapped(z), turn)); }
@inline function turnOf(s: f64): v128 { return f64x2.replace_lane(f64x2.splat(s), 0, -s); }

/** The stages of halves 2q and q in one; −i of the upper quarter is a swap and a sign. */
function twoStagesDown(x: usize, n: i32, q: i32, table: usize): void {
  const stride = <usize>(n / (4 * q)) << 4, reach = <usize>q << 4, end = x + (<usize>n << 4), minus = turnOf(-1.0);
  for (let block = x; block < end; block += 4 * reach) {
    let w1 = table, w2 = table;
    for (let at = block; at < block + reach; at += 16, w1 += stride, w2 += 2 * stride) {
      const a = v128.load(at), b = v128.load(at + reach), c = v128.load(at + 2 * reach), d = v128.load(at + 3 * reach);
      const c1 = v128.load64_splat(w1), t1 = turnOf(load<f64>(w1, 8)), c2 = v128.load64_splat(w2), t2 = turnOf(load<f64>(w2, 8));
      const even = f64x2.add(a, c), other = f64x2.add(b, d);
      const low = times(f64x2.sub(a, c), c1, t1), high = f64x2.mul(swapped(times(f64x2.sub(b, d), c1, t1)), minus);
      v128.store(at, f64x2.add(even, other));
      v128.store(at + reach, times(f64x2.sub(even, other), c2, t2));
      v128.store(at + 2 * reach, f64x2.add(low, high));
      v128.store(at + 3 * reach, times(f64x2.sub(low, high), c2, t2));
    }
  }
}

/** The last two of them, where all turns are quarters. */
function lastStagesDown(x: usize, n: i32): void {
  const minus = turnOf(-1.0);
  for (const end = x + (<usize>n << 4); x < end; x += 64) {
    const a = v128.load(x), b = v128.load(x, 16), c = v128.load(x, 32), d = v128.load(x, 48);
    const even = f64x2.add(a, c), other = f64x2.add(b, d), low = f64x2.sub(a, c), high = f64x2.mul(swapped(f64x2.sub(b, d)), minus);
    v128.store(x, f64x2.add(even, other));
    v128.store(x, f64x2.sub(even, other), 16);
    v128.store(x, f64x2.add(low, high), 32);
    v128.store(x, f64x2.sub(low, high), 48);
  }
}

function firstStagesUp(x: usize, n: i32): void {
  const plus = turnOf(1.0);
  for (const end = x + (<usize>n << 4); x < end; x += 64) {
    const a = v128.load(x), b = v128.load(x, 16), c = v128.load(x, 32), d = v128.load(x, 48);
    const p = f64x2.add(a, b), q = f64x2.sub(a, b), r = f64x2.add(c, d), s = f64x2.mul(swapped(f64x2.sub(c, d)), plus);
    v128.store(x, f64x2.add(p, r));
    v128.store(x, f64x2.add(q, s), 16);
    v128.store(x, f64x2.sub(p, r), 32);
    v128.store(x, f64x2.sub(q, s), 48);
  }
}

function twoStagesUp(x: usize, n: i32, q: i32, table: usize): void {
  const stride = <usize>(n / (4 * q)) << 4, reach = <usize>q << 4, end = x + (<usize>n << 4), plus = turnOf(1.0);
  for (let block = x; block < end; block += 4 * reach) {
    let w1 = table, w2 = table;
    for (let at = block; at < block + reach; at += 16, w1 += stride, w2 += 2 * stride) {
      const a = v128.load(at), c = v128.load(at + 2 * reach);
      const c1 = v128.load64_splat(w1), t1 = turnOf(-load<f64>(w1, 8)), c2 = v128.load64_splat(w2), t2 = turnOf(-load<f64>(w2, 8));
      const b = times(v128.load(at + reach), c2, t2), d = times(v128.load(at + 3 * reach), c2, t2);
      const low = times(f64x2.add(c, d), c1, t1), high = f64x2.mul(swapped(times(f64x2.sub(c, d), c1, t1)), plus);
      const p = f64x2.add(a, b), q1 = f64x2.sub(a, b);
      v128.store(at, f64x2.add(p, low));
      v128.store(at + reach, f64x2.add(q1, high));
      v128.store(at + 2 * reach, f64x2.sub(p, low));
      v128.store(at + 3 * reach, f64x2.sub(q1, high));
    }
  }
}

/** inner = 1. */
function rowForward(x: usize, n: i32, table: usize): void {
  let half = n >> 1;
  for (; half > 2; half >>= 2) twoStagesDown(x, n, half >> 1, table);
  if (half == 2) lastStagesDown(x, n); else if (half == 1) stageDown(x, n, 1, table);
}

function rowBackward(x: usize, n: i32, table: usize): void {
  let half = 1;
  if (n >= 4) { firstStagesUp(x, n); half = 4; }
  for (; 2 * half < n; half <<= 2) twoStagesUp(x, n, half, table);
  if (half < n) stageUp(x, n, half, table);
}

/** The two stages where rows of `bytes` stand in place of numbers: one turn for a whole row. */
function twoRowStagesDown(x: usize, n: i32, q: i32, bytes: usize, table: usize): void {
  const stride = <usize>(n / (4 * q)) << 4, reach = <usize>q * bytes, end = x + <usize>n * bytes, minus = turnOf(-1.0);
  for (let block = x; block < end; block += 4 * reach) {
    let w1 = table, w2 = table;
    for (let row = block; row < block + reach; row += bytes, w1 += stride, w2 += 2 * stride) {
      const c1 = v128.load64_splat(w1), t1 = turnOf(load<f64>(w1, 8)), c2 = v128.load64_splat(w2), t2 = turnOf(load<f64>(w2, 8));
      let second = row + reach, third = second + reach, fourth = third + reach;
      for (let at = row; at < row + bytes; at += 16, second += 16, third += 16, fourth += 16) {
        const a = v128.load(at), b = v128.load(second), c = v128.load(third), d = v128.load(fourth);
        const even = f64x2.add(a, c), other = f64x2.add(b, d);
        const low = times(f64x2.sub(a, c), c1, t1), high = f64x2.mul(swapped(times(f64x2.sub(b, d), c1, t1)), minus);
        v128.store(at, f64x2.add(even, other));
        v128.store(second, times(f64x2.sub(even, other), c2, t2));
        v128.store(third, f64x2.add(low, high));
        v128.store(fourth, times(f64x2.sub(low, high), c2, t2));
      }
    }
  }
}

function twoRowStagesUp(x: usize, n: i32, q: i32, bytes: usize, table: usize): void {
  const stride = <usize>(n / (4 * q)) << 4, reach = <usize>q * bytes, end = x + <usize>n * bytes, plus = turnOf(1.0);
  for (let block = x; block < end; block += 4 * reach) {
    let w1 = table, w2 = table;
    for (let row = block; row < block + reach; row += bytes, w1 += stride, w2 += 2 * stride) {
      const c1 = v128.load64_splat(w1), t1 = turnOf(-load<f64>(w1, 8)), c2 = v128.load64_splat(w2), t2 = turnOf(-load<f64>(w2, 8));
      let second = row + reach, third = second + reach, fourth = third + reach;
      for (let at = row; at < row + bytes; at += 16, second += 16, third += 16, fourth += 16) {
        const a = v128.load(at), c = v128.load(third);
        const b = times(v128.load(second), c2, t2), d = times(v128.load(fourth), c2, t2);
        const low = times(f64x2.add(c, d), c1, t1), high = f64x2.mul(swapped(times(f64x2.sub(c, d), c1, t1)), plus);
        const p = f64x2.add(a, b), q1 = f64x2.sub(a, b);
        v128.store(at, f64x2.add(p, low));
        v128.store(second, f64x2.add(q1, high));
        v128.store(third, f64x2.sub(p, low));
        v128.store(fourth, f64x2.sub(q1, high));
      }
    }
  }
}

/** The stage of neighbours, which turns nothing: the last one down, the first one up. */
function neighbourRows(x: usize, n: i32, bytes: usize): void {
  for (const end = x + <usize>n * bytes; x < end; x += 2 * bytes) {
    for (let at = x, second = x + bytes; at < x + bytes; at += 16, second += 16) {
      const a = v128.load(at), b = v128.load(second);
      v128.store(at, f64x2.add(a, b));
      v128.store(second, f64x2.sub(a, b));
    }
  }
}

/** Σ x_j e^{−2πijk/n}, k in bit-reversed order. */
export function fftForward(x: usize, n: i32, inner: i32, table: usize): void {
  if (inner == 1) { rowForward(x, n, table); return; }
  const bytes = <usize>inner << 4;
  let half = n >> 1;
  for (; half > 1; half >>= 2) twoRowStagesDown(x, n, half >> 1, bytes, table);
  if (half == 1) neighbourRows(x, n, bytes);
}

/** n times the inverse, from bit-reversed order. */
export function fftBackward(x: usize, n: i32, inner: i32, table: usize): void {
  if (inner == 1) { rowBackward(x, n, table); return; }
  const bytes = <usize>inner << 4;
  let q = 1;
  for (let stages = n; stages > 1; stages >>= 2) if (stages == 2) { neighbourRows(x, n, bytes); q = 2; }
  for (; 2 * q < n; q <<= 2) twoRowStagesUp(x, n, q, bytes, table);
}
