// What a receipt says of sound along an axis: the terms −(S p′)′/S and −k²p of its own equation with lengths in L, and
// both integrated over S. Between two samples S counts as it does for a steady flow, by the mean of 1/S, so that a step of
// the bore leaves no error of its own. Of p the part is taken that is in phase with p where it is largest: of a duct that
// loses nothing Re p is 0 everywhere.

import { diagnosticsScratch, writeBalance, writeBand, writeReflection, writeTerms, DIAGNOSTICS } from "../diagnostics/diagnostics";

/** Samples along an axis, from end to end. */
export const SAMPLES: i32 = 129;
/** f64 of scratch for `describeAxis`. */
export function describedScratch(): i32 { return 2 * SAMPLES + diagnosticsScratch(SAMPLES); }

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

/** n numbers in phase with p where it is largest, and as many a quarter behind it; p stands at both addresses, `stride` bytes apart. */
export function takePhase(inPhase: usize, behind: usize, n: i32, real: usize, imaginary: usize, stride: usize): void {
  let most = 0.0, c = 1.0, s = 0.0;
  for (let i = 0; i < n; i++) {
    const a = load<f64>(real + <usize>i * stride), b = load<f64>(imaginary + <usize>i * stride), size = Math.hypot(a, b);
    if (size > most) { most = size; c = a / size; s = b / size; }
  }
  for (let i = 0; i < n; i++) {
    const a = load<f64>(real + <usize>i * stride), b = load<f64>(imaginary + <usize>i * stride);
    put(inPhase, i, a * c + b * s);
    put(behind, i, b * c - a * s);
  }
}

/** ∫S or ∫1/S from a to b over pieces of 24 bytes: length, S, elements. */
function bore(pieces: usize, count: i32, a: f64, b: f64, reciprocal: bool): f64 {
  let sum = 0.0, foot = 0.0;
  for (let i = 0; i < count; i++) {
    const piece = pieces + <usize>i * 24, head = i + 1 == count ? b : foot + load<f64>(piece), S = load<f64>(piece, 8);
    const inside = min(b, head) - max(a, foot);
    if (inside > 0.0) sum += reciprocal ? inside / S : inside * S;
    foot = head;
  }
  return sum;
}

/** Writes the block of the samples p, whose −k²p L² stands in `own`. */
export function describeAxis(block: usize, p: usize, own: usize, pieces: usize, count: i32, scratch: usize): void {
  const bent = scratch, total = bent + SAMPLES * 8, rest = total + SAMPLES * 8, h = 1.0 / <f64>(SAMPLES - 1);
  let L = 0.0;
  for (let i = 0; i < count; i++) L += load<f64>(pieces + <usize>i * 24);
  const step = L * h;
  let left = 0.0, right = 0.0, before = step / bore(pieces, count, 0.0, step, true) * (at(p, 1) - at(p, 0));
  memory.fill(block, 0, DIAGNOSTICS * 8);
  for (let i = 1; i < SAMPLES - 1; i++) {
    const x = step * <f64>i, S = bore(pieces, count, x - 0.5 * step, x + 0.5 * step, false) / step;
    const after = step / bore(pieces, count, x, x + step, true) * (at(p, i + 1) - at(p, i));
    put(bent, i, -(after - before) / (S * h * h));
    left += S * at(bent, i) * h;
    right -= S * at(own, i) * h;
    before = after;
  }
  writeTerms(block, 1, p, SAMPLES, 0, 0, 0, bent, own, 0, total);
  writeBalance(block, left, right, abs(left - right));
  writeReflection(block, p, SAMPLES, rest);
  writeBand(block, p, SAMPLES, rest);
}
