// Ducts of constant pieces in closed form, without elements: modes by the phase of p, driven sound by transfer matrices
// (Munjal, Acoustics of Ducts and Mufflers, §2.3 and §2.18). Nothing here is used by a kernel.

let at: usize = 0, count: i32 = 0;

/** Pieces at an address: length, S, elements; all in SI. */
export function openPieces(address: usize, pieces: i32): void { at = address; count = pieces; }
@inline function lengthOf(i: i32): f64 { return load<f64>(at + <usize>i * 24); }
@inline export function areaOf(i: i32): f64 { return load<f64>(at + <usize>i * 24 + 8); }
export function wholeLength(): f64 {
  let sum = 0.0;
  for (let i = 0; i < count; i++) sum += lengthOf(i);
  return sum;
}

// ---- modes: p = A cos φ, p′ = −kA sin φ ----------------------------------------------------------------

/** φ at the right end for wave number k: it grows with k, by π from mode to mode. */
function phaseAtEnd(k: f64, leftOpen: bool): f64 {
  let phase = leftOpen ? -0.5 * Math.PI : 0.0;
  for (let i = 0; i < count; i++) {
    phase += k * lengthOf(i);
    if (i < count - 1) phase = acrossJump(phase, areaOf(i) / areaOf(i + 1));
  }
  return phase;
}

/** tan φ grows by the ratio of the areas, φ stays in its half turn. */
function acrossJump(phase: f64, ratio: f64): f64 {
  const turns = Math.floor(phase / Math.PI + 0.5), rest = phase - Math.PI * turns;
  return Math.PI * turns + Math.atan2(ratio * Math.sin(rest), Math.cos(rest));
}

/** k of mode i ≥ 0 [1/m]; of two rigid ends the first is 0. */
export function exactWave(i: i32, leftOpen: bool, rightOpen: bool, waves: f64): f64 {
  const target = Math.PI * (<f64>i + (rightOpen ? 0.5 : 0.0));
  if (target == 0.0 && !leftOpen) return 0.0;
  let low = 0.0, high = waves;
  for (let round = 0; round < 60; round++) {
    const k = 0.5 * (low + high);
    if (phaseAtEnd(k, leftOpen) < target) low = k; else high = k;
  }
  return 0.5 * (low + high);
}

/** p of that mode at x, not scaled. */
export function exactMode(k: f64, leftOpen: bool, x: f64): f64 {
  let p = leftOpen ? 0.0 : 1.0, v = leftOpen ? 1.0 : 0.0, foot = 0.0;
  for (let i = 0; i < count; i++) {
    const inside = x <= foot + lengthOf(i) || i == count - 1, L = inside ? x - foot : lengthOf(i);
    const c = Math.cos(k * L), s = Math.sin(k * L), p0 = p;
    p = p0 * c + v * s;
    if (inside) return p;
    v = (v * c - p0 * s) * areaOf(i) / areaOf(i + 1);
    foot += L;
  }
  return p;
}

// ---- driven sound --------------------------------------------------------------------------------------

export let re: f64 = 0, im: f64 = 0, slopeRe: f64 = 0, slopeIm: f64 = 0;

/** Puts p and p′ at the right end. */
export function openEnd(pRe: f64, pIm: f64, sRe: f64, sIm: f64): void {
  re = pRe; im = pIm; slopeRe = sRe; slopeIm = sIm;
}

/** Carries p and p′ to the left over L with complex k. */
function carry(L: f64, kRe: f64, kIm: f64): void {
  const a = kRe * L, b = kIm * L;
  const cRe = Math.cos(a) * Math.cosh(b), cIm = -Math.sin(a) * Math.sinh(b);
  const sRe = Math.sin(a) * Math.cosh(b), sIm = Math.cos(a) * Math.sinh(b), square = kRe * kRe + kIm * kIm;
  const perRe = (sRe * kRe + sIm * kIm) / square, perIm = (sIm * kRe - sRe * kIm) / square; // sin kL / k
  const byRe = sRe * kRe - sIm * kIm, byIm = sRe * kIm + sIm * kRe; // k sin kL
  const p = re, q = im, s = slopeRe, t = slopeIm;
  re = p * cRe - q * cIm - (s * perRe - t * perIm);
  im = p * cIm + q * cRe - (s * perIm + t * perRe);
  slopeRe = s * cRe - t * cIm + (p * byRe - q * byIm);
  slopeIm = s * cIm + t * cRe + (p * byIm + q * byRe);
}

/** From the right end to x. */
export function carryTo(x: f64, kRe: f64, kIm: f64): void {
  let head = wholeLength();
  for (let i = count - 1; i >= 0; i--) {
    const foot = i == 0 ? 0.0 : head - lengthOf(i);
    carry(head - max(foot, x), kRe, kIm);
    if (x >= foot || i == 0) return;
    slopeRe *= areaOf(i) / areaOf(i - 1);
    slopeIm *= areaOf(i) / areaOf(i - 1);
    head = foot;
  }
}
