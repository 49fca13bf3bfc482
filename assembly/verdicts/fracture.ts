// Verdict of a plate of `fracture`. The last state is integrated anew at Gauss points: its energies, its reaction, its
// equilibrium and whether any damage would lower the energy (first-order conditions with the bounds). Over the load,
// work is held against energy; the path of a mirrored plate against its axis, else against that of cells of 2h.
//
// Parameters: 0 … 167 those of the run on the finest grid (assembly/fracture/problem.ts) · 168 rows · 176 levels: 1 or 3
//   184 1: mirrored plate, whose axis is the notch · 192 value: 0 crack length, 1 deviation of the path, 2 largest force
//   200 column of the profile · 208 1: goes on from an earlier job · 216, 224 U and F a part before its end
//   232 its largest force · 240 result and rows at h · results at 2h, 4h, if they are there
// Extras (f64): 0 U · 1 F · 2 elastic · 3 surface energy · 4 work · 5 crack length · 6, 7, 8 the value at h, 2h, 4h
//   9 order · 10 extrapolated · 11 largest F · 12 U there · 13 γ_h − 1 · 14 deviation of the path · 15 x of the tip [m]
//   16 turns · 17 most in a step · 18 unstable steps · 19 that of the notch without a load · 20, 21 work and gain, stable steps
//   22 largest excess of energy · 23 largest move of d that would lower the energy · 24 steps · 25 error that the load steps leave in 11
//   26 U, F, elastic, surface energy, work of each row · path: x, y of each column, y −1: none · y, d along the column
//   · diagnostics of that profile (40)
// Gates: 0 path · 1 value · 2 stable balance · 3 energy · 4 equilibrium · 5 damage · 6 energies · 7 reaction · 8 virtual work · 15 peak
//   16, in place of 1: the length of a straight crack that has run through.

import { allocate, countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { judgeLevels, levelError, levelExtrapolated, levelOrder, levelValue } from "../grid/levels";
import { crackWidth, pathAt } from "../fracture/crack";
import {
  damageMove, elasticAnew, forceAnew, integrate, layIntegration, reactionAnew, surfaceAnew, unbalanced,
} from "../fracture/integrate";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const DATA: usize = 240, HEAD: usize = 272, ROW: usize = 56;
const SCALARS: i32 = 26;
const CRACK: i32 = 0, PATH: i32 = 1, FORCE: i32 = 2;

let N: i32 = 0, M: i32 = 0, rows: i32 = 0, levels: i32 = 0, quantity: i32 = 0;
let Ly: f64 = 0, h: f64 = 0;
let result0: usize = 0, series: usize = 0, result1: usize = 0, result2: usize = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

@inline function nodesOf(factor: i32): usize { return <usize>(N / factor + 1) * <usize>(M / factor + 1); }
@inline function resultBytes(factor: i32): usize { return HEAD + 32 * nodesOf(factor); }
@inline function damageOf(result: usize, factor: i32): usize { return result + HEAD + 16 * nodesOf(factor); }

function layOut(): void {
  openState(0);
  N = <i32>parameterF64(0); M = <i32>parameterF64(8); h = parameterF64(16); Ly = <f64>M * h;
  rows = <i32>parameterF64(168); levels = <i32>parameterF64(176); quantity = <i32>parameterF64(192);
  result0 = parameters() + DATA;
  series = result0 + resultBytes(1);
  result1 = series + ROW * <usize>rows;
  result2 = result1 + resultBytes(2);
  layIntegration();
  scratch = allocate(<usize>diagnosticsScratch(M + 1) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(1500000 + 600 * <u64>nodesOf(1) + 40 * <u64>rows);
  countStep();
  return 1;
}

// ---- path and length -----------------------------------------------------------------------------------

/**
 * Crack length: that of the notch, and the surface energy beside the notch's own over that of a straight crack, one row
 * of cells wide at the same h, Γ/γ_h: the tip of the notch has gone on as the tip of the crack. A crack that has run through
 * has no tip, and all its surface energy is Γ.
 */
function lengthOf(result: usize, factor: i32): f64 {
  const perLength = parameterF64(40) * crackWidth(<f64>factor * h, Ly, parameterF64(136)), surface = load<f64>(result, 32);
  if (hasRunThrough(result, factor)) return surface / perLength;
  return parameterF64(128) + (surface - load<f64>(result, 40)) / perLength;
}

@inline function hasRunThrough(result: usize, factor: i32): bool { return pathOf(result, factor, N / factor) >= 0.0; }

function pathOf(result: usize, factor: i32, i: i32): f64 {
  return pathAt(damageOf(result, factor), N / factor, M / factor, <f64>factor * h, i);
}

/** Largest distance of the path behind the notch from its axis, or from the path on cells of 2h, over the height. */
function deviation(): f64 {
  const isMirrored = parameterF64(184) == 1.0, from = <i32>(parameterF64(128) * Math.cos(parameterF64(144)) / h) + 2;
  let worst = 0.0;
  for (let i = isMirrored ? from : (from + 1) & ~1; i <= N; i += isMirrored ? 1 : 2) {
    const here = pathOf(result0, 1, i);
    if (here < 0.0) continue;
    const other = isMirrored ? parameterF64(136) : pathOf(result1, 2, i / 2);
    if (other >= 0.0) worst = max(worst, abs(here - other) / Ly);
  }
  return worst;
}

function tip(): f64 {
  for (let i = N; i >= 0; i--) if (pathOf(result0, 1, i) >= 0.0) return <f64>i * h;
  return 0.0;
}

function valueOf(result: usize, factor: i32): f64 {
  return quantity == CRACK ? lengthOf(result, factor) : load<f64>(result, 56);
}

/** Error that the load steps leave in the value, over it: that of the largest force on the worst grid. */
function openOf(value: f64): f64 {
  const most = max(load<f64>(result0, 152), max(load<f64>(result1, 152), load<f64>(result2, 152)));
  return quantity == CRACK || !(abs(value) > 0.0) ? 0.0 : most / abs(value);
}

// ---- judgement -----------------------------------------------------------------------------------------

function judge(): void {
  const isMirrored = parameterF64(184) == 1.0, hasValue = quantity != PATH;
  const isKnown = quantity == CRACK && isMirrored && hasRunThrough(result0, 1);
  openVerdict(8 + (hasValue ? 1 : 0) + (quantity == FORCE ? 1 : 0), SCALARS + 5 * rows + 2 * (N + 1) + 2 * (M + 1) + DIAGNOSTICS);
  const apart = deviation();
  gate(0, isMirrored ? Kind.EXACT : Kind.ESTIMATE, apart, 0.0, apart);
  let value = apart, v1 = apart, v2 = apart, v4 = apart;
  if (hasValue) {
    v1 = valueOf(result0, 1); v2 = valueOf(result1, 2); v4 = valueOf(result2, 4);
    judgeLevels(v1, v2, v4, 1.0, abs(v1));
    if (isKnown) {
      const width = <f64>N * h;
      gate(16, Kind.EXACT, v1, width, relativeError(v1, width));
      value = v1;
    } else {
      gate(1, Kind.ESTIMATE, v1, v2, levelError + openOf(v1));
      value = levelValue;
    }
  }
  if (quantity == FORCE) judgePeak();
  judgeEnergy();
  judgeState();
  const out = extras();
  writeScalars(out, apart, v1, v2, v4);
  if (isKnown) put(out, 10, 0.0);
  writeFields(out + (SCALARS << 3));
  closeVerdict(value);
}

/** Of a row; of one before the first, the part that an earlier job took before its last. */
@inline function loadOf(row: i32): f64 { return row < 0 ? parameterF64(216) : load<f64>(series + ROW * <usize>row); }
@inline function forceOf(row: i32): f64 { return row < 0 ? parameterF64(224) : load<f64>(series + ROW * <usize>row, 8); }
/** Slope of the force from row to row. */
@inline function riseTo(row: i32): f64 { return (forceOf(row) - forceOf(row - 1)) / (loadOf(row) - loadOf(row - 1)); }

/**
 * The largest force is no less than that of any load step, and no more than the lines on both sides of that step give, as
 * the force rises ever less: how far it lies outside. What an earlier job had as the largest was held so by it.
 */
function judgePeak(): void {
  let highest = 0;
  for (let row = 1; row < rows; row++) if (forceOf(row) > forceOf(highest)) highest = row;
  const first = parameterF64(208) == 1.0 ? -1 : 0;
  const least = forceOf(highest), peak = load<f64>(result0, 56);
  let most = max(least, parameterF64(232));
  if (highest > first && highest + 1 < rows) most = max(most, least + riseTo(highest) * (loadOf(highest + 1) - loadOf(highest)));
  if (highest > first + 1) most = max(most, forceOf(highest - 1) + riseTo(highest - 1) * (loadOf(highest) - loadOf(highest - 1)));
  const outside = max(0.0, max(least - peak, peak - most));
  gate(15, Kind.CERTIFICATE, peak, least, least > 0.0 ? outside / least : outside);
}

function judgeEnergy(): void {
  const work = load<f64>(result0, 48), done = load<f64>(result0, 88), gain = load<f64>(result0, 96);
  gate(2, Kind.INVARIANT, done, gain, work > 0.0 ? abs(done - gain) / work : 0.0);
  const excess = max(0.0, load<f64>(result0, 104));
  gate(3, Kind.INVARIANT, excess, 0.0, excess);
}

function judgeState(): void {
  integrate(result0 + HEAD, damageOf(result0, 1), damageOf(result0, 1) + 8 * nodesOf(1));
  const balance = forceAnew > 0.0 ? unbalanced / forceAnew : unbalanced, energy = load<f64>(result0, 24) + load<f64>(result0, 32);
  gate(4, Kind.CERTIFICATE, balance, 0.0, balance);
  gate(5, Kind.CERTIFICATE, damageMove, 0.0, damageMove);
  gate(6, Kind.INVARIANT, energy, elasticAnew + surfaceAnew, relativeError(energy, elasticAnew + surfaceAnew));
  const F = load<f64>(result0, 16);
  gate(7, Kind.INVARIANT, F, reactionAnew, relativeError(F, reactionAnew, forceAnew));
  const twice = 2.0 * elasticAnew, virtual = reactionAnew * load<f64>(result0, 8);
  gate(8, Kind.INVARIANT, virtual, twice, relativeError(virtual, twice));
}

function put(out: usize, i: i32, value: f64): void { store<f64>(out + (<usize>i << 3), value); }

function writeScalars(out: usize, apart: f64, v1: f64, v2: f64, v4: f64): void {
  for (let k = 0; k < 4; k++) put(out, k, load<f64>(result0 + 8 + (<usize>k << 3)));
  put(out, 4, load<f64>(result0, 48));
  put(out, 5, lengthOf(result0, 1));
  put(out, 6, v1); put(out, 7, v2); put(out, 8, v4); put(out, 9, levelOrder); put(out, 10, levelExtrapolated);
  put(out, 11, load<f64>(result0, 56)); put(out, 12, load<f64>(result0, 64));
  put(out, 13, crackWidth(h, Ly, parameterF64(136)) - 1.0);
  put(out, 14, apart); put(out, 15, tip());
  put(out, 16, load<f64>(result0, 72)); put(out, 17, load<f64>(result0, 80)); put(out, 18, load<f64>(result0, 120));
  put(out, 19, load<f64>(result0, 40)); put(out, 20, load<f64>(result0, 88)); put(out, 21, load<f64>(result0, 96));
  put(out, 22, load<f64>(result0, 104)); put(out, 23, damageMove); put(out, 24, load<f64>(result0)); put(out, 25, load<f64>(result0, 152));
}

function writeFields(out: usize): void {
  for (let row = 0; row < rows; row++)
    for (let k = 0; k < 5; k++) put(out, k * rows + row, load<f64>(series + ROW * <usize>row + (<usize>k << 3)));
  const x = out + (<usize>(5 * rows) << 3), y = x + (<usize>(N + 1) << 3), column = <i32>parameterF64(200);
  for (let i = 0; i <= N; i++) { put(x, i, <f64>i * h); put(y, i, pathOf(result0, 1, i)); }
  const height = y + (<usize>(N + 1) << 3), d = height + (<usize>(M + 1) << 3);
  for (let j = 0; j <= M; j++) {
    put(height, j, <f64>j * h);
    put(d, j, load<f64>(damageOf(result0, 1) + (<usize>(j * (N + 1) + column) << 3)));
  }
  writeStaticProfile(d + (<usize>(M + 1) << 3), d, M + 1, scratch);
}
