import t from 'tap';
import { schrodinger } from '../../src/solvers/schrodinger.ts';
import { refusalOf, solved } from './solver-test.ts';

// Packets that come to the edge of their domain are told one in which they stay, and that is then taken.

const packet = {
  ...{ mode: 'evolve', units: 'reduced', mass: 1, N: 512, t_max: 2, quantity: 'energy' },
  initial: { type: 'gaussian', x0: [1], sigma: 0.5, k0: [2] },
};
const formula = (equation: string) => ({ type: 'formula', equation });
const wells: Readonly<Record<string, object>> = {
  quartic: { type: 'polynomial', terms: [{ c: 0.25, powers: [4] }] },
  'double well': {
    type: 'polynomial',
    terms: [
      { c: -1, powers: [2] },
      { c: 0.25, powers: [4] },
    ],
  },
  'hump of a formula': formula('2*exp(-x^2/4)'),
  'rippled well': formula('0.2*x^2 + 0.3*cos(3*x)'),
  'step of a formula': formula('1 + tanh(x)'),
};

const refusal = async (body: object) => String((await refusalOf(schrodinger, body)).details.accepts);

for (const [title, potential] of Object.entries(wells))
  t.test(`a domain that is named is taken: ${title}`, async (t) => {
    const body = { ...packet, potential, domain: [-2, 3] };
    const [, domain = '', N] = /^domain = (\S+) with N = (\d+)/.exec(await refusal(body)) ?? [];
    const wide = { ...body, domain: JSON.parse(domain), N: Number(N) };
    t.ok(Number.isFinite((await solved(schrodinger, wide)).verdict.value), domain);
  });

t.test(
  'a packet that leaves its table is told how far that should reach, and by when it stays',
  async (t) => {
    const tableTo = (end: number) => {
      const x = Array.from({ length: 20 * end + 1 }, (_, i) => i / 10 - end);
      return { potential: { type: 'table', x, V: x.map((at) => Math.exp(-at * at)) }, domain: [-end, end] };
    };
    const narrow = { ...packet, ...tableTo(8) };
    const said = await refusal({ ...narrow, t_max: 3 });
    const [, low, high, N, time] =
      /^a table from (\S+) to (\S+), with that domain and N = (\d+), or t_max of (\S+)$/.exec(said) ?? [];
    const end = Math.max(-Number(low), Number(high));
    const wide = { ...packet, ...tableTo(end), N: 2 * Number(N), t_max: 3 };
    t.ok(Number.isFinite((await solved(schrodinger, wide)).verdict.value), said);
    t.ok(
      Number.isFinite((await solved(schrodinger, { ...narrow, t_max: Number(time) })).verdict.value),
      said,
    );
  },
);

/** A packet in no potential: without forces ⟨x⟩ = x₀ + k₀t. */
const still = { ...packet, potential: { type: 'free' }, quantity: 'mean' };
const free: Readonly<Record<string, object>> = {
  'short waves that come far': {
    ...{ ...still, N: 256, domain: [-40, 40], t_max: 10 },
    initial: { type: 'gaussian', x0: [0], sigma: 1.5, k0: [8] },
  },
  'steps in which it goes far': {
    ...{ ...still, N: 65536, domain: [-4000, 4000], t_max: 500, dt: 4 },
    initial: { type: 'gaussian', x0: [0], sigma: 20, k0: [16] },
  },
  'a start far outside': {
    ...{ ...still, N: 256, domain: [-40, 40], t_max: 1 },
    initial: { type: 'gaussian', x0: [400], sigma: 1.5, k0: [1] },
  },
};
for (const [title, body] of Object.entries(free))
  t.test(`a domain that is named is taken by a free packet: ${title}`, async (t) => {
    const [, domain = '', N] = /^domain = (\S+) with N = (\d+)/.exec(await refusal(body)) ?? [];
    const { initial, t_max } = body as typeof packet;
    const wide = { ...body, domain: JSON.parse(domain), N: Number(N) };
    const mean = initial.x0[0]! + initial.k0[0]! * t_max;
    t.ok(Math.abs((await solved(schrodinger, wide)).verdict.value / mean - 1) < 1e-9, domain);
  });

t.test('a packet that goes round its domain between the rows, or in long steps, is found out', async (t) => {
  // Thirty-two times; without forces it is at k0 t = 32000 then.
  const round = {
    ...packet,
    ...{ potential: formula('0*x'), domain: [-500, 500], N: 8192, t_max: 3200 / 1.5, quantity: 'mean' },
    initial: { type: 'gaussian', x0: [0], sigma: 45, k0: [15] },
  };
  for (const dt of [2, 20])
    t.match(await refusalOf(schrodinger, { ...round, dt }), { details: { field: 'domain' } });
});

const plane = {
  ...packet,
  ...{
    N: 64,
    t_max: 1,
    domain: [
      [-2, 3],
      [-2, 2],
    ],
  },
  initial: { type: 'gaussian', x0: [1, 0], sigma: 0.5, k0: [1, -1] },
};
const inPlane: Readonly<Record<string, object>> = {
  'coupled wells': {
    type: 'polynomial',
    terms: [
      { c: 0.5, powers: [2, 0] },
      { c: 0.8, powers: [0, 2] },
      { c: 0.05, powers: [2, 2] },
    ],
  },
  'a hump in a valley': formula('0.5*y^2 + exp(-x^2/4)'),
};

for (const [title, potential] of Object.entries(inPlane))
  t.test(`a domain that is named is taken in the plane: ${title}`, async (t) => {
    const body = { ...plane, potential };
    const [, domain = '', N = ''] = /^domain = (\S+) with N = (\S+),/.exec(await refusal(body)) ?? [];
    const wide = { ...body, domain: JSON.parse(domain), N: JSON.parse(N) };
    t.ok(Number.isFinite((await solved(schrodinger, wide)).verdict.value), domain);
  });

t.test('a packet too fast for any domain in the plane is told by when it stays in its own', async (t) => {
  const fast = {
    ...{
      ...plane,
      N: 256,
      potential: formula('exp(-x^2)'),
      domain: [
        [-20, 20],
        [-20, 20],
      ],
      t_max: 40,
    },
    initial: { ...plane.initial, k0: [8, 0] },
  };
  const said = await refusal(fast);
  const [, time] = /^t_max of (\S+), or/.exec(said) ?? [];
  t.ok(Number.isFinite((await solved(schrodinger, { ...fast, t_max: Number(time) })).verdict.value), said);
});

t.test('the N that a formula between the nodes asks for is taken', async (t) => {
  const spike = {
    ...{ ...packet, N: 256, t_max: 0.2, domain: [-16, 16] },
    potential: formula('0.5*x^2 + 0.3*exp(-((x - 1)/0.12)^2)'),
  };
  const [, N] = /^N = (\d+), or/.exec(await refusal(spike)) ?? [];
  t.ok(Number.isFinite((await solved(schrodinger, { ...spike, N: Number(N) })).verdict.value), N);
});
