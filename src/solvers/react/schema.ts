import { Type } from 'typebox';
import { type EarlierSteps, jobToContinue, WHOLE_STEPS } from '../continuation.ts';
import type { SentParameters } from '../expressions.ts';
import { formulaParameters, formulaText } from '../formula-input.ts';
import { boxFields, type GridArray, gridArray, type SideName } from '../grid/box.ts';
import { choice, optional, quantity, ratio, record, usedWith, vector } from '../input.ts';

const positive = (unit: string, description: string) =>
  optional(quantity(unit, description, { exclusiveMinimum: 0 }));
const word = <const W extends string>(name: W, description: string) => choice([name], description);

export const models = ['grayscott', 'fisher', 'nagumo', 'brusselator', 'own'] as const;
export type Model = (typeof models)[number];
export const quantities = ['mean', 'value', 'speed', 'wavelength'] as const;

const side = choice(['periodic', 'noflux'], 'Joined to the opposite side, or a wall that nothing passes.');

export const schema = record({
  model: choice(
    models,
    'grayscott: −uv² + F(1−u), uv² − (F+k)v; fisher: ru(1−u); nagumo: ku(1−u)(u−a); brusselator: A − (B+1)u + u²v, Bu − u²v; own: reaction.',
  ),
  ...boxFields(16),
  ...usedWith(
    { model: ['own'] },
    {
      reaction: optional(
        record(
          {
            u: formulaText('What u gains in a second, of u and v, in 1/s.'),
            v: optional(formulaText('What v gains; with Dv. Absent: one species.')),
          },
          { description: 'The reaction as formulas of u and v, plain text or LaTeX.' },
        ),
      ),
      parameters: formulaParameters('Other letters of the formulas, with a unit or without.'),
      rest: optional(
        record(
          { u: ratio('u at rest.'), v: optional(ratio('v at rest; two species.')) },
          { description: 'The state that a gaussian is added to.' },
        ),
      ),
    },
  ),
  ...usedWith(
    { model: ['grayscott', 'brusselator', 'own'] },
    {
      Du: positive('m^2/s', 'Diffusivity of u; two species.'),
      Dv: positive('m^2/s', 'Diffusivity of v; two species.'),
    },
  ),
  ...usedWith(
    { model: ['fisher', 'nagumo', 'own'] },
    {
      D: positive('m^2/s', 'Diffusivity; one species.'),
    },
  ),
  ...usedWith(
    { model: ['grayscott'] },
    {
      F: positive('1/s', 'Feed rate.'),
    },
  ),
  ...usedWith(
    { model: ['grayscott', 'nagumo'] },
    {
      k: positive('1/s', 'Kill rate of grayscott, reaction rate of nagumo.'),
    },
  ),
  ...usedWith(
    { model: ['fisher'] },
    {
      r: positive('1/s', 'Growth rate.'),
    },
  ),
  ...usedWith(
    { model: ['nagumo'] },
    {
      a: optional(ratio('Threshold.', { exclusiveMinimum: 0, exclusiveMaximum: 1 })),
    },
  ),
  ...usedWith(
    { model: ['brusselator'] },
    {
      A: positive('1/s', 'Feed.'),
      B: positive('1/s', 'Coupling.'),
    },
  ),
  boundary: Type.Union(
    [side, record({ left: side, right: side, bottom: optional(side), top: optional(side) })],
    { description: 'periodic or noflux for all sides, or one for each of left, right, bottom, top.' },
  ),
  initial: optional(
    Type.Union(
      [
        record({
          type: word('gaussian', 'amplitude · e^(−|x−x0|²/w²) added to the resting state.'),
          x0: vector('m', 'Centre.', { minItems: 1, maxItems: 2 }),
          w: quantity('m', 'Width.', { exclusiveMinimum: 0 }),
          deltaU: ratio('Amplitude in u.'),
          deltaV: optional(ratio('Amplitude in v; grayscott, brusselator.')),
        }),
        record({
          type: word('front', 'The exact travelling front, 1 on the left; fisher, nagumo.'),
          x0: vector('m', 'Its place at the start.', { minItems: 1, maxItems: 2 }),
        }),
      ],
      { description: 'The start: gaussian {x0, w, deltaU, deltaV} or front {x0}.' },
    ),
  ),
  t_end: quantity('s', 'End of the run, after t0.', { exclusiveMinimum: 0 }),
  quantity: optional(
    choice(
      quantities,
      'mean over the box, value at the probe, speed of the front u = ½ over the later half, or wavelength of the strongest mode along x; absent: mean.',
    ),
  ),
  component: optional(choice(['u', 'v'], 'Which species; absent: u.')),
  dt: optional(
    quantity('s', 'Largest step: D·dt/dx² ≤ 1/4 and dt·max|∂R/∂u| ≤ 1/4.', { exclusiveMinimum: 0 }),
  ),
  initialState: optional(
    record(
      {
        u: optional(gridArray('1', 'Concentrations u on the nodes.')),
        v: optional(gridArray('1', 'Concentrations v on the nodes; two species.')),
        t0: optional(quantity('s', 'Time of the start.')),
        continue: jobToContinue('t_end', WHOLE_STEPS),
      },
      { description: 'The start, instead of initial.' },
    ),
  ),
});

type ReactSide = 'periodic' | 'noflux';

export interface ReactInput {
  readonly model: Model;
  readonly dim?: 1 | 2;
  readonly Lx: number;
  readonly Ly?: number;
  readonly N?: number | readonly number[];
  readonly probe?: readonly number[];
  readonly reaction?: { readonly u: string; readonly v?: string };
  readonly parameters?: SentParameters;
  readonly rest?: { readonly u: number; readonly v?: number };
  readonly Du?: number;
  readonly Dv?: number;
  readonly D?: number;
  readonly F?: number;
  readonly k?: number;
  readonly r?: number;
  readonly a?: number;
  readonly A?: number;
  readonly B?: number;
  readonly boundary: ReactSide | Partial<Readonly<Record<SideName, ReactSide>>>;
  readonly initial?:
    | {
        readonly type: 'gaussian';
        readonly x0: readonly number[];
        readonly w: number;
        readonly deltaU: number;
        readonly deltaV?: number;
      }
    | { readonly type: 'front'; readonly x0: readonly number[] };
  readonly t_end: number;
  readonly quantity?: (typeof quantities)[number];
  readonly component?: 'u' | 'v';
  readonly dt?: number;
  readonly initialState?: {
    readonly u?: GridArray;
    readonly v?: GridArray;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
}

/** Results of the earlier job's grids h, 2h, 4h. */
export type Before = EarlierSteps;
