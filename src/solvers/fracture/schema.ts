import { Type } from 'typebox';
import { type GridArray, gridArray } from '../grid/box.ts';
import { choice, integer, numbers, optional, quantity, ratio, record, usedWith } from '../input.ts';

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });

export const quantities = ['crackLength', 'pathDeviation', 'peakForce', 'peakStress'] as const;
export const splits = ['none', 'spectral', 'volumetric'] as const;

/** Displacements: of a bar a number on each node, of a plate two, [y][x][component]. */
const displacements = Type.Union(
  [
    numbers('m', 'Displacements.', { minItems: 1, maxItems: 8_400_000 }),
    Type.Array(
      Type.Array(Type.Array(Type.Number({ unit: 'm' }), { unit: 'm', minItems: 2, maxItems: 2 }), {
        unit: 'm',
        minItems: 1,
        maxItems: 65_537,
      }),
      { unit: 'm', minItems: 1, maxItems: 65_537 },
    ),
  ],
  { description: 'Displacements on the nodes: of a plate [y][x][2], or one after the other.' },
);

export const schema = record({
  mode: optional(
    choice(['plane', 'bar'], 'A notched plate, or a bar in tension; absent: plane.', { default: 'plane' }),
  ),
  model: choice(['at1', 'at2'], 'Surface energy of damage d: at1 with w = d, at2 with w = d².'),
  E: positive('Pa', 'Young’s modulus.'),
  ...usedWith(
    { mode: ['plane'] },
    {
      nu: optional(ratio('Poisson’s ratio.', { minimum: 0, maximum: 0.49 })),
    },
  ),
  Gc: positive('J/m^2', 'Fracture energy.'),
  ell: positive('m', 'Regularisation length, at least four cells.'),
  ...usedWith(
    { mode: ['bar'] },
    {
      L: optional(positive('m', 'Length, at least 4 ell.')),
    },
  ),
  ...usedWith(
    { mode: ['plane'] },
    {
      Lx: optional(positive('m', 'Width.')),
      Ly: optional(positive('m', 'Height.')),
      notch: optional(
        record(
          {
            a: positive('m', 'Length.'),
            y: positive('m', 'Height of its mouth, at least four cells from the edges.'),
            angle: quantity('rad', 'Inclination to x.', { minimum: -1.5, maximum: 1.5 }),
          },
          { description: 'Straight starter crack from the left side.' },
        ),
      ),
    },
  ),
  loading: record(
    {
      uMax: positive('m', 'Last displacement.'),
      steps: integer('Equal load steps.', { minimum: 1, maximum: 20_000 }),
      direction: optional(choice(['normal', 'shear'], 'Of the upper side; plane; absent: normal.')),
    },
    { description: 'Prescribed displacement of the far end of a bar, or of the top of a plate.' },
  ),
  ...usedWith(
    { mode: ['plane'] },
    {
      planeType: optional(choice(['stress', 'strain'], 'Plane stress or plane strain.')),
      split: optional(
        choice(
          splits,
          'What energy drives damage: all, that of principal extensions, or of opening and shape.',
        ),
      ),
    },
  ),
  quantity: optional(
    choice(quantities, 'bar: peakStress; plane: crackLength, pathDeviation or peakForce; absent: the first.'),
  ),
  N: optional(integer('Square cells along L or Lx; absent: ell is eight of them.', { minimum: 8 })),
  tol: optional(
    ratio('Largest move of d at which alternation stops.', { exclusiveMinimum: 0, maximum: 1e-6 }),
  ),
  initialState: optional(
    record(
      {
        u: optional(displacements),
        d: optional(gridArray('1', 'Damage on the nodes, 0 to 1.')),
        step: optional(integer('Load steps done.', { minimum: 0 })),
        continue: optional(Type.String({ maxLength: 200, description: 'A job to continue.' })),
      },
      { description: 'The start, instead of an undamaged body.' },
    ),
  ),
});

export type Displacements = GridArray | readonly (readonly (readonly number[])[])[];

export interface FractureInput {
  readonly mode?: 'plane' | 'bar';
  readonly model: 'at1' | 'at2';
  readonly E: number;
  readonly nu?: number;
  readonly Gc: number;
  readonly ell: number;
  readonly L?: number;
  readonly Lx?: number;
  readonly Ly?: number;
  readonly notch?: { readonly a: number; readonly y: number; readonly angle: number };
  readonly loading: {
    readonly uMax: number;
    readonly steps: number;
    readonly direction?: 'normal' | 'shear';
  };
  readonly planeType?: 'stress' | 'strain';
  readonly split?: (typeof splits)[number];
  readonly quantity?: (typeof quantities)[number];
  readonly N?: number;
  readonly tol?: number;
  readonly initialState?: {
    readonly u?: Displacements;
    readonly d?: GridArray;
    readonly step?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
}

/** Results of the earlier job's grids; `last` is the new last load step, the steps being as large as before. */
export interface Before {
  readonly job: string;
  readonly steps: number;
  readonly last: number;
  readonly results: readonly Uint8Array[];
}
