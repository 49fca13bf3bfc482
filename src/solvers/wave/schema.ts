import { Type } from 'typebox';
import type { SentParameters } from '../expressions.ts';
import { formulaParameters, formulaText } from '../formula-input.ts';
import { boxFields, type GridArray, gridArray, type SideName } from '../grid/box.ts';
import {
  choice,
  integer,
  list,
  optional,
  quantity,
  ratio,
  record,
  unitBy,
  usedWith,
  vector,
} from '../input.ts';

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });
const word = <const W extends string>(name: W, description: string) => choice([name], description);
const point = (description: string) => vector('m', description, { minItems: 1, maxItems: 2 });

export const kinds = ['fixed', 'free', 'periodic', 'absorbing', 'pec', 'pml'] as const;
export const quantities = ['value', 'frequency', 'transmittance', 'reflectance'] as const;

const kind = choice(
  kinds,
  'scalar: fixed, free, periodic or absorbing; maxwell: pec or pml, on bottom and top periodic too. Beyond absorbing and pml the field begins as it is at the side.',
);
const side = Type.Union([kind, record({ type: kind })], { description: 'A kind, or {type: kind}.' });
const waves = (description: string) => integer(description, { minimum: 0, maximum: 1000 });
const amplitude = unitBy('mode', { maxwell: 'V/m' }, quantity('m or V/m', 'Amplitude, m; maxwell: V/m.'));

export const schema = record({
  mode: optional(
    choice(
      ['scalar', 'maxwell'],
      'scalar: u; maxwell: Ez and Hy, in two dimensions Hx too. Absent: scalar.',
      { default: 'scalar' },
    ),
  ),
  ...boxFields(16),
  ...usedWith(
    { mode: ['scalar'] },
    {
      c: optional(positive('m/s', 'Speed of the wave.')),
    },
  ),
  initial: optional(
    Type.Union(
      [
        record({
          type: word('mode', 'A·sin(mπx/Lx)·sin(nπy/Ly), cos along free axes.'),
          A: amplitude,
          m: waves('Half waves along x.'),
          n: optional(waves('Half waves along y; not with dim 1.')),
        }),
        record({
          type: word('pluck', 'A triangle that is 0 at both ends; dim 1.'),
          A: amplitude,
          x0: point('Its peak.'),
        }),
        record({
          type: word('formula', 'Formulas of your own.'),
          equation: optional(
            formulaText('u or Ez as a formula of x and y, plain text or LaTeX; absent: 0 everywhere.'),
          ),
          rate: optional(formulaText('∂u/∂t as a formula of x and y; scalar; absent: at rest.')),
        }),
      ],
      { description: 'The start: mode {A, m, n} or pluck {A, x0}, at rest, or formula {equation, rate}.' },
    ),
  ),
  boundary: Type.Union(
    [side, record({ left: side, right: side, bottom: optional(side), top: optional(side) })],
    { description: 'One boundary for all sides, or one for each of left, right, bottom, top.' },
  ),
  ...usedWith(
    { mode: ['maxwell'] },
    {
      epsilonR: optional(
        Type.Union(
          [
            ratio('Relative permittivity.', { minimum: 1 }),
            list(
              record({
                L: positive('m', 'Thickness along x.'),
                epsilonR: ratio('Its permittivity.', { minimum: 1 }),
              }),
              'Layers along x, which sum up to Lx.',
              { minItems: 1, maxItems: 1000 },
            ),
            gridArray('1', 'Relative permittivity on the cells.'),
          ],
          {
            description:
              'Relative permittivity, at least 1: a number, layers {L, epsilonR}, or an array on cells; maxwell.',
          },
        ),
      ),
      sigma: optional(
        Type.Union([quantity('S/m', 'Conductivity.'), gridArray('S/m', 'Conductivity on the cells.')], {
          description: 'Conductivity: a number, or an array on cells; absent: none.',
        }),
      ),
      muR: optional(
        ratio('Relative permeability, everywhere; absent: 1.', { exclusiveMinimum: 0, maximum: 1e6 }),
      ),
    },
  ),
  source: optional(
    Type.Union(
      [
        record({
          type: choice(['pulse', 'sine'], 'A carrier under a Gaussian, or behind a ramp.'),
          x0: point('Where.'),
          frequency: positive('Hz', 'Of the carrier.'),
          width: positive('s', 'Standard deviation of the Gaussian, or time of the ramp.'),
        }),
        record({
          type: word('formula', 'A formula of your own.'),
          equation: formulaText(
            'f of u_tt = c²∇²u + f in m/s², or the current density along z in A/m², as a formula of x, y and t, plain text or LaTeX.',
          ),
        }),
      ],
      {
        description:
          'What drives the field. pulse or sine: a current along z, 1 A/m on a sheet (dim 1) or 1 A on a line; maxwell, instead of initial. formula {equation}: of x, y and t; both modes, also beside initial.',
      },
    ),
  ),
  parameters: formulaParameters('Other letters of the formulas, with a unit or without.'),
  t_end: optional(positive('s', 'End of the run, after t0; transmittance and reflectance: frequency.')),
  ...usedWith(
    { mode: ['maxwell'], quantity: ['transmittance', 'reflectance'] },
    { frequency: optional(positive('Hz', 'Where it is taken.')) },
  ),
  quantity: optional(
    choice(
      quantities,
      'u or Ez at the probe, the strongest frequency there, or the share of power that passes or comes back (maxwell; dim 2: pml on left and right, pec or periodic on bottom and top); absent: value.',
      { default: 'value' },
    ),
  ),
  dt: optional(positive('s', 'Largest step: c·dt·√(1/dx² + 1/dy²) ≤ 1.')),
  initialState: optional(
    record(
      {
        u: optional(gridArray('m', 'Displacement on the nodes; scalar.')),
        v: optional(gridArray('m/s', 'Its rate on the nodes; scalar.')),
        Ez: optional(gridArray('V/m', 'On the nodes; maxwell.')),
        Hx: optional(gridArray('A/m', 'On the edges along y: N rows of N + 1; maxwell, dim 2.')),
        Hy: optional(gridArray('A/m', 'On the edges along x: N + 1 rows of N; maxwell.')),
        t0: optional(quantity('s', 'Time of the start.')),
        continue: optional(Type.String({ maxLength: 200, description: 'A job to continue.' })),
      },
      { description: 'The start, instead of initial, pulse or sine.' },
    ),
  ),
});

export type Kind = (typeof kinds)[number];
export type WaveSide = Kind | { readonly type: Kind };
export type Quantity = (typeof quantities)[number];
export interface MaterialLayer {
  readonly L: number;
  readonly epsilonR: number;
}

/** A current on a sheet or a line. */
export interface PointSource {
  readonly type: 'pulse' | 'sine';
  readonly x0: readonly number[];
  readonly frequency: number;
  readonly width: number;
}

export interface WaveInput {
  readonly mode?: 'scalar' | 'maxwell';
  readonly dim?: 1 | 2;
  readonly Lx: number;
  readonly Ly?: number;
  readonly N?: number | readonly number[];
  readonly probe?: readonly number[];
  readonly c?: number;
  readonly initial?:
    | { readonly type: 'mode'; readonly A: number; readonly m: number; readonly n?: number }
    | { readonly type: 'pluck'; readonly A: number; readonly x0: readonly number[] }
    | { readonly type: 'formula'; readonly equation?: string; readonly rate?: string };
  readonly parameters?: SentParameters;
  readonly boundary: WaveSide | Partial<Readonly<Record<SideName, WaveSide>>>;
  readonly epsilonR?: number | readonly MaterialLayer[] | GridArray;
  readonly sigma?: number | GridArray;
  readonly muR?: number;
  readonly source?: PointSource | { readonly type: 'formula'; readonly equation: string };
  readonly t_end?: number;
  readonly frequency?: number;
  readonly quantity?: Quantity;
  readonly dt?: number;
  readonly initialState?: {
    readonly u?: GridArray;
    readonly v?: GridArray;
    readonly Ez?: GridArray;
    readonly Hx?: GridArray;
    readonly Hy?: GridArray;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
}

/** Results of the earlier job's grids h, 2h, 4h as far as there were, and of the thicker layers. */
export interface Before {
  readonly job: string;
  readonly steps: number;
  /** Step of the finest grid [s]. */
  readonly dt: number;
  readonly results: readonly Uint8Array[];
}
