// A cavity of cells between walls of impedance: T(κ) = K + iκC − κ²M in nine-node elements (assembly/acoustics/mask.ts), κ = k
// times the edge of a cell, C = Σ β ∫ p v over the walls, β = ρc/Z (Kuttruff, Room Acoustics, §3.1).
//
// Walls with |β| ≤ 1 are followed from rigid ones as tβ, springs as far as they turn (assembly/acoustics/growth.ts), other soft
// walls from open ones as β/t, t from 0 to 1. What holds p at 0 on a
// wall that is still open is a β of 1e8; the flow through it is that times the p which is left (the penalty method, Zienkiewicz &
// Taylor, The Finite Element Method 1, §3.13).
//
// Parameters (f64): assembly/acoustics/mask.ts; then from maskEnd() on
//   0 0 modes are followed from t = 0, 1 refined from rows · 8 modes · 16 frequencies · 24 the one that is the value, from 1 ·
//   32 steps at most · 40 whether roots are counted · 48 whether p is given · 56 β of left, right, bottom, top and walls
//   inside, re and im · 136 1 for each of these that is followed from an open one · 176 k² [1/m²] of the modes at t = 0, one more than
//   are followed, or rows

import { parameterF64 } from "../kernel/frame";
import { addComplex, complexAt } from "../linear/complex-band";
import { im, over, re, times } from "../math/complex";
import { grown } from "./growth";
import {
  band, eachElement, edgeMass, id, massEntry, maskEnd, n, stiffEntry,
} from "./mask";
import { assembleComplex, eachEdge, wall } from "./mask-complex";

const BETAS: usize = 56, SOFT: usize = 136;
export const HEAD: usize = 176;
const HELD: f64 = 1e8;

@inline export function wallField(offset: usize): f64 { return parameterF64(maskEnd() + offset); }
@inline function betaRe(): f64 { return wallField(BETAS + (<usize>wall << 4)); }
@inline function betaIm(): f64 { return wallField(BETAS + 8 + (<usize>wall << 4)); }

/** Calls `visit` for each edge between air and a wall that has an impedance. */
function eachWall(visit: () => void): void {
  visiting = visit;
  eachEdge(visitWall);
}

let visiting: () => void = nowhere;
function nowhere(): void {}

function visitWall(): void {
  if (betaRe() != 0.0 || betaIm() != 0.0) visiting();
}

let to: usize = 0, from: usize = 0, factorRe: f64 = 0, factorIm: f64 = 0, stiffness: f64 = 0;
let stage: f64 = 0, felt: f64 = 0;

/** What stands before ∫ p v over this wall, left in `re`, `im`: iκtβ or iκβ/t; at t = 0 what holds p. */
function wallFactor(): void {
  const isSoft = wallField(SOFT + (<usize>wall << 3)) == 1.0;
  if (stage == 0.0) { times(isSoft ? HELD : 0.0, 0.0, 1.0, 0.0); return; }
  const s = isSoft ? 1.0 / stage : grown(stage, betaRe(), betaIm());
  times(s * factorRe, s * factorIm, betaRe(), betaIm());
}

/** What a wall does to κ² at the very first, over iκ: β p p, or −q q/((iκ)² β) of the flow q = HELD p through an open one. */
function firstFactor(): void {
  if (wallField(SOFT + (<usize>wall << 3)) == 1.0) over(HELD * HELD / felt, 0.0, betaRe(), betaIm());
  else times(betaRe(), betaIm(), 1.0, 0.0);
}

// ---- the matrix ----------------------------------------------------------------------------------------

/** T(κ) at t, into a complex band that is zero. */
export function assembleWalls(a: usize, kRe: f64, kIm: f64, t: f64): void {
  times(kRe, kIm, kRe, kIm);
  assembleComplex(a, re, im);
  to = a;
  stage = t;
  factorRe = -kIm;
  factorIm = kRe;
  eachWall(addWall);
}

function addWall(): void {
  wallFactor();
  const ofRe = re, ofIm = im;
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++) {
      const p = id(a), q = id(b);
      if (p < 0 || q < 0 || q > p) continue;
      addComplex(complexAt(to, band, p, q), ofRe * edgeMass(a, b), ofIm * edgeMass(a, b));
    }
  }
}

// ---- products ------------------------------------------------------------------------------------------

/** y ← (stiff K − (massRe + i massIm) M) x. */
export function timesElements(x: usize, y: usize, stiff: f64, massRe: f64, massIm: f64): void {
  memory.fill(y, 0, <usize>n << 4);
  from = x;
  to = y;
  stiffness = stiff;
  factorRe = massRe;
  factorIm = massIm;
  eachElement(addProduct);
}

function addProduct(): void {
  for (let a = 0; a < 9; a++) {
    if (id(a) < 0) continue;
    let p = 0.0, q = 0.0;
    for (let b = 0; b < 9; b++) {
      if (id(b) < 0) continue;
      const at = from + (<usize>id(b) << 4), m = massEntry(a, b), x = load<f64>(at), y = load<f64>(at, 8);
      const ofRe = stiffness * stiffEntry(a, b) - factorRe * m, ofIm = -factorIm * m;
      p += ofRe * x - ofIm * y;
      q += ofRe * y + ofIm * x;
    }
    addComplex(to + (<usize>id(a) << 4), p, q);
  }
}

/** y ← y + iκC x at t. */
export function addWalls(x: usize, y: usize, kRe: f64, kIm: f64, t: f64): void {
  from = x;
  to = y;
  stage = t;
  factorRe = -kIm;
  factorIm = kRe;
  eachWall(addWallProduct);
}

/** y ← y + what the walls do at the very first to a mode of κ² = `square`, over iκ. */
export function addFirst(x: usize, y: usize, square: f64): void {
  from = x;
  to = y;
  felt = square;
  eachWall(addFirstProduct);
}

function addWallProduct(): void { wallFactor(); addTimesEdge(re, im); }
function addFirstProduct(): void { firstFactor(); addTimesEdge(re, im); }

function addTimesEdge(ofRe: f64, ofIm: f64): void {
  for (let a = 0; a < 3; a++) {
    if (id(a) < 0) continue;
    for (let b = 0; b < 3; b++) {
      if (id(b) < 0) continue;
      const at = from + (<usize>id(b) << 4);
      times(ofRe * edgeMass(a, b), ofIm * edgeMass(a, b), load<f64>(at), load<f64>(at, 8));
      addComplex(to + (<usize>id(a) << 4), re, im);
    }
  }
}

/** xᵀy of nodal values, left in `re`, `im`. */
export function alongNodes(x: usize, y: usize): void {
  let p = 0.0, q = 0.0;
  for (let at: usize = 0, bytes = <usize>n << 4; at < bytes; at += 16) {
    const a = load<f64>(x + at), b = load<f64>(x + at, 8), c = load<f64>(y + at), d = load<f64>(y + at, 8);
    p += a * c - b * d;
    q += a * d + b * c;
  }
  times(p, q, 1.0, 0.0);
}

export let loss: f64 = 0, held: f64 = 0;

/** Σ Re β ∫|p|² and −Σ Im β ∫|p|² over the walls. */
export function weighWalls(x: usize): void {
  from = x;
  loss = 0.0;
  held = 0.0;
  eachWall(addWeight);
}

function addWeight(): void {
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++) {
      if (id(a) < 0 || id(b) < 0) continue;
      const p = from + (<usize>id(a) << 4), q = from + (<usize>id(b) << 4);
      const square = edgeMass(a, b) * (load<f64>(p) * load<f64>(q) + load<f64>(p, 8) * load<f64>(q, 8));
      loss += betaRe() * square;
      held -= betaIm() * square;
    }
  }
}

/** Whether no wall is followed from an open one, and one is a spring softer than ρc. */
export function hasSpringsAlone(): bool {
  let springs = false;
  for (let which: usize = 0; which < 5; which++) {
    const beta = BETAS + (which << 4);
    if (wallField(SOFT + (which << 3)) == 1.0) return false;
    if (Math.hypot(wallField(beta), wallField(beta + 8)) > 1.0) springs = true;
  }
  return springs;
}
