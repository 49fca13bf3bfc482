import fc from 'fast-check';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { readInput } from '../../src/solvers/input.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { lotka } from '../../src/solvers/lotka.ts';
import { driveRun, instantiateKernel, RunInProgress } from '../../workers/kernel-host.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { kernelDigest, kernelModule, runJob } from './run-job.ts';
import { refusalOfTwin } from './twin-job.ts';

// The reference values: mpmath odefun (Taylor series) with 30 digits.
const rates = { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1 };
const orbit = { ...rates, x0: 1, y0: 1, t_max: 10 };
const period = 8.0266368652898;

const read = (body: object) =>
  readInput(lotka.input, body).input as unknown as Parameters<typeof lotka.plan>[0];
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);
const solved = (body: object) => runJob(lotka, read(body));

/** The fields that the declaration names, by their bytes in the runs. */
function fieldsOf({
  presentation,
  finished,
}: Awaited<ReturnType<typeof solved>>): Record<'t' | 'x' | 'y', Float64Array> {
  const columns = presentation.fields.map(({ name, source: { run, from, length } }) => [
    name,
    new Float64Array(finished[run]!.result.slice(from, from + length).buffer),
  ]);
  return Object.fromEntries(columns);
}

async function refusalOf(body: object): Promise<Refusal> {
  try {
    await solved(body);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('was not refused');
}

// ---- values --------------------------------------------------------------------------------------------

t.test('the examples give their published values', async (t) => {
  for (const { title, body, expect, tolerance } of lotka.examples) {
    const { verdict, presentation } = await solved(body);
    t.ok(relative(verdict.value, expect.value as number) <= tolerance, title);
    t.equal(lotka.unit(read(body)), expect.unit, `${title}: unit`);
    const end = expect.finalState as { x: number; y: number } | undefined;
    const { x, y } = presentation.outputs.finalState as { x: number; y: number };
    if (end) t.ok(relative(x, end.x) < 1e-9 && relative(y, end.y) < 1e-9, `${title}: final state`);
  }
});

const steep = { alpha: 1.1, beta: 0.4, delta: 0.1, gamma: 0.4, x0: 10, y0: 10 };
const references: [string, object, number][] = [
  ['x(3)', { ...steep, t_max: 3 }, 0.0271909268406307],
  ['y(3)', { ...steep, t_max: 3, quantity: 'y' }, 4.200343738239191],
  ['x(12.5)', { ...steep, t_max: 12.5 }, 13.53138339638912],
  ['y(30)', { ...steep, t_max: 30, quantity: 'y' }, 8.13837171236483],
];

t.test('run and exact orbit agree with mpmath far from the equilibrium, with the default step', async (t) => {
  for (const [title, body, value] of references) {
    const { verdict } = await solved(body);
    const gate = verdict.gates.find(({ name }) => name === (title[0] === 'x' ? 'prey' : 'predators'))!;
    t.ok(relative(verdict.value, value) < 1e-6, `${title}: run ${verdict.value}`);
    t.ok(relative(gate.reference, value) < 1e-12, `${title}: orbit ${gate.reference}`);
  }
});

t.test('x stays within its turning points 0.4888318666203 and 1.782694568458 and reaches both', async (t) => {
  const { x } = fieldsOf(await solved({ ...orbit, t_max: period }));
  t.ok(relative(Math.min(...x), 0.4888318666203) < 1e-4 && Math.min(...x) > 0.4888318666202);
  t.ok(relative(Math.max(...x), 1.782694568458) < 1e-4 && Math.max(...x) < 1.7826945685);
});

t.test('the fields t, x and y go from the start to the end', async (t) => {
  const job = await solved(orbit);
  const fields = fieldsOf(job);
  const { x, y, t0 } = job.presentation.outputs.finalState as Record<string, number>;
  t.strictSame([fields.t.at(0), fields.t.at(-1)], [0, t0]);
  t.ok(relative(fields.x.at(0)!, 1) < 1e-15 && relative(fields.y.at(0)!, 1) < 1e-15);
  t.strictSame([fields.x.at(-1), fields.y.at(-1)], [x, y]);
});

t.test('a start in initialState is the start in x0 and y0, and t0 only shifts the times', async (t) => {
  const { x0, y0, ...rest } = orbit;
  const a = await solved(orbit);
  const b = await solved({ ...rest, initialState: { x: x0, y: y0, t0: 5 } });
  t.equal(a.verdict.value, b.verdict.value);
  t.equal((b.presentation.outputs.finalState as { t0: number }).t0, 15);
});

// ---- laws of the method --------------------------------------------------------------------------------

t.test('order 4 ± 0.1', async (t) => {
  const error = async (dt: number) => {
    const { verdict } = await solved({ ...orbit, dt });
    return Math.abs(verdict.value - 0.489149182544701);
  };
  const order = Math.log2((await error(10 / 256)) / (await error(10 / 512)));
  t.ok(Math.abs(order - 4) <= 0.1, `observed ${order}`);
});

t.test('the orbit is closed: V drifts no further in a thousand periods than in one', async (t) => {
  const drift = async (periods: number) =>
    (await solved({ ...orbit, t_max: periods * period, dt: period / 512 })).presentation.outputs
      .driftPct as number;
  const [one, thousand] = [await drift(1), await drift(1000)];
  t.ok(thousand < 1.2 * one, `${one} %, then ${thousand} %`);
});

t.test('a small orbit has the period 2π/√(αγ)', async (t) => {
  const body = { ...rates, x0: 1 + 1e-6, y0: 0.5, t_max: 40, dt: 0.01, quantity: 'period' };
  const { verdict } = await solved(body);
  t.ok(relative(verdict.value, 2 * Math.PI * Math.sqrt(1.5)) < 1e-9);
});

t.test('the equilibrium stays where it is, to the last bit', async (t) => {
  const { verdict, presentation } = await solved({ ...orbit, y0: 0.5, t_max: 1000 });
  t.strictSame(presentation.outputs.finalState, { x: 1, y: 0.5, t0: 1000 });
  t.equal(verdict.precisionActual, 0);
  t.equal(presentation.outputs.period, null);
});

t.test('period and means are gated from the first return on, and only then', async (t) => {
  const names = async (t_max: number) =>
    (await solved({ ...orbit, t_max })).verdict.gates.map(({ name }) => name);
  const always = ['invariant', 'prey', 'predators', 'series'];
  t.strictSame(await names(0.99 * period), always);
  t.strictSame(await names(1.01 * period), [...always, 'period', 'mean prey', 'mean predators']);
});

t.test('the default step holds every orbit that is accepted within a thousandth of its bound', async (t) => {
  for (const [x0, y0, t_max] of [
    [1, 1, 200],
    [5, 3, 40],
    [0.01, 0.5, 30],
    [20, 1e-6, 20],
    [100, 30, 5],
  ]) {
    const { verdict } = await solved({ ...rates, x0, y0, t_max });
    t.ok(verdict.precisionActual < 1e-6, `from ${x0}, ${y0}: ${verdict.precisionActual}`);
  }
});

t.test('the receipt diagnostics close the equation of the prey (ENV-07, ENV-08)', async (t) => {
  const { presentation } = await solved(orbit);
  const { masterEquation, functionalEquation } = presentation.diagnostics as unknown as {
    masterEquation: { basis: string; closure: number };
    functionalEquation: { balance: { lhs: number; rhs: number }; reflection: { warn: boolean } };
  };
  t.equal(masterEquation.basis, 'solver');
  t.ok(masterEquation.closure < 1e-3);
  t.ok(Math.abs(functionalEquation.balance.lhs - functionalEquation.balance.rhs) < 1e-3);
  t.notOk(functionalEquation.reflection.warn);
});

// ---- runs ----------------------------------------------------------------------------------------------

const spec = {
  kernel: kernelDigest('lotka'),
  parameters: new Layout().f64(2 / 3, 4 / 3, 1, 1, 1, 1, 40, 10).bytes(),
  stepsPerSegment: 300,
  memory: 2 ** 18,
  work: 0,
};
const fresh = () => instantiateKernel(kernelModule('lotka'));

t.test('a run cut at any segment and resumed is the uninterrupted run, bit for bit', async (t) => {
  const whole = driveRun(fresh(), spec);
  for (const cut of [0, 1, 5, 8]) {
    const part = new RunInProgress(fresh(), spec);
    part.start({});
    for (let i = 0; i < cut; i++) part.advanceSegment({});
    t.strictSame(driveRun(fresh(), spec, { resumeFrom: part.checkpoint(0) }), whole, `after segment ${cut}`);
  }
});

t.test('no budget changes a bit (property)', async (t) => {
  const whole = driveRun(fresh(), spec).digests;
  const kernel = fresh();
  const inSlices = (budgets: readonly number[]) => {
    let call = 0;
    const next = () => ({ budget: budgets[call++ % budgets.length]! });
    const run = new RunInProgress(kernel, spec);
    run.start(next());
    while (run.status === 0) run.advanceSegment(next());
    return run.digests;
  };
  const budgets = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(budgets, (chosen) => t.strictSame(inSlices(chosen), whole, `${chosen}`)),
    { numRuns: 40 },
  );
});

t.test('the quote is the work that is spent, and the stated memory is enough', async (t) => {
  for (const body of [orbit, { ...steep, t_max: 7 }, { ...rates, x0: 100, y0: 30, t_max: 1 }]) {
    const { finished } = await solved(body);
    const { work, exact } = lotka.quote(read(body), { requestHash: new Uint8Array(32) });
    t.ok(exact);
    t.equal(
      work,
      finished.reduce((sum, run) => sum + Number(run.work), 0),
    );
  }
  const kernel = fresh();
  driveRun(kernel, spec);
  t.ok(kernel.memory.buffer.byteLength <= spec.memory);
});

// ---- refusals ------------------------------------------------------------------------------------------

const { x0: _, ...withoutX0 } = orbit;
const { gamma: __, ...withoutGamma } = orbit;
const refused: [string, object, string, string][] = [
  ['no rate', withoutGamma, 'MISSING_INPUT', 'gamma'],
  ['a rate of zero', { ...orbit, alpha: 0 }, 'INVALID_INPUT', 'alpha'],
  ['a negative population', { ...orbit, y0: -1 }, 'INVALID_INPUT', 'y0'],
  ['an end at once', { ...orbit, t_max: 0 }, 'INVALID_INPUT', 't_max'],
  ['half a start', withoutX0, 'MISSING_INPUT', 'x0'],
  ['two starts', { ...orbit, initialState: { x: 1, y: 1 } }, 'INVALID_INPUT', 'initialState'],
  ['half an initialState', { ...rates, t_max: 1, initialState: { x: 1 } }, 'MISSING_INPUT', 'initialState.y'],
  [
    'a continuation',
    { ...rates, t_max: 1, initialState: { continue: 'j' } },
    'UNSUPPORTED',
    'initialState.continue',
  ],
  ['an orbit that leaves the numbers', { ...orbit, x0: 1000 }, 'LIMIT_EXCEEDED', 'x0'],
  ['rates that overflow', { ...orbit, delta: 1e308, x0: 1e308 }, 'LIMIT_EXCEEDED', 'x0'],
  ['a tiny step', { ...orbit, dt: 1e-300 }, 'LIMIT_EXCEEDED', 'dt'],
  ['a very long run', { ...orbit, t_max: 1e12 }, 'LIMIT_EXCEEDED', 't_max'],
  ['a period that is not reached', { ...orbit, t_max: 5, quantity: 'period' }, 'INVALID_INPUT', 't_max'],
];

t.test('what is no problem is refused, with the field and what is accepted', async (t) => {
  for (const [title, body, code, field] of refused) {
    const { code: found, details } = await refusalOf(body);
    t.equal(found, code, title);
    t.equal(details.field, field, `${title}: ${field}`);
    t.ok(details.accepts, `${title}: what is accepted`);
  }
});

t.test('a step too coarse for the orbit is never sealed', async (t) => {
  const { code, details } = await refusalOf({ ...orbit, x0: 5, y0: 3, t_max: 256, dt: 1 });
  t.match(code, /OUTSIDE_TOLERANCE|NON_FINITE/);
  t.notOk('value' in details);
});

const file = 'assembly/kernels/lotka.ts';
const twins: [string, string, string][] = [
  ['prey that grow by being eaten', 'p -= drift1 * grownQ;\n    q', 'p += drift1 * grownQ;\n    q'],
  ['predators that starve on prey', 'kick1 = 0.5 * (', 'kick1 = -0.5 * ('],
  ['half a step', 'h = parameterF64(48) /', 'h = 0.5 * parameterF64(48) /'],
  ['a stage that is left out', '    p -= drift3 * growth(q);\n', ''],
  ['a coefficient twice as large', '1.0 - 2.0 * (CHI + XI)', '1.0 - (CHI + XI)'],
  ['one rate in place of the other', 'alpha = parameterF64(0);', 'alpha = parameterF64(24);'],
  ['no equilibrium', 'Math.exp(s) - 1.0', 'Math.exp(s)'],
  ['a start that is off by a percent', 'setField(8, q0);', 'setField(8, 1.01 * q0);'],
  ['rows of the wrong numbers', 'appendRow(ROW), body, ROW', 'appendRow(ROW), body + 8, ROW'],
  ['a return counted twice', 'field(40) + 1.0', 'field(40) + 2.0'],
  ['a mean that is a sum', 'field(64) / returned', 'field(64)'],
];

for (const [title, find, replace] of twins) {
  t.test(`a kernel with ${title} is never sealed (HON-16)`, async (t) => {
    const twin = await brokenTwin(file, { file, find, replace });
    const refusal = await refusalOfTwin(lotka, read(orbit), 'lotka', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|NON_FINITE/);
  });
}
