import fc from 'fast-check';
import t from 'tap';
import { lorenz } from '../../src/solvers/lorenz.ts';
import { evidenceOf } from './evidence.ts';
import type { Refused } from './refusals.ts';
import { fieldOf, refusalOf, solved as solvedBy, testSolver } from './solver-test.ts';
import { type Stretches, testStretches } from './stretches.ts';

const classical = { sigma: 10, rho: 28, beta: 8 / 3 };
const motion = { ...classical, mode: 'trajectory', x0: 1, y0: 1, z0: 1, t_max: 10 };
const fixedPoint = { ...classical, mode: 'fixed-point' };
/** Every chain comes to rest at C±. */
const resting = { ...classical, rho: 10, mode: 'exponents', t_max: 128000, seed: 7 };

const solved = (body: object) => solvedBy(lorenz, body);
const gateNames = async (body: object) => (await solved(body)).verdict.gates.map(({ name }) => name);
const exponentsOf = async (body: object) => (await solved(body)).presentation.outputs.exponents as number[];
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

// ---- trajectories --------------------------------------------------------------------------------------

const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });

t.test('x, y → −x, −y is a symmetry, to the last bit', async (t) => {
  await fc.assert(
    fc.asyncProperty(share(-20, 20), share(-20, 20), share(0, 40), async (x0, y0, z0) => {
      const a = await solved({ ...motion, x0, y0, z0, t_max: 3 });
      const b = await solved({ ...motion, x0: -x0, y0: -y0, z0, t_max: 3 });
      const [x, mirrored] = [fieldOf(a, 'x'), fieldOf(b, 'x')];
      t.ok(x.every((value, i) => value === -mirrored[i]!));
      t.equal(a.verdict.value, b.verdict.value);
    }),
    { numRuns: 10, seed: 2 },
  );
});

t.test(
  'two orders agree for other parameters, within the quote, and no motion leaves its ball',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(share(1, 30), share(0.1, 60), share(0.3, 5), async (sigma, rho, beta) => {
        const body = { ...motion, sigma, rho, beta, t_max: 5 };
        const job = await solved(body);
        const spent = job.finished.reduce((sum, run) => sum + Number(run.work), 0);
        t.ok(spent <= lorenz.quote(body as never, { requestHash: new Uint8Array(32) }).work);
        t.ok(
          job.verdict.precisionActual < 1e-5,
          `${job.verdict.precisionActual} with ${JSON.stringify(body)}`,
        );
        const [x, y, z] = ['x', 'y', 'z'].map((name) => fieldOf(job, name)) as Float64Array[];
        // Lorenz 1963, §4: the distance to (0, 0, σ+ρ) falls outside an ellipsoid.
        const far = Array.from(x!, (value, i) => Math.hypot(value, y![i]!, z![i]! - sigma - rho));
        const bound = Math.max(
          far[0]!,
          (sigma + rho) * (1 + Math.sqrt(beta * Math.max(1, 1 / sigma, 1 / beta))),
        );
        t.ok(Math.max(...far) <= bound);
      }),
      { numRuns: 25, seed: 4 },
    );
  },
);

t.test('a motion goes on from its finalState', async (t) => {
  const { x, y, z } = (await solved({ ...motion, t_max: 4 })).presentation.outputs.finalState as Record<
    string,
    number
  >;
  const { x0: _, y0: __, z0: ___, ...rest } = motion;
  const then = await solved({ ...rest, t_max: 6, initialState: { x, y, z, t0: 4 } });
  t.ok(relative(then.verdict.value, 24.6908581027906) < 1e-9);
  t.strictSame([fieldOf(then, 't')[0], fieldOf(then, 't').at(-1)], [4, 10]);
  t.strictSame([fieldOf(then, 'x')[0], fieldOf(then, 'z').at(-1)], [x, then.verdict.value]);
});

t.test('the z axis is kept, the origin too', async (t) => {
  const axis = await solved({ ...motion, x0: 0, y0: 0, z0: 5, t_max: 2 });
  t.ok(relative(axis.verdict.value, 5 * Math.exp(-16 / 3)) < 1e-12);
  t.equal((await solved({ ...motion, x0: 0, y0: 0, z0: 0 })).verdict.value, 0);
});

t.test('the periodic orbit AB closes after its period (Viswanath 2003)', async (t) => {
  const start = { x0: -13.763610682134, y0: -19.578751942452, z0: 27 };
  const { finalState } = (await solved({ ...motion, ...start, t_max: 1.5586522107161747 })).presentation
    .outputs;
  const { x, y, z } = finalState as Record<string, number>;
  t.ok(relative(x!, start.x0) < 1e-9 && relative(y!, start.y0) < 1e-9 && relative(z!, 27) < 1e-9);
});

t.test('beyond the horizon the refusal says so', async (t) => {
  const { message, details } = await refusalOf(lorenz, { ...motion, t_max: 60 });
  t.match(message, /horizon of predictability.*a t_max of/);
  t.match(details, { field: 't_max', reason: 'beyond the horizon of predictability' });
});

t.test('beyond the horizon a t_max is named, and taken', async (t) => {
  for (const rho of [28, 40, 75]) {
    const { details } = await refusalOf(lorenz, { ...motion, rho, t_max: 50 });
    const t_max = Number(/^a t_max of (\S+)$/.exec(String(details.accepts))?.[1]);
    t.ok(t_max > 10, `${rho}: ${t_max}`);
    t.ok((await solved({ ...motion, rho, t_max })).verdict.precisionActual < 1e-3);
  }
});

t.test('a motion that dies out, and the twin beside it, end within their steps', async (t) => {
  // Taylor series of order 44 in fixed point of 300 bits.
  const fast = {
    mode: 'trajectory',
    sigma: 0.014884844536876659,
    rho: 0.0031819652366699897,
    beta: 977.4578804189965,
  };
  const start = { x0: 0.12390121354717513, y0: -5.988620651770024, z0: -10.58943630067812 };
  const { verdict } = await solved({ ...fast, ...start, t_max: 5.866697579800434 });
  t.ok(relative(verdict.value, -5.334644109612375e-7) < 1e-9);
  // z₀ exp(−βt) is 0 from t = 280 on.
  const long = await solved({ ...motion, rho: 0.5, t_max: 2000 });
  t.equal(long.verdict.value, 0);
});

t.test('orders that agree by accident beyond the horizon are not believed', async (t) => {
  // Orders 24 and 28 gave z = 18.796 both; it is 19.122697398556 (Taylor series of order 36 in quadruple precision).
  const start = { x0: 11.125212404768359, y0: -4.11790588407445, z0: -10.088035516422714 };
  const { code, details } = await refusalOf(lorenz, { ...motion, ...start, t_max: 37.974463054316296 });
  t.equal(code, 'DID_NOT_CONVERGE');
  t.match(details, { field: 't_max', reason: 'beyond the horizon of predictability' });
});

t.test('x and y at the end are held as z is', async (t) => {
  // There z was right to 3e-4 and y to 1.4e-2: 0.019038 for 0.018288 (quadruple precision, as above).
  const start = { x0: -6.563863522709106, y0: 16.558824326334623, z0: -11.381428922574205 };
  const { code } = await refusalOf(lorenz, { ...motion, ...start, t_max: 29.52951446935524 });
  t.equal(code, 'DID_NOT_CONVERGE');
});

t.test('a coordinate that is near to zero at the end is held beside itself', async (t) => {
  // x was sealed as 9.66407e-4; it is 9.6419875e-4 (mpmath, Taylor series of order 40, 50 digits).
  const start = { x0: 2.5308047072030604, y0: 2.4531042692251503, z0: 7.482163421809673 };
  const { code } = await refusalOf(lorenz, { ...motion, ...start, t_max: 25.35065644280985 });
  t.equal(code, 'DID_NOT_CONVERGE');
});

// ---- exponents -----------------------------------------------------------------------------------------

t.test('chains that come to rest have the eigenvalues there', async (t) => {
  const origin = { ...resting, rho: 0.5 };
  const [l1, l2, l3] = await exponentsOf(origin);
  const root = Math.sqrt(81 + 4 * 10 * 0.5);
  t.ok(relative(l1!, (-11 + root) / 2) < 1e-3);
  t.ok(relative(l2!, -8 / 3) < 1e-3 && relative(l3!, (-11 - root) / 2) < 1e-3);
  t.strictSame(await gateNames(origin), ['sum', 'at rest']);
  t.equal((await solved(resting)).presentation.outputs.fate, 'at rest');
});

t.test('however slowly or late chains come to rest, the exponents are the eigenvalues', async (t) => {
  const slow = { ...resting, rho: 1.0001 };
  const late = { ...resting, rho: 23 };
  // Roots of Lorenz 1963, eq. 33, by mpmath with 50 digits.
  t.ok(relative((await exponentsOf(slow))[0]!, -0.00018183193287887137) < 1e-9);
  t.match((await solved(slow)).presentation.outputs, { fate: 'at rest', kaplanYorke: 0 });
  t.ok(relative((await exponentsOf(late))[1]!, -0.05395331103708437) < 1e-9);
  t.equal((await exponentsOf({ ...resting, rho: 1, t_max: 64000 }))[0], 0);
});

t.test('chains at rest beside others that move have no exponents in common', async (t) => {
  // Between 24.06 and 470/19 chaos and stable fixed points stand beside one another (Kaplan & Yorke 1979).
  const { code, details } = await refusalOf(lorenz, { ...resting, rho: 24.1, seed: 3 });
  t.equal(code, 'DID_NOT_CONVERGE');
  t.match(details, {
    reason: /^3 of 64 chains came to rest/,
    accepts: /^a rho above 24\.7368.*, or a longer t_max, .* none did/,
  });
});

t.test('where chaos does not last, chains are told the time in which they come to rest', async (t) => {
  const short = { ...resting, rho: 23.5, t_max: 1e5, seed: 1 };
  const { details } = await refusalOf(lorenz, short);
  const advised = Number(
    /^t_max of about (\S+), in which all are expected/.exec(String(details.accepts))?.[1],
  );
  // Real part of the pair of λ³ + (σ + β + 1)λ² + β(σ + ρ)λ + 2σβ(ρ − 1), by mpmath.
  t.ok(Math.abs((await solved({ ...short, t_max: advised })).verdict.value + 0.0381137687) < 1e-8);
});

t.test('chains that have not settled are told how long they should be', async (t) => {
  const short = { mode: 'exponents', sigma: 14.8, rho: 3.99, beta: 0.469, t_max: 1684, seed: 3 };
  const { details } = await refusalOf(lorenz, short);
  const advised = Number(/^t_max of about (\S+)$/.exec(String(details.accepts))?.[1]);
  t.equal((await solved({ ...short, t_max: advised })).presentation.outputs.fate, 'at rest');
});

t.test('in the window at ρ = 100.5 there is a cycle: λ₁ = 0, dimension 1', async (t) => {
  const job = await solved({ ...classical, mode: 'exponents', rho: 100.5, t_max: 64000, seed: 1 });
  t.strictSame(
    job.verdict.gates.map(({ name }) => name),
    ['sum', 'chains at rest', 'neutral exponent', 'standard error', 'mean of x²', 'mean of y²', 'cycle'],
  );
  t.match(job.presentation.outputs, { fate: 'cycle', kaplanYorke: 1 });
  // Haken 1983: one exponent of a bounded motion that comes to no fixed point is 0.
  t.equal(job.verdict.value, 0);
  const [l1, l2] = job.presentation.outputs.exponents as number[];
  t.ok(Math.abs(l1!) < 0.05 && l2! < -1, 'what was measured stands beside');
});

t.test('chaos that is as slow as a cycle’s noise is not sealed as a cycle', async (t) => {
  // The first period doubling of this window is at ρ = 99.98 (Sparrow 1982, ch. 4): there λ₂ of the cycle is 0 as well.
  const { code, details } = await refusalOf(lorenz, {
    ...classical,
    mode: 'exponents',
    rho: 99.98,
    t_max: 20000,
    seed: 1,
  });
  t.equal(code, 'DID_NOT_CONVERGE');
  t.match(details, { field: 't_max', reason: /every chain is on a cycle/, accepts: /a longer t_max/ });
});

t.test('chains that are too short are told how long they should be', async (t) => {
  const { details } = await refusalOf(lorenz, { ...classical, mode: 'exponents', t_max: 20000, seed: 1 });
  const advised = Number(/^t_max of about (\S+)$/.exec(String(details.accepts))?.[1]);
  // The spread of λ₁ over a long t is near 0.153/√t, of which three are 1e-3 of 0.9056 at 2.57e5; that of short blocks
  // is wider and falls faster, so that the figure is on the safe side.
  t.ok(advised > 2.6e5 && advised < 4e6, `${advised}`);
});

t.test('the seed decides the chains, and equal seeds give equal bits', async (t) => {
  const value = async (seed: number | string) =>
    (await solved({ ...resting, t_max: 64000, seed })).presentation.outputs.standardError;
  t.equal(await value(3), await value('3'));
  t.not(await value(3), await value('18446744073709551615'));
});

// ---- fixed points --------------------------------------------------------------------------------------

t.test('C± and the eigenvalues there for any parameters', async (t) => {
  await fc.assert(
    fc.asyncProperty(share(0.1, 100), share(0.01, 500), share(0.1, 20), async (sigma, rho, beta) => {
      const { verdict, presentation } = await solved({ ...fixedPoint, sigma, rho, beta });
      t.ok(Math.abs(verdict.value - Math.max(0, rho - 1)) <= 1e-9 * (1 + rho));
      const { origin, fixedPoint: point } = presentation.outputs as unknown as {
        origin: { stable: boolean };
        fixedPoint: { place: { x: number; y: number; z: number } };
      };
      t.equal(origin.stable, rho < 1);
      if (rho <= 1) return;
      const { x, y, z } = point.place;
      const aside = Math.sqrt(beta * (rho - 1));
      t.ok(Math.abs(x - aside) <= 1e-9 * (1 + aside) && x === y && z === verdict.value, `${x}, ${y}, ${z}`);
    }),
    { numRuns: 50, seed: 6 },
  );
});

t.test('eigenvalues that are small beside others, or nearly one another, keep their digits', async (t) => {
  const [size, near] = [
    fc.double({ min: -6, max: 6, noNaN: true }),
    fc.double({ min: -12, max: 2, noNaN: true }),
  ];
  await fc.assert(
    fc.asyncProperty(size, size, near, fc.boolean(), async (s, b, d, above) => {
      const [sigma, beta] = [10 ** s, 10 ** b];
      const rho = above ? 1 + 10 ** d : Math.max(1e-6, 1 - 10 ** d);
      const { origin } = (await solved({ ...fixedPoint, sigma, rho, beta })).presentation.outputs;
      // Lorenz 1963, eq. 32: −β and the roots of λ² + (σ+1)λ + σ(1−ρ), of which the small one is the product over the large.
      const far = -0.5 * (sigma + 1 + Math.sqrt((sigma - 1) ** 2 + 4 * sigma * rho));
      const exact = [-beta, far, (sigma * (1 - rho)) / far].sort((p, q) => q - p);
      const { eigenvalues } = origin as { eigenvalues: { re: number; im: number }[] };
      eigenvalues.forEach(({ re, im }, i) => {
        const apart = Math.hypot(re - exact[i]!, im);
        t.ok(
          apart <= 1e-6 * Math.abs(exact[i]!),
          `${re}, ${im} for ${exact[i]} of σ ${sigma}, ρ ${rho}, β ${beta}`,
        );
      });
    }),
    { numRuns: 60, seed: 5 },
  );
});

t.test('C± are stable below ρ = 470/19, unstable above', async (t) => {
  const stable = async (rho: number) => {
    const { fixedPoint: point } = (await solved({ ...fixedPoint, rho })).presentation.outputs;
    return (point as { stable: boolean }).stable;
  };
  t.ok(await stable(470 / 19 - 1e-6));
  t.notOk(await stable(470 / 19 + 1e-6));
});

// ---- what every solver must show -----------------------------------------------------------------------

const seriesFaults: [string, string, string][] = [
  ['convection of the wrong sign', 'sigma * (y - x)', 'sigma * (y + x)'],
  ['heat that is not carried', 'rho * x - y - xz', 'rho * x - y'],
  ['a coefficient that is not divided', 'share = 1.0 / <f64>(k + 1)', 'share = 1.0 / <f64>(k + 2)'],
  ['half a step', 'last ? end - t : h);', 'last ? end - t : 0.5 * h);'],
  ['another β', 'beta = parameterF64(16);', 'beta = 1.01 * parameterF64(16);'],
];
const chainFaults: [string, string, string][] = [
  ['a tangent of another flow', 'sub(sub(mul(up, u), v), mul(x, k))', 'sub(mul(up, u), mul(x, k))'],
  ['another ρ', 'rho = parameterF64(8);', 'rho = 1.01 * parameterF64(8);'],
  ['a clock that goes wrong', '<f64>stepsEach * h, samples', '<f64>stepsEach * 1.01 * h, samples'],
];

// ---- requests that are refused -------------------------------------------------------------------------

const { t_max: _, ...withoutEnd } = motion;
const { z0: __, ...withoutZ } = motion;
const { x0: ___, y0: ____, ...withoutStart } = withoutZ;
const exponents = { ...classical, mode: 'exponents', t_max: 100 };

const refused: readonly Refused[] = [
  { title: 'no mode', body: { ...classical }, code: 'MISSING_INPUT', field: 'mode' },
  {
    title: 'no parameter',
    body: { mode: 'fixed-point', sigma: 10, rho: 28 },
    code: 'MISSING_INPUT',
    field: 'beta',
  },
  { title: 'a parameter of zero', body: { ...motion, sigma: 0 }, code: 'INVALID_INPUT', field: 'sigma' },
  { title: 'a negative parameter', body: { ...motion, rho: -1 }, code: 'INVALID_INPUT', field: 'rho' },
  { title: 'no end', body: withoutEnd, code: 'MISSING_INPUT', field: 't_max' },
  {
    title: 'no time of the chains',
    body: { ...classical, mode: 'exponents' },
    code: 'MISSING_INPUT',
    field: 't_max',
  },
  { title: 'half a start', body: withoutZ, code: 'MISSING_INPUT', field: 'z0' },
  { title: 'no start', body: withoutStart, code: 'MISSING_INPUT', field: 'x0' },
  {
    title: 'two starts',
    body: { ...motion, initialState: { x: 1, y: 1, z: 1 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half an initialState',
    body: { ...withoutStart, initialState: { x: 1, y: 1 } },
    code: 'MISSING_INPUT',
    field: 'initialState.z',
  },
  { title: 'a seed of a trajectory', body: { ...motion, seed: 1 }, code: 'INVALID_INPUT', field: 'seed' },
  { title: 'a start of exponents', body: { ...exponents, x0: 1 }, code: 'INVALID_INPUT', field: 'x0' },
  {
    title: 'an end of a fixed point',
    body: { ...classical, mode: 'fixed-point', t_max: 1 },
    code: 'INVALID_INPUT',
    field: 't_max',
  },
  { title: 'a very long run', body: { ...motion, t_max: 1e9 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  { title: 'very long chains', body: { ...exponents, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'a motion beyond its horizon',
    body: { ...motion, t_max: 60 },
    code: 'DID_NOT_CONVERGE',
    field: 't_max',
  },
  {
    title: 'chains that are too short',
    body: { ...exponents, t_max: 20000, seed: 1 },
    code: 'DID_NOT_CONVERGE',
  },
];

// ---- a job in parts -----------------------------------------------------------------------------------

const stretches: readonly Stretches[] = [
  {
    title: 'lorenz',
    body: { mode: 'trajectory', sigma: 10, rho: 28, beta: 8 / 3, x0: 1, y0: 1, z0: 1 },
    end: 't_max',
    start: ['x0', 'y0', 'z0'],
    ends: [4, 4.001, 10],
    uneven: 7.3,
    tolerance: 1e-12,
    ownGates: ['other runs', 'other runs, series', 'row to row', 'twin: z axis'],
    notInTime: { title: 'a fixed point', body: { mode: 'fixed-point', sigma: 10, rho: 28, beta: 8 / 3 } },
    refused: { mode: 'trajectory', sigma: 10, rho: 28, beta: 8 / 3, x0: 1, y0: 1, z0: 1, t_max: 60 },
    fault: {
      kernel: 'lorenz',
      find: 'memory.copy(body, earlierBody(), PLACE);',
      replace: 'memory.copy(body, earlierBody(), 24);',
    },
  },
];

testStretches(lorenz, stretches);

testSolver(lorenz, {
  orders: 'Taylor series of orders 24 and 28 take the steps at which their last terms are rounding',
  references: [
    ...([1, 0.999999] as const).map((rho) => ({
      title: `height of the fixed point at ρ = ${rho}`,
      body: { ...fixedPoint, rho },
      expect: 0,
      tolerance: 1e-12,
      scale: 1,
      source: 'the origin for ρ ≤ 1 (Lorenz 1963)',
    })),
    ...(
      [
        ['x', -9.37857001092506],
        ['y', -8.35703378842664],
        ['z', 29.3623253373634],
      ] as const
    ).map(([name, expect]) => ({
      title: `${name} at t = 1`,
      body: { ...motion, t_max: 1 },
      of: `finalState.${name}`,
      expect,
      tolerance: 1e-10,
      source: 'Taylor series in mpmath, 40 digits',
    })),
    {
      title: 'z at t = 20',
      body: { ...motion, t_max: 20 },
      expect: 34.9016086811351,
      tolerance: 1e-5,
      source: 'Taylor series in mpmath, 50 digits',
    },
    {
      title: 'z at t = 30, near the horizon',
      body: { ...motion, t_max: 30 },
      expect: 31.76107506496639,
      tolerance: 1e-3,
      source: 'Taylor series in mpmath, 50 digits',
    },
    {
      title: 'z at t = 8 of σ 16, ρ 45.92, β 4',
      body: { ...motion, sigma: 16, rho: 45.92, beta: 4, x0: 2, y0: -1, z0: 30, t_max: 8 },
      expect: 62.64866726995696,
      tolerance: 1e-6,
      source: 'Taylor series in mpmath, 50 digits',
    },
    {
      title: 'real part of the eigenvalues of C±',
      body: fixedPoint,
      of: 'fixedPoint.eigenvalues.0.re',
      expect: 0.09395562396468551,
      tolerance: 1e-12,
      source: 'mpmath polyroots, 50 digits',
    },
    {
      title: 'their imaginary part',
      body: fixedPoint,
      of: 'fixedPoint.eigenvalues.0.im',
      expect: 10.19450522092785,
      tolerance: 1e-12,
      source: 'mpmath polyroots, 50 digits',
    },
  ],
  twins: [
    ...seriesFaults.map(([title, find, replace]) => ({ title, body: motion, find, replace })),
    ...chainFaults.map(([title, find, replace]) => ({
      title,
      body: resting,
      find,
      replace,
      kernel: 'lorenz-exponents',
    })),
    {
      title: 'a Jacobian with a wrong entry',
      body: fixedPoint,
      find: 'minors = -sigma * d + sigma * beta',
      replace: 'minors = sigma * d + sigma * beta',
      kernel: 'lorenz-fixed',
    },
  ],
  refused,
});

t.test('λ₁ of the classical parameters is held against the literature, that of others is not', async (t) => {
  // What the example above ran into; the cycle and the chains at rest list their gates.
  const { error, bound } = evidenceOf('lorenz').gates.literature!;
  t.ok(error < bound && bound === 1e-3, `${error}`);
});
