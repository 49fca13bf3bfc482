// Growth in closed form, with z = V/V∞ and τ = rate · t (Gerlee, Cancer Res. 73 (2013) 2407; Bertalanffy, Q. Rev. Biol.
// 32 (1957) 217):
//
//   Gompertz     ln z = ln z₀ e^{−τ}                       fastest at z = 1/e
//   logistic     1/z = 1 + (1/z₀ − 1) e^{−τ}               at ½; Richards with ν = 1
//   Richards     z^{−ν} = 1 + (z₀^{−ν} − 1) e^{−ντ}        at (1 + ν)^{−1/ν}
//   Bertalanffy  z^{1/3} = 1 + (z₀^{1/3} − 1) e^{−τ/3}     at 8/27

/** z at τ from z = `start`, as its logarithm; `start` is one too. */
export function grown(model: i32, nu: f64, start: f64, tau: f64): f64 {
  if (model == 0) return start * Math.exp(-tau);
  const power = model == 3 ? 1.0 / 3.0 : -nu, past = abs(power) * tau;
  return Math.log(Math.exp(power * start - past) - Math.expm1(-past)) / power;
}

/** ln z where V grows fastest. */
export function inflection(model: i32, nu: f64): f64 {
  if (model == 0) return -1.0;
  return model == 3 ? 3.0 * Math.log(2.0 / 3.0) : -Math.log1p(nu) / nu;
}

/** τ from ln z = `start` to `goal`, both on one side of 0 and `goal` nearer to it. */
export function timeToGrow(model: i32, nu: f64, start: f64, goal: f64): f64 {
  if (model == 0) return Math.log(start / goal);
  const power = model == 3 ? 1.0 / 3.0 : -nu;
  return Math.log(Math.expm1(power * start) / Math.expm1(power * goal)) / abs(power);
}

/** d ln z/dτ. */
export function pace(model: i32, nu: f64, depth: f64): f64 {
  if (model == 0) return -depth;
  return model == 3 ? Math.exp(-depth / 3.0) - 1.0 : 1.0 - Math.exp(nu * depth);
}
