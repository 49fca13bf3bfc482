// The bodies of a run: arrays of N f64, N rounded up to even (an extra body has mass 0, lies at 0 and never
// meets another one).
//
//   state     x y z | vx vy vz | carries of x y z | carries of vx vy vz      12 arrays of `stride` bytes
//   derived   m | G m | ax ay az
//
// Positions and velocities are advanced by compensated addition (Kahan 1965; Rein & Spiegel 2015, §3.4 for its
// use in long integrations): each carry holds what its number lost in rounding.

import { allocate } from "../kernel/frame";
import { bodyCount, gravity, massesGiven, positionsGiven, velocitiesGiven } from "./problem";

export const STATE_ARRAYS: usize = 12;

export let count: i32 = 0;
export let stride: usize = 0;
export let positionsAt: usize = 0;
export let velocitiesAt: usize = 0;
export let massesAt: usize = 0;
export let attractionsAt: usize = 0;
export let accelerationsAt: usize = 0;
/** Where the force is evaluated besides at the positions: offsets from them (x y z arrays), or 0 for none. */
export let offsetsAt: usize = 0;

/** Bytes of the state arrays for the bodies of the parameters. */
export function bodiesStateBytes(): usize { return STATE_ARRAYS * strideFor(bodyCount()); }
function strideFor(bodies: i32): usize { return <usize>((bodies + 1) & ~1) << 3; }

/** Lays the bodies out over the state at `at` and makes what derives from the parameters. */
export function layBodies(at: usize): void {
  count = bodyCount();
  stride = strideFor(count);
  positionsAt = at;
  velocitiesAt = at + 3 * stride;
  offsetsAt = 0;
  massesAt = allocate(stride);
  attractionsAt = allocate(stride);
  accelerationsAt = allocate(3 * stride);
  memory.copy(massesAt, massesGiven(), <usize>count << 3);
  for (let i: usize = 0; i < <usize>count << 3; i += 8) store<f64>(attractionsAt + i, gravity() * load<f64>(massesAt + i));
}

/** Positions and velocities from the parameters. */
export function placeBodies(): void {
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < 3; axis++) {
      const given = (<usize>(3 * i + axis)) << 3;
      const at = <usize>axis * stride + (<usize>i << 3);
      store<f64>(positionsAt + at, load<f64>(positionsGiven() + given));
      store<f64>(velocitiesAt + at, load<f64>(velocitiesGiven() + given));
    }
  }
}

/**
 * From here on the force is evaluated at positions + offsets. Differences of two bodies are taken part by part, so
 * that an offset keeps its own precision: in a close encounter far from the origin this is what keeps the noise of
 * rounding out of the force.
 */
export function evaluateWithOffsets(offsets: usize): void { offsetsAt = offsets; }

/** x ← x + τ v */
export function drift(tau: f64): void {
  addScaled(positionsAt, positionCarriesAt(), velocitiesAt, tau, 3 * stride);
}

/** v ← v + τ a */
export function kick(tau: f64): void {
  addScaled(velocitiesAt, velocityCarriesAt(), accelerationsAt, tau, 3 * stride);
}

@inline export function positionCarriesAt(): usize { return positionsAt + 6 * stride; }
@inline export function velocityCarriesAt(): usize { return velocitiesAt + 6 * stride; }

/** target ← target + τ rate, with what rounding drops kept in `carry` and put back next time. */
export function addScaled(target: usize, carry: usize, rate: usize, tau: f64, bytes: usize): void {
  const step = f64x2.splat(tau);
  for (let p: usize = 0; p < bytes; p += 16) {
    const old = v128.load(target + p);
    const addend = f64x2.sub(f64x2.mul(step, v128.load(rate + p)), v128.load(carry + p));
    const sum = f64x2.add(old, addend);
    v128.store(carry + p, f64x2.sub(f64x2.sub(sum, old), addend));
    v128.store(target + p, sum);
  }
}
