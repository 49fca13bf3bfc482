// What is left at t of a flow that stood in a channel or a duct at its start: each sine of it decays by itself, as
// e^{−ν(α_n² + β_m²) t} with α_n = nπ/Ly, β_m = mπ/Lz (White, Viscous Fluid Flow, 3rd ed., §3-4). Of a flow that is the same everywhere
// the odd n have 4U/nπ; of means of N cells b_n = (2/N) Σ u_i sin nπ(i + ½)/N, half of it at n = N, times θ/sin θ, θ = nπ/2N, which
// is what taking means of a sine had made of it.

import { allocate } from "../kernel/frame";

/** Terms that fall by this exponent more than the slowest are nothing beside it. */
const MOST: f64 = 42.0;
const MOST_TERMS: i32 = 1000;

let Ly: f64 = 0, Lz: f64 = 0, isChannel: bool = false;
/** Sines along y and z that are left, and what they are times. */
let ofY: i32 = 0, ofZ: i32 = 0, left: usize = 0;

@inline function leftAt(n: i32, m: i32): usize { return left + (<usize>((m - 1) * ofY + n - 1) << 3); }

/** n with ν (α_n² − α_1²) t within MOST. */
function termsWithin(length: f64, scaled: f64, most: i32): i32 {
  const limit = Math.sqrt(1.0 + MOST / scaled * length * length / (Math.PI * Math.PI));
  return limit < <f64>most ? <i32>limit : most;
}

/** `kind`: 0 at rest, 1 everywhere U, 2 the means of n × m cells at `cells`; `scaled`: νt. */
export function layStart(kind: i32, U: f64, cells: usize, n: i32, m: i32, height: f64, width: f64, scaled: f64): void {
  Ly = height; Lz = width; isChannel = m == 1;
  ofY = kind == 0 ? 0 : termsWithin(Ly, scaled, kind == 1 ? MOST_TERMS : n);
  ofZ = isChannel ? 1 : termsWithin(Lz, scaled, kind == 1 ? MOST_TERMS : m);
  if (ofY < 1) return;
  left = allocate(<usize>(ofY * ofZ) << 3);
  if (kind == 2) transform(cells, n, m);
  for (let b = 1; b <= ofZ; b++) {
    for (let a = 1; a <= ofY; a++) {
      const share = kind == 1 ? U * ofUniform(a) * (isChannel ? 1.0 : ofUniform(b)) : load<f64>(leftAt(a, b));
      const power = powerAt(a, b, scaled);
      store<f64>(leftAt(a, b), power > MOST + powerAt(1, 1, scaled) ? 0.0 : share * Math.exp(-power));
    }
  }
}

@inline function powerAt(a: i32, b: i32, scaled: f64): f64 {
  const alpha = <f64>a * Math.PI / Ly, beta = isChannel ? 0.0 : <f64>b * Math.PI / Lz;
  return scaled * (alpha * alpha + beta * beta);
}

@inline function ofUniform(n: i32): f64 { return (n & 1) == 0 ? 0.0 : 4.0 / (<f64>n * Math.PI); }

@inline function weight(n: i32, count: i32): f64 {
  const theta = 0.5 * <f64>n * Math.PI / <f64>count;
  return (n == count ? 1.0 : 2.0) / <f64>count * theta / Math.sin(theta);
}

/** Along y in each row, then along z. */
function transform(cells: usize, n: i32, m: i32): void {
  const lines = allocate(<usize>(ofY * m) << 3);
  for (let k = 0; k < m; k++) {
    for (let a = 1; a <= ofY; a++) store<f64>(lines + (<usize>((a - 1) * m + k) << 3), sines(cells + (<usize>(k * n) << 3), n, a));
  }
  for (let a = 1; a <= ofY; a++) {
    const line = lines + (<usize>((a - 1) * m) << 3);
    for (let b = 1; b <= ofZ; b++) store<f64>(leftAt(a, b), isChannel ? load<f64>(line) : sines(line, m, b));
  }
}

/** Σ u_i sin nπ(i + ½)/N by its weight; the sines follow one from another. */
function sines(from: usize, count: i32, n: i32): f64 {
  const step = <f64>n * Math.PI / <f64>count, twice = 2.0 * Math.cos(step);
  let sum = 0.0, before = -Math.sin(0.5 * step), now = -before;
  for (let i = 0; i < count; i++) {
    sum += load<f64>(from + (<usize>i << 3)) * now;
    const next = twice * now - before;
    before = now;
    now = next;
  }
  return weight(n, count) * sum;
}

export function startAt(y: f64, z: f64): f64 {
  const first = Math.PI * y / Ly, twice = 2.0 * Math.cos(first);
  let sum = 0.0;
  for (let b = 1; b <= ofZ; b++) {
    let line = 0.0, before = 0.0, now = Math.sin(first);
    for (let a = 1; a <= ofY; a++) {
      line += load<f64>(leftAt(a, b)) * now;
      const next = twice * now - before;
      before = now;
      now = next;
    }
    sum += isChannel ? line : line * Math.sin(<f64>b * Math.PI * z / Lz);
  }
  return sum;
}
