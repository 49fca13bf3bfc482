import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { canonicalBytes } from '../../src/proof/canonical.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { verifyInclusion } from '../../src/proof/log-tree.ts';
import { leafHash, merkleRoot } from '../../src/proof/merkle.ts';
import { pathOf, without } from '../../src/solvers/compose/path.ts';
import { linear, logarithmic } from '../../src/solvers/lattice/coordinates.ts';
import type { LatticeInput } from '../../src/solvers/lattice/schema.ts';
import { latticeOver } from '../../src/solvers/lattice.ts';
import { solverOf, solvers } from '../../src/solvers/registry.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { add, ofDouble, toDouble } from '../../src/units/fraction.ts';
import { engineVersion } from '../../src/version.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { kernelDigest, runKernel } from './run-job.ts';
import { fieldOf, inputOf, refusalOf, solved as solvedBy, type Twin, testSolver } from './solver-test.ts';

const lattice = solverOf('lattice') as Solver<LatticeInput>;
const solved = (body: object) => solvedBy(lattice, body);

const kinetic = {
  solver: 'compute',
  inputs: { equation: 'm*v^2/2', inputs: {} },
  axes: [
    { name: 'inputs.m', values: [1, 2] },
    { name: 'inputs.v', start: 0, stop: 3, count: 3 },
  ],
  reduce: 'max',
};
const decay = {
  solver: 'solve',
  inputs: { inputs: { c: 1, y0: 5, t_end: 4 } },
  axes: [{ name: 'inputs.k', values: [0.1, 0.2, 0.3] }],
  reduce: 'max',
};

// ---- the tree ------------------------------------------------------------------------------------------

function leafBytes(index: number, coordinates: readonly number[], value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(16 + 8 * coordinates.length));
  view.setBigUint64(0, BigInt(index), true);
  for (const [i, x] of [...coordinates, value].entries()) view.setFloat64(8 + 8 * i, x, true);
  return new Uint8Array(view.buffer);
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const grid = (...axes: number[][]): number[][] =>
  axes.reduce<number[][]>((points, axis) => points.flatMap((point) => axis.map((x) => [...point, x])), [[]]);

t.test('the root is that of RFC 6962 over the leaves, for any shape of grid', async (t) => {
  const axis = fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(fc.array(axis, { minLength: 1, maxLength: 4 }), async (axes) => {
      const names = ['a', 'b', 'c', 'd'].slice(0, axes.length);
      const body = {
        solver: 'compute',
        inputs: { equation: names.join(' + '), inputs: {} },
        axes: names.map((name, k) => ({ name: `inputs.${name}`, values: axes[k] })),
        reduce: 'sum',
      };
      const { presentation } = await solved(body);
      const leaves = grid(...axes).map((point, i) =>
        leafBytes(
          i,
          point,
          point.reduce((sum, x) => sum + x, 0),
        ),
      );
      t.equal(presentation.outputs.pointsRoot, hex(merkleRoot(leaves)));
    }),
    { numRuns: 25 },
  );
});

t.test('of thousands of points too, whose nodes are hashed by a table', async (t) => {
  const values = Array.from({ length: 1025 }, (_, i) => i / 8);
  const body = {
    ...{ solver: 'compute', inputs: { equation: 'x', inputs: {} }, reduce: 'sum' },
    axes: [{ name: 'inputs.x', values }],
  };
  const { presentation } = await solved(body);
  const leaves = values.map((x, i) => leafBytes(i, [x], x));
  t.equal(presentation.outputs.pointsRoot, hex(merkleRoot(leaves)));
});

t.test('the proof of every point leads to the root, and to no other', async (t) => {
  for (const count of [1, 2, 3, 6, 13]) {
    const values = Array.from({ length: count }, (_, i) => i + 1);
    const body = {
      solver: 'compute',
      inputs: { equation: '2*x', inputs: {} },
      axes: [{ name: 'inputs.x', values }],
      reduce: 'max',
      proofs: values.map((_, i) => i),
    };
    const { outputs } = (await solved(body)).presentation;
    const root = Buffer.from(outputs.pointsRoot as string, 'hex');
    type Proof = { index: number; coordinates: Record<string, number>; value: number; path: string[] };
    for (const { index, coordinates, value, path } of outputs.proofs as Proof[]) {
      const nodes = path.map((node) => new Uint8Array(Buffer.from(node, 'hex')));
      const leaf = leafHash(leafBytes(index, [coordinates['inputs.x']!], value));
      t.ok(verifyInclusion(index, count, leaf, nodes, root), `point ${index} of ${count}`);
      const other = leafHash(leafBytes(index, [coordinates['inputs.x']!], value + 1));
      t.notOk(verifyInclusion(index, count, other, nodes, root));
    }
  }
});

t.test('two points that are swapped make another root', async (t) => {
  const rootOf = async (values: number[]) => {
    const axes = [{ name: 'inputs.x', values }];
    const body = { solver: 'compute', inputs: { equation: 'x', inputs: {} }, axes, reduce: 'sum' };
    return (await solved(body)).presentation.outputs.pointsRoot;
  };
  t.not(await rootOf([1, 2, 3, 4]), await rootOf([1, 3, 2, 4]));
});

t.test('the header binds target, axes, their units and the engine', async (t) => {
  const headerOf = async (change: object) =>
    (await solved({ ...kinetic, ...change })).presentation.outputs.headerHash;
  const whole = await headerOf({});
  const [m, v] = kinetic.axes;
  const equation = { inputs: { equation: 'm*v^2/2 + 0', inputs: {} } };
  for (const change of [{ axes: [{ ...m, unit: 'kg' }, v] }, { axes: [m, { ...v, stop: 4 }] }, equation])
    t.not(await headerOf(change), whole);
  t.equal(await headerOf({ reduce: 'min' }), whole);
  const header = {
    target: { solver: 'compute', inputs: kinetic.inputs },
    axes: kinetic.axes,
    unit: null,
    engine_version: engineVersion,
  };
  t.equal(whole, createHash('sha256').update(canonicalBytes(header)).digest('hex'));
});

t.test('root and value do not depend on the number of threads', async (t) => {
  const roots = [];
  for (const threads of [1, 2, 5]) {
    const pool = new ThreadPool({ threads });
    const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('none')) };
    const input = inputOf(lattice, decay);
    const { finished, verdict } = await executeRounds(
      lattice,
      input,
      context,
      async ({ kernel, stepsPerSegment, work, memory }, parameters) => {
        return pool.execute({ kernel: kernelDigest(kernel), parameters, stepsPerSegment, memory, work });
      },
    );
    await pool.close();
    roots.push([verdict.value, lattice.present(input, verdict, finished).outputs.pointsRoot]);
  }
  t.same(roots, [roots[0], roots[0], roots[0]]);
});

t.test('the answer says which axes its values run over, in which units', async (t) => {
  const axes = [
    { name: 'inputs.m', values: [1, 2], unit: 'kg' },
    { name: 'inputs.v', start: 0, stop: 3, count: 3, unit: 'km/h' },
  ];
  const { outputs, fields } = (await solved({ ...kinetic, axes })).presentation;
  t.same(outputs.axes, [
    { name: 'inputs.m', unit: 'kg', count: 2 },
    { name: 'inputs.v', unit: 'km/h', count: 3 },
  ]);
  for (const name of ['values', 'precisionActual', 'uncertainty'])
    t.same(fields.find((field) => field.name === name)!.shape, [2, 3], name);
  for (const [unit, target] of [
    ['s', { system: 'harmonic', m: 1, k: 1, q0: 1, p0: 0, t_max: 1 }],
    ['1', { system: 'henon-heiles', lambda: 1, q0: [0, 0.1], p0: [0.35, 0], t_max: 1 }],
  ] as const) {
    const steps = { solver: 'action', inputs: target, axes: [{ name: 'dt', values: [0.01, 0.02] }] };
    const { outputs } = (await solved({ ...steps, reduce: 'max' })).presentation;
    t.match(outputs.axes, [{ unit }], `a step of ${target.system}`);
  }
  const plain = (await solved(kinetic)).presentation;
  t.match(plain.outputs.axes, [{ unit: null }, { unit: null }], 'numbers without a unit have none here');
});

// ---- reductions ----------------------------------------------------------------------------------------

/** By fractions, rounded once. */
const exactSum = (values: readonly number[]): number =>
  toDouble(values.map(ofDouble).reduce((total, x) => add(total, x)));

t.test('the reductions are those of the values: extremes, the sum, its mean, one point', async (t) => {
  const body = {
    solver: 'compute',
    inputs: { equation: 'sin(a)*b', inputs: {} },
    axes: [
      { name: 'inputs.a', start: 0.1, stop: 3, count: 700 },
      { name: 'inputs.b', values: [-1, 0.5, 3] },
    ],
  };
  const values = [...fieldOf(await solved({ ...body, reduce: 'sum' }), 'values')];
  const valueAfter = async (change: object) => (await solved({ ...body, ...change })).verdict.value;
  t.equal(await valueAfter({ reduce: 'max' }), Math.max(...values));
  t.equal(await valueAfter({ reduce: 'min' }), Math.min(...values));
  t.equal(await valueAfter({ reduce: 'sum' }), exactSum(values));
  t.equal(await valueAfter({ reduce: 'mean' }), exactSum(values) / values.length);
  t.equal(await valueAfter({ reduce: 'at', at: [17, 2] }), values[17 * 3 + 2]);
});

t.test('a sum of points that are exact loses nothing', async (t) => {
  const of = (values: number[], reduce: string) =>
    solved({
      solver: 'compute',
      inputs: { equation: 'x', inputs: {} },
      axes: [{ name: 'inputs.x', values }],
      reduce,
    });
  for (const values of [[1e16, 1, -1e16], [1, 1e100, 3, -1e100].slice(0, 3), [0.1, 0.2, 0.3, -0.6]]) {
    t.equal((await of(values, 'sum')).verdict.value, exactSum(values), String(values));
    t.equal((await of(values, 'mean')).verdict.value, exactSum(values) / values.length);
  }
});

t.test('a sum of points that were rounded is refused where they cancel', async (t) => {
  for (const [equation, values] of [
    ['x/3', [1e14, 3.1e14, -4.1e14, 1]], // 1/3, by fractions
    ['x*sqrt(2)', [1e16, 3e16, -4e16, 1]], // √2
  ] as const)
    await t.rejects(
      solved({
        solver: 'compute',
        inputs: { equation, inputs: {} },
        axes: [{ name: 'inputs.x', values: [...values] }],
        reduce: 'sum',
      }),
      equation,
    );
});

t.test('a sum that cancels is sealed only as far as its points are known', async (t) => {
  const pair = (y0: number[]) => ({
    solver: 'solve',
    inputs: { inputs: { c: 1, k: 0.3, t_end: 4 } },
    axes: [{ name: 'inputs.y0', values: y0 }],
    reduce: 'sum',
  });
  const { code, details } = await refusalOf(lattice, pair([5, -5 * (1 + 1e-9)]));
  t.same([code, details.gate], ['OUTSIDE_TOLERANCE', 'reduction']);
  t.match(details, { field: 'reduce', accepts: /^max, min or at/ });
  const { verdict } = await solved(pair([5, -4]));
  t.ok(Math.abs(verdict.value / Math.exp(-1.2) - 1) < 1e-9);
});

// ---- a point is the job that was asked alone -------------------------------------------------------------

async function alone<Input>(solver: Solver<Input>, body: object): Promise<readonly FinishedRun[]> {
  const input = inputOf(solver, body);
  const requestHash = createHash('sha256').update(canonicalBytes(input)).digest();
  const context = { requestHash, blob: () => Promise.reject(new Error('none')) };
  const job = await executeRounds(solver, input, context, async (plan, parameters) =>
    runKernel(plan.kernel, parameters, plan.stepsPerSegment),
  );
  return job.finished;
}

const composed: [title: string, body: LatticeInput, points: object[]][] = [
  [
    'three levels and a verdict (solve)',
    decay as unknown as LatticeInput,
    [0.1, 0.2, 0.3].map((k) => ({ inputs: { c: 1, y0: 5, t_end: 4, k } })),
  ],
  [
    'a seed of its own, and rounds until the error is small (gauge)',
    {
      solver: 'gauge',
      inputs: { group: 'Z2', L: 8 },
      axes: [{ name: 'beta', values: [0.4, 0.5] }],
      reduce: 'max',
    },
    [0.4, 0.5].map((beta) => ({ group: 'Z2', L: 8, beta })),
  ],
  [
    'slices of results and rows (zeta)',
    { solver: 'zeta', inputs: { mode: 'zero' }, axes: [{ name: 'n', values: [1, 50] }], reduce: 'max' },
    [1, 50].map((n) => ({ mode: 'zero', n })),
  ],
];

for (const [title, body, points] of composed) {
  t.test(`each point has the runs of the job that was asked alone: ${title}`, async (t) => {
    const job = await solved(body);
    const expected = [];
    for (const point of points) expected.push(await alone(solverOf(body.solver!), point));
    const of = (runs: readonly FinishedRun[]) =>
      runs.map(({ runHash, digests }) => `${runHash} ${hex(digests.at(-1)!)}`);
    t.same(of(job.finished.slice(0, -1)).sort(), expected.flatMap(of).sort());
    const verdicts = expected.map((runs) => new Float64Array(runs.at(-1)!.result.slice().buffer));
    t.same(
      [...fieldOf(job, 'values')],
      verdicts.map(([value]) => value),
    );
    t.same(
      [...fieldOf(job, 'precisionActual')],
      verdicts.map(([, precision]) => precision),
    );
    t.equal(
      Math.max(...verdicts.map(([, precision]) => precision!)) <= job.verdict.precisionActual,
      true,
      'and none is better in the whole than alone',
    );
  });
}

/** The first number in a body, with its path as an axis names it; one in a list only where there is no other. */
function numberIn(body: object, lists = false, path = ''): { name: string; value: number } | undefined {
  for (const [key, inner] of Object.entries(body)) {
    const name = Array.isArray(body) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
    if (typeof inner === 'number') return { name, value: inner };
    if (typeof inner !== 'object' || inner === null || 'unit' in inner) continue;
    const found = Array.isArray(inner) && !lists ? undefined : numberIn(inner, lists, name);
    if (found) return found;
  }
  return lists || path ? undefined : numberIn(body, true);
}

/** Work of a job that is run twice here; of a dearer one the first round is compared. */
const CHEAP = 50_000_000;

for (const solver of solvers.filter(({ id, refusal }) => id !== 'compute' && !refusal)) {
  t.test(`a lattice takes ${solver.id} as it stands, and plans the runs that it plans alone`, async (t) => {
    const bodies = solver.examples.flatMap(({ body }) => (numberIn(body) ? [body] : []));
    t.ok(bodies.length, 'there is a number to sweep');
    for (const example of bodies.slice(0, 3)) {
      const { name, value } = numberIn(example)!;
      const axes = [{ name, values: [value] }];
      const inputs = without(example, pathOf(name)!);
      const body = { solver: solver.id, inputs, axes, reduce: 'at', at: [0] };
      const input = inputOf(lattice, body);
      const own = inputOf(solver, example);
      const requestHash = createHash('sha256').update(canonicalBytes(own)).digest();
      const partsOf = ({ runs }: { runs: readonly { parts: unknown }[] }) => runs.map(({ parts }) => parts);
      t.same(partsOf(lattice.plan(input, { requestHash })), partsOf(solver.plan(own, { requestHash })), name);
      if (lattice.quote(input, { requestHash }).work > CHEAP) continue;
      const [last] = (await alone(solver, example)).slice(-1);
      const job = await solved(body);
      t.equal(job.verdict.value, new Float64Array(last!.result.slice().buffer)[0]);
    }
  });
}

t.test('at every point operators give the bits that compute gives, uncertainty and all', async (t) => {
  const tau = { value: 500, unit: 'ms', uncertainty: 3 };
  const inputs = { tau, omega: { value: 10, uncertainty: 0.1 }, n: 3, N: 51, P_noise: 2 };
  const swept = { A: [1.5, -2], t: [0, 100, 7001], P_signal: [1, 1e-9] };
  const operators = ['SP7', 'ECHO5', 'SP11'];
  const job = await solved({
    ...{ operators, inputs },
    axes: Object.entries(swept).map(([name, values]) => ({
      name,
      values,
      ...(name === 't' && { unit: 'ms' }),
    })),
    reduce: 'sum',
  });
  const compute = solverOf('compute');
  for (const [i, [A, time, P_signal]] of grid(...Object.values(swept)).entries()) {
    const at = { A, t: { value: time, unit: 'ms' }, P_signal };
    const single = await solvedBy(compute, { operators, inputs: { ...inputs, ...at } });
    const [sp7, , uncertainty, echo] = single.verdict.extras;
    t.equal(fieldOf(job, 'values')[i], sp7);
    t.equal(fieldOf(job, 'uncertainty')[i], uncertainty);
    t.equal(fieldOf(job, 'ECHO5')[i], echo);
    t.equal(fieldOf(job, 'uncertainty of ECHO5')[i], single.verdict.extras[5]);
    t.equal(fieldOf(job, 'precisionActual')[i], single.verdict.precisionActual);
  }
});

t.test(
  'a list of finished runs that is asked for again from its beginning gives the same rounds',
  async (t) => {
    const input = inputOf(lattice, composed[1]![1]);
    const { finished } = await solved(composed[1]![1]);
    const context = { requestHash: new Uint8Array(32) };
    const again = inputOf(lattice, composed[1]![1]);
    const grown: FinishedRun[] = [];
    while (grown.length < finished.length) {
      const step = lattice.next(input, grown, context)!;
      t.same(lattice.next(again, [...grown], context), step);
      grown.push(...finished.slice(grown.length, grown.length + step.runs.length));
    }
  },
);

// ---- coordinates -----------------------------------------------------------------------------------------

t.test('equal ratios are the doubles nearest to them (Python decimal, 60 digits)', async (t) => {
  t.same(logarithmic(1, 1000, 4), [1, 10, 100, 1000]);
  t.same(
    logarithmic(1e-3, 7, 6),
    [0.001, 0.005875158777411962, 0.03451749065980082, 0.20279573822416422, 1.191457161449437, 7],
  );
  t.same(logarithmic(2.5, 0.1, 5), [2.5, 1.118033988749895, 0.5, 0.223606797749979, 0.1]);
  t.same(logarithmic(-1e-300, -1e300, 7), [-1e-300, -1e-200, -1e-100, -1, -1e100, -1e200, -1e300]);
  t.same(logarithmic(1, 2, 13)[7], 1.4983070768766815);
});

t.test('the ends of a range are exact, and the coordinates go one way', async (t) => {
  const end = fc.double({ min: 1e-300, max: 1e300, noNaN: true });
  fc.assert(
    fc.property(end, end, fc.integer({ min: 2, max: 40 }), (a, b, count) => {
      fc.pre(Math.abs(Math.log(a / b)) > 1e-6);
      for (const list of [linear(a, b, count), logarithmic(a, b, count)]) {
        t.same([list[0], list.at(-1), list.length], [a, b, count]);
        const steps = list.slice(1).map((x, i) => Math.sign(x - list[i]!));
        if (!steps.every((sign) => sign === Math.sign(b - a))) return false;
      }
      return true;
    }),
    { numRuns: 50 },
  );
});

t.test('a coordinate may carry its unit, alone, in its list or for the axis', async (t) => {
  const axes = [
    { values: [1, 2], unit: 'kW' },
    { values: { value: [1, 2], unit: 'kW' } },
    {
      values: [
        { value: 1, unit: 'kW' },
        { value: 2000, unit: 'W' },
      ],
    },
    { start: { value: 1, unit: 'kW' }, stop: { value: 2000, unit: 'W' }, count: 2 },
    { start: 1, stop: 2, count: 2, unit: 'kW' },
  ];
  for (const axis of axes) {
    const job = await solved({
      ...{ operators: ['SP7'], inputs: { P_noise: 1 } },
      axes: [{ name: 'P_signal', ...axis }],
      reduce: 'max',
    });
    t.ok(Math.abs(job.verdict.value - 10 * Math.log10(2000)) < 1e-12);
    t.same([...fieldOf(job, 'P_signal')], [1, 2]);
    t.equal(job.presentation.fields.find(({ name }) => name === 'P_signal')!.unit, 'kW');
  }
});

t.test('the canonical request is its own canonical form, under the symbols of the operators', async (t) => {
  for (const { body } of [
    ...lattice.examples,
    { body: kinetic },
    ...composed.map(([, body]) => ({ body })),
  ]) {
    const once = inputOf(lattice, body);
    t.same(JSON.parse(JSON.stringify(inputOf(lattice, once))), JSON.parse(JSON.stringify(once)));
  }
});

// ---- what fails ------------------------------------------------------------------------------------------

t.test('points that fail are named with their coordinates and their own reasons', async (t) => {
  const hyperbola = { solver: 'compute', inputs: { equation: '1/(x - y)', inputs: {} }, reduce: 'max' };
  const axes = ['inputs.x', 'inputs.y'].map((name) => ({ name, values: [1, 2, 3] }));
  const { code, message, details } = await refusalOf(lattice, { ...hyperbola, axes });
  t.equal(code, 'NON_FINITE');
  t.match(message, /of 9 points 3 points fail, the first, at point 0 \(inputs\.x = 1, inputs\.y = 1\)/);
  t.same([details.failed, details.of], [3, 9]);
  const points = details.points as { index: number; coordinates: object; code: string }[];
  t.same(
    points.map(({ index, coordinates, code }) => [index, coordinates, code]),
    [
      [0, { 'inputs.x': 1, 'inputs.y': 1 }, 'NON_FINITE'],
      [4, { 'inputs.x': 2, 'inputs.y': 2 }, 'NON_FINITE'],
      [8, { 'inputs.x': 3, 'inputs.y': 3 }, 'NON_FINITE'],
    ],
  );
});

t.test('a point of a kernel fails with the sentence of the point alone', async (t) => {
  for (const [equation, x] of [
    ['1/(x - 1)', 1],
    ['sin(x)', 1e17],
    ['(1 - cos(x)^2 - sin(x)^2)*x', 0.3],
  ] as const) {
    const one = { equation, inputs: {} };
    const axes = [{ name: 'inputs.x', values: [2, x] }];
    const { code, details } = await refusalOf(lattice, {
      solver: 'compute',
      inputs: one,
      axes,
      reduce: 'max',
    });
    const alone = await refusalOf(solverOf('compute'), { equation, inputs: { x } });
    const points = details.points as { index: number; code: string; message: string }[];
    const point = points.find(({ index }) => index === 1);
    t.same([code, point?.code, point?.message], [alone.code, alone.code, alone.message], equation);
  }
});

t.test('a point whose run is refused is named with the gate that refused it', async (t) => {
  const orbit = { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 5, y0: 3, t_max: 40 };
  const body = { solver: 'lotka', inputs: orbit, axes: [{ name: 'dt', values: [0.01, 1] }], reduce: 'max' };
  const { code, details } = await refusalOf(lattice, body);
  t.match(code, /OUTSIDE_TOLERANCE|NON_FINITE/);
  t.match((details.points as unknown[])[0], { index: 1, coordinates: { dt: 1 }, code });
});

t.test('points that cannot be planned are named before anything runs', async (t) => {
  const zeros = { solver: 'zeta', inputs: { mode: 'zeros', t1: 100 }, reduce: 'max' };
  const { code, details } = await refusalOf(lattice, {
    ...zeros,
    axes: [{ name: 't2', values: [110, 90, 80] }],
  });
  t.equal(code, 'INVALID_INPUT');
  t.same(
    (details.points as { index: number }[]).map(({ index }) => index),
    [1, 2],
  );
});

t.test('what two swept inputs break together is found wherever it is', async (t) => {
  const rows = { solver: 'compute', inputs: { operators: ['SP11'], inputs: {} }, reduce: 'max' };
  const axes = [
    { name: 'inputs.N', values: [9, 4] },
    { name: 'inputs.n', values: [1, 8] },
  ];
  const { code, details } = await refusalOf(lattice, { ...rows, axes });
  t.equal(code, 'INVALID_INPUT');
  t.match((details.points as unknown[])[0], { index: 3, coordinates: { 'inputs.N': 4, 'inputs.n': 8 } });
});

t.test('a condition is held at every point, and leaves no mark on those that it lets through', async (t) => {
  const axes = [{ name: 'n', values: [0, 25, 50] }];
  const job = await solved({
    operators: ['SP7', 'SP12'],
    inputs: { P_signal: 2, P_noise: 1, N: 51 },
    axes,
    reduce: 'max',
  });
  const compute = solverOf('compute');
  for (const [i, n] of [0, 25, 50].entries()) {
    const single = await solvedBy(compute, { operators: ['SP12'], inputs: { n, N: 51 } });
    t.equal(fieldOf(job, 'SP12')[i], single.verdict.value);
  }
  const past = [{ name: 'n', values: [0, 51, 50, 60] }];
  const { code, details } = await refusalOf(lattice, {
    operators: ['SP12'],
    inputs: { N: 51 },
    axes: past,
    reduce: 'max',
  });
  t.equal(code, 'INVALID_INPUT');
  t.match(details, { operator: 'SP12', condition: 'N - 1 - n', measured: -1, failed: 2, of: 4 });
  t.match(details.points, [
    { index: 1, measured: -1 },
    { index: 3, measured: -10 },
  ]);
});

t.test('rounds that end with their first success are not composed', async (t) => {
  const zeta = solverOf('zeta');
  const searching = {
    ...zeta,
    plan: (...args: Parameters<typeof zeta.plan>) => ({ ...zeta.plan(...args), mode: 'first' as const }),
  };
  const { code, message } = await refusalOf(
    latticeOver(() => searching),
    composed[2]![1],
  );
  t.equal(code, 'UNSUPPORTED');
  t.match(message, /zeta searches/);
});

// ---- rows of the harness ---------------------------------------------------------------------------------

const faults: [title: string, find: string, replace: string, file?: string][] = [
  ['a neighbour in place of the point', 'a << 2), rest % count)', 'a << 2), (rest + 1) % count)'],
  ['axes that do not turn', '    rest /= count;\n', ''],
  ['a table of another axis', 'table += <usize>countOf(axis) << 4;', 'table += 16;'],
  ['a value set twice as large', 'load<f64>(at), load', '2.0 * load<f64>(at), load'],
  ['values that are never set', '  store<f64>(at, hi);\n', '', 'assembly/expression/program.ts'],
  [
    'a row of another slot',
    'load<f64>(stackAt, 8), error',
    'load<f64>(stackAt, 24), error',
    'assembly/expression/program.ts',
  ],
  [
    'a product that is a square',
    'const h = product(ah, al, bh, bl), l = tail;',
    'const h = product(ah, al, ah, al), l = tail;',
    'assembly/expression/evaluate.ts',
  ],
];
const twins: Twin[] = faults.map(([title, find, replace, file]) => ({
  ...{ title, find, replace, body: { ...kinetic, inputs: { equation: 'm*v', inputs: {} } } },
  ...(file && { file }),
}));

testSolver(lattice, { references: [], orders: 'that of the solver at its points', twins });

const hasQuant = solvers.some(({ id }) => id === 'quant');
t.test(
  'the prices over strikes are among the examples',
  { skip: !hasQuant && 'quant is not registered in this build' },
  async (t) => {
    t.ok(lattice.examples.some(({ body }) => body.solver === 'quant'));
  },
);
