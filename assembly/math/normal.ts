// The normal quantile by Wichura's PPND16, algorithm AS 241 (Appl. Statist. 37 (1988) 477): relative error 1e-16.

/** Numerator and denominator of the three ranges, from the highest power down, eight each. */
const CENTRE = memory.data<f64>([
  2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125,
  1971.5909503065514427, 133.14166789178437745, 3.387132872796366608,
  5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077,
  687.1870074920579083, 42.313330701600911252, 1.0,
], 16);
const MIDDLE = memory.data<f64>([
  7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
  3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734,
  1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
  0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0,
], 16);
const FAR = memory.data<f64>([
  2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
  0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
  2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
  0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0,
], 16);

function rational(table: usize, r: f64): f64 {
  let p = load<f64>(table), q = load<f64>(table, 64);
  for (let at = table + 8; at < table + 64; at += 8) {
    p = p * r + load<f64>(at);
    q = q * r + load<f64>(at, 64);
  }
  return p / q;
}

/** Where |u − ½| > 0.425. */
function tail(u: f64): f64 {
  const r = sqrt(-Math.log(min(u, 1.0 - u)));
  const z = r <= 5.0 ? rational(MIDDLE, r - 1.6) : rational(FAR, r - 5.0);
  return u < 0.5 ? -z : z;
}

/** Φ⁻¹(u), 0 < u < 1. */
export function normal(u: f64): f64 {
  const q = u - 0.5;
  return abs(q) <= 0.425 ? q * rational(CENTRE, 0.180625 - q * q) : tail(u);
}

/**
 * The uniforms at `at` … become normals, an even count of them. First the centre for two at once, which also lists
 * the tails without a branch (their side of it is as good as random), then the tails. `list` holds `count` u32.
 */
export function normals(at: usize, count: u32, list: usize): void {
  const tails = centres(at, count, list);
  let i: u32 = 0;
  for (; i + 1 < tails; i += 2) {
    const p = at + (<usize>load<u32>(list + (<usize>i << 2)) << 3);
    const q = at + (<usize>load<u32>(list + (<usize>i << 2), 4) << 3);
    tailPair(p, q);
  }
  if (i < tails) {
    const p = at + (<usize>load<u32>(list + (<usize>i << 2)) << 3);
    store<f64>(p, tail(load<f64>(p)));
  }
}

/** Two tails beside each other: their logarithms one by one, then one quotient of polynomials. */
function tailPair(p: usize, q: usize): void {
  const u = load<f64>(p), v = load<f64>(q);
  const s = Math.log(min(u, 1.0 - u)), t = Math.log(min(v, 1.0 - v));
  if (min(s, t) < -25.0) {
    store<f64>(p, tail(u));
    store<f64>(q, tail(v));
    return;
  }
  const r = f64x2.sub(f64x2.sqrt(f64x2.neg(f64x2.replace_lane(f64x2.splat(s), 1, t))), f64x2.splat(1.6));
  let n = v128.load64_splat(MIDDLE), d = v128.load64_splat(MIDDLE, 64);
  n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE, 8));
  d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE, 72));
  n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE, 16));
  d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE, 80));
  n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE, 24));
  d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE, 88));
  n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE, 32));
  d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE, 96));
  n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE, 40));
  d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE, 104));
  n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE, 48));
  d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE, 112));
  n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE, 56));
  d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE, 120));
  const z = f64x2.div(n, d);
  store<f64>(p, copysign<f64>(f64x2.extract_lane(z, 0), u - 0.5));
  store<f64>(q, copysign<f64>(f64x2.extract_lane(z, 1), v - 0.5));
}

/** Leaves the uniforms of the tails as they are; returns how many there are. */
function centres(at: usize, count: u32, list: usize): u32 {
  const half = f64x2.splat(0.5), edge = f64x2.splat(0.425), square = f64x2.splat(0.180625);
  let tails: u32 = 0;
  for (let i: u32 = 0; i < count; i += 2) {
    const p = at + (<usize>i << 3);
    const u = v128.load(p);
    const q = f64x2.sub(u, half);
    const r = f64x2.sub(square, f64x2.mul(q, q));
    let n = v128.load64_splat(CENTRE), d = v128.load64_splat(CENTRE, 64);
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(CENTRE, 8));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(CENTRE, 72));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(CENTRE, 16));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(CENTRE, 80));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(CENTRE, 24));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(CENTRE, 88));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(CENTRE, 32));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(CENTRE, 96));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(CENTRE, 40));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(CENTRE, 104));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(CENTRE, 48));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(CENTRE, 112));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(CENTRE, 56));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(CENTRE, 120));
    const outside = f64x2.gt(f64x2.abs(q), edge);
    v128.store(p, v128.bitselect(u, f64x2.mul(q, f64x2.div(n, d)), outside));
    const mask = <u32>i64x2.bitmask(outside);
    store<u32>(list + (<usize>tails << 2), i);
    tails += mask & 1;
    store<u32>(list + (<usize>tails << 2), i + 1);
    tails += mask >> 1;
  }
  return tails;
}
