/**
 * How often the claims of a node are run a second time, per (node, kernel): at first every one, half as often with
 * each eight matches, never less than one of 32; a mismatch starts it again. So the steady cost of checking is 1/32 of
 * the work, below 5 %.
 */
export const MATCHES_PER_HALVING = 8;
export const LEAST_RATE = 1 / 32;

/** The chance that a claim is checked after so many matches since the last mismatch. */
export function checkRate(matches: number): number {
  const halvings = Math.min(Math.floor(matches / MATCHES_PER_HALVING), 5);
  return Math.max(LEAST_RATE, 1 / (1 << halvings));
}
