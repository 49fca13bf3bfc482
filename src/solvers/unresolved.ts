import type { GateDeclaration } from './solver.ts';

// What a formula of the caller's own may hold between the points at which a solver asks it
// (assembly/expression/resolved.ts): the gate, what it costs, and how it refuses.

/** Name of the gate in every solver that has formulas. */
const NAME = 'between the points';
/** Part of its scale that a formula may hold there. */
const ALLOWED = 1e-3;
/** So many times counts what rounding may change (assembly/expression/resolved.ts). */
const LOST = 100;
const OUTSIDE_TOLERANCE = 18;
/** Of a box, in assembly/expression/resolved.ts, and the stack of series. */
const BOX_BYTES = 48;
const TABLES = 65_536;
const SERIES_ONCE = 100;

/** `scale`: what the bound is a part of, in the solver's own words. */
export const gateBetween = (points: string, scale: string): GateDeclaration => ({
  name: NAME,
  quantity: `most that a formula holds between ${points} in the mean that counts and ${LOST} times what rounding takes from it at points, over ${scale}, of 0.001 (error 1)`,
  source:
    'enclosure of the formula and its Taylor coefficients over every cell (Moore, Kearfott & Cloud 2009)',
});

const seriesAlong = (axes: number): number => 1 << (8 + 2 * axes);

/** At which rounding is looked at. */
export const ROUNDING_POINTS = 64;

/** Work units of enclosing a formula along so many axes, and at the points of rounding. */
export const enclosureWork = ({ series }: { readonly series: number }, axes: number): number =>
  (seriesAlong(axes) + ROUNDING_POINTS) * (series + SERIES_ONCE);

/** Bytes of the verdict's memory for that. */
export const enclosureBytes = (axes: number): number => BOX_BYTES * (seriesAlong(axes) + 4) + TABLES;

/** How a run was refused, where it was this gate; `gates` are the solver's. */
export function unresolvedDetails(
  solver: string,
  gates: readonly GateDeclaration[],
  status: number,
  [index, , error]: readonly number[],
  { points, field, accepts }: { readonly points: string; readonly field: string; readonly accepts: string },
): Record<string, unknown> | undefined {
  if (status !== OUTSIDE_TOLERANCE || gates[index!]?.name !== NAME) return undefined;
  const hidden = ALLOWED * error!;
  const measured = hidden > 1e6 ? 'more than can be bounded' : `up to ${hidden} of its scale`;
  return {
    message:
      `${solver}: between ${points} a formula may hold ${measured}, above ${ALLOWED} ` +
      `(what rounding takes from it at a point counts ${LOST} times: write it without a difference of what is nearly equal); ` +
      `accepted: ${accepts}.`,
    field,
    measured: hidden,
    bound: ALLOWED,
    accepts,
  };
}
