// What three meshes leave of p about a probe: at the nine nodes of the element of N/2 in which it lies.
//
// At one place what corners leave and what is between nodes may be of opposite signs on all meshes, and the differences of the
// three are then far smaller than the error. They are not so at nine nodes at once: the error over p, which changes slowly even
// beside an open side where p falls to 0, is no smaller than in the mean square there.

import { quadratic } from "./mask-lines";
import { leftByOrders } from "./meshes";

/** Where Re p of the meshes N, N/2, N/4 begins; Im p follows. Columns and rows of nodes are those of N/4, less one. */
let fields: StaticArray<usize> = [0, 0, 0];
let wide: i32 = 0, high: i32 = 0;

export function openMeshes(finest: usize, middle: usize, coarsest: usize, columns: i32, rows: i32): void {
  fields[0] = finest;
  fields[1] = middle;
  fields[2] = coarsest;
  wide = columns - 1 >> 2;
  high = rows - 1 >> 2;
}

let re: f64 = 0, im: f64 = 0;

/** p at a node of a mesh (0 N … 2 N/4). */
function take(mesh: i32, i: i32, j: i32): void {
  const columns = (wide << 2 - mesh) + 1, rows = (high << 2 - mesh) + 1, at = fields[mesh] + (<usize>(j * columns + i) << 3);
  re = load<f64>(at);
  im = load<f64>(at + (<usize>(columns * rows) << 3));
}

/** p of N/4 at a node of N/2 of an element (x, y) of N/2. */
function takeBetween(x: i32, y: i32, i: i32, j: i32): void {
  const s = 0.25 * <f64>(i - 4 * (x >> 1)), t = 0.25 * <f64>(j - 4 * (y >> 1));
  let sumRe = 0.0, sumIm = 0.0;
  for (let a = 0; a < 9; a++) {
    const weight = quadratic(a % 3, s) * quadratic(a / 3, t);
    take(2, 2 * (x >> 1) + a % 3, 2 * (y >> 1) + a / 3);
    sumRe += weight * re;
    sumIm += weight * im;
  }
  re = sumRe;
  im = sumIm;
}

/** Error of p in the mean square over |p|, or over `size` where that is more, at the nodes of an element (x, y) of N/2. */
export function leftAround(x: i32, y: i32, size: f64): f64 {
  let sum = 0.0, places = 0;
  for (let a = 0; a < 9; a++) {
    const i = 2 * x + a % 3, j = 2 * y + a / 3;
    take(0, 2 * i, 2 * j);
    const fineRe = re, fineIm = im, own = Math.hypot(re, im);
    // p is held at 0.
    if (own == 0.0) continue;
    take(1, i, j);
    const middleRe = re, middleIm = im;
    takeBetween(x, y, i, j);
    const left = leftByOrders(fineRe - middleRe, fineIm - middleIm, middleRe - re, middleIm - im) / max(own, size);
    sum += left * left;
    places++;
  }
  return places == 0 ? 0.0 : sqrt(sum / <f64>places);
}

/**
 * Between nodes next to a corner p is like r^(2/3), and what a quadratic through the values at 0, ½ and 1 of an edge leaves there, 0.07 at
 * most, no mesh shows as long as the probe is nearer than its nodes. Their second difference is 0.26.
 */
const OF_SECOND_DIFFERENCE: f64 = 0.35;

/** What is left so in an element (x, y) of N of which these corners point into the air: 1, 2, 4, 8 from the lower left. */
export function leftAtCorners(x: i32, y: i32, corners: i32): f64 {
  let most = 0.0;
  for (let corner = 0; corner < 4; corner++) {
    if ((corners >> corner & 1) == 0) continue;
    const right = corner & 1, up = corner >> 1, i = 2 * (x + right), j = 2 * (y + up), di = 1 - 2 * right, dj = 1 - 2 * up;
    most = max(most, max(max(bent(i, j, di, 0), bent(i, j, 0, dj)), bent(i, j, di, dj)));
  }
  return OF_SECOND_DIFFERENCE * most;
}

/** |p₀ − 2p₁ + p₂| of N from a node on. */
function bent(i: i32, j: i32, di: i32, dj: i32): f64 {
  take(0, i, j);
  let sumRe = re, sumIm = im;
  take(0, i + di, j + dj);
  sumRe -= 2.0 * re;
  sumIm -= 2.0 * im;
  take(0, i + 2 * di, j + 2 * dj);
  return Math.hypot(sumRe + re, sumIm + im);
}
