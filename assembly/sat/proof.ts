// The proof, row by row, i32: a clause that follows is id · size · literals as in DIMACS · count · ids of the clauses
// that show it by unit propagation, in that order, the last one false (LRAT: Cruz-Filipe et al., CADE 2017); clauses
// that are no longer needed are 0 · count · ids.

import { appendRow, fail, rowsFull } from "../kernel/frame";
import { Status } from "../kernel/status";
import { count, Counter } from "./memory";

@inline export function word(value: i32): void {
  if (rowsFull(4)) { fail(Status.LIMIT_EXCEEDED); return; }
  store<i32>(appendRow(4), value);
  count(Counter.PROOF, 1);
}

@inline export function dimacs(literal: i32): i32 { return literal & 1 ? -((literal >> 1) + 1) : (literal >> 1) + 1; }
