// e^{−iπv} of two v at a time: that of the nearest 256th from a table, the rest, at most π/512, by Taylor's series to
// rounding.

import { allocate } from "../kernel/frame";

const PARTS: i32 = 256;

let table: usize = 0;

/** Before the first of them. */
export function openPhases(): void {
  table = allocate(<usize>(2 * PARTS) << 4);
  for (let i = 0; i < 2 * PARTS; i++) {
    const angle = Math.PI * (<f64>i / <f64>PARTS), at = table + (<usize>i << 4);
    store<f64>(at, Math.cos(angle));
    store<f64>(at, -Math.sin(angle), 8);
  }
}

/** t (c − is), both lanes of c and s = (s, s) alike. */
@inline function turned(t: v128, c: v128, s: v128): v128 {
  const sign = f64x2.replace_lane(f64x2.splat(1.0), 1, -1.0);
  return f64x2.add(f64x2.mul(t, c), f64x2.mul(v128.shuffle<f64>(t, t, 1, 0), f64x2.mul(s, sign)));
}

/** `size` e^{−iπv} of the two |v| < 2⁴⁰, one behind the other. */
@inline export function putPhases(to: usize, v: v128, size: f64): void {
  const part = f64x2.nearest(f64x2.mul(v, f64x2.splat(<f64>PARTS)));
  const x = f64x2.mul(f64x2.splat(Math.PI), f64x2.sub(v, f64x2.mul(part, f64x2.splat(1.0 / <f64>PARTS))));
  const y = f64x2.mul(x, x), scale = f64x2.splat(size);
  const cosine = f64x2.add(f64x2.splat(1.0), f64x2.mul(y, f64x2.add(f64x2.splat(-0.5), f64x2.mul(y, f64x2.splat(1.0 / 24.0)))));
  const slope = f64x2.add(f64x2.splat(1.0), f64x2.mul(y, f64x2.add(f64x2.splat(-1.0 / 6.0), f64x2.mul(y, f64x2.splat(1.0 / 120.0)))));
  const c = f64x2.mul(scale, cosine), s = f64x2.mul(scale, f64x2.mul(x, slope));
  const turns = f64x2.add(part, f64x2.splat(6755399441055744.0)); // 1.5·2⁵²: the last bits are the integer
  const first = table + (<usize>(i32x4.extract_lane(turns, 0) & (2 * PARTS - 1)) << 4);
  const second = table + (<usize>(i32x4.extract_lane(turns, 2) & (2 * PARTS - 1)) << 4);
  v128.store(to, turned(v128.load(first), v128.shuffle<f64>(c, c, 0, 0), v128.shuffle<f64>(s, s, 0, 0)));
  v128.store(to, turned(v128.load(second), v128.shuffle<f64>(c, c, 1, 1), v128.shuffle<f64>(s, s, 1, 1)), 16);
}
