// The electric field of a device: at a node it is that of the edge beside it and of the charge between, by Gauss' law,
// which is of second order where the difference of potentials over two cells would be of first at a junction.

import { Mesh } from "./mesh";
import { Vt, isJunction, lambda2 } from "./problem";

@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }

export function openField(): void { Mesh.openWalk(); }

/** E at node i [V/m], after openField() and the nodes before: the doping is walked along. */
export function fieldAt(i: i32, u: usize, ns: usize, ps: usize): f64 {
  const left = max(0, i - 1), h = Mesh.width(left), slope = (at(u, left + 1) - at(u, left)) / h, charge = at(ps, i) - at(ns, i);
  if (i != 1) Mesh.walk(left);
  if (i == 0) return -Vt * (slope + (0.5 * h * charge + Mesh.near) / lambda2);
  return Vt * ((0.5 * h * charge + Mesh.far) / lambda2 - slope);
}

/** Where E is largest and how large, as found last. */
export let largestField: f64 = 0, largestAt: f64 = 0;

export function findLargestField(n: i32, u: usize, ns: usize, ps: usize): void {
  let top = 0, most = -1.0, sign = 1.0;
  openField();
  for (let i = 0; i <= n; i++) {
    const E = fieldAt(i, u, ns, ps);
    if (abs(E) > most) { most = abs(E); sign = E < 0.0 ? -1.0 : 1.0; top = i; }
  }
  largestField = most;
  largestAt = Mesh.node(top);
  if (!isJunction && top > 0 && top < n) sharpen(n, top, sign, ns, ps);
}

/** dE/dx at node i in the direction of `sign`. */
function slope(i: i32, sign: f64, ns: usize, ps: usize): f64 {
  const w = 0.5 * (Mesh.width(i - 1) + Mesh.width(i));
  return sign * Vt / lambda2 * (at(ps, i) - at(ns, i) + Mesh.doping(i) / w);
}

/** Between nodes E is largest where the charge, linear there, vanishes. */
function sharpen(n: i32, top: i32, sign: f64, ns: usize, ps: usize): void {
  const here = slope(top, sign, ns, ps), next = here > 0.0 ? top + 1 : top - 1;
  if (next < 1 || next >= n) return;
  const there = slope(next, sign, ns, ps), h = Mesh.width(min(top, next));
  if (!(here * there < 0.0)) return;
  const way = h * here / (here - there); // |here|·h/(|here| + |there|)
  largestField += 0.5 * abs(here) * way;
  largestAt += next > top ? way : -way;
}
