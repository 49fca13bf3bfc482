// The force law behind one door: direct sum or tree, each evaluation in slices.

import { count } from "./bodies";
import { beginDirect, continueDirect, directCost, directPotential, directPotentialCost, layDirect } from "./direct";
import { usesTree } from "./problem";
import { beginTree, continueTree, layTree, treeCost, treePotential } from "./tree";

let evaluating: bool = false;
let tree: bool = false;

export function layForce(): void {
  evaluating = false;
  tree = usesTree();
  if (tree) layTree(); else layDirect();
}

/** Accelerations and U at the positions: true when done, false when the slice is spent. */
export function evaluateForce(): bool { return evaluate(false); }
/** U alone at the positions; the tree gives the accelerations with it. */
export function evaluatePotential(): bool { return evaluate(true); }

function evaluate(potentialOnly: bool): bool {
  if (!evaluating) {
    if (tree) beginTree(); else beginDirect(potentialOnly);
    evaluating = true;
  }
  if (!(tree ? continueTree() : continueDirect())) return false;
  evaluating = false;
  return true;
}

export function potentialEnergy(): f64 { return tree ? treePotential() : directPotential(); }

export function forceCost(): i64 { return tree ? treeCost(count) : directCost(count); }
export function potentialCost(): i64 { return tree ? treeCost(count) : directPotentialCost(count); }
