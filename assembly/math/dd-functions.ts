// Elementary functions in double-double arithmetic, about 30 significant digits (dd.ts says how numbers pass).
//
//   exp, expm1       x − k ln 2 by two tables of e^a − 1 (P. T. P. Tang, ACM TOMS 15 (1989) 144) and a Taylor series
//   ln               m 2^k with m/c near 1 by two tables of 1/c and ln c (P. T. P. Tang, ACM TOMS 16 (1990) 378) and a series
//   log1p            one Newton step on exp − 1 from the double logarithm
//   sin, cos         x − n π/2 with π/2 in four parts (Cody and Waite, Software Manual for the Elementary
//                    Functions, 1980, ch. 8), a table of r = j/64 and Taylor series beside it; NaN for |x| > 2^50
//   sinpi, cospi     of πx, reduced exactly: sinpi(1) is 0
//   atan             the double arctangent, corrected by the angle between it and (1, x)
//   asinh, acosh     ln(1 + …) of what the root leaves beside 1; ln 2x where the root leaves nothing
//   atanh            its series, or half the logarithm of (1 + x)/(1 − x)
//
// After Hida, Li and Bailey, "Library for double-double and quad-double arithmetic" (2007). Relative errors against
// 60-digit references are held by test/kernels/expression.test.ts below 2^-94, near zeros of a function too.

import { artanhSeries, ddAdd, ddAddSmaller, ddDiv, ddMul, ddSub, fastSumError, head, low, productError, sumError } from "./dd";

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
  // k times the first two parts is exact, and so is their sum.
  const f = <f64>k, a = f * LN2_1, b = f * LN2_2, s = a + b;
  const r = ddAddSmaller(s, fastSumError(a, b, s) + f * LN2_3, h, l);
  return give(r, low);
}

/** 1/c and ln c for c near j/128, j = 90 … 182, 1/c of ten bits, so that m/c is exact; ln c as hi, lo (mpmath 1.3.0, 120 digits). */
const lnWide = memory.data<f64>([
  1.421875, -0.3519764231571782, 1.2953893030191963e-17,
  1.40625, -0.3409265869705932, -1.7467136443544747e-17,
  1.390625, -0.329753286372468, -2.122020616196946e-18,
  1.376953125, -0.31987317777276086, -4.226777461860662e-18,
  1.361328125, -0.3084607857210161, -4.0879808229846266e-18,
  1.34765625, -0.2983669725517973, 1.1440869858035824e-18,
  1.333984375, -0.28817023453128227, -1.3116746400885017e-17,
  1.3203125, -0.2778684510034563, 9.16018294909263e-19,
  1.306640625, -0.26745943508872067, -2.016149769976068e-19,
  1.29296875, -0.2569409308975004, -6.30788074376329e-18,
  1.279296875, -0.24631061059574413, -1.4011576532971364e-19,
  1.267578125, -0.23710809166458222, 5.717872604233848e-18,
  1.255859375, -0.2278200991981116, 6.075458515600861e-18,
  1.2421875, -0.21687393830061436, -4.551026193234283e-18,
  1.23046875, -0.2073951943460706, 6.623981508424082e-18,
  1.21875, -0.19782574332991987, -1.2821194372980142e-17,
  1.20703125, -0.188163832418183, 4.497983271338944e-18,
  1.1953125, -0.1784076574728183, 1.2432553788701131e-17,
  1.185546875, -0.17020416601999047, -5.824871705125833e-18,
  1.173828125, -0.1602703094956998, -8.056249348852825e-18,
  1.1640625, -0.15191604202584197, -6.4838631244022194e-18,
  1.15234375, -0.14179791186025734, -1.3587228662372945e-17,
  1.142578125, -0.1332872221923487, -5.4138932268586174e-18,
  1.1328125, -0.12470347850095724, 4.6522609636496624e-18,
  1.123046875, -0.11604541575784265, -6.523568250648718e-18,
  1.11328125, -0.10731173578908805, -4.480328406815626e-19,
  1.103515625, -0.09850110610693316, 3.2823579183838276e-18,
  1.09375, -0.08961215868968714, 5.4268129336647135e-18,
  1.083984375, -0.08064348870692672, -8.3511763690095115e-19,
  1.076171875, -0.0734101841134067, 1.583444187336235e-18,
  1.06640625, -0.06429435070539725, -2.607864228825769e-18,
  1.05859375, -0.056941376400138424, -4.849020418096643e-19,
  1.048828125, -0.047673469469356904, 7.870678899236812e-19,
  1.041015625, -0.04019679912633675, -3.2701228202402602e-18,
  1.033203125, -0.032663806818791594, -3.2137479899873427e-18,
  1.0234375, -0.02316705928153438, 1.1769544932063305e-18,
  1.015625, -0.015504186535965254, 3.278321022892429e-19,
  1.0078125, -0.007782140442054949, 1.2819179123343845e-20,
  1.0, 0.0, 0.0,
  0.9921875, 0.007843177461025893, 2.764708154124904e-19,
  0.984375, 0.015748356968139168, 1.0021578630528974e-18,
  0.9765625, 0.023716526617316044, -1.5774243488668215e-18,
  0.96875, 0.0317486983145803, 3.0382263084680858e-18,
  0.962890625, 0.03781545099681768, -1.4251832364060063e-19,
  0.955078125, 0.045962135564635756, 3.29282833444454e-18,
  0.947265625, 0.054175734102024586, 1.6459865414896682e-18,
  0.94140625, 0.06038051098890748, -2.1569637373409678e-18,
  0.93359375, 0.06871389254805181, -2.5298812881248404e-18,
  0.927734375, 0.07500982100486657, 5.762099730680593e-18,
  0.919921875, 0.08346653102309004, -4.417797553075552e-18,
  0.9140625, 0.08985632912186105, -6.273760163689594e-19,
  0.908203125, 0.09628721945215148, -3.4322603532248472e-18,
  0.90234375, 0.10275973395776894, -4.707630866560681e-18,
  0.89453125, 0.11145544092532282, 5.685957919022839e-18,
  0.888671875, 0.11802720608855737, 3.6022683425363865e-18,
  0.8828125, 0.1246424452072766, -5.808912678940971e-18,
  0.876953125, 0.1313017372972535, -9.789371668371751e-18,
  0.87109375, 0.13800567301944372, -3.082753002960249e-18,
  0.865234375, 0.14475485499437216, -9.638054543649367e-18,
  0.859375, 0.15154989812720093, 5.1669593684615594e-18,
  0.853515625, 0.15839142994391764, -4.805867816472488e-18,
  0.84765625, 0.16528009093910292, -6.262313551919987e-19,
  0.841796875, 0.17221653493576, -4.7047460454344384e-18,
  0.8359375, 0.179201429457711, -1.0785017454858423e-17,
  0.83203125, 0.18388527877013736, 6.716094199344591e-18,
  0.826171875, 0.1909524459932298, 1.2753558105240179e-17,
  0.8203125, 0.1980699137620938, 3.742843482461439e-18,
  0.814453125, 0.20523840324070633, 6.493380582797194e-18,
  0.810546875, 0.21004610480880948, 1.1583669345998444e-17,
  0.8046875, 0.2173012756899814, 1.6168452453763015e-18,
  0.80078125, 0.2221674653411543, -1.0797202916767509e-17,
  0.794921875, 0.2295114395969128, -1.2166730011885714e-17,
  0.791015625, 0.23443755793296864, 6.9205002696776166e-18,
  0.78515625, 0.24187253642048673, -3.5869293176775316e-18,
  0.78125, 0.24686007793152578, 1.361743371748368e-17,
  0.775390625, 0.2543883443523174, -1.428296341374898e-17,
  0.771484375, 0.2594388601383859, 8.775568434888777e-18,
  0.765625, 0.26706278524904525, -7.32891532732017e-18,
  0.76171875, 0.27217788591581565, 1.9460544362807653e-17,
  0.7578125, 0.27731928541623435, -7.44528405583513e-18,
  0.75390625, 0.2824872555746769, 1.3652325538490778e-17,
  0.748046875, 0.2902896358588618, -1.055555326711204e-17,
  0.744140625, 0.2955252499128068, 3.2722484018602266e-19,
  0.740234375, 0.30078841995708144, -6.252253064633693e-18,
  0.736328125, 0.30607943759149703, -6.263554224803463e-18,
  0.73046875, 0.31406882762497584, 7.311073985078525e-18,
  0.7265625, 0.3194307707663612, 1.354256857264811e-18,
  0.72265625, 0.32482161940123766, -3.7162556628635935e-18,
  0.71875, 0.33024168687057687, -1.0828321637483858e-17,
  0.71484375, 0.33569129163814154, -7.183773020381283e-18,
  0.7109375, 0.34117075740276714, -1.9366790062602867e-17,
  0.70703125, 0.3466804132137367, 1.2904632283500345e-17,
  0.703125, 0.3522205935893521, 5.7233316949182485e-18,
]);
/** 1/c − 1 and ln c for c near 1 + k/2048, k = −15 … 15, the first of eight bits or less. */
const lnNarrow = memory.data<f64>([
  0.00738525390625, -0.007358116448059056, -1.5974884445163007e-19,
  0.0068817138671875, -0.006858142951389529, 8.489737791971771e-20,
  0.0063934326171875, -0.0063730813238952345, -2.380543683259762e-19,
  0.005889892578125, -0.005872614969811004, 3.654917325481451e-19,
  0.005401611328125, -0.005387074948740626, 1.5338438920860764e-19,
  0.004913330078125, -0.004901299064032316, 3.2489228444600646e-19,
  0.0044097900390625, -0.004400095405385201, 7.432221100309358e-20,
  0.0039215087890625, -0.003913839716489777, -4.280192762247192e-19,
  0.0034332275390625, -0.0034273474679662424, -5.616372098977425e-20,
  0.0029449462890625, -0.0029406184295337067, 2.1064937861191856e-19,
  0.00244140625, -0.0024384308595351675, -1.9792948022157357e-19,
  0.001953125, -0.0019512201312617493, -1.0219835235715959e-19,
  0.00146484375, -0.0014637719129822074, -4.6788171950912193e-20,
  0.0009765625, -0.0009760859730554589, 2.8791156534096714e-20,
  0.00048828125, -0.0004881620795013512, -1.3561976611568117e-21,
  0.0, 0.0, 0.0,
  -0.00048828125, 0.0004884004981088745, -4.833640110330175e-20,
  -0.0009765625, 0.0009770396478266127, 4.348919509358116e-20,
  -0.00146484375, 0.0014659176824962832, 8.74510533618093e-20,
  -0.001953125, 0.0019550348358033506, -4.230899758681172e-20,
  -0.00244140625, 0.0024443913417763457, 9.434231789177471e-20,
  -0.0029144287109375, 0.002918683927988657, 5.142616276232879e-20,
  -0.0034027099609375, 0.003408512344768622, 1.0893116741591718e-19,
  -0.0038909912109375, 0.003898580811014324, 1.253460043072673e-19,
  -0.0043792724609375, 0.00438888956212248, 1.4884637502197339e-19,
  -0.004852294921875, 0.0048641055260581064, 1.6622301841768517e-19,
  -0.005340576171875, 0.005354888027243856, 5.811683036800632e-20,
  -0.005828857421875, 0.005845911514169499, 1.0945620266024783e-19,
  -0.0063018798828125, 0.00632182054776864, 6.753885758114306e-20,
  -0.0067901611328125, 0.006813319167643447, 6.617891575247943e-20,
  -0.0072784423828125, 0.0073050594772066085, 1.7351358498669386e-19,
]);

/**
 * ln m for m in [√½, √2]: m = c₁ c₂ (1 + u) with c₁ and c₂ of the two tables, |u| < 2^-11.9. Both products that make u are
 * exact but for the low part of m; near 1 both c are 1.
 */
function lnReduced(mh: f64, ml: f64): f64 {
  const j = nearest(128.0 * mh);
  const wide = lnWide + 24 * <usize>(entry(j - 136.0, 46));
  const inverse = load<f64>(wide), m1 = head(mh);
  const a = m1 * inverse - 1.0, b = (mh - m1) * inverse, c = ml * inverse;
  const k = nearest(2048.0 * (a + b));
  const narrow = lnNarrow + 24 * <usize>(entry(k, 15));
  const t = load<f64>(narrow);
  const p = a + t + a * t, q = b + b * t, s = p + q, e = sumError(p, q, s) + (c + c * t);
  const u = s + e;
  let h = lnSmall(u, fastSumError(s, e, u)), l = tail;
  if (t != 0) { h = ddAddSmaller(load<f64>(narrow, 8), load<f64>(narrow, 16), h, l); l = low; }
  if (inverse != 1) { h = ddAddSmaller(load<f64>(wide, 8), load<f64>(wide, 16), h, l); l = low; }
  return give(h, l);
}

/** u + u²(−1/2 + u(1/3 − u/4 + u²(1/5 − …))). From u⁵/5 on the terms are doubles: beside u they are below 2^-50. */
function lnSmall(u: f64, v: f64): f64 {
  const z = u * u * (0.2 + u * (-0.16666666666666666 + u * (0.14285714285714285 + u * (-0.125 + u * 0.1111111111111111))));
  const w = -0.25 * u, x = w + z;
  let h = ddAddSmaller(0.3333333333333333, 1.850371707708594e-17, x, fastSumError(w, z, x) - 0.25 * v), l = low;
  h = ddMul(h, l, u, v); l = low;
  h = ddAddSmaller(-0.5, 0, h, l); l = low;
  const sh = ddMul(u, v, u, v);
  h = ddMul(h, l, sh, low); l = low;
  h = ddAddSmaller(u, v, h, l);
  return give(h, low);
}

/** y + ln(1 + δ) = y + δ − δ²/2. */
@inline function refined(y: f64, dh: f64, dl: f64): f64 {
  const h = ddAdd(dh, dl, -0.5 * dh * dh, 0), s = ddAdd(y, 0, h, low);
  return give(s, low);
}

/** For small x y + ln(1 + δ) with y the double and δ = (1 + x) e^−y − 1 = x + E + xE, E = e^−y − 1, of size 2^-53. */
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
