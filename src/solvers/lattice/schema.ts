import { Type } from 'typebox';
import { anyQuantity, choice, integer, list, nestedRequest, optional, record } from '../input.ts';

export const MAX_POINTS = 65_536;

export const reductions = ['max', 'min', 'mean', 'sum', 'at'] as const;
export type Reduction = (typeof reductions)[number];

/** A number as it was sent: in the unit of the axis or of the input, or in one of its own. */
export type SentNumber = number | { readonly value: number; readonly unit: string };

export interface AxisFields {
  readonly name: string;
  readonly values?: readonly SentNumber[] | { readonly value: number[]; readonly unit: string };
  readonly start?: SentNumber;
  readonly stop?: SentNumber;
  readonly count?: number;
  readonly scale?: 'lin' | 'log';
  readonly unit?: string;
}

export interface LatticeInput {
  readonly operators?: readonly string[];
  readonly solver?: string;
  readonly inputs: Record<string, unknown>;
  readonly axes: readonly AxisFields[];
  readonly reduce: Reduction;
  readonly at?: readonly number[];
  readonly proofs?: readonly number[];
}

const unitText = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
const count = { minItems: 1, maxItems: MAX_POINTS };

/** The target of lattice and shift. */
export const targetFields = {
  operators: optional(
    list(Type.String({ minLength: 1, maxLength: 64 }), 'Ids of operators, as in compute; or solver.', {
      maxItems: 64,
    }),
  ),
  solver: optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Name of a solver; or operators.' }),
  ),
};

const axis = record({
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Name of the input; for a solver its path in the body, such as inputs.m.',
  }),
  values: optional(
    Type.Union(
      [
        list(anyQuantity('A coordinate.'), 'Coordinates.', count),
        record({
          value: Type.Array(Type.Number(), { description: 'Coordinates.', ...count }),
          unit: unitText('Their unit.'),
        }),
      ],
      { description: 'Coordinates in order; or start, stop and count.' },
    ),
  ),
  start: optional(anyQuantity('First coordinate.')),
  stop: optional(anyQuantity('Last coordinate, exact.')),
  count: optional(integer('Number of coordinates.', { minimum: 2, maximum: MAX_POINTS })),
  scale: optional(choice(['lin', 'log'], 'Spacing from start to stop; absent: lin.')),
  unit: optional(unitText('Unit of the coordinates; absent: that of the input.')),
});

export const schema = record({
  ...targetFields,
  inputs: nestedRequest('Inputs of the operators, or body of the solver, less the swept ones.'),
  axes: list(axis, `1 to 6 axes, at most ${MAX_POINTS} points in all; the last runs fastest.`, {
    minItems: 1,
    maxItems: 6,
  }),
  reduce: choice(reductions, 'What the value is: of all points, or of the point at.'),
  at: optional(
    Type.Array(Type.Integer({ minimum: 0 }), {
      minItems: 1,
      maxItems: 6,
      description: 'With reduce at: the number of the coordinate on each axis, from 0.',
    }),
  ),
  proofs: optional(
    Type.Array(Type.Integer({ minimum: 0, maximum: MAX_POINTS - 1 }), {
      maxItems: 64,
      description: 'Points whose inclusion proofs are returned, counted from 0.',
    }),
  ),
});
