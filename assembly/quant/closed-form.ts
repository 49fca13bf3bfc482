// Prices in closed form, shared with nothing that samples. With forward F, total deviation s and discount D:
//
//   Black–Scholes–Merton  ωD (F Φ(ωd₁) − K Φ(ωd₂)),  d₁ = ln(F/K)/s + s/2,  d₂ = d₁ − s   (Hull §15.8, §17)
//   digital               D · payout · Φ(ωd₂)                                              (Hull §26.9)
//   geometric Asian       the same with the geometric mean's F and s                       (Kemna & Vorst 1990)
//   down-and-out          Reiner & Rubinstein, Risk 4 (8) (1991) 28; Haug §4.17.1, terms A, B, C, D

import { normalDistribution, weighedDistribution } from "../math/normal-distribution";
import { barrier, fixings as sent, K, omega, payout, q, r, T, Type, type } from "./problem";

function black(F: f64, s: f64, discount: f64): f64 {
  const d1 = Math.log(F / K) / s + 0.5 * s;
  return omega * discount * (F * normalDistribution(omega * d1) - K * normalDistribution(omega * (d1 - s)));
}

/** Fixings that X is the mean of: of a payoff of its own X is S_T. */
@inline function fixingsOfX(): i32 { return type == Type.OWN ? 1 : sent; }

/** Centre and deviation of ln X. */
export function centreOf(spot: f64, sigma: f64): f64 {
  const m = <f64>fixingsOfX();
  return Math.log(spot) + (r - q - 0.5 * sigma * sigma) * T * (m + 1.0) / (2.0 * m);
}

export function deviationOf(sigma: f64): f64 {
  const m = <f64>fixingsOfX();
  return sigma * sqrt(T * (m + 1.0) * (2.0 * m + 1.0) / (6.0 * m * m));
}

/** Price at another spot and σ than the caller's, so that derivatives can be had as well. */
export function exactPrice(spot: f64, sigma: f64): f64 {
  const discount = Math.exp(-r * T), forward = spot * Math.exp((r - q) * T), s = sigma * sqrt(T);
  if (type == Type.EUROPEAN) return black(forward, s, discount);
  if (type == Type.DIGITAL) {
    return payout * discount * normalDistribution(omega * (Math.log(forward / K) / s - 0.5 * s));
  }
  if (type == Type.DOWN_OUT) return downAndOut(spot, sigma, s, discount);
  const deviation = deviationOf(sigma);
  return black(Math.exp(centreOf(spot, sigma) + 0.5 * deviation * deviation), deviation, discount);
}

/** E of what X is: S_T, or the average, geometric or arithmetic. */
export function exactMean(spot: f64, sigma: f64): f64 {
  if (type == Type.ARITHMETIC) {
    let sum = 0.0;
    for (let j = 1; j <= sent; j++) sum += Math.exp((r - q) * T * <f64>j / <f64>sent);
    return spot * sum / <f64>sent;
  }
  const deviation = deviationOf(sigma);
  return Math.exp(centreOf(spot, sigma) + 0.5 * deviation * deviation);
}

/** φS e^{−qT} a Φ(φx) − φK e^{−rT} b Φ(φx − φs): the four terms differ in sign, argument and powers of H/S only, as ln a and ln b. */
function term(spot: f64, phi: f64, sign: f64, x: f64, s: f64, a: f64, b: f64, discount: f64): f64 {
  const asset = spot * Math.exp(-q * T) * weighedDistribution(a, sign * x);
  return phi * (asset - K * discount * weighedDistribution(b, sign * (x - s)));
}

function downAndOut(spot: f64, sigma: f64, s: f64, discount: f64): f64 {
  const mu = (r - q) / (sigma * sigma) - 0.5, more = (1.0 + mu) * s, ratio = Math.log(barrier / spot);
  const a = 2.0 * (mu + 1.0) * ratio, b = 2.0 * mu * ratio;
  const A = term(spot, omega, omega, Math.log(spot / K) / s + more, s, 0.0, 0.0, discount);
  const B = term(spot, omega, omega, -ratio / s + more, s, 0.0, 0.0, discount);
  const C = term(spot, omega, 1.0, (2.0 * ratio + Math.log(spot / K)) / s + more, s, a, b, discount);
  const D = term(spot, omega, 1.0, ratio / s + more, s, a, b, discount);
  if (omega > 0.0) return K > barrier ? A - C : B - D;
  return A - B + C - D;
}
