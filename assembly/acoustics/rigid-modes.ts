// Modes of a cavity of cells between rigid walls, and open ones where they are soft, from k² that is known: by inverse iteration,
// those of one k² apart from one another. Two of one k² are turned so that the walls do not mix them as t begins to grow.

import { im, over, re, rootOf, times } from "../math/complex";
import { n } from "./mask";
import { alongNodes } from "./mask-walls";
import { add, factor, firstOfWalls, image, invert, normalise, product, scale, startAnywhere } from "./mask-vectors";

let table: usize = 0, spare: usize = 0, edge: f64 = 0, squares: usize = 0;

/** `rigid`: room for the modes; `found`: their k² [1/m²]; `room`: of one mode. */
export function openRigid(rigid: usize, found: usize, h: f64, room: usize): void {
  table = rigid;
  squares = found;
  edge = h;
  spare = room;
}

@inline export function rigidMode(i: i32): usize { return table + (<usize>(i * n) << 4); }
@inline export function rigidSquare(i: i32): f64 { return load<f64>(squares + (<usize>i << 3)) * edge * edge; }

function isLike(i: i32, j: i32): bool { return abs(rigidSquare(i) - rigidSquare(j)) <= 1e-5 * abs(rigidSquare(j)); }

/** Mode j; those before it are there. */
export function beginRigid(j: i32): void {
  const x = rigidMode(j), square = rigidSquare(j);
  startAnywhere(x);
  const beside = square - 1e-7 * (square + 1e-3);
  factor(sqrt(max(0.0, beside)), sqrt(max(0.0, -beside)), 0.0);
  for (let round = 0; round < 6; round++) {
    leaveOthers(j);
    invert(x);
  }
  leaveOthers(j);
  product(x);
  normalise(x);
  if (j > 0 && isLike(j - 1, j) && (j == 1 || !isLike(j - 2, j))) part(rigidMode(j - 1), x, square);
}

/** Takes from a mode its parts along others of the same k². */
function leaveOthers(j: i32): void {
  for (let i = 0; i < j; i++) {
    if (!isLike(i, j)) continue;
    product(rigidMode(j));
    alongNodes(rigidMode(i), image);
    add(rigidMode(i), rigidMode(j), -re, -im);
  }
}

/** Turns two modes of one k² so that the walls do not mix them: the eigenvectors of what these are among them. */
function part(x: usize, y: usize, square: f64): void {
  firstOfWalls(x, square);
  alongNodes(x, image);
  const xxRe = re, xxIm = im;
  alongNodes(y, image);
  const xyRe = re, xyIm = im;
  firstOfWalls(y, square);
  alongNodes(y, image);
  const dRe = xxRe - re, dIm = xxIm - im;
  if (Math.hypot(xyRe, xyIm) <= 1e-9 * (Math.hypot(xxRe, xxIm) + Math.hypot(re, im))) return;
  times(xyRe, xyIm, xyRe, xyIm);
  const mixRe = 4.0 * re, mixIm = 4.0 * im;
  times(dRe, dIm, dRe, dIm);
  rootOf(re + mixRe, im + mixIm);
  const sign = Math.hypot(re - dRe, im - dIm) >= Math.hypot(re + dRe, im + dIm) ? 1.0 : -1.0;
  turn(x, y, xyRe, xyIm, 0.5 * (sign * re - dRe), 0.5 * (sign * im - dIm));
}

/** x, y ← (c x + s y, c y − s x) over √(c² + s²). */
function turn(x: usize, y: usize, cRe: f64, cIm: f64, sRe: f64, sIm: f64): void {
  times(cRe, cIm, cRe, cIm);
  const squareRe = re, squareIm = im;
  times(sRe, sIm, sRe, sIm);
  rootOf(squareRe + re, squareIm + im);
  const rootRe = re, rootIm = im;
  over(cRe, cIm, rootRe, rootIm);
  const coRe = re, coIm = im;
  over(sRe, sIm, rootRe, rootIm);
  const siRe = re, siIm = im;
  memory.copy(spare, x, <usize>n << 4);
  scale(x, coRe, coIm);
  add(y, x, siRe, siIm);
  scale(y, coRe, coIm);
  add(spare, y, -siRe, -siIm);
}
