import { type Static, Type } from 'typebox';
import { refuse } from '../../errors/refusal.ts';
import type { DiagnosticsReasons } from '../diagnostics.ts';
import {
  choice,
  integer,
  list,
  numbers,
  optional,
  quantity,
  record,
  seed,
  usedWith,
  vector,
} from '../input.ts';
import { counted, type Plot } from '../plot.ts';

export const functions = ['rosenbrock', 'himmelblau', 'beale', 'mccormick', 'styblinski-tang'] as const;
export const models = [
  'exponential',
  'saturation',
  'power',
  'michaelis-menten',
  'logistic',
  'gaussian',
  'polynomial',
] as const;
export type Model = (typeof models)[number];

export interface SparseMatrix {
  readonly shape: readonly [number, number];
  readonly entries: readonly (readonly [number, number, number])[];
}
export type Matrix = readonly (readonly number[])[] | SparseMatrix;

export interface OptInput {
  readonly mode: 'lp' | 'qp' | 'unconstrained' | 'nls';
  readonly sense?: 'min' | 'max';
  readonly c?: readonly number[];
  readonly H?: readonly (readonly number[])[];
  readonly g?: readonly number[];
  readonly constant?: number;
  readonly A?: Matrix;
  readonly b?: readonly number[];
  readonly E?: Matrix;
  readonly d?: readonly number[];
  readonly lower?: readonly (number | null)[];
  readonly upper?: readonly (number | null)[];
  readonly function?: (typeof functions)[number];
  readonly n?: number;
  readonly polynomial?: readonly { readonly c: number; readonly powers: readonly number[] }[];
  readonly x0?: readonly number[];
  readonly seed?: number | string;
  readonly model?: Model;
  readonly data?: {
    readonly x: readonly number[];
    readonly y: readonly number[];
    readonly weight?: readonly number[];
  };
}

const matrix = (description: string) =>
  optional(
    Type.Union(
      [
        list(Type.Array(Type.Number({ unit: '1' })), 'Row by row.'),
        record({
          shape: Type.Array(Type.Integer({ minimum: 0 }), {
            minItems: 2,
            maxItems: 2,
            description: '[rows, columns].',
          }),
          entries: list(
            Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
            '[row, column, value], from 0; the same place twice adds up.',
          ),
        }),
      ],
      { description },
    ),
  );
const bounds = (description: string) =>
  optional(list(Type.Union([Type.Number({ unit: '1' }), Type.Null()]), description));
const maybe = (description: string) => optional(vector('1', description));

export const schema = record({
  mode: choice(
    ['lp', 'qp', 'unconstrained', 'nls'],
    'Linear or quadratic programme, function or polynomial, or least squares.',
  ),
  ...usedWith(
    { mode: ['lp'] },
    {
      sense: optional(choice(['min', 'max'], 'Absent: min.')),
      c: maybe('Cost, cᵀx.'),
    },
  ),
  ...usedWith(
    { mode: ['qp'] },
    {
      H: optional(list(Type.Array(Type.Number({ unit: '1' })), '½xᵀHx: symmetric, positive semidefinite.')),
      g: maybe('gᵀx.'),
    },
  ),
  ...usedWith(
    { mode: ['lp', 'qp'] },
    {
      constant: optional(quantity('1', 'Added to the objective.')),
      A: matrix('Ax ≤ b; with b.'),
      b: maybe('With A.'),
      E: matrix('Ex = d; with d.'),
      d: maybe('With E.'),
    },
  ),
  lower: bounds('Lower bounds; null: none.'),
  upper: bounds('Upper bounds; null: none.'),
  ...usedWith(
    { mode: ['unconstrained'] },
    {
      function: optional(choice(functions, 'The objective; or polynomial.')),
      n: optional(integer('Variables of rosenbrock and styblinski-tang.', { minimum: 2 })),
      polynomial: optional(
        list(
          record({
            c: quantity('1', 'Coefficient.'),
            powers: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Exponent of each variable.' }),
          }),
          'Terms of the objective; or function.',
          { minItems: 1 },
        ),
      ),
    },
  ),
  ...usedWith(
    { mode: ['unconstrained', 'nls'] },
    {
      x0: maybe('Start.'),
      seed: optional(seed()),
    },
  ),
  ...usedWith(
    { mode: ['nls'] },
    {
      model: optional(
        choice(
          models,
          'p₀e^{p₁x} · p₀(1−e^{−p₁x}) · p₀x^{p₁} · p₀x/(p₁+x) · p₀/(1+e^{−p₁(x−p₂)}) · ' +
            'p₀e^{−(x−p₁)²/2p₂²} · Σpᵢxⁱ.',
        ),
      ),
      data: optional(
        record(
          {
            x: numbers('1', 'Abscissae.', { minItems: 1 }),
            y: numbers('1', 'Ordinates.', { minItems: 1 }),
            weight: optional(numbers('1', 'Weights above 0; absent: 1.')),
          },
          { description: 'Points to fit; the value is Σw(y − model)².' },
        ),
      ),
    },
  ),
});
export type SchemaInput = Static<typeof schema>;

// ---- which field a mode needs -------------------------------------------------------------------------

type Name = keyof OptInput;

const needed: Readonly<Record<OptInput['mode'], readonly Name[]>> = {
  lp: ['c'],
  qp: ['H', 'g'],
  unconstrained: ['x0'],
  nls: ['model', 'data', 'x0'],
};
const pairs: readonly (readonly [Name, Name])[] = [
  ['A', 'b'],
  ['b', 'A'],
  ['E', 'd'],
  ['d', 'E'],
];

/** @throws Refusal for a field that the mode lacks */
export function checkFields(input: OptInput): void {
  const { mode } = input;
  const missing = needed[mode].filter((name) => input[name] === undefined);
  for (const [name, other] of pairs)
    if (input[name] !== undefined && input[other] === undefined) missing.push(other);
  if (missing.length) lacks(mode, missing[0]!, missing, needed[mode]);
  if (mode !== 'unconstrained') return;
  if (input.function !== undefined && input.polynomial !== undefined)
    invalid('polynomial', 'the objective is given twice', 'function or polynomial');
  if (input.function === undefined && input.polynomial === undefined)
    lacks(mode, 'function', ['function'], ['function', 'polynomial']);
}

function lacks(mode: string, field: string, missing: readonly string[], accepts: readonly string[]): never {
  return refuse('MISSING_INPUT', `opt, ${mode}, lacks ${missing.join(', ')}.`, { field, missing, accepts });
}

export function invalid(field: string, what: string, accepts: unknown): never {
  return refuse('INVALID_INPUT', `${field}: ${what}.`, { field, accepts });
}

export function tooMuch(field: string, measured: number, bound: number): never {
  return refuse('LIMIT_EXCEEDED', `${field}: ${measured} is above ${bound}.`, {
    field,
    measured,
    bound,
    accepts: `at most ${bound}`,
  });
}

/** Bounds of n variables, ±∞ where there is none. */
export function readBounds({ lower, upper }: OptInput, n: number): [number[], number[]] {
  const read = (name: string, sent: readonly (number | null)[] | undefined, none: number) => {
    if (sent !== undefined && sent.length !== n)
      invalid(name, `${sent.length} bounds for ${n} variables`, `${n} numbers or null`);
    return Array.from({ length: n }, (_, j) => sent?.[j] ?? none);
  };
  const [low, high] = [read('lower', lower, -Infinity), read('upper', upper, Infinity)];
  const crossed = low.findIndex((bound, j) => !(bound <= high[j]!));
  if (crossed >= 0)
    invalid(`upper[${crossed}]`, `${high[crossed]} is below the lower bound`, `at least ${low[crossed]}`);
  return [low, high];
}

/** Why diagnostics of an optimum, variable by variable, lack parts. */
export const ofVariables: DiagnosticsReasons = {
  absentTerm: 'variables side by side have no such term',
  absentMasterEquation: 'there are fewer than three variables',
};

const optimum = (variables: number): Plot => ({
  kind: 'line',
  title: 'the optimum, variable by variable',
  x: counted('variable', variables),
  y: ['x'],
});
const descent = (iterates: number): Plot => ({
  kind: 'line',
  title: 'what is minimized, step by step',
  x: { name: 'step', unit: null, from: 0, to: iterates - 1 },
  y: ['iterates[0]'],
});
export const plotsOf = (variables: number, iterates: number): readonly Plot[] =>
  iterates > 1 ? [optimum(variables), descent(iterates)] : [optimum(variables)];
