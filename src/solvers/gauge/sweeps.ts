// How many sweeps a chain will need, before any is made: (standard error)² = A σ² 2τ / (V × sweeps of all chains) for a loop
// of A plaquettes, which are nearly independent in two dimensions and of which A meet in each. The model is within a factor
// of two of what chains took (L from 2 to 32, β from 0.1 to 45).

export interface Sampled {
  readonly group: 'Z2' | 'U1' | 'SU2';
  readonly beta: number;
  readonly L: number;
  readonly loop?: readonly [number, number];
}

/** The standard error over the mean at which the verdict lets it pass. */
const TARGET = 2.5e-4;
/** Below this β chains of U(1) and SU(2) integrate each link (assembly/gauge/link-mean.ts). */
const INTEGRATED_BELOW = 2;
/** A mean plaquette is I_{ν+1}/I_ν of β: tanh β, I₁/I₀, I₂/I₁. */
const order = { Z2: -0.5, U1: 0, SU2: 1 } as const;
/** Angles of a plaquette about the identity. */
const angles = { Z2: 1, U1: 1, SU2: 3 } as const;

/** I_{ν+1}(x)/I_ν(x) by its continued fraction (Abramowitz & Stegun 9.1.73). */
function besselRatio(nu: number, x: number): number {
  let fraction = 0;
  for (let k = 200; k >= 1; k--) fraction = 1 / ((2 * (nu + k)) / x + fraction);
  return fraction;
}

function power(base: number, exponent: number): number {
  let product = 1;
  for (let i = 0; i < exponent; i++) product *= base;
  return product;
}

/** The mean of a loop of A plaquettes; that of Z2 on its torus, of few plaquettes and large β far from an endless one. */
function meanOf({ group, L }: Sampled, plaquette: number, area: number): number {
  const mean = power(plaquette, area);
  return group === 'Z2' ? (mean + power(plaquette, L * L - area)) / (1 + power(plaquette, L * L)) : mean;
}

/** Variance of a loop: exact for Z2 and one plaquette, else that of Gaussian angles. */
function variance({ group, beta }: Sampled, mean: number, area: number): number {
  const left = Math.max(0, 1 - mean * mean);
  if (group === 'Z2') return left;
  if (area === 1) return Math.max(0, left - ((2 * order[group] + 1) * mean) / beta);
  return (left * left) / (2 * angles[group]);
}

/** 2τ: pairs of turned plaquettes of Z2 wander ever longer; means over a link are steadier than what they are of. */
function correlation({ group, beta, L, loop }: Sampled, plaquette: number, area: number): number {
  const square = plaquette * plaquette;
  if (group === 'Z2')
    return Math.min(0.5 + (2 * square) / (1 - square), 0.6 * L * L + 1) * (loop ? 1 : square);
  return !loop && beta < INTEGRATED_BELOW ? 0.8 * square : 2 * Math.sqrt(area);
}

/** Sweeps for what Z2 adds to its error for pairs that nobody saw (assembly/gauge/excursions.ts). */
function forExcursions({ group, L }: Sampled, plaquette: number, area: number): number {
  if (group !== 'Z2') return 0;
  const turned = (1 - plaquette) / (1 + plaquette);
  const seldom = (4 * L * L * turned * turned * area * area) / (TARGET * TARGET);
  return Math.min((3 * area) / TARGET, seldom);
}

/** Sweeps of one of so many chains. */
export function sweepsNeeded(sampled: Sampled, chains: number): number {
  const { group, beta, L, loop } = sampled;
  const area = loop ? loop[0] * loop[1] : 1;
  const plaquette = besselRatio(order[group], beta);
  const mean = meanOf(sampled, plaquette, area);
  const error = TARGET * mean;
  const sum = area * variance(sampled, mean, area) * correlation(sampled, plaquette, area);
  return (sum / (error * error * L * L) + forExcursions(sampled, plaquette, area)) / chains;
}
