// A pin-jointed truss in the plane or in space: parameters, geometry and numbering, shared by kernel and verdict.
//
// Parameters (f64): header of 16 numbers
//   0 dimensions D (2, 3)   1 nodes n   2 bars m   3 supports s   4 loads l
//   5 quantity: 0 displacement | 1 energy | 2 bar force   6 component   7 node or bar of the quantity
// then n × (x, y, z) · m × (node i, node j, E [Pa], A [m²]) · s × (node, component, value [m], 0) ·
// l × (node, Fx, Fy, Fz [N]).
//
// Result of the kernel (f64)
//   0 value   1 largest displacement, of a bar force largest of these   2 ½ uᵀKu   3 ½ (Fᵀu + Rᵀu_c)   4 … 6 Σ loads   7 … 9 Σ reactions
//  10 Σ sizes of both   11 largest imbalance of a free joint over the largest bar force   12 … 15 zero
//  16 displacements, D·n; then bar forces, m

import { allocate } from "../kernel/frame";
import { ddAdd, ddDiv, ddMul, low } from "../math/dd";

export const TRUSS_HEAD: i32 = 16;

let at0: usize = 0;
/** Number of the free unknown of joint a, direction c; −1 where it is prescribed. */
let numbers: usize = 0;
export let prescribedAt: usize = 0;
let shiftsAt: usize = 0;
export let freeCount: i32 = 0;

@inline function header(i: i32): f64 { return load<f64>(at0 + (<usize>i << 3)); }
@inline export function dimensions(): i32 { return <i32>header(0); }
@inline export function jointCount(): i32 { return <i32>header(1); }
@inline export function barCount(): i32 { return <i32>header(2); }
@inline export function trussSupports(): i32 { return <i32>header(3); }
@inline export function trussLoads(): i32 { return <i32>header(4); }
@inline export function trussQuantity(): i32 { return <i32>header(5); }
@inline export function trussComponent(): i32 { return <i32>header(6); }
@inline export function trussTarget(): i32 { return <i32>header(7); }

@inline function jointAt(a: i32): usize { return at0 + <usize>((16 + 3 * a) << 3); }
@inline export function barAt(b: i32): usize { return jointAt(jointCount()) + <usize>(b << 5); }
@inline export function trussSupportAt(s: i32): usize { return barAt(barCount()) + <usize>(s << 5); }
@inline export function trussLoadAt(l: i32): usize { return trussSupportAt(trussSupports()) + <usize>(l << 5); }
/** Bytes of the parameters. */
export function trussBytes(): usize { return trussLoadAt(trussLoads()) - at0; }

@inline export function barStart(b: i32): i32 { return <i32>load<f64>(barAt(b)); }
@inline export function barEnd(b: i32): i32 { return <i32>load<f64>(barAt(b), 8); }

/** Of each bar ∂(length)/∂(end) along three directions, then EA/L; each a high and a low part (assembly/math/dd.ts). */
let shapes: usize = 0;
@inline function shapeAt(b: i32, part: i32): usize { return shapes + (<usize>(4 * b + part) << 4); }
/** ∂(length)/∂(end) along direction c. */
@inline export function barDirection(b: i32, c: i32): f64 { return load<f64>(shapeAt(b, c)); }
@inline export function barDirectionLow(b: i32, c: i32): f64 { return load<f64>(shapeAt(b, c), 8); }
/** EA/L. */
@inline export function barStiffness(b: i32): f64 { return load<f64>(shapeAt(b, 3)); }
@inline export function barStiffnessLow(b: i32): f64 { return load<f64>(shapeAt(b, 3), 8); }

function shapeBar(b: i32): void {
  const from = jointAt(barStart(b)), to = jointAt(barEnd(b));
  let square = 0.0, squareLow = 0.0;
  for (let c = 0; c < dimensions(); c++) {
    const apart = ddAdd(load<f64>(to + (<usize>c << 3)), 0, -load<f64>(from + (<usize>c << 3)), 0), apartLow = low;
    store<f64>(shapeAt(b, c), apart); store<f64>(shapeAt(b, c), apartLow, 8);
    const more = ddMul(apart, apartLow, apart, apartLow);
    square = ddAdd(square, squareLow, more, low); squareLow = low;
  }
  const root = sqrt(square), over = ddMul(root, 0, root, 0), left = ddAdd(square, squareLow, -over, -low);
  const length = ddAdd(root, 0, left / (2 * root), 0), lengthLow = low;
  for (let c = 0; c < dimensions(); c++) {
    store<f64>(shapeAt(b, c), ddDiv(load<f64>(shapeAt(b, c)), load<f64>(shapeAt(b, c), 8), length, lengthLow));
    store<f64>(shapeAt(b, c), low, 8);
  }
  const stretched = ddMul(load<f64>(barAt(b), 16), 0, load<f64>(barAt(b), 24), 0);
  store<f64>(shapeAt(b, 3), ddDiv(stretched, low, length, lengthLow));
  store<f64>(shapeAt(b, 3), low, 8);
}

@inline export function freeNumber(a: i32, c: i32): i32 { return load<i32>(numbers + (<usize>(a * dimensions() + c) << 2)); }
/** Joint and direction of a free unknown, D·joint + direction. */
export function placeOf(unknown: i32): i32 {
  let place = 0;
  while (load<i32>(numbers + (<usize>place << 2)) != unknown) place++;
  return place;
}
/** The shift of the whole truss that is left out of what is solved for: the first displacement that a support gives. */
@inline export function shift(c: i32): f64 { return load<f64>(shiftsAt + (<usize>c << 3)); }
@inline export function prescribed(a: i32, c: i32): f64 { return load<f64>(prescribedAt + (<usize>(a * dimensions() + c) << 3)); }

/**
 * Reads the parameters at an address, shapes the bars and numbers the free unknowns; later supports win. Their values are
 * kept less the shift.
 */
export function readTruss(address: usize): void {
  at0 = address;
  const total = jointCount() * dimensions();
  numbers = allocate(<usize>total << 2);
  prescribedAt = allocate(<usize>total << 3);
  shiftsAt = allocate(24);
  shapes = allocate(<usize>barCount() << 6);
  for (let b = 0; b < barCount(); b++) shapeBar(b);
  for (let s = trussSupports() - 1; s >= 0; s--) {
    const record = trussSupportAt(s);
    store<f64>(shiftsAt + (<usize>load<f64>(record, 8) << 3), load<f64>(record, 16));
  }
  for (let s = 0; s < trussSupports(); s++) {
    const record = trussSupportAt(s);
    const index = <i32>load<f64>(record) * dimensions() + <i32>load<f64>(record, 8);
    store<i32>(numbers + (<usize>index << 2), -1);
    store<f64>(prescribedAt + (<usize>index << 3), load<f64>(record, 16) - shift(<i32>load<f64>(record, 8)));
  }
  freeCount = 0;
  for (let n = 0; n < total; n++) {
    const slot = numbers + (<usize>n << 2);
    if (load<i32>(slot) == 0) store<i32>(slot, freeCount++);
  }
}
