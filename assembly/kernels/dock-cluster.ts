// Lowest energy of a cluster by basin hopping (Wales & Doye, J. Phys. Chem. A 101 (1997) 5111): from the lowest of its
// starts, a hop moves every atom by up to 0.4 of a bond, or lets the loosest atom fall on the cluster from another
// side; the minimum below is taken if it is lower, or by Metropolis at temperature 0.8.
//
// Parameters (f64): 0 potential: 0 lj, 1 morse · 8 ρ · 16 atoms N · 24, 32 seed · 40 starts S (0: one at random) · 48 hops
//   56 energies to spend: later hops fall away · 64 S times 3N coordinates
// State body (f64): 0 energy here · 8 lowest · 16 slope there · 24 of each start and hop the energy · 3N here · 3N lowest
// Result: the same without the first number.

import { clusterEnergy, descend, evaluations, layOutCluster, shares, slope } from "../dock/cluster";
import {
  allocate, countStep, finish, openResult, openState, parameterF64, parameters, parameterU64, restoreState, running, show,
  spend, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { philox, Purpose, uniform } from "../math/philox";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HOP: f64 = 0.4, TEMPERATURE: f64 = 0.8;
/** Slopes at which a hop, and the lowest minimum, are left. */
const ROUGH: f64 = 1e-8, SHARP: f64 = 1e-12;

let body: usize = 0, here: usize = 0, lowest: usize = 0, moved: usize = 0, words: usize = 0;
let atoms: i32 = 0, starts: i32 = 0, hops: i32 = 0, bytes: usize = 0, bodyBytes: usize = 0, units: u64 = 0, most: u64 = 0;

function prepare(): void {
  atoms = <i32>parameterF64(16);
  starts = <i32>parameterF64(40);
  hops = <i32>parameterF64(48);
  bytes = <usize>(3 * atoms) << 3;
  const first = max(1, starts);
  bodyBytes = 24 + (<usize>(first + hops) << 3) + 2 * bytes;
  body = openState(bodyBytes);
  here = body + 24 + (<usize>(first + hops) << 3);
  lowest = here + bytes;
  moved = allocate(bytes);
  words = allocate(16);
  watchFinite(body, <i32>(bodyBytes >> 3));
  layOutCluster(<i32>parameterF64(0), parameterF64(8), atoms);
  const pairs = <u64>atoms * <u64>(atoms - 1) / 2;
  units = pairs * (parameterF64(0) == 0.0 ? 10 : 34) + 120 * <u64>atoms + 100;
  most = <u64>parameterF64(56) * units;
}

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

/** Uniforms of a counter: four of them, at `words`. */
function draw(hop: i32, atom: i32): void {
  const seed = parameterU64(24), low = <u32>seed, high = <u32>(seed >> 32);
  const raw = words;
  for (let half = 0; half < 2; half++) {
    philox(half, hop, atom, Purpose.PATHS, low, high, raw);
    const a = uniform(load<u32>(raw), load<u32>(raw, 4)), b = uniform(load<u32>(raw, 8), load<u32>(raw, 12));
    store<f64>(numbers + (<usize>half << 4), a);
    store<f64>(numbers + (<usize>half << 4), b, 8);
  }
}
const numbers = memory.data(32, 16);
@inline function number(i: i32): f64 { return load<f64>(numbers + (<usize>i << 3)); }

/** Atoms at random in a cube with the room of a cluster. */
function scatter(): void {
  const edge = 1.2 * Math.cbrt(<f64>atoms);
  for (let i = 0; i < atoms; i++) {
    draw(0, i);
    for (let axis = 0; axis < 3; axis++)
      store<f64>(moved + <usize>(3 * i + axis) * 8, edge * (number(axis) - 0.5));
  }
}

function shake(hop: i32): void {
  for (let i = 0; i < atoms; i++) {
    draw(hop, i);
    for (let axis = 0; axis < 3; axis++) {
      const at = <usize>(3 * i + axis) * 8;
      store<f64>(moved + at, load<f64>(here + at) + HOP * (2.0 * number(axis) - 1.0));
    }
  }
}

/** Puts the atom with the highest energy on another side, outside of all others. */
function relocate(hop: i32): void {
  memory.copy(moved, here, bytes);
  clusterEnergy(here);
  let loose = 0, x = 0.0, y = 0.0, z = 0.0;
  for (let i = 0; i < atoms; i++) {
    if (load<f64>(shares + (<usize>i << 3)) > load<f64>(shares + (<usize>loose << 3))) loose = i;
    x += load<f64>(here + <usize>i * 24); y += load<f64>(here + <usize>i * 24, 8); z += load<f64>(here + <usize>i * 24, 16);
  }
  x /= <f64>atoms; y /= <f64>atoms; z /= <f64>atoms;
  let radius = 0.0;
  for (let i = 0; i < atoms; i++) {
    const at = here + <usize>i * 24, a = load<f64>(at) - x, b = load<f64>(at, 8) - y, c = load<f64>(at, 16) - z;
    if (i != loose) radius = max(radius, sqrt(a * a + b * b + c * c));
  }
  draw(hop, 0);
  const turn = 6.283185307179586 * number(0), height = 2.0 * number(1) - 1.0, flat = sqrt(1.0 - height * height);
  const at = moved + <usize>loose * 24, reach = radius + 0.7;
  store<f64>(at, x + reach * flat * NativeMath.cos(turn));
  store<f64>(at, y + reach * flat * NativeMath.sin(turn), 8);
  store<f64>(at, z + reach * height, 16);
}

/** The minimum below `moved` becomes where we are, if it is taken. */
function settle(step: i32, starting: bool): void {
  let energy = descend(moved, ROUGH), spent = evaluations;
  const before = load<f64>(body), first = step == 0;
  draw(step, atoms);
  const taken = first || energy < before
    || (!starting && number(3) < Math.exp((before - energy) / TEMPERATURE));
  if (first || energy < load<f64>(body, 8) - 1e-9) {
    memory.copy(lowest, moved, bytes);
    energy = descend(lowest, SHARP);
    spent += evaluations;
    store<f64>(body, energy, 8);
    store<f64>(body, slope, 16);
  }
  if (taken) { store<f64>(body, energy); memory.copy(here, moved, bytes); }
  store<f64>(body + 24 + (<usize>step << 3), energy);
  spend(<u64>spent * units);
}

/** A step is a start or a hop; with nothing left to spend it is neither. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, first = max(1, starts);
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const step = <i32>stepsDone();
    if (step >= first && work() >= most) store<f64>(body + 24 + (<usize>step << 3), load<f64>(body));
    else hop(step, first);
    countStep();
    taken++;
    if (step + 1 == first + hops) conclude();
  }
  show(0, load<f64>(body, 8));
  return taken;
}

function hop(step: i32, first: i32): void {
  if (step < starts) memory.copy(moved, parameters() + 64 + <usize>step * bytes, bytes);
  else if (step < first) scatter();
  else if (step % 4 == 3 && atoms > 3) relocate(step);
  else shake(step);
  settle(step, step < first);
}

function conclude(): void {
  memory.copy(openResult(<i32>bodyBytes - 8), body + 8, bodyBytes - 8);
  finish();
}
