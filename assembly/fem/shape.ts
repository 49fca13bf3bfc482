// The nine-node Lagrange quadrilateral on the unit square (O. C. Zienkiewicz, R. L. Taylor, The Finite Element
// Method 1, §8.3) and the 3×3 Gauss rule. Nodes: corners 0…3 counter-clockwise, mid-sides bottom, right, top,
// left 4…7, centre 8; each is a product of one-dimensional nodes 0 (t=0), 1 (t=½), 2 (t=1).
//
//   3──6──2
//   7  8  5
//   0──4──1

/** One-dimensional node of local node a along the first and the second coordinate. */
const ALONG_S = memory.data<u8>([0, 2, 2, 0, 1, 2, 1, 0, 1]);
const ALONG_T = memory.data<u8>([0, 0, 2, 2, 0, 1, 2, 1, 1]);

const GAUSS = memory.data<f64>([0.1127016653792583, 0.5, 0.8872983346207417]);
const WEIGHT = memory.data<f64>([0.2777777777777778, 0.4444444444444444, 0.2777777777777778]);

@inline export function gaussPoint(g: i32): f64 { return load<f64>(GAUSS + (<usize>g << 3)); }
@inline export function gaussWeight(g: i32): f64 { return load<f64>(WEIGHT + (<usize>g << 3)); }
@inline export function alongS(a: i32): i32 { return <i32>load<u8>(ALONG_S + <usize>a); }
@inline export function alongT(a: i32): i32 { return <i32>load<u8>(ALONG_T + <usize>a); }

/** L_0, L_1, L_2 at t. */
@inline export function lagrange(i: i32, t: f64): f64 {
  if (i == 0) return (1 - t) * (1 - 2 * t);
  if (i == 1) return 4 * t * (1 - t);
  return t * (2 * t - 1);
}
/** dL/dt. */
@inline export function lagrangeSlope(i: i32, t: f64): f64 {
  if (i == 0) return 4 * t - 3;
  if (i == 1) return 4 - 8 * t;
  return 4 * t - 1;
}

/** Values (9), ∂/∂s (9) and ∂/∂t (9) of the shape functions at (s, t), written to `to` (27 f64). */
export function shapeFunctions(s: f64, t: f64, to: usize): void {
  for (let a = 0; a < 9; a++) {
    const i = alongS(a), j = alongT(a);
    const o = to + (<usize>a << 3);
    store<f64>(o, lagrange(i, s) * lagrange(j, t));
    store<f64>(o, lagrangeSlope(i, s) * lagrange(j, t), 72);
    store<f64>(o, lagrange(i, s) * lagrangeSlope(j, t), 144);
  }
}
