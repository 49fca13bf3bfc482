import { type TSchema, Type } from 'typebox';
import { FROM_ITS_START, jobToContinue, type Stretch } from '../continuation.ts';
import { formulaParameters, formulaText } from '../formula-input.ts';
import {
  choice,
  integer,
  list,
  numbers,
  optional,
  quantity,
  ratio,
  record,
  type Static,
  unitBy,
  usedWith,
  vector,
} from '../input.ts';

export const modes = ['eigen1d', 'radial', 'eigen2d', 'evolve', 'transmission'] as const;
/** In the order of the codes in assembly/quantum/problem.ts. */
export const potentials = [
  'infinite-well',
  'finite-well',
  'harmonic',
  'morse',
  'poschl-teller',
  'coulomb',
  'polynomial',
  'table',
  'barrier',
  'free',
  'formula',
] as const;

type Bounds = Readonly<Record<'minItems' | 'maxItems', number>>;
/** Of a number with a unit: with units reduced there is none. */
const scaled = <T extends TSchema>(unit: string, field: (unit: string) => T): T =>
  unitBy('units', { reduced: '1' }, field(`${unit} or 1`));
const plainly = (unit: string, description: string) =>
  scaled(unit, (either) => quantity(either, description));
const positive = (unit: string, description: string) =>
  scaled(unit, (either) => quantity(either, description, { exclusiveMinimum: 0 }));
const along = (unit: string, description: string, options: Bounds) =>
  scaled(unit, (either) => vector(either, description, options));
const many = (unit: string, description: string, options: Bounds) =>
  scaled(unit, (either) => numbers(either, description, options));

const term = record({
  c: plainly('J', 'Coefficient in J/m^Σpowers.'),
  powers: Type.Array(Type.Integer({ minimum: 0, maximum: 24 }), {
    minItems: 1,
    maxItems: 2,
    description: 'Exponents, one per axis.',
  }),
});

const potential = record(
  {
    type: choice(potentials, 'Which.'),
    ...usedWith(
      { type: ['infinite-well', 'finite-well', 'barrier'] },
      {
        L: optional(positive('m', 'Width of a well or barrier, centred at 0; radial: diameter.')),
      },
    ),
    ...usedWith(
      { type: ['finite-well', 'barrier'] },
      {
        V0: optional(positive('J', 'Height: outside a finite well, inside a barrier.')),
      },
    ),
    ...usedWith(
      { type: ['harmonic'] },
      {
        omega: optional(positive('rad/s', 'V = mω²x²/2.')),
      },
    ),
    ...usedWith(
      { type: ['morse'] },
      {
        De: optional(positive('J', 'Depth, V = De(1 − e^(−a(x − re)))².')),
      },
    ),
    ...usedWith(
      { type: ['morse', 'poschl-teller'] },
      {
        a: optional(positive('1/m', 'Inverse width.')),
      },
    ),
    ...usedWith(
      { type: ['morse'] },
      {
        re: optional(plainly('m', 'Minimum.')),
      },
    ),
    ...usedWith(
      { type: ['poschl-teller'] },
      {
        lambda: optional(ratio('V = −ħ²a²λ(λ+1)/(2m cosh²ax).', { exclusiveMinimum: 0, maximum: 1000 })),
      },
    ),
    ...usedWith(
      { type: ['coulomb'] },
      {
        Z: optional(ratio('Charge number.', { exclusiveMinimum: 0 })),
      },
    ),
    ...usedWith(
      { type: ['polynomial'] },
      {
        terms: optional(list(term, 'Sum of terms.', { minItems: 1, maxItems: 64 })),
      },
    ),
    ...usedWith(
      { type: ['table'] },
      {
        x: optional(many('m', 'Nodes, ascending.', { minItems: 3, maxItems: 4096 })),
        V: optional(
          many('J', 'Values at the nodes; a natural cubic spline between.', {
            minItems: 3,
            maxItems: 4096,
          }),
        ),
      },
    ),
    ...usedWith(
      { type: ['formula'] },
      {
        equation: optional(
          formulaText('V as plain text or LaTeX, of x, in the plane of x and y, on a ray of r.'),
        ),
        parameters: formulaParameters('Its other letters, with a unit or without.'),
      },
    ),
  },
  { description: 'The potential.' },
);

const range = (unit: string, description: string) => vector(unit, description, { minItems: 2, maxItems: 2 });

export const schema = record({
  mode: choice(modes, 'A level on a line, on a ray or in the plane, a packet in time, or a passage.'),
  units: optional(choice(['reduced'], 'ħ = 1: plain numbers, energies in unit 1.')),
  mass: positive('kg', 'Mass; radial: reduced mass.'),
  potential,
  ...usedWith(
    { mode: ['eigen1d', 'radial', 'eigen2d', 'evolve'] },
    {
      domain: optional(
        scaled('m', (unit) =>
          Type.Union(
            [
              range(unit, '[min, max].'),
              Type.Array(range(unit, '[min, max] of an axis.'), {
                ...{ unit, minItems: 1, maxItems: 2 },
                description: 'Per axis.',
              }),
            ],
            { description: 'Range of the grid: [min, max], in the plane [[min, max], [min, max]].' },
          ),
        ),
      ),
    },
  ),
  N: optional(
    Type.Union(
      [
        integer('Intervals.', { minimum: 16, maximum: 262144 }),
        Type.Array(Type.Integer({ minimum: 16, maximum: 4096 }), {
          minItems: 1,
          maxItems: 2,
          description: 'Per axis.',
        }),
      ],
      { description: 'Intervals of the grid, for all axes or per axis.' },
    ),
  ),
  ...usedWith(
    { mode: ['eigen1d', 'radial', 'eigen2d'] },
    {
      n: optional(integer('Level from the ground state 0.', { minimum: 0, maximum: 10000 })),
    },
  ),
  ...usedWith(
    { mode: ['radial'] },
    {
      l: optional(integer('Angular momentum.', { minimum: 0, maximum: 1000 })),
    },
  ),
  ...usedWith(
    { mode: ['transmission'] },
    {
      E: optional(positive('J', 'Energy of the particle.')),
    },
  ),
  ...usedWith(
    { mode: ['evolve'] },
    {
      initial: optional(
        record(
          {
            type: choice(['gaussian'], 'Wave packet.'),
            x0: along('m', 'Centre.', { minItems: 1, maxItems: 2 }),
            sigma: positive('m', 'Standard deviation of |ψ|².'),
            k0: along('1/m', 'Mean wave vector; the phase is that of exp(i k₀·(x − x₀)).', {
              minItems: 1,
              maxItems: 2,
            }),
          },
          { description: 'The start.' },
        ),
      ),
      t_max: optional(positive('s', 'Length of the run, counted from the start.')),
      dt: optional(positive('s', 'Largest step.')),
      integrator: optional(choice(['strang', 'suzuki'], 'Splitting of order 2 or 4.')),
    },
  ),
  ...usedWith(
    { mode: ['eigen1d', 'radial', 'eigen2d'] },
    {
      scheme: optional(choice(['dvr', 'numerov'], 'Which gives the value.')),
    },
  ),
  ...usedWith(
    { mode: ['evolve'] },
    {
      quantity: optional(choice(['width', 'mean', 'energy'], 'Std of x, mean x or ⟨H⟩ at the end.')),
      initialState: optional(
        record(
          {
            psiRe: optional(numbers('1', 'Re ψ on the grid, row by row of y.')),
            psiIm: optional(numbers('1', 'Im ψ on the grid.')),
            t0: optional(plainly('s', 'Time of the start.')),
            continue: jobToContinue('t_max', FROM_ITS_START),
          },
          { description: 'The start, instead of initial.' },
        ),
      ),
    },
  ),
});

export type SchrodingerInput = Static<typeof schema> & {
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Stretch;
};
export type Mode = SchrodingerInput['mode'];
export type PotentialType = SchrodingerInput['potential']['type'];
