import { Type } from 'typebox';
import { type GridArray, gridArray, type SideName } from '../grid/box.ts';
import { choice, integer, numbers, optional, quantity, ratio, record, usedWith, vector } from '../input.ts';

const positive = (unit: string, description: string) =>
  optional(quantity(unit, description, { exclusiveMinimum: 0 }));

export const MOST_TOL = 1e-6;
export const cases = ['cavity', 'taylor-green', 'channel', 'duct', 'custom'] as const;
/** In the order of their codes in assembly/flow/read.ts. */
export const quantities = [
  'u',
  'v',
  'p',
  'psi',
  'omega',
  'uMin',
  'uMax',
  'vMin',
  'vMax',
  'psiMin',
  'kineticEnergyRatio',
] as const;
export const sideTypes = ['wall', 'slip', 'inflow', 'outflow', 'periodic'] as const;

/** Least number of cells along an axis: the grid 4h has eight. */
export const LEAST_CELLS = 32;
const MOST_LINE = 65_537;

const velocity = (name: string) =>
  optional(
    Type.Union(
      [
        quantity('m/s', `${name}; the same everywhere.`),
        numbers('m/s', name, { minItems: 1, maxItems: MOST_LINE }),
      ],
      {
        description: `${name}: a number, or as many as cells along the side where it is normal to it, one more (the cells’ ends) where it is tangential.`,
      },
    ),
  );
const sideType = choice(
  sideTypes,
  'wall: moves with u, v along itself, at rest if absent; slip: nothing passes, nothing holds; inflow: u and v; outflow: p = 0, and no gradient of what runs along it; periodic: joined to the opposite side.',
);
const side = Type.Union(
  [sideType, record({ type: sideType, u: velocity('Velocity along x'), v: velocity('Velocity along y') })],
  { description: 'A side: its type, or {type, u, v}.' },
);
const start = (name: string, faces: string) =>
  optional(
    Type.Union([quantity('m/s', `${name}; the same everywhere.`), gridArray('m/s', `${name} on ${faces}`)], {
      description: `${name} on ${faces} [y][x]; a number: the same everywhere.`,
    }),
  );

export const schema = record({
  case: choice(
    cases,
    'cavity: a lid drags what is in a box, steady; taylor-green: decaying vortices; channel, duct: driven by a pressure gradient between two or four walls; custom: own sides and start.',
  ),
  nu: positive('m^2/s', 'Kinematic viscosity; or mu and rho.'),
  mu: positive('Pa*s', 'Dynamic viscosity; with rho.'),
  rho: positive('kg/m^3', 'Density; with mu, with G, and for pressures.'),
  ...usedWith(
    { case: ['cavity', 'taylor-green', 'custom'] },
    {
      Lx: positive('m', 'Length along x.'),
    },
  ),
  Ly: quantity('m', 'Height; of a channel its gap, of a duct its width.', { exclusiveMinimum: 0 }),
  ...usedWith(
    { case: ['duct'] },
    {
      Lz: positive('m', 'Other width.'),
    },
  ),
  ...usedWith(
    { case: ['cavity', 'taylor-green'] },
    {
      U: positive('m/s', 'Speed of the lid, amplitude of the vortices.'),
    },
  ),
  ...usedWith(
    { case: ['cavity'] },
    {
      lidProfile: optional(choice(['uniform', 'regularised'], 'regularised: 16ξ²(1−ξ)²U, ξ = x/Lx.')),
    },
  ),
  ...usedWith(
    { case: ['channel', 'duct'] },
    {
      G: optional(quantity('Pa/m', '−dp/dx.')),
    },
  ),
  ...usedWith(
    { case: ['custom'] },
    {
      g: optional(vector('m/s^2', 'Force per mass.', { minItems: 2, maxItems: 2 })),
      boundary: optional(
        Type.Union([side, record({ left: side, right: side, bottom: side, top: side })], {
          description: 'A side for all, or one for each of left, right, bottom, top.',
        }),
      ),
    },
  ),
  ...usedWith(
    { case: ['taylor-green', 'channel', 'duct', 'custom'] },
    {
      t_end: positive('s', 'End of the run, after t0; of a channel or a duct, of its start.'),
    },
  ),
  ...usedWith(
    { case: ['channel', 'duct'] },
    {
      steady: optional(Type.Literal(true, { description: 'The flow that does not change.' })),
    },
  ),
  quantity: choice(
    quantities,
    'u, v, p, psi, omega at the probe; uMin, uMax along x = Lx/2, vMin, vMax along y = Ly/2 (channel, duct: uMax on the axis); psiMin of the field; kineticEnergyRatio of end and start.',
  ),
  probe: optional(
    vector('m', 'Where the value is taken; absent: the centre. Of a duct [x, y, z].', {
      minItems: 2,
      maxItems: 3,
    }),
  ),
  N: optional(
    Type.Union(
      [
        integer('Cells along each axis.', { minimum: LEAST_CELLS, multipleOf: 4 }),
        Type.Array(Type.Integer({ minimum: LEAST_CELLS, multipleOf: 4 }), {
          minItems: 1,
          maxItems: 2,
          description: 'Cells along x and y (channel: y; duct: y and z).',
        }),
      ],
      { description: `Cells along each axis, divisible by 4, at least ${LEAST_CELLS}; |u|h/ν ≤ 8.` },
    ),
  ),
  ...usedWith(
    { case: ['taylor-green', 'channel', 'duct', 'custom'] },
    {
      dt: positive('s', 'Largest step: |u|dt/dx + |v|dt/dy ≤ 1 and ν dt Σ1/dx² ≤ 1/2.'),
    },
  ),
  ...usedWith(
    { case: ['cavity'] },
    {
      tol: optional(
        ratio('Residual ‖∂u/∂t‖Lx/U² of a steady cavity (over ν/Lx where that is above U); absent: 1e-9.', {
          minimum: 1e-10,
          maximum: MOST_TOL,
        }),
      ),
    },
  ),
  ...usedWith(
    { case: ['taylor-green', 'channel', 'duct', 'custom'] },
    {
      initialState: optional(
        record(
          {
            u: start(
              'Velocity along x',
              'the faces across x, Ny rows of Nx + 1; of a channel its Ny cells, of a duct Nz rows of Ny',
            ),
            v: start('Velocity along y', 'the faces across y, Ny + 1 rows of Nx'),
            t0: optional(quantity('s', 'Time of the start.')),
            continue: optional(Type.String({ maxLength: 200, description: 'A job to continue.' })),
          },
          {
            description:
              'The start; of taylor-green in place of the vortices, of channel and duct u alone, absent: at rest.',
          },
        ),
      ),
    },
  ),
});

export type SideType = (typeof sideTypes)[number];
export interface FullSide {
  readonly type: SideType;
  readonly u?: number | readonly number[];
  readonly v?: number | readonly number[];
}
export type Side = SideType | FullSide;

export interface FlowInput {
  readonly case: (typeof cases)[number];
  readonly nu?: number;
  readonly mu?: number;
  readonly rho?: number;
  readonly Lx?: number;
  readonly Ly: number;
  readonly Lz?: number;
  readonly U?: number;
  readonly lidProfile?: 'uniform' | 'regularised';
  readonly G?: number;
  readonly g?: readonly number[];
  readonly boundary?: Side | Readonly<Record<SideName, Side>>;
  readonly t_end?: number;
  readonly steady?: true;
  readonly quantity: (typeof quantities)[number];
  readonly probe?: readonly number[];
  readonly N?: number | readonly number[];
  readonly dt?: number;
  readonly tol?: number;
  readonly initialState?: {
    readonly u?: number | GridArray;
    readonly v?: number | GridArray;
    readonly t0?: number;
    readonly continue?: string;
  };
  /** Of a job that goes on: what join() puts here. */
  readonly before?: Before;
}

/** Results of the earlier job's grids h, 2h, 4h. */
export interface Before {
  readonly job: string;
  readonly steps: number;
  readonly dt: number;
  readonly results: readonly Uint8Array[];
}
