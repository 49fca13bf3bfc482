// The gates of other verdicts, held again: a job that is made of other solvers' jobs seals nothing that theirs did not
// gate. Of every class of rows the worst one is shown as it stands, with its own numbers, so that precisionActual is
// the worst of all of them. What bounds above 1e-3 are allowed is the protocol's to say (docs/protocol.md, 'Rules for
// rows'), so the row that is shown of those is one with the largest bound: no other can hide behind it.
//
// Classes: 0–4 a precision (0 < bound ≤ 1e-3), by kind · 5–9 a ratio or standard errors, by kind · 10 a count

import { allocate, finiteRange } from "../kernel/frame";
import { BOUND, gate, Kind } from "../kernel/verdict";

export const CLASSES: i32 = 11;
const COUNT_CLASS: i32 = 10;
const HEADER: i32 = 24;
const ROW: i32 = 48;
const MAX_ROWS: f64 = 65536;
/** Of each class: 1 where there is one, error over bound of the worst, and its row. */
const ENTRY: usize = 64;
let worstAt: usize = 0;

export function openHeld(): void { worstAt = allocate(<usize>CLASSES * ENTRY); }

/** Bytes of a verdict's value, precision and rows at `at`, of which `left` are there; −1 where they are none. */
export function verdictBytes(at: usize, left: usize): i32 {
  if (left < <usize>HEADER) return -1;
  const rows = load<f64>(at, 16);
  if (!(rows >= 1 && rows <= MAX_ROWS) || floor(rows) != rows) return -1;
  const bytes = HEADER + ROW * <i32>rows;
  return <usize>bytes <= left ? bytes : -1;
}

/** Whether the verdict at `at` holds by itself: every row within its bound, and a reference behind the value. */
export function holds(at: usize): bool {
  const rows = <i32>load<f64>(at, 16);
  if (!finiteRange(at, 3 + 6 * rows)) return false;
  let bears = false;
  let worst: f64 = 0;
  for (let i = 0; i < rows; i++) {
    const row = at + HEADER + <usize>(ROW * i);
    if (!soundRow(row)) return false;
    const kin = classOf(row);
    if (kin > 4 && kin != COUNT_CLASS) continue;
    worst = max(worst, load<f64>(row, 32));
    const kind = load<f64>(row, 8);
    if (kind == Kind.EXACT || kind == Kind.CERTIFICATE || (kind == Kind.ESTIMATE && kin != COUNT_CLASS)) bears = true;
  }
  return bears && worst <= BOUND && worst == load<f64>(at, 8);
}

function soundRow(row: usize): bool {
  const kind = load<f64>(row, 8), error = load<f64>(row, 32), bound = load<f64>(row, 40);
  const isCount = bound == 0, counts = load<f64>(row, 16) == load<f64>(row, 24);
  return kind >= 0 && kind <= 4 && floor(kind) == kind && error >= 0 && error <= bound && (!isCount || counts);
}

function classOf(row: usize): i32 {
  const bound = load<f64>(row, 40);
  if (bound == 0) return COUNT_CLASS;
  return <i32>load<f64>(row, 8) + (bound <= BOUND ? 0 : 5);
}

/** Takes the rows of a verdict that holds. */
export function takeRows(at: usize): void {
  const rows = <i32>load<f64>(at, 16);
  for (let i = 0; i < rows; i++) takeRow(at + HEADER + <usize>(ROW * i));
}

/** Takes one row: index, kind, measured, reference, error, bound. */
export function takeRow(row: usize): void {
  const kin = classOf(row), bound = load<f64>(row, 40), error = load<f64>(row, 32);
  const entry = worstAt + <usize>kin * ENTRY;
  const badness = kin > 4 && bound > 0 ? error / bound : error;
  if (load<f64>(entry) == 1 && !isWorse(kin, bound, badness, entry)) return;
  store<f64>(entry, 1);
  store<f64>(entry, badness, 8);
  memory.copy(entry + 16, row, ROW);
}

/** A larger error; where errors are in units of their own, a larger bound first. */
function isWorse(kin: i32, bound: f64, badness: f64, entry: usize): bool {
  const before = load<f64>(entry, 16 + 40);
  if (kin > 4 && bound != before) return bound > before;
  return badness > load<f64>(entry, 8);
}

/** Gate rows that `gateWorst` will write. */
export function classesSeen(): i32 {
  let seen = 0;
  for (let i = 0; i < CLASSES; i++) if (load<f64>(worstAt + <usize>i * ENTRY) == 1) seen++;
  return seen;
}

/** The worst row of every class, whose index is the class. */
export function gateWorst(): void {
  for (let i = 0; i < CLASSES; i++) {
    const entry = worstAt + <usize>i * ENTRY;
    if (load<f64>(entry) != 1) continue;
    const row = entry + 16;
    gate(i, load<f64>(row, 8), load<f64>(row, 16), load<f64>(row, 24), load<f64>(row, 32), load<f64>(row, 40));
  }
}
