import t from 'tap';
import type { FeaInput } from '../../src/solvers/fea/schema.ts';
import { fea } from '../../src/solvers/fea.ts';
import { readInput } from '../../src/solvers/input.ts';
import { testRefusals } from './refusals.ts';
import { runJob } from './run-job.ts';
import { memoryOf, refusalOf, testSolver } from './solver-test.ts';

const read = (body: unknown) => readInput(fea.input, body).input as FeaInput;
const value = async (body: unknown) => (await runJob(fea, read(body))).verdict.value;
const near = (measured: number, exact: number, tolerance: number) =>
  Math.abs(measured - exact) <= tolerance * Math.abs(exact);

const pulled = {
  analysis: 'truss',
  nodes: [
    [0, 0],
    [1, 0],
  ],
  bars: [{ nodes: [0, 1], E: 2e11, A: 1e-3 }],
  supports: [
    { on: { node: 0 }, ux: 0, uy: 0 },
    { on: { node: 1 }, uy: 0 },
  ],
  loads: [{ on: { node: 1 }, force: [1000, 0] }],
  quantity: 'energy',
};

testSolver(fea, {
  references: [
    {
      title: 'truss of three bars at 45°, the vertical one 1 m long',
      body: fea.examples[3]!.body,
      expect: -2.928932188e-4,
      tolerance: 1e-9,
      source: 'statics: PL/EA/(1 + √½)',
    },
    { title: 'energy of a bar', body: pulled, expect: 2.5e-3, tolerance: 1e-12, source: 'F²L/2EA' },
    {
      title: 'largest displacement of a bar whose energy is asked',
      body: pulled,
      of: 'largest',
      expect: 5e-6,
      tolerance: 1e-12,
      source: 'FL/EA',
    },
  ],
});

const [cook, , square] = fea.examples.map(({ body }) => body) as [FeaInput, FeaInput, FeaInput];

t.test(
  "Cook's membrane is 23.967741 to five digits, and 25.1894 at its corner (two hp meshes)",
  async (t) => {
    t.ok(near(await value(cook), 23.967741, 1e-5));
    const finer = [{ ...cook.patches![0]!, N: [96, 96] }];
    t.ok(near(await value({ ...cook, patches: finer, probe: [48, 60] }), 25.1894, 1e-4));
  },
);

t.test('the integral of u on the unit square, twice its energy, is 0.03514425374 (series)', async (t) => {
  const { probe: _, ...body } = square;
  t.ok(near(2 * (await value({ ...body, quantity: 'energy' })), 0.03514425374, 1e-6));
});

t.test('a thick cylinder under inner pressure moves as Lamé says', async (t) => {
  // Quarter ring, radii 1 and 2, on nine points; plane strain. u_r(a) = p a (1+ν)/E · (a²(1−2ν) + b²)/(b²−a²).
  const [a, b, E, nu, p] = [1, 2, 1000, 0.3, 10];
  const half = Math.SQRT1_2;
  const on = (r: number, c: number, s: number) => [r * c, r * s];
  const ring = (c0: number, s0: number, c1: number, s1: number, cm: number, sm: number) => ({
    corners: [
      on(a, c0, s0),
      on(b, c0, s0),
      on(b, c1, s1),
      on(a, c1, s1),
      on(1.5, c0, s0),
      on(b, cm, sm),
      on(1.5, c1, s1),
      on(a, cm, sm),
      on(1.5, cm, sm),
    ],
    N: [4, 4],
  });
  const [c8, s8] = [Math.cos(Math.PI / 8), Math.sin(Math.PI / 8)];
  const body = {
    analysis: 'elasticity',
    planeType: 'strain',
    E,
    nu,
    thickness: 1,
    patches: [ring(1, 0, half, half, c8, s8), ring(half, half, 0, 1, s8, c8)],
    supports: [
      { on: { patch: 0, side: 'bottom' }, uy: 0 },
      { on: { patch: 1, side: 'top' }, ux: 0 },
    ],
    loads: [0, 1].map((patch) => ({ on: { patch, side: 'left' }, pressure: p })),
    quantity: 'displacement',
    component: 'x',
    probe: [a, 0],
  };
  const lame = (((p * a * (1 + nu)) / E) * (a * a * (1 - 2 * nu) + b * b)) / (b * b - a * a);
  t.ok(near(await value(body), lame, 1e-3), 'within the error of arcs made of parabolas');
});

t.test('stress in a bar under tension is the traction, on every component', async (t) => {
  const bar = fea.examples[4]!.body;
  const { component: _, quantity: __, ...rest } = bar as Record<string, unknown>;
  const stress = (component: string) => value({ ...rest, quantity: 'stress', component, probe: [0.3, 0.6] });
  t.ok(near(await stress('xx'), 1e6, 1e-9));
  t.ok(near(await stress('vonMises'), 1e6, 1e-9));
  t.ok(Math.abs(await stress('xy')) < 1);
});

t.test('two meshes that agree on a stress by accident seal nothing', async (t) => {
  // −0.04231, −0.04249, −0.04467 on 8, 4 and 2 cells a side; nine-node elements with 48 (SciPy) give −0.0426.
  const corners = [
    [
      [-0.051014, 1.073685],
      [0.927179, 0.931769],
      [0.992493, 1.91572],
      [-0.142556, 1.864591],
    ],
    [
      [0.927179, 0.931769],
      [1.878257, 0.907932],
      [2.098746, 1.961721],
      [0.992493, 1.91572],
    ],
    [
      [1.878257, 0.907932],
      [3.102118, 0.900919],
      [3.075689, 2.098121],
      [2.098746, 1.961721],
    ],
    [
      [0.981625, 0.037292],
      [2.127192, 0.044385],
      [1.878257, 0.907932],
      [0.927179, 0.931769],
    ],
  ];
  const body = {
    analysis: 'elasticity',
    planeType: 'stress',
    E: 8.795638,
    nu: 0.184105,
    thickness: 0.002303,
    patches: corners.map((each) => ({ corners: each, N: [8, 8] })),
    b: [-0.009197, 0.009108],
    supports: [{ on: { patch: 0, side: 'bottom' }, ux: 0.0, uy: 0.0 }],
    loads: [
      { on: { patch: 0, side: 'top' }, traction: [-0.005107, -0.008778] },
      { on: { patch: 3, side: 'bottom' }, traction: [-0.010807, -0.006116] },
    ],
    quantity: 'stress',
    component: 'xy',
    probe: [0.497633, 1.424865],
  };
  await t.rejects(value(body), { code: 'OUTSIDE_TOLERANCE', details: { gate: 'discretisation' } });
});

t.test('a value that corners hold back is not sealed where meshes of few cells agree', async (t) => {
  // Nine-node elements of 64 to 256 cells a side (SciPy): 0.1949 and 0.3342. The meshes of each request say 0.1943, with an
  // order of 3 between them, and 0.3384, where two lie 0.0005 apart.
  const row = {
    ...{ analysis: 'poisson', k: 1, f: 0, quantity: 'u', probe: [1, 0] },
    patches: [8, 4, 8].map((N, x) => ({
      corners: [
        [x, 0],
        [x + 1, 0],
        [x + 1, 1],
        [x, 1],
      ],
      N: [N, 8],
    })),
    supports: [
      { on: { patch: 2, side: 'top' }, u: 0.948 },
      { on: { patch: 0, side: 'top' }, u: -0.16 },
    ],
    loads: [
      { on: { patch: 1, side: 'bottom' }, flux: 0.126 },
      { on: { patch: 2, side: 'right' }, flux: -0.827 },
    ],
  };
  const places = [
    ...[-0.085, -0.015, 1.314, -0.161, 1.276, 1.281, -0.213, 1.04, 0.618, -0.05, 1.436, 0.56, 0.509, 1.186],
    ...[-0.245, 0.524, 0.586, 0.574, 2.755, 0.051, 2.447, 1.103, 2.022, -0.029, 2.698, 0.567, 1.864, 1.274],
    ...[2.062, 0.618],
  ];
  const bent = {
    ...{ analysis: 'poisson', k: 1, f: 0, quantity: 'u', probe: [1.572, 0.218] },
    nodes: Array.from({ length: 15 }, (_, n) => places.slice(2 * n, 2 * n + 2)),
    elements: [
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
      [1, 9, 10, 2, 11, 12, 13, 5, 14],
    ],
    supports: [
      { on: { element: 1, side: 'right' }, u: -0.038 },
      { on: { element: 0, side: 'top' }, u: -0.78 },
      { on: { element: 1, side: 'bottom' }, u: 0.807 },
    ],
    loads: [{ on: { element: 0, side: 'bottom' }, flux: -0.699 }],
  };
  for (const body of [row, bent])
    await t.rejects(value(body), { code: 'OUTSIDE_TOLERANCE', details: { gate: 'discretisation' } });
});

t.test('meshes that differ too much are refused with the N that does', async (t) => {
  const on = (N: number, of: object = {}) =>
    ({ ...cook, ...of, patches: [{ ...cook.patches![0]!, N: [N, N] }] }) as FeaInput;
  const { details } = await refusalOf(fea, on(4));
  t.match(details, { field: 'patches', accepts: 'N 14 times as large: [56, 56]' });
  t.ok(near(await value(on(56)), 23.967741, 1e-3));
  // The stress beside the clamped corner, which has no limit.
  const corner = { quantity: 'stress', component: 'xx', probe: [0, 44] };
  t.match((await refusalOf(fea, on(8, corner))).details, { field: 'probe', accepts: /away from there/ });
});

t.test('where u is the same everywhere, its fluxes are rounding', async (t) => {
  for (const u of [0.5, 300, -7])
    for (const k of [1, 1e5]) {
      const supports = [{ on: { patch: 0, side: 'left' }, u }];
      t.ok(
        near(await value({ ...square, k, f: 0, supports, probe: [0.3, 0.4] }), u, 1e-9),
        `${u} with k = ${k}`,
      );
    }
});

t.test('the energy of a Poisson problem does not know the zero of u', async (t) => {
  const { probe: _, ...rest } = square;
  const energy = (body: object) => value({ ...rest, quantity: 'energy', ...body });
  // The series above with u other than 0 all round.
  for (const u of [1, 1e3, 1e6, -1e9])
    t.ok(near(2 * (await energy({ supports: [{ on: 'outer', u }] })), 0.03514425374, 1e-6), `f beside ${u}`);
  t.equal(await energy({ f: 0, supports: [{ on: 'outer', u: 5 }] }), 0);
  // Across a unit square whose other sides are free, from u to u + 1: ½k.
  for (const u of [0, 1e3, 1e9]) {
    const supports = [
      { on: { patch: 0, side: 'left' }, u },
      { on: { patch: 0, side: 'right' }, u: u + 1 },
    ];
    t.ok(near(await energy({ k: 3, f: 0, supports }), 1.5, 1e-9), `${u} to ${u + 1}`);
    // k ∫|∇u|²/2 of u + x along the bottom and the top, given by its coefficients in ξ.
    const along = [0, 2].map((side) => ({
      on: { patch: 0, side: ['bottom', '', 'top'][side] },
      u: [u + 0.5, 0.5],
    }));
    t.ok(near(await energy({ k: 3, f: 0, supports: [...supports, ...along] }), 1.5, 1e-9), `${u} + x`);
  }
});

t.test('a body that its supports shift alone has neither stress nor energy', async (t) => {
  const plate = {
    ...{ analysis: 'elasticity', planeType: 'stress', E: 2e11, nu: 0.3, thickness: 0.01 },
    patches: square.patches,
    supports: [{ on: 'outer', ux: 0.01, uy: -0.02 }],
    probe: [0.3, 0.4],
  };
  for (const component of ['xx', 'vonMises'])
    t.equal(await value({ ...plate, quantity: 'stress', component }), 0, component);
  t.equal(await value({ ...plate, quantity: 'displacement', component: 'y' }), -0.02);
  const { probe: _, ...whole } = plate;
  t.equal(await value({ ...whole, quantity: 'energy' }), 0);
  const shifted = {
    ...{ ...pulled, supports: pulled.supports.map((each) => ({ ...each, uy: 7 })) },
    ...{ quantity: 'force', member: 0 },
  };
  shifted.supports[0]!.ux = 3;
  t.equal(await value({ ...shifted, loads: [] }), 0);
  t.ok(near(await value(shifted), 1000, 1e-12), 'and pulled, the force is the load');
  const { member: ___, ...energy } = shifted;
  t.ok(near(await value({ ...energy, quantity: 'energy' }), 2.5e-3, 1e-12), 'F²L/2EA');
});

t.test('supports that only turn a body are refused by name', async (t) => {
  const supports = [
    { on: { point: [0, 0] }, ux: 0, uy: 0 },
    { on: { point: [1, 0] }, uy: -0.003 },
  ];
  const plate = { analysis: 'elasticity', planeType: 'stress', E: 2e11, nu: 0.3, thickness: 0.01, supports };
  await t.rejects(
    value({ ...plate, patches: square.patches, quantity: 'stress', component: 'xx', probe: [0.3, 0.4] }),
    { code: 'OUTSIDE_TOLERANCE', details: { field: 'supports' }, message: /turn the body/ },
  );
});

/** A cantilever of length L and height 1. */
const strip = (L: number) => ({
  ...{ analysis: 'elasticity', planeType: 'stress', E: 2e11, nu: 0.3, thickness: 0.01 },
  patches: [
    {
      corners: [
        [0, 0],
        [L, 0],
        [L, 1],
        [0, 1],
      ],
      N: [L, 4],
    },
  ],
  supports: [{ on: { patch: 0, side: 'left' }, ux: 0, uy: 0 }],
  loads: [{ on: { patch: 0, side: 'right' }, total: [0, -1] }],
  ...{ quantity: 'displacement', component: 'y', probe: [L, 0.5] },
});

t.test('a strip so slender that rounding takes its bending is refused by that name', async (t) => {
  // PL³/3EI: shear adds 1.2 PL/GA, 0.02 % of it, and the clamped end takes less.
  t.ok(near(await value(strip(64)), -(64 ** 3) / (3 * 2e11 * (0.01 / 12)), 1e-3));
  const details = { field: 'patches', slenderness: Number };
  await t.rejects(value(strip(128)), { code: 'OUTSIDE_TOLERANCE', details, message: /long and thin/ });
  await t.rejects(value(strip(256)), { code: 'DID_NOT_CONVERGE', details, message: /long and thin/ });
});

t.test('a run that does not converge is refused with what slows it down', async (t) => {
  const plate = (height: number, N: number[], nu: number) => ({
    ...{ analysis: 'elasticity', planeType: 'strain', E: 1, nu, thickness: 1 },
    ...{ quantity: 'displacement', component: 'y', probe: [4, height] },
    patches: [
      {
        corners: [
          [0, 0],
          [4, 0],
          [4, height],
          [0, height],
        ],
        N,
      },
    ],
    supports: [{ on: { patch: 0, side: 'left' }, ux: 0, uy: 0 }],
    loads: [{ on: { patch: 0, side: 'right' }, total: [0, 1] }],
  });
  const accepts = [/^cells nearer to squares; the longest is 40 times/, 'nu up to 0.45'];
  await t.rejects(value(plate(0.2, [8, 16], 0.4899)), { code: 'DID_NOT_CONVERGE', details: { accepts } });
  t.ok(Number.isFinite(await value(plate(0.2, [320, 16], 0.45))));
});

t.test('a mechanism is held by the supports that its refusals name, one after the other', async (t) => {
  // A square of four bars without its diagonals, which slides, turns and shears, beside a node that nothing holds.
  const square = {
    analysis: 'truss',
    nodes: [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [3, 3],
    ],
    bars: [0, 1, 2, 3].map((i) => ({ nodes: [i, (i + 1) % 4], E: 2e11, A: 1e-3 })),
    loads: [{ on: { node: 2 }, force: [1000, 0] }],
    quantity: 'energy',
  };
  const supports: object[] = [{ on: { node: 0 }, ux: 0 }];
  for (let held = 1; held < 6; held++) {
    const { details, message } = await refusalOf(fea, { ...square, supports });
    const [, node, axis] = /holds node (\d) along (.)/.exec(String((details.accepts as string[])[0]))!;
    t.equal(details.node, Number(node));
    t.match(message, `node ${node} moves along ${axis} without a force`);
    supports.push({ on: { node: Number(node) }, [`u${axis}`]: 0 });
  }
  t.resolves(value({ ...square, supports }), 'ten displacements less four bars and six supports');
});

t.test('bars of any stiffness beside each other bear and move as statics says', async (t) => {
  // A soft bar across a stiff one, 3-4-5, pulled along itself: it lengthens by FL/EA, the stiff one bears nothing.
  const across = (EA: number) => ({
    analysis: 'truss',
    nodes: [
      [0, 0],
      [4, 3],
      [1, 7],
    ],
    bars: [
      { nodes: [0, 1], E: 2e11, A: 1 },
      { nodes: [1, 2], E: EA, A: 1 },
    ],
    supports: [{ on: { nodes: [0, 2] }, ux: 0, uy: 0 }],
    loads: [{ on: { node: 1 }, force: [-0.6, 0.8] }],
  });
  for (const EA of [2e11, 2e6, 2, 1]) {
    const moved = { quantity: 'displacement', component: 'y', probe: [4, 3] };
    t.ok(near(await value({ ...across(EA), ...moved }), (0.8 * 5) / EA, 1e-12), `y, EA = ${EA}`);
    t.ok(near(await value({ ...across(EA), quantity: 'energy' }), 2.5 / EA, 1e-12), `F²L/2EA, EA = ${EA}`);
  }
  // The same turned by supports that move, which strain neither: the force is that of the load.
  const turned = across(2);
  Object.assign(turned, {
    supports: [
      { on: { node: 0 }, ux: 0, uy: 0 },
      { on: { node: 2 }, ux: -7, uy: 1 },
    ],
    ...{ quantity: 'force', member: 1 },
  });
  t.ok(near(await value(turned), -1, 1e-12));
  // Bars that have nothing to do with each other.
  const apart = {
    analysis: 'truss',
    nodes: [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ],
    bars: [
      { nodes: [0, 1], E: 2e11, A: 1 },
      { nodes: [2, 3], E: 1e-6, A: 1 },
    ],
    supports: [
      { on: { nodes: [0, 2] }, ux: 0 },
      { on: { nodes: [0, 1, 2, 3] }, uy: 0 },
    ],
    loads: [{ on: { nodes: [1, 3] }, force: [1e-9, 0] }],
    ...{ quantity: 'displacement', component: 'x' },
  };
  t.ok(near(await value({ ...apart, probe: [1, 1] }), 1e-3, 1e-12), 'FL/EA of the soft one');
  t.ok(near(await value({ ...apart, probe: [1, 0] }), 5e-21, 1e-9), 'and of the stiff one');
});

t.test('the receipt diagnostics describe the probe line (ENV-07, ENV-08)', async (t) => {
  const { presentation } = await runJob(fea, read(square));
  const diagnostics = presentation.diagnostics as unknown as {
    masterEquation: { basis: string; closure: number; terms: Record<string, { rms: number | null }> };
    functionalEquation: { balance: { residual: number }; reflection: { warn: boolean } };
    spectralPropagator: { step: { amplification: null; reason: string }; band: { warn: boolean } };
  };
  t.equal(diagnostics.masterEquation.basis, 'solver');
  t.ok(diagnostics.masterEquation.closure < 0.05, 'the samples satisfy the equation to their resolution');
  t.equal(diagnostics.masterEquation.terms.inertia!.rms, null);
  t.ok(diagnostics.functionalEquation.balance.residual < 1e-9);
  t.notOk(diagnostics.functionalEquation.reflection.warn);
  t.notOk(diagnostics.spectralPropagator.band.warn);
  t.equal(diagnostics.spectralPropagator.step.amplification, null);
});

/** Rectangles by their lower left corner and size, in cells of a quarter, held all round. */
const tiles = (...of: readonly (readonly [x: number, y: number, width: number, height: number])[]) => ({
  ...{ analysis: 'poisson', k: 1, f: 1, supports: [{ on: 'outer', u: 0 }], quantity: 'energy' },
  patches: of.map(([x, y, width, height]) => ({
    corners: [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ],
    N: [4 * width, 4 * height],
  })),
});
const four = [
  [0, 0, 1, 1],
  [1, 0, 1, 1],
  [0, 1, 1, 1],
] as const; // prettier-ignore
/** Two nine-node elements beside each other; the first of the second may have other numbers than the last of the first. */
const pair = (own: Record<number, number>, ...more: number[][]) => ({
  ...tiles(),
  patches: undefined,
  nodes: [...Array.from({ length: 15 }, (_, n) => [(n % 5) / 2, Math.floor(n / 5) / 2]), ...more],
  elements: [[0, 2, 12, 10, 1, 7, 11, 5, 6], [2, 4, 14, 12, 3, 9, 13, 7, 8].map((n) => own[n] ?? n)],
});

t.test(
  'what a bent side leaves between two patches is a hole, and no patch may lie in another',
  async (t) => {
    const bent = (by: number) => {
      const body = tiles(...four, [1, 1, 1, 1]);
      const nine = body.patches[1]!.corners;
      nine.push([1.5, 0], [2, 0.5], [1.5, 1], [1 + by, 0.5], [1.5 + by / 2, 0.5]);
      return body;
    };
    await t.rejects(value(bent(-0.1)), {
      code: 'INVALID_INPUT',
      details: { field: 'patches[1]', accepts: /middle .* \[1, 0\.5\]/ },
    });
    await t.rejects(value(bent(1e-7)), { code: 'INVALID_INPUT' });
    const [whole, holed] = [await refusalOf(fea, bent(0.1)), await value(bent(0))];
    t.equal(whole.code, 'OUTSIDE_TOLERANCE', 'its ends are sharp');
    t.ok(near(2 * holed, 16 * 0.03514425374, 1e-3), 'a straight one joins: the series of the square, side 2');
  },
);

const patch = cook.patches![0]!;
const bare = { ...cook, loads: [] };
const truss = fea.examples[3]!.body;
const refused: readonly (readonly [title: string, body: object, code: string, field?: string])[] = [
  ['no modulus', { ...cook, E: undefined }, 'MISSING_INPUT', 'E'],
  ['no plane type', { ...cook, planeType: undefined }, 'MISSING_INPUT', 'planeType'],
  [
    'a mesh of 1e9 cells',
    { ...cook, patches: [{ ...patch, N: [32768, 32768] }] },
    'LIMIT_EXCEEDED',
    'patches',
  ],
  ['1e18 cells', { ...cook, patches: [{ ...patch, N: [1e9, 1e9] }] }, 'LIMIT_EXCEEDED', 'patches'],
  [
    'a clockwise patch',
    { ...cook, patches: [{ ...patch, corners: [...patch.corners].reverse() }] },
    'INVALID_INPUT',
    'patches[0].corners',
  ],
  ['locking', { ...cook, planeType: 'strain', nu: 0.49 }, 'INVALID_INPUT', 'nu'],
  ['ν above ½', { ...cook, nu: 0.6 }, 'INVALID_INPUT', 'nu'],
  ['a source of heat in a plate', { ...cook, f: 1 }, 'INVALID_INPUT', 'f'],
  ['a load without a kind', { ...cook, loads: [{ on: 'outer' }] }, 'MISSING_INPUT', 'loads[0]'],
  [
    'a load of two kinds',
    { ...cook, loads: [{ on: 'outer', pressure: 1, total: [1, 0] }] },
    'INVALID_INPUT',
    'loads[0]',
  ],
  ['a support that holds nothing', { ...cook, supports: [{ on: 'outer' }] }, 'MISSING_INPUT', 'supports[0]'],
  [
    'a patch that is not there',
    { ...bare, supports: [{ on: { patch: 7, side: 'left' }, ux: 0 }] },
    'INVALID_INPUT',
    'supports[0].on.patch',
  ],
  ['a probe outside', { ...cook, probe: [100, 0] }, 'INVALID_INPUT', 'probe'],
  [
    'a load where no node lies',
    { ...bare, loads: [{ on: { point: [7, 70] }, force: [1, 0] }] },
    'INVALID_INPUT',
    'loads',
  ],
  [
    'a plate that slides',
    { ...bare, supports: [{ on: { patch: 0, side: 'left' }, ux: 0 }] },
    'UNDER_CONSTRAINED',
    'supports',
  ],
  [
    'two loose patches',
    { ...cook, patches: [patch, { ...patch, corners: patch.corners.map(([x, y]) => [x! + 100, y!]) }] },
    'INVALID_INPUT',
    'patches[1]',
  ],
  [
    'a mechanism',
    { ...truss, supports: [{ on: { node: 0 }, ux: 0, uy: 0 }] },
    'UNDER_CONSTRAINED',
    'supports',
  ],
  [
    'a bar without length',
    { ...truss, bars: [{ nodes: [0, 0], E: 1, A: 1 }] },
    'INVALID_INPUT',
    'bars[0].nodes',
  ],
  ['a bar to nowhere', { ...truss, bars: [{ nodes: [0, 9], E: 1, A: 1 }] }, 'INVALID_INPUT', 'bars[0].nodes'],
  ['an unknown field', { ...cook, Enu: 1 }, 'INVALID_INPUT', 'Enu'],
  ['no analysis', { ...cook, analysis: undefined }, 'MISSING_INPUT', 'analysis'],
  ['another analysis', { ...cook, analysis: 'shell' }, 'INVALID_INPUT', 'analysis'],
  ['no supports', { ...cook, supports: undefined }, 'MISSING_INPUT', 'supports'],
  ['no quantity', { ...cook, quantity: undefined }, 'MISSING_INPUT', 'quantity'],
  ['no thickness', { ...cook, thickness: undefined }, 'MISSING_INPUT', 'thickness'],
  ['no Poisson ratio', { ...cook, nu: undefined }, 'MISSING_INPUT', 'nu'],
  ['a modulus that is no number', { ...cook, E: 'stiff' }, 'INVALID_INPUT', 'E'],
  ['a modulus that is not finite', { ...cook, E: null }, 'INVALID_INPUT', 'E'],
  ['a modulus of zero', { ...cook, E: 0 }, 'INVALID_INPUT', 'E'],
  ['a modulus in metres', { ...cook, E: { value: 1, unit: 'm' } }, 'INVALID_INPUT', 'E.unit'],
  ['a negative thickness', { ...cook, thickness: -1 }, 'INVALID_INPUT', 'thickness'],
  ['another plane', { ...cook, planeType: 'shell' }, 'INVALID_INPUT', 'planeType'],
  ['no mesh', { ...cook, patches: undefined }, 'MISSING_INPUT', 'patches'],
  ['a part of another quantity', { ...cook, component: 'vonMises' }, 'INVALID_INPUT', 'component'],
  ['no probe', { ...cook, probe: undefined }, 'MISSING_INPUT', 'probe'],
  ['bars in a plate', { ...cook, bars: [] }, 'INVALID_INPUT', 'bars'],
  [
    'a mesh that is too coarse',
    { ...cook, patches: [{ ...patch, N: [4, 4] }] },
    'OUTSIDE_TOLERANCE',
    'patches',
  ],
  ['a strip that rounding bends', strip(256), 'DID_NOT_CONVERGE', 'patches'],
  [
    'a side that meets two in a ring',
    tiles(...four, [1, 1, 1, 0.5], [1, 1.5, 1, 0.5]),
    'INVALID_INPUT',
    'patches[2]',
  ],
  [
    'a corner that is rounded',
    tiles([0, 0, 1, 1], [1 + 1e-7, 0, 1, 1]),
    'INVALID_INPUT',
    'patches[1].corners[0]',
  ],
  ['a patch twice', tiles([0, 0, 1, 1], [0, 0, 1, 1]), 'INVALID_INPUT', 'patches[1]'],
  ['a patch over another', tiles([0, 0, 1, 1], [0, 0, 1, 2]), 'INVALID_INPUT', 'patches[1]'],
  ['two nodes at one place', pair({ 12: 15 }, [1, 1]), 'INVALID_INPUT', 'nodes[15]'],
  [
    'an element over another',
    pair({ 2: 0, 4: 2, 14: 12, 12: 10, 3: 1, 9: 7, 13: 11, 7: 5, 8: 6 }),
    'INVALID_INPUT',
    'elements[1]',
  ],
  [
    'a joint that is given two displacements',
    {
      ...truss,
      supports: [
        { on: { nodes: [0, 1, 2] }, ux: 0, uy: 0 },
        { on: { node: 1 }, ux: 1e-3 },
      ],
    },
    'INVALID_INPUT',
    'supports',
  ],
  [
    'a bar that is too stiff for numbers',
    { ...truss, bars: [{ nodes: [0, 3], E: 1e200, A: 1e200 }] },
    'INVALID_INPUT',
    'bars[0]',
  ],
];

testRefusals(
  'fea',
  refused.map(([title, body, code, field]) => ({ title, body, code, ...(field && { field }) })),
);

// ---- memory ------------------------------------------------------------------------------------------------

const corners = {
  alike: [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ],
  unlike: [
    [0, 0],
    [1, 0],
    [0.9, 0.95],
    [0, 1],
  ],
};

/** Two bodies on n × m cells, of one and of two unknowns a node. */
const onCells = (shape: keyof typeof corners, N: readonly [number, number]) => {
  const patches = [{ corners: corners[shape], N }];
  const field = { k: 1, f: 1, supports: [{ on: 'outer', u: 0 }], quantity: 'u', probe: [0.5, 0.5] };
  const supports = [{ on: { patch: 0, side: 'left' }, ux: 0, uy: 0 }];
  const loads = [{ on: { patch: 0, side: 'right' }, total: [0, 1] }];
  const solid = { E: 1, nu: 0.3, thickness: 1, supports, loads, quantity: 'energy' };
  return [
    { analysis: 'poisson', patches, ...field },
    { analysis: 'elasticity', planeType: 'stress', patches, ...solid },
  ];
};

t.test('a run takes no more memory than it asks for, and little beside a matrix in compressed rows', (t) => {
  const context = { requestHash: new Uint8Array(32) };
  for (const shape of ['alike', 'unlike'] as const)
    for (const N of [
      [128, 128],
      [24, 24],
      [96, 1],
    ] as const)
      for (const body of onCells(shape, N))
        for (const run of fea.plan(read(body), context).runs) {
          const { taken } = memoryOf(run);
          t.ok(
            taken <= run.memory,
            `${body.analysis}, ${shape}, ${N}, ${run.label}: ${taken} of ${run.memory}`,
          );
        }
  // That of the finest level alone: 16 entries a node of 12 bytes.
  const matrix = 192 * 257 ** 2;
  const [alike, unlike] = (['alike', 'unlike'] as const).map(
    (shape) => fea.plan(read(onCells(shape, [128, 128])[0]), context).runs[0]!.memory,
  );
  t.ok(alike! <= 0.7 * matrix && unlike! <= 1.7 * matrix, `${alike! / matrix}, ${unlike! / matrix}`);
  t.end();
});
