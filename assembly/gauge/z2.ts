// Z2 links: heat bath, p(+1) = 1/(1 + e^{−2βs}) with s the sum of the two staples, −2, 0 or 2.

import { allocate } from "../kernel/frame";
import { draws, drawLine, L, linkAt, next, previous, PLANE, volume } from "./lattice";

/** p(+1) and tanh(βs) s/2 for s = −2, 0, 2: three and three f64. */
let table: usize = 0;

export function openZ2(beta: f64): void {
  table = allocate(48);
  for (let i = 0; i < 3; i++) {
    const s = <f64>(2 * i - 2);
    store<f64>(table + (<usize>i << 3), 1.0 / (1.0 + Math.exp(-2.0 * beta * s)));
    store<f64>(table + (<usize>i << 3), 0.5 * s * Math.tanh(beta * s), 24);
  }
}

export function hotZ2(at: usize, u: f64): void { store<f64>(at, u < 0.5 ? -1.0 : 1.0); }
export function coldZ2(at: usize): void { store<f64>(at, 1.0); }

/** One heat-bath sweep; the mean plaquette with each link integrated, E = ½ s tanh βs, averaged over all links. */
export function sweepZ2(sweep: u32): f64 {
  let sum = 0.0;
  for (let direction = 0; direction < 2; direction++) {
    for (let y = 0; y < L; y++) sum += lineZ2(direction, y, drawLine(direction, y, sweep, 0, 0));
  }
  return sum / (2.0 * <f64>volume);
}

function lineZ2(direction: i32, y: i32, offset: usize): f64 {
  let sum = 0.0;
  for (let x = 0; x < L; x++) {
    const entry = table + (<usize>(<i32>staplesZ2(direction, x, y) + 2) << 2);
    const u = load<f64>(draws + offset + (<usize>x << 3));
    sum += load<f64>(entry, 24);
    store<f64>(linkAt(direction, y, x), u < load<f64>(entry) ? 1.0 : -1.0);
  }
  return sum;
}

@inline function z(direction: i32, y: i32, x: i32): f64 { return load<f64>(linkAt(direction, y, x)); }

/** Sum of the two products of three links that close a plaquette with the link. */
function staplesZ2(direction: i32, x: i32, y: i32): f64 {
  const right = next(x), up = next(y);
  if (direction == 0) {
    const down = previous(y);
    return z(1, y, right) * z(0, up, x) * z(1, y, x) + z(1, down, right) * z(0, down, x) * z(1, down, x);
  }
  const left = previous(x);
  return z(0, y, x) * z(1, y, right) * z(0, up, x) + z(0, y, left) * z(1, y, left) * z(0, up, left);
}
