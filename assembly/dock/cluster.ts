// Energy of a cluster in reduced units and its descent, for the kernel `dock-cluster`.
//
//   lj      4 (r⁻¹² − r⁻⁶)                 morse   e^(ρ(1 − r)) (e^(ρ(1 − r)) − 2)
//
// Descent by L-BFGS (Liu & Nocedal, Math. Program. 45 (1989) 503) with eight pairs, a backtracking line search and
// steps of at most 0.4 of a bond for each atom.

import { allocate } from "../kernel/frame";

const PAIRS: i32 = 8;
const MOST: i32 = 600;

let morse: bool = false, rho: f64 = 0, atoms: i32 = 0, length: i32 = 0;
let g: usize = 0, p: usize = 0, trial: usize = 0, steps: usize = 0, changes: usize = 0;
const weights = memory.data(64, 16), products = memory.data(64, 16);

/** Energy of each atom, by pairs; gradient, three f64 for each. */
export let shares: usize = 0;
export let gradient: usize = 0;
export let evaluations: i32 = 0;
/** Largest |∂E/∂x| over |E|. */
export let slope: f64 = 0;

@inline function item(at: usize, i: i32): f64 { return load<f64>(at + (<usize>i << 3)); }
@inline function put(at: usize, i: i32, value: f64): void { store<f64>(at + (<usize>i << 3), value); }

export function layOutCluster(potential: i32, range: f64, n: i32): void {
  morse = potential == 1;
  rho = range;
  atoms = n;
  length = 3 * n;
  const bytes = <usize>length << 3;
  shares = allocate(<usize>n << 3);
  gradient = allocate(bytes); g = allocate(bytes); p = allocate(bytes); trial = allocate(bytes);
  steps = allocate(bytes * PAIRS);
  changes = allocate(bytes * PAIRS);
}

export function clusterEnergy(x: usize): f64 {
  memory.fill(gradient, 0, <usize>length << 3);
  memory.fill(shares, 0, <usize>atoms << 3);
  let total = 0.0;
  for (let i = 0; i < atoms; i++) {
    const ax = item(x, 3 * i), ay = item(x, 3 * i + 1), az = item(x, 3 * i + 2);
    let fx = 0.0, fy = 0.0, fz = 0.0, own = 0.0;
    for (let j = i + 1; j < atoms; j++) {
      const at = x + <usize>j * 24, dx = ax - load<f64>(at), dy = ay - load<f64>(at, 8), dz = az - load<f64>(at, 16);
      const square = dx * dx + dy * dy + dz * dz;
      let value = 0.0, force = 0.0;
      if (morse) {
        const r = sqrt(square), e = Math.exp(min(300.0, rho * (1.0 - r)));
        value = e * (e - 2.0);
        force = -2.0 * rho * e * (e - 1.0) / r;
      } else {
        const inverse = 1.0 / square, six = inverse * inverse * inverse;
        value = 4.0 * six * (six - 1.0);
        force = -24.0 * six * (2.0 * six - 1.0) * inverse;
      }
      own += value;
      put(shares, j, item(shares, j) + value);
      fx += force * dx; fy += force * dy; fz += force * dz;
      const to = gradient + <usize>j * 24;
      store<f64>(to, load<f64>(to) - force * dx);
      store<f64>(to, load<f64>(to, 8) - force * dy, 8);
      store<f64>(to, load<f64>(to, 16) - force * dz, 16);
    }
    put(shares, i, item(shares, i) + own);
    total += own;
    put(gradient, 3 * i, item(gradient, 3 * i) + fx);
    put(gradient, 3 * i + 1, item(gradient, 3 * i + 1) + fy);
    put(gradient, 3 * i + 2, item(gradient, 3 * i + 2) + fz);
  }
  return total;
}

function dot(a: usize, b: usize): f64 {
  let sum = 0.0;
  for (let i = 0; i < length; i++) sum += item(a, i) * item(b, i);
  return sum;
}

function addScaled(y: usize, c: f64, x: usize): void {
  for (let i = 0; i < length; i++) put(y, i, item(y, i) + c * item(x, i));
}

function largest(a: usize): f64 {
  let most = 0.0;
  for (let i = 0; i < length; i++) most = max(most, abs(item(a, i)));
  return most;
}

/** p = −H g by the two loops over the last `count` pairs, the newest in slot `newest`. */
function direct(count: i32, newest: i32): void {
  const bytes = <usize>length << 3;
  memory.copy(p, g, bytes);
  for (let k = 0; k < count; k++) {
    const slot = (newest - k + PAIRS) % PAIRS, s = steps + <usize>slot * bytes, y = changes + <usize>slot * bytes;
    put(weights, slot, dot(s, p) / item(products, slot));
    addScaled(p, -item(weights, slot), y);
  }
  let scale = 0.02 / (1e-300 + largest(g));
  if (count > 0) {
    const y = changes + <usize>newest * bytes;
    scale = item(products, newest) / dot(y, y);
  }
  for (let i = 0; i < length; i++) put(p, i, item(p, i) * scale);
  for (let k = count - 1; k >= 0; k--) {
    const slot = (newest - k + PAIRS) % PAIRS, s = steps + <usize>slot * bytes, y = changes + <usize>slot * bytes;
    addScaled(p, item(weights, slot) - dot(y, p) / item(products, slot), s);
  }
  const most = largest(p), factor = most > 0.4 ? -0.4 / most : -1.0;
  for (let i = 0; i < length; i++) put(p, i, item(p, i) * factor);
}

/** Moves `x` to a minimum; returns its energy. `sharp`: how small the slope may become. */
export function descend(x: usize, sharp: f64): f64 {
  const bytes = <usize>length << 3;
  let energy = clusterEnergy(x), count = 0, newest = 0;
  evaluations = 1;
  memory.copy(g, gradient, bytes);
  while (evaluations < MOST) {
    slope = largest(g) / abs(energy);
    if (slope <= sharp) return energy;
    direct(count, newest);
    const falling = dot(p, g);
    if (!(falling < 0.0)) { if (count == 0) break; count = 0; continue; }
    let t = 1.0, next = 0.0, taken = false;
    for (let i = 0; i < 14; i++, t *= 0.3) {
      memory.copy(trial, x, bytes);
      addScaled(trial, t, p);
      next = clusterEnergy(trial);
      evaluations++;
      if (next <= energy + 1e-4 * t * falling + 1e-15 * abs(energy)) { taken = true; break; }
    }
    if (!taken) { if (count == 0) break; count = 0; continue; }
    const slot = count == 0 ? 0 : (newest + 1) % PAIRS, s = steps + <usize>slot * bytes, y = changes + <usize>slot * bytes;
    for (let i = 0; i < length; i++) { put(s, i, t * item(p, i)); put(y, i, item(gradient, i) - item(g, i)); }
    const product = dot(s, y);
    if (product > 1e-12 * sqrt(dot(s, s) * dot(y, y))) {
      put(products, slot, product);
      newest = slot;
      count = min(PAIRS, count + 1);
    }
    memory.copy(x, trial, bytes);
    memory.copy(g, gradient, bytes);
    energy = next;
  }
  slope = largest(g) / abs(energy);
  return energy;
}
