// What rounding takes from the rates of a system and from its quantity: how wide they are where every value is a point of
// the motion (../expression/interval). Both evaluators of a formula are in double and lose the same digits, so that no
// other gate sees them go.

import { allocate } from "../kernel/frame";
import { magnitude } from "../expression/interval";
import { POINTS, apart, lostOf } from "../expression/resolved";
import { programCount } from "../expression/program";
import { seriesOf, seriesWork, setBetween, standApart } from "../expression/taylor";
import { sensitivityUntil } from "./sensitivity";
import { components, knotAt, knots, timeOfKnot, valueOnTrack } from "./track";

/** By what the variational equation makes of it, over the run in so many parts, in each of which one point is taken. */
export function lostInRates(begin: f64, end: f64): f64 {
  const n = components, most = allocate(<usize>n << 3), part = (end - begin) / <f64>POINTS;
  standApart();
  memory.fill(most, 0, <usize>n << 3);
  for (let k = 0; k < POINTS; k++) {
    setOnTrack(begin + part * (<f64>k + apart(k, 0)));
    for (let i = 0; i < n; i++) {
      const size = magnitude(seriesOf(i, 2)), to = most + (<usize>i << 3);
      if (size > load<f64>(to) && size < Infinity) store<f64>(to, size);
    }
  }
  let sum = 0.0;
  for (let k = 0; k < POINTS; k++) {
    const from = begin + part * <f64>k;
    setOnTrack(from + part * apart(k, 0));
    for (let i = 0; i < n; i++) {
      const lost = lostOf(seriesOf(i, 2), load<f64>(most + (<usize>i << 3)));
      if (lost > 0.0) sum += lost * (sensitivityUntil(i, from + part) - sensitivityUntil(i, from));
    }
  }
  return sum;
}

function setOnTrack(t: f64): void {
  for (let i = 0; i < components; i++) {
    const x = valueOnTrack(t, i);
    setBetween(i, x, x);
  }
  setBetween(components, t, t);
}

/** Of so many samples one. */
const APART: i32 = 4;

/** The most that it takes from program `quantity` at samples. */
export function lostAtSamples(quantity: i32): f64 {
  let most = 0.0;
  for (let k = 0; k < knots; k += APART) most = max(most, lostInQuantity(quantity, knotAt(k), timeOfKnot(k)));
  return most;
}

/** Work units: each rate at every point twice, and every other program at samples and the end. */
export function roundingWork(): u64 {
  let units: u64 = 0;
  for (let j = 0; j < programCount(); j++) units += <u64>(j < components ? 2 * POINTS : POINTS + 2) * seriesWork(j);
  return units;
}

/** Of program `quantity`, where components are those at `state`. */
export function lostInQuantity(quantity: i32, state: usize, t: f64): f64 {
  standApart();
  for (let i = 0; i < components; i++) {
    const x = load<f64>(state + (<usize>i << 3));
    setBetween(i, x, x);
  }
  setBetween(components, t, t);
  return lostOf(seriesOf(quantity, 2), 0.0);
}
