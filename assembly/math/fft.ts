// Fourier transforms of 2^k complex numbers in place, radix 2: forward by decimation in frequency, whose output stands
// in bit-reversed order, backward by decimation in time from that order (Cooley & Tukey, Math. Comp. 19 (1965) 297;
// Van Loan, Computational Frameworks for the FFT, ch. 1). What is multiplied between the two is laid out in that
// order, so nothing is ever moved. `inner` numbers stand at each place: 1, or a whole row where columns are transformed.

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

function butterfliesDown(x: usize, y: usize, count: i32, c: f64, s: f64): void {
  const end = x + (<usize>count << 4), cosine = f64x2.splat(c), sine = f64x2.replace_lane(f64x2.splat(-s), 1, s);
  for (; x < end; x += 16, y += 16) {
    const a = v128.load(x), b = v128.load(y), d = f64x2.sub(a, b);
    v128.store(x, f64x2.add(a, b));
    v128.store(y, f64x2.add(f64x2.mul(d, cosine), f64x2.mul(v128.shuffle<f64>(d, d, 1, 0), sine)));
  }
}

function butterfliesUp(x: usize, y: usize, count: i32, c: f64, s: f64): void {
  const end = x + (<usize>count << 4), cosine = f64x2.splat(c), sine = f64x2.replace_lane(f64x2.splat(s), 1, -s);
  for (; x < end; x += 16, y += 16) {
    const a = v128.load(x), b = v128.load(y);
    const d = f64x2.add(f64x2.mul(b, cosine), f64x2.mul(v128.shuffle<f64>(b, b, 1, 0), sine));
    v128.store(x, f64x2.add(a, d));
    v128.store(y, f64x2.sub(a, d));
  }
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

/** Σ x_j e^{−2πijk/n}, k in bit-reversed order. */
export function fftForward(x: usize, n: i32, inner: i32, table: usize): void {
  for (let half = n >> 1; half > 0; half >>= 1) {
    if (inner == 1) { stageDown(x, n, half, table); continue; }
    const stride = (n >> 1) / half, reach = <usize>(half * inner) << 4;
    for (let first = 0; first < n; first += 2 * half) {
      for (let j = 0; j < half; j++) {
        const w = table + (<usize>(j * stride) << 4), at = x + (<usize>((first + j) * inner) << 4);
        butterfliesDown(at, at + reach, inner, load<f64>(w), load<f64>(w, 8));
      }
    }
  }
}

/** n times the inverse, from bit-reversed order. */
export function fftBackward(x: usize, n: i32, inner: i32, table: usize): void {
  for (let half = 1; half < n; half <<= 1) {
    if (inner == 1) { stageUp(x, n, half, table); continue; }
    const stride = (n >> 1) / half, reach = <usize>(half * inner) << 4;
    for (let first = 0; first < n; first += 2 * half) {
      for (let j = 0; j < half; j++) {
        const w = table + (<usize>(j * stride) << 4), at = x + (<usize>((first + j) * inner) << 4);
        butterfliesUp(at, at + reach, inner, load<f64>(w), load<f64>(w, 8));
      }
    }
  }
}
