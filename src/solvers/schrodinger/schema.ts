import { Type } from 'typebox';
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

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });

const term = record({
  c: quantity('J', 'Coefficient in J/m^Σpowers.'),
  powers: Type.Array(Type.Integer({ minimum: 0, maximum: 24 }), {
    minItems: 1,
    maxItems: 2,
    description: 'Exponents, one per axis.',
  }),
});

const potential = record(
  {
    type: choice(potentials, 'Which.'),
    L: optional(positive('m', 'Width of a well or barrier, centred at 0; radial: diameter.')),
    V0: optional(positive('J', 'Height: outside a finite well, inside a barrier.')),
    omega: optional(positive('rad/s', 'harmonic: V = mω²x²/2.')),
    De: optional(positive('J', 'morse: depth, V = De(1 − e^(−a(x − re)))².')),
    a: optional(positive('1/m', 'morse, poschl-teller: inverse width.')),
    re: optional(quantity('m', 'morse: minimum.')),
    lambda: optional(
      ratio('poschl-teller: V = −ħ²a²λ(λ+1)/(2m cosh²ax).', { exclusiveMinimum: 0, maximum: 1000 }),
    ),
    Z: optional(ratio('coulomb: charge number.', { exclusiveMinimum: 0 })),
    terms: optional(list(term, 'polynomial: sum of terms.', { minItems: 1, maxItems: 64 })),
    x: optional(numbers('m', 'table: nodes, ascending.', { minItems: 3, maxItems: 4096 })),
    V: optional(
      numbers('J', 'table: values at the nodes; a natural cubic spline between.', {
        minItems: 3,
        maxItems: 4096,
      }),
    ),
    equation: optional(
      formulaText('formula: V as plain text or LaTeX, of x, in the plane of x and y, on a ray of r.'),
    ),
    parameters: formulaParameters('formula: its other letters, with a unit or without.'),
  },
  { description: 'The potential.' },
);

const range = (description: string) => vector('m', description, { minItems: 2, maxItems: 2 });

export const schema = record({
  mode: choice(modes, 'A level on a line, on a ray or in the plane, a packet in time, or a passage.'),
  units: optional(choice(['reduced'], 'ħ = 1: plain numbers, energies in unit 1.')),
  mass: positive('kg', 'Mass; radial: reduced mass.'),
  potential,
  domain: optional(
    Type.Union(
      [
        range('[min, max].'),
        Type.Array(range('[min, max] of an axis.'), {
          unit: 'm',
          minItems: 1,
          maxItems: 2,
          description: 'Per axis.',
        }),
      ],
      { description: 'Range of the grid: [min, max], in the plane [[min, max], [min, max]].' },
    ),
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
  n: optional(integer('Level from the ground state 0; eigen modes.', { minimum: 0, maximum: 10000 })),
  l: optional(integer('Angular momentum; radial.', { minimum: 0, maximum: 1000 })),
  E: optional(positive('J', 'Energy of the particle; transmission.')),
  initial: optional(
    record(
      {
        type: choice(['gaussian'], 'Wave packet.'),
        x0: vector('m', 'Centre.', { minItems: 1, maxItems: 2 }),
        sigma: positive('m', 'Standard deviation of |ψ|².'),
        k0: vector('1/m', 'Mean wave vector.', { minItems: 1, maxItems: 2 }),
      },
      { description: 'The start; evolve.' },
    ),
  ),
  t_max: optional(positive('s', 'Length of the run, counted from the start; evolve.')),
  dt: optional(positive('s', 'Largest step; evolve.')),
  integrator: optional(choice(['strang', 'suzuki'], 'Splitting of order 2 or 4; evolve.')),
  scheme: optional(choice(['dvr', 'numerov'], 'Which gives the value; eigen modes.')),
  quantity: optional(choice(['width', 'mean', 'energy'], 'Std of x, mean x or ⟨H⟩ at the end; evolve.')),
  initialState: optional(
    record(
      {
        psiRe: optional(numbers('1', 'Re ψ on the grid, row by row of y.')),
        psiIm: optional(numbers('1', 'Im ψ on the grid.')),
        t0: optional(quantity('s', 'Time of the start.')),
        continue: jobToContinue('t_max', FROM_ITS_START),
      },
      { description: 'The start, instead of initial; evolve.' },
    ),
  ),
});

export type SchrodingerInput = Static<typeof schema> & {
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Stretch;
};
export type Mode = SchrodingerInput['mode'];
export type PotentialType = SchrodingerInput['potential']['type'];
