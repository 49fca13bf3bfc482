// Verdict of quant's qubits: the state vector beside a formula, or beside the same circuit as rotations of Bloch's
// sphere (assembly/qubit/reference.ts).
//
//   rabi    P(t) = Ω²/(Ω²+Δ²) sin²(½ t √(Ω²+Δ²))         (Rabi, Phys. Rev. 51 (1937) 652)
//   grover  P_k = sin²((2k+1) θ), sin θ = 2^{−n/2}       (Boyer, Brassard, Høyer & Tapp, Fortschr. Phys. 46 (1998) 493)
//
// Parameters (f64): 0 … 56 and the gates as the run has them (assembly/kernels/quant-qubit.ts), then the run's result,
//   then its rows
// Extras (f64): 0 norm − 1 · 8 rows or outcomes N · 16 N abscissae: t [s], iteration or index · N probabilities ·
//   diagnostics of them (40)
//
// Gates: 10 probability · 11 norm · 12 series (rabi, grover) · 13 distribution (circuit)

import {
  allocate, countStep, openState, parameterF64, parameters, restoreState, spend,
} from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { GATE } from "../qubit/gates";
import { gather } from "../qubit/reference";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const RABI: i32 = 0;
const GROVER: i32 = 1;
const SCALARS: i32 = 2;
const HEAD: usize = 64;
const ONCE: u64 = 2000000;

let type: i32 = 0, n: i32 = 0, size: i32 = 0, samples: i32 = 0;
let steps: u64 = 0;
let amplitudes: usize = 0, rows: usize = 0, here: usize = 0, there: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  type = <i32>parameterF64(0);
  n = <i32>parameterF64(8);
  steps = <u64>parameterF64(16);
  size = 1 << n;
  const isCircuit = type > GROVER, bytes = <usize>size << (type == GROVER ? 3 : 4);
  amplitudes = parameters() + HEAD + (isCircuit ? GATE * <usize>steps : 0);
  rows = amplitudes + bytes;
  samples = isCircuit ? size : 1 + <i32>(steps / <u64>parameterF64(48));
  here = allocate(isCircuit ? bytes : 0);
  there = allocate(isCircuit ? bytes : 0);
  scratch = allocate(<usize>diagnosticsScratch(samples) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  openVerdict(3, SCALARS + 2 * samples + DIAGNOSTICS);
  const value = type > GROVER ? judgeCircuit() : judgeSeries();
  const norm = squaredNorm();
  gate(11, Kind.INVARIANT, norm, 1.0, abs(norm - 1.0));
  store<f64>(extras(), norm - 1.0);
  store<f64>(extras(), <f64>samples, 8);
  writeStaticProfile(probabilityAt(samples), probabilityAt(0), samples, scratch);
  spend(ONCE + (type > GROVER ? <u64>size * (24 * steps + 60) : <u64>size));
  countStep();
  closeVerdict(value);
  return 1;
}

@inline function abscissaAt(i: i32): usize { return extras() + 8 * <usize>(SCALARS + i); }
@inline function probabilityAt(i: i32): usize { return extras() + 8 * <usize>(SCALARS + samples + i); }

function squaredNorm(): f64 {
  let sum = 0.0;
  for (let at = amplitudes; at < rows; at += 8) sum += load<f64>(at) * load<f64>(at);
  return sum;
}

// ---- rabi and grover -----------------------------------------------------------------------------------

function formula(step: f64): f64 {
  if (type == GROVER) {
    const s = Math.sin((2.0 * step + 1.0) * Math.asin(Math.pow(2.0, -0.5 * <f64>n)));
    return s * s;
  }
  const drive = parameterF64(24), detuning = parameterF64(32), square = drive * drive + detuning * detuning;
  if (square == 0.0) return 0.0;
  const s = Math.sin(0.5 * parameterF64(40) * (step / 256.0) * sqrt(square));
  return drive * drive / square * s * s;
}

function judgeSeries(): f64 {
  const stepsPerRow = parameterF64(48);
  let worst = 0.0, measured = 0.0, reference = 0.0;
  for (let i = 0; i < samples; i++) {
    const step = stepsPerRow * <f64>i, P = load<f64>(rows + (<usize>i << 3)), exact = formula(step);
    store<f64>(abscissaAt(i), type == RABI ? parameterF64(40) * (step / 256.0) : step);
    store<f64>(probabilityAt(i), P);
    if (abs(P - exact) <= worst) continue;
    worst = abs(P - exact); measured = P; reference = exact;
  }
  const last = rows - (type == RABI ? 16 : 8), re = load<f64>(last), im = type == RABI ? load<f64>(last, 8) : 0.0;
  const value = re * re + im * im, exact = formula(<f64>steps);
  gate(10, Kind.EXACT, value, exact, relativeError(value, exact, 1.0));
  gate(12, Kind.EXACT, measured, reference, worst);
  return value;
}

// ---- circuit -------------------------------------------------------------------------------------------

@inline function probability(state: usize, i: i32): f64 {
  const at = state + (<usize>i << 4);
  return load<f64>(at) * load<f64>(at) + load<f64>(at, 8) * load<f64>(at, 8);
}

/** Distance of the distributions, ½ Σ|p − p′|, and the outcome that is asked for. */
function judgeCircuit(): f64 {
  store<f64>(here, 1.0);
  for (let step: u64 = 0; step < steps; step++) {
    gather(parameters() + HEAD + GATE * <usize>step, here, there, n);
    const swapped = here;
    here = there; there = swapped;
  }
  let apart = 0.0;
  for (let i = 0; i < size; i++) {
    const p = probability(amplitudes, i);
    apart += 0.5 * abs(p - probability(here, i));
    store<f64>(abscissaAt(i), <f64>i);
    store<f64>(probabilityAt(i), p);
  }
  const outcome = <i32>parameterF64(56), value = probability(amplitudes, outcome), exact = probability(here, outcome);
  gate(10, Kind.EXACT, value, exact, relativeError(value, exact, 1.0));
  gate(13, Kind.EXACT, apart, 0.0, apart);
  return value;
}
