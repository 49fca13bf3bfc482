import { type Static, Type } from 'typebox';
import {
  choice,
  integer,
  list,
  optional,
  points,
  quantity,
  ratio,
  record,
  usedWith,
  vector,
} from '../input.ts';

export const modes = ['dock', 'cluster'] as const;
export const scorings = ['lj', 'vina'] as const;
export const rules = ['lorentz-berthelot', 'geometric'] as const;
export const potentials = ['lj', 'morse'] as const;

export const MAX_RECEPTOR = 5000;
export const MAX_LIGAND = 200;
export const MAX_CLUSTER = 150;

const polar = ['P', 'D', 'A', 'DA'];
export const atomTypes: readonly string[] = [
  'C_H',
  'C_P',
  ...polar.map((kind) => `N_${kind}`),
  ...polar.map((kind) => `O_${kind}`),
  'S_P',
  'P_P',
  'F_H',
  'Cl_H',
  'Br_H',
  'I_H',
  'Met_D',
];

const oneOrMore = (unit: string, description: string, options: Record<string, unknown>) =>
  optional(
    Type.Union(
      [
        quantity(unit, description, options),
        Type.Array(Type.Number({ unit, ...options }), { unit, blob: 'f64', description }),
      ],
      { description },
    ),
  );

const molecule = (description: string, most: number) =>
  optional(
    record(
      {
        position: points('Angstrom', 3, 'Positions of the atoms.', { minItems: 1, maxItems: most }),
        sigma: oneOrMore('Angstrom', 'lj: σ of all or of each atom.', { exclusiveMinimum: 0 }),
        epsilon: oneOrMore('kJ/mol', 'lj: ε of all or of each atom.', { minimum: 0 }),
        q: oneOrMore('e', 'lj: charge of all or of each atom.', {}),
        type: optional(
          list(
            choice(atomTypes as readonly [string, ...string[]], 'Atom type.'),
            'vina: type of each atom.',
            {
              maxItems: most,
            },
          ),
        ),
      },
      { description },
    ),
  );

export const schema = record({
  mode: optional(
    choice(modes, 'dock places a ligand, cluster finds the lowest cluster; absent: dock.', {
      default: 'dock',
    }),
  ),
  ...usedWith(
    { mode: ['dock'] },
    {
      scoring: optional(choice(scorings, 'Lennard-Jones and Coulomb, or the terms of AutoDock Vina.')),
      receptor: molecule('The fixed atoms.', MAX_RECEPTOR),
      ligand: molecule('The rigid body to place.', MAX_LIGAND),
      torsions: optional(
        Type.Array(Type.Array(Type.Integer({ minimum: 0 })), {
          description: 'Bonds to turn about, by their atoms; refused: the ligand is rigid.',
        }),
      ),
    },
  ),
  ...usedWith(
    { mode: ['dock'], scoring: ['lj'] },
    {
      combination: optional(choice(rules, 'Rule for σ and ε of a pair.')),
      epsR: optional(ratio('Relative permittivity, of charges.', { minimum: 1 })),
    },
  ),
  ...usedWith(
    { mode: ['dock'] },
    {
      box: optional(
        record(
          {
            center: vector('Angstrom', 'Its middle.', { minItems: 3, maxItems: 3 }),
            size: Type.Array(Type.Number({ unit: 'Angstrom', exclusiveMinimum: 0 }), {
              unit: 'Angstrom',
              description: 'Edge lengths.',
              minItems: 3,
              maxItems: 3,
            }),
          },
          { description: 'Where the centre of the ligand may lie.' },
        ),
      ),
    },
  ),
  ...usedWith(
    { mode: ['cluster'] },
    {
      N: optional(
        integer('Atoms; of morse up to 80 with rho 6, else up to 20, and 13 where rho is above 10.', {
          minimum: 2,
          maximum: MAX_CLUSTER,
        }),
      ),
      potential: optional(choice(potentials, 'Pair potential, in reduced units.')),
    },
  ),
  ...usedWith(
    { mode: ['cluster'], potential: ['morse'] },
    {
      rho: optional(ratio('Range ρ₀.', { exclusiveMinimum: 0, maximum: 30 })),
    },
  ),
});

/** What a request of `dock` may say; validated by the schema, lengths in Å. */
export type DockInput = Static<typeof schema>;
export type Molecule = NonNullable<DockInput['receptor']>;
