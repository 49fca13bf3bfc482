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

const point = (description: string) => vector('m', description, { minItems: 2, maxItems: 3 });
const side = choice(
  ['bottom', 'right', 'top', 'left'],
  'bottom 0→1, right 1→2, top 3→2, left 0→3; ξ = −1 … 1 along it.',
);
const index = (description: string) => integer(description, { minimum: 0, maximum: 2 ** 31 - 1 });

const where = Type.Union(
  [
    choice(['outer'], 'Every side without a neighbour.'),
    record({ patch: index('Patch.'), side }),
    record({ element: index('Element.'), side }),
    record({ node: index('Node.') }),
    record({ nodes: Type.Array(Type.Integer({ minimum: 0 }), { minItems: 1, maxItems: 65536 }) }),
    record({ point: point('A node lies there.') }),
  ],
  { description: 'outer, {patch, side}, {element, side}, {node}, {nodes} or {point}.' },
);

/** A number, or coefficients c₀, c₁, … in ξ. */
const along = (unit: string, description: string, most: number) =>
  Type.Union([quantity(unit, description), vector(unit, description, { minItems: 1, maxItems: most })], {
    description: `${description} A number or coefficients in ξ.`,
  });

const patch = record({
  corners: Type.Array(vector('m', 'Point.', { minItems: 2, maxItems: 2 }), {
    unit: 'm',
    minItems: 4,
    maxItems: 9,
    description:
      'Corners 0…3 counter-clockwise; with nine also mid-sides bottom, right, top, left, and centre.',
  }),
  N: Type.Array(Type.Integer({ minimum: 1 }), {
    minItems: 2,
    maxItems: 2,
    description: 'Cells along 0→1 and 0→3.',
  }),
  grade: optional(
    vector('1', 'Last over first cell length along 0→1 and 0→3; absent: equal cells.', {
      minItems: 2,
      maxItems: 2,
    }),
  ),
});

const bar = record({
  nodes: Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2, description: 'Its ends.' }),
  E: quantity('Pa', "Young's modulus.", { exclusiveMinimum: 0 }),
  A: quantity('m^2', 'Cross-section.', { exclusiveMinimum: 0 }),
});

const support = record({
  on: where,
  ux: optional(along('m', 'Displacement along x.', 8)),
  uy: optional(along('m', 'Displacement along y.', 8)),
  uz: optional(quantity('m', 'Displacement along z; truss in space.')),
  u: optional(along('1 or K', 'Value of u.', 8)),
});

const load = record({
  on: where,
  traction: optional(
    Type.Array(along('Pa', 'Traction.', 3), {
      minItems: 2,
      maxItems: 2,
      unit: 'Pa',
      description: 'Force per area along x and y; each a number or coefficients in ξ.',
    }),
  ),
  total: optional(vector('N', 'Force, spread evenly over the side.', { minItems: 2, maxItems: 2 })),
  force: optional(vector('N', 'Force at a node or point.', { minItems: 2, maxItems: 3 })),
  pressure: optional(quantity('Pa', 'Against the outward normal.')),
  flux: optional(along('1 or W/m^2', 'Into the body.', 3)),
});

export const schema = record({
  analysis: choice(
    ['poisson', 'elasticity', 'truss'],
    'The equation. The numbers of poisson are plain, in units of your own that fit: with k in W/(m K) and f in W/m³ u is in K.',
  ),
  ...usedWith(
    { analysis: ['elasticity'] },
    {
      planeType: optional(choice(['stress', 'strain'], 'Plane stress or plane strain.')),
    },
  ),
  ...usedWith(
    { analysis: ['poisson', 'elasticity'] },
    {
      patches: optional(
        list(patch, 'Mapped quadrilaterals, joined where their sides meet.', { minItems: 1, maxItems: 4096 }),
      ),
    },
  ),
  nodes: optional(
    Type.Array(point('Node.'), {
      unit: 'm',
      minItems: 2,
      maxItems: 262144,
      description: 'Nodes of elements or of a truss.',
    }),
  ),
  ...usedWith(
    { analysis: ['poisson', 'elasticity'] },
    {
      elements: optional(
        Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 9, maxItems: 9 }), {
          minItems: 1,
          maxItems: 4096,
          description: 'Nine nodes each, in the order of corners.',
        }),
      ),
    },
  ),
  ...usedWith(
    { analysis: ['truss'] },
    {
      bars: optional(list(bar, 'Pin-jointed bars.', { minItems: 1, maxItems: 1000 })),
    },
  ),
  ...usedWith(
    { analysis: ['elasticity'] },
    {
      E: optional(quantity('Pa', "Young's modulus.", { exclusiveMinimum: 0 })),
      nu: optional(ratio("Poisson's ratio.", { minimum: 0, maximum: 0.49 })),
      thickness: optional(quantity('m', 'Thickness.', { exclusiveMinimum: 0 })),
    },
  ),
  ...usedWith(
    { analysis: ['poisson'] },
    {
      k: optional(quantity('1 or W/(m K)', 'Conductivity.', { exclusiveMinimum: 0 })),
      f: optional(quantity('1 or W/m^3', 'Source.')),
    },
  ),
  ...usedWith(
    { analysis: ['elasticity'] },
    {
      b: optional(vector('N/m^3', 'Body force.', { minItems: 2, maxItems: 2 })),
    },
  ),
  supports: list(
    support,
    'Prescribed values; a component that is not named is free. Where two give a node different values the later one wins; the energy, and a value at that node, are then refused.',
    { minItems: 1, maxItems: 4096 },
  ),
  loads: optional(
    list(load, 'Loads, each one of traction, total, force, pressure, flux.', { maxItems: 4096 }),
  ),
  quantity: choice(['displacement', 'stress', 'energy', 'force', 'u'], 'What the value is.'),
  ...usedWith(
    { quantity: ['displacement', 'stress'] },
    {
      component: optional(
        choice(['x', 'y', 'z', 'xx', 'yy', 'xy', 'vonMises'], 'Part of a displacement or a stress.'),
      ),
    },
  ),
  ...usedWith(
    { quantity: ['displacement', 'stress', 'u'] },
    {
      probe: optional(point('Where the value is taken.')),
    },
  ),
  ...usedWith(
    { quantity: ['force'] },
    {
      member: optional(index('Bar.')),
    },
  ),
  ...usedWith(
    { analysis: ['poisson', 'elasticity'] },
    {
      tol: optional(ratio('Relative residual.', { minimum: 1e-14, maximum: 1e-9 })),
    },
  ),
});

export type FeaInput = Static<typeof schema>;
export type Where = Static<typeof where>;
export type SupportInput = FeaInput['supports'][number];
export type LoadInput = NonNullable<FeaInput['loads']>[number];

export const sides = ['bottom', 'right', 'top', 'left'] as const;
