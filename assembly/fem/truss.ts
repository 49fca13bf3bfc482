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
/** ∂(length)/∂(end) along direction c. */
export function barDirection(b: i32, c: i32): f64 {
  const from = jointAt(barStart(b)) + (<usize>c << 3), to = jointAt(barEnd(b)) + (<usize>c << 3);
  return (load<f64>(to) - load<f64>(from)) / barLength(b);
}
export function barLength(b: i32): f64 {
  let square = 0.0;
  for (let c = 0; c < dimensions(); c++) {
    const apart = load<f64>(jointAt(barEnd(b)) + (<usize>c << 3)) - load<f64>(jointAt(barStart(b)) + (<usize>c << 3));
    square += apart * apart;
  }
  return sqrt(square);
}
/** EA/L. */
export function barStiffness(b: i32): f64 { return load<f64>(barAt(b), 16) * load<f64>(barAt(b), 24) / barLength(b); }

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

/** Reads the parameters at an address and numbers the free unknowns; later supports win. Their values are kept less the shift. */
export function readTruss(address: usize): void {
  at0 = address;
  const total = jointCount() * dimensions();
  numbers = allocate(<usize>total << 2);
  prescribedAt = allocate(<usize>total << 3);
  shiftsAt = allocate(24);
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
