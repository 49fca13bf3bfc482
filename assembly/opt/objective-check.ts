// The objectives of assembly/opt/objective.ts once more, for the verdict: written as formulas in hyper-dual numbers, so
// that no derivative is taken by hand. Of a model of data the second derivatives are the whole ones.

import { at } from "./program";
import { apply, combine, constant, exponential, multiply, part, reciprocal, variable, WIDTH } from "./hyperdual";
import { count, data, Kind, kind, n, which } from "./smooth";

let variables: usize = 0, sum: usize = 0, p: usize = 0, q: usize = 0, s: usize = 0;

/** Registers: (n + 5) · 32 bytes. */
export function openCheck(registers: usize): void {
  variables = registers;
  sum = registers + WIDTH * <usize>n;
  p = sum + WIDTH;
  q = p + WIDTH;
  s = q + WIDTH;
}

@inline function own(j: i32): usize { return variables + WIDTH * <usize>j; }

/** f at x with derivatives by variables i and j; the four parts are read by `found`. */
export function checkAt(x: usize, i: i32, j: i32): void {
  for (let k = 0; k < n; k++) variable(own(k), at(x, k), k == i, k == j);
  constant(sum, 0.0);
  if (kind == Kind.POLYNOMIAL) polynomial();
  else if (kind == Kind.MODEL) squares();
  else named();
}

/** 0 f · 1 ∂f/∂x_i · 2 ∂f/∂x_j · 3 ∂²f/∂x_i∂x_j. */
@inline export function found(k: i32): f64 { return part(sum, k); }

function addSquare(root: usize, weight: f64): void {
  multiply(s, root, root);
  combine(sum, 1.0, sum, weight, s, 0.0);
}

function named(): void {
  if (which == 0) {
    for (let i = 0; i < n - 1; i++) {
      multiply(p, own(i), own(i));
      combine(p, -1.0, p, 1.0, own(i + 1), 0.0);
      addSquare(p, 100.0);
      combine(p, -1.0, own(i), 0.0, p, 1.0);
      addSquare(p, 1.0);
    }
  } else if (which == 1) {
    multiply(p, own(0), own(0));
    combine(p, 1.0, p, 1.0, own(1), -11.0);
    addSquare(p, 1.0);
    multiply(p, own(1), own(1));
    combine(p, 1.0, p, 1.0, own(0), -7.0);
    addSquare(p, 1.0);
  } else if (which == 2) {
    constant(q, 1.0);
    for (let k = 0; k < 3; k++) {
      multiply(q, q, own(1));
      multiply(p, own(0), q);
      combine(p, 1.0, p, -1.0, own(0), k == 0 ? 1.5 : k == 1 ? 2.25 : 2.625);
      addSquare(p, 1.0);
    }
  } else if (which == 3) {
    combine(p, 1.0, own(0), 1.0, own(1), 0.0);
    const sine = Math.sin(part(p, 0));
    apply(sum, p, sine, Math.cos(part(p, 0)), -sine);
    combine(p, 1.0, own(0), -1.0, own(1), 0.0);
    addSquare(p, 1.0);
    combine(p, -1.5, own(0), 2.5, own(1), 1.0);
    combine(sum, 1.0, sum, 1.0, p, 0.0);
  } else {
    for (let i = 0; i < n; i++) {
      multiply(p, own(i), own(i));
      addSquare(p, 0.5);
      combine(p, -8.0, p, 2.5, own(i), 0.0);
      combine(sum, 1.0, sum, 1.0, p, 0.0);
    }
  }
}

function polynomial(): void {
  for (let t = 0; t < count; t++) {
    const term = data + (<usize>(t * (n + 1)) << 3);
    constant(p, at(term, 0));
    for (let j = 0; j < n; j++) for (let k = <i32>at(term, j + 1); k > 0; k--) multiply(p, p, own(j));
    combine(sum, 1.0, sum, 1.0, p, 0.0);
  }
}

// ---- models --------------------------------------------------------------------------------------------

/** p = the model at t. */
function model(t: f64): void {
  if (which == 6) {
    constant(p, 0.0);
    for (let i = n - 1; i >= 0; i--) combine(p, t, p, 1.0, own(i), 0.0);
    return;
  }
  if (which == 0) { combine(p, t, own(1), 0.0, p, 0.0); exponential(p, p); }
  else if (which == 1) { combine(p, -t, own(1), 0.0, p, 0.0); exponential(p, p); combine(p, -1.0, p, 0.0, p, 1.0); }
  else if (which == 2) { combine(p, Math.log(t), own(1), 0.0, p, 0.0); exponential(p, p); }
  else if (which == 3) { combine(p, 1.0, own(1), 0.0, p, t); reciprocal(p, p); combine(p, t, p, 0.0, p, 0.0); }
  else if (which == 4) {
    combine(p, 1.0, own(2), 0.0, p, -t);
    multiply(p, p, own(1));
    exponential(p, p);
    combine(p, 1.0, p, 0.0, p, 1.0);
    reciprocal(p, p);
  } else {
    combine(p, -1.0, own(1), 0.0, p, t);
    reciprocal(q, own(2));
    multiply(p, p, q);
    multiply(p, p, p);
    combine(p, -0.5, p, 0.0, p, 0.0);
    exponential(p, p);
  }
  multiply(p, p, own(0));
}

function squares(): void {
  const ys = data + (<usize>count << 3), weights = ys + (<usize>count << 3);
  for (let k = 0; k < count; k++) {
    constant(p, 0.0);
    model(at(data, k));
    combine(p, -1.0, p, 0.0, p, at(ys, k));
    addSquare(p, at(weights, k));
  }
}

/** Σ w y²: what f is beside a model that is 0. */
export function sizeOfData(): f64 {
  const ys = data + (<usize>count << 3), weights = ys + (<usize>count << 3);
  let total = 0.0;
  for (let k = 0; k < count; k++) total += at(weights, k) * at(ys, k) * at(ys, k);
  return total;
}
