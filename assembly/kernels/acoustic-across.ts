// Modes of one axis across a box that is driven (assembly/acoustics/across.ts), for assembly/kernels/acoustic-box.ts.
//
// Parameters: assembly/acoustics/box.ts
// State body: none; a run is one step.
// Result: the table of the axis (assembly/acoustics/across.ts)
//
// DID_NOT_CONVERGE where modes meet, so that they are no longer whole.

import { countStep, fail, finish, openResult, openState, restoreState, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { modesAcross, openAcross, tableBytes } from "../acoustics/across";
import { acrossAxis, angularFrequency, modesOf, nodesOf, openBox } from "../acoustics/box";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const UNITS: u64 = 20;
const ONCE: u64 = 100000;

function prepare(): void {
  openState(0);
  openBox();
  openAcross(nodesOf(acrossAxis()));
}

export function start(_budget: i32): i32 { prepare(); return 1; }
export function restore(length: i32): usize { prepare(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

export function advance(_steps: i32, _budget: i32): i32 {
  const axis = acrossAxis(), n = nodesOf(axis);
  if (modesAcross(axis, angularFrequency(), openResult(<i32>tableBytes(n, modesOf(axis))))) finish();
  else fail(Status.DID_NOT_CONVERGE);
  spend(<u64>n * <u64>n * <u64>n * UNITS + ONCE);
  countStep();
  return 1;
}
