// Nodes and doping of a device. At an abrupt junction cells grow on both sides like sinh, from a twelfth of the
// smaller Debye length on, less where the built-in potential is above 30 kT/q, since carriers fall by e within kT/qE (or
// from what the side has, where that is less). A side that a forward bias floods with carriers has as fine cells at its
// contact, where they fall to its doping. An array has equal cells. Grids nest: that of 2h is every second node of that
// of h. The doping of a node is that of its control volume, half a cell to each side.

import { parameterF64, parameters } from "../kernel/frame";
import { nextHalf, openHalves } from "./volumes";
import { ARRAY, cells, finest, isJunction, arrayNode, lambda2, L, Ln, Lp, Na, Nd, Vt, nodesOfArray, ni } from "./problem";

@inline function put(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }
@inline function at(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }

/** √(εV_t/(q(n + p))) at neutrality with doping c (over n_i): Debye’s length [m]. */
export function debyeLength(c: f64): f64 { return sqrt(lambda2 / (2.0 * sqrt(0.25 * c * c + 1.0))); }

/** a with sinh(a)/a = ratio; 0 where the ratio is not above 1. */
function grading(ratio: f64): f64 {
  if (!(ratio > 1.0)) return 0.0;
  let low = 0.0, high = 700.0;
  for (let k = 0; k < 64; k++) {
    const a = 0.5 * (low + high);
    if (Math.sinh(a) < ratio * a) low = a; else high = a;
  }
  return 0.5 * (low + high);
}

/** How cells grow in the side that is laid, over which length, sinh of it, and whether from both ends. */
let growth: f64 = 0, over: f64 = 0, whole: f64 = 0, isTwofold: bool = false;

function openSide(length: f64, smallest: f64, fine: f64, flooded: bool): void {
  const parts = flooded ? 2.0 : 1.0;
  isTwofold = flooded;
  over = length / parts;
  growth = grading(over / (smallest * fine / parts));
  whole = Math.sinh(growth);
}

/** Distance from the junction into the side, s in (0, 1]. */
function along(s: f64): f64 {
  if (!isTwofold) return graded(s);
  return s <= 0.5 ? graded(2.0 * s) : 2.0 * over - graded(2.0 * (1.0 - s));
}
function graded(s: f64): f64 { return growth > 0.0 ? over * (Math.sinh(growth * s) / whole) : over * s; }

/** The bias over V_t at which minority carriers come near to a doping c, less three. */
@inline function flooding(c: f64): f64 { return 2.0 * Math.asinh(0.5 * c) - 3.0; }

/** x of the nodes from the junction, or, of an array, from the left end [m]. */
function layNodes(x: usize): void {
  if (!isJunction) {
    for (let i = 0; i <= cells; i++) put(x, i, L * <f64>i / <f64>cells);
    return;
  }
  const m = cells >> 1, fine = <f64>(finest >> 1), bias = parameterF64(96) / Vt;
  const builtIn = Math.asinh(0.5 * Na) + Math.asinh(0.5 * Nd), steep = max(1.0, sqrt(builtIn / 30.0));
  const smallest = debyeLength(max(Na, Nd)) / (12.0 * steep);
  put(x, m, 0.0);
  openSide(Lp, smallest, fine, bias > flooding(Na));
  for (let k = 1; k <= m; k++) put(x, m - k, -along(<f64>k / <f64>m));
  openSide(Ln, smallest, fine, bias > flooding(Nd));
  for (let k = 1; k <= m; k++) put(x, m + k, along(<f64>k / <f64>m));
}

/** C of the two contacts, over n_i. */
export function leftContact(): f64 { return isJunction ? -Na : arrayNode(0); }
export function rightContact(): f64 { return isJunction ? Nd : arrayNode(nodesOfArray - 1); }

// ---- the mesh of a run -----------------------------------------------------------------------------------

let nodesAt: usize = 0, dopingAt: usize = 0;

/** Nodes, cells and doping of the grid of a run; laid once, read by the methods. */
export namespace Mesh {
  /** Columns of cells + 1 f64: x of the nodes, and ∫C over their volumes, over n_i [m]. */
  export function lay(x: usize, doping: usize): void {
    nodesAt = x; dopingAt = doping;
    layNodes(x);
    memory.fill(doping, 0, <usize>(cells + 1) << 3);
    openWalk();
    for (let i = 0; i < cells; i++) {
      walk(i);
      put(doping, i, at(doping, i) + near);
      put(doping, i + 1, far);
    }
  }
  /** From the left end [m]. */
  @inline export function node(i: i32): f64 { return at(nodesAt, i) + (isJunction ? Lp : 0.0); }
  /** Of cell i, between nodes i and i + 1. */
  @inline export function width(i: i32): f64 { return at(nodesAt, i + 1) - at(nodesAt, i); }
  @inline export function doping(i: i32): f64 { return at(dopingAt, i); }

  /** ∫C over the halves of the cell where the walk is, at its left node and at its right one. */
  export let near: f64 = 0, far: f64 = 0;

  export function openWalk(): void { if (!isJunction) openHalves(parameters() + ARRAY, 8, nodesOfArray, L, cells); }
  /** To cell i, from the one before. */
  export function walk(i: i32): void {
    if (isJunction) { near = 0.5 * width(i) * (i < cells >> 1 ? -Na : Nd); far = near; }
    else { near = nextHalf() / ni; far = nextHalf() / ni; }
  }
}
