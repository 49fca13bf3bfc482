// The force law behind one door: direct sum or tree, each evaluation in slices.

import { usesTree } from "./problem";
import { beginDirect, continueDirect, directCost, directPotential, directPotentialCost, layDirect } from "./direct";
import { count } from "./bodies";

let evaluating: bool = false;

export function layForce(): void { evaluating = false; layDirect(); }

/** Accelerations and U at the positions: true when done, false when the slice is spent. */
@inline export function evaluateForce(): bool { return evaluate(false); }
/** U alone. */
@inline export function evaluatePotential(): bool { return evaluate(true); }

function evaluate(potentialOnly: bool): bool {
  if (!evaluating) { beginDirect(potentialOnly); evaluating = true; }
  if (!continueDirect()) return false;
  evaluating = false;
  return true;
}

export function potentialEnergy(): f64 { return directPotential(); }

export function forceCost(): i64 { return directCost(count); }
export function potentialCost(): i64 { return directPotentialCost(count); }
