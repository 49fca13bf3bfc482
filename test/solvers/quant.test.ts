import fc from 'fast-check';
import t from 'tap';
import { Layout } from '../../src/solvers/layout.ts';
import { quant } from '../../src/solvers/quant.ts';
import { driveRun, instantiateKernel, RunInProgress } from '../../workers/kernel-host.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { kernelDigest, kernelModule, runJob, runKernel } from './run-job.ts';
import { fieldOf, inputOf, type Reference, refusalOf, solved, type Twin, testSolver } from './solver-test.ts';
import { refusalOfTwin } from './twin-job.ts';

const option = (type: string, right: string, more: object = {}) => ({
  mode: 'option',
  type,
  right,
  S0: 100,
  K: 100,
  r: 0.05,
  sigma: 0.2,
  T: 1,
  ...more,
});
const qubit = (type: string, more: object) => ({ mode: 'qubit', type, ...more });
const european = option('european', 'call');
const hull = { S0: 42, K: 40, r: 0.1, T: 0.5 };
const asian = { fixings: 12, seed: 3 };
const barrier = { barrier: 85, K: 110, q: 0.02 };
const pulse = qubit('rabi', { Omega: 2e6 * Math.PI, Delta: 1e6 * Math.PI, t_max: 0.7e-6 });

const own = (payoff: string, more: object = {}) => ({
  ...{ mode: 'option', type: 'payoff', S0: 100, r: 0.05, sigma: 0.2, T: 1, payoff },
  ...more,
});

const prices: [string, object, number, string][] = [
  [
    'a digital call whose strike is within a few deviations that are small beside the spot',
    option('digital', 'call', { payout: 1, K: 100.005, r: 0, sigma: 0.001, T: 0.01 }),
    0.3085243362536185,
    'e^{−rT} N(d₂), SciPy',
  ],
  [
    'a call as a payoff of its own',
    own('max(S - 100, 0)'),
    10.4505835721856,
    'Black–Scholes–Merton, 25 digits',
  ],
  [
    'a power of the price',
    own('S^2/N', { parameters: { N: 100 } }),
    109.4174283705211,
    'moments of the law, 20 digits',
  ],
  [
    'a squared logarithm, in LaTeX',
    own('N\\ln(S/B)^2', {
      parameters: { N: { value: 1000, unit: 'currency' }, B: { value: 100, unit: 'currency' } },
    }),
    38.9052834620792,
    'moments of the law, 20 digits',
  ],
  [
    'a digital put as a payoff of its own',
    own('10*min(1, floor(B/S))', { q: 0.02, parameters: { B: 110 } }),
    6.327071756474808,
    'mpmath, quadrature of the density',
  ],
  [
    'an arithmetic Asian call of its own',
    own('max(A - 100, 0)', { fixings: 12, seed: 3 }),
    6.155897,
    'as the arithmetic Asian of twelve fixings',
  ],
  [
    'a geometric Asian call of its own',
    own('max(G - 100, 0)', { fixings: 12, seed: 42 }),
    5.9402002216335,
    'Kemna & Vorst’s formula for discrete fixings, 25 digits',
  ],
  ['a call that is owed', own('-max(S - 100, 0)'), -10.4505835721856, 'Black–Scholes–Merton, 25 digits'],
  [
    'a logarithm below its strike',
    own('N*ln(S/B)', { parameters: { N: { value: 100, unit: 'currency' }, B: 110 } }),
    -6.212496474930609,
    'moments of the law, 30 digits',
  ],
  [
    'a geometric less an arithmetic mean',
    own('G - 1.1*A', { fixings: 4 }),
    -10.131006309342313,
    'moments of the law, 30 digits',
  ],
  ['European put', option('european', 'put'), 5.57352602225697, 'Black–Scholes–Merton, 25 digits'],
  ['Hull’s call', option('european', 'call', hull), 4.75942239287153, 'Hull, example 15.6'],
  ['Hull’s put', option('european', 'put', hull), 0.808599372900094, 'Hull, example 15.6'],
  ['with dividends', option('european', 'call', { ...hull, q: 0.03 }), 4.282311773273231, 'mpmath'],
  [
    'digital put',
    option('digital', 'put', { K: 110, payout: 10, q: 0.02 }),
    6.327071756474808,
    'mpmath, quadrature of the density',
  ],
  [
    'down-and-out put',
    option('down-out', 'put', barrier),
    2.677495740509531,
    'mpmath, density with its image',
  ],
  [
    'down-and-out call, strike below the barrier',
    option('down-out', 'call', { K: 80, barrier: 90 }),
    17.06011462242504,
    'mpmath, density with its image',
  ],
  [
    'arithmetic Asian, two fixings',
    option('asian-arithmetic', 'call', { fixings: 2 }),
    8.111182976358281,
    'mpmath, nested quadrature',
  ],
  [
    'arithmetic Asian, twelve fixings',
    option('asian-arithmetic', 'call', asian),
    6.155897,
    'NumPy, 2e7 plain paths with control: ± 8e-5',
  ],
];
const greeks: [string, number][] = [
  ['delta', 0.636830651175619],
  ['vega', 37.5240346916938],
];
const gate = (name: string, targets: number[], more: object = {}) => ({ gate: name, targets, ...more });
const ghz = [gate('h', [0]), gate('x', [1], { controls: [0] }), gate('x', [2], { controls: [0] })];
const amplitudes: [string, object, number, string][] = [
  ['Grover, 3 qubits, 2 steps', qubit('grover', { n: 3, k: 2 }), 0.9453125, '121/128'],
  ['Grover, no step', qubit('grover', { n: 4, k: 0 }), 0.0625, '1/16'],
  ['Grover, one qubit', qubit('grover', { n: 1, k: 5 }), 0.5, 'sin²(11π/4)'],
  ['GHZ', qubit('circuit', { n: 3, gates: ghz, outcome: '111' }), 0.5, 'GHZ state'],
  ['a pulse of no length', { ...pulse, t_max: 0 }, 0, 'the start'],
  [
    'rotations: sin²(0.35) cos²(0.45)',
    qubit('circuit', {
      n: 2,
      gates: [
        gate('rx', [0], { angle: 0.7 }),
        gate('ry', [1], { angle: 0.9 }),
        gate('rz', [0], { angle: 2 }),
      ],
      outcome: '10',
    }),
    Math.sin(0.35) ** 2 * Math.cos(0.45) ** 2,
    'Nielsen & Chuang §4.2',
  ],
  [
    'phases between two Hadamards: cos²(5π/16 + 0.3/2)',
    qubit('circuit', {
      n: 1,
      gates: [
        gate('h', [0]),
        gate('s', [0]),
        gate('t', [0]),
        gate('p', [0], { angle: 0.3 - Math.PI / 8 }),
        gate('h', [0]),
      ],
      outcome: '0',
    }),
    Math.cos((5 * Math.PI) / 16 + 0.15) ** 2,
    'Nielsen & Chuang §4.2',
  ],
];

const references: Reference[] = [
  ...prices.map(([title, body, expect, source]) => ({ title, body, expect, tolerance: 5e-4, source })),
  ...greeks.map(([of, expect]) => ({
    title: `${of} of a European call`,
    body: european,
    of,
    expect,
    tolerance: 1e-3,
    source: 'Black–Scholes–Merton, 25 digits',
  })),
  ...amplitudes.map(([title, body, expect, source]) => ({
    title,
    body,
    expect,
    tolerance: 1e-12,
    scale: 1,
    source,
  })),
];

// ---- laws ----------------------------------------------------------------------------------------------

t.test('put and call differ by the forward, whatever the market (put–call parity)', async (t) => {
  const markets = fc.record({
    K: fc.double({ min: 95, max: 105, noNaN: true }),
    r: fc.double({ min: -0.02, max: 0.1, noNaN: true }),
    q: fc.double({ min: 0, max: 0.08, noNaN: true }),
    sigma: fc.double({ min: 0.2, max: 0.6, noNaN: true }),
    T: fc.double({ min: 0.2, max: 3, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(markets, async (market) => {
      const [call, put] = await Promise.all(
        ['call', 'put'].map((right) => solved(quant, option('european', right, market))),
      );
      const forward = 100 * Math.exp(-market.q * market.T) - market.K * Math.exp(-market.r * market.T);
      const apart = Math.abs(call!.verdict.value - put!.verdict.value - forward);
      t.ok(apart <= 1e-3 * (call!.verdict.value + put!.verdict.value), JSON.stringify(market));
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

t.test('a circuit and then its inverse bring |0…0⟩ back', async (t) => {
  const inverses: Record<string, string> = { s: 'sdg', sdg: 's', t: 'tdg', tdg: 't' };
  const gates = fc.array(
    fc
      .tuple(
        fc.constantFrom('h', 'x', 'y', 'z', 's', 'sdg', 't', 'tdg', 'rx', 'ry', 'rz', 'p', 'swap'),
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 2, maxLength: 4 }),
        fc.double({ min: -7, max: 7, noNaN: true }),
      )
      .map(([name, qubits, angle]) => ({
        gate: name,
        targets: qubits.slice(0, name === 'swap' ? 2 : 1),
        controls: qubits.slice(2),
        ...(/^r.|^p$/.test(name) && { angle }),
      })),
    { minLength: 1, maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(gates, async (forth) => {
      const back = [...forth].reverse().map((each) => ({
        ...each,
        gate: inverses[each.gate] ?? each.gate,
        ...(each.angle !== undefined && { angle: -each.angle }),
      }));
      const job = await solved(
        quant,
        qubit('circuit', { n: 4, gates: [...forth, ...back], outcome: '0000' }),
      );
      t.ok(Math.abs(job.verdict.value - 1) < 1e-12);
    }),
    { numRuns: 20, endOnFailure: true },
  );
});

/** Spread of the replicates' means of a European call, four replicates a run. */
function spreadAt(points: number, replicates = 4): number {
  const means = range(replicates / 4).flatMap((run) => {
    const { result } = runKernel('quant', parametersAt(4 * run, points), 2 ** 20);
    const sums = new Float64Array(result.slice().buffer);
    return [0, 1, 2, 3].map((k) => sums[16 * k + 1]! / sums[16 * k]!);
  });
  const middle = means.reduce((sum, mean) => sum + mean / replicates, 0);
  return Math.sqrt(means.reduce((sum, mean) => sum + (mean - middle) ** 2 / (replicates - 1), 0));
}
const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const parametersAt = (replicate: number, points: number) =>
  new Layout().f64(0, 0, 100, 100, 0.05, 0, 0.2, 1, 0, 1, 0).u64(7n).f64(replicate, 0, points).bytes();

t.test('Sobol points err less than N^−0.8, and far less than as many plain paths', async (t) => {
  const [few, many] = [spreadAt(2 ** 12), spreadAt(2 ** 18)];
  t.ok(many < few * 2 ** (-6 * 0.8), `${few} at 2^12 points, ${many} at 2^18`);
  const { outputs } = (await solved(quant, option('asian-geometric', 'call', asian))).presentation;
  t.ok((outputs.SE as number) < 0.1 * (outputs.plainSE as number));
});

t.test('more fixings than Sobol dimensions are priced as well', async (t) => {
  const { verdict } = await solved(quant, option('asian-geometric', 'put', { fixings: 100, seed: 5 }));
  t.ok(verdict.precisionActual <= 1e-3);
});

t.test('a seed names the price: the same again, another one otherwise (HON-17)', async (t) => {
  const [a, b, c] = await Promise.all(
    [1, '1', 2].map((seed) => solved(quant, option('european', 'call', { seed }))),
  );
  t.equal(a!.verdict.value, b!.verdict.value);
  t.not(a!.verdict.value, c!.verdict.value);
});

t.test('the fields are what they are called', async (t) => {
  const job = await solved(quant, pulse);
  const [time, probability] = [fieldOf(job, 't'), fieldOf(job, 'probability')];
  t.strictSame([time[0], time[256], probability[0]], [0, 0.7e-6, 0]);
  t.ok(Math.abs(probability[256]! - job.verdict.value) < 1e-15);
  const option = await solved(quant, european);
  const [price, density] = ['price', 'density'].map((name) => fieldOf(option, name));
  t.ok(price![0]! < price![63]! && density!.every((each) => each >= 0));
});

t.test('a state vector cut anywhere and resumed is the same to the bit', async (t) => {
  const parameters = new Layout().f64(1, 10, 40, 0, 0, 0, 1, 0).bytes();
  const spec = {
    kernel: kernelDigest('quant-qubit'),
    parameters,
    stepsPerSegment: 7,
    memory: 2 ** 20,
    work: 0,
  };
  const fresh = () => instantiateKernel(kernelModule('quant-qubit'));
  const whole = driveRun(fresh(), spec);
  const part = new RunInProgress(fresh(), spec);
  part.start({});
  for (let i = 0; i < 3; i++) part.advanceSegment({});
  t.same(driveRun(fresh(), spec, { resumeFrom: part.checkpoint(0) }), whole);
  t.same(driveRun(fresh(), spec, { budget: 1 }).digests, whole.digests);
});

// ---- broken twins --------------------------------------------------------------------------------------

const bridge = 'assembly/quant/bridge.ts';
const payoff = 'assembly/quant/payoff.ts';
const gates = 'assembly/qubit/gates.ts';
const turns = qubit('circuit', {
  n: 2,
  gates: [gate('h', [0]), gate('ry', [0], { angle: 0.7 }), gate('x', [1], { controls: [0] })],
  outcome: '11',
});
const spread = own('max(S - K, 0) - max(S - 1.2*K, 0)', { parameters: { K: 100 } });
const twins: Twin[] = [
  {
    title: 'a strip whose sums are differences',
    body: spread,
    file: 'assembly/expression/strip.ts',
    find: 'case Op.SUBTRACT: { arithmetic(Op.SUBTRACT',
    replace: 'case Op.SUBTRACT: { arithmetic(Op.ADD',
  },
  {
    title: 'a formula that reads the mean for the last price',
    body: own('max(S - 100, 0)', { fixings: 1, seed: 5 }),
    file: payoff,
    find: 'if (isLast) { store<f64>(ownColumn(0) + p, S);',
    replace: 'if (isLast) { store<f64>(ownColumn(0) + p, 0.9 * S);',
  },
  {
    title: 'Itô’s term of the wrong sign',
    body: european,
    file: payoff,
    find: 'r - q - 0.5 * sigma',
    replace: 'r - q + 0.5 * sigma',
  },
  {
    title: 'replicates that are all the same',
    body: european,
    file: bridge,
    find: 'philox(<u32>i, replicate, 0, Purpose',
    replace: 'philox(<u32>i, 0, 0, Purpose',
  },
  {
    title: 'half of the crossings',
    body: option('down-out', 'call', { barrier: 90 }),
    file: payoff,
    find: 'Math.exp(-2.0 * a * b',
    replace: 'Math.exp(-1.0 * a * b',
  },
  {
    title: 'a bridge that leans to the wrong side',
    body: option('asian-arithmetic', 'call', { fixings: 7, seed: 3 }),
    file: bridge,
    find: 'behind / width, before / width,',
    replace: 'before / width, behind / width,',
  },
  {
    title: 'an average of prices over one fixing too many',
    body: option('asian-arithmetic', 'call', asian),
    file: payoff,
    find: 'arithmetic(load<f64>(average + p) / m',
    replace: 'arithmetic(load<f64>(average + p) / (m + 1.0)',
  },
  {
    title: 'a rotation the other way round',
    body: turns,
    kernel: 'quant-qubit',
    file: gates,
    find: 'matrix(cosine, 0, -sine, 0, sine, 0, cosine, 0)',
    replace: 'matrix(cosine, 0, sine, 0, -sine, 0, cosine, 0)',
  },
  {
    title: 'half an inversion',
    body: qubit('grover', { n: 3, k: 2 }),
    kernel: 'quant-qubit',
    find: 'f64x2.splat(2.0 * mean)',
    replace: 'f64x2.splat(mean)',
  },
  {
    title: 'a detuning that is left out',
    body: pulse,
    kernel: 'quant-qubit',
    find: 'Math.sin(angle) * detuning / W',
    replace: '0.0',
  },
];

// Derivatives of the Black–Scholes–Merton formulas and of S₀² e^{(r + σ²)T}/100, by mpmath with 30 digits.
for (const [title, body, delta, vega] of [
  ['a call', own('max(S - 100, 0)'), 0.636830651175619, 37.52403469169379],
  [
    'a call with fixings that it does not name',
    own('max(S - 100, 0)', { fixings: 3 }),
    0.636830651175619,
    37.52403469169379,
  ],
  ['a square', own('S^2/100'), 2 * Math.exp(0.09), 40 * Math.exp(0.09)],
  ['what pays 100 above 100', own('100*floor(S/(S + 100) + 0.5)'), 1.876201734584689, -65.66706071046414],
] as const)
  t.test(`${title}, as a formula, has its derivatives`, async (t) => {
    const { presentation } = await solved(quant, body);
    const { delta: d, deltaSE, vega: v, vegaSE } = presentation.outputs as Record<string, number>;
    t.ok(
      Math.abs(d! - delta) <= 4 * deltaSE! && deltaSE! <= 2e-3 * Math.abs(delta),
      `${d} ± ${deltaSE}, ${delta}`,
    );
    t.ok(Math.abs(v! - vega) <= 4 * vegaSE! && vegaSE! <= 2e-2 * Math.abs(vega), `${v} ± ${vegaSE}, ${vega}`);
  });

t.test(
  'an Asian call that is owed and a control that spreads it have too large a standard error',
  async (t) => {
    const twin = await brokenTwin('assembly/verdicts/quant.ts', {
      file: 'assembly/verdicts/quant.ts',
      find: 'const b = coefficient(), forward',
      replace: 'const b = 100.0 + coefficient(), forward',
    });
    const input = inputOf(quant, own('-max(A - 100, 0)', { fixings: 12 }));
    const refusal = await refusalOfTwin(quant, input, 'quant.verdict', twin);
    t.equal(refusal?.code, 'DID_NOT_CONVERGE');
  },
);

t.test('a price too small for what rare paths may bring is never sealed (HON-16)', async (t) => {
  const input = inputOf(quant, own('A', { fixings: 12 }));
  await t.resolves(runJob(quant, input), 'the whole kernel is sealed');
  const twin = await brokenTwin('assembly/kernels/quant.ts', {
    file: payoff,
    find: 'addPair(discount * load<f64>(payoffs + p),',
    replace: 'addPair(1e-4 * discount * load<f64>(payoffs + p),',
  });
  const refusal = await refusalOfTwin(quant, input, 'quant', twin);
  t.match(refusal, { code: 'OUTSIDE_TOLERANCE', details: { gate: 'rare paths' } });
});

t.test(
  'where rare paths may hold too much, more are taken, or the refusal names how many would do',
  async (t) => {
    const market = { sigma: 0.36, T: 0.45, fixings: 12, seed: 1 };
    const { code, details } = await refusalOf(quant, own('max(A - 177, 0)', market));
    t.match({ code, gate: details.gate }, { code: 'OUTSIDE_TOLERANCE', gate: 'rare paths' });
    t.ok(Number(details.pathsNeeded) > 2 ** 24, `${details.pathsNeeded}`);
    t.equal(details.pathsMax, 2 ** 24);
    const nearer = await solved(quant, own('max(A - 125, 0)', market));
    t.ok(nearer.verdict.value > Number(details.priceNeeded), 'a price above the one that is named does');
    const wanting = { sigma: 0.26, T: 0.24, fixings: 12, seed: 1 };
    const more = await solved(quant, own('6*max(A - G, 0)', wanting));
    t.ok(Number(more.presentation.outputs.paths) > 2 ** 20, `${more.presentation.outputs.paths}`);
  },
);

t.test('strikes that a refusal names are taken, with the barrier that stands beside them', async (t) => {
  const far: readonly [string, object][] = [
    ['call', { type: 'european', K: 1000 }],
    ['put', { type: 'digital', K: 30, payout: 10 }],
    ['call', { type: 'asian-geometric', K: 300, fixings: 50 }],
    ['put', { type: 'asian-arithmetic', K: 2, sigma: 1.7, fixings: 5 }],
    ['put', { type: 'asian-arithmetic', K: 50, sigma: 0.03, r: 2.5, fixings: 7 }],
    ['call', { type: 'down-out', K: 120, barrier: 99.9999, sigma: 0.01 }],
    ['put', { type: 'down-out', K: 90.1, barrier: 90 }],
  ];
  for (const [right, more] of far) {
    const body = { ...option('', right), seed: 1, ...more };
    const { details } = await refusalOf(quant, body);
    const told = /^a strike from (\S+) to (\S+?)(?: with a barrier of at most (\S+))?$/.exec(
      String(details.accepts),
    );
    const [low, high, barrier] = (told ?? []).slice(1).map(Number);
    for (const K of [low, high]) {
      const nearer = { ...body, K, ...(told?.[3] !== undefined && { barrier }) };
      t.ok((await solved(quant, nearer)).verdict.precisionActual < 1e-3, JSON.stringify(nearer));
    }
  }
});

t.test('a barrier far from a price that its drift brings there', async (t) => {
  // Reflection principle with 80 digits (mpmath); (H/S)^2μ is 10^25240.
  const drifting = { S0: 100, K: 18.2, r: -1, q: 0.7, sigma: 0.01, barrier: 18.1, seed: 1 };
  const { verdict } = await solved(quant, option('down-out', 'call', drifting));
  t.ok(Math.abs(verdict.value / 0.304370391521466 - 1) < 1e-3);
});

t.test('a payoff of the path has no derivatives', async (t) => {
  const { presentation } = await solved(quant, own('max(A - 100, 0)', { fixings: 4 }));
  t.notOk('delta' in presentation.outputs);
});

testSolver(quant, {
  references,
  orders: [
    {
      title: 'spread of digitally shifted Sobol points',
      theory: 1,
      halvings: 6,
      errors: async () => [spreadAt(2 ** 12, 32), spreadAt(2 ** 18, 32)],
    },
  ],
  twins,
});
