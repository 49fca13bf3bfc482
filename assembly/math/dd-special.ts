// Special functions in double-double arithmetic, about 30 significant digits (dd.ts says how numbers pass).
//
//   erf            |x| < ¾: 2x/√π e^(−x²) Σ (2x²)^n/(2n + 1)!! (DLMF 7.6.2), all terms of one sign; else 1 − erfc
//   erfc           from ¾ on the trapezoidal rule with the residue of its pole (Matta and Reichl, Math. Comp. 25 (1971)
//                  339, eq. 1; Hunter and Regan, Math. Comp. 26 (1972) 539), of step s = 23/64: its error is
//                  e^(−π²/s²) = 2^-110. The relative error holds down to the smallest numbers
//   gamma          Γ(2 + t), |t| ≤ ½, as the exponential of its Taylor series (DLMF 5.7.3), and the recurrence both
//                  ways, without the reflection formula: exact at whole numbers, for the series is 0 there
//   lgamma         the same series and recurrence below 8½, Stirling's series above, shifted to 24 (DLMF 5.11.1)
//
// Relative errors against 40 digits are held by test/kernels/expression.test.ts. Coefficients, hi and lo, are rounded
// from 60 digits (test/kernels/fixtures/special-coefficients.py).

import { ddAdd, ddDiv, ddMul, ddSub, low, productError } from "./dd";
import { ddExp, ddExpm1, ddLn, ddLog1p, give, product, quotient, scaleByPower, tail } from "./dd-functions";

const TWO_OVER_ROOT_PI_HI: f64 = 1.1283791670955126;
const TWO_OVER_ROOT_PI_LO: f64 = 1.533545961316588e-17;
const SERIES_BELOW: f64 = 0.75;
const SERIES_TERMS: i32 = 27; // 1.125^27/55!! < 2^-106

/** s², 2π/s and 2s/π of the step s = 23/64. */
const STEP_SQUARED: f64 = 0.129150390625;
const TWO_PI_OVER_STEP_HI: f64 = 17.483646072151892;
const TWO_PI_OVER_STEP_LO: f64 = 9.904741907255271e-16;
const WEIGHT_HI: f64 = 0.22878523069459955;
const WEIGHT_LO: f64 = -5.470431480403377e-18;
const POLE_BELOW: f64 = 8.74; // π/s: beyond it the residue is not inside the strip
const ERFC_VANISHES: f64 = 27.3;

/** e^(−k² s²), k = 1 … 24. */
const gaussian = memory.data<f64>([
  0.8788417860410743, 2.1283400446482987e-18,
  0.596544425958485, 1.90213103369511e-17,
  0.3127492537825542, -1.3914441050983723e-17,
  0.12664007768218774, 1.1670617339330171e-17,
  0.03960658979406891, 5.375211521688468e-19,
  0.009567206073353063, 5.12699301821229e-19,
  0.001784942386708873, -6.587340046812922e-20,
  0.00025720811880066503, -2.0637704485425456e-20,
  2.8626387071287237e-05, -1.406400433402676e-21,
  2.4607630763054385e-06, 1.2957745253146558e-22,
  1.633783327822147e-07, -6.055284257754183e-24,
  8.378003053124454e-09, -6.239399611491902e-25,
  3.318241302185572e-10, -2.4640138190190018e-26,
  1.0150719132072844e-11, -3.517188551144585e-28,
  2.3983195828316685e-13, -1.402335372093989e-29,
  4.37661850287085e-15, -3.061552795293365e-31,
  6.168672681829291e-17, -3.93569311196746e-33,
  6.715311411395049e-19, 3.399883484569711e-35,
  5.646274444155721e-21, 3.1209711452205684e-37,
  3.666732317941295e-23, 2.226339666778636e-39,
  1.8391528522696424e-25, -3.592316791146698e-43,
  7.124884684080461e-28, 2.599603369696523e-44,
  2.1318627950624946e-30, -6.184493890562925e-48,
  4.926767378377395e-33, -5.816050588921569e-50,
]);
const STEPS: i32 = 24;

/** 1 − γ, then (−1)^k (ζ(k) − 1)/k for k = 2 … 53: ln Γ(2 + t) over t. */
const lgammaTaylor = memory.data<f64>([
  0.42278433509846713, 4.942915152430645e-18,
  0.3224670334241132, 1.520336175199238e-17,
  -0.0673523010531981, 6.87667631175899e-18,
  0.020580808427784546, 1.4629392512775695e-18,
  -0.007385551028673986, 4.1051370891788617e-19,
  0.0028905103307415234, -7.357950161901912e-20,
  -0.001192753911703261, 4.1747852352514e-20,
  0.0005096695247430425, -2.780354175057013e-20,
  -0.00022315475845357939, 6.032078299350848e-21,
  9.945751278180853e-05, 2.734261130690314e-21,
  -4.492623673813314e-05, 3.4577848248512954e-22,
  2.050721277567069e-05, 4.864174577619616e-22,
  -9.439488275268397e-06, 8.111985879973243e-22,
  4.374866789907488e-06, -3.7021851137962053e-22,
  -2.039215753801366e-06, -4.70891370095011e-23,
  9.55141213040742e-07, 4.798512617588967e-23,
  -4.492469198764566e-07, 1.4219340578032317e-23,
  2.1207184805554665e-07, 1.2243193613787666e-23,
  -1.0043224823968099e-07, -5.246728062732248e-24,
  4.7698101693639804e-08, 1.6747349659198183e-24,
  -2.2711094608943164e-08, -1.406065812811299e-24,
  1.0838659214896955e-08, -5.018242148804151e-25,
  -5.183475041970047e-09, -1.0891302535635231e-26,
  2.4836745438024785e-09, -1.5805048837932932e-25,
  -1.1921401405860912e-09, -5.269861418993634e-26,
  5.731367241678862e-10, -2.3810866578223724e-26,
  -2.7595228851242334e-10, 2.107257883073299e-26,
  1.330476437424449e-10, 6.614614775208236e-27,
  -6.4229645638381e-11, -4.232176684861536e-27,
  3.1044247747322276e-11, -2.8715350933450543e-27,
  -1.5021384080754142e-11, -5.063470614908766e-28,
  7.275974480239079e-12, 4.879514445370743e-28,
  -3.527742476575915e-12, -1.8425514965961343e-29,
  1.711991790559618e-12, -6.994387860952799e-29,
  -8.315385841420285e-13, 1.5951572809733943e-29,
  4.04220052528944e-13, -1.2672480151835454e-29,
  -1.9664756310966165e-13, 4.0719036606056276e-30,
  9.573630387838556e-14, 1.9773509309959252e-30,
  -4.6640760264283744e-14, 2.186282283713084e-30,
  2.2737369600659724e-14, -9.672147869269828e-31,
  -1.1091399470834522e-14, 1.5933072002908932e-31,
  5.413659156725363e-15, -1.5927035621801034e-31,
  -2.643880017860995e-15, -1.4241594083885883e-31,
  1.2918959062789966e-15, 7.958358891271392e-32,
  -6.315935504198448e-16, -4.148627969335702e-32,
  3.089316266963393e-16, -2.3015827891156758e-32,
  -1.5117930628108198e-16, 9.801548779944268e-33,
  7.40148685695232e-17, 2.7887551301987538e-33,
  -3.625218048120654e-17, 8.9292739029864e-34,
  1.7763568421861633e-17, -1.4422619123578226e-33,
  -8.70763157479179e-18, -3.644715586331977e-34,
  4.270088559227004e-18, 3.0259314536119503e-35,
  -2.0947604247944643e-18, -1.0921968389106116e-34,
]);
const TAYLOR_TERMS: i32 = 53;

/** B_2k / (2k (2k − 1)), k = 1 … 16. */
const stirlingCoefficients = memory.data<f64>([
  0.08333333333333333, 4.625929269271485e-18,
  -0.002777777777777778, 1.0601087908747154e-19,
  0.0007936507936507937, 6.883823317368282e-22,
  -0.0005952380952380953, 5.36938218754726e-20,
  0.0008417508417508417, 3.6870174889237694e-20,
  -0.0019175269175269176, 1.0675702776872475e-19,
  0.00641025641025641, 2.2240044563805217e-19,
  -0.029550653594771242, 4.861760957508855e-19,
  0.17964437236883057, -6.401600482710946e-19,
  -1.3924322169059011, 1.5837056989230303e-17,
  13.402864044168393, -6.154114101993966e-16,
  -156.84828462600203, 9.391823141715389e-15,
  2193.1033333333335, -1.3339255626002948e-13,
  -36108.77125372499, 5.897583353514365e-13,
  691472.268851313, 2.5585296305158e-11,
  -15238221.539407415, -8.76774522490625e-10,
]);
const STIRLING_TERMS: i32 = 16;
const STIRLING_FROM: f64 = 8.5;
const SHIFTED_TO: f64 = 24;
/** ½ ln 2π − ½ */
const STIRLING_CONSTANT_HI: f64 = 0.4189385332046727;
const STIRLING_CONSTANT_LO: f64 = 1.6728209650585413e-17;

const LARGEST_GAMMA: f64 = 171.7;
const SMALLEST_GAMMA: f64 = -190;

/** Σ c_k x^k, by Horner's rule. */
function polynomial(at: usize, terms: i32, xh: f64, xl: f64): f64 {
  let h = 0.0, l = 0.0;
  for (let k = terms - 1; k >= 0; k--) {
    h = ddMul(h, l, xh, xl); l = low;
    h = ddAdd(h, l, load<f64>(at + (<usize>k << 4)), load<f64>(at + (<usize>k << 4), 8)); l = low;
  }
  return give(h, l);
}

// ---- error functions -----------------------------------------------------------------------------------

export function ddErf(xh: f64, xl: f64): f64 {
  if (abs(xh) < SERIES_BELOW) return erfSeries(xh, xl);
  const ch = xh < 0 ? upperErfc(-xh, -xl) : upperErfc(xh, xl);
  const h = ddSub(1, 0, ch, tail), l = low;
  return xh < 0 ? give(-h, -l) : give(h, l);
}

export function ddErfc(xh: f64, xl: f64): f64 {
  if (xh >= SERIES_BELOW) return upperErfc(xh, xl);
  const near = xh > -SERIES_BELOW, sh = near ? erfSeries(xh, xl) : upperErfc(-xh, -xl);
  const h = ddSub(near ? 1 : 2, 0, sh, tail);
  return give(h, low);
}

function erfSeries(xh: f64, xl: f64): f64 {
  if (abs(xh) < 1e-20) { // the first term; scaled, so that the second word of a small x survives the product
    const p = ddMul(scaleByPower(xh, 200), scaleByPower(xl, 200), TWO_OVER_ROOT_PI_HI, TWO_OVER_ROOT_PI_LO), q = low;
    return give(scaleByPower(p, -200), scaleByPower(q, -200));
  }
  const sh = ddMul(xh, xl, xh, xl), sl = low;
  let h = 1.0, l = 0.0;
  for (let n = SERIES_TERMS; n > 0; n--) {
    h = ddMul(h, l, 2.0 * sh, 2.0 * sl); l = low;
    h = ddDiv(h, l, <f64>(2 * n + 1), 0); l = low;
    h = ddAdd(h, l, 1, 0); l = low;
  }
  h = ddMul(h, l, xh, xl); l = low;
  h = ddMul(h, l, TWO_OVER_ROOT_PI_HI, TWO_OVER_ROOT_PI_LO); l = low;
  const eh = ddExp(-sh, -sl);
  h = ddMul(h, l, eh, tail);
  return give(h, low);
}

/** erfc x = (2sx/π) e^(−x²) (1/2x² + Σ e^(−k²s²)/(x² + k²s²)) − 2/(e^(2πx/s) − 1), x ≥ ¾. */
function upperErfc(xh: f64, xl: f64): f64 {
  if (xh > ERFC_VANISHES) return give(0, 0);
  const sh = ddMul(xh, xl, xh, xl), sl = low;
  let h = ddDiv(0.5, 0, sh, sl), l = low;
  for (let k = 1; k <= STEPS; k++) {
    const dh = ddAdd(sh, sl, <f64>(k * k) * STEP_SQUARED, 0), at = gaussian + (<usize>(k - 1) << 4);
    const qh = ddDiv(load<f64>(at), load<f64>(at, 8), dh, low);
    h = ddAdd(h, l, qh, low); l = low;
  }
  h = ddMul(h, l, xh, xl); l = low;
  h = ddMul(h, l, WEIGHT_HI, WEIGHT_LO); l = low;
  h = timesGaussian(h, l, xh, xl); l = tail;
  if (xh > POLE_BELOW) return give(h, l);
  const ah = ddMul(xh, xl, TWO_PI_OVER_STEP_HI, TWO_PI_OVER_STEP_LO), eh = ddExpm1(ah, low);
  const ph = ddDiv(2, 0, eh, tail);
  h = ddSub(h, l, ph, low);
  return give(h, low);
}

/** h e^(−x²): x² with all its bits, for its absolute error is a relative one here; scaled against early underflow. */
function timesGaussian(h: f64, l: f64, xh: f64, xl: f64): f64 {
  const p = xh * xh, q = 2.0 * xh * xl;
  const sh = ddAdd(productError(xh, xh, p), xl * xl, q, productError(2.0 * xh, xl, q)), eh = ddExp(-sh, -low);
  h = ddMul(h, l, eh, tail); l = low;
  const gh = ddExp(-0.5 * p, 0), gl = tail;
  h = ddMul(h, l, gh, gl); l = low;
  h = ddMul(scaleByPower(h, 300), scaleByPower(l, 300), gh, gl); l = low;
  return give(scaleByPower(h, -300), scaleByPower(l, -300));
}

// ---- gamma function ------------------------------------------------------------------------------------

/** ln Γ(2 + t), |t| ≤ ½. */
function lgammaNearTwo(th: f64, tl: f64): f64 {
  const h = polynomial(lgammaTaylor, TAYLOR_TERMS, th, tl), p = ddMul(h, tail, th, tl);
  return give(p, low);
}

/** (a)(a + 1) … (a + count − 1) with a = whole + t. */
function rising(whole: f64, count: i32, th: f64, tl: f64): f64 {
  let h = 1.0, l = 0.0;
  for (let k = 0; k < count; k++) {
    const fh = ddAdd(whole + <f64>k, 0, th, tl);
    h = product(h, l, fh, low); l = tail;
  }
  return give(h, l);
}

/** Γ(x); NaN at its poles. */
export function ddGamma(xh: f64, xl: f64): f64 {
  if (xh != xh || (xh <= 0 && xl == 0 && floor(xh) == xh)) return give(NaN, NaN);
  if (xh > LARGEST_GAMMA) return give(Infinity, 0);
  if (xh < SMALLEST_GAMMA) return give(0, 0);
  if (abs(xh) < 1e-40) return reciprocal(xh, xl); // Γ = 1/x − γ + …
  const whole = nearest(xh), th = ddAdd(xh - whole, 0, xl, 0), tl = low;
  const yh = lgammaNearTwo(th, tl);
  const h = ddExp(yh, tail), l = tail;
  return whole < 2 ? gammaBelow(h, l, whole, th, tl) : gammaAbove(h, l, whole, th, tl);
}

function gammaAbove(h: f64, l: f64, whole: f64, th: f64, tl: f64): f64 {
  const ph = rising(2, <i32>whole - 2, th, tl);
  return product(h, l, ph, tail);
}

/** Γ(2 + t) over its recurrence, in two divisions, for 190! is no double. */
function gammaBelow(h: f64, l: f64, whole: f64, th: f64, tl: f64): f64 {
  const count = 2 - <i32>whole, first = min(count, 100);
  const ph = rising(whole, first, th, tl), qh = quotient(h, l, ph, tail), ql = tail;
  const rh = rising(whole + <f64>first, count - first, th, tl);
  return quotient(qh, ql, rh, tail);
}

/** 1/x of a small x, whose reciprocal may be too large to split. */
function reciprocal(xh: f64, xl: f64): f64 {
  const h = quotient(1, 0, scaleByPower(xh, 400), scaleByPower(xl, 400)), l = tail;
  return give(scaleByPower(h, 400), scaleByPower(l, 400));
}

/** ln Γ(x) for x > 0; NaN elsewhere. */
export function ddLgamma(xh: f64, xl: f64): f64 {
  if (!(xh > 0)) return give(NaN, NaN);
  if (xh >= STIRLING_FROM) return lgammaByStirling(xh, xl);
  const whole = nearest(xh), th = ddAdd(xh - whole, 0, xl, 0), tl = low;
  let h = lgammaNearTwo(th, tl), l = tail;
  if (whole > 2) {
    const ph = rising(2, <i32>whole - 2, th, tl), lh = ddLn(ph, tail);
    h = ddAdd(h, l, lh, tail); l = low;
  }
  if (whole < 2) { const lh = ddLog1p(th, tl); h = ddSub(h, l, lh, tail); l = low; }
  if (whole < 1) { const lh = ddLn(xh, xl); h = ddSub(h, l, lh, tail); l = low; }
  return give(h, l);
}

/** (z − ½)(ln z − 1) + ½ ln 2π − ½ + Σ B_2k/(2k (2k − 1) z^(2k − 1)) − ln (x … (z − 1)) with z = x + n ≥ 24. */
function lgammaByStirling(xh: f64, xl: f64): f64 {
  const shift = xh < SHIFTED_TO ? <i32>ceil(SHIFTED_TO - xh) : 0;
  const zh = ddAdd(xh, xl, <f64>shift, 0), zl = low;
  const lh = ddLn(zh, zl), kh = ddSub(lh, tail, 1, 0), kl = low;
  const mh = ddSub(zh, zl, 0.5, 0);
  let h = product(mh, low, kh, kl), l = tail;
  h = ddAdd(h, l, STIRLING_CONSTANT_HI, STIRLING_CONSTANT_LO); l = low;
  if (zh < 1e20) { const sh = stirling(zh, zl); h = ddAdd(h, l, sh, tail); l = low; }
  if (shift == 0) return give(h, l);
  const ph = rising(0, shift, xh, xl), qh = ddLn(ph, tail);
  h = ddSub(h, l, qh, tail);
  return give(h, low);
}

function stirling(zh: f64, zl: f64): f64 {
  const yh = ddDiv(1, 0, zh, zl), yl = low, sh = ddMul(yh, yl, yh, yl);
  const h = polynomial(stirlingCoefficients, STIRLING_TERMS, sh, low), p = ddMul(h, tail, yh, yl);
  return give(p, low);
}
