import t from 'tap';
import { angleOf, sineAndCosine } from '../../src/solvers/elementary.ts';
import { elasticExponents, type Held, poissonExponents } from '../../src/solvers/fea/exponents.ts';
import { ordersOf } from '../../src/solvers/fea/orders.ts';
import { readProblem } from '../../src/solvers/fea/plan.ts';
import type { FeaInput } from '../../src/solvers/fea/schema.ts';
import { fea } from '../../src/solvers/fea.ts';
import { readInput } from '../../src/solvers/input.ts';
import { runJob } from './run-job.ts';
import { refusalOf } from './solver-test.ts';

const read = (body: unknown) => readInput(fea.input, body).input as FeaInput;
const value = async (body: unknown) => (await runJob(fea, read(body))).verdict.value;
const isNear = (found: readonly number[], expected: readonly number[], off: number) =>
  found.length === expected.length && found.every((x, i) => Math.abs(x - expected[i]!) <= off);

const DEGREE = Math.PI / 180;
const FREE: Held = [false, false];
const HELD: Held = [true, true];

t.test('angles, sines and cosines are those of Math', async (t) => {
  for (let x = -9.7; x < 9.8; x += 0.37) {
    const [sine, cosine] = sineAndCosine(x);
    t.ok(isNear([sine, cosine], [Math.sin(x), Math.cos(x)], 1e-13), `sine and cosine of ${x}`);
    t.ok(isNear([angleOf(3 * cosine, 3 * sine)], [Math.atan2(sine, cosine)], 1e-13), `angle of ${x}`);
  }
  t.ok(isNear([angleOf(1, 0), angleOf(-2, 0)], [0, Math.PI], 1e-15));
});

t.test('corners have the exponents that M. Williams gives', async (t) => {
  // J. Appl. Mech. 19 (1952) 526: free 270° (also P. Grisvard, sin² λω = λ² sin² ω), a crack, a stamp's edge, and the clamped
  // edge of a plate in plane stress at ν = 0.3, 4κ sin² λω + λ² 4 sin² ω = (κ + 1)².
  const plane = (3 - 0.3) / 1.3;
  const cases: [angle: number, first: Held, last: Held, expected: number[]][] = [
    [270, FREE, FREE, [0.544484, 0.908529]],
    [360, FREE, FREE, [0.5]],
    [180, FREE, HELD, [0.5]],
    [90, FREE, HELD, [0.758349]],
    [180, [false, true], FREE, [0.5]],
    [90, HELD, HELD, []],
  ];
  for (const [angle, first, last, expected] of cases)
    for (const from of [0, 0.3])
      if (from === 0 || first[0] === first[1])
        t.ok(
          isNear(elasticExponents(plane, from, angle * DEGREE, [first, last]), expected, 1e-6),
          `${angle}° ${first} ${last} from ${from}`,
        );
  // Clamped on both sides: κ sin λω = ±λ sin ω, two roots near each other.
  for (const [angle, expected] of [
    [198, [0.845572, 0.98316]],
    [200.4, [0.828698, 0.980803]],
  ] as const)
    t.ok(isNear(elasticExponents(1.2, 0, angle * DEGREE, [HELD, HELD]), expected, 1e-6), `${angle}° clamped`);
  t.ok(isNear(poissonExponents(270 * DEGREE, false), [2 / 3, 4 / 3], 1e-12));
  t.ok(isNear(poissonExponents(180 * DEGREE, true), [0.5, 1.5], 1e-12));
  t.strictSame([poissonExponents(90 * DEGREE, true), poissonExponents(180 * DEGREE, false)], [[], []]);
});

/** Patches of four points each. */
const patchesOf = (places: readonly number[][], of: (i: number) => object) =>
  places.map((row, i) => ({ corners: [0, 1, 2, 3].map((c) => row.slice(2 * c, 2 * c + 2)), ...of(i) }));
const rectangle = (x: number, y: number, u: number, v: number) => [
  [x, y],
  [u, y],
  [u, v],
  [x, v],
];
/** An L of three squares. */
const ell = {
  ...{ analysis: 'poisson', k: 1, f: 1, quantity: 'u', probe: [0.5, 0.5] },
  patches: [rectangle(0, 0, 1, 1), rectangle(1, 0, 2, 1), rectangle(0, 1, 1, 2)].map((corners) => ({
    corners,
    N: [16, 16],
  })),
  supports: [{ on: 'outer', u: 0 }],
};

t.test('a body has the orders of its corners, of its changes of support and of its jumps', async (t) => {
  const orders = (of: object) => ordersOf(readProblem(read({ ...ell, ...of })));
  t.ok(isNear(orders({}).orders, [4 / 3], 1e-12));
  const left = { on: { patch: 0, side: 'left' }, u: 0 };
  // Free beyond (0, 1), a straight angle.
  t.ok(isNear(orders({ supports: [left] }).orders, [1, 4 / 3], 1e-12));
  const hot = { on: { patch: 2, side: 'left' }, u: 1 };
  t.ok(isNear(orders({ supports: [left, hot] }).orders, [1, 4 / 3], 1e-12));
  t.strictSame(orders({ supports: [left, { on: { point: [0.5, 1] }, u: 0 }] }).isPinned, true);
  t.strictSame(orders({ supports: [left, { on: { point: [0, 0.5] }, u: 0 }] }).isPinned, false);
});

t.test('where supports jump there is no energy, and no value', async (t) => {
  const supports = [
    { on: 'outer', u: 0 },
    { on: { patch: 2, side: 'top' }, u: 100 },
  ];
  const { probe: _, ...rest } = ell;
  for (const [body, field] of [
    [{ ...rest, supports, quantity: 'energy' }, 'supports'],
    [{ ...ell, supports, probe: [0, 2] }, 'probe'],
    [{ ...rest, supports: [supports[0], { on: { point: [0.5, 0] }, u: 1 }], quantity: 'energy' }, 'supports'],
  ] as const) {
    const { code, details } = await refusalOf(fea, read(body));
    t.match({ code, details }, { code: 'INVALID_INPUT', details: { field, accepts: Array } });
  }
  // By coefficients they agree: 100 (1 − ξ²).
  const agreeing = [supports[0], { on: { patch: 2, side: 'top' }, u: [100, 0, -100] }];
  t.ok((await value({ ...rest, supports: agreeing, quantity: 'energy' })) > 0);
});

t.test('orders of opposite signs do not make three meshes agree', async (t) => {
  // SciPy, elements of degree 6 and 8 on cells that shrink towards all sides: u is 2.72140; the meshes say 2.72199, by
  // 0.06 % of the range of u. Of the displacement 0.844766 they say 0.845687, and two lie 0.00014 apart.
  const warm = {
    ...{
      analysis: 'poisson',
      k: 1,
      f: -0.091,
      quantity: 'u',
      probe: [2.2518564055419543, 1.0886435522075835],
    },
    patches: patchesOf(
      [
        [2.179582, 1.963529, 3.010454, 1.83468, 2.825185, 2.68005, 2.067943, 2.684359],
        [3.131747, 1.063396, 1.995916, 1.1797, 1.900688, -0.064818, 3.124778, 0.011551],
        [1.995916, 1.1797, 3.131747, 1.063396, 3.010454, 1.83468, 2.179582, 1.963529],
      ],
      (i) => ({ N: [8, 12], ...(i === 0 ? { grade: [1, 0.257] } : {}) }),
    ),
    supports: [
      [0, 'right'],
      [0, 'top'],
      [1, 'top'],
      [1, 'left'],
    ].map(([patch, side]) => ({ on: { patch, side }, u: 3 })),
    loads: [{ on: { patch: 2, side: 'left' }, flux: -0.854 }],
  };
  const bent = {
    ...{ analysis: 'elasticity', planeType: 'stress', E: 1, nu: 0.3, thickness: 1 },
    ...{ quantity: 'displacement', component: 'x', probe: [3.9454935, 2.5] },
    patches: [
      { corners: [3.956395, 2, 4.434592, 3, 3.434592, 3, 2.956395, 2], N: [16, 12] },
      {
        corners: [2.956395, 2, 2.478197, 1, 3.478197, 1, 3.956395, 2],
        N: [16, 12],
        grade: [1.51285930408472, 1],
      },
      { corners: [1.956395, 2, 2.956395, 2, 3.434592, 3, 2.434592, 3], N: [16, 16] },
    ].map(({ corners, ...rest }) => ({
      corners: [0, 1, 2, 3].map((c) => corners.slice(2 * c, 2 * c + 2)),
      ...rest,
    })),
    supports: [
      { on: { patch: 2, side: 'top' }, ux: 0, uy: 0 },
      { on: { patch: 1, side: 'right' }, ux: 0, uy: 0 },
    ],
    loads: [
      { on: { patch: 2, side: 'bottom' }, traction: [-0.876, -0.818] },
      { on: { patch: 2, side: 'left' }, traction: [0.75, -0.41] },
      { on: { patch: 1, side: 'bottom' }, total: [0.635, -0.904] },
      {
        on: { patch: 0, side: 'bottom' },
        traction: [
          [0.368, 0.112],
          [0.297, 0.162, 0.683],
        ],
      },
    ],
  };
  for (const body of [warm, bent])
    await t.rejects(value(body), { code: 'OUTSIDE_TOLERANCE', details: { gate: 'discretisation' } });
  const finer = { ...warm, patches: warm.patches.map((patch) => ({ ...patch, N: [48, 72] })) };
  t.ok(Math.abs((await value(finer)) - 2.7214005) < 2e-4);
});

t.test('beside corners and between nodes no order is believed', async (t) => {
  // SciPy as above: 0.00259715, where three meshes show the order 1.78 and lead to 0.00259933; and 0.623948, where they show
  // 1.48 and lead to 0.624748.
  const low = {
    ...{ analysis: 'poisson', k: 1, f: 1, quantity: 'u', probe: [0.9165475257314697, 0.014377785541237679] },
    patches: patchesOf(
      [
        [0.906821, 0.008428, 1.797497, 0.031925, 1.474324, 0.962634, 0.382301, 1.050029],
        [-0.392892, 0.9282, -0.049064, -0.024507, 0.906821, 0.008428, 0.382301, 1.050029],
        [-0.392892, 0.9282, 0.382301, 1.050029, -0.413878, 2.785172, -1.300966, 2.836815],
      ],
      (i) => ({
        N: [12, 12],
        grade: [
          [1, 2.633],
          [1 / 2.633, 1],
          [1, 4.103],
        ][i],
      }),
    ),
    supports: [{ on: 'outer', u: 0 }],
  };
  const between = {
    ...{ analysis: 'poisson', k: 1, f: 0, quantity: 'u', probe: [1.0722261631720675, 0.9564649752033691] },
    patches: patchesOf(
      [
        [1.439579, -0.073857, 2.485382, -0.023085, 2.220493, 0.955271, 1.188889, 1.036669],
        [1.067821, 0.021351, 1.439579, -0.073857, 1.188889, 1.036669, 0.804821, 0.96301],
        [-0.077644, -0.038091, 1.067821, 0.021351, 0.804821, 0.96301, -0.212262, 1.038066],
      ],
      (i) => ({
        N: [16, 12],
        grade: [
          [0.242, 1],
          [0.526, 1],
          [2.356, 1],
        ][i],
      }),
    ),
    supports: [
      { on: { patch: 0, side: 'bottom' }, u: 0 },
      { on: { patch: 2, side: 'left' }, u: 1 },
      { on: { patch: 0, side: 'top' }, u: 1 },
      { on: { patch: 2, side: 'top' }, u: 0.169 },
      { on: { point: [-0.212262, 1.038066] }, u: 0 },
    ],
    loads: [
      { on: { patch: 2, side: 'bottom' }, flux: [-0.8, -0.851] },
      { on: { patch: 1, side: 'bottom' }, flux: -0.048 },
    ],
  };
  // Within half a cell of a corner where a free side meets one that is held: -0.75677, of which two meshes say -0.75570.
  const beside = {
    ...{
      analysis: 'poisson',
      k: 1,
      f: 0.546,
      quantity: 'u',
      probe: [0.8146394188285245, 0.3307254959507697],
    },
    patches: patchesOf([[0.839242, 0.342521, -0.160758, 0.342521, 0, 0, 1, 0]], () => ({ N: [16, 4] })),
    supports: ['bottom', 'right', 'top'].map((side, i) => ({ on: { patch: 0, side }, u: [-0.8, 1, 0][i] })),
  };
  for (const body of [low, between, beside])
    await t.rejects(value(body), { code: 'OUTSIDE_TOLERANCE', details: { gate: 'discretisation' } });
});

t.test(
  'a node that alone is held has no say in the limit, and three meshes that hardly move none',
  async (t) => {
    // SciPy as above, without the node, which bears nothing on ever finer cells: 3.44097. Three meshes say 3.44161 to 3.44186.
    const body = {
      ...{ analysis: 'poisson', k: 1, f: 1, quantity: 'u', probe: [1.596492, 0.5] },
      patches: [{ corners: rectangle(1.596492, 0, 2.596492, 1), N: [16, 16], grade: [2.192, 1] }],
      supports: [
        { on: { patch: 0, side: 'right' }, u: 3 },
        { on: { point: [1.596492, 0] }, u: 3.5153273524427266 },
      ],
      loads: [
        { on: { patch: 0, side: 'bottom' }, flux: [-0.21, -0.603] },
        { on: { patch: 0, side: 'top' }, flux: -0.102 },
      ],
    };
    await t.rejects(value(body), { code: 'OUTSIDE_TOLERANCE', details: { gate: 'discretisation' } });
  },
);

t.test('the stated error holds where three parts cancel, and where an exponent is complex', async (t) => {
  // SciPy, elements of degree 8 to 10 that shrink towards all corners: 1.497769, −0.61540.
  const turned = {
    ...{ analysis: 'elasticity', planeType: 'stress', E: 1, nu: 0.3, thickness: 1, b: [0, -0.3] },
    ...{ quantity: 'displacement', component: 'x', probe: [0.5048365090574866, -0.8695131820914116] },
    patches: [
      {
        corners: [
          [0, 0],
          [-0.05373148103524954, -0.8335053942929604],
          [0.5647986561486945, -0.873378609947457],
          [0.618530137183944, -0.03987321565449654],
        ],
        N: [32, 64],
        grade: [1, 0.128],
      },
    ],
    supports: [{ on: { patch: 0, side: 'bottom' }, ux: 0, uy: 0 }],
    loads: [
      { on: { patch: 0, side: 'right' }, traction: [[-0.35, 0.34, 0.263], 0.792] },
      { on: { patch: 0, side: 'left' }, pressure: -0.752 },
      { on: { patch: 0, side: 'top' }, traction: [0.695, 0.298] },
    ],
  };
  const [x, width, height] = [0.6481338212965787, 1.4017131697003715, 2.6869381712173466];
  const pushed = {
    ...{ analysis: 'elasticity', planeType: 'strain', E: 1, nu: 0.3, thickness: 1, b: [0, -0.3] },
    ...{ quantity: 'displacement', component: 'y', probe: [x + (width - x) / 4, height] },
    patches: [
      [0, x, 64],
      [x, width, 32],
    ].map(([from, to, n]) => ({
      corners: [
        [from, 0],
        [to, 0],
        [to, height],
        [from, height],
      ],
      N: [n, 64],
    })),
    supports: [
      { on: { patch: 0, side: 'left' }, ux: 0, uy: 0 },
      { on: { patch: 1, side: 'bottom' }, uy: 0 },
    ],
    loads: [{ on: { point: [x, height] }, force: [0.422, 0.131] }],
  };
  for (const [body, expected] of [
    [turned, 1.497769],
    [pushed, -0.6154],
  ] as const) {
    const { value, gates } = (await runJob(fea, read(body))).verdict;
    const stated = gates.find(({ name }) => name === 'discretisation')!.relError;
    const off = Math.abs(value / expected - 1);
    t.ok(off > 1e-4 && off < stated, `${off} within ${stated}`);
  }
});
