// |p| at the probe of a driven box (assembly/acoustics/box.ts) at frequencies from ω/2 to 3ω/2, its modes across anew at each, as α = ωρ/Z
// is another.
//
// Parameters: assembly/acoustics/box.ts
// State body (f64): 0 frequencies that are done · 8 spare · 16 |p| [Pa] at each
// Result (f64): |p| [Pa] at each
//
// A step is a frequency. DID_NOT_CONVERGE where modes meet at one.

import {
  allocate, countStep, fail, finish, openResult, openState, restoreState, running, spend, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { isDriven, modesAcross, openAcross, shareOf, tableBytes, valueOf, vectorOf } from "../acoustics/across";
import {
  angularFrequency, driveWave, frequencies, lengthOf, modesOf, nodesOf, openBox, openWave, probe, useAxis, wave,
} from "../acoustics/box";
import { valueAt } from "../acoustics/quartic";
import { im, re, times } from "../math/complex";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const UNITS: u64 = 20;
const ONCE: u64 = 100000;

let body: usize = 0, tableY: usize = 0, tableZ: usize = 0, weights: usize = 0;

function prepare(): void {
  openBox();
  openWave();
  openAcross(max(nodesOf(1), nodesOf(2)));
  body = openState(16 + (<usize>frequencies() << 3));
  watchFinite(body, 2 + frequencies());
  tableY = allocate(tableBytes(nodesOf(1), modesOf(1)));
  tableZ = allocate(tableBytes(nodesOf(2), modesOf(2)));
  weights = allocate(<usize>modesOf(2) << 4);
}

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

/** Complex values of an axis at the probe, left in `re`, `im`. */
function atProbe(axis: i32, values: usize): void {
  const u = probe(axis) / lengthOf(axis);
  useAxis(axis);
  times(valueAt(values, 16, u), valueAt(values + 8, 16, u), 1.0, 0.0);
}

/** What a mode gives to p at the probe for each unit of X: s Y. */
function weigh(axis: i32, table: usize, mode: i32): void {
  const count = modesOf(axis), s = shareOf(table, count, mode);
  atProbe(axis, vectorOf(table, nodesOf(axis), count, mode));
  times(re, im, load<f64>(s), load<f64>(s, 8));
}

/** |p| at the probe, or NaN where the modes across are not whole. */
function response(omega: f64): f64 {
  if (!modesAcross(1, omega, tableY) || !modesAcross(2, omega, tableZ)) return NaN;
  let sumRe = 0.0, sumIm = 0.0;
  for (let j = 0; j < modesOf(2); j++) {
    weigh(2, tableZ, j);
    store<f64>(weights + (<usize>j << 4), re);
    store<f64>(weights + (<usize>j << 4), im, 8);
  }
  for (let i = 0; i < modesOf(1); i++) {
    if (!isDriven(tableY, modesOf(1), i)) continue;
    weigh(1, tableY, i);
    const ownRe = re, ownIm = im, mu = valueOf(tableY, i);
    for (let j = 0; j < modesOf(2); j++) {
      if (!isDriven(tableZ, modesOf(2), j)) continue;
      const nu = valueOf(tableZ, j), t = weights + (<usize>j << 4);
      driveWave(omega, load<f64>(mu), load<f64>(mu, 8), load<f64>(nu), load<f64>(nu, 8));
      atProbe(0, wave);
      times(re, im, load<f64>(t), load<f64>(t, 8));
      times(re, im, ownRe, ownIm);
      sumRe += re;
      sumIm += im;
    }
  }
  return Math.hypot(sumRe, sumIm);
}

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, y = <u64>nodesOf(1), z = <u64>nodesOf(2);
  const pairs = <u64>modesOf(1) * <u64>modesOf(2) * <u64>nodesOf(0) * 80;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const i = <i32>load<f64>(body), share = 0.5 + <f64>i / <f64>(frequencies() - 1);
    const found = response(share * angularFrequency());
    if (found == found) store<f64>(body + 16 + (<usize>i << 3), found); else fail(Status.DID_NOT_CONVERGE);
    store<f64>(body, <f64>(i + 1));
    spend((y * y * y + z * z * z) * UNITS + pairs + ONCE);
    countStep();
    taken++;
    if (i + 1 < frequencies() || !running()) continue;
    memory.copy(openResult(frequencies() << 3), body + 16, <usize>frequencies() << 3);
    finish();
  }
  return taken;
}
