// The law of a payoff of its own: where it names one price alone whose logarithm is normal, S_T or the geometric mean G of
// the fixings, that law is known (Kemna & Vorst, J. Bank. Finance 14 (1990) 113), and with it its derivatives: those of
// the density (likelihood ratio, Glasserman §7.3), so that the payoff may have kinks and jumps.

import { namesValue } from "../expression/taylor";
import { fixings, q, r, S0, sigma, T } from "./problem";

/** Column of the price, −1 where there is no such law; its ln has this centre and deviation, and grows over this time. */
export let lawColumn: i32 = -1, lawCentre: f64 = 0, lawDeviation: f64 = 0, lawTime: f64 = 0;

/** Of the formula that is open. With one fixing all prices are the last. */
export function findLaw(): void {
  const m = <f64>fixings, isLast = fixings == 1 || !(namesValue(0, 1) || namesValue(0, 2) || namesValue(0, 3) || namesValue(0, 4));
  const isMean = !isLast && !(namesValue(0, 0) || namesValue(0, 1) || namesValue(0, 3) || namesValue(0, 4));
  lawColumn = isLast ? 0 : isMean ? 2 : -1;
  lawTime = isMean ? T * (m + 1.0) / (2.0 * m) : T;
  lawCentre = Math.log(S0) + (r - q - 0.5 * sigma * sigma) * lawTime;
  lawDeviation = sigma * sqrt(isMean ? T * (m + 1.0) * (2.0 * m + 1.0) / (6.0 * m * m) : T);
}

/** What ∂/∂S₀ and ∂/∂σ make of a payoff at z deviations from the centre. */
@inline export function scoreOfSpot(z: f64): f64 { return z / (S0 * lawDeviation); }
@inline export function scoreOfSigma(z: f64): f64 { return (z * z - 1.0) / sigma - z * sigma * lawTime / lawDeviation; }
