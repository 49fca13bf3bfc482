// Verdict of `lorenz`, fixed-point: C± = (±√(β(ρ−1)), ±√(β(ρ−1)), ρ−1) where ρ > 1, else the origin; eigenvalues by sums,
// pairs and product of the roots, whose closed forms are the coefficients of Lorenz' eq. 32 and 33 (Vieta).
//
// Parameters (f64):  0 σ · 8 ρ · 16 β · 24 the run's result (128 bytes)
// Extras (f64):  0 … 120 the run's result · 128 ρ at which C± lose their stability, σ(σ+β+3)/(σ−β−1), or 0
//   136 C±, 144 origin are stable (1)
//
// Gates: 10 place · 11 eigenvalues there · 12 eigenvalues at the origin

import { countStep, openState, parameterF64, parameters, restoreState, spend } from "../kernel/frame";
import { closeVerdict, extras, gate, Kind, openVerdict } from "../kernel/verdict";

export {
  configure, status, state, stateLength, drain, drainLength, observe, observeLength, result, resultLength, work,
} from "../kernel/frame";

const RUN: usize = 24;
const UNITS: u64 = 2000;

let sigma: f64 = 0, rho: f64 = 0, beta: f64 = 0;

export function start(_budget: i32): i32 { openState(0); return 1; }
export function restore(length: i32): usize { openState(0); return restoreState(length); }
export function resumed(_budget: i32): i32 { return 1; }

export function advance(_steps: i32, _budget: i32): i32 {
  sigma = parameterF64(0); rho = parameterF64(8); beta = parameterF64(16);
  judge();
  spend(UNITS);
  countStep();
  return 1;
}

function judge(): void {
  openVerdict(3, 19);
  const high = max(0.0, rho - 1.0), wide = sqrt(beta * high), z = parameterF64(RUN + 16);
  const apart = max(abs(parameterF64(RUN) - wide), max(abs(parameterF64(RUN + 8) - wide), abs(z - high)));
  gate(10, Kind.EXACT, z, high, apart == 0.0 ? 0.0 : apart / (rho > 1.0 ? min(wide, max(high, 1e-3 * wide)) : 1.0));
  if (rho > 1.0) vieta(11, RUN + 32, beta * (sigma + rho), 2.0 * sigma * beta * high);
  else vietaOfOrigin(11, RUN + 32);
  vietaOfOrigin(12, RUN + 80);
  memory.copy(extras(), parameters() + RUN, 128);
  const hopf = sigma > beta + 1.0 ? sigma * (sigma + beta + 3.0) / (sigma - beta - 1.0) : 0.0;
  store<f64>(extras(), hopf, 128);
  store<f64>(extras(), parameterF64(RUN + 32) < 0.0 ? 1.0 : 0.0, 136);
  // At ρ = 1 an eigenvalue is 0, whose sign rounding gives; the origin draws all motions there (Lorenz 1963, §6).
  store<f64>(extras(), rho <= 1.0 ? 1.0 : 0.0, 144);
  closeVerdict(z);
}

function vietaOfOrigin(index: i32, at: usize): void {
  const b = sigma * (1.0 - rho);
  vieta(index, at, b + (sigma + 1.0) * beta, b * beta);
}

/** Σλ = −(σ+1+β), Σλᵢλⱼ = `pairs`, Πλ = −`product`, each beside the size of what it is made of. */
function vieta(index: i32, at: usize, pairs: f64, product: f64): void {
  const a = parameterF64(at), ai = parameterF64(at + 8), b = parameterF64(at + 16), bi = parameterF64(at + 24);
  const c = parameterF64(at + 32), ci = parameterF64(at + 40);
  const sum = a + b + c, imaginary = ai + bi + ci;
  const sizeA = sqrt(a * a + ai * ai), sizeB = sqrt(b * b + bi * bi), sizeC = sqrt(c * c + ci * ci);
  const ab = a * b - ai * bi, abi = a * bi + ai * b;
  const found = ab + a * c - ai * ci + b * c - bi * ci;
  const sizes = sizeA * sizeB + sizeA * sizeC + sizeB * sizeC;
  const errorSum = (abs(sum + sigma + 1.0 + beta) + abs(imaginary)) / (sizeA + sizeB + sizeC);
  const errorPairs = abs(found - pairs) / sizes;
  const all = ab * c - abi * ci, off = abs(all + product);
  const errorProduct = off == 0.0 ? 0.0 : off / max(abs(product), 1e-12 * sizes * (sizeA + sizeB + sizeC));
  gate(index, Kind.EXACT, sum, -(sigma + 1.0 + beta), max(errorSum, max(errorPairs, errorProduct)));
}
