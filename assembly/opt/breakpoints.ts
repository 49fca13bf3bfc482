// The ratios at which reduced costs come to 0 along a dual step, the least first (a heap, Williams, Commun. ACM 7 (1964) 347).

import { allocate } from "../kernel/frame";
import { intAt, ints, putInt } from "./places";
import { at, put } from "./program";

let ratios: usize = 0, variables: usize = 0, count: i32 = 0;

export function openBreakpoints(most: i32): void {
  ratios = allocate(<usize>most << 3);
  variables = ints(most);
}

export function clearBreakpoints(): void { count = 0; }
export function addBreakpoint(ratio: f64, variable: i32): void {
  put(ratios, count, ratio);
  putInt(variables, count++, variable);
}

@inline export function breakpointsLeft(): i32 { return count; }
@inline export function nextRatio(): f64 { return at(ratios, 0); }

/** Behind the last one that is added, before the first is taken. */
export function orderBreakpoints(): void { for (let k = (count >> 1) - 1; k >= 0; k--) sink(k); }

/** The variable of the least ratio; of equal ones any, and always the same. */
export function takeBreakpoint(): i32 {
  const first = intAt(variables, 0);
  count--;
  put(ratios, 0, at(ratios, count));
  putInt(variables, 0, intAt(variables, count));
  sink(0);
  return first;
}

function sink(from: i32): void {
  const ratio = at(ratios, from), variable = intAt(variables, from);
  let k = from;
  for (let child = 2 * k + 1; child < count; child = 2 * k + 1) {
    if (child + 1 < count && at(ratios, child + 1) < at(ratios, child)) child++;
    if (!(at(ratios, child) < ratio)) break;
    put(ratios, k, at(ratios, child));
    putInt(variables, k, intAt(variables, child));
    k = child;
  }
  put(ratios, k, ratio);
  putInt(variables, k, variable);
}
