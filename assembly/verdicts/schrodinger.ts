// Verdict of `schrodinger` on a line or a ray: Numerov's level beside closed forms, beside the sine DVR, beside itself on
// three grids; the state by its nodes and by the energy that it has.
//
// Parameters (f64): those of assembly/quantum/problem.ts; then
//   0 value by 0 Numerov, 1 DVR · 8 whether the DVR was run · 16 joules of the unit of energies · results: Numerov with h
//   (24 + 8 (N + 1) bytes), 2h and 4h (24 bytes each), DVR (24 bytes if it was run)
// Extras (f64): 0 E [J] · 8 E, 16 level below (E: none), 24 level above, 32 Numerov, 40 DVR (0: none), all in the unit ·
//   48 nodes · 56, 64 ⟨T⟩, ⟨V⟩ in the unit · 72 N + 1 x [m] · N + 1 ψ · diagnostics of ψ (40)
//
// Gates: 0 closed form · 1 grids · 2 DVR · 3 nodes, unless some lie in rounding · 4 energy of the state · 15 between the nodes
// Shown by a refusal with INVALID_INPUT or STABILITY_LIMIT: reason (1 not bound, 2 domain, 3 grid), measured, bound.

import {
  allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import {
  DIAGNOSTICS, diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms,
} from "../diagnostics/diagnostics";
import { estimateOfLevels } from "../math/richardson";
import { ALLOWED, addAxis, clearAxes, hiddenShare, openResolution, resolutionWork, weighBy } from "../expression/resolved";
import { EDGE_PIECES, heldAtEnd } from "../quantum/edge";
import { seriesWork } from "../expression/taylor";
import { exactOnLine, exactOnRay } from "../quantum/exact";
import { count, formulaAtEnd, HEAD, kind, left, orbital, plainFormulaAt, Potential, problemEnd, readProblem, scaledAt, unitEnergy, WALL, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const SCALARS: i32 = 9;
const ONCE: u64 = 1500000;
const UNITS: u64 = 300;
/** What the domain's walls may move a level by, over what its errors are measured by: a thousandth of the tolerance. */
const WALLS: f64 = 1e-6;

let own: usize = 0, psi: usize = 0, v: usize = 0, below: usize = 0, terms: usize = 0, n: i32 = 0;
let h: f64 = 0, floor: f64 = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readProblem();
  own = problemEnd();
  n = <i32>parameterF64(152);
  h = 1.0 / <f64>n;
  psi = parameters() + own + 48;
  v = allocate(<usize>(n + 1) << 3);
  below = allocate(<usize>(n + 1) << 3);
  terms = allocate((<usize>(3 * (n + 1)) << 3) + (<usize>diagnosticsScratch(n + 1) << 3));
}

export function advance(_steps: i32, _budget: i32): i32 {
  readPotential();
  judge();
  spend(<u64>n * UNITS + ONCE + (kind == Potential.FORMULA ? resolutionWork(0, 1) + <u64>(2 * EDGE_PIECES) * seriesWork(0) : 0));
  countStep();
  return 1;
}

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
/** Of Numerov's runs with 1, 2 or 4 times h (level 0, 1, 2) the j-th energy, in ε. */
function ofRun(level: i32, j: i32): f64 {
  const from = level == 0 ? own + 24 : own + 48 + (<usize>(n + 1) << 3) + <usize>(level - 1) * 24;
  return parameterF64(from + (<usize>j << 3)) / unitEnergy;
}
function ofDvr(j: i32): f64 { return parameterF64(own + 96 + (<usize>(n + 1) << 3) + (<usize>j << 3)) / unitEnergy; }

// ---- what the state is held against --------------------------------------------------------------------

/** v at the nodes; a polynomial once more, by powers, and a formula by the other evaluator. */
function readPotential(): void {
  floor = Infinity;
  for (let i = 1; i < n; i++) {
    const u = <f64>i * h;
    put(v, i, isOwn() ? ownAt(left + width * u) : scaledAt(u, h));
    floor = min(floor, at(v, i));
  }
}

/** V as kernels have it within a wall, where ψ is nothing and V may be without bound. */
@inline function walledAt(i: i32): f64 { return min(at(v, i), floor + WALL * <f64>n * <f64>n); }

@inline function isOwn(): bool { return kind == Potential.POLYNOMIAL || kind == Potential.FORMULA; }

function ownAt(x: f64): f64 {
  let sum = orbital > 0.0 ? 0.5 * orbital * (orbital + 1.0) * (width / x) * (width / x) * unitEnergy : 0.0;
  if (kind == Potential.FORMULA) return (sum + plainFormulaAt(x, 0.0)) / unitEnergy;
  for (let i = 0; i < count; i++) sum += parameterF64(HEAD + <usize>i * 24) * Math.pow(x, parameterF64(HEAD + <usize>i * 24 + 8));
  return sum / unitEnergy;
}

/** Where the levels end [ε]. */
function brink(): f64 {
  switch (kind) {
    case Potential.INFINITE_WELL: return Infinity;
    case Potential.FINITE_WELL: return parameterF64(32) / unitEnergy;
    case Potential.MORSE: return parameterF64(48) / unitEnergy;
    case Potential.POSCHL_TELLER: return 0.0;
    case Potential.COULOMB: return 0.0;
    default: return orbital >= 0.0 && left == 0.0 ? at(v, n - 1) : min(at(v, 1), at(v, n - 1));
  }
}

/** By how much a level would fall without the hard walls at both ends [ε]. */
function worthBeyond(e: f64): f64 {
  return beyond(n - 1, left + width, e) + (orbital >= 0.0 && left == 0.0 ? 0.0 : beyond(1, left, e));
}

/**
 * Beside a wall ψ = 2A sinh κd of the distance d to it, κ² = 2(v − e); without the wall A exp(−κd) would go on beyond it, and
 * the level be κA² lower: the integral of ψ′²/2 (Hadamard's formula) over walls ever farther away. NaN where ψ does not decay.
 */
function beyond(node: i32, end: f64, e: f64): f64 {
  if (kind == Potential.FORMULA && formulaAtEnd(end) == Infinity) return 0.0;
  const kappa = sqrt(2.0 * (walledAt(node) - e)), amplitude = at(psi, node) / (2.0 * Math.sinh(kappa * h));
  return kappa * amplitude * amplitude * width;
}

function refuse(code: i32, reason: f64, measured: f64, bound: f64): void {
  show(0, reason); show(1, measured); show(2, bound);
  fail(code);
}

/** Whether there is a level, room for it and a grid for its waves. */
function admissible(e: f64): bool {
  const limit = brink(), points = 2.0 * Math.PI * <f64>n / sqrt(2.0 * max(0.0, e - floor));
  if (!(e < limit)) refuse(Status.INVALID_INPUT, 1.0, e * unitEnergy / unit(), limit * unitEnergy / unit());
  else if (!(points >= 5.0)) refuse(Status.STABILITY_LIMIT, 3.0, points, 5.0);
  else if (kind == Potential.INFINITE_WELL) return true;
  else {
    const share = worthBeyond(e) / scaleOf(e);
    if (share <= WALLS) return true;
    refuse(Status.INVALID_INPUT, 2.0, share, WALLS);
  }
  return false;
}

@inline function unit(): f64 { return parameterF64(own + 16); }

// ---- gates ---------------------------------------------------------------------------------------------

function judge(): void {
  const numerov = ofRun(0, 0);
  if (!admissible(numerov)) return;
  const withDvr = parameterF64(own + 8) == 1.0, level = <i32>parameterF64(144);
  const exact = (orbital >= 0.0 ? exactOnRay(kind, level, orbital) : exactOnLine(kind, level)) / unitEnergy;
  // Where nodes lie in rounding, the DVR, which counts its levels by itself, says which level this is.
  const nodes = nodeCount(numerov), isCounted = !(withDvr && areHidden && nodes < <f64>level);
  openVerdict(2 + (isCounted ? 1 : 0) + (exact == exact ? 1 : 0) + (withDvr ? 1 : 0) + (kind == Potential.FORMULA ? 1 : 0), SCALARS + 2 * (n + 1) + DIAGNOSTICS);
  const value = parameterF64(own) == 1.0 ? ofDvr(0) : numerov, scale = scaleOf(numerov);
  if (exact == exact) gate(0, Kind.EXACT, value * unitEnergy, exact * unitEnergy, relativeError(value, exact, scale));
  const order = kind == Potential.FINITE_WELL ? 2.0 : 4.0;
  gate(1, Kind.ESTIMATE, numerov * unitEnergy, ofRun(1, 0) * unitEnergy, estimateOfLevels(numerov, ofRun(1, 0), ofRun(2, 0), order, scale));
  if (withDvr) gate(2, Kind.ESTIMATE, numerov * unitEnergy, ofDvr(0) * unitEnergy, abs(numerov - ofDvr(0)) / scale);
  if (isCounted) gate(3, Kind.CERTIFICATE, nodes, <f64>level, abs(nodes - <f64>level), 0.0);
  if (kind == Potential.FORMULA) judgeBetween(scale);
  const kinetic = kineticEnergy(), potential = potentialEnergy();
  gate(4, Kind.INVARIANT, (kinetic + potential) * unitEnergy, numerov * unitEnergy, abs(kinetic + potential - numerov) / kinetic);
  writeExtras(value, numerov, withDvr ? ofDvr(0) : 0.0, nodes, kinetic, potential);
  closeVerdict(value * unitEnergy / unit());
}

/** ψ² to the left of each node, with the larger of both ends in every cell. */
function sumDensity(): void {
  let sum = 0.0;
  put(below, 0, 0.0);
  for (let i = 1; i <= n; i++) {
    const a = at(psi, i - 1), b = at(psi, i);
    sum += max(a * a, b * b) * h * width;
    put(below, i, sum);
  }
}
/** Of the cells from the first node inside on. */
function densityOf(first: i32, last: i32): f64 { return at(below, last + 1) - at(below, first + 1); }

/** What V holds between the nodes changes E by at most its mean over ψ² (first order), over what E is measured by. */
function judgeBetween(scale: f64): void {
  openResolution(1);
  sumDensity();
  clearAxes();
  addAxis(0, left + h * width, h * width, n - 2, 1.0);
  weighBy(densityOf);
  const worst = hiddenShare(0, scale * unitEnergy) + (heldAt(left, 1.0) + heldAt(left + width, -1.0)) / (scale * unitEnergy);
  gate(15, Kind.CERTIFICATE, ALLOWED, worst, worst / ALLOWED, 1.0);
}

/** Between an end and the node beside it. */
function heldAt(end: f64, way: f64): f64 {
  const step = h * width, beside = at(psi, way > 0.0 ? 1 : n - 1);
  return heldAtEnd(0, end, way, step, beside * beside, plainFormulaAt(end + way * step, 0.0), plainFormulaAt(end + way * 2.0 * step, 0.0));
}

/** What errors are measured by: height above the lowest V, or the distance to the next other level. */
function scaleOf(e: f64): f64 {
  let scale = kind == Potential.COULOMB ? abs(e) : e - floor;
  for (let j = 1; j < 3; j++) {
    const gap = abs(ofRun(0, j) - e);
    if (gap > 1e-9 * abs(e)) scale = min(scale, gap);
  }
  return scale;
}

/** Nodes may lie where ψ is no more than rounding though V is below E: in a well beside the one that holds the state. */
let areHidden: bool = false;

/** Changes of sign where ψ is more than rounding. */
function nodeCount(e: f64): f64 {
  let most = 0.0, nodes = 0.0, last = 0.0;
  areHidden = false;
  for (let i = 1; i < n; i++) most = max(most, abs(at(psi, i)));
  for (let i = 1; i < n; i++) {
    const here = at(psi, i);
    if (abs(here) < 1e-9 * most) { areHidden = areHidden || at(v, i) < e; continue; }
    if (here * last < 0.0) nodes++;
    last = here;
  }
  return nodes;
}

/** ψ″ at node i by differences of order 4, of order 2 beside the ends. */
function curvature(i: i32): f64 {
  const near = at(psi, i - 1) + at(psi, i + 1), here = at(psi, i);
  if (i == 1 || i == n - 1) return (near - 2.0 * here) / (h * h);
  return (16.0 * near - 30.0 * here - at(psi, i - 2) - at(psi, i + 2)) / (12.0 * h * h);
}

function kineticEnergy(): f64 {
  let sum = 0.0;
  for (let i = 1; i < n; i++) sum -= 0.5 * at(psi, i) * curvature(i);
  return sum * h * width;
}

function potentialEnergy(): f64 {
  let sum = 0.0;
  for (let i = 1; i < n; i++) sum += at(psi, i) * at(psi, i) * walledAt(i);
  return sum * h * width;
}

// ---- what stands beside the value ----------------------------------------------------------------------

function writeExtras(value: f64, numerov: f64, dvr: f64, nodes: f64, kinetic: f64, potential: f64): void {
  const to = extras(), factor = unitEnergy / unit();
  put(to, 0, value * unitEnergy);
  put(to, 1, value * factor);
  put(to, 2, ofRun(0, 2) * factor);
  put(to, 3, ofRun(0, 1) * factor);
  put(to, 4, numerov * factor);
  put(to, 5, dvr * factor);
  put(to, 6, nodes);
  put(to, 7, kinetic * factor);
  put(to, 8, potential * factor);
  const xs = to + SCALARS * 8, states = xs + (<usize>(n + 1) << 3), block = states + (<usize>(n + 1) << 3);
  for (let i = 0; i <= n; i++) put(xs, i, left + width * (<f64>i * h));
  memory.copy(states, psi, <usize>(n + 1) << 3);
  writeDiagnostics(block, states, numerov);
}

/** In the solver's own terms: −½ψ″ and (v − e)ψ. */
function writeDiagnostics(block: usize, states: usize, e: f64): void {
  const line = <usize>(n + 1) << 3, diffusion = terms, own = terms + line, total = own + line;
  memory.fill(block, 0, DIAGNOSTICS * 8);
  let left = 0.0, right = 0.0;
  for (let i = 1; i < n; i++) {
    put(diffusion, i, -0.5 * curvature(i));
    put(own, i, (walledAt(i) - e) * at(psi, i));
    left += h * at(diffusion, i);
    right -= h * at(own, i);
  }
  writeTerms(block, 1, states, n + 1, 0, 0, 0, diffusion, own, 0, total);
  writeBalance(block, left, right, abs(left - right));
  writeReflection(block, states, n + 1, total + line);
  writeBand(block, states, n + 1, total + line);
}
