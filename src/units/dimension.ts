/**
 * Dimensions as vectors of exponents. An exponent is counted in sixtieths, so that halves, thirds, quarters and
 * fifths are exact integers; what is no multiple of 1/60 has no dimension here.
 */
export type Dimension = readonly number[];

/** The seven of the SI, and two of ours that convert to nothing else: money, and the decibel. */
export const baseUnits = ['kg', 'm', 's', 'A', 'K', 'mol', 'cd', 'currency', 'dB'] as const;
export type BaseUnit = (typeof baseUnits)[number];

export const WHOLE = 60;

export const dimensionless: Dimension = baseUnits.map(() => 0);

/** Whole exponents by base unit, such as {kg: 1, m: 1, s: -2}. */
export function dimension(exponents: Partial<Record<BaseUnit, number>>): Dimension {
  return baseUnits.map((unit) => (exponents[unit] ?? 0) * WHOLE);
}

export const times = (a: Dimension, b: Dimension): Dimension => a.map((exponent, i) => exponent + b[i]!);
export const over = (a: Dimension, b: Dimension): Dimension => a.map((exponent, i) => exponent - b[i]!);

/** a^(sixtieths/60), or undefined where an exponent would be no multiple of 1/60. */
export function raised(a: Dimension, sixtieths: number): Dimension | undefined {
  const result = a.map((exponent) => (exponent * sixtieths) / WHOLE);
  return result.every(Number.isInteger) ? result : undefined;
}

export const sameDimension = (a: Dimension, b: Dimension): boolean =>
  a.every((exponent, i) => exponent === b[i]);

export const isDimensionless = (a: Dimension): boolean => a.every((exponent) => exponent === 0);
