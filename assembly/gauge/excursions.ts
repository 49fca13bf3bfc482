// What a standard error of Z2 leaves out at large β.
//
// A link between two plaquettes of +1 turns over with probability r = 1/(1 + e^{4β}). That makes a pair of −1, which
// wanders until it meets again: an excursion. Of λ = 2V r n in n sweeps a chain may well have seen none, and then all
// its blocks are equal and their variance is 0, while the mean is off by what did not happen. That is known: the mean
// lies 1 − W below an ordered field's, and there are 2V r excursions a sweep, so one adds
//
//   s = (1 − W) / (2V r),   1 − W = (1 − t^A)(1 − t^{V−A}) / (1 + t^V),   t = tanh β
//
// to the sum over all sweeps, A(V−A)/V at large β. Their lengths are about exponential, so that few excursions have
// the variance 2λ s². Where λ is large the blocks show it; how few they show by chance is then bounded by the rule of
// three (Hanley & Lippman-Hand, JAMA 249 (1983) 1743): 3 events more or less than were seen.

import { Group } from "./exact";

const RULE_OF_THREE: f64 = 3.0;

/** The standard error of a mean over `sweeps`, with that of the excursions in it; U(1) and SU(2) have none. */
export function withExcursions(
  error: f64, group: i32, beta: f64, volume: f64, area: f64, sweeps: f64,
): f64 {
  if (group != Group.Z2) return error;
  const perSweep = 2.0 * volume / (1.0 + Math.exp(4.0 * beta));
  const one = depth(beta, volume, area) / (perSweep * sweeps);
  const variance = min(2.0 * perSweep * sweeps, RULE_OF_THREE * RULE_OF_THREE) * one * one;
  return sqrt(error * error + variance);
}

/** 1 − W without cancellation, from ln tanh β. */
function depth(beta: f64, volume: f64, area: f64): f64 {
  const logT = Math.log1p(-2.0 / (Math.exp(2.0 * beta) + 1.0));
  return Math.expm1(area * logT) * Math.expm1((volume - area) * logT) / (1.0 + Math.exp(volume * logT));
}
