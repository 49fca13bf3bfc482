// What values on grids h, 2h, 4h of a method of order p say about the error at h (Richardson; Roache, Annu. Rev.
// Fluid Mech. 29 (1997) 123).

/** |fine − coarse| / divisor, relative to `size`, or to `scale` where the size is nothing beside it. */
export function differenceOfLevels(fine: f64, coarse: f64, divisor: f64, size: f64, scale: f64): f64 {
  const difference = abs(fine - coarse);
  if (difference == 0.0) return 0.0;
  return difference / (divisor * (size < 1e-12 * scale ? scale : size));
}

/**
 * Error of v1 relative to `scale`. Where both differences have one sign and the observed order lies within 0.7 of
 * p, it is the extrapolated value's distance, or 1.25 × how far the two extrapolations differ, whichever is
 * larger; else 3 × the last difference, or 1.25 × what the order leaves of the one before,
 * (v₂ − v₄)/(2ᵖ(2ᵖ − 1)): two levels agree by accident too. Differences below 1e-10 are rounding and stand for themselves.
 */
export function estimateOfLevels(v1: f64, v2: f64, v4: f64, p: f64, scale: f64): f64 {
  if (v1 == v2 && v2 == v4) return 0.0;
  const fine = v1 - v2, coarse = v2 - v4;
  if (abs(fine) <= 1e-10 * scale) return abs(fine) / scale;
  const factor = Math.pow(2.0, p);
  const observed = fine * coarse > 0.0 ? Math.log(coarse / fine) / 0.6931471805599453 : 0.0;
  if (abs(observed - p) > 0.7) return max(3.0 * abs(fine), 1.25 * abs(coarse) / (factor * (factor - 1.0))) / scale;
  const gap = abs(fine) / (factor - 1.0);
  const between = 1.25 * abs(fine + (fine - coarse) / (factor - 1.0));
  return max(gap, between) / scale;
}
