// Verdict of `schrodinger`, mode transmission: a wave beside closed forms and beside itself with three steps.
//
// Parameters (f64): those of assembly/quantum/problem.ts; then results of the runs with steps h (16 + 8 (N + 1) bytes), 2h and 4h
//   (16 bytes each, assembly/kernels/schrodinger-transmission.ts)
// Extras (f64): 0 transmission · 8 reflection · 16 N + 1 x [m] · N + 1 |ψ|² · diagnostics of |ψ|² (40)
//
// Gates: 13 closed form · 14 T + R · 1 grids

import { allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict, relativeError } from "../kernel/verdict";
import { DIAGNOSTICS, diagnosticsScratch, writeStaticProfile } from "../diagnostics/diagnostics";
import { estimateOfLevels } from "../math/richardson";
import { exactTransmission } from "../quantum/exact";
import { kind, left, problemEnd, readProblem, scaledAt, unitEnergy, width } from "../quantum/problem";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ONCE: u64 = 1500000;
const UNITS: u64 = 60;

let own: usize = 0, n: i32 = 0, scratch: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  readProblem();
  own = problemEnd();
  n = <i32>parameterF64(152);
  scratch = allocate(<usize>diagnosticsScratch(n + 1) << 3);
}

export function advance(_steps: i32, _budget: i32): i32 {
  judge();
  spend(<u64>n * UNITS + ONCE);
  countStep();
  return 1;
}

function ofRun(level: i32, offset: usize): f64 {
  return parameterF64(own + offset + (level == 0 ? 0 : 16 + (<usize>(n + 1) << 3) + <usize>(level - 1) * 16));
}

/** At least five steps in the shortest wave. */
function resolved(E: f64): bool {
  let floor = Infinity;
  for (let i = 0; i <= n; i++) floor = min(floor, scaledAt(<f64>i / <f64>n, 1.0 / <f64>n));
  const points = 2.0 * Math.PI * parameterF64(176) * <f64>n / sqrt(2.0 * (E / unitEnergy - floor));
  if (points >= 5.0) return true;
  show(0, 3.0); show(1, points); show(2, 5.0);
  fail(Status.STABILITY_LIMIT);
  return false;
}

function judge(): void {
  const E = parameterF64(192), T = ofRun(0, 0), R = ofRun(0, 8), exact = exactTransmission(kind, E);
  if (!resolved(E)) return;
  openVerdict(2 + (exact == exact ? 1 : 0), 2 + 2 * (n + 1) + DIAGNOSTICS);
  if (exact == exact) gate(13, Kind.EXACT, T, exact, relativeError(T, exact));
  gate(14, Kind.INVARIANT, T + R, 1.0, abs(T + R - 1.0));
  gate(1, Kind.ESTIMATE, T, ofRun(1, 0), estimateOfLevels(T, ofRun(1, 0), ofRun(2, 0), 4.0, T));
  const to = extras(), xs = to + 16, line = <usize>(n + 1) << 3;
  store<f64>(to, T);
  store<f64>(to, R, 8);
  for (let i = 0; i <= n; i++) store<f64>(xs + (<usize>i << 3), left + width * (<f64>i / <f64>n));
  memory.copy(xs + line, parameters() + own + 16, line);
  writeStaticProfile(xs + 2 * line, xs + line, n + 1, scratch);
  closeVerdict(T);
}
