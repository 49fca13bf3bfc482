// Anderson acceleration of turns d → G(d) (Anderson 1965; Walker & Ni, SIAM J. Numer. Anal. 49 (2011) 1715, type II):
// with f = G(d) − d and the differences Δf, ΔG of the last few turns, γ minimises |f − Σ γ Δf| and
//
//   d ← G(d) − Σ γ ΔG, within the bounds of damage.
//
// The coefficients are scalars: mirrored fields stay mirrored. The differences of turns are kept in f32: they say where the next
// turn begins, and turns alone how it ends.

import { allocate } from "../kernel/frame";
import { fieldBytes } from "./problem";

const DEPTH: i32 = 5;
/** A column that is this much a sum of the others, squared, says nothing. */
const DEPENDENT: f64 = 1e-10;

let f: usize = 0, lastF: usize = 0, lastG: usize = 0, changesF: usize = 0, changesG: usize = 0;
/** Δf·Δf in rows of DEPTH, what elimination makes of it, γ. */
let gram: usize = 0, lower: usize = 0, gamma: usize = 0;
let known: i32 = 0, next: i32 = 0;
let hasLast: bool = false;

/** `change`: room for a field that holds nothing between turns. */
export function layAnderson(change: usize): void {
  f = change; lastF = allocate(fieldBytes); lastG = allocate(fieldBytes);
  changesF = allocate(<usize>DEPTH * fieldBytes); changesG = changesF + <usize>DEPTH * (fieldBytes >> 1);
  gram = allocate(DEPTH * DEPTH * 8); lower = allocate(DEPTH * DEPTH * 8); gamma = allocate(DEPTH * 8);
}

/** Five fields, which a run that has ended needs no more. */
export function rememberedTurns(): usize { return changesF; }

export function forgetTurns(): void { known = 0; next = 0; hasLast = false; }

@inline function changeF(k: i32): usize { return changesF + <usize>k * (fieldBytes >> 1); }
@inline function changeG(k: i32): usize { return changesG + <usize>k * (fieldBytes >> 1); }
@inline function entry(i: i32, j: i32): usize { return gram + (<usize>(DEPTH * i + j) << 3); }
@inline function at(base: usize, i: i32): usize { return base + (<usize>i << 3); }

function subtract(a: usize, b: usize, to: usize): void {
  for (let k: usize = 0; k < fieldBytes; k += 16) v128.store(to + k, f64x2.sub(v128.load(a + k), v128.load(b + k)));
}

/** The same in f32. */
function change(a: usize, b: usize, to: usize): void {
  for (let k: usize = 0; k < fieldBytes; k += 16)
    v128.store64_lane(to + (k >> 1), f32x4.demote_f64x2_zero(f64x2.sub(v128.load(a + k), v128.load(b + k))), 0);
}

@inline function widened(at: usize): v128 { return f64x2.promote_low_f32x4(v128.load64_zero(at)); }

/** Of a change and another, or a field of f64. */
function dot(a: usize, b: usize, isField: bool): f64 {
  let sum = f64x2.splat(0);
  for (let k: usize = 0; k < fieldBytes; k += 16)
    sum = f64x2.add(sum, f64x2.mul(widened(a + (k >> 1)), isField ? v128.load(b + k) : widened(b + (k >> 1))));
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** Takes note of a turn from `old` to `d`. */
export function rememberTurn(old: usize, d: usize): void {
  subtract(d, old, f);
  if (hasLast) {
    change(f, lastF, changeF(next));
    change(d, lastG, changeG(next));
    known = min(known + 1, DEPTH);
    for (let k = 0; k < known; k++) {
      const value = dot(changeF(next), changeF(k), false);
      store<f64>(entry(next, k), value); store<f64>(entry(k, next), value);
    }
    next = (next + 1) % DEPTH;
  }
  memory.copy(lastF, f, fieldBytes);
  memory.copy(lastG, d, fieldBytes);
  hasLast = true;
}

@inline function reduced(i: i32, j: i32): usize { return lower + (<usize>(DEPTH * i + j) << 3); }

/** γ by elimination without pivoting; columns that depend on those before them are left out. */
function solve(): void {
  memory.copy(lower, gram, DEPTH * DEPTH * 8);
  for (let i = 0; i < known; i++) store<f64>(at(gamma, i), dot(changeF(i), f, true));
  for (let i = 0; i < known; i++) if (load<f64>(reduced(i, i)) > DEPENDENT * load<f64>(entry(i, i))) eliminate(i); else leaveOut(i);
  for (let i = known - 1; i >= 0; i--) {
    let sum = load<f64>(at(gamma, i));
    for (let j = i + 1; j < known; j++) sum -= load<f64>(reduced(i, j)) * load<f64>(at(gamma, j));
    store<f64>(at(gamma, i), sum / load<f64>(reduced(i, i)));
  }
}

function eliminate(i: i32): void {
  for (let r = i + 1; r < known; r++) {
    const factor = load<f64>(reduced(r, i)) / load<f64>(reduced(i, i));
    for (let j = i; j < known; j++) store<f64>(reduced(r, j), load<f64>(reduced(r, j)) - factor * load<f64>(reduced(i, j)));
    store<f64>(at(gamma, r), load<f64>(at(gamma, r)) - factor * load<f64>(at(gamma, i)));
  }
}

function leaveOut(i: i32): void {
  for (let j = 0; j < known; j++) { store<f64>(reduced(i, j), 0.0); store<f64>(reduced(j, i), 0.0); }
  store<f64>(reduced(i, i), 1.0);
  store<f64>(at(gamma, i), 0.0);
}

/** Moves `d`, which is G of the last turn, by at most `most`; says whether there was anything to go by. */
export function accelerate(d: usize, bottom: usize, most: f64): bool {
  if (known < 2) return false;
  solve();
  for (let k: usize = 0; k < fieldBytes; k += 8) {
    let step = 0.0;
    for (let m = 0; m < known; m++) step += load<f64>(at(gamma, m)) * <f64>load<f32>(changeG(m) + (k >> 1));
    const limited = max(-most, min(most, step));
    store<f64>(d + k, min(1.0, max(load<f64>(bottom + k), load<f64>(d + k) - limited)));
  }
  return true;
}
