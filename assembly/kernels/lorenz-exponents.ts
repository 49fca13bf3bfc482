// Lyapunov exponents of Lorenz' equations: chains of (x, y, z) with three tangent vectors each, by RK4, orthonormalised
// after every interval (Benettin, Galgani, Giorgilli & Strelcyn, Meccanica 15 (1980) 9; Gram–Schmidt),
//
//   v̇ = J v,   J = [−σ σ 0; ρ−z −1 −x; y x −β],   λᵢ = Σ ln |vᵢ| / time.
//
// Two chains share a register (f64x2), so their bits are those of one alone. A chain starts at a random place, Philox
// at (0, 0, chain, paths), runs unmeasured first, then in 16 blocks whose sums are kept apart, for the standard error.
// At every step x², y², z and z² are summed too.
//
// Parameters (f64):
//   0 σ · 8 ρ · 16 β · 24 h · 32 steps in an interval · 40 intervals before · 48 intervals in a block
//   56, 64 seed · 72 first chain · 80 chains of this run, even
// State body, for each pair of chains 27 × f64x2: 0 x y z · 48 v₁ v₂ v₃ · 192 ln |vᵢ| of this block · 240 sums of x², y², z,
//   z² · 304 carries of the four · 368 their sums of this interval; then, f64, block × i × chain: sums of ln |vᵢ|
// Step = an interval of all chains.
// Result (f64):  block × i × chain: λᵢ · for each chain: means of x², y², z, z² · for each chain: x, y, z

import {
  countStep, finish, openResult, openState, parameterF64, parameterU64, restoreState, running, show, spend, stepsDone,
  watchFinite, work, allocate,
} from "../kernel/frame";
import { philox, Purpose, uniform } from "../math/philox";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const PAIR: usize = 27 * 16;
const BLOCKS: i32 = 16;
/** Work units of a step of a chain, and of an orthonormalisation. */
const UNITS: u64 = 40;
const UNITS_INTERVAL: u64 = 60;

let body: usize = 0, sums: usize = 0;
let chains: i32 = 0, stepsEach: i32 = 0;
let before: u64 = 0, blockLength: u64 = 0;
let sigma: f64 = 0, rho: f64 = 0, beta: f64 = 0, h: f64 = 0;

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  sigma = parameterF64(0); rho = parameterF64(8); beta = parameterF64(16); h = parameterF64(24);
  stepsEach = <i32>parameterF64(32);
  before = <u64>parameterF64(40);
  blockLength = <u64>parameterF64(48);
  chains = <i32>parameterF64(80);
  const pairs = <usize>chains >> 1;
  body = openState(pairs * PAIR + (<usize>(BLOCKS * 3 * chains) << 3));
  sums = body + pairs * PAIR;
  watchFinite(body, <i32>(pairs * PAIR >> 3) + BLOCKS * 3 * chains);
}

@inline function laneAt(chain: i32, index: usize): usize {
  return body + <usize>(chain >> 1) * PAIR + (index << 4) + (<usize>(chain & 1) << 3);
}

export function start(_budget: i32): i32 {
  prepare();
  const seed = parameterU64(56), words = allocate(16), reach = rho > 1.0 ? sqrt(beta * (rho - 1.0)) : 1.0;
  for (let chain = 0; chain < chains; chain++) {
    const item = <u32>parameterF64(72) + <u32>chain;
    philox(0, 0, item, Purpose.PATHS, <u32>seed, <u32>(seed >> 32), words);
    const u = uniform(load<u32>(words), load<u32>(words, 4)), v = uniform(load<u32>(words, 8), load<u32>(words, 12));
    store<f64>(laneAt(chain, 0), reach * (2.0 * u - 1.0));
    store<f64>(laneAt(chain, 1), reach * (2.0 * v - 1.0));
    store<f64>(laneAt(chain, 2), rho > 1.0 ? rho - 1.0 : 1.0);
    for (let i: usize = 0; i < 3; i++) store<f64>(laneAt(chain, 3 + 4 * i), 1.0);
  }
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- the equation --------------------------------------------------------------------------------------

@inline function add(a: v128, b: v128): v128 { return f64x2.add(a, b); }
@inline function sub(a: v128, b: v128): v128 { return f64x2.sub(a, b); }
@inline function mul(a: v128, b: v128): v128 { return f64x2.mul(a, b); }

/** Slopes of a stage, and what the step gathers of them. */
const stage: usize = memory.data(2 * 12 * 16, 16);

/** Stage of a step for the pair at p: f at `from` + weight · `slopes`, to `slopes`; `total` gains share · f. */
@inline function stageOf(p: usize, weight: f64, share: f64, first: bool): void {
  const w = f64x2.splat(weight), part = f64x2.splat(share);
  const s = f64x2.splat(sigma), b = f64x2.splat(beta);
  const slopes = stage, total = stage + 12 * 16;
  let x = v128.load(p), y = v128.load(p, 16), z = v128.load(p, 32);
  if (!first) {
    x = add(x, mul(w, v128.load(slopes)));
    y = add(y, mul(w, v128.load(slopes, 16)));
    z = add(z, mul(w, v128.load(slopes, 32)));
  }
  const up = sub(f64x2.splat(rho), z);
  keep(slopes, total, mul(s, sub(y, x)), part, first);
  keep(slopes + 16, total + 16, sub(mul(x, up), y), part, first);
  keep(slopes + 32, total + 32, sub(mul(x, y), mul(b, z)), part, first);
  for (let at: usize = 48; at < 192; at += 48) {
    let u = v128.load(p + at), v = v128.load(p + at, 16), k = v128.load(p + at, 32);
    if (!first) {
      u = add(u, mul(w, v128.load(slopes + at)));
      v = add(v, mul(w, v128.load(slopes + at, 16)));
      k = add(k, mul(w, v128.load(slopes + at, 32)));
    }
    keep(slopes + at, total + at, mul(s, sub(v, u)), part, first);
    keep(slopes + at + 16, total + at + 16, sub(sub(mul(up, u), v), mul(x, k)), part, first);
    keep(slopes + at + 32, total + at + 32, sub(add(mul(y, u), mul(x, v)), mul(b, k)), part, first);
  }
}

@inline function keep(slope: usize, total: usize, f: v128, part: v128, first: bool): void {
  v128.store(slope, f);
  v128.store(total, first ? mul(part, f) : add(v128.load(total), mul(part, f)));
}

/** The steps of one interval for the pair at p. The hot loop. */
function integrate(p: usize): void {
  const half = 0.5 * h, third = h / 3.0, sixth = h / 6.0, total = stage + 12 * 16;
  for (let i = 0; i < stepsEach; i++) {
    stageOf(p, 0.0, sixth, true);
    stageOf(p, half, third, false);
    stageOf(p, half, third, false);
    stageOf(p, h, sixth, false);
    for (let at: usize = 0; at < 192; at += 16) v128.store(p + at, add(v128.load(p + at), v128.load(total + at)));
    const x = v128.load(p), y = v128.load(p, 16), z = v128.load(p, 32);
    v128.store(p, add(v128.load(p, 368), mul(x, x)), 368);
    v128.store(p, add(v128.load(p, 384), mul(y, y)), 384);
    v128.store(p, add(v128.load(p, 400), z), 400);
    v128.store(p, add(v128.load(p, 416), mul(z, z)), 416);
  }
}

// ---- an interval ---------------------------------------------------------------------------------------

@inline function dot(a: usize, b: usize): v128 {
  return add(add(mul(v128.load(a), v128.load(b)), mul(v128.load(a, 16), v128.load(b, 16))),
    mul(v128.load(a, 32), v128.load(b, 32)));
}

@inline function take(a: usize, much: v128, b: usize): void {
  for (let at: usize = 0; at < 48; at += 16) v128.store(a + at, sub(v128.load(a + at), mul(much, v128.load(b + at))));
}

/** Gram–Schmidt; ln |vᵢ| goes to the sums of the block. */
function orthonormalise(p: usize): void {
  for (let i: usize = 0; i < 3; i++) {
    const v = p + 48 + i * 48;
    for (let j: usize = 0; j < i; j++) take(v, dot(v, p + 48 + j * 48), p + 48 + j * 48);
    const length = f64x2.sqrt(dot(v, v)), share = f64x2.div(f64x2.splat(1.0), length);
    for (let at: usize = 0; at < 48; at += 16) v128.store(v + at, mul(v128.load(v + at), share));
    const into = p + 192 + (i << 4);
    store<f64>(into, load<f64>(into) + Math.log(f64x2.extract_lane(length, 0)));
    store<f64>(into, load<f64>(into, 8) + Math.log(f64x2.extract_lane(length, 1)), 8);
  }
}

/** The four sums of the interval join those of the run, with carries (Kahan). */
function gather(p: usize, measured: bool): void {
  for (let at: usize = 0; at < 64; at += 16) {
    const fresh = v128.load(p + 368 + at);
    v128.store(p + 368 + at, f64x2.splat(0.0));
    if (!measured) continue;
    const sum = v128.load(p + 240 + at), part = add(fresh, v128.load(p + 304 + at)), next = add(sum, part);
    v128.store(p + 304 + at, sub(part, sub(next, sum)));
    v128.store(p + 240 + at, next);
  }
}

function closeBlock(block: i32): void {
  for (let chain = 0; chain < chains; chain++) {
    for (let i: usize = 0; i < 3; i++) {
      const at = laneAt(chain, 12 + i);
      if (block >= 0) store<f64>(sums + (<usize>((block * 3 + <i32>i) * chains + chain) << 3), load<f64>(at));
      store<f64>(at, 0.0);
    }
  }
}

// ---- advance -------------------------------------------------------------------------------------------

/** At most `allowed` intervals and about `budget` work units; says how many it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const stop = work() + <u64>budget;
  let left = allowed;
  while (left > 0 && running() && work() < stop) {
    const done = stepsDone() + 1;
    for (let p = body; p < sums; p += PAIR) {
      integrate(p);
      orthonormalise(p);
      gather(p, done > before);
    }
    countStep();
    spend(<u64>chains * (<u64>stepsEach * UNITS + UNITS_INTERVAL));
    left--;
    if (done == before) closeBlock(-1);
    if (done > before && (done - before) % blockLength == 0) {
      const block = <i32>((done - before) / blockLength) - 1;
      closeBlock(block);
      if (block == BLOCKS - 1) conclude();
    }
  }
  show(0, <f64>stepsDone());
  return allowed - left;
}

function conclude(): void {
  const count = BLOCKS * 3 * chains, out = openResult((count + 7 * chains) << 3);
  const time = <f64>blockLength * <f64>stepsEach * h, samples = <f64>blockLength * <f64>BLOCKS * <f64>stepsEach;
  for (let i = 0; i < count; i++) {
    const at = <usize>i << 3;
    store<f64>(out + at, load<f64>(sums + at) / time);
  }
  const means = out + (<usize>count << 3), places = means + (<usize>chains << 5);
  for (let chain = 0; chain < chains; chain++) {
    for (let k: usize = 0; k < 4; k++) {
      store<f64>(means + (<usize>chain << 5) + (k << 3), load<f64>(laneAt(chain, 15 + k)) / samples);
    }
    for (let k: usize = 0; k < 3; k++) store<f64>(places + <usize>chain * 24 + (k << 3), load<f64>(laneAt(chain, k)));
  }
  finish();
}
