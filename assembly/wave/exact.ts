// Closed forms that a run of `wave` is held against; nothing here is shared with the kernel.
//
// A mode of a closed box: A f(x) g(y) e^(−γt)(cos ω't − (γ/ω') sin ω't), γ = s/2ρ, ω'² = ω² − γ² (Maxwell's start has
// H = 0, so Ez begins to fall at 2γ; without σ it is A cos ωt). A line: d'Alembert's ½[F(x+ct) + F(x−ct)], F unfolded
// at the ends (Morse & Ingard, Theoretical Acoustics, §4.1). A stack of layers at one frequency: the admittance that
// each hands on to the one before it (Born & Wolf, §1.6; P. Yeh, Optical Waves in Layered Media, §5.1). In a plane between
// conductors, or in a row of equal cells, light is a sum of waves e^(±iqy) that layers leave apart: s-polarised plane
// waves at sin θ = q/k (Collin, Field Theory of Guided Waves, §6.1 and 2.3 for the line that sends them).

// ---- modes ---------------------------------------------------------------------------------------------

/** Amplitude at t of a mode of angular frequency ω under the decay γ, 1 at the start. */
export function modeFactor(omega: f64, gamma: f64, t: f64): f64 {
  const turned = sqrt(omega * omega - gamma * gamma);
  if (turned == 0.0) return 1.0;
  return Math.exp(-gamma * t) * (Math.cos(turned * t) - gamma / turned * Math.sin(turned * t));
}

// ---- a line --------------------------------------------------------------------------------------------

/** u of the start at x outside [0, L]: odd about a fixed end, even about a free one, as at the end beyond a layer. */
export function unfolded(start: (x: f64) => f64, x: f64, L: f64, left: f64, right: f64): f64 {
  let sign = 1.0;
  if (left == 2.0) return start(x - L * floor(x / L));
  if (left != 3.0 && right != 3.0) x -= 4.0 * L * floor(x / (4.0 * L)); // two reflections at each end change nothing
  for (let turns = 0; turns < 8; turns++) {
    if (x < 0.0) {
      if (left == 3.0) return sign * start(0.0);
      x = -x;
      if (left == 0.0) sign = -sign;
    } else if (x > L) {
      if (right == 3.0) return sign * start(L);
      x = 2.0 * L - x;
      if (right == 0.0) sign = -sign;
    } else break;
  }
  return sign * start(x);
}

/** The harmonic of a triangle with its peak at x₀ that is strongest at the probe; both ends fixed. */
export function loudestHarmonic(x0: f64, probe: f64, L: f64): i32 {
  let best = 1, most = -1.0;
  for (let m = 1; m <= 1000; m++) {
    const k = Math.PI * <f64>m / L, size = abs(Math.sin(k * x0) * Math.sin(k * probe)) / (<f64>m * <f64>m);
    if (size > most * (1.0 + 1e-9)) { most = size; best = m; }
  }
  return best;
}

// ---- a stack -------------------------------------------------------------------------------------------

export let reflectance: f64 = 0, transmittance: f64 = 0;

let re: f64 = 0, im: f64 = 0;
@inline function divide(a: f64, b: f64, c: f64, d: f64): void {
  const size = c * c + d * d;
  re = (a * c + b * d) / size;
  im = (b * c - a * d) / size;
}

/** √(a + ib), b ≤ 0, with its imaginary part not above 0: what decays. */
@inline function rootOf(a: f64, b: f64): void {
  const size = sqrt(a * a + b * b);
  if (a > 0.0) { re = sqrt(0.5 * (size + a)); im = 0.5 * b / re; return; }
  im = -sqrt(0.5 * (size - a));
  re = im < 0.0 ? 0.5 * b / im : 0.0;
}

/**
 * `segments` of {thickness [m], ε, σ}; k₀ = 2πf/c, `loss` = 1/(2πf ε₀). In units of the free admittance with μ_r = μ a
 * segment has n = √((ε − iσ loss) μ − q²/k₀²) and the admittance n/μ; fields go as e^(i(ωt − kx)), and along y as
 * e^(iqy) with `across` = q²/k₀². Of a first segment in which no wave travels there is no answer.
 */
export function solveStack(segments: usize, count: i32, k0: f64, loss: f64, mu: f64, across: f64 = 0.0): void {
  const last = segments + <usize>(count - 1) * 24, first = sqrt(load<f64>(segments, 8) * mu - across) / mu;
  const end = load<f64>(last, 8) * mu - across, behind = sqrt(max(end, 0.0)) / mu;
  let yr = behind, yi = -sqrt(max(-end, 0.0)) / mu, tr = 1.0, ti = 0.0;
  for (let s = count - 2; s > 0; s--) {
    const at = segments + <usize>s * 24, er = load<f64>(at, 8) * mu - across, ei = -load<f64>(at, 16) * loss * mu;
    rootOf(er, ei);
    const nr = re, ni = im;
    const dr = k0 * nr * load<f64>(at), di = k0 * ni * load<f64>(at);
    const ch = 0.5 * (Math.exp(di) + Math.exp(-di)), sh = 0.5 * (Math.exp(di) - Math.exp(-di));
    const cr = Math.cos(dr) * ch, ci = -Math.sin(dr) * sh, sr = Math.sin(dr) * ch, si = Math.cos(dr) * sh;
    const hr = nr / mu, hi = ni / mu;
    // E before = E behind (cos δ + i (Y/η) sin δ), η the admittance of the segment
    divide(yr, yi, hr, hi);
    const er2 = cr - (re * si + im * sr), ei2 = ci + (re * sr - im * si);
    const kr = tr * er2 - ti * ei2, ki = tr * ei2 + ti * er2;
    tr = kr; ti = ki;
    // Y before = (Y cos δ + i η sin δ) / (cos δ + i (Y/η) sin δ)
    divide(yr * cr - yi * ci - (hr * si + hi * sr), yr * ci + yi * cr + (hr * sr - hi * si), er2, ei2);
    yr = re; yi = im;
  }
  divide(first - yr, -yi, first + yr, yi);
  reflectance = re * re + im * im;
  divide(2.0 * first, 0.0, first + yr, yi);
  const ar = re, ai = im;
  divide(ar, ai, tr, ti);
  transmittance = behind / first * (re * re + im * im);
}

/**
 * The same of what a line at height y0 sends through a plane of that height, `modes` of which travel: each has the
 * power sin²(qy₀)/kₓ, q = πn/height, between conductors, and 1/kₓ, q = 2πn/height, on a ring.
 */
export function solveGuide(
  segments: usize, count: i32, k0: f64, loss: f64, mu: f64, height: f64, y0: f64, ring: bool, modes: i32,
): void {
  let sent = 0.0, back = 0.0, through = 0.0;
  for (let n = ring ? 0 : 1, left = modes; left > 0; n++, left--) {
    const q = (ring ? 2.0 : 1.0) * Math.PI * <f64>n / height, across = q * q / (k0 * k0), s = Math.sin(q * y0);
    const power = (ring ? (n > 0 ? 2.0 : 1.0) : s * s) / sqrt(load<f64>(segments, 8) * mu - across);
    if (power == 0.0) continue;
    solveStack(segments, count, k0, loss, mu, across);
    sent += power; back += power * reflectance; through += power * transmittance;
  }
  reflectance = back / sent;
  transmittance = through / sent;
}
