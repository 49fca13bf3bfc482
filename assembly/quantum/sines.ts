// Kinetic energy in the discrete variable representation of sines on N intervals of a domain of width 1, in units of
// ħ²/m width² (D. T. Colbert, W. H. Miller, J. Chem. Phys. 96 (1992) 1982, eq. A6).

const QUARTER: f64 = 2.4674011002723395; // π²/4

@inline function inverseSquare(angle: f64): f64 {
  const s = Math.sin(angle);
  return 1.0 / (s * s);
}

/** T_ij of inner nodes 1 ≤ i, j < N. */
export function kineticEntry(N: i32, i: i32, j: i32): f64 {
  const turn = Math.PI / <f64>(2 * N);
  if (i == j) return QUARTER * ((2.0 * <f64>N * <f64>N + 1.0) / 3.0 - inverseSquare(2.0 * turn * <f64>i));
  const sign = ((i - j) & 1) ? -1.0 : 1.0;
  return sign * QUARTER * (inverseSquare(turn * <f64>(i - j)) - inverseSquare(turn * <f64>(i + j)));
}
