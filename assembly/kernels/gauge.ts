// One Markov chain of two-dimensional lattice gauge theory with the Wilson action, periodic L × L:
//
//   Z2    S = −β Σ U_p      U(1)  S = −β Σ cos θ_p      SU(2)  S = −(β/2) Σ Tr U_p
//
// A step is a sweep: every link once by heat bath (assembly/gauge), then the measurement. Draws are addressed by
// sweep, link and attempt, so a chain is the same however it is cut. Samples go into 64 blocks of equal length.
//
// Parameters (f64): 0 group (0 Z2, 1 U(1), 2 SU(2)) · 8 β · 16 L · 24 R · 32 T, 0: no loop · 40 sweeps before the first
//   sample · 48 samples n, a multiple of 64 · 56 number of the first sweep · 64 chain · 72, 80 seed
//   88 start: 0 all links 1, 1 random links, 2 the links that stand from 96 on
// State body and result: 0 samples · 8 Σm · 16 Σm² · 24 charges taken · 32 ΣQ · 40 ΣQ² · 48 ΣP · 56 ΣP²
//   64 sums of m in 64 blocks · 576 sums of P in 64 blocks · 1088 plaquettes in 64 bins of [−1, 1] · 1600 flux moves
//   accepted · 1608 reserved · 1616 the links (assembly/gauge/lattice.ts)
// m is the loop where one is asked for, else P, the mean plaquette.

import {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
  parameters, parameterF64, openState, watchFinite, restoreState, standResult, show, running, finish, spend, stepsDone,
  countStep,
} from "../kernel/frame";
import { Group } from "../gauge/exact";
import { L, links, openLattice, openStream, volume, width } from "../gauge/lattice";
import { INTEGRATED_BELOW } from "../gauge/link-mean";
import { meanLoop, openLoops, plaquette } from "../gauge/loops";
import { coldSU2, hotSU2, openSU2, sweepSU2 } from "../gauge/su2";
import {
  chargeU1, coldU1, cosines, hotU1, measureU1, openU1, proposeFlux, sweepU1,
} from "../gauge/u1";
import { coldZ2, hotZ2, openZ2, sweepZ2 } from "../gauge/z2";
import { philox, uniform } from "../math/philox";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
};

const BLOCKS: u64 = 64;
const BINS: i32 = 64;
const HEAD: usize = 1616;
/** Charge and histogram are taken at every 16th sample. */
const SELDOM: u64 = 16;
/** Random links of a hot start are draws of a sweep that no chain reaches. */
const HOT: u32 = 0xffffffff;
const FLUX_FROM: f64 = 1.0;

let body: usize = 0;
let group: i32 = 0;
let beta: f64 = 0;
let R: i32 = 0, T: i32 = 0;
let burn: u64 = 0, samples: u64 = 0, first: u64 = 0;
let unitsPerSweep: u64 = 0;

function prepare(): void {
  group = <i32>parameterF64(0);
  beta = parameterF64(8);
  const size = <i32>parameterF64(16);
  R = <i32>parameterF64(24);
  T = <i32>parameterF64(32);
  burn = <u64>parameterF64(40);
  samples = <u64>parameterF64(48);
  first = <u64>parameterF64(56);
  const bytes: usize = group == Group.Z2 ? 8 : group == Group.U1 ? 16 : 32;
  const count = 2 * size * size;
  body = openState(HEAD + bytes * <usize>count);
  watchFinite(body, 202 + <i32>(bytes >> 3) * count);
  openLattice(size, bytes, body + HEAD);
  openStream(<u32>parameterF64(72), <u32>parameterF64(80), <u32>parameterF64(64));
  openLoops(group, T);
  if (group == Group.Z2) openZ2(beta);
  else if (group == Group.U1) openU1(beta);
  else openSU2(beta);
  unitsPerSweep = costOfSweep(<u64>count);
}

/** Units of a link by group, and of a loop by the links that make its lines; the same formula is in the plan. */
function costOfSweep(count: u64): u64 {
  const perLink: u64 = group == Group.Z2 ? 18 : group == Group.U1 ? 60 : 200;
  const perLine: u64 = group == Group.SU2 ? 20 : 8;
  return 100 + count * perLink + (T > 0 ? (count / 2) * perLine * <u64>(R + T + 4) : 0);
}

export function start(budget: i32): i32 {
  prepare();
  const from = <i32>parameterF64(88);
  if (from == 2) memory.copy(links, parameters() + 96, width * <usize>(2 * volume));
  else for (let i = 0; i < 2 * volume; i++) startLink(links + width * <usize>i, <u32>i, from == 1);
  return 1;
}

function startLink(at: usize, item: u32, hot: bool): void {
  if (!hot) {
    if (group == Group.Z2) coldZ2(at);
    else if (group == Group.U1) coldU1(at);
    else coldSU2(at);
    return;
  }
  const u = startUniform(0, item), v = startUniform(1, item), w = startUniform(2, item);
  if (group == Group.Z2) hotZ2(at, u);
  else if (group == Group.U1) hotU1(at, u);
  else hotSU2(at, u, v, w);
}

function startUniform(draw: u32, item: u32): f64 {
  const words = body; // still empty: the sums begin at zero after it
  philox(draw, HOT, item, (2 << 24) | <u32>parameterF64(64), <u32>parameterF64(72), <u32>parameterF64(80), words);
  const u = uniform(load<u32>(words), load<u32>(words, 4));
  memory.fill(words, 0, 16);
  return u;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(budget: i32): i32 { return 1; }

export function advance(steps: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < steps && running() && work() < end) {
    const sweep = <u32>(first + stepsDone());
    const integrated = sweepLinks(sweep);
    const moved = group == Group.U1 && measureAndMove(sweep);
    countStep();
    spend(unitsPerSweep);
    if (running() && stepsDone() > burn) take(stepsDone() - burn - 1, integrated, moved);
    taken++;
    if (stepsDone() == burn + samples) conclude();
  }
  return taken;
}

function sweepLinks(sweep: u32): f64 {
  if (group == Group.Z2) return sweepZ2(sweep);
  return group == Group.U1 ? sweepU1(sweep) : sweepSU2(sweep);
}

function measureAndMove(sweep: u32): bool {
  measureU1();
  return beta >= FLUX_FROM && proposeFlux(sweep) == 1;
}

/** The sample `index` of the chain. */
function take(index: u64, integrated: f64, moved: bool): void {
  const p = meanPlaquette(integrated);
  const m = T > 0 ? meanLoop(R, T) : p;
  const block = <usize>(index / (samples / BLOCKS)) << 3;
  add(0, 1.0);
  add(8, m);
  add(16, m * m);
  add(48, p);
  add(56, p * p);
  add(64 + block, m);
  add(576 + block, p);
  if (moved) add(1600, 1.0);
  if (index % SELDOM == 0) takeSeldom();
  show(0, load<f64>(body, 8) / load<f64>(body));
}

@inline function add(offset: usize, value: f64): void { store<f64>(body + offset, load<f64>(body + offset) + value); }

/** With each link integrated where that is what the sweep gave: always for Z2, else for small β. */
function meanPlaquette(integrated: f64): f64 {
  if (group == Group.Z2 || beta < INTEGRATED_BELOW) return integrated;
  if (group == Group.U1) return cosines / <f64>volume;
  let sum = 0.0;
  for (let y = 0; y < L; y++) for (let x = 0; x < L; x++) sum += plaquette(y, x);
  return sum / <f64>volume;
}

function takeSeldom(): void {
  for (let y = 0; y < L; y++) {
    for (let x = 0; x < L; x++) {
      const bin = min(BINS - 1, max(0, <i32>floor(0.5 * <f64>BINS * (1.0 + plaquette(y, x)))));
      add(1088 + (<usize>bin << 3), 1.0);
    }
  }
  if (group != Group.U1) return;
  const charge = chargeU1();
  add(24, 1.0);
  add(32, charge);
  add(40, charge * charge);
}

function conclude(): void {
  standResult(body, <i32>(HEAD + width * <usize>(2 * volume)));
  finish();
}
