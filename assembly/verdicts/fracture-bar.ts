// Verdict of a bar of `fracture`: its strength and the uniform branch up to it in closed form, the energy of a crack's
// profile against that of an infinite or finite bar, and what the last state says when it is integrated anew.
//
//   AT1  σ_c = √(3EG_c/8ℓ) at ε_c = √(3G_c/8Eℓ); E ε before, E ε_c⁴/ε³ behind it (Pham et al. 2011; Tanné et al. 2018)
//   AT2  σ_c = (9/16)√(EG_c/3ℓ) at ε_c = √(G_c/3Eℓ); (1 − d)² E ε with d = Eε²/(Eε² + G_c/ℓ)
//   profile  a crack at the distance s ℓ from a free end costs AT2 ½ G_c tanh s, AT1 ⅜ G_c (s − s³/12), ½ G_c from s = 2
//
// Parameters: 0 … 103 those of the run on the finest grid (assembly/kernels/fracture-bar.ts) · 104 rows
//   112 levels: 1 or 3 · 120 elements of the finer profile · 128 result and rows at h · results at 2h, 4h, if they are there
//   · results of the profiles on N and on the finer elements
// Extras (f64): 0, 1 strength σ_c and ε_c in closed form · 2 strain at the largest stress · 3 1: the stress has fallen
//   4 turns · 5 most in a step · 6 elastic · 7 surface energy · 8 work · 9 stress at the end · 10, 11, 12 the value at h, 2h, 4h
//   13 order · 14 extrapolated · 15 energy of the profile over G_c · 16 the same in closed form · 17 discrete bias: it on N
//   elements less it · 18 largest excess of energy · 19 steps · 20 strain, stress of each row · x, d on the nodes
//   · diagnostics of d (40)
// Gates, behind the nine of a plate: 9 strength · 10 branch · 11 profile · 12 energy · 13 springs · 14 three grids.

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { judgeLevels, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const DATA: usize = 128, HEAD: usize = 128, ROW: usize = 48;
const SCALARS: i32 = 20;

let N: i32 = 0, rows: i32 = 0, levels: i32 = 0, isAT1: bool = false;
let L: f64 = 0, E: f64 = 0, Gc: f64 = 0, ell: f64 = 0, strength: f64 = 0, yieldStrain: f64 = 0;
let result0: usize = 0, series: usize = 0, result1: usize = 0, result2: usize = 0, profile1: usize = 0, profile2: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

@inline function resultBytes(n: i32): usize { return HEAD + 24 * <usize>(n + 1); }
@inline function damage(result: usize, n: i32, i: i32): f64 { return load<f64>(result + HEAD + (<usize>(n + 1 + i) << 3)); }

function layOut(): void {
  openState(0);
  N = <i32>parameterF64(0); L = parameterF64(8); E = parameterF64(16); Gc = parameterF64(24); ell = parameterF64(32);
  isAT1 = parameterF64(40) == 1.0;
  rows = <i32>parameterF64(104);
  levels = <i32>parameterF64(112);
  result0 = parameters() + DATA;
  series = result0 + resultBytes(N);
  result1 = series + ROW * <usize>rows;
  result2 = result1 + resultBytes(N / 2);
  profile1 = levels == 3 ? result2 + resultBytes(N / 4) : result1;
  profile2 = profile1 + resultBytes(N);
  scratch = allocate(<usize>diagnosticsScratch(N + 1) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(1500000 + 200 * <u64>(N + 1) + 20 * <u64>rows);
  countStep();
  return 1;
}

// ---- closed forms --------------------------------------------------------------------------------------

function branch(strain: f64): f64 {
  if (isAT1) return strain <= yieldStrain ? E * strain : E * yieldStrain * Math.pow(yieldStrain / strain, 3.0);
  const driven = E * strain * strain, whole = 1.0 / (1.0 + driven * ell / Gc);
  return whole * whole * E * strain;
}

/** Energy of the half profile over `length` between a crack and a free end, over G_c. */
function halfProfile(length: f64): f64 {
  const s = length / ell;
  if (!isAT1) return 0.5 * Math.tanh(s);
  return s >= 2.0 ? 0.5 : 0.375 * (s - s * s * s / 12.0);
}

function profileInClosedForm(n: i32): f64 {
  const at = <f64>(n / 2) / <f64>n * L;
  return halfProfile(at) + halfProfile(L - at);
}

/** Largest distance of the rows up to the peak from the branch, over the strength. */
function branchError(): f64 {
  const last = load<f64>(result0, 64) * (1.0 + 1e-12);
  let worst = 0.0;
  for (let row = 0; row < rows; row++) {
    const at = series + ROW * <usize>row, U = load<f64>(at);
    if (U > last) continue;
    const error = abs(load<f64>(at, 8) - branch(U / L)) / strength;
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/** Stress of the last state: displacement over the compliance, with four Gauss points an element. */
function stressAnew(): f64 {
  const outer = 0.8611363115940526, inner = 0.3399810435848563, wo = 0.3478548451374538, wi = 0.6521451548625461;
  let compliance = 0.0;
  for (let e = 0; e < N; e++) {
    const a = 1.0 - damage(result0, N, e), b = 1.0 - damage(result0, N, e + 1), mean = 0.5 * (a + b), slope = 0.5 * (b - a);
    const square = 0.5 * (wo * ((mean + outer * slope) * (mean + outer * slope) + (mean - outer * slope) * (mean - outer * slope))
      + wi * ((mean + inner * slope) * (mean + inner * slope) + (mean - inner * slope) * (mean - inner * slope)));
    compliance += L / <f64>N / (E * (square + 1e-7));
  }
  return load<f64>(result0, 8) / compliance;
}

// ---- judgement -----------------------------------------------------------------------------------------

function judge(): void {
  strength = isAT1 ? sqrt(3.0 * E * Gc / (8.0 * ell)) : 0.5625 * sqrt(E * Gc / (3.0 * ell));
  yieldStrain = isAT1 ? sqrt(3.0 * Gc / (8.0 * E * ell)) : sqrt(Gc / (3.0 * E * ell));
  const isClosed = load<f64>(result0, 104) == 1.0, peak = load<f64>(result0, 56);
  openVerdict((isClosed ? 5 : 3) + (levels == 3 ? 1 : 0), SCALARS + 2 * rows + 2 * (N + 1) + DIAGNOSTICS);
  const end = load<f64>(result0, 8) / L, reference = end >= yieldStrain ? strength : branch(end);
  if (isClosed) {
    const worst = branchError();
    gate(9, Kind.EXACT, peak, reference, relativeError(peak, reference));
    gate(10, Kind.EXACT, worst, 0.0, worst);
  }
  const fine = <i32>parameterF64(120), onN = load<f64>(profile1, 32) / Gc, finer = load<f64>(profile2, 32) / Gc;
  const ratio = <f64>(fine / N), profile = finer + (finer - onN) / (ratio * ratio - 1.0), closed = profileInClosedForm(N);
  gate(11, Kind.EXACT, profile, closed, relativeError(profile, closed));
  const excess = max(0.0, load<f64>(result0, 96));
  gate(12, Kind.INVARIANT, excess, 0.0, excess);
  const anew = stressAnew(), stress = load<f64>(result0, 16);
  gate(13, Kind.INVARIANT, stress, anew, relativeError(stress, anew, strength));
  let value = peak;
  const coarse = levels == 3 ? load<f64>(result1, 56) : peak, coarsest = levels == 3 ? load<f64>(result2, 56) : peak;
  judgeLevels(peak, coarse, coarsest, 2.0, strength);
  if (levels == 3) { gate(14, Kind.ESTIMATE, peak, coarse, levelError); value = levelValue; }
  const out = extras();
  writeScalars(out, peak, coarse, coarsest, profile, closed, onN);
  writeFields(out + (SCALARS << 3));
  closeVerdict(value);
}

function put(out: usize, i: i32, value: f64): void { store<f64>(out + (<usize>i << 3), value); }

function writeScalars(out: usize, peak: f64, coarse: f64, coarsest: f64, profile: f64, closed: f64, onN: f64): void {
  put(out, 0, strength); put(out, 1, yieldStrain);
  put(out, 2, load<f64>(result0, 64) / L); put(out, 3, load<f64>(result0, 88));
  put(out, 4, load<f64>(result0, 72)); put(out, 5, load<f64>(result0, 80));
  put(out, 6, load<f64>(result0, 24)); put(out, 7, load<f64>(result0, 32)); put(out, 8, load<f64>(result0, 48));
  put(out, 9, load<f64>(result0, 16));
  put(out, 10, peak); put(out, 11, coarse); put(out, 12, coarsest); put(out, 13, levelOrder); put(out, 14, levelExtrapolated);
  put(out, 15, profile); put(out, 16, closed); put(out, 17, onN - closed);
  put(out, 18, load<f64>(result0, 96)); put(out, 19, load<f64>(result0));
}

function writeFields(out: usize): void {
  for (let row = 0; row < rows; row++) {
    put(out, row, load<f64>(series + ROW * <usize>row) / L);
    put(out, rows + row, load<f64>(series + ROW * <usize>row, 8));
  }
  const x = out + (<usize>(2 * rows) << 3), d = x + (<usize>(N + 1) << 3);
  for (let i = 0; i <= N; i++) { put(x, i, L * <f64>i / <f64>N); put(d, i, damage(result0, N, i)); }
  writeStaticProfile(d + (<usize>(N + 1) << 3), d, N + 1, scratch);
}
