import t from 'tap';
import { lotka } from '../../src/solvers/lotka.ts';
import type { Refused } from './refusals.ts';
import { fieldOf, refusalOf, solved as solvedBy, type Twin, testSolver } from './solver-test.ts';
import { type Stretches, testStretches } from './stretches.ts';

// The reference values: mpmath odefun (Taylor series) with 30 digits.
const rates = { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1 };
const orbit = { ...rates, x0: 1, y0: 1, t_max: 10 };
const period = 8.0266368652898;

const relative = (value: number, reference: number) => Math.abs(value / reference - 1);
const solved = (body: object) => solvedBy(lotka, body);

// ---- values --------------------------------------------------------------------------------------------

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
  const x = fieldOf(await solved({ ...orbit, t_max: period }), 'x');
  t.ok(relative(Math.min(...x), 0.4888318666203) < 1e-4 && Math.min(...x) > 0.4888318666202);
  t.ok(relative(Math.max(...x), 1.782694568458) < 1e-4 && Math.max(...x) < 1.7826945685);
});

t.test('the fields t, x and y go from the start to the end', async (t) => {
  const job = await solved(orbit);
  const [times, x, y] = ['t', 'x', 'y'].map((name) => fieldOf(job, name)) as Float64Array[];
  const final = job.presentation.outputs.finalState as Record<string, number>;
  t.strictSame([times!.at(0), times!.at(-1)], [0, final.t0]);
  t.ok(relative(x!.at(0)!, 1) < 1e-15 && relative(y!.at(0)!, 1) < 1e-15);
  t.strictSame([x!.at(-1), y!.at(-1)], [final.x, final.y]);
});

t.test('a start in initialState is the start in x0 and y0, and t0 only shifts the times', async (t) => {
  const { x0, y0, ...rest } = orbit;
  const a = await solved(orbit);
  const b = await solved({ ...rest, initialState: { x: x0, y: y0, t0: 5 } });
  t.equal(a.verdict.value, b.verdict.value);
  t.equal((b.presentation.outputs.finalState as { t0: number }).t0, 15);
});

// ---- laws of the method --------------------------------------------------------------------------------

const errorAt = async (dt: number) =>
  Math.abs((await solved({ ...orbit, dt })).verdict.value - 0.489149182544701);

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

t.test('a run without a return is told how long one takes, or that there is none', async (t) => {
  const short = { ...orbit, t_max: 5, quantity: 'period' };
  const { details } = await refusalOf(lotka, short);
  const advised = Number(/^t_max of (\S+) s or more$/.exec(String(details.accepts))?.[1]);
  t.ok(advised > period && advised < 1.03 * period, `${advised} s`);
  t.ok(Math.abs((await solved({ ...short, t_max: advised })).verdict.value / period - 1) < 1e-6);
  const resting = await refusalOf(lotka, { ...short, y0: 0.5, t_max: 1000 });
  t.match(resting.details, { field: 'x0', accepts: /^another start than x = gamma\/delta/ });
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

// ---- refusals ------------------------------------------------------------------------------------------

t.test('a step too coarse for the orbit is never sealed', async (t) => {
  const { code, details } = await refusalOf(lotka, { ...orbit, x0: 5, y0: 3, t_max: 256, dt: 1 });
  t.match(code, /OUTSIDE_TOLERANCE|NON_FINITE/);
  t.notOk('value' in details);
  const accepted = Number(/^at most (\S+) s$/.exec(String(details.accepts))?.[1]);
  t.ok((await solved({ ...orbit, x0: 5, y0: 3, t_max: 256, dt: accepted })).verdict.precisionActual < 1e-3);
});

const faults: [string, string, string][] = [
  ['prey that grow by being eaten', 'let d = -drift1', 'let d = drift1'],
  ['predators that starve on prey', 'kick1 = 0.5 * (', 'kick1 = -0.5 * ('],
  ['half a step', 'h = (parameterF64(48)', 'h = 0.5 * (parameterF64(48)'],
  ['a stage that is left out', 'd = -drift3 * grownQ;', 'd = 0.0;'],
  ['a coefficient twice as large', '1.0 - 2.0 * (CHI + XI)', '1.0 - (CHI + XI)'],
  ['one rate in place of the other', 'alpha = parameterF64(0);', 'alpha = parameterF64(24);'],
  ['no equilibrium', 'Math.exp(s) - 1.0', 'Math.exp(s)'],
  ['a start that is off by a percent', 'setField(8, q0);', 'setField(8, 1.01 * q0);'],
  ['rows of the wrong numbers', 'appendRow(ROW), body, ROW', 'appendRow(ROW), body + 8, ROW'],
  ['a return counted twice', 'field(40) + 1.0', 'field(40) + 2.0'],
  ['a mean that is a sum', 'field(64) / returned', 'field(64)'],
];

const twins: Twin[] = faults.map(([title, find, replace]) => ({ title, body: orbit, find, replace }));

// ---- requests that are refused -------------------------------------------------------------------------

const { x0: _, ...withoutX0 } = orbit;
const { gamma: __, ...withoutGamma } = orbit;

const refused: readonly Refused[] = [
  { title: 'no rate', body: withoutGamma, code: 'MISSING_INPUT', field: 'gamma' },
  { title: 'a rate of zero', body: { ...orbit, alpha: 0 }, code: 'INVALID_INPUT', field: 'alpha' },
  { title: 'a negative population', body: { ...orbit, y0: -1 }, code: 'INVALID_INPUT', field: 'y0' },
  { title: 'an end at once', body: { ...orbit, t_max: 0 }, code: 'INVALID_INPUT', field: 't_max' },
  { title: 'half a start', body: withoutX0, code: 'MISSING_INPUT', field: 'x0' },
  {
    title: 'two starts',
    body: { ...orbit, initialState: { x: 1, y: 1 } },
    code: 'INVALID_INPUT',
    field: 'initialState',
  },
  {
    title: 'half an initialState',
    body: { ...rates, t_max: 1, initialState: { x: 1 } },
    code: 'MISSING_INPUT',
    field: 'initialState.y',
  },
  {
    title: 'an orbit that leaves the numbers',
    body: { ...orbit, x0: 1000 },
    code: 'LIMIT_EXCEEDED',
    field: 'x0',
  },
  {
    title: 'rates that overflow',
    body: { ...orbit, delta: 1e308, x0: 1e308 },
    code: 'LIMIT_EXCEEDED',
    field: 'x0',
  },
  { title: 'a tiny step', body: { ...orbit, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  { title: 'a very long run', body: { ...orbit, t_max: 1e12 }, code: 'LIMIT_EXCEEDED', field: 't_max' },
  {
    title: 'a period that is not reached',
    body: { ...orbit, t_max: 5, quantity: 'period' },
    code: 'INVALID_INPUT',
    field: 't_max',
  },
];

// ---- a job in parts -----------------------------------------------------------------------------------

const stretches: readonly Stretches[] = [
  {
    title: 'lotka',
    body: { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 1, y0: 1.25, dt: 1 / 64 },
    end: 't_max',
    start: ['x0', 'y0'],
    ends: [8, 16, 24],
    uneven: 11.3,
    tolerance: 1e-6,
    ownGates: ['series'],
    refused: { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 1, y0: 1, t_max: 5, quantity: 'period' },
    fault: {
      kernel: 'lotka',
      find: 'begun = beginningIn(h);',
      replace: 'begun = 0.0;',
    },
  },
];

testStretches(lotka, stretches);

testSolver(lotka, {
  references: references.map(([title, body, expect]) => ({
    title,
    body,
    expect,
    tolerance: 1e-6,
    source: 'mpmath odefun, 30 digits',
  })),
  orders: [
    {
      title: 'x(10), steps of 10/256 and half of it',
      theory: 4,
      errors: async () => [await errorAt(10 / 256), await errorAt(10 / 512)],
    },
  ],
  twins,
  refused,
});
