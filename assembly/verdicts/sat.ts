// Verdict of a decision: a certificate, without any tolerance. Satisfiable: the model makes every clause true. Not: the
// cubes are all sign patterns of their variables, and for each of them the proof that formula and cube contradict each
// other is accepted by a checker of its own (assembly/sat/lrat.ts).
//
// Parameters: f64: 0 n · 8 clauses M · 16 words of them · 24 variables of the cubes k · 32 1: satisfiable, 0 not, 2 a budget was spent ·
//   40 proofs · 48 greatest id · 56 conflicts of all runs · 64 1: a proof filled its room · then i32: the clauses as the caller gave them, size and literals each · k variables,
//   both padded to 8 bytes together · satisfiable: n bytes of the model, padded · not: the length of each proof in
//   bytes (f64), then the proofs
// Extras (f64): 0 bytes of the proofs · 8 SHA-256 of them, eight words · 72 n literals that are true (satisfiable)
//
// Gates: 0 model: clauses that are false · 1 proof: cubes without an accepted one

import {
  allocate, countStep, fail, openState, parameterF64, parameters, restoreState, show, spend,
} from "../kernel/frame";
import { Status } from "../kernel/status";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";
import { sha256 } from "../math/sha256";
import { forgetAll, give, isProof, openChecker, visited } from "../sat/lrat";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const CLAUSES: usize = 72;
const SCALARS: i32 = 9;

let n: i32 = 0, M: i32 = 0, k: i32 = 0;
let cubes: usize = 0, behind: usize = 0, units: usize = 0, digest: usize = 0;

export function start(_budget: i32): i32 { layOut(); return 1; }
export function restore(length: i32): usize { layOut(); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

function layOut(): void {
  openState(0);
  n = <i32>parameterF64(0);
  M = <i32>parameterF64(8);
  k = <i32>parameterF64(24);
  cubes = parameters() + CLAUSES + (<usize>parameterF64(16) << 2);
  behind = (cubes + (<usize>k << 2) - parameters() + 7) & ~(<usize>7);
  behind += parameters();
  units = allocate(8 * <usize>(k + 1));
  digest = allocate(32);
  if (parameterF64(32) == 0.0) openChecker(n, <i32>parameterF64(48));
}

export function advance(_steps: i32, _budget: i32): i32 {
  const isSatisfiable = parameterF64(32) == 1.0;
  if (parameterF64(32) == 2.0) {
    show(0, parameterF64(56));
    show(1, parameterF64(64));
    spend(1000);
    countStep();
    fail(Status.DID_NOT_CONVERGE);
    return 1;
  }
  openVerdict(1, SCALARS + (isSatisfiable ? n : 0));
  if (isSatisfiable) judgeModel(); else judgeProofs();
  // An instance that checked a proof before still holds what it visited then.
  spend(1000 + (isSatisfiable ? 0 : 10 * visited) + 5 * <u64>parameterF64(16) + 10 * <u64>n);
  countStep();
  closeVerdict(isSatisfiable ? 1.0 : 0.0);
  return 1;
}

function judgeModel(): void {
  let at = parameters() + CLAUSES, wrong = 0;
  for (let c = 0; c < M; c++) {
    const size = load<i32>(at);
    let isTrue = false;
    for (let i = 1; i <= size; i++) {
      const literal = load<i32>(at + (<usize>i << 2)), value = load<u8>(behind + <usize>(abs(literal) - 1));
      if ((value == 1) == (literal > 0)) isTrue = true;
    }
    if (!isTrue) wrong++;
    at += <usize>(size + 1) << 2;
  }
  gate(0, Kind.CERTIFICATE, <f64>(M - wrong), <f64>M, <f64>wrong, 0.0);
  for (let v = 0; v < n; v++) {
    store<f64>(extras() + 8 * <usize>(SCALARS + v), load<u8>(behind + <usize>v) == 1 ? <f64>(v + 1) : <f64>(-v - 1));
  }
}

function judgeProofs(): void {
  const count = <i32>parameterF64(40);
  let at = behind + 8 * <usize>count, accepted = 0;
  const first = at;
  for (let cube = 0; cube < count; cube++) {
    const end = at + <usize>load<f64>(behind + 8 * <usize>cube);
    giveFormula(cube);
    if (isProof(at, end)) accepted++;
    at = end;
  }
  // All sign patterns of k different variables: 2^k of them, no more and no less.
  const wanted = isCover() ? 1 << k : -1;
  gate(1, Kind.CERTIFICATE, <f64>accepted, <f64>wanted, <f64>abs(wanted - accepted), 0.0);
  sha256(first, <i32>(at - first), digest);
  store<f64>(extras(), <f64>(at - first));
  for (let i: usize = 0; i < 8; i++) store<f64>(extras() + 8 + 8 * i, <f64>bswap<u32>(load<u32>(digest + 4 * i)));
  spend(5 * <u64>(at - first));
}

function isCover(): bool {
  for (let i = 0; i < k; i++) {
    const v = load<i32>(cubes + (<usize>i << 2));
    if (v < 1 || v > n) return false;
    for (let j = 0; j < i; j++) if (load<i32>(cubes + (<usize>j << 2)) == v) return false;
  }
  return true;
}

/** The caller's clauses, then those of the cube: variable i is true where bit i of its number is 0. */
function giveFormula(cube: i32): void {
  forgetAll();
  let at = parameters() + CLAUSES;
  for (let id = 1; id <= M; id++) {
    give(id, at);
    at += <usize>(load<i32>(at) + 1) << 2;
  }
  for (let i = 0; i < k; i++) {
    const v = load<i32>(cubes + (<usize>i << 2)), unit = units + 8 * <usize>i;
    store<i32>(unit, 1);
    store<i32>(unit, (cube >> i) & 1 ? -v : v, 4);
    give(M + 1 + i, unit);
  }
}
