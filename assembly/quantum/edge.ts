// What a potential of the caller's own holds between the end of a line or ray and the node beside it, where no solver asks
// it: ψ is 0 at the end and grows as the distance d at most, so that what V is wrong by there changes the level by its mean
// over ψ₁² (d/h)² to first order. In pieces that shrink towards the end, V is enclosed and held against its value at the
// node, or d V against the straight line through both nodes, which a pull such as −1/r follows.

import { lower, upper } from "../expression/interval";
import { seriesOf, setBetween } from "../expression/taylor";

/** A piece reaches from its far end to that over RATIO; together down to a billionth of the cell. */
const RATIO: f64 = 1.0625;
export const EDGE_PIECES: i32 = 342;
const UNBOUNDED: f64 = 1e100;

/**
 * ∫ ψ² |V − what nodes say| over the cell at `end`, whose nodes lie h and 2h along `way` (±1) and have v1 and v2; ψ₁² is
 * the density at the first. What lies within a billionth of the cell counts where V has a bound there.
 */
export function heldAtEnd(program: i32, end: f64, way: f64, h: f64, density: f64, v1: f64, v2: f64): f64 {
  let sum = 0.0, far = h;
  for (let piece = 0; piece < EDGE_PIECES; piece++) {
    const near = far / RATIO, share = far / h;
    sum += density * share * share * (far - near) * apart(program, end, way, near, far, h, v1, v2);
    far = near;
  }
  const share = far / h, last = apart(program, end, way, 0.0, far, h, v1, v2);
  if (last < UNBOUNDED) sum += density * share * share * far * last;
  return sum;
}

/** Most |V − …| between two distances from the end. */
function apart(program: i32, end: f64, way: f64, near: f64, far: f64, h: f64, v1: f64, v2: f64): f64 {
  setBetween(0, min(end + way * near, end + way * far), max(end + way * near, end + way * far));
  const v = seriesOf(program, 2), straight = max(abs(upper(v) - v1), abs(lower(v) - v1));
  let least = straight == straight ? min(straight, UNBOUNDED) : UNBOUNDED;
  if (near == 0.0) return least;
  // d V over the piece, and the line h V₁ + (2h V₂ − h V₁)(d − h)/h
  const low = lower(v) * (lower(v) < 0.0 ? far : near), high = upper(v) * (upper(v) > 0.0 ? far : near);
  const slope = 2.0 * v2 - v1, a = h * v1 + slope * (near - h), b = h * v1 + slope * (far - h);
  const pulled = max(abs(high - min(a, b)), abs(max(a, b) - low)) / near;
  if (pulled < least) least = pulled;
  return least;
}
