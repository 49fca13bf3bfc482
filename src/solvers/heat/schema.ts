import { Type } from 'typebox';
import { type EarlierSteps, jobToContinue, WHOLE_STEPS } from '../continuation.ts';
import type { SentParameters } from '../expressions.ts';
import { formulaParameters, formulaText } from '../formula-input.ts';
import { boxFields, type GridArray, gridArray, type SideName } from '../grid/box.ts';
import { choice, flag, integer, optional, quantity, ratio, record } from '../input.ts';

const kelvin = (description: string) => quantity('K', description, { minimum: 0 });
const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });
const word = <const W extends string>(name: W, description: string) => choice([name], description);

const side = Type.Union(
  [
    word('periodic', 'Joined to the opposite side.'),
    record({ type: word('dirichlet', 'A wall of one temperature.'), T: kelvin('Its temperature.') }),
    record({
      type: word('flux', 'A given heat flux.'),
      q: quantity('W/m^2', 'Into the body; 0: insulated.'),
    }),
    record({
      type: word('robin', 'Convection.'),
      h: positive('W/(m^2 K)', 'Heat transfer coefficient.'),
      Tinf: kelvin('Temperature of the surroundings.'),
    }),
    record({ type: word('periodic', 'Joined to the opposite side.') }),
  ],
  { description: 'dirichlet {T}, flux {q}, robin {h, Tinf} or periodic.' },
);

const waves = (description: string) => optional(integer(description, { minimum: 0, maximum: 1000 }));

export const schema = record({
  ...boxFields(16),
  alpha: optional(positive('m^2/s', 'Thermal diffusivity; or k, rho and cp.')),
  k: optional(positive('W/(m K)', 'Conductivity; needed with flux or robin sides.')),
  rho: optional(positive('kg/m^3', 'Density; with k.')),
  cp: optional(positive('J/(kg K)', 'Heat capacity; with k.')),
  s: optional(
    Type.Union(
      [
        quantity('K/s', 'Source over ρc_p.'),
        gridArray('K/s', 'Source over ρc_p on the nodes.'),
        formulaText('Source over ρc_p as a formula of x, y and t; steady: of x and y.'),
      ],
      {
        description:
          'Source over ρc_p: a number, an array on the nodes, or a formula of x, y and t; absent: none.',
      },
    ),
  ),
  parameters: formulaParameters('Other letters of the formulas, with a unit or without.'),
  initial: optional(
    Type.Union(
      [
        record({ type: word('uniform', 'One temperature.'), T: kelvin('Temperature.') }),
        record({
          type: word('mode', 'A·sin(mπx/Lx)·sin(nπy/Ly), cos along insulated axes.'),
          A: quantity('K', 'Amplitude.', { temperature: 'difference' }),
          m: integer('Half waves along x.', { minimum: 0, maximum: 1000 }),
          n: waves('Half waves along y; not with dim 1.'),
          T: optional(kelvin('Temperature it is added to; absent: 0.')),
        }),
        record({
          type: word('formula', 'A formula of your own.'),
          equation: formulaText('Temperature as a formula of x and y, plain text or LaTeX.'),
        }),
      ],
      { description: 'The start: uniform {T}, mode {A, m, n, T} or formula {equation}.' },
    ),
  ),
  boundary: Type.Union(
    [side, record({ left: side, right: side, bottom: optional(side), top: optional(side) })],
    { description: 'One boundary for all sides, or one for each of left, right, bottom, top.' },
  ),
  t_end: optional(positive('s', 'End of the run, after t0; or steady.')),
  steady: optional(flag('Only true: the steady state.')),
  dt: optional(positive('s', 'Largest step; explicit: α·dt·(1/dx² + 1/dy²) ≤ 1/2.')),
  scheme: optional(
    choice(['explicit', 'adi'], 'Explicit steps, or implicit along one axis at a time; absent: adi.'),
  ),
  tol: optional(
    ratio('Relative residual of the steady state; absent: 1e-12.', { minimum: 1e-14, maximum: 1e-9 }),
  ),
  initialState: optional(
    record(
      {
        T: optional(gridArray('K', 'Temperatures on the nodes.')),
        t0: optional(quantity('s', 'Time of the start.')),
        continue: jobToContinue('t_end', WHOLE_STEPS),
      },
      { description: 'The start, instead of initial.' },
    ),
  ),
});

export type HeatSide =
  | 'periodic'
  | { readonly type: 'dirichlet'; readonly T: number }
  | { readonly type: 'flux'; readonly q: number }
  | { readonly type: 'robin'; readonly h: number; readonly Tinf: number }
  | { readonly type: 'periodic' };

export interface HeatInput {
  readonly dim?: 1 | 2;
  readonly Lx: number;
  readonly Ly?: number;
  readonly N?: number | readonly number[];
  readonly probe?: readonly number[];
  readonly alpha?: number;
  readonly k?: number;
  readonly rho?: number;
  readonly cp?: number;
  readonly s?: number | GridArray | string;
  readonly initial?:
    | { readonly type: 'uniform'; readonly T: number }
    | {
        readonly type: 'mode';
        readonly A: number;
        readonly m: number;
        readonly n?: number;
        readonly T?: number;
      }
    | { readonly type: 'formula'; readonly equation: string };
  readonly parameters?: SentParameters;
  readonly boundary: HeatSide | Partial<Readonly<Record<SideName, HeatSide>>>;
  readonly t_end?: number;
  readonly steady?: boolean;
  readonly dt?: number;
  readonly scheme?: 'explicit' | 'adi';
  readonly tol?: number;
  readonly initialState?: { readonly T?: GridArray; readonly t0?: number; readonly continue?: string };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
}

/** Results of the earlier job's runs: the grids h, 2h, 4h as far as there were, and the twin. */
export interface Before extends EarlierSteps {
  /** Cells of the first job along x and y, where it chose them by its own end. */
  readonly cells: readonly [number, number];
}
