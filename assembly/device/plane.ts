// Equilibrium of a device in the plane as the kernel `device-plane` and its verdict read it: λ²∇²u = 2 sinh u − C on
// nx × ny equal cells, contacts at x = 0 and x = L_x, natural sides y = 0 and y = L_y.
//
// Parameters (f64): 0 cells nx · 8 ny · 16 T [K] · 24 ε_r · 32 n_i [1/m³] · 40 L_x · 48 L_y [m] · 56, 64 nodes of the array
//   along x and y · 72 tol · 80 most Newton iterations · 88 most iterations of conjugate gradients in all
//   for the verdict: 96 quantity 0 V_bi, 1 E_max · 104 1: the doping is uniform
//   112 the array N_d − N_a [1/m³], row by row of y, linear between its nodes
// Result: 0 V_bi [V], of the means of ψ over the contacts, whose doping is linear between its nodes
//   8 E_max [V/m] · 16 Newton iterations · 24 the last update · 32 iterations of conjugate gradients · 40 x · 48 y of E_max [m] · 56 0
//   64 fields of (ny + 1) rows of nx + 1 numbers: ψ [V], n, p [1/m³], |E| [V/m]

import { parameterF64, parameters } from "../kernel/frame";
import { BOLTZMANN, CHARGE, VACUUM } from "./problem";
import { nextHalf, openHalves } from "./volumes";

export const PLANE_ARRAY: usize = 112;
export const PLANE_HEAD: usize = 64;

export let nx: i32 = 0, ny: i32 = 0, mx: i32 = 0, my: i32 = 0;
export let thermal: f64 = 0, intrinsic: f64 = 0, lambdaSquare: f64 = 0, Lx: f64 = 0, Ly: f64 = 0, hx: f64 = 0, hy: f64 = 0;

export function readPlane(): void {
  nx = <i32>parameterF64(0); ny = <i32>parameterF64(8);
  thermal = BOLTZMANN * parameterF64(16) / CHARGE;
  intrinsic = parameterF64(32);
  lambdaSquare = VACUUM * parameterF64(24) * thermal / (CHARGE * intrinsic);
  Lx = parameterF64(40); Ly = parameterF64(48);
  hx = Lx / <f64>nx; hy = Ly / <f64>ny;
  mx = <i32>parameterF64(56); my = <i32>parameterF64(64);
}

export function planeNodes(): usize { return <usize>(nx + 1) * <usize>(ny + 1); }
export function planeBytes(): usize { return PLANE_HEAD + 32 * planeNodes(); }

/** Bytes of scratch that the volumes take. */
export function volumesScratch(): usize { return <usize>my * <usize>(nx + 1) << 3; }

/** ∫C/n_i over the volume of each node, to rows of `stride` bytes at `to` [m²]. */
export function layVolumes(to: usize, stride: usize, lines: usize): void {
  const line = <usize>(nx + 1) << 3;
  for (let k = 0; k < my; k++) {
    openHalves(parameters() + PLANE_ARRAY + (<usize>(k * mx) << 3), 8, mx, Lx, nx);
    gather(nx, lines + <usize>k * line, 8, 1.0 / intrinsic);
  }
  for (let i = 0; i <= nx; i++) {
    openHalves(lines + (<usize>i << 3), line, my, Ly, ny);
    gather(ny, to + (<usize>i << 3), stride, 1.0);
  }
}

/** The two halves of each node. */
function gather(n: i32, to: usize, stride: usize, factor: f64): void {
  for (let i = 0, left = 0.0; i <= n; i++) {
    store<f64>(to + <usize>i * stride, factor * (left + (i < n ? nextHalf() : 0.0)));
    if (i < n) left = nextHalf();
  }
}

/** C/n_i of a contact at y, x = 0 or L_x. */
export function contactDoping(right: bool, y: f64): f64 {
  const s = y / Ly * <f64>(my - 1), k = min(<i32>s, my - 2), at = parameters() + PLANE_ARRAY + (<usize>(k * mx + (right ? mx - 1 : 0)) << 3);
  const low = load<f64>(at), high = load<f64>(at + (<usize>mx << 3));
  return (low + (s - <f64>k) * (high - low)) / intrinsic;
}
