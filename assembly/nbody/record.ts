// What an N-body run leaves: rows on its way and the result.
//
//   row      t (s), (E − E₀)/scale, x y z of the first S bodies (m)                      2 + 3S f64
//   result   steps taken, rows kept, x[N][3], v[N][3], conserved quantities (conserved.ts), and with a tree, of
//            bodies ⌊kN/K⌋ at the end: ax ay az (m/s²) and Σ G m/r (m²/s²), by which the verdict judges the tree;
//            then the state to go on from (./continued.ts)

import { allocate, appendRow, finish, openResult, openRows, rowsFull, show, standResult, stepsDone } from "../kernel/frame";
import { accelerationsAt, count, positionsAt, stride, velocitiesAt } from "./bodies";
import { CONSERVED, conservedAt, energyDrift, energyDriftMax, recordMomenta } from "./conserved";
import { continuationBytes } from "./continued";
import { sampledBodies, shownBodies } from "./problem";
import { treePotentials } from "./tree";

let rowBytes: i32 = 0;
let resultAt: usize = 0;
/** The sample, of what stands where the result will. */
let sampleAt: usize = 0;

/** Room for `rows` rows between two drains. */
export function layRows(rows: i32): void {
  rowBytes = (2 + 3 * shownBodies()) << 3;
  openRows(rows * rowBytes);
}

/** Room for the result of a run whose state has a body of `stateBody` bytes. */
export function layResult(stateBody: usize): void {
  resultAt = openResult(<i32>(recordBytes() + continuationBytes(stateBody)));
}

/**
 * The result of a run that needs nothing but its state and its rows when it ends: it stands where scratch stands from
 * `scratch` on, and what it is longer than that it takes.
 */
export function layResultOver(scratch: usize, stateBody: usize): void {
  const bytes = recordBytes() + continuationBytes(stateBody), laid = allocate(0) - scratch;
  if (bytes > laid) allocate(bytes - laid);
  sampleAt = allocate(<usize>(32 * sampledBodies()));
  resultAt = scratch;
  standResult(scratch, <i32>bytes);
}

function recordBytes(): usize { return 16 + <usize>(48 * count) + 8 * CONSERVED + <usize>(32 * sampledBodies()); }

/** Where the result has the state to go on from. */
export function continuationAt(): usize { return resultAt + recordBytes(); }

@inline export function noRoomForRow(): bool { return rowsFull(rowBytes); }

/** A row of the bodies as they are, with the momenta measured. */
export function keepRow(time: f64): void {
  recordMomenta();
  keepRowAt(time, positionsAt);
}

/** A row of bodies at `points` (x y z arrays). */
export function keepRowAt(time: f64, points: usize): void {
  const row = appendRow(rowBytes);
  store<f64>(row, time);
  store<f64>(row, energyDrift(), 8);
  interleave(row + 16, points, shownBodies());
}

/** x y z of each of the first `bodies`, from three arrays. */
function interleave(to: usize, from: usize, bodies: i32): void {
  for (let i = 0; i < bodies; i++) {
    const at = from + (<usize>i << 3);
    store<f64>(to, load<f64>(at));
    store<f64>(to, load<f64>(at + stride), 8);
    store<f64>(to, load<f64>(at + 2 * stride), 16);
    to += 24;
  }
}

export function showProgress(time: f64): void {
  show(0, time);
  show(1, energyDriftMax());
  show(2, load<f64>(conservedAt(), 104));
}

export function finishRecord(rows: u64): void {
  const vectors = <usize>count * 24;
  const at = resultAt;
  if (sampledBodies() > 0) writeSample(sampleAt);
  store<f64>(at, <f64>stepsDone());
  store<f64>(at, <f64>rows, 8);
  interleave(at + 16, positionsAt, count);
  interleave(at + 16 + vectors, velocitiesAt, count);
  memory.copy(at + 16 + 2 * vectors, conservedAt(), CONSERVED * 8);
  memory.copy(at + 16 + 2 * vectors + CONSERVED * 8, sampleAt, <usize>(32 * sampledBodies()));
  finish();
}

function writeSample(to: usize): void {
  for (let k = 0; k < sampledBodies(); k++, to += 32) {
    const body = <usize>(<i64>k * count / sampledBodies()) << 3;
    store<f64>(to, load<f64>(accelerationsAt + body));
    store<f64>(to, load<f64>(accelerationsAt + stride + body), 8);
    store<f64>(to, load<f64>(accelerationsAt + 2 * stride + body), 16);
    store<f64>(to, load<f64>(treePotentials() + body), 24);
  }
}
