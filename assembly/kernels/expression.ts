// expression: closed forms as bytecode, evaluated in double and in double-double; its own verdict.
//
// The value is the double-double one, rounded. Gates (kind estimate), for each program in turn:
//   0  evaluation   |double − double-double| / |double-double|: what cancellation or a wrong function costs
//   1  rounding     running error bound of the double-double evaluation over |value|
// Uncertainty (JCGM 100:2008, 5.1.2 and its note): u² = Σ (∂f/∂x_i σ_i)² + ½ Σ (∂²f/∂x_i∂x_j σ_i σ_j)² + (rounding)².
//
// Parameters: a block of programs (assembly/expression/program.ts). State body: a row of each (assembly/expression/row.ts).
//
// Result: a verdict of 2m gate rows with extras, for each program: value, lo, uncertainty. One step does it all.

import {
  configure, countStep, drain, drainLength, fail, observe, observeLength, openState, parameters, parametersLength,
  restoreState, result, resultLength, running, spend, state, stateLength, status, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { BOUND, closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { evaluateProgram, openPrograms, programCount, programWork } from "../expression/program";
import { evaluationError, ROW, roundingError } from "../expression/row";

export { configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work };

let rowsAt: usize = 0;

@inline function row(j: i32): usize { return rowsAt + <usize>j * ROW; }

export function start(budget: i32): i32 {
  layOut();
  return 1;
}

function layOut(): void {
  const sound = openPrograms(parameters(), parametersLength()), programs = programCount();
  rowsAt = openState(sound ? <usize>programs * ROW : 8);
  if (!sound) { fail(Status.INVALID_INPUT); return; }
  watchFinite(rowsAt, programs * 5);
  openVerdict(2 * programs, 3 * programs);
}

export function advance(steps: i32, budget: i32): i32 {
  if (steps < 1 || !running()) return 0;
  for (let j = 0; j < programCount(); j++) {
    evaluateProgram(j, row(j));
    spend(programWork(j));
  }
  countStep();
  conclude();
  return 1;
}

/** Gate rows and extras from the state. The observed values of a refusal are those of the gate that refused. */
function conclude(): void {
  for (let j = 0; j < programCount(); j++) {
    const from = row(j), value = load<f64>(from);
    gate(0, Kind.ESTIMATE, load<f64>(from, 16), value, evaluationError(from), BOUND);
    gate(1, Kind.ESTIMATE, value, value, roundingError(from), BOUND);
    const at = extras() + <usize>j * 24;
    store<f64>(at, value);
    store<f64>(at, load<f64>(from, 8), 8);
    store<f64>(at, load<f64>(from, 32), 16);
  }
  closeVerdict(load<f64>(rowsAt));
}

export function restore(length: i32): usize {
  layOut();
  return restoreState(length);
}

export function resumed(budget: i32): i32 {
  if (stepsDone() > 0) conclude();
  return 1;
}
