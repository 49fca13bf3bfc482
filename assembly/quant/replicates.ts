// What the 32 replicates say together. The heads of all runs stand one after another, eight runs a round
// (assembly/quant/problem.ts). With the control, the estimate of a replicate is
//
//   Ȳ_k − b (C̄_k − E C),   b = Cov(Y, C)/Var(C) over all paths (Glasserman §4.1.1)
//
// and the standard error that of the mean of 32 independent estimates.

import { PER_RUN, REPLICATES, RUN_BYTES, RUNS, Sum, SUMS } from "./problem";

let heads: usize = 0;
let rounds: i32 = 0;

export function openReplicates(at: usize, count: i32): void { heads = at; rounds = count; }

/** A sum of one replicate over all rounds. */
export function sumOf(replicate: i32, sum: usize): f64 {
  let total = 0.0;
  for (let round = 0; round < rounds; round++) {
    const run = round * RUNS + replicate / PER_RUN;
    total += load<f64>(heads + RUN_BYTES * <usize>run + SUMS * <usize>(replicate % PER_RUN) + sum);
  }
  return total;
}

/** Paths in bin `bin`. */
export function countOf(bin: i32): f64 {
  let total = 0.0;
  for (let run = 0; run < rounds * RUNS; run++) {
    total += load<f64>(heads + RUN_BYTES * <usize>run + SUMS * <usize>PER_RUN + (<usize>bin << 3));
  }
  return total;
}

export function total(sum: usize): f64 {
  let all = 0.0;
  for (let k = 0; k < REPLICATES; k++) all += sumOf(k, sum);
  return all;
}

export function mean(sum: usize): f64 { return total(sum) / total(Sum.N); }

/** b; 0 where the control does not vary. */
export function coefficient(): f64 {
  const n = total(Sum.N), y = total(Sum.Y), c = total(Sum.C);
  const variance = total(Sum.CC) - c * c / n;
  return variance > 1e-12 * total(Sum.CC) ? (total(Sum.YC) - y * c / n) / variance : 0.0;
}

/** Standard error of the mean of `sum` − b · `control`. */
export function standardError(sum: usize, control: usize, b: f64): f64 {
  const middle = mean(sum) - b * mean(control);
  let squares = 0.0;
  for (let k = 0; k < REPLICATES; k++) {
    const n = sumOf(k, Sum.N), apart = sumOf(k, sum) / n - b * (sumOf(k, control) / n) - middle;
    squares += apart * apart;
  }
  return sqrt(squares / <f64>(REPLICATES * (REPLICATES - 1)));
}
