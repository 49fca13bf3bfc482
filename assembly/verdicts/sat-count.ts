// Verdict of a count: up to 24 variables every assignment is tried, 64 of them at once as the bits of a word; with more
// the search has been done a second time in another order of the variables, and must have found as many.
//
// Parameters: f64: 0 n · 8 clauses M · 16 words of them · 24 1: try all · then i32: the clauses, size and literals each,
//   padded to 8 bytes · results of one run or two (16 bytes each)
// Extras (f64): 0 conflicts and leaves
//
// Gates: 2 models

import { countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const CLAUSES: usize = 32;
/** Variables 0 … 5 in the 64 assignments of a word. */
const PATTERNS: StaticArray<u64> = [
  0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
];

let n: i32 = 0, M: i32 = 0;

export function start(_budget: i32): i32 { openState(0); return 1; }
export function restore(length: i32): usize { openState(0); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

export function advance(_steps: i32, _budget: i32): i32 {
  n = <i32>parameterF64(0);
  M = <i32>parameterF64(8);
  const words = <usize>parameterF64(16), results = parameters() + CLAUSES + (((words << 2) + 7) & ~(<usize>7));
  const found = load<f64>(results), isTried = parameterF64(24) == 1.0;
  const reference = isTried ? <f64>tryAll() : load<f64>(results, 16);
  openVerdict(1, 1);
  gate(2, isTried ? Kind.EXACT : Kind.CERTIFICATE, found, reference, abs(found - reference), 0.0);
  store<f64>(extras(), load<f64>(results, 8));
  spend(1000 + (isTried ? <u64>blocks() * (<u64>words + 10) : 0));
  countStep();
  closeVerdict(found);
  return 1;
}

@inline function blocks(): i32 { return n > 6 ? 1 << (n - 6) : 1; }

function tryAll(): u64 {
  const inUse: u64 = n >= 6 ? ~(<u64>0) : ((<u64>1 << (<u64>1 << n)) - 1);
  let models: u64 = 0;
  for (let block = 0; block < blocks(); block++) {
    let word = inUse, at = parameters() + CLAUSES;
    for (let c = 0; c < M && word != 0; c++) {
      const size = load<i32>(at);
      let clause: u64 = 0;
      for (let i = 1; i <= size; i++) clause |= valuesOf(load<i32>(at + (<usize>i << 2)), block);
      word &= clause;
      at += <usize>(size + 1) << 2;
    }
    models += popcnt<u64>(word);
  }
  return models;
}

/** A literal in the 64 assignments of a block: its number has the bits of the variables from the seventh on. */
@inline function valuesOf(literal: i32, block: i32): u64 {
  const v = abs(literal) - 1;
  const isTrue: u64 = v < 6 ? unchecked(PATTERNS[v]) : (block >> (v - 6)) & 1 ? ~(<u64>0) : 0;
  return literal > 0 ? isTrue : ~isTrue;
}
