// Special functions in double precision, good to about 1e-15 relative: what the expression kernel holds against the
// double-double ones of dd-special.ts, which share no formula with these.
//
//   erf            |x| < ½: Maclaurin series (DLMF 7.6.1); else 1 − erfc
//   erfc           e^(−x²)/(1 + 2x) times a Chebyshev series in (x − 15/4)/(x + 15/4) for x ≥ ½ (Shepherd and
//                  Laframboise, Math. Comp. 36 (1981) 249)
//   gamma          a product at whole x up to 23; a Chebyshev series on [2, 3] and the recurrence (Cody, ACM TOMS 19
//                  (1993) 22); Stirling's series from 12 on (DLMF 5.11.3); the reflection formula below 0 (DLMF 5.5.3)
//   lgamma         (x − 1)(x − 2) times a Chebyshev series on [1, 3], so that its zeros stay zeros; then as gamma
//   digamma        recurrence to 10, asymptotic series (DLMF 5.11.2), reflection (DLMF 5.5.4)
//
// The coefficients are those of test/kernels/fixtures/special-coefficients.py.

import { head } from "./dd";

/** Coefficients c_0 … of Σ c_k T_k: (1 + 2x) e^(x²) erfc x. */
const scaledErfc = memory.data<f64>([
  1.1775789345674017, -0.004590054580646478, -0.08424913336651792, 0.05920993999819189, -0.026658668435305753,
  0.009074997670705265, -0.002413163540417608, 0.0004907758365258086, -6.916973302501207e-05,
  4.13902798607301e-06, 7.74038306619849e-07, -2.1886401049234397e-07, 1.076499946567091e-08,
  4.521959811218287e-09, -7.754400208831351e-10, -6.318088340886684e-11, 2.86879501093067e-11,
  1.9455868545777347e-13, -9.65469674843344e-13, 3.25254814814874e-14, 3.3478119482868056e-14,
  -1.864562880419313e-15, -1.2507950530688648e-15, 7.418235256624044e-17, 5.068148904796111e-17,
]);
const SCALED_ERFC_TERMS: i32 = 25;

/** Γ(5/2 + t/2). */
const gammaFromTwo = memory.data<f64>([
  1.4137822420244524, 0.49172848008900727, 0.08532454170609606, 0.008214558154673682, 0.0008879278094690782,
  5.6765679151886106e-05, 5.264076190531452e-06, 1.9612784848738765e-07, 2.425465919964936e-08,
  -4.340584399846537e-11, 1.2813542241531117e-10, -7.185158744735293e-12, 9.878862168080628e-13,
  -8.935248942385424e-14, 9.472673359391568e-15, -9.426686010233666e-16, 9.59100989075118e-17,
  -9.677958042410815e-18,
]);
const GAMMA_TERMS: i32 = 18;

/** ln Γ(2 + t) / (t (1 + t)). */
const lgammaQuotient = memory.data<f64>([
  0.44148902545501423, -0.11119580321752523, 0.01951044826068884, -0.003922461463025264, 0.0008478989895953857,
  -0.00019153855341365593, 4.454470184975607e-05, -1.05728743735943e-05, 2.5474336873408417e-06,
  -6.208535880776316e-07, 1.5268677399071546e-07, -3.782637660291326e-08, 9.428100823624284e-09,
  -2.361999702184645e-09, 5.943541905817546e-10, -1.501312977072867e-10, 3.8050196458110534e-11,
  -9.672485299656325e-12, 2.465348198355661e-12, -6.298868140791711e-13, 1.6128460030283787e-13,
  -4.137949206814042e-14, 1.0635701227757898e-14, -2.7382420786652826e-15, 7.060670507214892e-16,
  -1.8232177141662118e-16, 4.714169006756272e-17, -1.2204107319639856e-17,
]);
const LGAMMA_TERMS: i32 = 28;

/** (−1)^n 2/√π / (n! (2n + 1)). */
const erfMaclaurin = memory.data<f64>([
  1.1283791670955126, -0.37612638903183754, 0.11283791670955126, -0.026866170645131252, 0.005223977625442188,
  -0.0008548327023450853, 0.00012055332981789664, -1.492565035840625e-05, 1.6462114365889248e-06,
  -1.6365844691234924e-07, 1.4807192815879218e-08, -1.2290555301717928e-09, 9.422759064650411e-11,
]);
const ERF_TERMS: i32 = 13;

/** B_2k / (2k (2k − 1)), k = 1 … 7. */
const stirlingCoefficients = memory.data<f64>([
  0.08333333333333333, -0.002777777777777778, 0.0007936507936507937, -0.0005952380952380953,
  0.0008417508417508417, -0.0019175269175269176, 0.00641025641025641,
]);
const STIRLING_TERMS: i32 = 7;

const STIRLING_FROM: f64 = 12;
const HALF_LN_2PI: f64 = 0.9189385332046728;
const SQRT_2PI: f64 = 2.5066282746310007;
/** 22! is the last factorial that is a double. */
const EXACT_GAMMA: f64 = 23;
const LARGEST_GAMMA: f64 = 171.7;
const SMALLEST_GAMMA: f64 = -190;

function polynomial(at: usize, terms: i32, x: f64): f64 {
  let sum = 0.0;
  for (let k = terms - 1; k >= 0; k--) sum = sum * x + load<f64>(at + (<usize>k << 3));
  return sum;
}

/** Σ c_k T_k(t), by Clenshaw's recurrence. */
function chebyshev(at: usize, terms: i32, t: f64): f64 {
  let next = 0.0, after = 0.0;
  for (let k = terms - 1; k > 0; k--) {
    const b = 2.0 * t * next - after + load<f64>(at + (<usize>k << 3));
    after = next;
    next = b;
  }
  return t * next - after + load<f64>(at);
}

/** sin π(x + shift/2), x reduced exactly to half turns |r| ≤ ¼. */
export function sinHalfTurns(x: f64, shift: f64): f64 {
  const turns = x - 2.0 * nearest(x * 0.5);
  const n = nearest(2.0 * turns), r = Math.PI * (turns - 0.5 * n);
  const quadrant = (<i32>(n + shift)) & 3;
  const s = quadrant & 1 ? Math.cos(r) : Math.sin(r);
  return (quadrant & 2 ? -s : s) + 0.0;
}

// ---- error functions -----------------------------------------------------------------------------------

export function erf(x: f64): f64 {
  if (abs(x) < 0.5) return x * polynomial(erfMaclaurin, ERF_TERMS, x * x);
  const rest = 1.0 - upperErfc(abs(x));
  return x < 0 ? -rest : rest;
}

export function erfc(x: f64): f64 {
  if (abs(x) < 0.5) return 1.0 - erf(x);
  return x < 0 ? 2.0 - upperErfc(-x) : upperErfc(x);
}

/** erfc x for x ≥ ½; e^(−x²) from the exact square of the head of x. */
function upperErfc(x: f64): f64 {
  if (x > 28.0) return 0;
  const a = head(x), series = chebyshev(scaledErfc, SCALED_ERFC_TERMS, (x - 3.75) / (x + 3.75));
  return series / (1.0 + 2.0 * x) * Math.exp((a - x) * (a + x)) * Math.exp(-a * a);
}

// ---- gamma function ------------------------------------------------------------------------------------

/** Σ B_2k / (2k (2k − 1) x^(2k − 1)). */
function stirling(x: f64): f64 {
  const y = 1.0 / x;
  return y * polynomial(stirlingCoefficients, STIRLING_TERMS, y * y);
}

@inline function isPole(x: f64): bool { return x <= 0 && floor(x) == x; }

/** Γ(x); NaN at its poles. */
export function gamma(x: f64): f64 {
  if (isPole(x)) return NaN;
  if (x > LARGEST_GAMMA) return Infinity;
  if (x < SMALLEST_GAMMA) return 0;
  if (x < -165.0) return gamma(x + 8.0) / (x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6) * (x + 7));
  if (x < 0) return -Math.PI / (x * gamma(-x) * sinHalfTurns(x, 0));
  if (x <= EXACT_GAMMA && floor(x) == x) return factorialBelow(x);
  return x < STIRLING_FROM ? gammaByRecurrence(x) : gammaByStirling(x);
}

/** (n − 1)!, exactly. */
function factorialBelow(n: f64): f64 {
  let product = 1.0;
  for (let k = 2.0; k < n; k += 1.0) product *= k;
  return product;
}

function gammaByRecurrence(x: f64): f64 {
  let factor = 1.0, divisor = 1.0, y = x;
  for (; y < 2.0; y += 1.0) divisor *= y;
  for (; y > 3.0; factor *= y) y -= 1.0;
  return chebyshev(gammaFromTwo, GAMMA_TERMS, 2.0 * (y - 2.0) - 1.0) * factor / divisor;
}

/** √(2π) x^(x − ½) e^(−x + Σ), the power in two halves, which alone would overflow. */
function gammaByStirling(x: f64): f64 {
  const half = Math.pow(x, 0.5 * x - 0.25);
  return SQRT_2PI * half * Math.exp(-x) * half * Math.exp(stirling(x));
}

/** (x − 1)(x − 2) × series: ln Γ of x = 1 + more, for x in [1, 3]; `below` is x − 1 without its rounding. */
@inline function lgammaNear(x: f64, below: f64): f64 {
  return below * (below - 1.0) * chebyshev(lgammaQuotient, LGAMMA_TERMS, x - 2.0);
}

/** ln Γ(x) for x > 0; NaN elsewhere. */
export function lgamma(x: f64): f64 {
  if (!(x > 0)) return NaN;
  if (x < 1.0) return lgammaNear(1.0 + x, x) - Math.log(x);
  if (x >= STIRLING_FROM) return (x - 0.5) * (Math.log(x) - 1.0) + (HALF_LN_2PI - 0.5 + stirling(x));
  let factor = 1.0, y = x;
  for (; y > 3.0; factor *= y) y -= 1.0;
  const near = lgammaNear(y, y - 1.0);
  return factor == 1.0 ? near : near + Math.log(factor);
}

/** ψ(x), the derivative of ln Γ; for derivatives, so that an absolute error next to its zeros does not matter. */
export function digamma(x: f64): f64 {
  if (isPole(x)) return NaN;
  if (x < 0) return digamma(1.0 - x) - Math.PI * sinHalfTurns(x, 1) / sinHalfTurns(x, 0);
  let y = x, sum = 0.0;
  for (; y < 10.0; y += 1.0) sum -= 1.0 / y;
  const z = 1.0 / (y * y);
  const tail = z * (1.0 / 12.0 - z * (1.0 / 120.0 - z * (1.0 / 252.0 - z * (1.0 / 240.0 - z / 132.0))));
  return sum + Math.log(y) - 0.5 / y - tail;
}
