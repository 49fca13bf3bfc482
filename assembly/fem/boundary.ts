// Supports and loads on the sides and nodes of patches, and the sums that the balance gate compares with.

import { allocate } from "../kernel/frame";
import { locate, mapPoint, patchSize } from "./geometry";
import {
  LevelField, cellsS, cellsT, copyIndex, gridAt, levelField, levelSize, positionS, positionT,
} from "./levels";
import {
  PatchField, at, hasProbe, loadAt, loadCount, modulus, patchAt, patchCount, planeStrain, poissonRatio, probeX, probeY,
  source, supportAt, supportCount, thickness, unknownsPerNode,
} from "./problem";
import { flagsOf, owner, setFlags, sideCells, sideMiddle, sideVertex, spread } from "./sharing";
import { gaussPoint, gaussWeight, lagrange } from "./shape";
import { nodeClass, nodeI, nodeJ } from "./stencil";

const SIDE: i32 = 0, NODE: i32 = 1;
const TRACTION: i32 = 0, TOTAL: i32 = 1, PRESSURE: i32 = 3;

let located: usize = 0;
/** Applied load by closed forms that use neither shape functions nor the assembled vector: sum and sum of sizes. */
let appliedAt: usize = 0;
let shiftsAt: usize = 0;
@inline export function applied(c: i32): f64 { return load<f64>(appliedAt + (<usize>c << 3)); }
@inline export function appliedSize(): f64 { return load<f64>(appliedAt, 16); }
/**
 * The shift of the whole body that is left out of what is solved for, u less the first number that a support gives it:
 * neither forces nor energy know of it, and beside a large one they would be differences of nearly equal numbers.
 */
@inline export function shift(c: i32): f64 { return load<f64>(shiftsAt + (<usize>c << 3)); }

export function layBoundary(): void {
  located = allocate(64);
  appliedAt = allocate(24);
  shiftsAt = allocate(16);
  for (let c = 0; c < unknownsPerNode(); c++) {
    let s = 0;
    while (s < supportCount() && at(supportAt(s), 5 + 9 * c) == 0) s++;
    if (s < supportCount()) store<f64>(shiftsAt + (<usize>c << 3), at(supportAt(s), 6 + 9 * c));
  }
}

/** Σ c_k ξ^k. */
function polynomial(coefficients: usize, count: i32, xi: f64): f64 {
  let value = 0.0;
  for (let k = count - 1; k >= 0; k--) value = value * xi + load<f64>(coefficients + (<usize>k << 3));
  return value;
}

/** Σ c_k ξ^k without c₀. */
function varying(coefficients: usize, count: i32, xi: f64): f64 {
  return xi * polynomial(coefficients + 8, count - 1, xi);
}

@inline function alongSide(grid: usize, side: i32, n: i32): f64 { return side & 1 ? positionT(grid, n) : positionS(grid, n); }

/** Copy of the level-0 node of patch p at a point: −1 when no node lies there. */
function nodeAtPoint(p: i32, x: f64, y: f64): i32 {
  if (!locate(p, x, y, located)) return -1;
  const grid = gridAt(0, p);
  const i = nearest(cellsS(grid), load<f64>(located), grid, false);
  const j = nearest(cellsT(grid), load<f64>(located, 8), grid, true);
  mapPoint(p, halfPosition(grid, false, i), halfPosition(grid, true, j), located);
  const off = abs(x - load<f64>(located)) + abs(y - load<f64>(located, 8));
  if (off > 1e-6 * patchSize(p) / <f64>max(cellsS(grid), cellsT(grid))) return -1;
  return copyIndex(grid, (i & 1) + 2 * (j & 1), i >> 1, j >> 1);
}
/** Position of half step i: vertices at even i, mid-points at odd i. */
function halfPosition(grid: usize, second: bool, i: i32): f64 {
  const n = i >> 1;
  const here = second ? positionT(grid, n) : positionS(grid, n);
  if ((i & 1) == 0) return here;
  return 0.5 * (here + (second ? positionT(grid, n + 1) : positionS(grid, n + 1)));
}
function nearest(cells: i32, place: f64, grid: usize, second: bool): i32 {
  let best = 0, distance = Infinity;
  for (let i = 0; i <= 2 * cells; i++) {
    const off = abs(halfPosition(grid, second, i) - place);
    if (off < distance) { distance = off; best = i; }
  }
  return best;
}

/** Copy that record kinds `node` and `point` name; −1 when there is none. */
function namedCopy(record: usize): i32 {
  if (<i32>at(record, 0) == NODE) {
    const a = <i32>at(record, 2);
    return copyOfLocal(gridAt(0, <i32>at(record, 1)), a);
  }
  for (let p = 0; p < patchCount(); p++) {
    const copy = nodeAtPoint(p, at(record, 3), at(record, 4));
    if (copy >= 0) return copy;
  }
  return -1;
}

/** Local node a of a whole patch that was one nine-node element in the request. */
function copyOfLocal(grid: usize, a: i32): i32 {
  const i = halfOf(nodeI(a) * 2 + (nodeClass(a) & 1), cellsS(grid));
  const j = halfOf(nodeJ(a) * 2 + (nodeClass(a) >> 1), cellsT(grid));
  return copyIndex(grid, (i & 1) + 2 * (j & 1), i >> 1, j >> 1);
}
/** Half step 0, 1, 2 of the whole patch on a patch of `cells` cells. */
@inline function halfOf(step: i32, cells: i32): i32 { return step * cells; }

// ---- supports --------------------------------------------------------------------------------------------

let values: usize = 0, writers: usize = 0;

/** Later supports win; the number of the writer goes with the value, so that copies can agree. */
function prescribe(e: i32, c: i32, value: f64, support: i32): void {
  setFlags(0, e, flagsOf(0, e) | (1 << c));
  const to = <usize>(c * levelSize(0) + e) << 3;
  store<f64>(values + to, value);
  store<f64>(writers + to, <f64>(support + 1));
}

function supportSide(record: usize, support: i32, c: i32): void {
  const grid = gridAt(0, <i32>at(record, 1)), side = <i32>at(record, 2);
  const count = <i32>at(record, 5 + 9 * c), coefficients = record + <usize>((6 + 9 * c) << 3);
  const n = sideCells(grid, side), first = load<f64>(coefficients) - shift(c);
  for (let i = 0; i <= n; i++) {
    const here = alongSide(grid, side, i);
    prescribe(sideVertex(grid, side, i), c, first + varying(coefficients, count, 2 * here - 1), support);
    if (i == n) break;
    const middle = 0.5 * (here + alongSide(grid, side, i + 1));
    prescribe(sideMiddle(grid, side, i), c, first + varying(coefficients, count, 2 * middle - 1), support);
  }
}

/**
 * Marks prescribed unknowns of level 0 and leaves their values, less the shift, in `valuesAt` (spread). `writersAt` is scratch.
 * Returns −1, or the number of a support whose point is no node.
 */
export function applySupports(valuesAt: usize, writersAt: usize): i32 {
  values = valuesAt; writers = writersAt;
  for (let s = 0; s < supportCount(); s++) {
    const record = supportAt(s);
    const copy = <i32>at(record, 0) == SIDE ? 0 : namedCopy(record);
    if (copy < 0) return s;
    for (let c = 0; c < unknownsPerNode(); c++) {
      if (at(record, 5 + 9 * c) == 0) continue;
      if (<i32>at(record, 0) == SIDE) supportSide(record, s, c);
      else prescribe(copy, c, at(record, 6 + 9 * c) - shift(c), s);
    }
  }
  agree();
  return -1;
}

/** The latest support on any copy of a node holds for all copies. */
function agree(): void {
  const list = <usize>levelField(0, LevelField.SHARED), count = levelField(0, LevelField.SHARED_COUNT);
  const d = unknownsPerNode(), size = levelSize(0);
  for (let pass = 0; pass < 2; pass++) {
    for (let n = 0; n < count; n++) {
      const a = load<i32>(list + (<usize>n << 3)), b = load<i32>(list + (<usize>n << 3), 4);
      for (let c = 0; c < d; c++) agreePair(a, b, c, <usize>(c * size + a) << 3, <usize>(c * size + b) << 3);
    }
  }
}
function agreePair(a: i32, b: i32, c: i32, at1: usize, at2: usize): void {
  const first = load<f64>(writers + at1), second = load<f64>(writers + at2);
  if (first == second) {
    if (first > 0) store<f64>(values + at2, load<f64>(values + at1));
    return;
  }
  if (first > second) prescribe(b, c, load<f64>(values + at1), <i32>first - 1);
  else prescribe(a, c, load<f64>(values + at2), <i32>second - 1);
}

/** Σ sizes of the reactions at nodes that supports name one by one, of forces and loads that owners have. */
export function pinned(forces: usize, loads: usize): f64 {
  let sum = 0.0;
  for (let s = 0; s < supportCount(); s++) {
    const record = supportAt(s);
    if (<i32>at(record, 0) == SIDE) continue;
    const copy = owner(namedCopy(record));
    for (let c = 0; c < unknownsPerNode(); c++) {
      const o = <usize>(c * levelSize(0) + copy) << 3;
      if (at(record, 5 + 9 * c) != 0) sum += abs(load<f64>(forces + o) - load<f64>(loads + o));
    }
  }
  return sum;
}

/**
 * True when the supports stop every rigid motion: the Gram matrix of the motions (two shifts and a turn; for
 * Poisson the constant) on the prescribed unknowns has no zero pivot.
 */
export function restrained(): bool {
  let xx = 0.0, yy = 0.0, tt = 0.0, xt = 0.0, yt = 0.0;
  let x0 = 0.0, y0 = 0.0;
  const length = patchSize(0);
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(0, p);
    for (let j = 0; j <= 2 * cellsT(grid); j++) {
      for (let i = 0; i <= 2 * cellsS(grid); i++) {
        const flags = flagsOf(0, copyIndex(grid, (i & 1) + 2 * (j & 1), i >> 1, j >> 1));
        if (flags == 0) continue;
        mapPoint(p, halfPosition(grid, false, i), halfPosition(grid, true, j), located);
        if (xx + yy == 0) { x0 = load<f64>(located); y0 = load<f64>(located, 8); }
        const rx = (y0 - load<f64>(located, 8)) / length, ry = (load<f64>(located) - x0) / length;
        if (flags & 1) { xx += 1; xt += rx; tt += rx * rx; }
        if (flags & 2) { yy += 1; yt += ry; tt += ry * ry; }
      }
    }
  }
  if (unknownsPerNode() == 1) return xx > 0;
  if (xx == 0 || yy == 0) return false;
  return tt - xt * xt / xx - yt * yt / yy > 1e-12 * tt;
}

// ---- loads -----------------------------------------------------------------------------------------------

/** ∂x, ∂y along a side of patch p at place `s` of it, in `located` at 16 (per unit of the side's coordinate). */
function sidePoint(p: i32, side: i32, place: f64): void {
  if (side == 0) mapPoint(p, place, 0, located);
  else if (side == 1) mapPoint(p, 1, place, located);
  else if (side == 2) mapPoint(p, place, 1, located);
  else mapPoint(p, 0, place, located);
}
@inline function tangentX(side: i32): f64 { return load<f64>(located + (side & 1 ? 32 : 16)); }
@inline function tangentY(side: i32): f64 { return load<f64>(located + (side & 1 ? 40 : 24)); }
/** The outward normal is the tangent turned right on sides 0, 1 and left on 2, 3. */
@inline function outward(side: i32): f64 { return side < 2 ? 1 : -1; }

/** A bent side's length is no polynomial of its coordinate; three points for a whole cell miss it by up to 1e-4. */
const BENT_PARTS: i32 = 8;
const NINE_CORNERS: f64 = 9;
/** Parts of a cell's side that have three Gauss points each. */
@inline function sideParts(p: i32): i32 { return at(patchAt(p), PatchField.GEOMETRY) == NINE_CORNERS ? BENT_PARTS : 1; }
/** The coordinate in the cell of Gauss point `k` of all. */
@inline function sideGauss(k: i32, parts: i32): f64 { return (<f64>(k / 3) + gaussPoint(k % 3)) / <f64>parts; }

function sideLength(p: i32, side: i32): f64 {
  const grid = gridAt(0, p), parts = sideParts(p);
  let length = 0.0;
  for (let n = 0; n < sideCells(grid, side); n++) {
    const from = alongSide(grid, side, n), step = alongSide(grid, side, n + 1) - from;
    for (let k = 0; k < 3 * parts; k++) {
      sidePoint(p, side, from + step * sideGauss(k, parts));
      const size = sqrt(tangentX(side) * tangentX(side) + tangentY(side) * tangentY(side));
      length += gaussWeight(k % 3) * step / <f64>parts * size;
    }
  }
  return length;
}

/** Adds weight·N to the three nodes of cell n of a side. */
function addSide(vector: usize, grid: usize, side: i32, n: i32, c: i32, tau: f64, force: f64): void {
  const component = vector + (<usize>(c * levelSize(0)) << 3);
  const a = component + (<usize>sideVertex(grid, side, n) << 3);
  const m = component + (<usize>sideMiddle(grid, side, n) << 3);
  const b = component + (<usize>sideVertex(grid, side, n + 1) << 3);
  store<f64>(a, load<f64>(a) + force * lagrange(0, tau));
  store<f64>(m, load<f64>(m) + force * lagrange(1, tau));
  store<f64>(b, load<f64>(b) + force * lagrange(2, tau));
}

function loadSide(vector: usize, record: usize): void {
  const p = <i32>at(record, 1), side = <i32>at(record, 2), type = <i32>at(record, 5);
  const grid = gridAt(0, p), d = unknownsPerNode(), parts = sideParts(p);
  const perLength = type == TOTAL ? 1 / sideLength(p, side) : thickness();
  for (let n = 0; n < sideCells(grid, side); n++) {
    const from = alongSide(grid, side, n), step = alongSide(grid, side, n + 1) - from;
    for (let k = 0; k < 3 * parts; k++) {
      const tau = sideGauss(k, parts);
      const place = from + step * tau, w = gaussWeight(k % 3) * step / <f64>parts * perLength;
      sidePoint(p, side, place);
      const tx = tangentX(side), ty = tangentY(side);
      const length = sqrt(tx * tx + ty * ty), sign = outward(side);
      for (let c = 0; c < d; c++) {
        const intensity = type == PRESSURE
          ? -at(record, 6) * sign * (c == 0 ? ty : -tx)
          : polynomial(record + <usize>((6 + 3 * c) << 3), 3, 2 * place - 1) * length;
        addSide(vector, grid, side, n, c, tau, w * intensity);
      }
    }
  }
}

/** Adds all loads of the request but the body force to `vector` (parted); −1, or a load whose point is no node. */
export function applyLoads(vector: usize): i32 {
  for (let l = 0; l < loadCount(); l++) {
    const record = loadAt(l);
    if (<i32>at(record, 0) == SIDE) { loadSide(vector, record); continue; }
    const copy = namedCopy(record);
    if (copy < 0) return l;
    for (let c = 0; c < unknownsPerNode(); c++) {
      const to = vector + (<usize>(c * levelSize(0) + copy) << 3);
      store<f64>(to, load<f64>(to) + at(record, 6 + 3 * c));
    }
  }
  return -1;
}

// ---- closed sums of what is applied ----------------------------------------------------------------------

const PANELS: i32 = 64;

function addApplied(c: i32, value: f64): void {
  store<f64>(appliedAt + (<usize>c << 3), applied(c) + value);
  store<f64>(appliedAt, appliedSize() + abs(value), 16);
}

/** ∫ over a whole side by Simpson's rule: of coefficient polynomial c times length, or of x dy (mode 2). */
function simpsonSide(p: i32, side: i32, record: usize, c: i32): f64 {
  let sum = 0.0;
  for (let n = 0; n <= 2 * PANELS; n++) {
    const place = <f64>n / <f64>(2 * PANELS);
    sidePoint(p, side, place);
    const tx = tangentX(side), ty = tangentY(side);
    const value = record
      ? polynomial(record + <usize>((6 + 3 * c) << 3), 3, 2 * place - 1) * sqrt(tx * tx + ty * ty)
      : load<f64>(located) * ty;
    sum += value * (n == 0 || n == 2 * PANELS ? 1.0 : n & 1 ? 4.0 : 2.0);
  }
  return sum / <f64>(6 * PANELS);
}

/** Area of a patch by Green's formula ∮ x dy. */
function patchArea(p: i32): f64 {
  let area = 0.0;
  for (let side = 0; side < 4; side++) area += outward(side) * simpsonSide(p, side, 0, 0);
  return area;
}

function sideEnds(p: i32, side: i32, c: i32): f64 {
  sidePoint(p, side, 1);
  const end = load<f64>(located + (<usize>c << 3));
  sidePoint(p, side, 0);
  return end - load<f64>(located + (<usize>c << 3));
}

export function sumApplied(): void {
  memory.fill(appliedAt, 0, 24);
  const d = unknownsPerNode();
  for (let p = 0; p < patchCount(); p++) {
    const volume = patchArea(p) * thickness();
    for (let c = 0; c < d; c++) addApplied(c, source(c) * volume);
  }
  for (let l = 0; l < loadCount(); l++) {
    const record = loadAt(l), type = <i32>at(record, 5), p = <i32>at(record, 1), side = <i32>at(record, 2);
    for (let c = 0; c < d; c++) {
      if (type == TRACTION) addApplied(c, thickness() * simpsonSide(p, side, record, c));
      else if (type == PRESSURE) addApplied(c, -at(record, 6) * outward(side) * thickness() * (c == 0 ? sideEnds(p, side, 1) : -sideEnds(p, side, 0)));
      else addApplied(c, at(record, 6 + 3 * c));
    }
  }
}

// ---- the patch test --------------------------------------------------------------------------------------

/** Gradient ∂u_c/∂x_e of the linear field of the patch test; any numbers would do. */
const SLOPES = memory.data<f64>([0.3141592653589793, -0.2718281828459045, 0.5772156649015329, 0.1414213562373095]);
@inline function slope(c: i32, e: i32): f64 { return load<f64>(SLOPES + (<usize>(2 * c + e) << 3)); }

/** The field is zero beside the probe, so that what is read there does not drown in rounding; else at a corner. */
function originX(): f64 { return hasProbe() ? probeX() - 1e-3 * patchSize(0) : at(patchAt(0), 0); }
function originY(): f64 { return hasProbe() ? probeY() - 1e-3 * patchSize(0) : at(patchAt(0), 1); }

/** Writes the linear field u_c = Σ_e slope_ce (x_e − o_e) to `field` (spread). */
export function linearField(field: usize): void {
  const ox = originX(), oy = originY();
  const size = levelSize(0);
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(0, p);
    for (let j = 0; j <= 2 * cellsT(grid); j++) {
      for (let i = 0; i <= 2 * cellsS(grid); i++) {
        const e = copyIndex(grid, (i & 1) + 2 * (j & 1), i >> 1, j >> 1);
        mapPoint(p, halfPosition(grid, false, i), halfPosition(grid, true, j), located);
        const x = load<f64>(located) - ox, y = load<f64>(located, 8) - oy;
        for (let c = 0; c < unknownsPerNode(); c++) {
          store<f64>(field + (<usize>(c * size + e) << 3), slope(c, 0) * x + slope(c, 1) * y);
        }
      }
    }
  }
  spread<f64>(0, field, unknownsPerNode());
}

/** Value of component c of the linear field at a point. */
export function linearValue(c: i32, x: f64, y: f64): f64 {
  return slope(c, 0) * (x - originX()) + slope(c, 1) * (y - originY());
}

/** Flux or stress of the linear field by Lamé's constants λ, µ: component c of row e. */
export function linearStress(c: i32, e: i32): f64 {
  if (unknownsPerNode() == 1) return modulus() * slope(0, e);
  const nu = poissonRatio(), mu = modulus() / (2 + 2 * nu);
  let lambda = 2 * mu * nu / (1 - 2 * nu);
  if (!planeStrain()) lambda = 2 * lambda * mu / (lambda + 2 * mu);
  const trace = slope(0, 0) + slope(1, 1);
  return mu * (slope(c, e) + slope(e, c)) + (c == e ? lambda * trace : 0);
}

/** Adds the loads of the linear field's boundary stress, σ·n on every outer side, to `vector` (parted). */
export function linearLoads(vector: usize): void {
  const d = unknownsPerNode();
  for (let p = 0; p < patchCount(); p++) {
    const grid = gridAt(0, p);
    for (let side = 0; side < 4; side++) {
      if (at(patchAt(p), PatchField.NEIGHBOUR + side) >= 0) continue;
      for (let n = 0; n < sideCells(grid, side); n++) {
        const from = alongSide(grid, side, n), step = alongSide(grid, side, n + 1) - from;
        for (let g = 0; g < 3; g++) {
          sidePoint(p, side, from + step * gaussPoint(g));
          const nx = outward(side) * tangentY(side), ny = -outward(side) * tangentX(side);
          const w = gaussWeight(g) * step * thickness();
          for (let c = 0; c < d; c++) {
            addSide(vector, grid, side, n, c, gaussPoint(g), w * (linearStress(c, 0) * nx + linearStress(c, 1) * ny));
          }
        }
      }
    }
  }
}
