// The map of a patch from the unit square: nine-node Lagrange on its nine points, or bilinear on its corners
// (the other five are then their means). A cell is the image of a rectangle, so a refined mesh has the same shape.

import { allocate } from "../kernel/frame";
import { SEATS, TEAM, seat } from "../kernel/team";
import { PatchField, at, patchAt, patchCount } from "./problem";
import { shapeFunctions } from "./shape";

let pointsAt: usize = 0;
/** Shape functions at a point: a room of them a thread, and that of this one. */
let shapeRooms: usize = 0, shapesAt: usize = 0;
const SHAPES: usize = 27 * 8;
/** Of bilinear patches: x(s,t) = a + b s + c t + d st, four pairs (x, y). */
let bilinearAt: usize = 0;

/** x and y of the nine points of each patch. */
export function layGeometry(): void {
  pointsAt = allocate(<usize>patchCount() * 144);
  shapeRooms = allocate(<usize>(TEAM ? SEATS : 1) * SHAPES);
  shapesAt = shapeRooms;
  bilinearAt = allocate(<usize>patchCount() * 64);
  for (let p = 0; p < patchCount(); p++) {
    const to = pointsAt + <usize>p * 144;
    memory.copy(to, patchAt(p), 144);
    if (at(patchAt(p), PatchField.GEOMETRY) == 9) continue;
    for (let c = 0; c < 2; c++) {
      const a = at(to, c), b = at(to, 2 + c), d = at(to, 4 + c), e = at(to, 6 + c);
      const to5 = to + <usize>(c << 3);
      store<f64>(to5, 0.5 * (a + b), 64);
      store<f64>(to5, 0.5 * (b + d), 80);
      store<f64>(to5, 0.5 * (e + d), 96);
      store<f64>(to5, 0.5 * (a + e), 112);
      store<f64>(to5, 0.25 * ((a + b) + (d + e)), 128);
      const form = bilinearAt + <usize>(p * 64 + (c << 3));
      store<f64>(form, a);
      store<f64>(form, b - a, 16);
      store<f64>(form, e - a, 32);
      store<f64>(form, (d - e) - (b - a), 48);
    }
  }
}

/** Before points are mapped in a block (../kernel/team.ts). */
export function takeShapes(): void { shapesAt = shapeRooms + <usize>seat() * SHAPES; }

/** Point and Jacobian of patch p at (s, t): x, y, ∂x/∂s, ∂y/∂s, ∂x/∂t, ∂y/∂t written to `to`. */
export function mapPoint(p: i32, s: f64, t: f64, to: usize): void {
  if (at(patchAt(p), PatchField.GEOMETRY) != 9) { mapBilinear(bilinearAt + (<usize>p << 6), s, t, to); return; }
  shapeFunctions(s, t, shapesAt);
  combine(pointsAt + <usize>p * 144, shapesAt, to);
  combine(pointsAt + <usize>p * 144, shapesAt + 72, to + 16);
  combine(pointsAt + <usize>p * 144, shapesAt + 144, to + 32);
}

function mapBilinear(form: usize, s: f64, t: f64, to: usize): void {
  const a = v128.load(form), d = v128.load(form, 48);
  const alongS = f64x2.add(v128.load(form, 16), f64x2.mul(d, f64x2.splat(t)));
  const c = v128.load(form, 32);
  v128.store(to, f64x2.add(f64x2.add(a, f64x2.mul(c, f64x2.splat(t))), f64x2.mul(alongS, f64x2.splat(s))));
  v128.store(to, alongS, 16);
  v128.store(to, f64x2.add(c, f64x2.mul(d, f64x2.splat(s))), 32);
}

function combine(points: usize, shapes: usize, to: usize): void {
  let v = f64x2.splat(0);
  for (let a = 0; a < 9; a++) {
    v = f64x2.add(v, f64x2.mul(v128.load(points), v128.load64_splat(shapes)));
    points += 16; shapes += 8;
  }
  v128.store(to, v);
}

/** Whether patch p is a parallelogram to the bit, so that equal rectangles have equal images. */
export function isParallelogram(p: i32): bool {
  const twist = bilinearAt + (<usize>p << 6) + 48;
  return at(patchAt(p), PatchField.GEOMETRY) != 9 && load<f64>(twist) == 0 && load<f64>(twist, 8) == 0;
}

/** A length of the patch: the larger extent of its corners. */
export function patchSize(p: i32): f64 {
  const points = pointsAt + <usize>p * 144;
  let size = 0.0;
  for (let a = 1; a < 4; a++) {
    size = max(size, abs(at(points, 2 * a) - at(points, 0)));
    size = max(size, abs(at(points, 2 * a + 1) - at(points, 1)));
  }
  return size;
}

/** Newton's method for the (s, t) of a point; true when it lies in the patch. `to`: s, t, then six of mapPoint. */
export function locate(p: i32, x: f64, y: f64, to: usize): bool {
  let s = 0.5, t = 0.5;
  const map = to + 16, near = 1e-12 * patchSize(p);
  for (let k = 0; k < 40; k++) {
    mapPoint(p, s, t, map);
    const rx = x - at(map, 0), ry = y - at(map, 1);
    const det = at(map, 2) * at(map, 5) - at(map, 4) * at(map, 3);
    if (det == 0) return false;
    const ds = (rx * at(map, 5) - ry * at(map, 4)) / det;
    const dt = (ry * at(map, 2) - rx * at(map, 3)) / det;
    s = min(2.0, max(-1.0, s + ds));
    t = min(2.0, max(-1.0, t + dt));
    if (abs(rx) + abs(ry) <= near) break;
  }
  const inside = s >= -1e-9 && s <= 1 + 1e-9 && t >= -1e-9 && t <= 1 + 1e-9;
  s = min(1.0, max(0.0, s));
  t = min(1.0, max(0.0, t));
  mapPoint(p, s, t, map);
  store<f64>(to, s);
  store<f64>(to, t, 8);
  return inside && abs(x - at(map, 0)) + abs(y - at(map, 1)) <= 1e-8 * patchSize(p);
}
