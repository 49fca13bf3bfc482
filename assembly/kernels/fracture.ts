// Brittle fracture of a notched plate by a phase field: at every load step the energy
//
//   ∫ [(1 − d)² + κ] ψ⁺ + ψ⁻ + (G_c/c_w)(w(d)/ℓ + ℓ|∇d|²)
//
// is minimised in u and in d ≥ d of the step before in turn, until d moves by no more than tol (Bourdin, Francfort &
// Marigo 2000; AT1, AT2: Pham et al. 2011, Tanné et al. 2018). Cells and solvers: assembly/fracture/{cells,elastic,damage}.ts.
// Turns: assembly/fracture/turns.ts. Load steps: assembly/fracture/steps.ts.
//
// Parameters, result and head: assembly/fracture/problem.ts. State body: head · u_x, u_y, d, d before, padded
// The result stands where turns are remembered.
// Rows (f64), at the start and after every load step:
//   0 U [m] · 8 F [N/m] · 16 elastic · 24 surface energy [J/m] · 32 work of the grips · 40 turns · 48 1: stable

import {
  finish, openRows, openState, parameterF64, restoreState, rowsFull, running, spend, standResult, stepsDone, watchFinite, work,
} from "../kernel/frame";
import { rememberedTurns } from "../fracture/anderson";
import { assemble, energies, ux, uy } from "../fracture/cells";
import { driveField, layDamage, surfaceEnergy } from "../fracture/damage";
import { beginEquilibrium, layElastic, reactionX, reactionY, spareFields } from "../fracture/elastic";
import {
  M, N, RESULT_HEAD, at, fieldBytes, goesOn, isNotched, isShear, loadAt, nodes, pack, readProblem, startAt, unpack,
} from "../fracture/problem";
import { ROW, clamp, giveUp, isLastDone, laySteps, task, writeRow } from "../fracture/steps";
import { Turn, assemblyUnits, beginUnloaded, layTurns, takeTurn } from "../fracture/turns";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const ROWS: i32 = 64;

let head: usize = 0, d: usize = 0, lower: usize = 0;
let allowedWork: u64 = 0, before: u64 = 0;
let hasBegun: bool = false;

@inline function get(offset: usize): f64 { return load<f64>(head + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(head + offset, value); }

// ---- begin and go on -----------------------------------------------------------------------------------

function prepare(): void {
  readProblem();
  allowedWork = <u64>parameterF64(120);
  head = openState(RESULT_HEAD + 4 * fieldBytes);
  const fields = head + RESULT_HEAD;
  layElastic(fields, fields + fieldBytes);
  d = fields + 2 * fieldBytes; lower = d + fieldBytes;
  watchFinite(head, <i32>((RESULT_HEAD + 4 * fieldBytes) >> 3));
  const spare = spareFields();
  layDamage(spare);
  layTurns(d, lower, spare + 7 * fieldBytes, spare + fieldBytes);
  openRows(ROWS * ROW);
  before = goesOn() ? <u64>load<f64>(startAt()) : parameterF64(152) == 1.0 ? <u64>parameterF64(160) : 0;
  laySteps(head, d, lower, before);
  hasBegun = false;
}

/** The notch takes the damage that it has without a load, which `start` comes back for; then arrays are read. */
export function start(budget: i32): i32 {
  if (!hasBegun) {
    prepare();
    hasBegun = true;
    if (goesOn()) { goOn(); return 1; }
    breakNotch();
    memory.copy(lower, d, fieldBytes);
    beginUnloaded();
  }
  const end = work() + <u64>budget;
  while (running() && work() < end) {
    const isSoftened = takeTurn() == Turn.ENDED;
    if (work() > allowedWork) giveUp();
    if (isSoftened) { begin(); return 1; }
  }
  return running() ? 0 : 1;
}

function begin(): void {
  set(40, surfaceEnergy(d));
  if (parameterF64(152) == 1.0) fromArrays();
  else { memory.copy(lower, d, fieldBytes); set(32, get(40)); set(128, 1.0); }
  set(136, get(24) + get(32));
  writeRow(true);
  hasBegun = false;
}

function breakNotch(): void {
  const cosine = Math.cos(parameterF64(144)), sine = Math.sin(parameterF64(144));
  for (let j = 0; j <= M; j++)
    for (let i = 0; i <= N; i++)
      if (isNotched(i, j, cosine, sine)) store<f64>(at(d, i, j), 1.0);
}

function fromArrays(): void {
  unpack(ux, startAt(), 2, 0);
  unpack(uy, startAt(), 2, 1);
  unpack(d, startAt() + (nodes() << 4), 1, 0);
  breakNotch();
  memory.copy(lower, d, fieldBytes);
  set(8, loadAt(<f64>before));
  clamp(get(8));
  assemble(d);
  beginEquilibrium();
  set(16, isShear ? reactionX : reactionY);
  set(24, energies(d, driveField()));
  set(32, surfaceEnergy(d));
  set(56, get(16)); set(64, get(8)); set(208, get(16));
  spend(assemblyUnits());
}

function goOn(): void {
  const from = startAt(), fields = from + RESULT_HEAD;
  memory.copy(head, from, RESULT_HEAD);
  unpack(ux, fields, 2, 0);
  unpack(uy, fields, 2, 1);
  unpack(d, fields + (nodes() << 4), 1, 0);
  unpack(lower, fields + 3 * (nodes() << 3), 1, 0);
  hasBegun = false;
  spend(assemblyUnits());
  writeRow(true);
}

export function restore(length: i32): usize {
  prepare();
  return restoreState(length);
}

export function resumed(_budget: i32): i32 { return 1; }

// ---- slices --------------------------------------------------------------------------------------------

/** At most `allowed` load steps and about `budget` work units; says how many load steps were ended. */
export function advance(allowed: i32, budget: i32): i32 {
  const end = work() + <u64>budget, from = stepsDone();
  while (<i32>(stepsDone() - from) < allowed && running() && work() < end && !rowsFull(ROW)) {
    task();
    if (running() && work() > allowedWork) giveUp();
    if (running() && isLastDone()) conclude();
  }
  return <i32>(stepsDone() - from);
}

function conclude(): void {
  const bytes = nodes() << 3, out = rememberedTurns(), fields = out + RESULT_HEAD;
  standResult(out, <i32>(RESULT_HEAD + 4 * bytes));
  memory.copy(out, head, RESULT_HEAD);
  pack(fields, ux, 2, 0);
  pack(fields, uy, 2, 1);
  pack(fields + 2 * bytes, d, 1, 0);
  pack(fields + 3 * bytes, lower, 1, 0);
  finish();
}
