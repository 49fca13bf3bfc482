// What Newton's method of `grid` works on: two unknowns of each bus, its type now and whether its reactive power is held
// at a limit; all of it in the state of the run.

import { buses } from "./network";

let unknowns: usize = 0, types: usize = 0, flags: usize = 0, residuals: usize = 0;

/** Bytes of the state, and of the residuals, which are scratch. */
@inline export function stateOfBuses(): usize { return <usize>buses() << 5; }
export function layUnknowns(state: usize, scratch: usize): void {
  unknowns = state;
  types = state + (<usize>buses() << 4);
  flags = types + (<usize>buses() << 3);
  residuals = scratch;
}

@inline export function unknownsAt(): usize { return unknowns; }
@inline export function residualsAt(): usize { return residuals; }
@inline export function first(i: i32): f64 { return load<f64>(unknowns + (<usize>i << 4)); }
@inline export function second(i: i32): f64 { return load<f64>(unknowns + (<usize>i << 4), 8); }
@inline export function setUnknowns(i: i32, a: f64, b: f64): void {
  store<f64>(unknowns + (<usize>i << 4), a);
  store<f64>(unknowns + (<usize>i << 4), b, 8);
}
@inline export function typeNow(i: i32): i32 { return <i32>load<f64>(types + (<usize>i << 3)); }
@inline export function setType(i: i32, type: i32): void { store<f64>(types + (<usize>i << 3), <f64>type); }
/** −1 at the least, 1 at the most reactive power, 0 at neither. */
@inline export function flagOf(i: i32): f64 { return load<f64>(flags + (<usize>i << 3)); }
@inline export function setFlag(i: i32, flag: f64): void { store<f64>(flags + (<usize>i << 3), flag); }
@inline export function setResidual(i: i32, a: f64, b: f64): void {
  store<f64>(residuals + (<usize>i << 4), a);
  store<f64>(residuals + (<usize>i << 4), b, 8);
}

export namespace Type {
  export const PQ: i32 = 1;
  export const PV: i32 = 2;
  export const SLACK: i32 = 3;
  export const ISOLATED: i32 = 4;
}
