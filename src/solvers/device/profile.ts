/** CODATA 2022: e [C] and k [J/K] exact, ε₀ [F/m]. */
export const constants = { e: 1.602176634e-19, k: 1.380649e-23, epsilon0: 8.8541878188e-12 };

/** Steps of the bias in V, and in kT/q at most: Newton's method finds no way over longer ones below 40 K. */
const BIAS_STEP = 0.05;
const THERMAL_STEP = 8;
export const longestStep = (Vt: number): number => Math.min(BIAS_STEP, THERMAL_STEP * Vt);

export interface Junction {
  readonly kind: 'junction';
  readonly Na: number;
  readonly Nd: number;
  readonly Lp: number;
  readonly Ln: number;
}

/** An abrupt junction, or Nd − Na on `columns` × `rows` nodes (in one dimension one row). */
export type Profile =
  | Junction
  | {
      readonly kind: 'array';
      readonly values: readonly number[];
      readonly columns: number;
      readonly rows: number;
      readonly isUniform: boolean;
    };

/** The largest doping [1/m³]. */
export function mostOf(profile: Profile): number {
  if (profile.kind === 'junction') return Math.max(profile.Na, profile.Nd);
  let most = 0;
  for (const value of profile.values) most = Math.max(most, Math.abs(value));
  return most;
}

/** Whether the doping does not change along y. */
export function hasEvenRows(profile: Profile): boolean {
  if (profile.kind === 'junction') return true;
  const { values, columns } = profile;
  return values.every((value, k) => value === values[k % columns]);
}

/** Whether each contact of a rectangle has one doping. */
export function hasEvenContacts(profile: Profile): boolean {
  if (profile.kind === 'junction') return true;
  const { values, columns } = profile;
  return values.every((value, k) => {
    if (k % columns === 0) return value === values[0];
    return k % columns !== columns - 1 || value === values[columns - 1];
  });
}

/** How often a ratio can be halved until it is 1. */
export function doublingsOf(ratio: number): number {
  let doublings = 0;
  for (let rest = ratio; rest > 1; rest /= 2) doublings++;
  return doublings;
}
