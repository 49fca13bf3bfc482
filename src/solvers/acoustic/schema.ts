import { Type } from 'typebox';
import {
  choice,
  integer,
  list,
  optional,
  quantity,
  ratio,
  record,
  type Static,
  usedWith,
  vector,
} from '../input.ts';

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });
export const sides = ['left', 'right', 'bottom', 'top', 'front', 'back'] as const;
export type Side = (typeof sides)[number];

const side = Type.Union(
  [
    choice(['rigid', 'open'], 'A wall, or p = 0.'),
    record({ type: choice(['rigid', 'open'], 'A wall, or p = 0.') }),
    record({
      type: choice(['impedance'], 'p = Z u.'),
      Z: quantity('Pa*s/m', 'Resistance.', { minimum: 0 }),
      X: optional(quantity('Pa*s/m', 'Reactance.')),
    }),
  ],
  { description: 'rigid, open or {type: impedance, Z, X}.' },
);

const step = record({ L: positive('m', 'Length.'), S: positive('m^2', 'Area.') });

export const schema = record({
  analysis: choice(
    ['modes', 'duct', 'forced', 'transmission'],
    'Modes of a cavity, resonances of a duct, sound driven by a piston, or loss of a wave that passes.',
  ),
  c: optional(positive('m/s', 'Speed of sound.')),
  temperature: optional(positive('K', 'Of dry air, instead of c.')),
  domain: Type.Union(
    [
      record({
        type: choice(['box'], 'A box.'),
        Lx: positive('m', 'Length.'),
        Ly: positive('m', 'Height.'),
        Lz: positive('m', 'Depth.'),
      }),
      record({
        type: choice(['mask'], 'Square cells.'),
        cells: Type.Array(
          Type.Array(Type.Integer({ minimum: 0, maximum: 1 }), { minItems: 1, maxItems: 256 }),
          {
            minItems: 1,
            maxItems: 256,
            description: '[y][x] from the bottom; 1: air.',
          },
        ),
        h: positive('m', 'Edge of a cell.'),
      }),
      record({
        type: choice(['duct'], 'A duct, along x.'),
        L: optional(positive('m', 'Length of a uniform one.')),
        steps: optional(list(step, 'Pieces from x = 0.', { minItems: 1, maxItems: 64 })),
      }),
    ],
    { description: 'box, mask or duct.' },
  ),
  ...usedWith(
    { analysis: ['modes', 'duct', 'forced'] },
    {
      boundary: optional(
        Type.Union(
          [
            side,
            record({
              left: optional(side),
              right: optional(side),
              bottom: optional(side),
              top: optional(side),
              front: optional(side),
              back: optional(side),
            }),
          ],
          {
            description:
              'One for all sides and the walls inside a mask, or each side by its name, with rigid walls inside.',
          },
        ),
      ),
    },
  ),
  ...usedWith(
    { analysis: ['modes', 'duct'] },
    {
      count: optional(integer('Frequencies to return.', { minimum: 1, maximum: 100 })),
      n: optional(
        integer('Which is the value, from 1, the lowest above 0; absent: 1.', { minimum: 1, maximum: 100 }),
      ),
    },
  ),
  ...usedWith(
    { analysis: ['forced', 'transmission'] },
    {
      frequency: optional(positive('Hz', 'Of the source.')),
    },
  ),
  rho: optional(positive('kg/m^3', 'Density; forced, and modes between impedances.')),
  ...usedWith(
    { analysis: ['forced'] },
    {
      u0: optional(quantity('m/s', 'Amplitude of the velocity of the left side.')),
    },
  ),
  eta: optional(
    ratio(
      'Loss factor in k = ω/c (1 − iη/2); of free motion with rigid and open sides: it scales their frequencies, and not those between impedances, which see ω/c.',
      {
        minimum: 0,
        maximum: 1,
      },
    ),
  ),
  ...usedWith(
    { analysis: ['forced'] },
    {
      probe: optional(vector('m', 'Where |p| is taken.', { minItems: 1, maxItems: 3 })),
    },
  ),
  N: optional(
    Type.Union(
      [
        integer('Elements.', { minimum: 1, maximum: 4096 }),
        Type.Array(Type.Integer({ minimum: 1, maximum: 4096 }), {
          minItems: 1,
          maxItems: 3,
          description: 'Per axis.',
        }),
      ],
      {
        description:
          'Elements along an axis or a piece of duct; mask: on the edge of a cell, a multiple of 4.',
      },
    ),
  ),
});

export type AcousticInput = Static<typeof schema>;
export type SideValue = Static<typeof side>;
