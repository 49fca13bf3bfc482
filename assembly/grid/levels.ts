// One value on grids h, 2h, 4h of a method of order p: the number to seal and the error that is left in it (Richardson;
// Roache, Annu. Rev. Fluid Mech. 29 (1997) 123). Where the differences show the order, the extrapolated value is
// sealed, and its error is 1.25 × how far the extrapolations from (h, 2h) and (2h, 4h) lie apart; else the finest
// value with 3 × the last difference, or with 1.25 × what the order
// leaves of the one before, (v₂ − v₄)/(2ᵖ(2ᵖ − 1)): two grids agree by accident too.
//
// So do three, at a place where the error of a coarse grid changes its sign. Of a field a cell to each side counts as
// well, of a wave four too: half of how far the two extrapolations lie apart there (measured: docs/adding-a-solver.md,
// 'The verdict').

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

/**
 * The same of grids whose cells do not show the shortest length of the solution: there even an order comes by accident
 * (measured: docs/adding-a-solver.md, 'The verdict'). The finest value stands, and each difference counts whole.
 */
export function judgeUnresolved(v1: f64, v2: f64, v4: f64, scale: f64): void {
  judgeLevels(v1, v2, v4, 2.0, scale);
  levelValue = v1;
  levelExtrapolated = 0.0;
  levelError = max(3.0 * abs(v1 - v2), abs(v2 - v4)) / (scale > 0.0 ? scale : 1.0);
}

/** Share of how far the extrapolations lie apart beside the probe. */
const BESIDE: f64 = 0.5;

/** x of place k beside a probe: on this axis 0 is the place below it, 1 that above. */
export function besideAt(k: i32, x: f64, h: f64, L: f64): f64 { return k == 0 ? max(0.0, x - h) : k == 1 ? min(L, x + h) : x; }

/** Raises `levelError` by what the values at a place beside the probe show. */
export function judgeBeside(v1: f64, v2: f64, v4: f64, p: f64, scale: f64): void {
  const divisor = Math.pow(2.0, p) - 1.0, apart = v1 - v2 + (v1 - v2 - (v2 - v4)) / divisor;
  levelError = max(levelError, BESIDE * abs(apart) / (scale > 0.0 ? scale : 1.0));
}
