// Parameters of the finite-element kernel, all f64 (index × 8 = byte offset).
//
//   header, 24 numbers
//     0 unknowns per node: 1 Poisson, 2 plane elasticity      1 plane stress 0 | plane strain 1
//     2 E [Pa] or k           3 nu            4 thickness [m] (Poisson: 1)
//     5 f, or body force bx [N/m³]            6 body force by
//     7 tolerance on ‖r‖/‖f‖  8 iteration limit
//     9 patches  10 distinct corners  11 supports  12 loads
//    13 quantity: 0 the field itself | 1 stress | 2 energy
//    14 component: 0 x, xx | 1 y, yy | 2 xy | 3 von Mises
//    15 probe given 0 | 1     16, 17 probe [m]     18 samples per side of a patch for the field output
//    19 source: 0 constant | 1 times sin πx sin πy, the manufactured problem of the convergence test
//   patches, 40 numbers each
//     0 … 17 nine points x, y (corners, mid-sides bottom, right, top, left, centre), the last five used when
//    18 is 9 (4: bilinear)   19, 20 cells of this run   21, 22 cells of the request
//    23, 24 last over first cell length   25 … 28 corner numbers
//    29 … 32 neighbour over bottom, right, top, left: −1, or patch·8 + side·2 + (1 when reversed)
//   supports, 24 numbers each
//     0 kind: 0 side | 1 node of an element | 2 point     1 patch   2 side or node   3, 4 point
//     per unknown from 5 and from 14 on: number of coefficients in ξ (0: free), then up to eight of them
//   loads, 16 numbers each
//     0 … 4 as supports   5 type: 0 traction, flux | 1 total | 2 force | 3 pressure
//     6 … 8 and 9 … 11 coefficients in ξ per component

import { parameterF64, parameters } from "../kernel/frame";

const HEADER: i32 = 24;
const PATCH: i32 = 40;
const SUPPORT: i32 = 24;
const LOAD: i32 = 16;

@inline export function unknownsPerNode(): i32 { return <i32>parameterF64(0); }
@inline export function planeStrain(): bool { return parameterF64(8) != 0; }
@inline export function modulus(): f64 { return parameterF64(16); }
@inline export function poissonRatio(): f64 { return parameterF64(24); }
@inline export function thickness(): f64 { return parameterF64(32); }
@inline export function source(component: i32): f64 { return parameterF64(40 + (<usize>component << 3)); }
@inline export function tolerance(): f64 { return parameterF64(56); }
@inline export function iterationLimit(): f64 { return parameterF64(64); }
@inline export function patchCount(): i32 { return <i32>parameterF64(72); }
@inline export function cornerCount(): i32 { return <i32>parameterF64(80); }
@inline export function supportCount(): i32 { return <i32>parameterF64(88); }
@inline export function loadCount(): i32 { return <i32>parameterF64(96); }
@inline export function quantity(): i32 { return <i32>parameterF64(104); }
@inline export function component(): i32 { return <i32>parameterF64(112); }
@inline export function hasProbe(): bool { return parameterF64(120) != 0; }
@inline export function probeX(): f64 { return parameterF64(128); }
@inline export function probeY(): f64 { return parameterF64(136); }
@inline export function manufactured(): bool { return parameterF64(152) != 0; }
@inline export function fieldSamples(): i32 { return <i32>parameterF64(144); }

/** Addresses of the records. */
@inline export function patchAt(p: i32): usize { return parameters() + ((HEADER + p * PATCH) << 3); }
@inline export function supportAt(s: i32): usize {
  return parameters() + ((HEADER + patchCount() * PATCH + s * SUPPORT) << 3);
}
@inline export function loadAt(l: i32): usize {
  return parameters() + ((HEADER + patchCount() * PATCH + supportCount() * SUPPORT + l * LOAD) << 3);
}
/** The i-th number of a record. */
@inline export function at(record: usize, i: i32): f64 { return load<f64>(record + (<usize>i << 3)); }

export namespace PatchField {
  export const GEOMETRY: i32 = 18;
  export const CELLS: i32 = 19;
  export const REQUESTED: i32 = 21;
  export const GRADE: i32 = 23;
  export const CORNER: i32 = 25;
  export const NEIGHBOUR: i32 = 29;
}
