// State vectors: a driven qubit, Grover's search, a circuit of gates.
//
//   rabi     i ċ = ½ (Δ σ_z + Ω σ_x) c, c(0) = (1, 0), in the frame of the drive (Cohen-Tannoudji, Quantum Mechanics,
//            F_IV): 256 equal steps by the exact exponential, cos θ − i sin θ (Δσ_z + Ωσ_x)/W, W = √(Ω²+Δ²), θ = Wh/2
//   grover   the uniform superposition, then k times the oracle, which turns the sign of |1…1⟩, and the inversion about
//            the mean (Nielsen & Chuang §6.1); amplitudes stay real
//   circuit  gates in their order on |0…0⟩ (assembly/qubit/gates.ts)
//
// Parameters (f64): 0 type: 0 rabi, 1 grover, 2 circuit · 8 qubits n · 16 steps: 256, k, gates · 24 Ω [rad/s] ·
//   32 Δ [rad/s] · 40 t_max [s] · 48 grover: steps per row · 56 index of the outcome (circuit) · 64 … gates
// State body: amplitudes, re and im interleaved (grover: re alone)
// Rows (f64): probability of the excited or the marked state, from the start on; none of a circuit
// Result: the amplitudes

import {
  appendRow, countStep, finish, openResult, openRows, openState, parameterF64, parameters, restoreState, running,
  show, spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { applyGate, GATE } from "../qubit/gates";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const RABI: i32 = 0;
const GROVER: i32 = 1;
const GATES: usize = 64;

let type: i32 = 0, n: i32 = 0, size: i32 = 0;
let body: usize = 0, bytes: usize = 0;
let steps: u64 = 0, stepsPerRow: u64 = 1, unitsPerStep: u64 = 0;
/** cos θ, and sin θ Δ/W, sin θ Ω/W. */
let turn: f64 = 1, along: f64 = 0, across: f64 = 0;

function prepare(): void {
  type = <i32>parameterF64(0);
  n = <i32>parameterF64(8);
  steps = <u64>parameterF64(16);
  stepsPerRow = <u64>parameterF64(48);
  size = 1 << n;
  bytes = <usize>size << (type == GROVER ? 3 : 4);
  body = openState(bytes);
  watchFinite(body, <i32>(bytes >> 3));
  openRows(8 * 258);
  unitsPerStep = <u64>(type == RABI ? 200 : type == GROVER ? 100 + 2 * size : 300 + 3 * size);
  if (type == RABI) openRabi(parameterF64(24), parameterF64(32));
}

function openRabi(drive: f64, detuning: f64): void {
  const W = sqrt(drive * drive + detuning * detuning), angle = 0.5 * W * (parameterF64(40) / 256.0);
  turn = Math.cos(angle);
  along = W == 0.0 ? 0.0 : Math.sin(angle) * detuning / W;
  across = W == 0.0 ? 0.0 : Math.sin(angle) * drive / W;
}

export function start(_budget: i32): i32 {
  prepare();
  if (type == GROVER) for (let i = 0; i < size; i++) store<f64>(body + (<usize>i << 3), 1.0 / sqrt(<f64>size));
  else store<f64>(body, 1.0);
  writeRow();
  if (steps == 0) conclude();
  return 1;
}

export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    if (type == RABI) stepRabi();
    else if (type == GROVER) stepGrover();
    else applyGate(parameters() + GATES + GATE * <usize>stepsDone(), body, n);
    countStep();
    spend(unitsPerStep);
    taken++;
    if (stepsDone() % stepsPerRow == 0) writeRow();
    if (stepsDone() == steps) conclude();
  }
  show(0, <f64>stepsDone());
  return taken;
}

function stepRabi(): void {
  const xr = load<f64>(body), xi = load<f64>(body, 8), yr = load<f64>(body, 16), yi = load<f64>(body, 24);
  store<f64>(body, turn * xr + along * xi + across * yi);
  store<f64>(body, turn * xi - along * xr - across * yr, 8);
  store<f64>(body, turn * yr - along * yi + across * xi, 16);
  store<f64>(body, turn * yi + along * yr - across * xr, 24);
}

function stepGrover(): void {
  const marked = body + bytes - 8;
  store<f64>(marked, -load<f64>(marked));
  let sum = f64x2.splat(0.0);
  for (let at = body; at < body + bytes; at += 16) sum = f64x2.add(sum, v128.load(at));
  const mean = (f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)) / <f64>size, twice = f64x2.splat(2.0 * mean);
  for (let at = body; at < body + bytes; at += 16) v128.store(at, f64x2.sub(twice, v128.load(at)));
}

function writeRow(): void {
  if (type > GROVER) return;
  const last = load<f64>(body + bytes - 8), other = type == RABI ? load<f64>(body + bytes - 16) : 0.0;
  store<f64>(appendRow(8), last * last + other * other);
}

function conclude(): void {
  memory.copy(openResult(<i32>bytes), body, bytes);
  finish();
}
