// A particle in a potential, as the parameters of every kernel of `schrodinger` say it.
//
// Parameters (f64):
//   0 ħ [J s] · 8 m [kg] · 16 potential (below) · 24 L [m] · 32 V₀ [J] · 40 ω [1/s] · 48 D_e [J] · 56 a [1/m] · 64 r_e [m]
//   72 λ · 80 Z e²/4πε₀ [J m] · 88 l, −1: not radial · 96, 104 domain in x [m] · 112, 120 in y · 128 dimensions
//   136 terms of the polynomial, nodes of the table or f64 of the formula · 144 level n · 152, 160 intervals in x and y
//   168 length of a run [s] · 176 steps, of a passage those of a cell · 184 order of the splitting · 192 energy of the particle [J]
//   200 terms (c, power of x, power of y), nodes (x, V), or a block of one formula of x and y (assembly/expression)
//
// Kernels take the domain's width in x as unit of length and ε = ħ²/m width² as that of energy.

import { allocate, fail, isFiniteF64, parameterF64, parameters } from "../kernel/frame";
import { Status } from "../kernel/status";
import { evaluateAt, openPoints, resultOf, setTime, setVariable } from "../expression/point";
import { plainValue, programCount, setValue } from "../expression/program";

export const HEAD: usize = 200;

export namespace Potential {
  export const INFINITE_WELL: i32 = 0;
  export const FINITE_WELL: i32 = 1;
  export const HARMONIC: i32 = 2;
  export const MORSE: i32 = 3;
  export const POSCHL_TELLER: i32 = 4;
  export const COULOMB: i32 = 5;
  export const POLYNOMIAL: i32 = 6;
  export const TABLE: i32 = 7;
  export const BARRIER: i32 = 8;
  export const FREE: i32 = 9;
  export const FORMULA: i32 = 10;
}

export let kind: i32 = 0;
export let left: f64 = 0, width: f64 = 0, bottom: f64 = 0, height: f64 = 0;
/** ε [J]. */
export let unitEnergy: f64 = 0;
export let orbital: f64 = 0, count: i32 = 0;
let moments: usize = 0;

export function readProblem(): void {
  kind = <i32>parameterF64(16);
  orbital = parameterF64(88);
  left = parameterF64(96);
  width = parameterF64(104) - left;
  bottom = parameterF64(112);
  height = parameterF64(120) - bottom;
  unitEnergy = parameterF64(0) * parameterF64(0) / (parameterF64(8) * width * width);
  count = <i32>parameterF64(136);
  if (kind == Potential.TABLE) layOutSpline();
  if (kind == Potential.FORMULA && !(openPoints(parameters() + HEAD, count << 3, 2, 0) && programCount() == 1)) {
    fail(Status.INVALID_INPUT);
    kind = Potential.FREE;
  }
}

/** Bytes of the parameters up to the end of terms, nodes or formula. */
export function problemEnd(): usize {
  return HEAD + <usize>count * (kind == Potential.TABLE ? 16 : kind == Potential.FORMULA ? 8 : 24);
}

// ---- the potential -------------------------------------------------------------------------------------

@inline export function nodeX(i: i32): f64 { return parameterF64(HEAD + (<usize>i << 4)); }
@inline function nodeV(i: i32): f64 { return parameterF64(HEAD + (<usize>i << 4) + 8); }
@inline function moment(i: i32): f64 { return load<f64>(moments + (<usize>i << 3)); }

/** Second derivatives of the natural cubic spline at its nodes, by elimination. */
function layOutSpline(): void {
  moments = allocate(<usize>count << 3);
  const upper = allocate(<usize>count << 3);
  for (let i = 1; i < count - 1; i++) {
    const before = nodeX(i) - nodeX(i - 1), after = nodeX(i + 1) - nodeX(i);
    const bend = 6.0 * ((nodeV(i + 1) - nodeV(i)) / after - (nodeV(i) - nodeV(i - 1)) / before);
    const pivot = 2.0 * (before + after) - before * load<f64>(upper + (<usize>(i - 1) << 3));
    store<f64>(upper + (<usize>i << 3), after / pivot);
    store<f64>(moments + (<usize>i << 3), (bend - before * moment(i - 1)) / pivot);
  }
  for (let i = count - 2; i > 0; i--) {
    store<f64>(moments + (<usize>i << 3), moment(i) - load<f64>(upper + (<usize>i << 3)) * moment(i + 1));
  }
}

function splineAt(x: f64): f64 {
  let low = 0, high = count - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (nodeX(middle) <= x) low = middle; else high = middle;
  }
  const h = nodeX(high) - nodeX(low), t = min(1.0, max(0.0, (x - nodeX(low)) / h)), s = 1.0 - t;
  const bent = (s * s * s - s) * moment(low) + (t * t * t - t) * moment(high);
  return s * nodeV(low) + t * nodeV(high) + h * h / 6.0 * bent;
}

function polynomialAt(x: f64, y: f64): f64 {
  let sum = 0.0;
  for (let i = 0; i < count; i++) {
    const at = HEAD + <usize>i * 24;
    let term = parameterF64(at);
    for (let k = parameterF64(at + 8); k > 0.0; k--) term *= x;
    for (let k = parameterF64(at + 16); k > 0.0; k--) term *= y;
    sum += term;
  }
  return sum;
}

function formulaAt(x: f64, y: f64): f64 {
  setVariable(0, x);
  setTime(y);
  evaluateAt(0, 0);
  return finiteOr0(resultOf(0));
}

/** The formula by the pass that derivatives come from, for verdicts. */
export function plainFormulaAt(x: f64, y: f64): f64 {
  setValue(0, x);
  setValue(1, y);
  return finiteOr0(plainValue(0));
}

/** V(x) at an end of the domain, where it may be a wall: Infinity. */
export function formulaAtEnd(x: f64): f64 {
  setValue(0, x);
  setValue(1, 0.0);
  return plainValue(0);
}

/** What is no number ends the run. */
function finiteOr0(v: f64): f64 {
  if (isFiniteF64(v)) return v;
  fail(Status.NON_FINITE);
  return 0.0;
}

/** How much of the cell of width h about x lies within the width L about 0. */
@inline function insideOf(x: f64, h: f64): f64 {
  const half = 0.5 * parameterF64(24);
  return max(0.0, min(x + 0.5 * h, half) - max(x - 0.5 * h, -half)) / h;
}

/** V(x, y) [J]; where V jumps, its mean over a cell of width h about x, which keeps the order 2. */
export function potentialAt(x: f64, y: f64, h: f64): f64 {
  const mass = parameterF64(8), omega = parameterF64(40);
  switch (kind) {
    case Potential.FINITE_WELL: return parameterF64(32) * (1.0 - insideOf(x, h));
    case Potential.BARRIER: return parameterF64(32) * insideOf(x, h);
    case Potential.HARMONIC: return 0.5 * mass * omega * omega * (x * x + y * y);
    case Potential.MORSE: {
      const away = 1.0 - Math.exp(-parameterF64(56) * (x - parameterF64(64)));
      return parameterF64(48) * away * away;
    }
    case Potential.POSCHL_TELLER: {
      const lambda = parameterF64(72), slope = parameterF64(0) * parameterF64(56), c = Math.cosh(parameterF64(56) * x);
      return -slope * slope * lambda * (lambda + 1.0) / (2.0 * mass * c * c);
    }
    case Potential.COULOMB: return -parameterF64(80) / x;
    case Potential.POLYNOMIAL: return polynomialAt(x, y);
    case Potential.TABLE: return splineAt(x);
    case Potential.FORMULA: return formulaAt(x, y);
    default: return 0.0;
  }
}

/** Waves on n intervals have π²n²/2 ε at most: a wall that is so many times n² above the lowest V is as good as one without end. */
export const WALL: f64 = 100;

/** V and the centrifugal term in units of ε at u of the width, cells of h of the width. */
export function scaledAt(u: f64, h: f64): f64 {
  const x = left + width * u, v = potentialAt(x, 0.0, h * width) / unitEnergy;
  return orbital > 0.0 ? v + 0.5 * orbital * (orbital + 1.0) * (width / x) * (width / x) : v;
}
