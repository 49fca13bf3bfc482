// What the runs of `wave` read from their parameters: the box, the layers outside its absorbing sides, the medium.
//
// Both modes are one equation on the nodes,  ρ ∂²u/∂t² + s ∂u/∂t = K∇²u + f.  Scalar: ρ = 1, K = c², s = f = 0.
// Maxwell (Ez; Hx, Hy): ρ = ε, s = σ, K = 1/μ, f = −∂J/∂t. Yee's grid (IEEE Trans. Antennas Propag. 14 (1966) 302) has
// Ez on the nodes and H on the edges half a step later; with one μ, H eliminated from its two equations leaves exactly
// the leapfrog of this one, and H is found again from the sum of Ez over time (Taflove & Hagness, §3.6).
//
// Parameters (f64):
//   0 cells nx · 8 cells ny, 0: one dimension · 16 Lx · 24 Ly [m] · 32 K · 40 unit of ρ, 1 or ε₀ · 48 σ, where a number
//   56 dt [s] · 64 steps, all jobs together · 72 steps per row · 80 cells of a layer · 88 its largest ζ times the width of a cell across [m/s]
//   96, 104, 112, 120 left, right, bottom, top: 0 fixed, 1 free, 2 periodic, 3 absorbing
//   128 start: 0 nothing, 1 mode A f(x) g(y), 2 triangle, 3 arrays, 4 the result of a run, of 5 nothing, 6 mode,
//   7 triangle, 8 arrays before · 136 A; of arrays that are formulas 1: u, 2: v, 3: both · 144 k [1/m] and 152 phase of f: 0 sin kx, 1 cos kx · 160, 168 of g
//   176 peak of the triangle [m] · 184 mode: 0 scalar, 1 Maxwell · 192 bytes of the formulas
//   200, 208 probe [m] · 216 source: 0 none, 1 pulse, 2 sine, 3 a formula: f [m/s²], or J [A/m²] · 224 carrier [Hz] · 232 width [s] · 240, 248 where [m]
//   256 frequency of the running transform [Hz], 0: none · 264 its first step, of a sine in a plane that of its windows (./lines)
//   272 ε: 0 a number, 1 one row of nodes, 2 cells · 280 σ: 0 a number, 2 cells · 288 row of the profile · 296 ε, number
//   304 formulas (assembly/grid/formula.ts) of the source, of u, of v · ε on a row of nodes or on cells · σ on cells · start's arrays: u, v on nodes, or Ez on nodes, Hx (ny rows of nx+1; dim 2) and
//   Hy (ny+1 rows of nx) on edges · the result that the run goes on from
// Result (f64):
//   0 steps · 8 energy at the start · 16 inflow through absorbing sides · 24 work of the source · 32 loss to σ · 40 sizes
//   of these summed · 48, 56 transform at the left edge · 64, 72 at the right one · 80, 88 ∫u², ∫v² of the start
//   96 largest |u| of the start, of every 64th step and of the end · 104 the same without the end
//   112 the row of the profile two steps before the end, padded to 16 bytes · of a source that is a formula its sums
//   (assembly/grid/source.ts) · where power is taken in a plane, the transforms along its edges (./lines)
//   · u (nodes of the box), in the layers row by row · on the whole grid u one step before the end and, with layers,
//   φ₁, φ₂ · scalar: v (nodes); Maxwell: Σ Ez (nodes), Hx, Hy

import { allocate, fail, parameterF64, parameters, show } from "../kernel/frame";
import { Status } from "../kernel/status";
import { AXIS_BYTES, layAxis } from "../grid/axis";
import { gridFormulaWork, layFormulaRow, layPlaces, openGridFormulas } from "../grid/formula";

export const HEAD: usize = 304;
/** Bytes of a result before its rows. */
export const RESULT_HEAD: usize = 112;
export const ABSORBING: f64 = 3;

/** Axes of the box, whose absorbing ends are natural ones, and of the whole grid with its layers. */
export let boxX: usize = 0, boxY: usize = 0, x: usize = 0, y: usize = 0;
/** Cells of the box and of the whole grid; cells in front of the box. */
export let nx: i32 = 0, ny: i32 = 0, ex: i32 = 0, ey: i32 = 0, ox: i32 = 0, oy: i32 = 0;
export let dx: f64 = 0, dy: f64 = 0, dt: f64 = 0, K: f64 = 0;
export let isMaxwell: bool = false, hasLayers: bool = false, isLossy: bool = false, isDriven: bool = false;

let epsilonAt: usize = 0, sigmaAt: usize = 0, startAt: usize = 0, earlierAt: usize = 0;
/** u and v of the start, or Ez on nodes, and Hx and Hy on edges; 0: none. */
let startField: usize = 0, startRates: usize = 0;

@inline export function absorbs(side: i32): bool { return parameterF64(96 + (<usize>side << 3)) == ABSORBING; }
@inline function layerOf(side: i32): i32 { return absorbs(side) ? <i32>parameterF64(80) : 0; }

/** Kinds of both ends of an axis, absorbing ones as `kind`. */
function axisOf(cells: i32, length: f64, side: usize, kind: f64): usize {
  const axis = allocate(AXIS_BYTES), ends = allocate(64);
  for (let k: usize = 0; k < 2; k++) {
    const own = parameterF64(96 + ((side + k) << 3));
    store<f64>(ends + (k << 5), own == ABSORBING ? kind : own);
  }
  layAxis(axis, cells, length, ends);
  return axis;
}

export function readProblem(): void {
  nx = <i32>parameterF64(0); ny = <i32>parameterF64(8);
  dx = parameterF64(16) / <f64>nx; dy = ny > 0 ? parameterF64(24) / <f64>ny : 1.0;
  dt = parameterF64(56); K = parameterF64(32);
  isMaxwell = parameterF64(184) == 1.0;
  isDriven = parameterF64(216) > 0.0;
  ox = layerOf(0); oy = ny > 0 ? layerOf(2) : 0;
  ex = nx + ox + layerOf(1); ey = ny > 0 ? ny + oy + layerOf(3) : 0;
  hasLayers = ex > nx || ey > ny;
  boxX = axisOf(nx, parameterF64(16), 0, 1.0); boxY = axisOf(ny, parameterF64(24), 2, 1.0);
  x = axisOf(ex, dx * <f64>ex, 0, 0.0); y = axisOf(ey, dy * <f64>ey, 2, 0.0);
  layOutArrays();
}

function layOutArrays(): void {
  const cells = <usize>nx * <usize>max(1, ny), epsilonKind = parameterF64(272);
  epsilonAt = parameters() + HEAD + <usize>parameterF64(192);
  sigmaAt = epsilonAt + (epsilonKind == 0.0 ? 0 : epsilonKind == 1.0 ? <usize>(nx + 1) << 3 : cells << 3);
  startAt = sigmaAt + (parameterF64(280) == 2.0 ? cells << 3 : 0);
  const isSent = startKind() == 3 && !startIsFormula();
  startField = isSent ? startAt : 0;
  startRates = isSent ? startAt + (boxNodes() << 3) : 0;
  earlierAt = startAt + (isSent ? (boxNodes() + (isMaxwell ? edges() : boxNodes())) << 3 : 0);
  isLossy = parameterF64(280) == 2.0 || parameterF64(48) != 0.0;
  openFormulasOfWave();
}

// ---- formulas ------------------------------------------------------------------------------------------

let places: usize = 0, formulas: i32 = 0;

@inline export function sourceIsFormula(): bool { return parameterF64(216) == 3.0; }
@inline export function startIsFormula(): bool { return startKind() == 3 && parameterF64(136) > 0.0; }
@inline function formulaOf(bit: i32): bool { return startIsFormula() && (<i32>parameterF64(136) & bit) != 0; }
/** Nodes 0, dx, 2dx … of a row. */
@inline export function nodePlaces(): usize { return places; }

function openFormulasOfWave(): void {
  formulas = <i32>sourceIsFormula() + <i32>formulaOf(1) + <i32>formulaOf(2);
  if (formulas == 0) return;
  if (!openGridFormulas(parameters() + HEAD, <i32>parameterF64(192), formulas)) formulas = 0;
  places = layPlaces(nx + 1, dx);
}

/** u and v of the start, where they are formulas, in memory that is 0 and is theirs until u before the start is known. H is 0. */
export function layStart(u: usize, v: usize): void {
  if (formulas == 0 || !startIsFormula()) return;
  let next = <i32>sourceIsFormula();
  startField = u;
  startRates = isMaxwell ? 0 : v;
  if (formulaOf(1)) layNodes(next++, u);
  if (formulaOf(2)) layNodes(next, v);
  if (isMaxwell) clearConductors(u);
}

function layNodes(j: i32, to: usize): void {
  const columns = <usize>(nx + 1) << 3;
  for (let row = 0; row <= ny; row++) layFormulaRow(j, places, nx + 1, ny > 0 ? <f64>row * dy : 0.0, to + columns * <usize>row);
}

/** A perfect conductor has no field along it: what rounding leaves there is cleared, more of it refused. */
function clearConductors(u: usize): void {
  let most = 0.0, worst = 0.0;
  for (let k: usize = 0; k < boxNodes(); k++) most = max(most, abs(load<f64>(u + (k << 3))));
  for (let j = 0; j <= ny; j++) {
    for (let i = 0; i <= nx; i++) {
      const onX = (i == 0 && parameterF64(96) == 0.0) || (i == nx && parameterF64(104) == 0.0);
      const onY = ny > 0 && ((j == 0 && parameterF64(112) == 0.0) || (j == ny && parameterF64(120) == 0.0));
      if (!onX && !onY) continue;
      const at = u + (<usize>(j * (nx + 1) + i) << 3);
      worst = max(worst, abs(load<f64>(at)));
      store<f64>(at, 0.0);
    }
  }
  if (worst > 1e-9 * most) { show(0, worst); fail(Status.INVALID_INPUT); }
}

/** Work units of laying the start's formulas, and of the source's at one time. */
export function startWork(): u64 {
  let units: u64 = 0;
  for (let j = <i32>sourceIsFormula(); j < formulas; j++) units += gridFormulaWork(j, <u64>boxNodes());
  return units;
}
export function sourceWork(): u64 { return sourceIsFormula() && formulas > 0 ? gridFormulaWork(0, <u64>boxNodes()) : 0; }

@inline export function goesOn(): bool { return parameterF64(128) >= 4.0; }
/** What the first job started from: 0 nothing, 1 mode, 2 triangle, 3 arrays. */
@inline export function startKind(): i32 { const kind = <i32>parameterF64(128); return kind >= 4 ? kind - 5 : kind; }
@inline export function earlierResult(): usize { return earlierAt; }

@inline export function boxNodes(): usize { return <usize>(nx + 1) * <usize>(ny + 1); }
@inline export function allNodes(): usize { return <usize>(ex + 1) * <usize>(ey + 1); }
/** Hx and Hy together, in numbers. */
@inline export function edges(): usize { return <usize>ny * <usize>(nx + 1) + <usize>(ny + 1) * <usize>nx; }
/** u or Ez of the start. */
@inline export function startArray(): usize { return startField; }
/** v of the start, or Hx and behind it Hy; 0: there is none. */
@inline export function startRatesArray(): usize { return startRates; }

// ---- medium --------------------------------------------------------------------------------------------

@inline function cellOf(array: usize, i: i32, j: i32): f64 { return load<f64>(array + (<usize>(j * nx + i) << 3)); }

/** The mean over the cells around node (i, j) of the box: ε and σ stand along the edges that Ez is on. */
function meanAround(array: usize, i: i32, j: i32): f64 {
  const i0 = max(0, min(i - 1, nx - 1)), i1 = max(0, min(i, nx - 1));
  const j0 = ny > 0 ? max(0, min(j - 1, ny - 1)) : 0, j1 = ny > 0 ? max(0, min(j, ny - 1)) : 0;
  return 0.25 * (cellOf(array, i0, j0) + cellOf(array, i1, j0) + cellOf(array, i0, j1) + cellOf(array, i1, j1));
}

/** ρ at a node of the box; outside it stays what it is at the edge. */
export function rhoAt(i: i32, j: i32): f64 {
  const kind = parameterF64(272);
  if (kind == 1.0) return parameterF64(40) * load<f64>(epsilonAt + (<usize>i << 3));
  return parameterF64(40) * (kind == 0.0 ? parameterF64(296) : meanAround(epsilonAt, i, j));
}
export function sigmaOf(i: i32, j: i32): f64 {
  return parameterF64(280) == 2.0 ? meanAround(sigmaAt, i, j) : parameterF64(48);
}
@inline export function isUniform(): bool { return parameterF64(272) == 0.0 && !isLossy && !hasLayers; }
/** The medium depends on x alone. */
@inline export function isLayered(): bool { return parameterF64(272) < 2.0 && parameterF64(280) == 0.0; }

// ---- layers --------------------------------------------------------------------------------------------

/**
 * ζ at `at` cells along an axis of cells of `width` whose box begins at `first` and has `n`; cubic, from one cell outside.
 * A layer damps by its own thickness: one as strong as narrow cells bear makes wide ones blow up.
 */
export function zetaAt(at: f64, first: i32, n: i32, width: f64): f64 {
  const outside = max(<f64>first - at, at - <f64>(first + n)) - 1.0;
  if (!(outside > 0.0)) return 0.0;
  const s = outside / (parameterF64(80) - 1.0);
  return parameterF64(88) / width * s * s * s;
}

// ---- source --------------------------------------------------------------------------------------------

/** The current at time t: a carrier under a Gaussian five widths late, or behind a ramp sin² of one width. */
export function currentAt(t: f64): f64 {
  const f = parameterF64(224), w = parameterF64(232);
  if (parameterF64(216) == 1.0) {
    const late = t - 5.0 * w, z = late / w;
    return Math.exp(-0.5 * z * z) * Math.sin(2.0 * Math.PI * f * late);
  }
  if (!(t > 0.0)) return 0.0;
  const ramp = t < w ? Math.sin(0.5 * Math.PI * t / w) : 1.0;
  return ramp * ramp * Math.sin(2.0 * Math.PI * f * t);
}

/** −∂J/∂t over the step around t = n·dt, for J = 1. */
@inline export function drivenAt(n: f64): f64 {
  return -(currentAt((n + 0.5) * dt) - currentAt((n - 0.5) * dt)) / dt;
}
