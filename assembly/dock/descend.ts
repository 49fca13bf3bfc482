// Descent of a rigid pose: BFGS on its six lengths with a backtracking line search (Nocedal & Wright, Numerical
// Optimization, algs. 3.1 and 6.1); each step starts from the pose reached, so that no angle is ever large. Where a
// term has a corner (vina) a gradient does not vanish: a pattern search about the axes ends there instead.

import { energyOf, gradient, move, reach } from "./rigid";

const MOST: i32 = 300;
const H = memory.data(288, 16), g = memory.data(48, 16), p = memory.data(48, 16), y = memory.data(48, 16);
const hy = memory.data(48, 16), trial = memory.data(64, 16);

/** Energies that the last descent took; ‖∇E‖·reach/|E| at its end. */
export let evaluations: i32 = 0;
export let slope: f64 = 0;

@inline function item(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }

function dot(a: usize, b: usize): f64 {
  let sum = 0.0;
  for (let i = 0; i < 6; i++) sum += item(a, i) * item(b, i);
  return sum;
}

function reset(scale: f64): void {
  memory.fill(H, 0, 288);
  for (let i = 0; i < 6; i++) put(H, 7 * i, scale);
}

/** p = −Hg, not longer than a fifth of the reach; returns p·g. */
function direct(): f64 {
  for (let i = 0; i < 6; i++) put(p, i, -dot(H + <usize>(48 * i), g));
  let length = sqrt(dot(p, p));
  const most = 0.2 * reach;
  if (length > most) for (let i = 0; i < 6; i++) put(p, i, item(p, i) * (most / length));
  return dot(p, g);
}

/** H with the step t p and the change y of the gradient. */
function update(t: f64, first: bool): void {
  for (let i = 0; i < 6; i++) { put(y, i, item(gradient, i) - item(g, i)); put(p, i, t * item(p, i)); }
  const sy = dot(p, y), yy = dot(y, y);
  if (!(sy > 1e-10 * sqrt(yy * dot(p, p)))) return;
  if (first) reset(sy / yy);
  for (let i = 0; i < 6; i++) put(hy, i, dot(H + <usize>(48 * i), y));
  const factor = (1.0 + dot(y, hy) / sy) / sy;
  for (let i = 0; i < 6; i++)
    for (let j = 0; j < 6; j++) {
      const change = factor * item(p, i) * item(p, j) - (item(hy, i) * item(p, j) + item(p, i) * item(hy, j)) / sy;
      put(H, 6 * i + j, item(H, 6 * i + j) + change);
    }
}

@inline function steepness(energy: f64): f64 { return energy == 0.0 ? 0.0 : sqrt(dot(g, g)) * reach / abs(energy); }

/** Bits of the axes along which the centre stays. */
let held: i32 = 0;

/** Energy, and its gradient along what may change. */
function energyAt(pose: usize): f64 {
  const energy = energyOf(pose);
  for (let axis = 0; axis < 3; axis++) if (held >> axis & 1) put(gradient, axis, 0.0);
  return energy;
}

/** Moves `pose` to a minimum, its centre not along the axes of `still`; returns its energy. */
export function descend(pose: usize, corners: bool, still: i32 = 0): f64 {
  held = still;
  let energy = energyAt(pose), fresh = true;
  evaluations = 1;
  memory.copy(g, gradient, 48);
  while (evaluations < MOST) {
    slope = steepness(energy);
    if (slope <= 1e-11) return energy;
    if (fresh) reset(0.05 * reach / sqrt(dot(g, g)));
    let falling = direct();
    if (!(falling < 0.0)) { if (fresh) break; fresh = true; continue; }
    let t = 1.0, next = 0.0, taken = false;
    for (let i = 0; i < 14; i++, t *= 0.3) {
      move(pose, p, t, trial);
      next = energyAt(trial);
      evaluations++;
      if (next <= energy + 1e-4 * t * falling + 1e-15 * abs(energy)) { taken = true; break; }
    }
    if (!taken) { if (fresh) break; fresh = true; continue; }
    update(t, fresh);
    fresh = false;
    memory.copy(pose, trial, 56);
    memory.copy(g, gradient, 48);
    energy = next;
  }
  slope = steepness(energy);
  return corners && slope > 1e-6 ? searchAround(pose, energy) : energy;
}

/** Steps along each of the six lengths, halved when none leads down (Hooke & Jeeves, J. ACM 8 (1961) 212). */
function searchAround(pose: usize, from: f64): f64 {
  let energy = from, step = 0.01 * reach;
  while (step > 1e-7 * reach && evaluations < 3 * MOST) {
    let better = false;
    for (let k = 0; k < 12; k++) {
      if (k < 6 && held >> (k >> 1) & 1) continue;
      memory.fill(p, 0, 48);
      put(p, k >> 1, k & 1 ? -step : step);
      move(pose, p, 1.0, trial);
      const next = energyAt(trial);
      evaluations++;
      if (next < energy - 1e-13 * abs(energy)) { energy = next; memory.copy(pose, trial, 56); better = true; }
    }
    if (!better) step *= 0.5;
  }
  energy = energyAt(pose);
  memory.copy(g, gradient, 48);
  slope = steepness(energy);
  return energy;
}
