// The largest force over the load, not only over the load steps. Where the force stops to rise, it is that of the parabola
// through the last point, the highest and the one before, with the next term of Newton's interpolation; that term is the
// error left. Where its branch ends there, the force lies below the line along which it rose, as it rises ever less.
//
// Of the head (problem.ts): 56 largest force · 64 its U · 152 error that the load steps leave in it · 160 … 200 the three
// parts before the last: U, F · 208 largest force of a part.

/** Share of the force by which its curve may bend within a part before its peak, and which the end of its branch may leave open. */
const BENT: f64 = 1e-3, OPEN: f64 = 4e-4;
/** A curve that bends this much more than before has a corner. */
const CORNER: f64 = 8.0;
const POINTS: i32 = 3;

let head: usize = 0;

export function layPeak(state: usize): void { head = state; }

@inline function get(offset: usize): f64 { return load<f64>(head + offset); }
@inline function set(offset: usize, value: f64): void { store<f64>(head + offset, value); }
/** Displacement and force, `back` parts before the last that was taken; none: the body without a load. */
@inline function loadOf(back: i32): f64 { return get(160 + (<usize>back << 4)); }
@inline function forceOf(back: i32): f64 { return get(168 + (<usize>back << 4)); }

/** Whether the force has risen with every part since its largest value. */
@inline export function isRising(): bool { return get(208) == get(16); }

/** Slope of the force over the last part. */
@inline function slope(): f64 { return get(8) > loadOf(0) ? (get(16) - forceOf(0)) / (get(8) - loadOf(0)) : 0.0; }

/** Second divided difference of the force over the last part, the one before, and the point (U, F) behind them. */
function bend(U: f64, F: f64): f64 {
  const before = slope(), now = (F - get(16)) / (U - get(8));
  return (now - before) / (U - loadOf(0));
}

/** The same of the three points before: 0 where they are not known. */
function bendBefore(): f64 {
  const first = loadOf(0) > loadOf(1) ? (forceOf(0) - forceOf(1)) / (loadOf(0) - loadOf(1)) : 0.0;
  return get(8) > loadOf(1) && first > 0.0 ? (slope() - first) / (get(8) - loadOf(1)) : 0.0;
}

/** Width of the next part up to which the force bends little, of a body whose force rises. */
export function calmWidth(): f64 {
  const second = bendBefore();
  return isRising() && second < 0.0 ? sqrt(BENT * get(16) / -second) : get(8) + 1e300;
}

/**
 * Whether the force falls to F at U as no smooth curve does: far below the line on which it rose, or around a corner. The
 * branch on which it rose has ended before.
 */
function isEnd(U: f64, F: f64): bool {
  const width = U - get(8), early = bendBefore();
  if (get(16) + slope() * width - F > 4.0 * BENT * get(16)) return true;
  return early < 0.0 && bend(U, F) < CORNER * early;
}

/** Whether a part that ends at (U, F), below the largest force, would leave that too open. */
export function passesPeak(U: f64, F: f64): bool {
  return isRising() && F < get(16) && get(16) > 0.0 && isEnd(U, F) && slope() * (U - get(8)) > OPEN * get(16);
}

/** Takes note of a part that ends at (U, F), before the head does. */
export function notePart(U: f64, F: f64): void {
  if (F > get(208)) { set(56, F); set(64, U); set(152, 0.0); set(208, F); }
  else if (isRising()) { if (isEnd(U, F)) takeEnd(U); else takeVertex(U, F); }
  for (let k = POINTS - 1; k > 0; k--) { set(160 + (<usize>k << 4), loadOf(k - 1)); set(168 + (<usize>k << 4), forceOf(k - 1)); }
  set(160, get(8)); set(168, get(16));
}

function takeEnd(U: f64): void {
  const open = 0.5 * slope() * (U - get(8));
  set(56, get(16) + open);
  set(64, 0.5 * (get(8) + U));
  set(152, open);
}

function takeVertex(U: f64, F: f64): void {
  const second = bend(U, F), a = loadOf(0), b = get(8);
  if (!(second < 0.0)) return;
  const vertex = 0.5 * (a + b) - 0.5 * slope() / second, top = forceOf(0) + (vertex - a) * (slope() + second * (vertex - b));
  const x = loadOf(1), early = a > x ? ((slope() - (forceOf(0) - forceOf(1)) / (a - x)) / (b - x)) : second;
  const term = a > x ? (second - early) / (U - x) * ((vertex - a) * (vertex - b) * (vertex - U)) : top - get(16);
  set(56, max(get(16), top + term));
  set(64, vertex);
  set(152, abs(term));
}
