// A semiconductor in one dimension as the kernel `device` and its verdict read it. Lengths in m, densities over n_i,
// potentials over the thermal voltage V_t = kT/q; λ² = εV_t/(q n_i) is the square of the intrinsic length.
//
// Parameters (f64):
//     0 cells of this grid · 8 cells of the finest one · 16 T [K] · 24 ε_r · 32 n_i [1/m³]
//    40 profile: 0 abrupt junction, 1 array · 48 N_a · 56 N_d [1/m³] · 64 L_p · 72 L_n [m] · 80 L [m] · 88 nodes of the array
//    96 V [V] · 104 steps of the bias · 112 µ_n · 120 µ_p [m²/(V s)] · 128 τ_n · 136 τ_p [s] · 144 1: SRH, 0: none
//   152 tol · 160 most Newton iterations, all steps together
//   for the verdict: 168 1: the doping is uniform · 176 quantity 0 V_bi, 1 E_max, 2 J · 184 grids · 192 rows
//   200 the array: N_d − N_a [1/m³] on equidistant nodes, linear between them
// Result: columns of cells + 1 numbers: ψ [V], n, p [1/m³], of a bias the steps of the quasi-Fermi potentials φ_n and φ_p over
//   the cells, over V_t (the last ones 0), x [m], E [V/m]; then its head:
//    0 V_bi [V] · 8 E_max in equilibrium · 16 E_max [V/m] · 24 J [A/m²] · 32 Newton iterations · 40 the last update
//   48 x of E_max [m] · 56 the smallest cell [m]
// Rows (f64), one for each bias from 0 to V: 0 V [V] · 8 J [A/m²] · 16 E_max [V/m]

import { parameterF64, parameters } from "../kernel/frame";

/** CODATA 2022. */
export const CHARGE: f64 = 1.602176634e-19;
export const BOLTZMANN: f64 = 1.380649e-23;
export const VACUUM: f64 = 8.8541878188e-12;

export const ARRAY: usize = 200;
export const RESULT_HEAD: usize = 64;
export const ROW: i32 = 24;

export let cells: i32 = 0, finest: i32 = 0, isJunction: bool = false, nodesOfArray: i32 = 0, biasSteps: i32 = 0;
export let Vt: f64 = 0, permittivity: f64 = 0, ni: f64 = 0, lambda2: f64 = 0;
export let Na: f64 = 0, Nd: f64 = 0, Lp: f64 = 0, Ln: f64 = 0, L: f64 = 0;

export function readProblem(): void {
  cells = <i32>parameterF64(0); finest = <i32>parameterF64(8);
  Vt = BOLTZMANN * parameterF64(16) / CHARGE;
  permittivity = VACUUM * parameterF64(24);
  ni = parameterF64(32);
  lambda2 = permittivity * Vt / (CHARGE * ni);
  isJunction = parameterF64(40) == 0.0;
  Na = parameterF64(48) / ni; Nd = parameterF64(56) / ni;
  Lp = parameterF64(64); Ln = parameterF64(72); L = parameterF64(80);
  nodesOfArray = <i32>parameterF64(88);
  biasSteps = <i32>parameterF64(104);
}

export function columnBytes(n: i32): usize { return (biasSteps > 0 ? 56 : 40) * <usize>(n + 1); }
export function resultBytes(n: i32): usize { return columnBytes(n) + RESULT_HEAD; }

/** Entry k of the array, over n_i. */
@inline export function arrayNode(k: i32): f64 { return load<f64>(parameters() + ARRAY + (<usize>k << 3)) / ni; }
