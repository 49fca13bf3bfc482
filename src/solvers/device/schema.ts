import { Type } from 'typebox';
import { type GridArray, gridArray } from '../grid/box.ts';
import { choice, integer, optional, quantity, ratio, record } from '../input.ts';

/** In the order of the codes in assembly/device/problem.ts. */
export const quantities = ['Vbi', 'Emax', 'J'] as const;

const positive = (unit: string, description: string) => quantity(unit, description, { exclusiveMinimum: 0 });
/** Above it Boltzmann's statistics fail. */
export const DEGENERATE = 1e26;
const dopant = (description: string) =>
  quantity('1/m^3', description, { exclusiveMinimum: 0, exclusiveMaximum: DEGENERATE });

export const schema = record({
  dim: optional(
    Type.Union([Type.Literal(1), Type.Literal(2)], {
      description: 'Space dimensions; may be left out with doping, whose shape tells. 2: equilibrium alone.',
    }),
  ),
  temperature: positive('K', 'Temperature of the lattice.'),
  epsR: ratio('Relative permittivity.', { minimum: 1 }),
  ni: positive('1/m^3', 'Intrinsic density.'),
  Na: optional(dopant('Acceptors on the p side, x < Lp, of an abrupt junction.')),
  Nd: optional(dopant('Donors on the n side.')),
  Lp: optional(positive('m', 'Length of the p side.')),
  Ln: optional(positive('m', 'Length of the n side.')),
  doping: optional(
    Type.Union(
      [
        quantity('1/m^3', 'Nd − Na, the same everywhere.'),
        gridArray('1/m^3', 'Nd − Na on equidistant nodes, linear between them'),
      ],
      { description: 'Nd − Na: a number, an array along x, or rows [y][x]; instead of Na, Nd, Lp, Ln.' },
    ),
  ),
  L: optional(positive('m', 'Length; with doping, dim 1.')),
  Lx: optional(positive('m', 'Length from contact to contact; with doping, dim 2.')),
  Ly: optional(positive('m', 'Length along y; with doping, dim 2.')),
  V: optional(
    quantity(
      'V',
      'Bias at x = 0 against the other end; between contacts of p and n forward up to Vbi + 0.2; absent: equilibrium.',
      {
        minimum: -50,
        maximum: 50,
      },
    ),
  ),
  mun: optional(positive('m^2/(V s)', 'Mobility of electrons; with V.')),
  mup: optional(positive('m^2/(V s)', 'Mobility of holes; with V.')),
  taun: optional(positive('s', 'Lifetime of electrons; with V, unless recombination is none.')),
  taup: optional(positive('s', 'Lifetime of holes; as taun.')),
  recombination: optional(choice(['srh', 'none'], 'Shockley–Read–Hall or none; with V; absent: srh.')),
  quantity: choice(quantities, 'Built-in potential, largest field, or current density (with V).'),
  N: optional(
    integer('Mesh cells along x; absent: so that Debye lengths are resolved.', {
      minimum: 32,
      multipleOf: 8,
    }),
  ),
  tol: optional(
    ratio('Relative Newton update at which the iteration stops; absent: 1e-8.', {
      minimum: 1e-12,
      maximum: 1e-4,
    }),
  ),
});

export interface DeviceInput {
  readonly dim?: 1 | 2;
  readonly temperature: number;
  readonly epsR: number;
  readonly ni: number;
  readonly Na?: number;
  readonly Nd?: number;
  readonly Lp?: number;
  readonly Ln?: number;
  readonly doping?: number | GridArray;
  readonly L?: number;
  readonly Lx?: number;
  readonly Ly?: number;
  readonly V?: number;
  readonly mun?: number;
  readonly mup?: number;
  readonly taun?: number;
  readonly taup?: number;
  readonly recombination?: 'srh' | 'none';
  readonly quantity: (typeof quantities)[number];
  readonly N?: number;
  readonly tol?: number;
}
