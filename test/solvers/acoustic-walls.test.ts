import fc from 'fast-check';
import t from 'tap';
import { acoustic } from '../../src/solvers/acoustic.ts';
import { absorbed, bent, filter, passage, room, wall } from './acoustic-walls.ts';
import { testRunsOf } from './run-laws.ts';
import { fieldOf, inputOf, refusalOf, solved as solvedBy } from './solver-test.ts';

const solved = (body: object) => solvedBy(acoustic, body);
interface Modes {
  readonly frequencies: number[];
  readonly decayRates: number[];
  readonly Q: (number | null)[];
  readonly reverberationTimes: (number | null)[];
  readonly mode: number[];
}
const modesOf = async (body: object) => (await solved(body)).presentation.outputs as unknown as Modes;
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

t.test('Q and the reverberation time are those of the decay', async (t) => {
  const { frequencies, decayRates, Q, reverberationTimes } = await modesOf(absorbed);
  t.ok(decayRates.every((delta, i) => relative(Q[i]!, (Math.PI * frequencies[i]!) / delta) < 1e-12));
  t.ok(decayRates.every((delta, i) => relative(reverberationTimes[i]!, Math.log(1000) / delta) < 1e-12));
});

t.test('a reactance takes nothing', async (t) => {
  const { decayRates, Q, reverberationTimes } = await modesOf({ ...room, boundary: wall(0, 7) });
  t.strictSame(
    [decayRates, Q, reverberationTimes],
    [
      [0, 0, 0],
      [null, null, null],
      [null, null, null],
    ],
  );
});

t.test(
  'the lowest mode against a spring is there: tan kL = |X|/ρc from an open end (Kuttruff, 3.1)',
  async (t) => {
    for (const X of [0.03, 0.3, 0.85, 3]) {
      const duct = { ...absorbed, boundary: { left: 'open', right: wall(0, -X) } };
      const { frequencies } = await modesOf(duct);
      frequencies.forEach((f, n) => {
        t.ok(relative(f, (343 / (2 * Math.PI)) * (n * Math.PI + Math.atan(X))) < 1e-6, `${f} of ${X}`);
      });
    }
    // Its foot is so near to 0 that the one above comes to the same place; two at one root are one.
    const { code, details } = await refusalOf(acoustic, {
      ...{ analysis: 'duct', c: 343, rho: 1.2, domain: { type: 'duct', L: 0.696724206830457 }, count: 8 },
      boundary: { left: 'open', right: { type: 'impedance', Z: 0, X: -4.967400275977766 } },
    });
    t.strictSame([code, details.gate, details.field], ['OUTSIDE_TOLERANCE', 'count', 'boundary']);
  },
);

t.test('a mode that a soft spring has far below the others is not left out', async (t) => {
  // tan kL = |X|/ρc: 0.063 Hz, and the next at 203 Hz.
  for (const X of [-0.4018887895688227, -0.04]) {
    const { code, details } = await refusalOf(acoustic, {
      ...{ analysis: 'duct', c: 343, rho: 1.2, domain: { type: 'duct', L: 0.845 }, count: 5 },
      boundary: { left: 'open', right: { type: 'impedance', Z: 0, X } },
    });
    t.strictSame([code, details.gate, details.field], ['OUTSIDE_TOLERANCE', 'count', 'boundary']);
    t.match(details.accepts, /open ones in place of soft springs/);
  }
});

const size = fc.double({ min: 1, max: 5, noNaN: true });
const reactance = fc.double({ min: -1, max: 1, noNaN: true });

t.test('hard walls take c/2V Σ ε Re β S of a mode (Kuttruff, Room Acoustics, 3.3)', async () => {
  await fc.assert(
    fc.asyncProperty(size, size, size, reactance, async (Lx, Ly, Lz, X) => {
      const boundary = wall(5e4, -5e4 * Math.abs(X));
      const domain = { type: 'box', Lx, Ly, Lz };
      const { decayRates, mode } = await modesOf({ ...room, domain, boundary, count: 1 });
      const terms = [Lx, Ly, Lz].map((L, axis) => (mode[axis] === 0 ? 1 : 2) / L);
      const beta = 2e-5 / (1 + X * X);
      const expected = 343 * beta * terms.reduce((sum, term) => sum + term, 0);
      return relative(decayRates[0]!, expected) < 1e-3;
    }),
    { numRuns: 6 },
  );
});

t.test('a duct sounds and dies alike from both ends', async () => {
  await fc.assert(
    fc.asyncProperty(size, size, reactance, async (L, S, X) => {
      const steps = [
        { L: 1, S: 1 },
        { L, S },
      ];
      const there = {
        ...filter,
        domain: { type: 'duct', steps },
        boundary: { left: 'open', right: wall(6, X) },
      };
      const back = {
        ...filter,
        domain: { type: 'duct', steps: [...steps].reverse() },
        boundary: { left: wall(6, X), right: 'open' },
      };
      const [a, b] = [await modesOf(there), await modesOf(back)];
      return a.frequencies.every(
        (f, i) =>
          relative(b.frequencies[i]!, f) < 1e-7 && relative(b.decayRates[i]!, a.decayRates[i]!) < 1e-6,
      );
    }),
    { numRuns: 6 },
  );
});

t.test('a mode loses at its walls what it loses in all: p rises towards the wall that takes', async (t) => {
  const job = await solved(absorbed);
  const [re, im] = [fieldOf(job, 'pRe'), fieldOf(job, 'pIm')];
  // |cos kx|² at the wall of a tube is cosh² δL/c where cos is ±1.
  const ends = [0, 128].map((i) => Math.hypot(re[i]!, im[i]!));
  t.ok(relative(ends[1]! / ends[0]!, Math.cosh(Math.atanh(0.25))) < 1e-6);
});

t.test('followed modes may be cut anywhere, in slices of any budget', async (t) => {
  await testRunsOf(t, acoustic, inputOf(acoustic, filter));
  await testRunsOf(t, acoustic, inputOf(acoustic, passage));
});

t.test('two modes of one frequency stay two: a square of cells', async (t) => {
  const body = { ...bent, domain: { type: 'mask', cells: [[1]], h: 1 }, boundary: wall(10), count: 3 };
  const { frequencies, decayRates } = await modesOf(body);
  t.ok(relative(frequencies[1]!, frequencies[0]!) < 1e-9 && relative(decayRates[1]!, decayRates[0]!) < 1e-9);
  t.ok(frequencies[2]! > 1.2 * frequencies[1]!);
});

t.test(
  'cells that a mesh is too coarse for are told the N that does, which is taken where it is open',
  async (t) => {
    const body = { ...bent, boundary: wall(1.7) };
    const { N: _, ...open } = body;
    const { details } = await refusalOf(acoustic, body);
    t.strictSame([details.field, details.accepts], ['N', 'N = 16']);
    await t.resolves(solved({ ...body, N: 16 }));
    await t.resolves(solved(open));
  },
);

t.test('a mode that the coarsest mesh puts behind the list is not left out of it', async (t) => {
  // k of a tube 2 m × 1 m, open at the left: q cos 2q + ikβ sin 2q = 0, q² = k² − (jπ)²; by collocation of degree 12.
  const body = {
    ...{ analysis: 'modes', c: 343, rho: 1.2, domain: { type: 'mask', cells: [[1, 1]], h: 1 }, count: 6 },
    boundary: {
      ...{ left: 'open', bottom: 'rigid', top: 'rigid' },
      right: { type: 'impedance', Z: 119.44052667388854, X: -386.11875208489255 },
    },
  };
  const { details } = await refusalOf(acoustic, { ...body, N: 8 });
  t.strictSame([details.gate, details.field], ['meshes', 'N']);
  const { frequencies, decayRates } = await modesOf({ ...body, N: 16 });
  t.ok(relative(frequencies[5]!, (343 * 4.45144371) / (2 * Math.PI)) < 1e-3);
  t.ok(relative(decayRates[5]!, 343 * 0.68560159) < 1e-3);
});

t.test('two modes of cells that one coarse mesh makes one are told the N that parts them', async (t) => {
  const cells = [
    [1, 1],
    [1, 1],
  ];
  const top = { type: 'impedance', Z: 5.094262706514751, X: 17.64961674772826 };
  const body = {
    ...{ analysis: 'modes', c: 343, rho: 1.2, domain: { type: 'mask', cells, h: 0.35 }, count: 6 },
    boundary: { left: 'rigid', right: 'rigid', bottom: 'rigid', top },
  };
  const { details } = await refusalOf(acoustic, { ...body, N: 8 });
  t.strictSame([details.gate, details.field, details.accepts], ['meshes', 'N', 'N = 16']);
  const { frequencies } = await modesOf({ ...body, N: 16 });
  // k of the sixth and the seventh: 11.158744 and 11.198030 /m, by collocation of degree 11.
  t.ok(relative(frequencies[5]!, (343 * 11.158744049) / (2 * Math.PI)) < 1e-3);
});

t.test('cells between reactances take nothing', async (t) => {
  const { decayRates } = await modesOf({ ...bent, boundary: wall(0, 6) });
  t.strictSame(decayRates, [0, 0]);
});

const besideSpring = {
  ...{ analysis: 'modes', c: 343, rho: 1.2, domain: { type: 'box', Lx: 3.1, Ly: 2.1, Lz: 0.76 } },
  boundary: {
    ...{ left: { type: 'impedance', Z: 0, X: -218 }, right: 'rigid' },
    ...{ bottom: 'rigid', top: 'rigid', front: 'open', back: 'rigid' },
  },
};

t.test('the lowest modes of a box beside a spring are those that fall off from it', async (t) => {
  const { frequencies } = await modesOf({ ...besideSpring, count: 3 });
  // p = cosh q(L − x) cos(jπy/Ly) sin-shaped in z: q tanh qL = βk, k² = (jπ/Ly)² + (π/2Lz)² − q², by halves.
  const beta = (1.2 * 343) / 218;
  for (const j of [0, 1, 2]) {
    const square = ((j * Math.PI) / 2.1) ** 2 + (Math.PI / 2 / 0.76) ** 2;
    let [low, high] = [0, Math.sqrt(square)];
    for (let i = 0; i < 60; i++) {
      const q = (low + high) / 2;
      if (q * Math.tanh(3.1 * q) < beta * Math.sqrt(square - q * q)) low = q;
      else high = q;
    }
    const k = Math.sqrt(square - low * low);
    t.ok(relative(frequencies[j]!, (343 * k) / (2 * Math.PI)) < 1e-3, `${j}: ${frequencies[j]}`);
  }
});

t.test('a box beside a spring of ρc/82 has the modes that run along it', async (t) => {
  const left = { type: 'impedance', Z: 0, X: -5 };
  const boundary = { ...besideSpring.boundary, left };
  const { frequencies } = await modesOf({ ...besideSpring, boundary, count: 6 });
  const beta = (1.2 * 343) / 5;
  const waves = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((j) =>
    [0.5, 1.5, 2.5].map((l) => {
      const square = ((j * Math.PI) / 2.1) ** 2 + ((l * Math.PI) / 0.76) ** 2;
      let [low, high] = [0, Math.sqrt(square)];
      for (let i = 0; i < 80; i++) {
        const q = (low + high) / 2;
        if (q * Math.tanh(3.1 * q) < beta * Math.sqrt(square - q * q)) low = q;
        else high = q;
      }
      return (low * Math.tanh(3.1 * low)) / beta;
    }),
  );
  waves.sort((a, b) => a - b);
  for (const [i, f] of frequencies.entries())
    t.ok(relative(f, (343 * waves[i]!) / (2 * Math.PI)) < 1e-3, `${i}: ${f}`);
});

t.test('springs so soft that anything may come among the lowest are refused', async (t) => {
  const [left, right] = [wall(0, -0.0121), wall(0.73)];
  const { details } = await refusalOf(acoustic, {
    ...{ ...besideSpring, count: 6 },
    boundary: { ...besideSpring.boundary, ...{ left, right } },
  });
  t.match(details, { field: 'boundary', bound: 2000, accepts: /stiffer springs/ });
});

t.test('cells beside a spring have the mode that falls off from it', async (t) => {
  const [rho, c] = [1.2, 343];
  const { frequencies } = await modesOf({
    ...{ analysis: 'modes', c, rho, domain: { type: 'mask', cells: [[1, 1]], h: 0.7 }, count: 2 },
    boundary: { left: 'rigid', bottom: 'rigid', top: 'rigid', right: { type: 'impedance', Z: 0, X: -80 } },
  });
  const beta = (rho * c) / 80;
  // cos(πy/0.7) cosh qx: q tanh 1.4q = βk and k² = (π/0.7)² − q²; cos kx: tan 1.4k = −β.
  const across = Math.PI / 0.7;
  t.ok(relative(frequencies[0]!, (c * across) / Math.hypot(1, beta) / (2 * Math.PI)) < 1e-3);
  t.ok(relative(frequencies[1]!, (c * (Math.PI - Math.atan(beta))) / 1.4 / (2 * Math.PI)) < 1e-3);
});

t.test('cells beside a spring of ρc/20 have the modes that run along it', async (t) => {
  const cells = [
    [1, 1],
    [1, 1],
  ];
  const { frequencies } = await modesOf({
    ...{ analysis: 'modes', c: 343, rho: 1.2, domain: { type: 'mask', cells, h: 1 }, count: 3, N: 12 },
    boundary: { left: wall(0, -0.05), bottom: 'rigid', top: 'rigid', right: 'rigid' },
  });
  for (const j of [1, 2, 3]) {
    // cos(jπy/2) cosh q(2 − x): q tanh 2q = 20k, k² = (jπ/2)² − q², by halves.
    let [low, high] = [0, (j * Math.PI) / 2];
    for (let i = 0; i < 60; i++) {
      const k = (low + high) / 2;
      const q = Math.sqrt(((j * Math.PI) / 2) ** 2 - k * k);
      if (20 * k < q * Math.tanh(2 * q)) low = k;
      else high = k;
    }
    t.ok(relative(frequencies[j - 1]!, (343 * low) / (2 * Math.PI)) < 1e-3, `${j}: ${frequencies[j - 1]}`);
  }
});

t.test('an open side that no air touches is none beside an impedance either', async (t) => {
  const body = {
    ...{
      analysis: 'modes',
      c: 343,
      rho: 1.2,
      domain: { type: 'mask', cells: [[1, 0]], h: 0.5 },
      count: 1,
      N: 8,
    },
    boundary: { left: wall(3), right: 'open', bottom: 'rigid', top: 'rigid' },
  };
  const closed = await modesOf({ ...body, boundary: { ...body.boundary, right: 'rigid' } });
  t.ok(relative((await modesOf(body)).frequencies[0]!, closed.frequencies[0]!) < 1e-6);
});
