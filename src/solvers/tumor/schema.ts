import { FROM_ITS_START, jobToContinue, type Stretch } from '../continuation.ts';
import {
  choice,
  integer,
  list,
  numbers,
  optional,
  quantity,
  ratio,
  record,
  usedWith,
  vector,
} from '../input.ts';

const positive = (unit: string, description: string) =>
  optional(quantity(unit, description, { exclusiveMinimum: 0 }));

export const models = ['gompertz', 'logistic', 'richards', 'bertalanffy'] as const;
export const quantities = ['speed', 'value'] as const;

/** Most cells of an invasion, and most doses of a schedule. */
export const MAX_CELLS = 2 ** 18;
export const MAX_DOSES = 1000;

const dose = record({
  t: quantity('s', 'When, from the start on.', { minimum: 0 }),
  dose: quantity('Gy', 'Dose D.', { exclusiveMinimum: 0 }),
  alpha: quantity('1/Gy', 'Linear sensitivity.', { minimum: 0 }),
  beta: quantity('1/Gy^2', 'Quadratic sensitivity.', { minimum: 0 }),
});

const coordinate = (description: string) => optional(vector('m', description, { minItems: 1, maxItems: 1 }));

export const schema = record({
  mode: optional(
    choice(['grow', 'invade'], 'Growth of a volume, or invasion along a line; absent: grow.', {
      default: 'grow',
    }),
  ),
  ...usedWith(
    { mode: ['grow'] },
    {
      model: optional(choice(models, 'Law of growth.')),
      V0: positive('m^3', 'Volume at the start.'),
    },
  ),
  ...usedWith(
    { mode: ['grow'], model: ['gompertz', 'logistic', 'richards'] },
    {
      K: positive('m^3', 'Carrying capacity.'),
    },
  ),
  ...usedWith(
    { mode: ['grow'], model: ['gompertz'] },
    {
      a: positive('1/s', 'Rate.'),
    },
  ),
  ...usedWith([{ mode: ['grow'], model: ['logistic', 'richards'] }, { mode: ['invade'] }], {
    r: positive('1/s', 'Growth rate.'),
  }),
  ...usedWith(
    { mode: ['grow'], model: ['richards'] },
    {
      nu: optional(ratio('Exponent.', { exclusiveMinimum: 0 })),
    },
  ),
  ...usedWith(
    { mode: ['grow'], model: ['bertalanffy'] },
    {
      alpha: positive('m/s', 'Growth at the surface, αV^(2/3).'),
      beta: positive('1/s', 'Rate of loss.'),
    },
  ),
  t_max: quantity('s', 'Length of the run, counted from the start.', { exclusiveMinimum: 0 }),
  ...usedWith(
    { mode: ['grow'] },
    {
      schedule: optional(
        list(dose, 'Doses in the order of time, each V → V exp(−αD − βD²).', {
          maxItems: MAX_DOSES,
        }),
      ),
    },
  ),
  ...usedWith(
    { mode: ['invade'] },
    {
      D: positive('m^2/s', 'Diffusivity.'),
      Lx: positive('m', 'Length, without flux at its ends.'),
      initial: optional(
        record(
          {
            type: choice(['front'], 'The front of Ablowitz and Zeppetella, 1 on the left.'),
            x0: coordinate('Where it has height ¼ at the start.'),
          },
          { description: 'Start of an invasion.' },
        ),
      ),
      quantity: optional(
        choice(quantities, 'Mean speed of ∫u dx over the second half, or u at the probe; absent: speed.', {
          default: 'speed',
        }),
      ),
    },
  ),
  ...usedWith(
    { mode: ['invade'], quantity: ['value'] },
    {
      probe: coordinate('Where u is the value.'),
    },
  ),
  ...usedWith(
    { mode: ['invade'] },
    {
      N: optional(
        integer('Cells; absent: 40 to the width √(6D/r) of a front.', {
          minimum: 16,
          maximum: MAX_CELLS,
          multipleOf: 4,
        }),
      ),
    },
  ),
  dt: positive('s', 'Largest step; absent: by the rates, with mode invade D·dt/dx² = 1/4.'),
  initialState: optional(
    record(
      {
        V: positive('m^3', 'Volume.'),
        u: optional(
          numbers('1', 'Density in cells of equal width, a multiple of 4 of them.', {
            minItems: 16,
            maxItems: MAX_CELLS,
          }),
        ),
        t0: optional(quantity('s', 'Time of the start.')),
        continue: jobToContinue('t_max', FROM_ITS_START, 'and in schedule further doses'),
      },
      { description: 'The start, instead of V0 or initial.' },
    ),
  ),
});

export interface TumorInput {
  readonly mode?: 'grow' | 'invade';
  readonly model?: (typeof models)[number];
  readonly V0?: number;
  readonly K?: number;
  readonly a?: number;
  readonly r?: number;
  readonly nu?: number;
  readonly alpha?: number;
  readonly beta?: number;
  readonly t_max: number;
  readonly schedule?: readonly Dose[];
  readonly D?: number;
  readonly Lx?: number;
  readonly initial?: { readonly type: 'front'; readonly x0?: readonly number[] };
  readonly quantity?: (typeof quantities)[number];
  readonly probe?: readonly number[];
  readonly N?: number;
  readonly dt?: number;
  readonly initialState?: {
    readonly V?: number;
    readonly u?: readonly number[];
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Stretch;
}

/** Time [s], dose [Gy] and the sensitivities [1/Gy], [1/Gy²]. */
export interface Dose {
  readonly t: number;
  readonly dose: number;
  readonly alpha: number;
  readonly beta: number;
}
