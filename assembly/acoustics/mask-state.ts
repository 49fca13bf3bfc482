// The state of a run for modes of cells between walls (assembly/kernels/acoustic-mask-wall.ts says what stands where), and what
// a step of it costs: T(κ) factored, or solved with its factors.

import { fail, spend } from "../kernel/frame";
import { Status } from "../kernel/status";
import { band, n } from "./mask";
import { wallField } from "./mask-walls";

export const FIELDS: usize = 120;
/** Numbers of a row. */
export const ROW: i32 = 5;
/** Rows beyond the list: on a finer mesh modes that lie side by side may change places. */
export const SPARE: i32 = 2;
/** Phases. */
export const RIGID: f64 = 0.0, MODES: f64 = 1.0, RIM: f64 = 2.0, PRESSURE: f64 = 3.0, DONE: f64 = 4.0;

let body: usize = 0;

export let modes: i32 = 0, edge: f64 = 0, refining: bool = false;
/** Rows of the list · x as it was and as it is · the modes between rigid walls · i32: modes in order. */
export let table: usize = 0, was: usize = 0, is: usize = 0, rigid: usize = 0, order: usize = 0;

export function placeState(at: usize, ofModes: i32, h: f64, refines: bool, places: usize): void {
  body = at;
  modes = ofModes;
  edge = h;
  refining = refines;
  order = places;
  table = body + FIELDS;
  was = table + (<usize>(modes * ROW) << 3);
  is = was + (<usize>n << 4);
  rigid = is + (<usize>n << 4);
}

@inline export function field(offset: usize): f64 { return load<f64>(body + offset); }
@inline export function setField(offset: usize, value: f64): void { store<f64>(body + offset, value); }
@inline export function mode(): i32 { return <i32>field(8); }
@inline export function rowOf(i: i32): usize { return table + (<usize>(i * ROW) << 3); }

/** κ and x as they are become those that were, and back. */
export function keep(): void {
  memory.copy(body + 56, body + 40, 16);
  memory.copy(was, is, <usize>n << 4);
}
export function takeBack(): void {
  memory.copy(body + 40, body + 56, 16);
  memory.copy(is, was, <usize>n << 4);
}

export function spendFactor(): void { spend(<u64>n * (<u64>(band * band) / 2 + 10 * <u64>band + 150)); }
export function spendSolves(count: i32): void { spend(<u64>count * <u64>n * (4 * <u64>band + 250)); }

/** One step more; says whether there may be so many. */
export function countsOn(): bool {
  setField(72, field(72) + 1.0);
  if (field(72) <= wallField(32)) return true;
  fail(Status.DID_NOT_CONVERGE);
  return false;
}
