// What paths that no sample met may hold of a payoff of its own: a set of the probability of RARE paths, placed where |Y|
// is largest. Some price lies beyond z deviations with at most 4 N(−z) (reflection principle, Glasserman §6.4).

import { magnitude } from "../expression/interval";
import { ALLOWED, LOST, POINTS, apart, lostOf } from "../expression/resolved";
import { seriesOf, seriesWork, setBetween } from "../expression/taylor";
import { normalDistribution } from "../math/normal-distribution";
import { OWN_COLUMNS, q, r, S0, sigma, T } from "./problem";

/** A set of paths of which so many are expected in all may be met by none. */
const RARE: f64 = 3.0;
const SLICES: i32 = 64;
const REACH: f64 = 8.0;
const MOST_DOUBLINGS: i32 = 40;
/** Of all replicates together. */
export const MOST_PATHS: f64 = 16777216.0;
/** What is worth more is mostly more within each slice too. */
const CAUTION: f64 = 2.0;

/** Most |Y| within each slice's end, and the mean of what rounding takes; of the formula that is open. */
const most = memory.data((SLICES + 1) << 3, 8);
let lost: f64 = 0.0;

/** Work units of enclosing the payoff over all slices. */
export function rareWork(): u64 { return <u64>(SLICES + 1) * seriesWork(0); }

/** Most |Y| where every price stays within z deviations of what it may drift to. */
function mostWithin(z: f64): f64 {
  const drift = (r - q - 0.5 * sigma * sigma) * T, reach = z * sigma * sqrt(T);
  const low = S0 * Math.exp(min(drift, 0.0) - reach) * (1.0 - 1e-14), high = S0 * Math.exp(max(drift, 0.0) + reach) * (1.0 + 1e-14);
  for (let k = 0; k < OWN_COLUMNS; k++) setBetween(k, low, high);
  const found = magnitude(seriesOf(0, 2));
  return found == found ? found : Infinity;
}

/** Mean of what rounding takes from the payoff where all prices are one, within two deviations. */
function lostToRounding(): f64 {
  const centre = (r - q - 0.5 * sigma * sigma) * T, deviation = sigma * sqrt(T);
  let sum = 0.0;
  for (let i = 0; i < POINTS; i++) {
    const X = S0 * Math.exp(centre + (4.0 * apart(i, 0) - 2.0) * deviation);
    for (let k = 0; k < OWN_COLUMNS; k++) setBetween(k, X, X);
    sum += lostOf(seriesOf(0, 2), 0.0);
  }
  return sum / <f64>POINTS;
}

/** Of the formula that is open, before any of the following is asked. */
export function encloseRare(): void {
  for (let i = 0; i <= SLICES; i++) store<f64>(most + (<usize>i << 3), mostWithin(<f64>(i + 1) * (REACH / <f64>SLICES)));
  lost = lostToRounding();
}

/** Most that they hold of the price where so many paths are taken, and LOST times what rounding takes from it. */
export function rareShare(price: f64, paths: f64): f64 {
  const chance = RARE / paths;
  let held = 0.0, given = 0.0;
  for (let i = SLICES; i >= 0 && given < chance; i--) {
    const share = i == 0 ? chance : min(chance, 4.0 * normalDistribution(-<f64>i * (REACH / <f64>SLICES)));
    if (share > given) held += (share - given) * load<f64>(most + (<usize>i << 3));
    given = max(given, share);
  }
  return min((held + LOST * lost) / (abs(price) * Math.exp(r * T)), 1e100);
}

/** How many paths would do, by doubling; 0 where none would. */
export function enoughPaths(price: f64, paths: f64): f64 {
  for (let k = 0; k < MOST_DOUBLINGS; k++) {
    if (rareShare(price, paths) <= ALLOWED) return paths;
    paths *= 2.0;
  }
  return 0.0;
}

/** The price at which MOST_PATHS would do, of a payoff that is nowhere much larger. */
export function enoughPrice(price: f64): f64 {
  return CAUTION * abs(price) * rareShare(price, MOST_PATHS) / ALLOWED;
}
