// Alternate minimisation: displacements at fixed damage, then damage at fixed displacements, until damage moves by no
// more than tol (Bourdin, Francfort & Marigo 2000). Turns near their end are accelerated (anderson.ts); where a crack
// creeps they keep the momentum of the last turn (Nesterov 1983), anew where a turn goes back (O'Donoghue & Candès,
// Found. Comput. Math. 15 (2015) 715, §3.2).

import { allocate, parameterF64, spend } from "../kernel/frame";
import { assemble, energies } from "./cells";
import { accelerate, forgetTurns, layAnderson, rememberTurn } from "./anderson";
import { beginDamage, damageResidual, driveField, iterateDamage, prepareDamage, project, surfaceEnergy } from "./damage";
import { beginEquilibrium, iterateEquilibrium, reactionNorm, residual } from "./elastic";
import { coarsest } from "./grids";
import { buildGrids } from "./multigrid";
import { M, N, fieldBytes, split } from "./problem";

/** Share of the last move that is made once more where damage creeps. */
const MOMENTUM: f64 = 0.9;
/** Acceleration is for moves below this, by at most LONGEST; it begins anew where one grows by more than this factor. */
const ACCELERATED: f64 = 0.01, GROWN: f64 = 100.0, LONGEST: f64 = 0.2;
/** Turns without half as large a move after which acceleration leads nowhere. */
const STALL: i32 = 8;
/** Moves of damage, all together, after which the coarser grids are built anew. */
const STALE: f64 = 0.2;

/** Times that a turn looks anew at which nodes are free; the damage of a turn goes on in the next one. */
const SWEEPS: i32 = 30;

export namespace Turn {
  /** Nothing to say yet · damage has been moved · displacements are those of a damage that moves no more. */
  export const GOES_ON: i32 = 0;
  export const ENDED: i32 = 1;
  export const SETTLED: i32 = 2;
}
namespace Phase {
  export const BALANCE: i32 = 0;
  export const PULL: i32 = 1;
  export const DAMAGE: i32 = 2;
  export const SOFTEN: i32 = 3;
}

/** Turns since `beginTurns`, and the largest move of damage in the last one. */
export let turns: i32 = 0, moved: f64 = 0;
/** Elastic energy and all energy once displacements are in equilibrium with the damage before the turn. */
export let elasticNow: f64 = 0, energyNow: f64 = 0;
/** Whether the damage has been found to tol and moved by no more. */
export let hasConverged: bool = false;
let phase: i32 = 0, sweeps: i32 = 0, sweepsMost: i32 = 0, iterations: i32 = 0, stale: f64 = 0, tol: f64 = 0;
let d: usize = 0, lower: usize = 0, old: usize = 0;
/** Where the last turn ended, before it was hurried, and whether there was one. */
let trail: usize = 0, hasTrail: bool = false;
/** To what the damage of this turn has been sought. */
let sought: f64 = 0;
/** Least move of the accelerated turns, and turns since. */
let best: f64 = 0, since: i32 = 0, hasStalled: bool = false;

/**
 * `damage`, and what it must not fall below: fields of the state. `before`: room for the damage before a turn, which is not
 * that of layDamage; `change`: for a field that is needed when damage has been found.
 */
export function layTurns(damage: usize, bottom: usize, before: usize, change: usize): void {
  d = damage; lower = bottom;
  tol = parameterF64(112);
  old = before; trail = allocate(fieldBytes);
  layAnderson(change);
}

export function beginTurns(): void {
  turns = 0;
  moved = 0.01;
  stale = 1.0;
  hasConverged = false;
  best = 1.0; since = 0; hasStalled = false; hasTrail = false;
  forgetTurns();
  phase = Phase.BALANCE;
}

/** Damage alone, of a body without a load. */
export function beginUnloaded(): void {
  turns = 0;
  prepareDamage(d);
  memory.copy(old, d, fieldBytes);
  phase = Phase.DAMAGE; sweeps = 0;
  sought = 0.03 * tol;
  sweepsMost = N + M;
}

// ---- work ----------------------------------------------------------------------------------------------

@inline function padded(): u64 { return fieldBytes >> 3; }
export function assemblyUnits(): u64 { return (split == 0 ? 60 : 130) * padded(); }
function gridUnits(): u64 { return coarsest > 0 ? 500 * padded() : 0; }
function pullUnits(): u64 { return ((split == 0 ? 16 : 22) + (coarsest > 0 ? 54 : 0)) * padded(); }
function sweepUnits(): u64 { return 40 * padded(); }
function softenUnits(): u64 { return 9 * padded(); }

// ---- a turn --------------------------------------------------------------------------------------------

export function takeTurn(): i32 {
  if (phase == Phase.BALANCE) return balance();
  if (phase == Phase.PULL) { pull(); return Turn.GOES_ON; }
  if (phase == Phase.DAMAGE) return beginSweep();
  soften();
  return Turn.GOES_ON;
}

/** Whether turns are far from their end. */
@inline function isCreeping(): bool { return hasStalled || moved > ACCELERATED; }

/**
 * Equilibrium is sought to this share of the reactions, and damage to this move: coarsely while it still moves, but finely
 * where cells open and shut, which would go round and round.
 */
function accuracy(): f64 { return max(2e-7, min(1e-3, (split != 0 ? 0.01 : isCreeping() ? 0.1 : 0.05) * moved)); }
function fineness(): f64 { return max(0.03 * tol, (split != 0 ? 0.001 : isCreeping() ? 0.03 : 0.01) * moved); }

function balance(): i32 {
  assemble(d);
  if (stale > STALE) { buildGrids(); spend(gridUnits()); stale = 0.0; }
  beginEquilibrium();
  spend(assemblyUnits() + pullUnits());
  iterations = 0;
  const small = 1e-6 * reactionNorm;
  if (hasConverged && residual <= small * small) return Turn.SETTLED;
  phase = Phase.PULL;
  return Turn.GOES_ON;
}

function pull(): void {
  const limit = accuracy() * reactionNorm;
  if (residual > limit * limit && iterations < 20 * (N + M)) {
    iterateEquilibrium();
    spend(pullUnits());
    iterations++;
    return;
  }
  elasticNow = energies(d, driveField());
  energyNow = elasticNow + surfaceEnergy(d);
  prepareDamage(d);
  memory.copy(old, d, fieldBytes);
  spend(assemblyUnits());
  sweeps = 0; sweepsMost = SWEEPS;
  sought = fineness();
  phase = Phase.DAMAGE;
}

function beginSweep(): i32 {
  const changed = beginDamage(d, lower);
  spend(sweepUnits());
  iterations = 0;
  if (!((sweeps > 0 && changed == 0) || sweeps == sweepsMost)) { phase = Phase.SOFTEN; sweeps++; return Turn.GOES_ON; }
  endDamage();
  return Turn.ENDED;
}

function soften(): void {
  if (damageResidual > sought * sought && iterations < 20 * (N + M)) {
    iterateDamage(d);
    spend(softenUnits());
    iterations++;
    return;
  }
  project(d, lower, 0.0);
  phase = Phase.DAMAGE;
}

function endDamage(): void {
  const last = moved;
  moved = largestMove();
  stale += moved;
  if (moved > tol) hurry(last);
  turns++;
  hasConverged = moved <= tol && sought <= 0.1 * tol;
  phase = Phase.BALANCE;
}

/**
 * By the last few turns, or by momentum. Close to a load that the body does not bear, the last few turns lead back to a
 * state that is none: there momentum goes on.
 */
function hurry(last: f64): void {
  if (moved > GROWN * last || moved > ACCELERATED) forgetTurns();
  rememberTurn(old, d);
  if (turns < 3) return;
  judgeStall();
  if (!hasStalled && moved <= ACCELERATED && accelerate(d, lower, LONGEST)) hasTrail = false;
  else keepMomentum();
}

function judgeStall(): void {
  if (hasStalled && moved < 0.3 * best) { hasStalled = false; since = 0; best = moved; forgetTurns(); return; }
  if (hasStalled || moved > ACCELERATED) return;
  if (moved < 0.5 * best) { best = moved; since = 0; } else since++;
  hasStalled = since > STALL;
}

function largestMove(): f64 {
  let most = 0.0;
  for (let k: usize = 0; k < fieldBytes; k += 8) {
    const change = abs(load<f64>(d + k) - load<f64>(old + k));
    if (!(change <= most)) most = change;
  }
  return most;
}

/** Beyond the end of this turn, by a share of the way from that of the last one, unless the turn leads back. */
function keepMomentum(): void {
  const share = hasTrail && leadsOn() ? MOMENTUM : 0.0;
  for (let k: usize = 0; k < fieldBytes; k += 8) {
    const here = load<f64>(d + k), way = here - load<f64>(trail + k);
    store<f64>(trail + k, here);
    store<f64>(d + k, min(1.0, max(load<f64>(lower + k), here + share * way)));
  }
  hasTrail = true;
}

/** Whether the turn has moved the damage as its end lies from that of the last one. */
function leadsOn(): bool {
  let along = 0.0;
  for (let k: usize = 0; k < fieldBytes; k += 8) {
    const here = load<f64>(d + k);
    along += (here - load<f64>(old + k)) * (here - load<f64>(trail + k));
  }
  return along >= 0.0;
}
