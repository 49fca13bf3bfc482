import fc from 'fast-check';
import t from 'tap';
import { schrodinger } from '../../src/solvers/schrodinger.ts';
import { runKernel } from './run-job.ts';
import {
  fieldOf,
  inputOf,
  memoryOf,
  type Reference,
  refusalOf,
  solved as solvedBy,
  type Twin,
  testSolver,
} from './solver-test.ts';
import { type Stretches, testStretches } from './stretches.ts';

const electron = 9.1093837139e-31;
const eV = (value: number) => ({ value, unit: 'eV' });
const nm = (value: number) => ({ value, unit: 'nm' });
const solved = (body: object) => solvedBy(schrodinger, body);
const resultOf = async (body: object) => (await solved(body)).verdict.value;
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

const line = { mode: 'eigen1d', units: 'reduced', mass: 1, domain: [-8, 8], n: 0 };
const polynomial = (...coefficients: number[]) => ({
  type: 'polynomial',
  terms: coefficients.map((c, k) => ({ c, powers: [k] })).filter(({ c }) => c !== 0),
});
const quartic = { ...line, mass: 0.5, potential: polynomial(0, 0, 0, 0, 1), domain: [-5, 5], N: 512 };
const oscillator = { ...line, potential: { type: 'harmonic', omega: 1 }, N: 256 };
const ray = { mode: 'radial', units: 'reduced', mass: 1, domain: [0, 10], N: 512, n: 0, l: 0 };
const plane = {
  mode: 'eigen2d',
  units: 'reduced',
  mass: 1,
  potential: { type: 'harmonic', omega: 1 },
  domain: [
    [-7, 7],
    [-7.5, 7],
  ],
  N: [32, 32],
};
const swing = {
  mode: 'evolve',
  units: 'reduced',
  mass: 1,
  potential: { type: 'harmonic', omega: 1 },
  initial: { type: 'gaussian', x0: [1], sigma: 1, k0: [0.5] },
  domain: [-12, 12],
  N: 128,
  t_max: 2,
  dt: 0.005,
  quantity: 'mean',
};
const bounced = {
  mode: 'evolve',
  units: 'reduced',
  mass: 1,
  potential: { type: 'barrier', V0: 1, L: 1 },
  initial: { type: 'gaussian', x0: [-11], sigma: 1.5, k0: [1.5] },
  domain: [-48, 48],
  N: 2048,
  t_max: 8,
  quantity: 'width',
};
const rebounded = {
  ...bounced,
  potential: { type: 'morse', De: 1, a: 3, re: 0 },
  initial: { type: 'gaussian', x0: [20], sigma: 2, k0: [-2] },
  domain: [-2, 100],
  N: 1024,
  t_max: 14,
  quantity: 'mean',
};
const barrier = {
  mode: 'transmission',
  mass: electron,
  potential: { type: 'barrier', V0: eV(2), L: nm(0.3) },
  E: eV(1),
};

// ---- values --------------------------------------------------------------------------------------------

const hydrogen = {
  mode: 'radial',
  mass: 9.10442528891677e-31,
  potential: { type: 'coulomb', Z: 1 },
  domain: [0, 4e-9],
  N: 4000,
};
const yukawa = {
  ...{ mode: 'radial', units: 'reduced', mass: 1, n: 0, l: 0, domain: [0, 40] },
  potential: { type: 'formula', equation: '-exp(-r/5)/r' },
};
const YUKAWA = -0.32680851;
type Known = [string, object, number, number, string];
const morse = { ...line, potential: { type: 'morse', De: 12.5, a: 1, re: 0 }, n: 2 };
const known: Known[] = [
  ...(
    [
      ['whose wall rises to 10³²', { domain: [-36, 14], N: 2048 }],
      ['whose wall is beyond all numbers', { domain: [-400, 14], N: 32768 }],
      ['whose wall rises to 10³², by sines', { domain: [-36, 14], N: 512, scheme: 'dvr' }],
    ] as const
  ).map(
    ([domain, more]): Known => [
      `a Morse level in a domain ${domain}`,
      { ...morse, ...more },
      12.5 - (5 - 2.5) ** 2 / 2,
      1e-5,
      'Morse, Phys. Rev. 34 (1929) 57',
    ],
  ),
  [
    'a packet that a barrier sends back',
    bounced,
    3.0419,
    5e-5,
    'NumPy, 4000 sines, V a mean over their cells',
  ],
  [
    'a packet that the wall of a Morse potential sends back, in steps of its own choice',
    rebounded,
    7.44077208,
    2e-5,
    'Gauss–Lobatto elements of degree 12 in SciPy, all 1057 levels',
  ],
  [
    'a Yukawa potential in a wide domain',
    { ...yukawa, domain: [0, 60] },
    YUKAWA,
    1e-6,
    'Rogers et al., Phys. Rev. A 1 (1970) 1577',
  ],
  ['a Yukawa potential, 1/δ = 5', yukawa, YUKAWA, 1e-6, 'Rogers et al., Phys. Rev. A 1 (1970) 1577'],
  [
    'its second level, in a wide domain',
    { ...yukawa, n: 1, domain: [0, 70] },
    -0.0121078652,
    1e-6,
    'SciPy, 40 functions of Laguerre',
  ],
  [
    'the second level for 1/δ = 20',
    {
      ...yukawa,
      n: 1,
      domain: [0, 100],
      N: 32768,
      potential: { type: 'formula', equation: '-exp(-r/20)/r' },
    },
    -0.0817712,
    1e-6,
    'SciPy, 40 functions of Laguerre',
  ],
  [
    'a line beside 1/r',
    { ...yukawa, domain: [0, 30], potential: { type: 'formula', equation: 'r - 1/2/r' } },
    1.27845324,
    1e-6,
    'SciPy, 40 functions of Laguerre',
  ],
  [
    'infinite well of 1 nm',
    { mode: 'eigen1d', mass: electron, potential: { type: 'infinite-well', L: nm(1) }, n: 0 },
    0.37603016210487,
    1e-8,
    'π²ħ²/2mL², CODATA 2022',
  ],
  [
    'second level of the finite well',
    {
      mode: 'eigen1d',
      mass: electron,
      potential: { type: 'finite-well', V0: eV(10), L: nm(1) },
      domain: [-2e-9, 2e-9],
      N: 8192,
      n: 1,
    },
    1.1862653920122,
    1e-4,
    '−z cot z = √(z₀² − z²), by bisection',
  ],
  [
    'ground state of p² + x⁴',
    quartic,
    1.060362090484,
    1e-6,
    'Banerjee et al., Proc. R. Soc. A 360 (1978) 575',
  ],
  [
    'lowest level of the other well, whose two nodes lie in rounding',
    {
      ...{ mode: 'eigen1d', units: 'reduced', mass: 1.9025289579799969, domain: [-13, 13], n: 2 },
      potential: polynomial(0, 0, -1.117070242305363, 0.009033235825835597, 0.021318186497331686),
    },
    -12.7275575017129,
    1e-6,
    'sinc functions on 700 points (numpy)',
  ],
  ['first level of p² + x⁴', { ...quartic, n: 1 }, 3.799673029801, 1e-6, 'Banerjee et al. (1978)'],
  [
    'p² + x⁴ by the DVR',
    { ...quartic, scheme: 'dvr', N: 128, n: 1 },
    3.799673029801,
    1e-10,
    'Banerjee et al. (1978)',
  ],
  [
    'p²/2 + x²/2 + x⁴/10',
    { ...line, potential: polynomial(0, 0, 0.5, 0, 0.1), domain: [-6, 6] },
    0.55914633,
    1e-7,
    'Hioe & Montroll, J. Math. Phys. 16 (1975) 1945',
  ],
  [
    'ground state of p² + x⁴ as a formula of its own',
    { ...quartic, potential: { type: 'formula', equation: 'x^4' } },
    1.060362090484,
    1e-6,
    'Banerjee et al. (1978)',
  ],
  [
    'second level of a Pöschl–Teller well as a formula in LaTeX',
    {
      ...line,
      potential: {
        type: 'formula',
        equation: '-\\frac{\\lambda(\\lambda + 1)}{2\\cosh^2(a x)}',
        parameters: { lambda: 2, a: 1 },
      },
      domain: [-20, 20],
      n: 1,
    },
    -0.5,
    1e-6,
    '−a²(λ − n)²/2',
  ],
  [
    'ground state of an electron in a Morse well as a formula with units',
    {
      mode: 'eigen1d',
      mass: electron,
      potential: {
        type: 'formula',
        equation: 'D*(1 - exp(-a*(x - c)))^2',
        parameters: { D: eV(5), a: { value: 10, unit: '1/nm' }, c: nm(0.3) },
      },
      domain: [0, 3e-9],
      N: 4096,
      n: 0,
    },
    3.412124794215184,
    1e-6,
    'ħω/2 − (ħω/2)²/4D with ħω = ħa√(2D/m), mpmath',
  ],
  ...[0, 4].map(
    (n): Known => [
      `level ${n} of x²/2 + 1/x² up to the wall at 0`,
      { ...line, potential: { type: 'formula', equation: 'x^2/2 + 1/x^2' }, domain: [0, 10], n },
      2 * n + 2.5,
      1e-5,
      '2n + 1 + √(1/4 + 2c), Calogero, J. Math. Phys. 10 (1969) 2191',
    ],
  ),
  ...[-27.2978541278, -4.4115193176].map(
    (level, n): Known => [
      `level ${n} of a Lennard-Jones well between near walls`,
      {
        ...line,
        potential: { type: 'formula', equation: '200*(x^-12 - x^-6)' },
        domain: [0.7, 5],
        N: 2048,
        n,
      },
      level,
      1e-6,
      'Chebyshev collocation with 320 points on [0.75, 9], NumPy',
    ],
  ),
  [
    'hydrogen by a formula of r',
    {
      mode: 'radial',
      units: 'reduced',
      mass: 1,
      potential: { type: 'formula', equation: '-1/r' },
      domain: [0, 80],
      N: 16000,
      n: 1,
      l: 1,
    },
    -1 / 18,
    1e-5,
    '−1/2(n + l + 1)²',
  ],
  [
    'the Hénon–Heiles ground state by a formula of x and y',
    {
      mode: 'eigen2d',
      units: 'reduced',
      mass: 1,
      potential: {
        type: 'formula',
        equation: '(x^2 + y^2)/2 + k*(x^2*y - y^3/3)',
        parameters: { k: 0.111803 },
      },
      domain: [
        [-7, 7],
        [-7, 7],
      ],
      N: [32, 32],
      n: 0,
    },
    0.99859478,
    1e-6,
    'as the example of the polynomial',
  ],
  [
    'the 31st level of a square box, far below the last sine of its grid',
    {
      ...{ mode: 'eigen2d', units: 'reduced', mass: 1 },
      ...{ potential: { type: 'infinite-well', L: 1 }, N: [48, 48], n: 30 },
    },
    25 * Math.PI ** 2,
    1e-9,
    'π²(5² + 5²)/2',
  ],
  [
    'a stiff well across a soft one, V up to 2000',
    {
      ...{ mode: 'eigen2d', units: 'reduced', mass: 1, N: [48, 128], n: 0 },
      potential: {
        type: 'polynomial',
        terms: [
          { c: 2000, powers: [2, 0] },
          { c: 0.5, powers: [0, 2] },
        ],
      },
      domain: [
        [-1, 1],
        [-8.5, 8.5],
      ],
    },
    (Math.sqrt(4000) + 1) / 2,
    1e-7,
    'ħ(ω₁ + ω₂)/2',
  ],
  [
    'second level of a Pöschl–Teller well, λ = 2',
    { ...line, potential: { type: 'poschl-teller', a: 1, lambda: 2 }, domain: [-20, 20], n: 1 },
    -0.5,
    1e-6,
    '−a²(λ − n)²/2',
  ],
  [
    'third level of a Morse well',
    { ...line, potential: { type: 'morse', De: 12.5, a: 1, re: 0 }, domain: [-2.5, 14], n: 2 },
    12.5 - (5 - 2.5) ** 2 / 2,
    1e-5,
    'Morse, Phys. Rev. 34 (1929) 57',
  ],
  [
    'hydrogen 1s about a nucleus that stays',
    { ...hydrogen, mass: electron, domain: [0, 1.5e-9], N: 2000, l: 0, n: 0 },
    -13.60569312299,
    1e-7,
    '−hcR∞, CODATA 2022',
  ],
  [
    'hydrogen 1s',
    { ...hydrogen, domain: [0, 1.5e-9], N: 2000, l: 0, n: 0 },
    -13.598287264283,
    1e-7,
    '−hcR∞ with the reduced mass, CODATA 2022',
  ],
  ['hydrogen 2p', { ...hydrogen, l: 1, n: 0 }, -13.598287264283 / 4, 1e-5, '−hcR∞/n² with the reduced mass'],
  ['hydrogen 3s', { ...hydrogen, domain: [0, 6e-9], l: 0, n: 2 }, -13.598287264283 / 9, 1e-5, '−hcR∞/n²'],
  [
    'oscillator in space, n = 1, l = 2',
    { ...ray, potential: { type: 'harmonic', omega: 1 }, n: 1, l: 2 },
    5.5,
    1e-5,
    'ħω(2n + l + 3/2)',
  ],
  [
    'the same as a polynomial, without a closed form',
    { ...ray, potential: polynomial(0, 0, 0.5), l: 1 },
    2.5,
    1e-5,
    'ħω(l + 3/2)',
  ],
  [
    'spherical box, l = 1',
    { ...ray, potential: { type: 'infinite-well', L: 2 }, domain: undefined, l: 1 },
    4.493409457909064 ** 2 / 2,
    1e-5,
    'zero of j₁ = root of tan x = x',
  ],
  ['two-fold level in the plane', { ...plane, n: 1 }, 2, 1e-7, 'ħω(k + 1)'],
  ['its twin', { ...plane, n: 2 }, 2, 1e-7, 'ħω(k + 1)'],
  ['a three-fold one', { ...plane, n: 5 }, 3, 1e-6, 'ħω(k + 1)'],
  [
    'square box, the (2, 2) level',
    { mode: 'eigen2d', units: 'reduced', mass: 1, potential: { type: 'infinite-well', L: 1 }, N: 24, n: 3 },
    4 * Math.PI ** 2,
    1e-8,
    'π²(i² + j²)/2L²',
  ],
  ['mean of an oscillating packet', swing, Math.cos(2) + 0.5 * Math.sin(2), 1e-4, 'Ehrenfest'],
  [
    'its width',
    { ...swing, quantity: 'width' },
    Math.hypot(Math.cos(2), 0.5 * Math.sin(2)),
    1e-4,
    'Schrödinger 1926',
  ],
  [
    'its energy',
    { ...swing, quantity: 'energy' },
    0.5 * (0.25 + 0.25) + 0.5 * 2,
    1e-4,
    'k₀²/2 + 1/8σ² + (x₀² + σ²)/2',
  ],
  [
    'a transparent well',
    { ...barrier, units: 'reduced', mass: 1, potential: { type: 'poschl-teller', a: 1, lambda: 1 }, E: 0.5 },
    1,
    1e-8,
    'reflectionless for whole λ',
  ],
];
const references: Reference[] = known.map(([title, body, expect, tolerance, source]) => ({
  title,
  body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
  expect,
  tolerance,
  source,
}));

t.test('a table of x²/2 is an oscillator to the accuracy of its spline', async (t) => {
  const x = Array.from({ length: 401 }, (_, i) => -10 + i / 20);
  const body = {
    ...line,
    N: 512,
    potential: { type: 'table', x, V: x.map((each) => each * each * 0.5) },
    n: 2,
  };
  t.ok(relative(await resultOf(body), 2.5) < 1e-5);
});

t.test('a packet in the plane moves and spreads along x as on a line', async (t) => {
  const initial = { type: 'gaussian', x0: [1, -1], sigma: 1, k0: [0.5, 0] };
  const range = [-9, 9];
  const body = { ...swing, initial, domain: [range, range], N: 64, dt: 0.02 };
  t.ok(relative(await resultOf(body), Math.cos(2) + 0.5 * Math.sin(2)) < 1e-3);
  t.ok(
    relative(await resultOf({ ...body, quantity: 'width' }), Math.hypot(Math.cos(2), 0.5 * Math.sin(2))) <
      1e-3,
  );
});

t.test('a second run from the final state of a first one is one run', async (t) => {
  const body = { ...swing, potential: polynomial(0, 0, 0.5, 0, 0.1), N: 256, integrator: 'suzuki', dt: 0.01 };
  const { initial: _, ...rest } = body;
  const { finalState } = (await solved(body)).presentation.outputs;
  const twice = await solved({ ...rest, initialState: finalState });
  const whole = await solved({ ...body, t_max: 4 });
  t.ok(Math.abs(twice.verdict.value - whole.verdict.value) < 1e-7);
  t.equal((twice.presentation.outputs.finalState as { t0: number }).t0, 4);
});

t.test('fields go from end to end of the grid and of the time', async (t) => {
  const level = await solved({ ...oscillator, n: 1 });
  t.strictSame([fieldOf(level, 'x')[0], fieldOf(level, 'x').at(-1)], [-8, 8]);
  t.strictSame([fieldOf(level, 'psi')[0], fieldOf(level, 'psi').at(-1)], [0, 0]);
  const packet = await solved(swing);
  t.strictSame([fieldOf(packet, 't')[0], fieldOf(packet, 't').at(-1)], [0, 2]);
  t.equal(fieldOf(packet, 'mean').at(-1), packet.verdict.value);
  const { finalState } = packet.presentation.outputs as { finalState: { psiIm: number[] } };
  t.equal(fieldOf(packet, 'psiIm').at(-1), finalState.psiIm.at(-1));
});

t.test('too few intervals are refused with as many as do, and wide domains are sealed', async (t) => {
  const rows: [object, number][] = [
    [{ ...oscillator, domain: [-100, 100], N: 512 }, 0.5],
    [{ ...oscillator, domain: [-40, 40], scheme: 'dvr' }, 0.5],
  ];
  for (const [body, expect] of rows) {
    const { field, accepts } = (await refusalOf(schrodinger, body)).details;
    t.equal(field, 'N');
    const N = Number((accepts as string).replace('N = ', ''));
    t.ok(relative(await resultOf({ ...body, N }), expect) < 1e-3, `${N}`);
  }
});

t.test('a level whose grid is too coarse for counts is counted on a finer one', async (t) => {
  const terms = [
    [2, 0],
    [0, 2],
    [4, 0],
    [0, 4],
  ].map((powers, i) => ({ c: i < 2 ? 0.5 : 0.05, powers }));
  const body = {
    ...{ mode: 'eigen2d', units: 'reduced', mass: 1, N: 32, potential: { type: 'polynomial', terms } },
    domain: [
      [-7.5, 7.5],
      [-7.5, 7.5],
    ],
  };
  // Sums of two levels of p²/2 + x²/2 + x⁴/20: numpy, 180 oscillators.
  for (const [n, expect, runs] of [
    [2, 2.186078761348404, 3],
    [3, 3.306872013153091, 4],
  ] as const) {
    const { verdict, finished } = await solved({ ...body, n });
    t.ok(relative(verdict.value, expect) < 1e-9, `${verdict.value}`);
    t.equal(finished.length, runs, 'sines, counts, and the verdict');
  }
});

t.test('an oscillator has steps in which its packet comes where it should', async (t) => {
  const body = { ...swing, domain: [-16, 16], initial: { ...swing.initial, x0: [3], sigma: 0.7 }, t_max: 30 };
  const { dt: _, ...open } = body;
  // x₀ cos t + k₀ sin t
  const expect = 3 * Math.cos(30) + 0.5 * Math.sin(30);
  t.ok(Math.abs((await resultOf(open)) - expect) < 1e-3 * 0.7);
  const { code, details } = await refusalOf(schrodinger, { ...body, dt: 30 / 1024 });
  t.match({ code, gate: details.gate }, { code: 'OUTSIDE_TOLERANCE', gate: 'mean' });
});

t.test('a level in a wide plane is refused with the N or the domain that do', async (t) => {
  // x²/2 + y²/2 + g x²y²: numpy, 44² products of oscillators.
  const coupled = (g: number, n: number) => ({
    ...{ mode: 'eigen2d', units: 'reduced', mass: 1, n },
    domain: [
      [-9, 9],
      [-9, 9],
    ],
    potential: {
      type: 'polynomial',
      terms: [
        { c: 0.5, powers: [2, 0] },
        { c: 0.5, powers: [0, 2] },
        { c: g, powers: [2, 2] },
      ],
    },
  });
  const asked = { ...coupled(0.1, 3), N: 36 };
  const { details } = await refusalOf(schrodinger, asked);
  t.match(details, { gate: 'counts', field: 'N', accepts: /^N = \[82, 82\]/ });
  t.ok(relative(await resultOf({ ...asked, N: [82, 82] }), 3.06887041) < 1e-8);
  const [, domain] = /such as (.*)$/.exec(String(details.accepts))!;
  t.ok(relative(await resultOf({ ...asked, domain: JSON.parse(domain!) }), 3.06887041) < 1e-8);
  t.ok(relative(await resultOf(coupled(0.3, 7)), 4.31403656) < 1e-8, 'counted on a finer grid');
});

t.test('walls are worth what they move the level of a confined oscillator by', async (t) => {
  const body = { ...oscillator, domain: [-3, 3] };
  const { code, details } = await refusalOf(schrodinger, body);
  t.match({ code, field: details.field }, { code: 'INVALID_INPUT', field: 'domain' });
  // E of ₁F₁((1/2 − E)/2; 1/2; 9) = 0 by mpmath, over E − V_min
  t.ok(relative(details.measured as number, (0.50039108292975 - 0.5) / 0.5) < 0.01);
});

// ---- laws ----------------------------------------------------------------------------------------------

t.test('levels are orthogonal, and ψ_n has n nodes', async (t) => {
  const states: Float64Array[] = [];
  for (const n of [0, 1, 2, 3]) states.push(fieldOf(await solved({ ...quartic, n }), 'psi'));
  states.forEach((psi, n) => {
    const most = Math.max(...psi.map(Math.abs));
    const shown = psi.filter((each) => Math.abs(each) > 1e-6 * most);
    const turns = shown.filter((each, i) => i > 0 && each * shown[i - 1]! < 0).length;
    t.equal(turns, n, `ψ of level ${n} turns its sign ${turns} times`);
    t.ok(psi.find((each) => Math.abs(each) > 0.1 * most)! > 0, `and is positive where it is first seen`);
  });
  const h = 10 / 512;
  const product = (a: Float64Array, b: Float64Array) =>
    a.reduce((sum, value, i) => sum + value * b[i]!, 0) * h;
  states.forEach((a, i) => {
    states.forEach((b, j) => {
      t.ok(Math.abs(product(a, b) - (i === j ? 1 : 0)) < 1e-6, `${i}, ${j}`);
    });
  });
});

t.test('the virial theorem holds: 2⟨T⟩ = k⟨V⟩ for V ∝ x^k', async (t) => {
  for (const [potential, k] of [
    [polynomial(0, 0, 1), 2],
    [polynomial(0, 0, 0, 0, 1), 4],
    [polynomial(0, 0, 0, 0, 0, 0, 1), 6],
  ] as const) {
    const { kinetic, potential: V } = (await solved({ ...quartic, domain: [-7, 7], potential, n: 1 }))
      .presentation.outputs;
    t.ok(relative((2 * (kinetic as number)) / (V as number), k) < 1e-4, `k = ${k}`);
  }
});

t.test('levels of c x⁴ grow as c^(1/3) m^(−2/3)', async () => {
  const size = fc.double({ min: 0.3, max: 3, noNaN: true });
  await fc.assert(
    fc.asyncProperty(size, size, async (c, mass) => {
      const reach = 5 / Math.cbrt(Math.sqrt(c * mass * 2));
      const body = { ...quartic, mass, potential: polynomial(0, 0, 0, 0, c), domain: [-reach, reach] };
      return relative(await resultOf(body), 1.060362090484 * Math.cbrt(c / (4 * mass * mass))) < 1e-6;
    }),
    { numRuns: 5 },
  );
});

t.test('norm and energy stay in any polynomial well', async () => {
  const size = fc.double({ min: -0.5, max: 0.5, noNaN: true });
  await fc.assert(
    fc.asyncProperty(size, size, size, async (x0, k0, cubic) => {
      const initial = { type: 'gaussian', x0: [x0], sigma: 0.7, k0: [k0] };
      const { outputs } = (
        await solved({ ...swing, initial, potential: polynomial(0, 0, 0.5, 0.1 * cubic, 0.1) })
      ).presentation;
      return Math.abs((outputs.norm as number) - 1) < 1e-12 && (outputs.energyDriftPct as number) < 0.01;
    }),
    { numRuns: 4 },
  );
});

// ---- order and twins -----------------------------------------------------------------------------------

t.test(
  'the error of the sine DVR falls faster than any power: 50 times and more with every four nodes',
  async (t) => {
    const errors = [16, 20, 24, 28, 32].map((N) => {
      const input = inputOf(schrodinger, { ...quartic, scheme: 'dvr', N });
      const { runs } = schrodinger.plan(input, { requestHash: new Uint8Array(32) });
      const { kernel, parts, stepsPerSegment } = runs.find((run) => run.kernel === 'schrodinger-dvr')!;
      const { result } = runKernel(kernel, (parts[0] as { bytes: Uint8Array }).bytes, stepsPerSegment);
      // Level n of p² + x⁴, 16 digits: Banerjee et al. (1978).
      return Math.abs(new Float64Array(result.slice().buffer)[0]! / 1.060362090484183 - 1);
    });
    t.ok(errors[0]! > 1e-5, 'which a coarse grid has');
    errors.slice(1).forEach((error, i) => {
      t.ok(error < errors[i]! / 50, `${errors}`);
    });
  },
);

const levelError = async (N: number) => (await resultOf({ ...oscillator, N })) / 0.5 - 1;
const swingError = async (integrator: string, dt: number) => {
  const body = { ...swing, t_max: 8, integrator, dt };
  return Math.abs((await resultOf(body)) - (Math.cos(8) + 0.5 * Math.sin(8)));
};

const twins: Twin[] = [
  {
    title: 'powers of a formula that are one too high',
    body: { ...quartic, potential: { type: 'formula', equation: 'x^4' } },
    file: 'assembly/expression/point.ts',
    find: 'powerOf(leftOf(at), load<i32>(at, 20))',
    replace: 'powerOf(leftOf(at), load<i32>(at, 20) + 2)',
  },
  {
    title: 'half of Numerov’s weight',
    body: oscillator,
    find: '(at(v, i) - e) / 6.0',
    replace: '(at(v, i) - e) / 12.0',
  },
  {
    title: 'a potential twice as deep',
    body: quartic,
    file: 'assembly/quantum/problem.ts',
    find: 'let term = parameterF64(at);',
    replace: 'let term = 2.0 * parameterF64(at);',
  },
  {
    title: 'the state of another level',
    body: quartic,
    find: 'writeState(field(16), out',
    replace: 'writeState(field(24), out',
  },
  {
    title: 'a wrong sign among the sines',
    kernel: 'schrodinger-dvr',
    body: quartic,
    file: 'assembly/quantum/sines.ts',
    find: '<f64>(i - j)) - inverse',
    replace: '<f64>(i - j)) + inverse',
  },
  {
    title: 'motion along y left out',
    kernel: 'schrodinger-plane',
    body: { ...plane, n: 1 },
    find: 'ty = kinetic(ny, (width / height) * (width / height));',
    replace: 'ty = kinetic(ny, 0.0);',
  },
  {
    title: 'a filter that raises the top of the spectrum',
    kernel: 'schrodinger-plane',
    body: { ...plane, n: 1 },
    find: 'middle = 0.5 * (top + edge);',
    replace: 'middle = 0.5 * (floor + edge);',
  },
  {
    title: 'a whole step of the potential for half of it',
    kernel: 'schrodinger-evolve',
    body: swing,
    find: 'half = 0.5 * tau',
    replace: 'half = tau',
  },
  {
    title: 'a kinetic energy twice as large',
    kernel: 'schrodinger-evolve',
    body: { ...swing, initial: { ...swing.initial, sigma: 0.7 }, potential: polynomial(0, 0, 0.5, 0, 0.1) },
    find: 'return 0.5 * tau(which) * 4.0',
    replace: 'return tau(which) * 4.0',
  },
  {
    title: 'a barrier as wide as the nodes in it',
    kernel: 'schrodinger-evolve',
    body: bounced,
    file: 'assembly/quantum/problem.ts',
    find: 'return parameterF64(32) * insideOf(x, h);',
    replace: 'return insideOf(x, h) > 0.5 ? parameterF64(32) : 0.0;',
  },
  {
    title: 'a barrier of another width',
    kernel: 'schrodinger-transmission',
    body: barrier,
    file: 'assembly/quantum/problem.ts',
    find: 'const half = 0.5 * parameterF64(24);',
    replace: 'const half = 0.4 * parameterF64(24);',
  },
];

// ---- a job in parts -----------------------------------------------------------------------------------

const nodes = Array.from({ length: 41 }, (_, i) => i - 20);
const parabola = { type: 'table', x: nodes, V: nodes.map((x) => (x * x) / 20) };
const stretches: readonly Stretches[] = [
  ...[
    ['a free packet', { potential: { type: 'free' }, integrator: 'strang', quantity: 'width' }],
    ['an oscillator', { potential: { type: 'harmonic', omega: 1 }, integrator: 'suzuki', quantity: 'mean' }],
    [
      'a quartic well',
      {
        potential: { type: 'polynomial', terms: [{ c: 0.05, powers: [4] }] },
        integrator: 'strang',
        quantity: 'energy',
      },
    ],
    ['a table', { potential: parabola, integrator: 'strang', quantity: 'mean' }],
  ].map(
    ([title, physics]): Stretches => ({
      title: `${title}`,
      body: {
        mode: 'evolve',
        units: 'reduced',
        mass: 1,
        ...(physics as object),
        domain: [-20, 20],
        N: 256,
        initial: { type: 'gaussian', x0: [1], sigma: 0.75, k0: [0.5] },
        dt: 1 / 512,
      },
      end: 't_max',
      start: ['initial'],
      ends: [0.5, 1, 2],
      uneven: 1.3,
      tolerance: 1e-5,
      // Behind the extremes of what is conserved, which are taken at the rows: ψ.
      own: (result) => result.subarray(80 + 32 + 48),
      runs: title === 'a table' ? 4 : 3,
      ownGates: ['norm', 'energy', 'free packet'],
      ...(title === 'a free packet' && {
        notInTime: {
          title: 'a level',
          body: {
            ...{ mode: 'eigen1d', units: 'reduced', mass: 1, domain: [-8, 8], n: 0 },
            potential: { type: 'harmonic', omega: 1 },
          },
        },
        refused: {
          ...{ mode: 'eigen1d', units: 'reduced', mass: 1, domain: [-8, 8], N: 128, n: 0 },
          potential: { type: 'formula', equation: 'x^2/2 + 1000*exp(-((x - 0.3337)/0.0002)^2)' },
        },
        fault: {
          kernel: 'schrodinger-evolve',
          find: 'tauStep = (parameterF64(168) - beginning()) *',
          replace: 'tauStep = parameterF64(168) *',
        },
      }),
    }),
  ),
];

testStretches(schrodinger, stretches);

// ---- memory --------------------------------------------------------------------------------------------

t.test(
  'packets take little beside their state where they are large, and no more than they ask for',
  async (t) => {
    const packet = { ...swing, dt: undefined, t_max: 1e-3, initial: { ...swing.initial, sigma: 2 } };
    const axis = [-12, 12];
    const inPlane = { domain: [axis, axis], initial: { ...packet.initial, x0: [1, 0], k0: [0.5, 0] } };
    const cases: [object, number][] = [
      [{ ...packet, N: 65_536 }, 1.78],
      [{ ...packet, N: 262_144 }, 1.57],
      [{ ...packet, N: 64, integrator: 'suzuki' }, Infinity],
      [{ ...packet, ...inPlane, N: [256, 256] }, 1.8],
      [{ ...packet, ...inPlane, N: [64, 128], integrator: 'suzuki' }, Infinity],
    ];
    for (const [body, most] of cases) {
      const input = inputOf(schrodinger, { ...body, dt: 1e-3 / 128 });
      const [run] = schrodinger.plan(input, { requestHash: new Uint8Array(32) }).runs;
      const { taken, state } = memoryOf(run!);
      t.ok(taken <= run!.memory && run!.memory <= most * state, `${taken}, ${run!.memory}, ${state}`);
    }
  },
);

testSolver(schrodinger, {
  references,
  orders: [
    {
      title: 'Numerov, oscillator, 64 and 128 intervals',
      theory: 4,
      errors: async () => [await levelError(64), await levelError(128)],
    },
    {
      title: 'Strang, oscillator',
      theory: 2,
      errors: async () => [await swingError('strang', 1 / 32), await swingError('strang', 1 / 64)],
    },
    {
      title: 'Suzuki, oscillator',
      theory: 4,
      errors: async () => [await swingError('suzuki', 1 / 16), await swingError('suzuki', 1 / 32)],
    },
  ],
  twins,
});
