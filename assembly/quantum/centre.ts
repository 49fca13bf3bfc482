// The centre of a ray, where a potential may be −Z/r as Coulomb's, and ψ has a cusp.

import { parameterF64 } from "../kernel/frame";
import { kind, left, orbital, Potential, unitEnergy, width } from "./problem";

/**
 * Z, in units of the scaled problem: Coulomb's own, else from rv at the nodes h, 2h and 3h, where that is nearly the same
 * at all of them. Of a smooth potential it is 0, and so it is on a line.
 */
export function chargeAtCentre(v1: f64, v2: f64, v3: f64, h: f64): f64 {
  if (orbital < 0.0 || left != 0.0) return 0.0;
  if (kind == Potential.COULOMB) return parameterF64(80) / (unitEnergy * width);
  const nearest = -h * v1, found = 3.0 * nearest + 6.0 * h * v2 - 3.0 * h * v3;
  return abs(found - nearest) < 0.25 * abs(found) && abs(found * h) < 0.25 ? found : 0.0;
}
