// Elementary functions in double-double arithmetic, about 30 significant digits (dd.ts says how numbers pass).
//
//   exp, expm1       x − k ln 2 by two tables of e^a − 1 (P. T. P. Tang, ACM TOMS 15 (1989) 144) and a Taylor series
//   ln, log1p        one Newton step on exp − 1 from the double logarithm
//   sin, cos         x − n π/2 with π/2 in four parts (Cody and Waite, Software Manual for the Elementary
//                    Functions, 1980, ch. 8), a table of r = j/64 and Taylor series beside it; NaN for |x| > 2^50
//   sinpi, cospi     of πx, reduced exactly: sinpi(1) is 0
//   atan             the double arctangent, corrected by the angle between it and (1, x)
//   asinh, acosh     ln(1 + …) of what the root leaves beside 1; ln 2x where the root leaves nothing
//   atanh            its series, or half the logarithm of (1 + x)/(1 − x)
//
// After Hida, Li and Bailey, "Library for double-double and quad-double arithmetic" (2007). Relative errors against
// 60-digit references are held by test/kernels/expression.test.ts below 2^-94, near zeros of a function too.

import { artanhSeries, ddAdd, ddAddSmaller, ddDiv, ddMul, ddSub, fastSumError, low, productError, sumError } from "./dd";

/** The low part of the last result of this file. */
export let tail: f64 = 0;

// ln 2 in three parts; the first two have 41 bits, so that k times them is exact for |k| < 2^12.
const LN2_1: f64 = 0.693147180559663;
const LN2_2: f64 = 2.8235290563014906e-13;
const LN2_3: f64 = 1.667085920830552e-25;
export const LN2_HI: f64 = 0.6931471805599453;
export const LN2_LO: f64 = 2.3190468138462996e-17;
const INVERSE_LN2: f64 = 1.4426950408889634;
const INVERSE_LN2_LO: f64 = 2.0355273740931033e-17;
const INVERSE_LN10_HI: f64 = 0.4342944819032518;
const INVERSE_LN10_LO: f64 = 1.098319650216765e-17;

const PI_HI: f64 = 3.141592653589793;
const PI_LO: f64 = 1.2246467991473532e-16;
const HALF_PI_1: f64 = 1.5707963267948966;
const HALF_PI_2: f64 = 6.123233995736766e-17;
const HALF_PI_3: f64 = -1.4973849048591698e-33;
const HALF_PI_4: f64 = 5.562271104316826e-50;
const TWO_OVER_PI: f64 = 0.6366197723675814;
export const LARGEST_ANGLE: f64 = 1125899906842624.0; // 2^50

/** hi + lo as this file's result; for the files beside it, too. */
@inline export function give(hi: f64, lo: f64): f64 { tail = lo; return hi; }

@inline function power2(k: i32): f64 { return reinterpret<f64>((<u64>(k + 1023)) << 52); }

/** x · 2^k, in two steps where 2^k is no double. */
@inline export function scaleByPower(x: f64, k: i32): f64 {
  const half = k >> 1;
  return x * power2(half) * power2(k - half);
}

// ---- products and quotients over the whole range -------------------------------------------------------

const LARGE: f64 = 1.0463951242053391e298; // 2^990: past it the split of a product overflows
const DOWN: f64 = 5.421010862427522e-20; // 2^-64
const UP: f64 = 1.8446744073709552e19; // 2^64
const FAR_DOWN: f64 = 7.458340731200207e-155; // 2^-512
const FAR_UP: f64 = 1.3407807929942597e154; // 2^512

export function product(ah: f64, al: f64, bh: f64, bl: f64): f64 {
  if (abs(ah) <= LARGE && abs(bh) <= LARGE) { const h = ddMul(ah, al, bh, bl); return give(h, low); }
  const aBig = abs(ah) > abs(bh);
  const h = aBig ? ddMul(ah * DOWN, al * DOWN, bh, bl) : ddMul(ah, al, bh * DOWN, bl * DOWN);
  return give(h * UP, low * UP);
}

export function quotient(ah: f64, al: f64, bh: f64, bl: f64): f64 {
  const aBig = abs(ah) > LARGE || abs(ah) > LARGE * abs(bh), bBig = abs(bh) > LARGE;
  if (!aBig && !bBig) { const h = ddDiv(ah, al, bh, bl); return give(h, low); }
  const a = aBig ? FAR_DOWN : 1.0, b = bBig ? DOWN : 1.0, back = aBig ? FAR_UP : 1.0;
  const h = ddDiv(ah * a, al * a, bh * b, bl * b);
  return give(h * b * back, low * b * back);
}

/** Karp and Markstein, ACM TOMS 23 (1997) 561: one correction of a · (1/√a). */
export function squareRoot(ah: f64, al: f64): f64 {
  if (ah == 0) return give(0, 0);
  if (!(ah > 0)) return give(NaN, NaN);
  // By an even power of two to the middle of the range, so that nothing below over- or underflows.
  const k = (((<i32>(reinterpret<u64>(ah) >> 52)) - 1023) >> 1) << 1;
  const h = scaleByPower(ah, -k), l = scaleByPower(al, -k);
  const x = sqrt(h);
  const sh = ddMul(x, 0, x, 0);
  const correction = ddSub(h, l, sh, low) / (2.0 * x);
  const r = x + correction;
  return give(scaleByPower(r, k >> 1), scaleByPower(fastSumError(x, correction, r), k >> 1));
}

// ---- exponential and logarithm -------------------------------------------------------------------------

/** e^(j/32) − 1 for j = −12 … 12 and e^(k/1024) − 1 for k = −16 … 16, as hi, lo (mpmath 1.3.0, 60 digits). */
const expm1Wide = memory.data<f64>([
  -0.3127107212090278, 1.842314816988643e-17,
  -0.2908938175626016, -1.2868055655346304e-17,
  -0.2683843710533582, 8.35576468031604e-18,
  -0.24516039801099265, -9.844076038651084e-18,
  -0.22119921692859512, -1.0231869534531498e-17,
  -0.19647742631093926, -8.86329269357526e-18,
  -0.17097088181959966, 1.5116689608969005e-19,
  -0.14465467269257745, -1.0550675610571318e-17,
  -0.1175030974154046, 3.2658820639011965e-18,
  -0.08948963861996587, -5.494907630146725e-18,
  -0.06058693718652421, -7.077887227488846e-19,
  -0.03076676552365592, 5.607402565184088e-19,
  0.0, 0.0,
  0.03174340749910267, 7.614433403626514e-19,
  0.06449445891785943, -2.2934210303960824e-18,
  0.09828514030782586, -6.438065156763691e-18,
  0.13314845306682632, -5.370737708558031e-18,
  0.16911844616950442, -1.3811845173682628e-17,
  0.2062302494209807, 1.1540139455476613e-17,
  0.24452010776609515, 8.861603894276184e-18,
  0.2840254166877415, -2.133257464457841e-17,
  0.3247847587288656, -1.6795478687091983e-17,
  0.36683794117379637, -4.061704634846282e-18,
  0.4102260349257107, 1.3752340957573633e-17,
  0.45499141461820136, -2.5843071672554946e-17,
]);
const expm1Narrow = memory.data<f64>([
  -0.015503562994591593, -6.554927149823924e-19,
  -0.014541671095493942, -6.358647085869967e-19,
  -0.013578839390023436, -7.240429667784234e-19,
  -0.012615066959952136, 7.190595828863019e-19,
  -0.011650352886154952, -1.1509904913833474e-19,
  -0.01068469624860878, 1.7107723706367732e-19,
  -0.00971809612639161, -3.293422415605994e-19,
  -0.00875055159768166, 3.3545876030499134e-19,
  -0.007782061739756488, -2.171849242067691e-19,
  -0.006812625628992118, -4.2620409287987926e-19,
  -0.005842242340862157, -3.939568896194982e-19,
  -0.004870910949936913, 3.061154648294614e-19,
  -0.00389863052988251, 4.543457780805127e-20,
  -0.0029254001534600106, -7.626156931305499e-20,
  -0.0019512188925245274, 9.153334342393225e-20,
  -0.0009760858180243377, -2.7707556893986876e-20,
  0.0, 0.0,
  0.0009770394924165351, 1.0239703992846352e-19,
  0.001955033591002812, 1.3494445422136546e-19,
  0.002933983228446758, 9.794588196576689e-20,
  0.003913889338347573, 1.3767781142788427e-19,
  0.004894752855216622, 3.323751755108304e-19,
  0.005876574714478323, 4.708111041231766e-20,
  0.00685935585247104, -3.2286354078617627e-19,
  0.007843097206447977, 6.611915286438626e-19,
  0.008827799714578075, -1.3853612701517567e-19,
  0.009813464315946896, -4.375428872015839e-19,
  0.010800091950557532, 1.292480047243213e-19,
  0.011787683559331491, 4.796862574982614e-19,
  0.012776240084109602, 2.9982985623618613e-19,
  0.013765762467652909, -3.3333703169349387e-19,
  0.014756251653643566, -4.516000178775803e-19,
  0.015747708586685748, -2.862138367894185e-19,
]);

/**
 * e^r − 1 for |r| ≤ 0.375: r = j/32 + k/1024 + u with |u| ≤ 2^-11, and e^(a+b) − 1 = A + B + AB. From u⁵/5! on the terms are
 * doubles: beside u they are below 2^-50.
 */
function expm1Reduced(rh: f64, rl: f64): f64 {
  const j = nearest(32.0 * rh), s = rh - 0.03125 * j; // exact
  const t = s + rl, e = sumError(s, rl, t);
  const k = nearest(1024.0 * t), d = t - 0.0009765625 * k; // exact
  const u = d + e, v = sumError(d, e, u);
  let h = expm1Small(u, v), l = tail;
  if (k != 0) { h = expm1OfSum(expm1Narrow + (entry(k, 16) << 4), h, l); l = tail; }
  if (j != 0) { h = expm1OfSum(expm1Wide + (entry(j, 12) << 4), h, l); l = tail; }
  return give(h, l);
}

/** Place in a table of −half … half. Parameters may hold a low part that is none: what comes of it is for the gates. */
@inline function entry(k: f64, half: i32): usize {
  const i = <i32>k + half;
  return <usize>(<u32>i > <u32>(2 * half) ? half : i);
}

/** u + u²(1/2 + u(1/6 + u(1/24 + …))) */
function expm1Small(u: f64, v: f64): f64 {
  const q = u * (0.008333333333333333 + u * (0.001388888888888889 + u * (0.0001984126984126984 + u * 2.48015873015873e-05)));
  let h = ddAddSmaller(0.041666666666666664, 2.3129646346357427e-18, q, 0), l = low;
  h = ddMul(h, l, u, v); l = low;
  h = ddAddSmaller(0.16666666666666666, 9.25185853854297e-18, h, l); l = low;
  h = ddMul(h, l, u, v); l = low;
  h = ddAddSmaller(0.5, 0, h, l); l = low;
  h = ddMul(h, l, u, v); l = low;
  h = ddMul(h, l, u, v); l = low;
  h = ddAddSmaller(u, v, h, l);
  return give(h, low);
}

/** A + B + AB with A at `table`. */
function expm1OfSum(table: usize, bh: f64, bl: f64): f64 {
  const ah = load<f64>(table), al = load<f64>(table, 8);
  let h = ddMul(ah, al, bh, bl), l = low;
  h = ddAddSmaller(bh, bl, h, l); l = low;
  h = ddAddSmaller(ah, al, h, l);
  return give(h, low);
}

/** x − k ln 2 with k = round(x / ln 2), which goes to `quotientOf`. */
let quotientOf: i32 = 0;
function reduceByLn2(xh: f64, xl: f64): f64 {
  const k = nearest(xh * INVERSE_LN2);
  quotientOf = <i32>k;
  const a = k * LN2_1, s = xh - a, e = sumError(xh, -a, s);
  let h = ddAdd(s, e, xl, 0), l = low;
  h = ddSub(h, l, k * LN2_2, 0); l = low;
  const c = k * LN2_3;
  h = ddSub(h, l, c, productError(k, LN2_3, c));
  return give(h, low);
}

export function ddExp(xh: f64, xl: f64): f64 {
  if (xh > 709.79) return give(Infinity, 0);
  if (xh < -745.2) return give(0, 0);
  if (xh == 0) return give(1, 0);
  const rh = reduceByLn2(xh, xl), rl = tail, k = quotientOf;
  const sh = expm1Reduced(rh, rl);
  const h = ddAdd(sh, tail, 1, 0);
  return give(scaleByPower(h, k), scaleByPower(low, k));
}

export function ddExpm1(xh: f64, xl: f64): f64 {
  if (abs(xh) <= 0.3465) return expm1Reduced(xh, xl);
  const h = ddExp(xh, xl), s = ddSub(h, tail, 1, 0);
  return give(s, low);
}

export function ddLn(xh: f64, xl: f64): f64 {
  if (xh == 0) return give(-Infinity, 0);
  if (!(xh > 0)) return give(NaN, NaN);
  // x = m 2^k with m in [√½, √2); a subnormal x is brought up first.
  let k: i32 = 0, mh = xh, ml = xl;
  if (mh < 2.2250738585072014e-308) { mh *= UP; ml *= UP; k = -64; }
  const exponent = (<i32>(reinterpret<u64>(mh) >> 52)) - 1023;
  mh = scaleByPower(mh, -exponent); ml = scaleByPower(ml, -exponent); k += exponent;
  if (mh > 1.4142135623730951) { mh *= 0.5; ml *= 0.5; k++; }
  const h = lnReduced(mh, ml), l = tail;
  if (k == 0) return give(h, l);
  const f = <f64>k;
  let s = ddAdd(f * LN2_1, 0, f * LN2_2, 0), t = low;
  s = ddAdd(s, t, f * LN2_3, 0); t = low;
  s = ddAdd(s, t, h, l);
  return give(s, low);
}

/** ln m for m in [√½, √2]: y + ln(1 + δ) with δ = m e^−y − 1 = (m − 1) + m (e^−y − 1), of size 2^-53; near 1 too. */
function lnReduced(mh: f64, ml: f64): f64 {
  const y = Math.log(mh);
  const eh = expm1Reduced(-y, 0);
  const h = ddMul(eh, tail, mh, ml), d = ddAdd(mh - 1, ml, h, low);
  return refined(y, d, low);
}

/** y + ln(1 + δ) = y + δ − δ²/2. */
@inline function refined(y: f64, dh: f64, dl: f64): f64 {
  const h = ddAdd(dh, dl, -0.5 * dh * dh, 0), s = ddAdd(y, 0, h, low);
  return give(s, low);
}

/** For small x as `lnReduced`, δ = (1 + x) e^−y − 1 = x + E + xE. */
export function ddLog1p(xh: f64, xl: f64): f64 {
  if (abs(xh) >= 0.25) { const h = ddAdd(xh, xl, 1, 0); return ddLn(h, low); }
  const y = Math.log1p(xh);
  const eh = expm1Reduced(-y, 0), el = tail;
  let h = ddMul(eh, el, xh, xl), l = low;
  h = ddAdd(eh, el, h, l); l = low;
  h = ddAdd(xh, xl, h, l);
  return refined(y, h, low);
}

export function ddLog10(xh: f64, xl: f64): f64 {
  const h = ddLn(xh, xl), q = ddMul(h, tail, INVERSE_LN10_HI, INVERSE_LN10_LO);
  return give(q, low);
}

export function ddLog2(xh: f64, xl: f64): f64 {
  const h = ddLn(xh, xl), q = ddMul(h, tail, INVERSE_LN2, INVERSE_LN2_LO);
  return give(q, low);
}

// ---- trigonometry --------------------------------------------------------------------------------------

/** sin(j/64), cos(j/64) for j = 0 … 51, each as hi, lo (mpmath 1.3.0, 60 digits). */
const sineCosine = memory.data<f64>([
  0.0, 0.0, 1.0, 0.0,
  0.015624364224883372, -1.2650937552759816e-19, 0.9998779321710066, 3.216122229972341e-17,
  0.03124491398532608, -1.562781562225433e-18, 0.9995117584851364, -3.418806487972947e-17,
  0.04685783574813424, -2.3419368365610254e-18, 0.9989015683384429, -2.1425557800399754e-17,
  0.0624593178423802, -2.040259504585711e-18, 0.9980475107000991, 3.3232291674141346e-17,
  0.07804555138996731, -5.449443782005793e-18, 0.9969497940760287, -1.2467075728553626e-17,
  0.09361273123551289, 1.4628632005878733e-18, 0.9956086864580017, 3.312922430932991e-17,
  0.10915705687532236, 6.6284699502736666e-18, 0.9940245152582091, 1.3287985046260087e-17,
  0.12467473338522769, -2.925947496057858e-18, 0.992197667229329, 4.754870575189364e-17,
  0.1401619723470637, -9.946847113883478e-18, 0.9901285883701071, -4.589906353553811e-18,
  0.15561499277355603, 8.886053372342288e-18, 0.9878177838164719, 4.91917302237681e-17,
  0.17103002203139503, -9.954774726452923e-18, 0.9852658177182139, -4.925721262944555e-17,
  0.18640329676226988, 2.3493796901281573e-18, 0.9824733131012553, -3.919920375420088e-17,
  0.2017310638016388, 5.587232815460113e-18, 0.9794409517155483, 1.3108769521526758e-17,
  0.21700958109501015, 1.1170071073364376e-17, 0.9761694738686353, -7.850690609285027e-18,
  0.23223511861151147, -8.318080852687206e-18, 0.9726596782449127, 2.3920264546490165e-17,
  0.24740395925452294, -7.53102495590706e-18, 0.9689124217106447, 5.071436662403936e-17,
  0.2625123997691533, -2.2534597527902125e-17, 0.964928619104771, -3.0345542681018625e-18,
  0.2775567516463363, 1.7674070262791822e-17, 0.9607092430155619, -2.807827063516729e-17,
  0.29253334202332754, 7.516944930327352e-18, 0.9562553235431753, -3.148450868841629e-17,
  0.30743851458038085, 1.1004366442765296e-19, 0.9515679480481722, -3.8614834675674123e-17,
  0.3222686304333866, 2.093773358126606e-17, 0.9466482608860534, -3.911683334934152e-17,
  0.33702006902225307, 1.0312279860787216e-17, 0.9414974631278811, -4.8523830236797095e-18,
  0.3516892289948141, -2.5616208736069942e-17, 0.9361168122670553, -5.2350302039683216e-17,
  0.36627252908604757, -9.938814562106524e-18, 0.9305076219123143, 4.488760003328074e-18,
  0.38076640899239017, 2.1372528646211374e-17, 0.924671261467036, 5.5444125388034563e-17,
  0.39516733024093426, -1.9613487871414228e-17, 0.9186091557949183, -4.0564150104514996e-17,
  0.40947177705329507, -5.679403000091266e-18, 0.9123227848721178, 2.6349040211413332e-17,
  0.42367625720393803, -2.331800700068871e-17, 0.9058136834259364, 4.2864666490805214e-17,
  0.4377773028727551, 7.64345629962023e-18, 0.8990834405601384, 9.076951775075616e-18,
  0.4517714714916838, -8.234073942098903e-18, 0.8921336993669944, 2.3160655211380166e-17,
  0.46565534658516017, 1.459870391051426e-17, 0.8849661565261433, -7.690557775987357e-18,
  0.479425538604203, -5.103969860556013e-18, 0.8775825618903728, -4.2623149864279997e-17,
  0.49307868575392305, 5.605083973871755e-18, 0.8699847180584174, 1.657385110740923e-17,
  0.5066114548142574, -3.269413423618168e-17, 0.8621744799348805, 4.4132427578105805e-18,
  0.520020541953727, -3.983266745698455e-17, 0.8541537542773854, 5.420565102675286e-18,
  0.5333026735360201, 5.129318115032044e-17, 0.8459244992310679, 1.549506647350329e-17,
  0.5464546069192036, 8.399754840929507e-18, 0.8374887238505236, 4.3337026043948396e-17,
  0.5594731312473669, 1.575565514488728e-17, 0.8288484876093257, 1.1163935406617444e-17,
  0.5723550682345072, 2.6575872357215316e-17, 0.820005899897234, -3.912431748209128e-17,
  0.5850972729404622, -5.4883972461161805e-17, 0.8109631195052179, -3.091333486122179e-17,
  0.5976966345387015, 5.450323593054385e-17, 0.8017223540984184, 4.0134533311087014e-17,
  0.6101500770757914, -1.479826990758988e-17, 0.7922858596771786, -2.9049779312834576e-17,
  0.6224545602223437, -6.049035765709707e-18, 0.7826559400262728, -1.474071641211487e-17,
  0.6346070800152693, -3.4568582392624965e-17, 0.7728349461524715, 4.231014921891023e-17,
  0.6466046695911524, 4.567647714393289e-19, 0.7628252757105762, 1.6672995021546628e-17,
  0.6584443999105676, -3.7736386700306717e-17, 0.7526293724180665, -1.2970993013150526e-17,
  0.6701233804731629, 6.183536725574959e-18, 0.7422497254585013, -1.2339303604869521e-17,
  0.6816387600233341, 4.410467313197903e-17, 0.7316888688738209, -1.0475824306512768e-17,
  0.692987727246318, -5.3543290798909455e-17, 0.7209493809456964, 3.494986701478816e-17,
  0.7041675114545337, -3.94095700584825e-17, 0.7100338835660797, 1.505272211891291e-17,
  0.7151753832640076, -1.466099578328228e-17, 0.6989450415971057, -5.5261332036460915e-18,
]);

// r = j/64 + s with |s| ≤ 1/128: where the table is, sin s, and cos s − 1.
let tabled: usize = 0;
let mirrored: f64 = 1;
let smallSine: f64 = 0, smallSineLow: f64 = 0;
let smallCosine: f64 = 0, smallCosineLow: f64 = 0;

/** Reads |r| ≤ π/4. From s⁷/7! and s⁶/6! on the terms are doubles: beside the sum they are below 2^-51. */
function reduceByTable(rh: f64, rl: f64): void {
  const j = nearest(64.0 * rh), d = rh - 0.015625 * j; // exact
  mirrored = j < 0 ? -1.0 : 1.0;
  tabled = sineCosine + (<usize>min(<u32>(<i32>abs(j)), 51) << 5);
  const s = d + rl, t = sumError(d, rl, s);
  const z = ddMul(s, t, s, t), zl = low;
  const q = z * (-0.0001984126984126984 + z * (2.7557319223985893e-06 + z * -2.505210838544172e-08));
  let h = ddAddSmaller(0.008333333333333333, 1.1564823173178714e-19, q, 0), l = low;
  h = ddMul(h, l, z, zl); l = low;
  h = ddAddSmaller(-0.16666666666666666, -9.25185853854297e-18, h, l); l = low;
  h = ddMul(h, l, z, zl); l = low;
  h = ddMul(h, l, s, t); l = low;
  smallSine = ddAddSmaller(s, t, h, l); smallSineLow = low;
  const p = z * (-0.001388888888888889 + z * (2.48015873015873e-05 + z * -2.755731922398589e-07));
  h = ddAddSmaller(0.041666666666666664, 2.3129646346357427e-18, p, 0); l = low;
  h = ddMul(h, l, z, zl); l = low;
  h = ddAddSmaller(-0.5, 0, h, l); l = low;
  smallCosine = ddMul(h, l, z, zl); smallCosineLow = low;
}

/** sin(a + s) = sin a + (sin a (cos s − 1) + cos a sin s) of the r that was read last. */
function sinReduced(): f64 {
  if (tabled == sineCosine) return give(smallSine, smallSineLow);
  const ah = mirrored * load<f64>(tabled), al = mirrored * load<f64>(tabled, 8);
  const p = ddMul(ah, al, smallCosine, smallCosineLow), pl = low;
  const q = ddMul(load<f64>(tabled, 16), load<f64>(tabled, 24), smallSine, smallSineLow);
  let h = ddAdd(q, low, p, pl), l = low;
  h = ddAddSmaller(ah, al, h, l);
  return give(h, low);
}

/** cos(a + s) = cos a + (cos a (cos s − 1) − sin a sin s). */
function cosReduced(): f64 {
  const ah = load<f64>(tabled, 16), al = load<f64>(tabled, 24);
  const p = ddMul(ah, al, smallCosine, smallCosineLow), pl = low;
  const q = ddMul(-mirrored * load<f64>(tabled), -mirrored * load<f64>(tabled, 8), smallSine, smallSineLow);
  let h = ddAdd(q, low, p, pl), l = low;
  h = ddAddSmaller(ah, al, h, l);
  return give(h, low);
}

/** x − n π/2 with n = round(2x/π); n mod 4 goes to `quotientOf`. */
function reduceByHalfPi(xh: f64, xl: f64): f64 {
  const n = nearest(xh * TWO_OVER_PI);
  quotientOf = <i32>((<i64>n) & 3);
  if (n == 0) return give(xh, xl);
  const p1 = n * HALF_PI_1, e1 = productError(n, HALF_PI_1, p1);
  const p2 = n * HALF_PI_2, e2 = productError(n, HALF_PI_2, p2);
  const s = xh - p1;
  let h = ddAdd(s, sumError(xh, -p1, s), xl, 0), l = low;
  h = ddSub(h, l, e1, 0); l = low;
  h = ddSub(h, l, p2, e2); l = low;
  const p3 = n * HALF_PI_3;
  h = ddSub(h, l, p3, productError(n, HALF_PI_3, p3)); l = low;
  h = ddSub(h, l, n * HALF_PI_4, 0);
  return give(h, low);
}

/** sin of r + n π/2, with the r that was read last. */
function sinOfQuadrant(n: i32): f64 {
  const h = n & 1 ? cosReduced() : sinReduced();
  return n & 2 ? give(-h, -tail) : h;
}

export function ddSin(xh: f64, xl: f64): f64 {
  if (!(abs(xh) <= LARGEST_ANGLE)) return give(NaN, NaN);
  const h = reduceByHalfPi(xh, xl);
  reduceByTable(h, tail);
  return sinOfQuadrant(quotientOf);
}

export function ddCos(xh: f64, xl: f64): f64 {
  if (!(abs(xh) <= LARGEST_ANGLE)) return give(NaN, NaN);
  const h = reduceByHalfPi(xh, xl);
  reduceByTable(h, tail);
  return sinOfQuadrant(quotientOf + 1);
}

export function ddTan(xh: f64, xl: f64): f64 {
  if (!(abs(xh) <= LARGEST_ANGLE)) return give(NaN, NaN);
  const rh = reduceByHalfPi(xh, xl), n = quotientOf;
  reduceByTable(rh, tail);
  const sh = sinOfQuadrant(n), sl = tail;
  const ch = sinOfQuadrant(n + 1);
  const h = ddDiv(sh, sl, ch, tail);
  return give(h, low);
}

/** x − n/2 with n = round(2x), exactly; then times π. n mod 4 goes to `quotientOf`. */
function reduceHalfTurns(xh: f64, xl: f64): f64 {
  const turns = xh - 2.0 * nearest(xh * 0.5); // exact: |turns| ≤ 1
  let h = ddAdd(turns, 0, xl, 0), l = low;
  const n = nearest(2.0 * h);
  h = ddSub(h, l, 0.5 * n, 0); l = low;
  quotientOf = (<i32>n) & 3;
  const r = ddMul(h, l, PI_HI, PI_LO);
  return give(r, low);
}

/** sin πx; 0 at the integers. */
export function ddSinPi(xh: f64, xl: f64): f64 {
  const h = reduceHalfTurns(xh, xl);
  reduceByTable(h, tail);
  return sinOfQuadrant(quotientOf) + 0.0;
}

/** cos πx; 0 half way between the integers. */
export function ddCosPi(xh: f64, xl: f64): f64 {
  const h = reduceHalfTurns(xh, xl);
  reduceByTable(h, tail);
  return sinOfQuadrant(quotientOf + 1) + 0.0;
}

/** The angle of (x, y), in (−π, π]. */
export function ddAtan2(yh: f64, yl: f64, xh: f64, xl: f64): f64 {
  if (yh == 0) { if (xh >= 0) return give(0, 0); return give(PI_HI, PI_LO); }
  // Both by one power of two, so that the larger is near 1.
  const size = max(abs(xh), abs(yh));
  const k = 1023 - (<i32>((reinterpret<u64>(size) >> 52) & 0x7ff));
  const ah = scaleByPower(yh, k), al = scaleByPower(yl, k), bh = scaleByPower(xh, k), bl = scaleByPower(xl, k);
  // θ from the doubles; what is left is the angle δ with tan δ = (y cos θ − x sin θ) / (x cos θ + y sin θ).
  const t = Math.atan2(ah, bh);
  const rh = reduceByHalfPi(t, 0), n = quotientOf;
  reduceByTable(rh, tail);
  const sh = sinOfQuadrant(n), sl = tail, ch = sinOfQuadrant(n + 1), cl = tail;
  const p = ddMul(ah, al, ch, cl), pl = low, q = ddMul(bh, bl, sh, sl), ql = low;
  const nh = ddSub(p, pl, q, ql), nl = low;
  const u = ddMul(bh, bl, ch, cl), ul = low, v = ddMul(ah, al, sh, sl), vl = low;
  const dh = ddAdd(u, ul, v, vl), dl = low;
  const eh = ddDiv(nh, nl, dh, dl), el = low;
  const h = ddAdd(t, 0, eh, el);
  return give(h, low);
}

export function ddAtan(xh: f64, xl: f64): f64 { return ddAtan2(xh, xl, 1, 0); }

/** √(1 − x²) as √((1 − x)(1 + x)). */
function cosineOfSine(xh: f64, xl: f64): f64 {
  const ah = ddSub(1, 0, xh, xl), al = low, bh = ddAdd(1, 0, xh, xl);
  const h = ddMul(ah, al, bh, low);
  return squareRoot(h, low);
}

export function ddAsin(xh: f64, xl: f64): f64 {
  const c = cosineOfSine(xh, xl);
  return ddAtan2(xh, xl, c, tail);
}

export function ddAcos(xh: f64, xl: f64): f64 {
  const c = cosineOfSine(xh, xl);
  return ddAtan2(c, tail, xh, xl);
}

// ---- hyperbolic functions, powers ----------------------------------------------------------------------

const NEARLY_HALVES: f64 = 40.0; // from here sinh and cosh are e^|x| / 2 to e^-80

/** sinh x = (u + u/(u + 1)) / 2 with u = e^|x| − 1. */
export function ddSinh(xh: f64, xl: f64): f64 {
  const negative = xh < 0;
  const ah = abs(xh), al = negative ? -xl : xl;
  if (ah > NEARLY_HALVES) return ofHalves(ah, al, negative);
  const uh = ddExpm1(ah, al), ul = tail;
  const vh = ddAdd(uh, ul, 1, 0), vl = low;
  const qh = ddDiv(uh, ul, vh, vl), ql = low;
  const h = ddAdd(uh, ul, qh, ql);
  return negative ? give(-0.5 * h, -0.5 * low) : give(0.5 * h, 0.5 * low);
}

export function ddCosh(xh: f64, xl: f64): f64 {
  const ah = abs(xh), al = xh < 0 ? -xl : xl;
  if (ah > NEARLY_HALVES) return ofHalves(ah, al, false);
  const eh = ddExp(ah, al), el = tail, qh = ddDiv(1, 0, eh, el), ql = low;
  const h = ddAdd(eh, el, qh, ql);
  return give(0.5 * h, 0.5 * low);
}

/** e^x / 2 where e^x alone may overflow. */
function ofHalves(ah: f64, al: f64, negative: bool): f64 {
  const s = ddSub(ah, al, LN2_HI, LN2_LO), h = ddExp(s, low);
  return negative ? give(-h, -tail) : h;
}

/** tanh x = u / (u + 2) with u = e^2x − 1. */
export function ddTanh(xh: f64, xl: f64): f64 {
  if (abs(xh) > 40) return give(xh > 0 ? 1 : -1, 0); // within e^−80
  const uh = ddExpm1(2.0 * xh, 2.0 * xl), ul = tail;
  const vh = ddAdd(uh, ul, 2, 0), vl = low, h = ddDiv(uh, ul, vh, vl);
  return give(h, low);
}

const ROOT_VANISHES: f64 = 1152921504606846976.0; // 2^60: √(x² ± 1) is x to 2^-120
const ARTANH_SERIES: f64 = 0.17;

/** asinh x = ln(1 + a + a²/(1 + √(1 + a²))), a = |x|. */
export function ddAsinh(xh: f64, xl: f64): f64 {
  if (abs(xh) < 1e-17) return give(xh, xl); // within x²/6
  const negative = xh < 0, ah = abs(xh), al = negative ? -xl : xl;
  if (ah > ROOT_VANISHES) { const h = lnTwice(ah, al); return negative ? give(-h, -tail) : h; }
  const sh = ddMul(ah, al, ah, al), sl = low, uh = ddAdd(sh, sl, 1, 0);
  const rh = squareRoot(uh, low), dh = ddAdd(rh, tail, 1, 0), qh = ddDiv(sh, sl, dh, low);
  const bh = ddAdd(ah, al, qh, low), h = ddLog1p(bh, low);
  return negative ? give(-h, -tail) : h;
}

/** acosh x = ln(1 + t + √(t (t + 2))), t = x − 1. */
export function ddAcosh(xh: f64, xl: f64): f64 {
  if (!(xh >= 1)) return give(NaN, NaN);
  if (xh > ROOT_VANISHES) return lnTwice(xh, xl);
  const th = ddSub(xh, xl, 1, 0), tl = low, uh = ddAdd(th, tl, 2, 0);
  const sh = ddMul(th, tl, uh, low), rh = squareRoot(sh, low);
  const bh = ddAdd(th, tl, rh, tail);
  return ddLog1p(bh, low);
}

function lnTwice(xh: f64, xl: f64): f64 {
  const lh = ddLn(xh, xl), h = ddAdd(lh, tail, LN2_HI, LN2_LO);
  return give(h, low);
}

export function ddAtanh(xh: f64, xl: f64): f64 {
  if (!(abs(xh) < 1)) return give(NaN, NaN);
  if (abs(xh) < ARTANH_SERIES) { const h = artanhSeries(xh, xl); return give(h, low); }
  const nh = ddAdd(1, 0, xh, xl), nl = low, dh = ddSub(1, 0, xh, xl);
  const qh = ddDiv(nh, nl, dh, low), h = ddLn(qh, low);
  return give(0.5 * h, 0.5 * tail);
}

/** x^n by repeated squaring, |n| ≤ 1024. */
export function ddPowerOf(xh: f64, xl: f64, n: i32): f64 {
  let rh = 1.0, rl = 0.0, bh = xh, bl = xl;
  for (let left = abs(n); left; left >>= 1) {
    if (left & 1) { rh = product(rh, rl, bh, bl); rl = tail; }
    if (left > 1) { bh = product(bh, bl, bh, bl); bl = tail; }
  }
  return n < 0 ? quotient(1, 0, rh, rl) : give(rh, rl);
}

/** x^y: by squaring where y is a whole number, else e^(y ln x), which a negative x has not. */
export function ddPow(xh: f64, xl: f64, yh: f64, yl: f64): f64 {
  if (yl == 0 && abs(yh) <= 1024 && nearest(yh) == yh) return ddPowerOf(xh, xl, <i32>yh);
  if (xh == 0) return give(yh > 0 ? 0 : NaN, 0);
  if (xh < 0) return give(NaN, NaN);
  const lh = ddLn(xh, xl), ll = tail, h = ddMul(lh, ll, yh, yl);
  return ddExp(h, low);
}

/** ∛x: one Newton step from the double root. */
export function ddCbrt(xh: f64, xl: f64): f64 {
  if (xh == 0) return give(0, 0);
  const r = Math.cbrt(xh);
  const sh = ddMul(r, 0, r, 0), sl = low, ch = ddMul(sh, sl, r, 0), cl = low;
  const dh = ddSub(xh, xl, ch, cl), correction = dh / (3.0 * sh);
  const s = r + correction;
  return give(s, fastSumError(r, correction, s));
}

/** ⌊x⌋ of the whole hi + lo. */
export function ddFloor(xh: f64, xl: f64): f64 {
  const f = floor(xh);
  if (f != xh) return give(f, 0);
  const g = floor(xl), s = f + g;
  return give(s, fastSumError(f, g, s));
}

/** x − y ⌊x/y⌋: the sign of y. */
export function ddMod(xh: f64, xl: f64, yh: f64, yl: f64): f64 {
  const qh = quotient(xh, xl, yh, yl), fh = ddFloor(qh, tail), ph = product(fh, tail, yh, yl);
  const h = ddSub(xh, xl, ph, tail);
  return give(h, low);
}
