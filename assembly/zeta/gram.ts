// Gram points: θ(g_m) = mπ, m >= −1 (Edwards, Riemann's Zeta Function, 6.5). θ is convex above 6.29, so that Newton's
// iteration from the right comes down to g_m without a detour.

import { INV_PI, INV_TWO_PI, thetaIndex, thetaPhase, thetaStep } from "./theta";

const LOWEST: f64 = 9.666908056130192; // g_{−1}

/** The largest m with g_m <= t; −1 below g_0. */
export function gramIndexBelow(t: f64): i64 {
  if (t <= LOWEST) return -1;
  thetaPhase(t);
  return <i64>thetaIndex;
}

/** g_m. */
export function gramPoint(m: i64): f64 {
  let t = 20.0 + 6.3 * <f64>(m + 2);
  for (let i = 0; i < 60; i++) {
    const part = thetaPhase(t);
    const step = ((thetaIndex - <f64>m) + part) / (0.5 * INV_PI * Math.log(t * INV_TWO_PI));
    t -= step;
    if (abs(step) <= 4.440892098500626e-16 * t) break;
  }
  return t;
}

let anchor: f64 = 0;
let logAnchor: f64 = 0;
let anchorIndex: f64 = 0;
let anchorPart: f64 = 0;

/** Gram points from here on are found relative to θ(t), t >= 30. */
export function openGram(t: f64): void {
  anchor = t;
  logAnchor = Math.log(t * INV_TWO_PI);
  anchorPart = thetaPhase(t);
  anchorIndex = thetaIndex;
}

/** g_m near `guess`, not far above the height of openGram. */
export function gramPointNear(m: i64, guess: f64): f64 {
  const target = (<f64>m - anchorIndex) - anchorPart;
  let t = guess;
  for (let i = 0; i < 4; i++) {
    const step = thetaStep(anchor, logAnchor, t - anchor) * INV_PI - target;
    t -= step / (0.5 * INV_PI * Math.log(t * INV_TWO_PI));
    if (abs(step) < 1e-9) break; // the next step would be below an ulp: convergence is quadratic
  }
  return t;
}
