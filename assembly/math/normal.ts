// The normal quantile by Wichura's PPND16, algorithm AS 241 (Appl. Statist. 37 (1988) 477): relative error 1e-16.

import { logs } from "./lanes";

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

/** √(−ln u) of two u. */
@inline function depths(u: v128): v128 { return f64x2.sqrt(f64x2.neg(logs(u))); }

/** Where |u − ½| > 0.425. */
function tail(u: f64): f64 {
  const r = f64x2.extract_lane(depths(f64x2.splat(min(u, 1.0 - u))), 0);
  const z = r <= 5.0 ? rational(MIDDLE, r - 1.6) : rational(FAR, r - 5.0);
  return u < 0.5 ? -z : z;
}

/** Φ⁻¹(u), u and 1 − u neither 0 nor subnormal. */
export function normal(u: f64): f64 {
  const q = u - 0.5;
  return abs(q) <= 0.425 ? q * rational(CENTRE, 0.180625 - q * q) : tail(u);
}

// ---- many at once --------------------------------------------------------------------------------------

/** The numbers of the set ones of four bits, times 8, then zeros. */
const SET: usize = memory.data<u32>([
  0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 8, 0, 0,
  16, 0, 0, 0, 0, 16, 0, 0, 8, 16, 0, 0, 0, 8, 16, 0,
  24, 0, 0, 0, 0, 24, 0, 0, 8, 24, 0, 0, 0, 8, 24, 0,
  16, 24, 0, 0, 0, 16, 24, 0, 8, 16, 24, 0, 0, 8, 16, 24,
], 16);
const PACE: usize = memory.data<u32>([32, 32, 32, 32], 16);
const EDGES: usize = memory.data<f64>([
  0.5, 0.5, 0.425, 0.425, 0.180625, 0.180625, 1.0, 1.0, 1.6, 1.6, 5.0, 5.0, -0.0, -0.0,
], 16);

/** Bytes of scratch that `normals` needs for `count` numbers. */
@inline export function normalsRoom(count: u32): usize { return 12 * <usize>count + 64; }

/**
 * The `count` uniforms at `at`, which is divisible by 16, become normals, with the bits of `normal`. First the centre
 * for all, which also lists the tails without a branch (their side of it is as good as random), then the tails, in passes
 * over `room`: one long chain of dependent operations would leave the processor waiting.
 */
export function normals(at: usize, count: u32, room: usize): void {
  const values = room + (<usize>count << 2) + 16, fours = count & ~3;
  const end = values + (<usize>centres(at, fours, room) << 3);
  if (end > values) tailDepths(at, room, values, end);
  tailValues(values, end);
  for (let from = values, place = room; from < end; from += 8, place += 4) {
    store<f64>(at + <usize>load<u32>(place), load<f64>(from));
  }
  for (let i = fours; i < count; i++) store<f64>(at + (<usize>i << 3), normal(load<f64>(at + (<usize>i << 3))));
}

/** Leaves the uniforms of the tails as they are, lists their offsets at `places` and returns how many there are. */
function centres(at: usize, count: u32, places: usize): u32 {
  const end = at + (<usize>count << 3);
  let place = places, offsets = v128.load(SET);
  for (let p = at; p < end; p += 32) {
    const u = v128.load(p), v = v128.load(p, 16);
    const q = f64x2.sub(u, v128.load(EDGES)), t = f64x2.sub(v, v128.load(EDGES));
    const r = f64x2.sub(v128.load(EDGES + 32), f64x2.mul(q, q)), s = f64x2.sub(v128.load(EDGES + 32), f64x2.mul(t, t));
    let n = v128.load64_splat(CENTRE), d = v128.load64_splat(CENTRE + 64), m = n, e = d;
    let c: v128;
    c = v128.load64_splat(CENTRE + 8); n = f64x2.add(f64x2.mul(n, r), c); m = f64x2.add(f64x2.mul(m, s), c);
    c = v128.load64_splat(CENTRE + 72); d = f64x2.add(f64x2.mul(d, r), c); e = f64x2.add(f64x2.mul(e, s), c);
    c = v128.load64_splat(CENTRE + 16); n = f64x2.add(f64x2.mul(n, r), c); m = f64x2.add(f64x2.mul(m, s), c);
    c = v128.load64_splat(CENTRE + 80); d = f64x2.add(f64x2.mul(d, r), c); e = f64x2.add(f64x2.mul(e, s), c);
    c = v128.load64_splat(CENTRE + 24); n = f64x2.add(f64x2.mul(n, r), c); m = f64x2.add(f64x2.mul(m, s), c);
    c = v128.load64_splat(CENTRE + 88); d = f64x2.add(f64x2.mul(d, r), c); e = f64x2.add(f64x2.mul(e, s), c);
    c = v128.load64_splat(CENTRE + 32); n = f64x2.add(f64x2.mul(n, r), c); m = f64x2.add(f64x2.mul(m, s), c);
    c = v128.load64_splat(CENTRE + 96); d = f64x2.add(f64x2.mul(d, r), c); e = f64x2.add(f64x2.mul(e, s), c);
    c = v128.load64_splat(CENTRE + 40); n = f64x2.add(f64x2.mul(n, r), c); m = f64x2.add(f64x2.mul(m, s), c);
    c = v128.load64_splat(CENTRE + 104); d = f64x2.add(f64x2.mul(d, r), c); e = f64x2.add(f64x2.mul(e, s), c);
    c = v128.load64_splat(CENTRE + 48); n = f64x2.add(f64x2.mul(n, r), c); m = f64x2.add(f64x2.mul(m, s), c);
    c = v128.load64_splat(CENTRE + 112); d = f64x2.add(f64x2.mul(d, r), c); e = f64x2.add(f64x2.mul(e, s), c);
    c = v128.load64_splat(CENTRE + 56); n = f64x2.add(f64x2.mul(n, r), c); m = f64x2.add(f64x2.mul(m, s), c);
    c = v128.load64_splat(CENTRE + 120); d = f64x2.add(f64x2.mul(d, r), c); e = f64x2.add(f64x2.mul(e, s), c);
    const far = f64x2.gt(f64x2.abs(q), v128.load(EDGES + 16)), off = f64x2.gt(f64x2.abs(t), v128.load(EDGES + 16));
    v128.store(p, v128.bitselect(u, f64x2.mul(q, f64x2.div(n, d)), far));
    v128.store(p, v128.bitselect(v, f64x2.mul(t, f64x2.div(m, e)), off), 16);
    const mask = i32x4.bitmask(i32x4.shuffle(far, off, 0, 2, 4, 6));
    v128.store(place, i32x4.add(offsets, v128.load(SET + (<usize>mask << 4))));
    offsets = i32x4.add(offsets, v128.load(PACE));
    place += <usize>popcnt<i32>(mask) << 2;
  }
  return <u32>((place - places) >> 2);
}

/** √(−ln u) with the side of u as its sign, of the uniforms in `places`, two at a time. */
function tailDepths(at: usize, places: usize, to: usize, end: usize): void {
  store<u32>(places + ((end - to) >> 1), load<u32>(places)); // beside an odd last one stands the first
  for (; to < end; to += 16, places += 8) {
    const u = v128.load64_lane(at + <usize>load<u32>(places, 4), v128.load64_zero(at + <usize>load<u32>(places)), 1);
    const depth = depths(f64x2.pmin(u, f64x2.sub(v128.load(EDGES + 48), u)));
    v128.store(to, v128.or(depth, v128.and(f64x2.sub(u, v128.load(EDGES)), v128.load(EDGES + 96))));
  }
}

/** The normals in the place of what tailDepths left. */
function tailValues(from: usize, end: usize): void {
  for (let at = from; at < end; at += 16) {
    const signed = v128.load(at), depth = f64x2.abs(signed), r = f64x2.sub(depth, v128.load(EDGES + 64));
    let n = v128.load64_splat(MIDDLE), d = v128.load64_splat(MIDDLE + 64);
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE + 8));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE + 72));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE + 16));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE + 80));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE + 24));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE + 88));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE + 32));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE + 96));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE + 40));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE + 104));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE + 48));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE + 112));
    n = f64x2.add(f64x2.mul(n, r), v128.load64_splat(MIDDLE + 56));
    d = f64x2.add(f64x2.mul(d, r), v128.load64_splat(MIDDLE + 120));
    v128.store(at, v128.or(f64x2.div(n, d), v128.and(signed, v128.load(EDGES + 96))));
    if (v128.any_true(f64x2.gt(depth, v128.load(EDGES + 80)))) farValues(at, depth, signed);
  }
}

/** Lanes with r > 5, which are seldom. */
function farValues(at: usize, depth: v128, signed: v128): void {
  const a = f64x2.extract_lane(depth, 0), b = f64x2.extract_lane(depth, 1);
  if (a > 5.0) store<f64>(at, copysign(rational(FAR, a - 5.0), f64x2.extract_lane(signed, 0)));
  if (b > 5.0) store<f64>(at, copysign(rational(FAR, b - 5.0), f64x2.extract_lane(signed, 1)), 8);
}
