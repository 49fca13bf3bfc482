/**
 * Lowest energies of Lennard-Jones clusters, N = 5 … 30, 38 and 55 (Hoare & Pal, Adv. Phys. 20 (1971) 161, up to 13;
 * Wales & Doye, J. Phys. Chem. A 101 (1997) 5111, table 1; test/fixtures/dock/clusters.c finds those up to 30 again),
 * and of Morse clusters with ρ = 6 (Doye & Wales, J. Chem. Soc. Faraday Trans. 93 (1997) 4233): Cambridge Cluster
 * Database.
 */
const lennardJones: Readonly<Record<number, number>> = {
  5: -9.103852,
  6: -12.712062,
  7: -16.505384,
  8: -19.821489,
  9: -24.11336,
  10: -28.422532,
  11: -32.76597,
  12: -37.9676,
  13: -44.326801,
  14: -47.845157,
  15: -52.322627,
  16: -56.815742,
  17: -61.317995,
  18: -66.530949,
  19: -72.659782,
  20: -77.177043,
  21: -81.684571,
  22: -86.809782,
  23: -92.844472,
  24: -97.348815,
  25: -102.372663,
  26: -108.315616,
  27: -112.873584,
  28: -117.822402,
  29: -123.587371,
  30: -128.286571,
  38: -173.928427,
  55: -279.24847,
};
const morse6: Readonly<Record<number, number>> = { 7: -16.20758, 13: -42.439863 };

export interface Known {
  readonly energy: number;
  /** Every pair at its own minimum: a bound. */
  readonly bound: boolean;
}

export function knownEnergy(potential: 'lj' | 'morse', N: number, rho: number): Known | undefined {
  if (N <= 4) return { energy: (-N * (N - 1)) / 2, bound: true };
  const energy = potential === 'lj' ? lennardJones[N] : rho === 6 ? morse6[N] : undefined;
  return energy === undefined ? undefined : { energy, bound: false };
}
