// Receipt diagnostics of a profile: what sealed samples look like to three fixed instruments. They never gate or
// alter a value, use the samples and fixed constants alone, and stand as one block of 40 f64 in a verdict's extras:
//
//    0 basis: 0 reference, 1 solver       1 master equation: 1 present, 0 absent
//    2 … 19  six terms inertia, damping, advection, diffusion, selfInteraction, source: present, rms, value at 21
//   20 closure rms(ΣT)/Σrms(T)           21 index of the first interior argmax|u|        22 max|u|
//   23 balance present   24 left side   25 right side   26 residual
//   27 Λ(f)   28 Λ(f̂)   29 |Λ(f̂)−Λ(f)|/‖f‖   30 |‖f̂‖²/‖f‖²−1|   31 1 when 29 or 30 is above 1e-12
//   32 step present   33 |G|   34 its phase [rad]
//   35 band energy fraction   36 centroid [rad per length]   37 round-trip error   38 energy drift
//   39 1: band energy below 0.99; +2: 37 or 38 above 1e-12
//
// masterEquation. Reference basis: the Klein–Gordon operator ∂²φ/∂τ² + ∂φ/∂τ − ∂²φ/∂ξ² + φ + φ³ on φ = u/max|u|,
// ξ = x/L, central differences; the closure says only how far the samples are from satisfying it. Solver basis:
// the solver's own terms. A static field has neither inertia nor damping.
// functionalEquation. Samples folded onto p = 257; χ the Legendre symbol, even, with Gauss sum √257, so
// Σ f̂χ = Σ fχ for the unitary transform: J. Tate's functional equation on a finite field (K. Ireland, M. Rosen,
// A Classical Introduction to Modern Number Theory, §6.3). True for every vector: it tests arithmetic alone.
// spectralPropagator. Block means to at most 128 samples, DCT-II, modes up to ⅔ of the highest, evolved by
// ω = √(κ²+1), κ = πk, over unit time and back.

export const DIAGNOSTICS: i32 = 40;

const PRIME: i32 = 257;
const HALF: i32 = 128;
const BAND: i32 = 128;
const WARN: f64 = 1e-12;

/** f64 of scratch for n samples. */
export function diagnosticsScratch(n: i32): i32 { return max(7 * n, 4 * PRIME + 5 * BAND); }

@inline function put(block: usize, i: i32, value: f64): void { store<f64>(block + (<usize>i << 3), value); }
@inline function get(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }

// ---- master equation -------------------------------------------------------------------------------------

function largestSize(u: usize, n: i32): f64 {
  let most = 0.0;
  for (let i = 0; i < n; i++) most = max(most, abs(get(u, i)));
  return most;
}

function rms(u: usize, n: i32): f64 {
  let sum = 0.0;
  for (let i = 1; i < n - 1; i++) sum += get(u, i) * get(u, i);
  return sqrt(sum / <f64>(n - 2));
}

/**
 * Writes the master part from the terms T1 … T6 at samples 1 … n−2 (address 0: absent), `u` the samples.
 * `total` is scratch of n f64.
 */
export function writeTerms(
  block: usize, basis: i32, u: usize, n: i32,
  t1: usize, t2: usize, t3: usize, t4: usize, t5: usize, t6: usize, total: usize,
): void {
  let top = 1;
  for (let i = 1; i < n - 1; i++) if (abs(get(u, i)) > abs(get(u, top))) top = i;
  memory.fill(total, 0, <usize>n << 3);
  let sizes = 0.0;
  for (let k = 0; k < 6; k++) {
    const term = k == 0 ? t1 : k == 1 ? t2 : k == 2 ? t3 : k == 3 ? t4 : k == 4 ? t5 : t6;
    put(block, 2 + 3 * k, term ? 1 : 0);
    if (!term) continue;
    const size = rms(term, n);
    sizes += size;
    put(block, 3 + 3 * k, size);
    put(block, 4 + 3 * k, get(term, top));
    for (let i = 1; i < n - 1; i++) put(total, i, get(total, i) + get(term, i));
  }
  put(block, 0, <f64>basis);
  put(block, 1, 1);
  put(block, 20, sizes > 0 ? rms(total, n) / sizes : 0);
  put(block, 21, <f64>top);
  put(block, 22, largestSize(u, n));
}

/**
 * Master part in the reference basis for n ≥ 3 samples on [0, L]. `before` and `after` are the samples one step
 * earlier and later (0: static), `step` their distance in units of L.
 */
export function writeReferenceTerms(
  block: usize, u: usize, n: i32, before: usize, after: usize, step: f64, scratch: usize,
): void {
  const size = largestSize(u, n), scale = size > 0 ? 1 / size : 0;
  const t1 = scratch, t2 = t1 + (<usize>n << 3), t3 = t2 + (<usize>n << 3), t4 = t3 + (<usize>n << 3);
  const t5 = t4 + (<usize>n << 3), total = t5 + (<usize>n << 3);
  const h = 1 / <f64>(n - 1);
  memory.fill(t3, 0, <usize>n << 3);
  for (let i = 1; i < n - 1; i++) {
    const phi = get(u, i) * scale;
    put(t4, i, -(get(u, i - 1) - 2 * get(u, i) + get(u, i + 1)) * scale / (h * h));
    put(t5, i, phi + phi * phi * phi);
    if (!before) continue;
    put(t1, i, (get(before, i) - 2 * get(u, i) + get(after, i)) * scale / (step * step));
    put(t2, i, (get(after, i) - get(before, i)) * scale / (2 * step));
  }
  writeTerms(block, 0, u, n, before ? t1 : 0, before ? t2 : 0, t3, t4, t5, t3, total);
}

/** The integrated equation: left = right within `residual`. */
export function writeBalance(block: usize, left: f64, right: f64, residual: f64): void {
  put(block, 23, 1);
  put(block, 24, left);
  put(block, 25, right);
  put(block, 26, residual);
}

// ---- functional equation ---------------------------------------------------------------------------------

/** Samples folded onto 257 places, where they are real: f_0, then (f_m + f_−m, f_m − f_−m) for m = 1 … 128. */
function pairPlaces(folded: usize, pairs: usize): void {
  for (let m = 1; m <= HALF; m++) {
    const a = get(folded, m), b = get(folded, PRIME - m);
    put(pairs, 2 * m - 2, a + b);
    put(pairs, 2 * m - 1, a - b);
  }
}

/** (cos, −sin) of all turns m/257, and χ. */
function layOutTurns(turns: usize, chi: usize): void {
  put(turns, 0, 1);
  put(turns, 1, 0);
  put(chi, 0, 0);
  for (let m = 1; m <= HALF; m++) {
    const angle = 2 * Math.PI * <f64>m / <f64>PRIME, c = Math.cos(angle), s = Math.sin(angle);
    put(turns, 2 * m, c);
    put(turns, 2 * m + 1, -s);
    put(turns, 2 * (PRIME - m), c);
    put(turns, 2 * (PRIME - m) + 1, s);
    put(chi, m, -1);
    put(chi, PRIME - m, -1);
  }
  for (let m = 1; m <= HALF; m++) put(chi, (m * m) % PRIME, 1);
}

/** The place `step` further round the table that ends at `end`. */
@inline function onward(at: usize, step: usize, end: usize): usize {
  const next = at + step;
  return next >= end ? next - <usize>PRIME * 16 : next;
}

/** √257 f̂ at k … k + 3 without f_0, each (re, im), to `to`: Σ pairs · turns by halves, four sums side by side. */
function transformFour(pairs: usize, turns: usize, k: i32, to: usize): void {
  const end = turns + <usize>PRIME * 16, stop = pairs + <usize>HALF * 16, step = <usize>k << 4;
  let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0, a = turns, b = turns, c = turns, d = turns;
  for (let at = pairs; at < stop; at += 16) {
    const pair = v128.load(at);
    a = onward(a, step, end);
    b = onward(b, step + 16, end);
    c = onward(c, step + 32, end);
    d = onward(d, step + 48, end);
    s0 = f64x2.add(s0, f64x2.mul(pair, v128.load(a)));
    s1 = f64x2.add(s1, f64x2.mul(pair, v128.load(b)));
    s2 = f64x2.add(s2, f64x2.mul(pair, v128.load(c)));
    s3 = f64x2.add(s3, f64x2.mul(pair, v128.load(d)));
  }
  v128.store(to, s0);
  v128.store(to, s1, 16);
  v128.store(to, s2, 32);
  v128.store(to, s3, 48);
}

/**
 * Λ(f), Λ(f̂) and what parts them. `scratch`: 4·257 f64, then 4·128. Of real samples f̂_−k is the conjugate of f̂_k and
 * χ is even, so half of the places say all and the imaginary parts of Λ(f̂) cancel.
 */
export function writeReflection(block: usize, u: usize, n: i32, scratch: usize): void {
  const turns = scratch, pairs = turns + PRIME * 16, image = pairs + HALF * 16, folded = image + HALF * 16, chi = folded + PRIME * 8;
  memory.fill(folded, 0, PRIME * 8);
  for (let j = 0, place = 0; j < n; j++) {
    put(folded, place, get(folded, place) + get(u, j));
    if (++place == PRIME) place = 0;
  }
  layOutTurns(turns, chi);
  pairPlaces(folded, pairs);
  let lambda = 0.0, square = 0.0, sum = 0.0;
  for (let m = 0; m < PRIME; m++) {
    lambda += get(folded, m) * get(chi, m);
    square += get(folded, m) * get(folded, m);
    sum += get(folded, m);
  }
  for (let k = 1; k <= HALF; k += 4) transformFour(pairs, turns, k, image + (<usize>(k - 1) << 4));
  let real = 0.0, energy = 0.5 * sum * sum;
  for (let k = 1; k <= HALF; k++) {
    const c = get(folded, 0) + get(image, 2 * k - 2), s = get(image, 2 * k - 1);
    energy += c * c + s * s;
    real += c * get(chi, k);
  }
  real *= 2 / sqrt(<f64>PRIME);
  energy *= 2 / <f64>PRIME;
  const apart = square > 0 ? abs(real - lambda) / sqrt(square) : 0, parseval = square > 0 ? abs(energy / square - 1) : 0;
  put(block, 27, lambda); put(block, 28, real); put(block, 29, apart); put(block, 30, parseval);
  put(block, 31, apart > WARN || parseval > WARN ? 1 : 0);
}

// ---- spectral propagator ---------------------------------------------------------------------------------

/** |G| and phase of one time step for the fastest retained mode. */
export function writeStep(block: usize, size: f64, phase: f64): void {
  put(block, 32, 1);
  put(block, 33, size);
  put(block, 34, phase);
}

/** Block means of u: their number. */
function blockMeans(u: usize, n: i32, to: usize): i32 {
  const width = (n + BAND - 1) / BAND;
  let count = 0;
  for (let first = 0; first < n; first += width) {
    const last = min(n, first + width);
    let sum = 0.0;
    for (let i = first; i < last; i++) sum += get(u, i);
    put(to, count++, sum / <f64>(last - first));
  }
  return count;
}

/** cos(πt/2n) for t < 4n. */
function layOutQuarters(cosines: usize, n: i32): void {
  for (let t = 0; t <= n; t++) {
    const c = t == n ? 0.0 : Math.cos(Math.PI * <f64>t / <f64>(2 * n));
    put(cosines, t, c);
    put(cosines, 2 * n - t, -c);
    if (t > 0) put(cosines, 4 * n - t, c);
    if (t < n) put(cosines, 2 * n + t, -c);
  }
}

/**
 * Σ x_i cos(π(2i + 1)k/2n) to `to` for all k < n, which may be x: sums of opposite samples meet the even k, differences the
 * odd ones, two side by side. `pairs`: n + 1 f64.
 */
function cosineSums(x: usize, n: i32, cosines: usize, pairs: usize, to: usize): void {
  const half = (n + 1) >> 1, turn = <usize>(4 * n) << 3, end = cosines + turn;
  for (let i = 0; i < half; i++) {
    const a = get(x, i), b = get(x, n - 1 - i), alone = 2 * i == n - 1;
    put(pairs, 2 * i, alone ? a : a + b);
    put(pairs, 2 * i + 1, alone ? 0.0 : a - b);
  }
  for (let k = 0; k < n; k += 2) {
    const step = <usize>k << 4;
    let sum = f64x2.splat(0), even = cosines + (step >> 1), odd = even + 8;
    for (let at = pairs, stop = pairs + (<usize>half << 4); at < stop; at += 16) {
      sum = f64x2.add(sum, f64x2.mul(v128.load(at), f64x2.replace_lane(v128.load64_splat(even), 1, load<f64>(odd))));
      even += step;
      odd += step + 16;
      if (even >= end) even -= turn;
      if (odd >= end) odd -= turn;
    }
    put(to, k, f64x2.extract_lane(sum, 0));
    if (k + 1 < n) put(to, k + 1, f64x2.extract_lane(sum, 1));
  }
}

/** Band part. `scratch`: 7·128 f64. */
export function writeBand(block: usize, u: usize, n: i32, scratch: usize): void {
  const means = scratch, cosines = means + BAND * 8, pairs = cosines + BAND * 32;
  const count = blockMeans(u, n, means);
  layOutQuarters(cosines, count);
  cosineSums(means, count, cosines, pairs, means);
  const kept = 2 * (count - 1) / 3;
  let all = 0.0, inside = 0.0, weighted = 0.0, before = 0.0, after = 0.0, apart = 0.0;
  for (let k = 0; k < count; k++) {
    const a = get(means, k) * sqrt((k == 0 ? 1.0 : 2.0) / <f64>count);
    all += a * a;
    if (k > kept) continue;
    const kappa = Math.PI * <f64>k, omega = sqrt(kappa * kappa + 1);
    const c = Math.cos(omega), s = Math.sin(omega);
    const field = a * c, momentum = -omega * a * s;
    const back = field * c - momentum / omega * s - a, drift = (momentum * c + omega * field * s) / omega;
    inside += a * a;
    weighted += kappa * a * a;
    before += omega * omega * a * a;
    after += momentum * momentum + omega * omega * field * field;
    apart += back * back + drift * drift;
  }
  const fraction = all > 0 ? inside / all : 1;
  const round = inside > 0 ? sqrt(apart / inside) : 0, drifted = before > 0 ? abs(after - before) / before : 0;
  put(block, 35, fraction);
  put(block, 36, inside > 0 ? weighted / inside : 0);
  put(block, 37, round);
  put(block, 38, drifted);
  put(block, 39, (fraction < 0.99 ? 1 : 0) + (round > WARN || drifted > WARN ? 2 : 0));
}

/** Work units of a static profile of n samples. */
export function profileWork(n: i32): u64 { return 60000 + 40 * <u64>n; }

/** The whole block of a static profile in the reference basis. `scratch`: diagnosticsScratch(n) f64. */
export function writeStaticProfile(block: usize, u: usize, n: i32, scratch: usize): void {
  memory.fill(block, 0, DIAGNOSTICS * 8);
  if (n >= 3) writeReferenceTerms(block, u, n, 0, 0, 1, scratch);
  writeReflection(block, u, n, scratch);
  writeBand(block, u, n, scratch);
}
