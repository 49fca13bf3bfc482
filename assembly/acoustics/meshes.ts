// The error that meshes of N, N/2 and N/4 elements leave in a number, by two orders at once: h^(4/3), which corners that point into
// the air have (Grisvard, Elliptic Problems in Nonsmooth Domains, ch. 8), and h⁴ of the elements. With e(h) = a + b at N,
//
//   e(2h) − e(h) = (q − 1) a + 15 b,   e(4h) − e(2h) = q (q − 1) a + 240 b,   q = 2^(4/3).
//
// One order alone, read off from the two differences, lies between these where both count, and leaves too little: of a = 10 b
// two fifths of what is there.

const Q: f64 = 2.5198420997897464;
/** More than what two orders leave; and of differences that fall as neither order between ½ and 4 does, where nothing else bounds them. */
const SAFETY: f64 = 1.25;
const UNSETTLED: f64 = 3.0;
/** Differences of rounding. */
const ROUNDING: f64 = 1e-10;

/** Over `size`, of the complex differences between N and N/2 and between N/2 and N/4. */
export function leftByMeshes(fineRe: f64, fineIm: f64, coarseRe: f64, coarseIm: f64, size: f64, unsettled: f64 = UNSETTLED): f64 {
  const fine = Math.hypot(fineRe, fineIm), coarse = Math.hypot(coarseRe, coarseIm);
  if (fine <= ROUNDING * size) return size == 0.0 ? 0.0 : fine / size;
  const left = leftByOrders(fineRe, fineIm, coarseRe, coarseIm);
  const isSettled = coarse >= Math.SQRT2 * fine && coarse <= 16.0 * fine;
  return (isSettled ? left : max(left, unsettled * fine)) / size;
}

/** The same where the two orders are all there is, not over a size. */
export function leftByOrders(fineRe: f64, fineIm: f64, coarseRe: f64, coarseIm: f64): f64 {
  const ofCorners = Math.hypot(16.0 * fineRe - coarseRe, 16.0 * fineIm - coarseIm) / ((Q - 1.0) * (16.0 - Q));
  const ofElements = Math.hypot(coarseRe - Q * fineRe, coarseIm - Q * fineIm) / (15.0 * (16.0 - Q));
  return SAFETY * (ofCorners + ofElements);
}
