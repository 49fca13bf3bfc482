// Active constraints of Goldfarb and Idnani's method: with G = LLᵀ and N the active normals, J = L⁻ᵀQ and R of the
// orthogonal factorization L⁻¹N = Q (R 0)ᵀ (Math. Programming 27 (1983) 1, §4). A normal is added and taken away by
// Givens rotations of the columns of J.

import { at, n, put } from "./program";
import { rowAt } from "./cholesky";

let J: usize = 0, R: usize = 0;
/** How many are active. */
export let active: i32 = 0;

export function openActive(j: usize, r: usize): void { J = j; R = r; }
export function setActive(count: i32): void { active = count; }

/** d = Jᵀ normal. */
export function turned(normal: usize, d: usize): void {
  memory.fill(d, 0, <usize>n << 3);
  for (let i = 0; i < n; i++) {
    const factor = at(normal, i), row = rowAt(J, n, i);
    if (factor != 0.0) for (let k = 0; k < n; k++) put(d, k, at(d, k) + factor * at(row, k));
  }
}

/** Step in x: z = J₂d₂. */
export function primalStep(d: usize, z: usize): void { combination(d, z, active); }

/** z = Σ of the columns of J from `first` on, each so many times as d says. */
export function combination(d: usize, z: usize, first: i32 = 0): void {
  for (let i = 0; i < n; i++) {
    let sum = 0.0;
    for (let k = first; k < n; k++) sum += at(rowAt(J, n, i), k) * at(d, k);
    put(z, i, sum);
  }
}

/** Step in the multipliers: R r = d₁. */
export function dualStep(d: usize, r: usize): void {
  for (let i = active - 1; i >= 0; i--) {
    let sum = at(d, i);
    for (let k = i + 1; k < active; k++) sum -= at(rowAt(R, n, i), k) * at(r, k);
    put(r, i, sum / at(rowAt(R, n, i), i));
  }
}

/** Columns j and j+1 of J, and where it is wanted rows of R, by the rotation that makes (a, b) to (√(a²+b²), 0). */
function rotateJ(j: i32, c: f64, s: f64): void {
  for (let i = 0; i < n; i++) {
    const row = rowAt(J, n, i), p = at(row, j), q = at(row, j + 1);
    put(row, j, c * p + s * q);
    put(row, j + 1, c * q - s * p);
  }
}

/** A new normal with d = Jᵀ normal, which does not depend on those that are active. */
export function addNormal(d: usize): void {
  for (let j = n - 2; j >= active; j--) {
    const a = at(d, j), b = at(d, j + 1), h = sqrt(a * a + b * b);
    if (b == 0.0) continue;
    rotateJ(j, a / h, b / h);
    put(d, j, h);
    put(d, j + 1, 0.0);
  }
  for (let i = 0; i <= active; i++) put(rowAt(R, n, i), active, at(d, i));
  active++;
}

/** The normal in place l goes. */
export function dropNormal(l: i32): void {
  for (let k = l + 1; k < active; k++) {
    for (let i = 0; i <= k; i++) put(rowAt(R, n, i), k - 1, at(rowAt(R, n, i), k));
  }
  active--;
  for (let j = l; j < active; j++) {
    const a = at(rowAt(R, n, j), j), b = at(rowAt(R, n, j + 1), j), h = sqrt(a * a + b * b);
    if (b == 0.0) continue;
    const c = a / h, s = b / h;
    for (let k = j; k < active; k++) {
      const p = at(rowAt(R, n, j), k), q = at(rowAt(R, n, j + 1), k);
      put(rowAt(R, n, j), k, c * p + s * q);
      put(rowAt(R, n, j + 1), k, c * q - s * p);
    }
    rotateJ(j, c, s);
  }
}
