// One value on grids h, 2h, 4h of a method of order p: the number to seal and the error that is left in it (Richardson;
// Roache, Annu. Rev. Fluid Mech. 29 (1997) 123). Where the differences show the order, the extrapolated value is
// sealed, and its error is 1.25 × how far the extrapolations from (h, 2h) and (2h, 4h) lie apart; else the finest
// value with 3 × the last difference, or with 1.25 × what the order
// leaves of the one before, (v₂ − v₄)/(2ᵖ(2ᵖ − 1)): two grids agree by accident too.

/** What `judgeLevels` found: value, error, observed order (0: none), 1 when extrapolated. */
export let levelValue: f64 = 0, levelError: f64 = 0, levelOrder: f64 = 0, levelExtrapolated: f64 = 0;

export function judgeLevels(v1: f64, v2: f64, v4: f64, p: f64, scale: f64): void {
  const fine = v1 - v2, coarse = v2 - v4, divisor = Math.pow(2.0, p) - 1.0, size = scale > 0.0 ? scale : 1.0;
  levelValue = v1;
  levelExtrapolated = 0.0;
  levelOrder = fine * coarse > 0.0 ? Math.log(coarse / fine) / 0.6931471805599453 : 0.0;
  if (abs(fine) <= 1e-10 * size) { levelError = abs(fine) / size; return; }
  levelError = max(3.0 * abs(fine), 1.25 * abs(coarse) / (divisor * (divisor + 1.0))) / size;
  if (abs(levelOrder - p) > 0.7) return;
  const other = v2 + coarse / divisor;
  levelValue = v1 + fine / divisor;
  levelExtrapolated = 1.0;
  levelError = 1.25 * abs(levelValue - other) / size;
}
