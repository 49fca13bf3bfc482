// Flows of a power network branch by branch from the voltages: the ideal transformer divides the voltage at the from
// end and keeps the power, behind it stand the series impedance and a half of the charging at each end. The layout of
// the parameters is that of ./network.ts; nothing else of it is used.

import { parameterF64 } from "../kernel/frame";

const HEAD: usize = 48;
const DEGREE: f64 = 0.017453292519943295;

@inline export function countOfBuses(): i32 { return <i32>parameterF64(0); }
@inline export function countOfBranches(): i32 { return <i32>parameterF64(8); }
@inline export function behindNetwork(): usize {
  return HEAD + 80 * <usize>countOfBuses() + 56 * <usize>countOfBranches();
}
@inline export function busNumber(i: i32, column: i32): f64 { return parameterF64(HEAD + 80 * <usize>i + (<usize>column << 3)); }
@inline export function branchNumber(l: i32, column: i32): f64 {
  return parameterF64(HEAD + 80 * <usize>countOfBuses() + 56 * <usize>l + (<usize>column << 3));
}

let fromP: f64 = 0, fromQ: f64 = 0, toP: f64 = 0, toQ: f64 = 0;
@inline export function activeFrom(): f64 { return fromP; }
@inline export function reactiveFrom(): f64 { return fromQ; }
@inline export function activeTo(): f64 { return toP; }
@inline export function reactiveTo(): f64 { return toQ; }

/** Power into branch l at both ends, pu, from the voltages (V, θ) of its ends. */
export function flow(l: i32, Vf: f64, thetaF: f64, Vt: f64, thetaT: f64): void {
  const r = branchNumber(l, 2), x = branchNumber(l, 3), half = 0.5 * branchNumber(l, 4), ratio = branchNumber(l, 5);
  const behind = ratio == 0.0 ? Vf : Vf / ratio, turned = thetaF - branchNumber(l, 6) * DEGREE;
  const a = behind * Math.cos(turned), b = behind * Math.sin(turned), c = Vt * Math.cos(thetaT), d = Vt * Math.sin(thetaT);
  const z2 = r * r + x * x, u = a - c, v = b - d;
  const real = (u * r + v * x) / z2, imaginary = (v * r - u * x) / z2;
  fromP = a * real + b * imaginary;
  fromQ = b * real - a * imaginary - half * behind * behind;
  toP = -(c * real + d * imaginary);
  toQ = -(d * real - c * imaginary) - half * Vt * Vt;
}
