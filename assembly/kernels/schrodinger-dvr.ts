// The same levels by the discrete variable representation of sines, whose error falls exponentially where V is smooth:
// ψ = 0 at both ends, T_ij = (−1)^{i−j} π²/4 [1/sin²(π(i−j)/2N) − 1/sin²(π(i+j)/2N)], T_ii = π²/4 [(2N² + 1)/3 −
// 1/sin²(πi/N)] (D. T. Colbert, W. H. Miller, J. Chem. Phys. 96 (1992) 1982, eq. A6), V diagonal. Householder's
// reduction and bisection by Sturm's count (assembly/linear/tridiagonal.ts).
//
// Of −Z/r the sum over the nodes lacks −Z/12 h² ψ′(0)² of the integral (Euler and Maclaurin), which the first node gets.
//
// Parameters: assembly/quantum/problem.ts
// State body (f64): 0, 8, 16 levels n, n + 1, n − 1 (or 0), in ε · 24 N − 1 diagonal · squares beside it · the matrix
// Result (f64): 0, 8, 16 the three levels [J]
//
// Steps: a column of the reduction each, then the three levels: N.

import {
  allocate, countStep, finish, openResult, openState, parameterF64, restoreState, running, show, spend, stepsDone,
  watchFinite, work,
} from "../kernel/frame";
import { bisected, reduceColumn } from "../linear/tridiagonal";
import { kineticEntry } from "../quantum/sines";
import { chargeAtCentre } from "../quantum/centre";
import { orbital, readProblem, scaledAt, unitEnergy, WALL } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const HALVINGS: i32 = 64;

let body: usize = 0, d: usize = 0, squares: usize = 0, a: usize = 0, v: usize = 0, w: usize = 0;
let intervals: i32 = 0, n: i32 = 0;

function prepare(): void {
  readProblem();
  intervals = <i32>parameterF64(152);
  n = intervals - 1;
  const line = <usize>n << 3;
  body = openState(24 + 2 * line + <usize>n * line);
  d = body + 24;
  squares = d + line;
  a = squares + line;
  watchFinite(body, 3 + 2 * n + n * n);
  v = allocate(line);
  w = allocate(line);
}

export function start(_budget: i32): i32 {
  prepare();
  const h = 1.0 / <f64>intervals;
  let floor = Infinity;
  for (let i = 0; i < n; i++) {
    const here = scaledAt(<f64>(i + 1) * h, h);
    store<f64>(v + (<usize>i << 3), here);
    floor = min(floor, here);
  }
  const wall = floor + WALL * <f64>intervals * <f64>intervals;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const entry = a + ((<usize>i * <usize>n + <usize>j) << 3);
      store<f64>(entry, kineticEntry(intervals, i + 1, j + 1));
      if (i == j) store<f64>(entry, load<f64>(entry) + min(wall, load<f64>(v + (<usize>i << 3))));
    }
  }
  if (orbital == 0.0) store<f64>(a, load<f64>(a) - chargeAtCentre(scaledAt(h, h), scaledAt(2.0 * h, h), scaledAt(3.0 * h, h), h) / (12.0 * h));
  return 1;
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

/** At most `allowed` steps and about `budget` work units; says how many steps it took. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget;
  let taken = 0;
  while (taken < allowed && running() && work() < end) {
    const k = <i32>stepsDone(), rest = <u64>(n - k);
    if (k < n) reduceColumn(a, n, k, d, squares, v, w); else conclude();
    spend(k < n ? 2 * rest * rest + 100 : <u64>n * 1500);
    countStep();
    taken++;
  }
  show(0, <f64>stepsDone());
  return taken;
}

/** Levels from between the ends of Gershgorin's discs. */
function conclude(): void {
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < n; i++) {
    const at = <usize>i << 3;
    const radius = (i > 0 ? sqrt(load<f64>(squares + at - 8)) : 0.0) + (i < n - 1 ? sqrt(load<f64>(squares + at)) : 0.0);
    low = min(low, load<f64>(d + at) - radius);
    high = max(high, load<f64>(d + at) + radius);
  }
  const level = <i32>parameterF64(144), out = openResult(24);
  for (let i = 0; i < 3; i++) {
    const index = i == 0 ? level : i == 1 ? level + 1 : max(0, level - 1);
    store<f64>(out + (<usize>i << 3), bisected(d, squares, n, index, low, high, HALVINGS) * unitEnergy);
  }
  memory.copy(body, out, 24);
  finish();
}
