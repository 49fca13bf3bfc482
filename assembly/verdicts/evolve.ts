// Verdict of `evolve`: the energy is kept, by the run and by one with half its step; the forces and energies of sampled
// atoms are summed anew over all others; and two atoms, which move on a line, are where that motion is.
//
// Nothing of the kernel's forces is used: u = 4(r⁻¹² − r⁻⁶) comes from powers of r itself, without rows or cells. The
// two atoms start at rest 1.2σ apart and r̈ = 2f(r) is integrated by Runge–Kutta 4 with 20000 steps.
//
// Parameters: the head of the run (../evolve/atoms.ts, 176 bytes), then (f64): rows · steps of the twin, h of it [s] · k_B [J/K]
//   the run's result, of the finer run the result, of the twin 32 + 12·8 + 16·8 bytes of its result, the rows
// Extras (f64): 0 drift [%] · 8 momentum drift · 16 E₀ · 24 K · 32 U [J] · 40 T [K] · 48 Σ r·f [J] · 56 pressure
//   [Pa], 0: open · 64 final state vouched for 1, not 0 · 72 largest error of a position by the finer run [σ]
//   80 volume [m³] · 88 steps · 96 U_LRC [J], 0: none · columns of the rows: t [s] · drift [%] · K · U · E [J] · T [K] · with r_c: r [m] · g(r)
//   · diagnostics of K (40)
//
// Gates: 0 energy drift · 1 momentum · 2 energy, half step · 3 pair energies · 4 forces · 5 two atoms · 6 energy by itself

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { DIAGNOSTICS, diagnosticsScratch, profileWork, writeStaticProfile } from "../diagnostics/diagnostics";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HEAD: usize = 208;
const SCALARS: i32 = 13;
const BINS: i32 = 64;
const ONCE: u64 = 3000000;
const PER_PAIR: u64 = 12;
const PER_ATOM: u64 = 40;

let n: i32 = 0, rows: i32 = 0, sampled: i32 = 0;
let own: usize = 0, finer: usize = 0, twin: usize = 0, series: usize = 0, scratch: usize = 0;
let state_: usize = 0, runBytes: usize = 0;
let epsilon: f64 = 0, sigma: f64 = 0, cutoff: f64 = 0, edgeX: f64 = 0, edgeY: f64 = 0, edgeZ: f64 = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  n = <i32>parameterF64(0);
  rows = <i32>parameterF64(176);
  epsilon = parameterF64(128);
  sigma = parameterF64(136);
  cutoff = parameterF64(40) / sigma;
  const cells = parameterF64(88), lattice = cells > 0.0 ? cells * Math.pow(4.0 / parameterF64(96), 1.0 / 3.0) / sigma : 0.0;
  edgeX = cells > 0.0 ? lattice : parameterF64(16) / sigma;
  edgeY = cells > 0.0 ? lattice : parameterF64(24) / sigma;
  edgeZ = cells > 0.0 ? lattice : parameterF64(32) / sigma;
  sampled = min(n, 256);
  state_ = <usize>(6 * n + 16) << 3;
  runBytes = 32 + state_ + (<usize>(6 * n + 4 * sampled + (cutoff > 0.0 ? BINS : 0)) << 3);
  own = parameters() + HEAD;
  finer = own + runBytes;
  twin = finer + runBytes;
  series = twin + 256;
  scratch = allocate(<usize>diagnosticsScratch(rows) << 3);
}

@inline function get(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }
/** What the run kept (../evolve/atoms.ts). */
@inline function kept(at: usize, i: i32): f64 { return get(at + 32, 6 * n + i); }
@inline function x(i: i32, axis: i32): f64 { return get(own + 32, 3 * i + axis); }

@inline function shownCount(): i32 { return SCALARS + 6 * rows + (cutoff > 0.0 ? 2 * BINS : 0); }

export function advance(_steps: i32, _budget: i32): i32 {
  spend(ONCE + profileWork(rows) + <u64>sampled * <u64>n * PER_PAIR + <u64>n * PER_ATOM);
  openVerdict(7, shownCount() + DIAGNOSTICS);
  const scale = kept(own, 1), drift = kept(own, 2) == 0.0 ? 0.0 : kept(own, 2) / scale;
  gate(0, Kind.INVARIANT, kept(own, 8) * epsilon, kept(own, 0) * epsilon, drift, 1e-3, Status.ENERGY_NOT_CONSERVED);
  gate(1, Kind.INVARIANT, kept(own, 7), 0.0, kept(own, 7));
  gate(2, Kind.ESTIMATE, kept(own, 8) * epsilon, kept(finer, 8) * epsilon, 4.0 / 3.0 * abs(kept(own, 8) - kept(finer, 8)) / scale);
  sampleGates();
  twinGate();
  ownGate(scale);
  writeScalars(drift);
  writeSeries();
  if (cutoff > 0.0) writeDistribution();
  const kineticEnergies = extras() + (<usize>(SCALARS + 2 * rows) << 3);
  writeStaticProfile(extras() + (<usize>shownCount() << 3), kineticEnergies, rows, scratch);
  closeVerdict(kept(own, 8) * epsilon);
  countStep();
  return 1;
}

// ---- energies and forces, summed anew ------------------------------------------------------------------

let fx: f64 = 0, fy: f64 = 0, fz: f64 = 0, share: f64 = 0;

/** u and −u′ of a distance, with what the cut-off changes. */
let u: f64 = 0, f: f64 = 0;
function potential(r: f64): void {
  const inverse = Math.pow(r, -6.0);
  u = 4.0 * inverse * (inverse - 1.0);
  f = 24.0 * inverse * (2.0 * inverse - 1.0) / r;
}

function pairAt(r: f64): void {
  potential(r);
  const way = parameterF64(48);
  if (cutoff == 0.0 || way == 0.0) return;
  const energy = u, force = f;
  potential(cutoff);
  u = energy - u + (way == 2.0 ? (r - cutoff) * f : 0.0);
  f = way == 2.0 ? force - f : force;
}

@inline function apart(d: f64, length: f64): f64 { return length > 0.0 ? d - length * floor(d / length + 0.5) : d; }

function sumOver(i: i32): void {
  fx = 0.0; fy = 0.0; fz = 0.0; share = 0.0;
  const box = parameterF64(8) == 1.0;
  for (let j = 0; j < n; j++) {
    if (j == i) continue;
    const dx = apart(x(i, 0) - x(j, 0), box ? edgeX : 0.0), dy = apart(x(i, 1) - x(j, 1), box ? edgeY : 0.0);
    const dz = apart(x(i, 2) - x(j, 2), box ? edgeZ : 0.0), r2 = dx * dx + dy * dy + dz * dz;
    if (cutoff > 0.0 && r2 >= cutoff * cutoff) continue;
    const r = sqrt(r2);
    pairAt(r);
    share += 0.5 * u;
    fx += f * dx / r; fy += f * dy / r; fz += f * dz / r;
  }
}

/** Root mean squares of what differs, over those of what is there; where atoms rest in balance over 1 ε/σ. */
function sampleGates(): void {
  const at = own + 32 + state_ + (<usize>(6 * n) << 3);
  let wrongU = 0.0, allU = 0.0, wrongF = 0.0, allF = 0.0, given = 0.0, found = 0.0;
  for (let k = 0; k < sampled; k++) {
    sumOver(<i32>(<i64>k * n / sampled));
    const e = get(at, 4 * k) - share, a = get(at, 4 * k + 1) - fx, b = get(at, 4 * k + 2) - fy, c = get(at, 4 * k + 3) - fz;
    given += get(at, 4 * k);
    found += share;
    wrongU += e * e;
    allU += share * share;
    wrongF += a * a + b * b + c * c;
    allF += fx * fx + fy * fy + fz * fz;
  }
  const many = <f64>sampled;
  gate(3, Kind.EXACT, given * epsilon, found * epsilon, sqrt(wrongU / max(allU, 1e-6 * many)));
  const force = sqrt(max(allF, many) / many) * epsilon / sigma;
  gate(4, Kind.EXACT, sqrt(wrongF / many) * epsilon / sigma, 0.0, sqrt(wrongF / many) * epsilon / sigma / force);
}

/** Where two atoms that start at rest 1.2σ apart have come. */
function twinGate(): void {
  const steps = parameterF64(184), end = steps * parameterF64(192) * sqrt(epsilon / parameterF64(144)) / sigma;
  const h = end / 20000.0;
  let r = 1.2, v = 0.0;
  for (let i = 0; i < 20000; i++) {
    const a1 = pull(r), v2 = v + 0.5 * h * a1, a2 = pull(r + 0.5 * h * v), v3 = v + 0.5 * h * a2, a3 = pull(r + 0.5 * h * v2);
    const v4 = v + h * a3, a4 = pull(r + h * v3);
    r += h / 6.0 * (v + 2.0 * (v2 + v3) + v4);
    v += h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
  }
  const dx = get(twin + 32, 3) - get(twin + 32, 0), dy = get(twin + 32, 4) - get(twin + 32, 1), dz = get(twin + 32, 5) - get(twin + 32, 2);
  const found = sqrt(dx * dx + dy * dy + dz * dz);
  gate(5, Kind.TWIN, found * sigma, r * sigma, abs(found - r) / r);
}

/** The drift is measured by K and U where E is small beside them; E is the value, and so held by itself too. */
function ownGate(scale: f64): void {
  const start = kept(own, 0), drift = kept(own, 2), size = abs(start) < 1e-12 * scale ? scale : abs(start);
  gate(6, Kind.EXACT, kept(own, 8) * epsilon, start * epsilon, drift == 0.0 ? 0.0 : drift / size);
}

@inline function pull(r: f64): f64 {
  const inverse = 1.0 / (r * r), sixth = inverse * inverse * inverse;
  return 48.0 * sixth * (2.0 * sixth - 1.0) / r;
}

// ---- what stands beside the value ----------------------------------------------------------------------

/** 2K/(3(N − 1)k_B): the centre of mass has no share. */
@inline function temperature(K: f64): f64 { return 2.0 * K * epsilon / (3.0 * <f64>(n - 1) * parameterF64(200)); }

/** Largest error among the coordinates from `first` on: half the step leaves a quarter of it, so 4/3 of the difference is all. */
function apartFromFiner(first: i32): f64 {
  let difference = 0.0;
  for (let i = first; i < first + 3 * n; i++) {
    const moved = abs(get(own + 32, i) - get(finer + 32, i));
    if (!(moved <= difference)) difference = moved;
  }
  return 4.0 / 3.0 * difference;
}

/** Speeds are measured by the largest component, where all are at a turn by a tenth of what the energy could give each. */
function agreesWithFiner(error: f64): bool {
  const energy = kept(own, 1), K = kept(own, 9);
  let speed = 0.1 * sqrt(2.0 * energy / <f64>n);
  for (let i = 3 * n; i < 6 * n; i++) speed = max(speed, abs(get(own + 32, i)));
  return error <= 1e-3 && apartFromFiner(3 * n) <= 1e-3 * speed &&
    4.0 / 3.0 * abs(K - kept(finer, 9)) <= 1e-3 * max(K, 0.01 * energy);
}

function writeScalars(drift: f64): void {
  const at = extras(), volume = parameterF64(8) == 1.0 ? edgeX * edgeY * edgeZ : 0.0;
  const error = apartFromFiner(0);
  const K = kept(own, 9), W = kept(own, 11);
  put(at, 0, 100.0 * drift); put(at, 1, kept(own, 7)); put(at, 2, kept(own, 0) * epsilon); put(at, 3, K * epsilon);
  put(at, 4, kept(own, 10) * epsilon); put(at, 5, temperature(K)); put(at, 6, W * epsilon);
  put(at, 7, volume > 0.0 ? (2.0 * K + W) / (3.0 * volume) * epsilon / (sigma * sigma * sigma) : 0.0);
  put(at, 8, agreesWithFiner(error) ? 1.0 : 0.0); put(at, 9, error);
  put(at, 10, volume * sigma * sigma * sigma); put(at, 11, get(own, 1)); put(at, 12, longRangeEnergy(volume) * epsilon);
}

/** What the pairs beyond r_c would add if there g(r) were 1 (Allen & Tildesley, 2.144); of a potential that is shifted 0. */
function longRangeEnergy(volume: f64): f64 {
  if (!(volume > 0.0) || parameterF64(48) != 0.0) return 0.0;
  const third = 1.0 / (cutoff * cutoff * cutoff), tail = third * third * third / 3.0 - third;
  return 8.0 / 3.0 * Math.PI * <f64>n * <f64>n / volume * tail;
}

function writeSeries(): void {
  const columns = extras() + (<usize>SCALARS << 3), time = sigma * sqrt(parameterF64(144) / epsilon);
  for (let k = 0; k < rows; k++) {
    const row = series + <usize>k * 40, K = get(row, 2) * epsilon, U = get(row, 3) * epsilon;
    put(columns, k, parameterF64(168) + get(row, 0) * time);
    put(columns, rows + k, 100.0 * get(row, 1));
    put(columns, 2 * rows + k, K);
    put(columns, 3 * rows + k, U);
    put(columns, 4 * rows + k, K + U);
    put(columns, 5 * rows + k, temperature(get(row, 2)));
  }
}

/** g(r) of the final state: pairs of a shell over those of an ideal gas; in an open box the bare count per atom. */
function writeDistribution(): void {
  const to = extras() + (<usize>(SCALARS + 6 * rows) << 3), counts = own + runBytes - (<usize>BINS << 3);
  const width = cutoff / <f64>BINS, density = parameterF64(8) == 1.0 ? <f64>n / (edgeX * edgeY * edgeZ) : 0.0;
  for (let k = 0; k < BINS; k++) {
    const low = <f64>k * width, high = low + width, shell = 4.1887902047863905 * (high * high * high - low * low * low);
    put(to, k, (low + 0.5 * width) * sigma);
    put(to, BINS + k, get(counts, k) / <f64>n / (density > 0.0 ? density * shell : 1.0));
  }
}
