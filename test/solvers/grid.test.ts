import fc from 'fast-check';
import t from 'tap';
import { grid } from '../../src/solvers/grid.ts';
import { networkOf } from '../../src/solvers/power-flow/network.ts';
import type { Refused } from './refusals.ts';
import { fieldOf, inputOf, refusalOf, solved as solvedBy, type Twin, testSolver } from './solver-test.ts';

t.setTimeout(120_000);

const solved = (body: object) => solvedBy(grid, body);
const value = async (body: object) => (await solved(body)).verdict.value;
const near = (a: number, b: number, error = 1e-9) => Math.abs(a - b) <= error * Math.max(1, Math.abs(b));
const python = 'Newton’s method with dense elimination, in Python; data of MATPOWER';

// ---- laws ----------------------------------------------------------------------------------------------

/** A ladder of `rungs` pairs of buses, fed at its first, with a generator at its last. */
function ladder(rungs: number, load: number) {
  const bus = (k: number) => ({ bus: 10 * (k + 1), type: k === 0 ? 3 : k === 2 * rungs - 1 ? 2 : 1 });
  const line = (f: number, t: number, k: number) => ({
    ...{ fbus: 10 * (f + 1), tbus: 10 * (t + 1), r: 0.002, x: 0.01 + 0.001 * (k % 5), b: 0.002 * (k % 3) },
    ...(k % 4 < 2 && { ratio: k % 4 ? 0.99 : 1.01, angle: k % 4 ? 0.5 : -0.5 }),
  });
  const pairs = Array.from({ length: rungs }, (_, k) => [2 * k, 2 * k + 1]);
  const rails = [0, 1].flatMap((side) =>
    Array.from({ length: rungs - 1 }, (_, k) => [2 * k + side, 2 * k + 2 + side]),
  );
  return {
    baseMVA: 100,
    buses: Array.from({ length: 2 * rungs }, (_, k) => ({ ...bus(k), Pd: load, Qd: 0.3 * load })),
    generators: [
      { bus: 10, Pg: 0, Vg: 1.02 },
      { bus: 20 * rungs, Pg: rungs * load, Vg: 1.01 },
    ],
    branches: [...pairs, ...rails].map(([f, t], k) => line(f!, t!, k)),
  };
}

t.test(
  'any two buses are the root of their quadratic, near the nose too, where it is the upper one',
  async (t) => {
    const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        share(0.001, 0.1),
        share(0.01, 0.5),
        share(0.01, 0.9),
        share(-0.3, 0.6),
        async (r, x, size, tan) => {
          const lean = r + x * tan;
          const most = (Math.sqrt((r * r + x * x) * (1 + tan * tan)) - lean) / (2 * (x - r * tan) ** 2);
          const P = size * most;
          const Q = P * tan;
          const body = {
            network: {
              baseMVA: 50,
              buses: [
                { bus: 1, type: 3, Pd: 0, Qd: 0 },
                { bus: 2, type: 1, Pd: 50 * P, Qd: 50 * Q },
              ],
              generators: [{ bus: 1, Pg: 0, Vg: 1 }],
              branches: [{ fbus: 1, tbus: 2, r, x, b: 0 }],
            },
            quantity: 'voltage',
            bus: 2,
          };
          const half = 0.5 - (P * r + Q * x);
          const square = half + Math.sqrt(half * half - (P * P + Q * Q) * (r * r + x * x));
          t.ok(near(await value(body), Math.sqrt(square), 1e-9));
        },
      ),
      { numRuns: 30, seed: 11 },
    );
  },
);

t.test('a network renumbered and in another order is the same network', async (t) => {
  const { baseMVA, buses, generators, branches } = networkOf('ieee30');
  const renumber = (bus: number) => (bus * 17) % 31;
  const network = {
    baseMVA,
    buses: buses.map((bus) => ({ ...bus, bus: renumber(bus.bus) })).reverse(),
    generators: generators.map((each) => ({ ...each, bus: renumber(each.bus) })),
    branches: branches.map((each) => ({ ...each, fbus: renumber(each.fbus), tbus: renumber(each.tbus) })),
  };
  const a = await value({ case: 'ieee30', quantity: 'angle', bus: 30 });
  const b = await value({ network, quantity: 'angle', bus: renumber(30) });
  t.ok(near(a, b, 1e-12));
});

t.test(
  'a quote knows what a factorisation takes: each iteration of a random mesh is a twenty-first of it',
  async (t) => {
    const size = fc.record({ buses: fc.integer({ min: 2, max: 40 }), seed: fc.nat() });
    for (const { buses, seed } of fc.sample(size, { numRuns: 8, seed: 3 })) {
      const chord = (i: number) => ((seed % 1009) * (i + 1)) % i;
      const lines = Array.from({ length: buses - 1 }, (_, i) => [i + 2, 1 + chord(i + 1)]);
      const ring = Array.from({ length: buses - 2 }, (_, i) => [i + 2, i + 3]);
      const body = {
        network: {
          baseMVA: 100,
          buses: Array.from({ length: buses }, (_, i) => ({
            bus: i + 1,
            type: i === 0 ? 3 : 1,
            Pd: 1,
            Qd: 0.5,
          })),
          generators: [{ bus: 1, Pg: 0, Vg: 1 }],
          branches: [...lines, ...ring].map(([fbus, tbus]) => ({ fbus, tbus, r: 0.01, x: 0.05, b: 0 })),
        },
        quantity: 'loss',
      };
      const input = inputOf(grid, body);
      const context = { requestHash: new Uint8Array(32) };
      const { finished } = await solved(body);
      const [polar] = grid.plan(input, context).runs;
      t.equal(Number(finished[0]!.work) % (polar!.work / 21), 0, `${buses} buses`);
      const spent = finished.reduce((sum, { work }) => sum + Number(work), 0);
      const ratio = grid.quote(input, context).work / spent;
      t.ok(ratio >= 1 && ratio <= 6, `${buses} buses: ${ratio}`);
    }
  },
);

t.test('a phase shifter turns what hangs on it and nothing else', async (t) => {
  const network = (angle: number) => ({
    baseMVA: 100,
    buses: [1, 2, 3].map((bus) => ({ bus, type: bus === 1 ? 3 : 1, Pd: 20, Qd: 5 })),
    generators: [{ bus: 1, Pg: 0, Vg: 1.03 }],
    branches: [
      { fbus: 1, tbus: 2, r: 0.01, x: 0.1, b: 0.02, ratio: 0.97, angle },
      { fbus: 2, tbus: 3, r: 0.02, x: 0.2, b: 0.01 },
    ],
  });
  const ask = (angle: number, quantity: string, bus: number) =>
    value({ network: network(angle), quantity, bus });
  for (const angle of [25, 150, 180, -150])
    for (const bus of [2, 3]) {
      t.ok(near(await ask(angle, 'voltage', bus), await ask(0, 'voltage', bus), 1e-12));
      const turned = (await ask(0, 'angle', bus)) - angle;
      t.ok(near(await ask(angle, 'angle', bus), turned > -180 ? turned : turned + 360, 1e-11));
    }
});

t.test('transformers one behind the other turn by what is left of whole turns', async (t) => {
  const count = 13;
  const network = {
    baseMVA: 100,
    buses: Array.from({ length: count }, (_, i) => ({ bus: i, type: i === 0 ? 3 : 1, Pd: 0, Qd: 0 })),
    generators: [{ bus: 0, Pg: 0, Vg: 1 }],
    branches: Array.from({ length: count - 1 }, (_, i) => ({
      ...{ fbus: i, tbus: i + 1, r: 0.01, x: 0.1, b: 0, angle: 150 },
    })),
  };
  // Without load the angle at bus k is −150° k.
  for (const [bus, expected] of [
    [1, -150],
    [2, 60],
    [5, -30],
    [12, 0],
  ] as const) {
    t.ok(Math.abs((await value({ network, quantity: 'angle', bus })) - expected) < 1e-9);
    const shown = fieldOf(await solved({ network, quantity: 'angle', bus }), 'angle');
    t.ok(Math.abs(shown[bus]! - expected) < 1e-9);
  }
});

t.test('transformers of any vector group between generators and the network change no loss', async (t) => {
  const network = networkOf('ieee9');
  const atGenerator = new Set(network.generators.map(({ bus }) => bus));
  for (const groups of [
    [150, 150, 150],
    [180, 180, 180],
    [-30, 150, 180],
    [300, 30, -150],
  ]) {
    let next = 0;
    const branches = network.branches.map((each) =>
      atGenerator.has(each.fbus) || atGenerator.has(each.tbus) ? { ...each, angle: groups[next++]! } : each,
    );
    t.equal(next, 3);
    const found = await value({ network: { ...network, branches }, quantity: 'loss' });
    t.ok(near(found, 4.641021474482, 1e-9), `${groups}: ${found} MW`);
  }
});

t.test('parallel branches are one of half the impedance; one that is out leaves the other', async (t) => {
  const network = networkOf('ieee9');
  const [first, ...others] = network.branches;
  const twice = { ...network, branches: [first, first, ...others] };
  const half = { ...network, branches: [{ ...first!, x: first!.x / 2 }, ...others] };
  const ask = { quantity: 'angle', bus: 5 };
  t.ok(near(await value({ network: twice, ...ask }), await value({ network: half, ...ask }), 1e-12));
  t.ok(
    near(
      await value({ network: twice, ...ask, outages: [1] }),
      await value({ case: 'ieee9', ...ask }),
      1e-12,
    ),
  );
});

t.test('an isolated bus, with what hangs on it, is not there', async (t) => {
  const { buses, ...network } = networkOf('ieee9');
  const lonely = { bus: 77, type: 4, Pd: 500, Qd: 0 };
  const branches = [...network.branches, { fbus: 77, tbus: 5, r: 0, x: 0.1, b: 0 }];
  const body = { network: { ...network, buses: [...buses, lonely], branches }, quantity: 'loss' };
  t.ok(near(await value(body), 4.641021474482, 1e-9));
  const { code } = await refusalOf(grid, { ...body, quantity: 'voltage', bus: 77 });
  t.equal(code, 'INVALID_INPUT');
});

t.test(
  'reactive limits hold: every generator is inside them, or at one with its voltage on that side',
  async (t) => {
    for (const name of ['ieee14', 'ieee30uw'] as const) {
      for (const loadScale of [0.6, 1, 1.3]) {
        const job = await solved({ case: name, quantity: 'loss', enforceQ: true, loadScale });
        const held = fieldOf(job, 'held');
        const Q = fieldOf(job, 'Q');
        const buses = networkOf(name).buses;
        for (const { bus, Qmin, Qmax, Vg } of networkOf(name).generators) {
          const i = buses.findIndex((each) => each.bus === bus);
          if (buses[i]!.type === 3) continue;
          const output = Q[i]! + loadScale * buses[i]!.Qd;
          t.ok(output > Qmin! - 1e-6 && output < Qmax! + 1e-6, `${name} × ${loadScale}: ${output} at ${bus}`);
          if (held[i]) t.ok(held[i]! * (fieldOf(job, 'V')[i]! - Vg) < 1e-6);
        }
      }
    }
  },
);

t.test('the 30 buses of the archive with their limits are what it prints, to its four digits', async (t) => {
  const job = await solved({ case: 'ieee30uw', quantity: 'slack', enforceQ: true });
  t.ok(near(job.verdict.value, 260.2, 4e-3), 'archive: 260.2 MW');
  t.ok(near(fieldOf(job, 'V')[29]!, 0.992, 1e-3), 'archive: 0.992 pu at bus 30');
});

t.test('two hundred buses with taps are held to 1e-9', async (t) => {
  const job = await solved({ network: ladder(100, 0.05), quantity: 'loss' });
  t.ok(job.verdict.precisionActual < 1e-9);
  const [P, lines] = [fieldOf(job, 'P'), fieldOf(job, 'fromP')];
  t.equal(P.length, 200);
  t.equal(lines.length, 100 + 2 * 99);
});

t.test('losses are the sum of both ends, and fields stand in the order of their buses', async (t) => {
  const job = await solved({ case: 'ieee14', quantity: 'flow', branch: 3 });
  const [from, to] = [fieldOf(job, 'fromP'), fieldOf(job, 'toP')];
  const lost = from.reduce((sum, P, l) => sum + P + to[l]!, 0);
  t.ok(near(lost, 13.393272357898, 1e-9));
  t.equal(job.verdict.value, from[3]);
  t.strictSame(
    [...fieldOf(job, 'bus')],
    Array.from({ length: 14 }, (_, i) => i + 1),
  );
  t.strictSame([fieldOf(job, 'fbus')[19], fieldOf(job, 'tbus')[19]], [13, 14]);
});

// ---- what every solver must show -----------------------------------------------------------------------

const loss14 = { case: 'ieee14', quantity: 'loss' };
const twin = (title: string, file: string, find: string, replace: string, body: object = loss14): Twin => ({
  ...{ title, body, find, replace },
  file: `assembly/power/${file}.ts`,
});
const reference = (title: string, body: object, expect: number, tolerance = 1e-7) => ({
  ...{ title, body, expect, tolerance },
  source: python,
});
const at = (name: string, quantity: string, bus: number) => ({ case: name, quantity, bus });

// ---- requests that are refused -------------------------------------------------------------------------

const loss = { quantity: 'loss' };
const ieee14 = { case: 'ieee14', ...loss };
const slack = { bus: 1, type: 3, Pd: 0, Qd: 0 };
const load = { bus: 2, type: 1, Pd: 50, Qd: 20 };
const source = { bus: 1, Pg: 0, Vg: 1 };
const line = { fbus: 1, tbus: 2, r: 0.02, x: 0.1, b: 0 };
const pair = { baseMVA: 100, buses: [slack, load], generators: [source], branches: [line] };
const of = (changes: object, more: object = {}) => ({ network: { ...pair, ...changes }, ...loss, ...more });
const wrong = 'INVALID_INPUT';
const missing = 'MISSING_INPUT';

const refused: readonly Refused[] = [
  { title: 'no network', body: loss, code: missing, field: 'network' },
  { title: 'two networks', body: { ...ieee14, network: pair }, code: wrong, field: 'network' },
  { title: 'no quantity', body: { case: 'ieee14' }, code: missing, field: 'quantity' },
  { title: 'an unknown case', body: { ...ieee14, case: 'ieee15' }, code: wrong, field: 'case' },
  { title: 'a voltage nowhere', body: { case: 'ieee14', quantity: 'voltage' }, code: missing, field: 'bus' },
  {
    title: 'a bus that is not there',
    body: { case: 'ieee14', quantity: 'voltage', bus: 15 },
    code: wrong,
    field: 'bus',
  },
  {
    title: 'a branch that is not there',
    body: { case: 'ieee14', quantity: 'flow', branch: 20 },
    code: wrong,
    field: 'branch',
  },
  {
    title: 'the flow of a branch that is out',
    body: { case: 'ieee14', quantity: 'flow', branch: 2, outages: [2] },
    code: wrong,
    field: 'branch',
  },
  {
    title: 'an outage that is not there',
    body: { ...ieee14, outages: [1, 40] },
    code: wrong,
    field: 'outages[1]',
  },
  { title: 'an island', body: { ...ieee14, outages: [13] }, code: wrong, field: 'outages' },
  {
    title: 'a voltage below 0',
    body: of({ buses: [slack, { ...load, Vm: -1 }] }),
    code: wrong,
    field: 'network.buses[1].Vm',
  },
  {
    title: 'a base below 0',
    body: of({ buses: [{ ...slack, baseKV: -1 }, load] }),
    code: wrong,
    field: 'network.buses[0].baseKV',
  },
  {
    title: 'no slack',
    body: of({ buses: [{ ...slack, type: 2 }, load] }),
    code: wrong,
    field: 'network.buses',
  },
  {
    title: 'two slacks',
    body: of({ buses: [slack, { ...load, type: 3 }], generators: [source, { bus: 2, Pg: 0, Vg: 1 }] }),
    code: wrong,
    field: 'network.buses',
  },
  { title: 'a bus twice', body: of({ buses: [slack, slack] }), code: wrong, field: 'network.buses[1].bus' },
  {
    title: 'a slack without a generator',
    body: of({ generators: [] }),
    code: wrong,
    field: 'network.generators',
  },
  {
    title: 'a branch without impedance',
    body: of({ branches: [{ ...line, r: 0, x: 0 }] }),
    code: wrong,
    field: 'network.branches[0].x',
  },
  {
    title: 'a branch to nowhere',
    body: of({ branches: [{ ...line, tbus: 7 }] }),
    code: wrong,
    field: 'network.branches[0].tbus',
  },
  {
    title: 'generators that disagree',
    body: of({ generators: [source, { ...source, Vg: 1.02 }] }),
    code: wrong,
    field: 'network.generators[1].Vg',
  },
  {
    title: 'limits that are not given',
    body: of(
      { buses: [slack, { ...load, type: 2 }], generators: [source, { bus: 2, Pg: 0, Vg: 1 }] },
      { enforceQ: true },
    ),
    code: missing,
    field: 'network.generators[1].Qmin',
  },
  { title: 'a negative load scale', body: { ...ieee14, loadScale: -1 }, code: wrong, field: 'loadScale' },
  { title: 'a voltage collapse', body: { ...ieee14, loadScale: 5 }, code: 'DID_NOT_CONVERGE' },
  {
    title: 'a phase shift of 120° beside a line',
    body: of({ branches: [line, { ...line, x: 0.05, angle: 120 }] }),
    code: 'OUTSIDE_TOLERANCE',
    says: /phase shifts that add up to little around every loop/,
  },
];

testSolver(grid, {
  orders: 'algebraic equations that are solved to rounding, nothing is discretised',
  references: [
    reference('9 buses, V₅', at('ieee9', 'voltage', 5), 1.01265432),
    reference('9 buses, V₉', at('ieee9', 'voltage', 9), 0.99563086),
    reference('9 buses, θ₉', at('ieee9', 'angle', 9), -3.988805, 1e-6),
    reference('9 buses, losses', { case: 'ieee9', quantity: 'loss' }, 4.64102147),
    reference('9 buses, slack', { case: 'ieee9', quantity: 'slack' }, 71.641021),
    reference('9 buses at 1 pu, V₅', at('ieee9flat', 'voltage', 5), 0.97547218),
    reference('9 buses at 1 pu, V₉', at('ieee9flat', 'voltage', 9), 0.95762104),
    reference('9 buses at 1 pu, θ₉', at('ieee9flat', 'angle', 9), -4.349934, 1e-6),
    reference('9 buses at 1 pu, losses', { case: 'ieee9flat', quantity: 'loss' }, 4.954702),
    reference('9 buses at 1 pu, slack', { case: 'ieee9flat', quantity: 'slack' }, 71.954702),
    reference('14 buses, V₄', at('ieee14', 'voltage', 4), 1.01767085),
    reference('14 buses, V₁₄', at('ieee14', 'voltage', 14), 1.03552995),
    reference('14 buses, θ₁₄', at('ieee14', 'angle', 14), -16.033645),
    reference('14 buses, slack', { case: 'ieee14', quantity: 'slack' }, 232.393272),
    reference('30 buses, V₈', at('ieee30', 'voltage', 8), 0.96062371),
    reference('30 buses, V₃₀', at('ieee30', 'voltage', 30), 0.96788288),
    reference('30 buses, θ₃₀', at('ieee30', 'angle', 30), -3.041524, 1e-6),
    reference('14 buses, losses', { case: 'ieee14', quantity: 'loss' }, 13.393272),
    reference('30 buses, losses', { case: 'ieee30', quantity: 'loss' }, 2.443803, 1e-6),
    reference('30 buses of the archive, losses', { case: 'ieee30uw', quantity: 'loss' }, 17.556947908589),
  ],
  twins: [
    twin('a line that charges once as much', 'network', 'half = 0.5 * branch(l, 32)', 'half = branch(l, 32)'),
    twin('taps that are not squared', 'network', '(b + half) / (tau * tau)', '(b + half) / tau'),
    twin('shunts that take instead of feed', 'network', 'bus(i, 32) / base', '-bus(i, 32) / base'),
    twin('loads that feed', 'network', '(bus(i, 48) - scale', '(bus(i, 48) + scale'),
    twin(
      'reactive power of the wrong sign',
      'polar',
      'q += second(k) * (G * s - B * c)',
      'q += second(k) * (G * s + B * c)',
    ),
    twin('a slack that turns', 'network', 'reach(i, slackAngle(),', 'reach(i, 0.01,'),
    twin('limits that are wider', 'polar', 'mostReactive(i) + 1e-9', 'mostReactive(i) + 0.5', {
      ...{ case: 'ieee14', quantity: 'loss', enforceQ: true, loadScale: 1.3 },
    }),
  ],
  refused,
});
