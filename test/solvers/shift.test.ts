import fc from 'fast-check';
import t from 'tap';
import type { FinishedRun } from '../../src/proof/job.ts';
import { saidOf } from '../../src/solvers/outputs.ts';
import { solverOf, solvers } from '../../src/solvers/registry.ts';
import type { ShiftInput } from '../../src/solvers/shift/problem.ts';
import { shiftOver } from '../../src/solvers/shift.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import type { Refused } from './refusals.ts';
import { inputOf, refusalOf, solved as solvedBy, type Twin, testSolver } from './solver-test.ts';

const shift = solverOf('shift') as Solver<ShiftInput>;
const solved = (body: object) => solvedBy(shift, body);
const formula = (equation: string, inputs: object, by: object) => ({
  solver: 'compute',
  inputs: { equation, inputs },
  shift: Object.fromEntries(Object.entries(by).map(([name, delta]) => [`inputs.${name}`, delta])),
});
const decay = { inputs: { c: 1, k: 0.3, y0: 5, t_end: 4 } };

t.test('a side outside the conditions of its operator is refused', async (t) => {
  const window = { operators: ['SP12'], inputs: { n: 40, N: 51 } };
  const { code, details } = await refusalOf(shift, { ...window, shift: { n: 11 } });
  t.equal(code, 'INVALID_INPUT');
  t.match(details, { operator: 'SP12', condition: 'N - 1 - n', measured: -1 });
});

// ---- laws ----------------------------------------------------------------------------------------------

t.test('there and back is the same with the other sign, to the bit', async (t) => {
  // Eighths, so that x + δ − δ is x.
  const eighths = fc.integer({ min: 1, max: 800 }).map((n) => n / 8);
  await fc.assert(
    fc.asyncProperty(eighths, eighths, async (x, delta) => {
      const there = await solved(formula('sqrt(x)*exp(x/50)', { x }, { x: delta }));
      const back = await solved(formula('sqrt(x)*exp(x/50)', { x: x + delta }, { x: -delta }));
      t.equal(there.verdict.value, -back.verdict.value);
      t.equal(there.presentation.outputs.base, back.presentation.outputs.shifted);
    }),
    { numRuns: 20 },
  );
});

t.test('of a linear value the change is exact, and so is its slope', async (t) => {
  const whole = fc.integer({ min: 1, max: 1000 });
  await fc.assert(
    fc.asyncProperty(whole, whole, whole, async (a, x, delta) => {
      const { verdict, presentation } = await solved(formula('a*x + 7', { a, x }, { x: delta }));
      t.equal(verdict.value, a * delta);
      t.equal(presentation.outputs.slope, a);
    }),
    { numRuns: 20 },
  );
});

t.test('of a power law the elasticity goes to the exponent', async (t) => {
  const { presentation } = await solved(formula('3*x^2', { x: 2 }, { x: 1e-6 }));
  t.ok(Math.abs((presentation.outputs.elasticity as number) - 2) < 1e-5);
});

t.test('a slope is in the unit of the value over that of the input, as far as both are known', async (t) => {
  const unitsOf = async (body: object) => {
    const { presentation } = await solved(body);
    return saidOf(shift, inputOf(shift, body), presentation.outputs).units;
  };
  const power = { operators: ['SP7'], inputs: { P_signal: 1, P_noise: 1 } };
  t.match(await unitsOf({ ...power, shift: { P_signal: 9 } }), { 'dB/W': ['slope'] });
  t.match(await unitsOf({ solver: 'solve', inputs: decay, shift: { 'inputs.t_end': 1 } }), {
    'not known': ['base', 'shifted', 'slope', 'uncertainty'],
  });
  t.match(await unitsOf(formula('3*x^2', { x: { value: 2, unit: 'm' } }, { x: { value: 1, unit: 'cm' } })), {
    m: ['slope'],
  });
});

t.test('where the rest of the request says what a number is, so does the unit it came in', async (t) => {
  const pendulum = { system: 'pendulum', m: 1, L: 1, g: 1, p0: 0, dt: 0.01, t_max: 15, quantity: 'period' };
  const later = (q0: unknown, delta: unknown) => ({
    solver: 'action',
    inputs: { ...pendulum, q0 },
    shift: { q0: delta },
  });
  const degrees = { value: -1, unit: 'deg' };
  const { verdict, presentation } = await solved(later({ value: 90, unit: 'deg' }, degrees));
  t.match(presentation.outputs.shifts, [{ delta: -Math.PI / 180, unit: 'rad' }]);
  const plain = await solved(later(Math.PI / 2, -Math.PI / 180));
  t.equal(plain.verdict.value, verdict.value);
  t.match(plain.presentation.outputs.shifts, [{ unit: 'rad' }]);
  const metre = await refusalOf(shift, later({ value: 90, unit: 'deg' }, { value: 1, unit: 'm' }));
  t.match(metre, {
    code: 'INVALID_INPUT',
    details: { field: 'shift.q0.unit', accepts: 'a unit that converts to rad' },
  });
  const second = await refusalOf(shift, later(1, { value: 1, unit: 's' }));
  t.match(second.details, { accepts: 'a unit that converts to rad' });
  const rest = [
    [0, 0, 0],
    [1.2, 0, 0],
  ];
  const pair = {
    box: 'open',
    dt: 0.005,
    t_max: 0.1,
    initialState: { position: rest, velocity: [rest[0], rest[0]] },
  };
  const reduced = await refusalOf(shift, {
    ...{ solver: 'evolve', inputs: { ...pair, units: 'lj' } },
    shift: { t_max: { value: 100, unit: 'fs' } },
  });
  t.match(reduced.details, { field: 'shift.t_max.unit', accepts: 'a unit that converts to 1' });
});

t.test('several inputs are shifted together, and then there is no slope', async (t) => {
  const { verdict, presentation } = await solved(formula('m*v^2/2', { m: 2, v: 3 }, { m: 1, v: 1 }));
  t.equal(verdict.value, 24 - 9);
  t.same([presentation.outputs.slope, presentation.outputs.elasticity], [null, null]);
});

t.test(
  'δ is in the unit of the input, in another of its dimension, or a difference of degrees',
  async (t) => {
    const inputs = { P_signal: { value: 500, unit: 'mW' }, P_noise: 1 };
    for (const delta of [0.5, { value: 500, unit: 'mW' }, { value: 0.5e-3, unit: 'kW' }]) {
      const job = await solved({ operators: ['SP7'], inputs, shift: { P_signal: delta } });
      t.ok(Math.abs(job.verdict.value - 10 * Math.log10(2)) < 1e-12);
      t.equal(job.presentation.outputs.shifted, 0);
    }
    const warm = {
      operators: [],
      inputs: { signal: { value: 25, unit: 'degC' } },
      shift: { signal: { value: 10, unit: 'degC' } },
    };
    const { verdict } = await solved(warm);
    t.ok(Math.abs(verdict.value - 10) < 1e-9);
  },
);

t.test('a change that both sides could be wrong by is not sealed, however well they are known', async (t) => {
  for (const delta of [1e-9, 1e-11]) {
    const { code, details } = await refusalOf(shift, {
      solver: 'solve',
      inputs: decay,
      shift: { 'inputs.k': delta },
    });
    t.same([code, details.gate], ['OUTSIDE_TOLERANCE', 'difference']);
  }
});

t.test('a δ that x + δ as a double does not have is refused', async (t) => {
  // 1 + 10⁻¹⁵ is 1 + 1.11·10⁻¹⁵: the change would be 11 % off, of values that are known to all digits.
  const ratio = (P_signal: number, by: number) => ({
    operators: ['SP7'],
    inputs: { P_signal, P_noise: 1 },
    shift: { P_signal: by },
  });
  t.equal((await refusalOf(shift, ratio(1, 1e-15))).code, 'OUTSIDE_TOLERANCE');
  const { value } = (await solved(ratio(1, 2 ** -50))).verdict;
  t.ok(Math.abs(value / ((10 / Math.LN10) * 2 ** -50) - 1) < 1e-12, '10 ln(1 + δ)/ln 10');
});

t.test('rounding of prices, which no pair of paths shows, is none of a change', async (t) => {
  const option = {
    mode: 'option',
    type: 'european',
    right: 'call',
    S0: 100,
    K: 100,
    r: 0.05,
    sigma: 0.2,
    T: 1,
  };
  const moved = (sigma: number) => ({ solver: 'quant', inputs: option, shift: { sigma } });
  for (const delta of [1e-15, 1e-13, 1e-11])
    t.equal((await refusalOf(shift, moved(delta))).code, 'OUTSIDE_TOLERANCE', `${delta}`);
  const { slope } = (await solved(moved(1e-8))).presentation.outputs;
  // Hull, Options, Futures and Other Derivatives, 19.10: vega S√T N′(d₁), d₁ = 0.35.
  const vega = (100 * Math.exp(-(0.35 ** 2) / 2)) / Math.sqrt(2 * Math.PI);
  t.ok(Math.abs((slope as number) / vega - 1) < 1e-3, `${slope} and ${vega}`);
});

t.test('a side that is refused is named', async (t) => {
  const orbit = { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 5, y0: 3, t_max: 40, dt: 0.01 };
  const { code, details } = await refusalOf(shift, { solver: 'lotka', inputs: orbit, shift: { dt: 1 } });
  t.match(code, /OUTSIDE_TOLERANCE|NON_FINITE/);
  t.match((details.points as unknown[])[0], { side: 'shifted', code });
});

t.test('the canonical request is its own canonical form', async (t) => {
  for (const { body } of shift.examples) {
    const once = inputOf(shift, body);
    t.same(JSON.parse(JSON.stringify(inputOf(shift, once))), JSON.parse(JSON.stringify(once)));
  }
});

// ---- one seed, one grid ----------------------------------------------------------------------------------

const swing = { t_end: 3, m: 2, c: 0.4, k: 50, x0: 0.1, v0: 0 };
const stepsAlone = (k: number) => {
  const input = inputOf(solverOf('solve'), { inputs: { ...swing, k } });
  return solverOf('solve')
    .plan(input, { requestHash: new Uint8Array(32) })
    .runs.map((run) => run.steps);
};

t.test('both sides have the same steps, though the shifted one alone would take others', async (t) => {
  const body = { solver: 'solve', inputs: { inputs: swing }, shift: { 'inputs.k': 10 } };
  const { finished } = await solved(body);
  const steps = finished.map((run) => run.steps);
  t.same(steps.slice(0, 3), stepsAlone(50));
  t.same(steps.slice(3, 6), stepsAlone(50));
  t.notSame(stepsAlone(60), stepsAlone(50));
  t.ok(shift.assumed(inputOf(shift, body)).some(({ name }) => name === 'dt of the shifted side'));
});

t.test('a side that has become another problem keeps its own grid', async (t) => {
  const { finished } = await solved({
    solver: 'solve',
    inputs: { inputs: swing },
    shift: { 'inputs.k': 1000 },
  });
  t.same(
    finished.slice(3, 6).map((run) => run.steps),
    stepsAlone(1050),
  );
});

t.test('both sides draw the same numbers: the seed follows from the base alone', async (t) => {
  const body = { solver: 'gauge', inputs: { group: 'Z2', L: 8, beta: 0.4 }, shift: { beta: 0.1 } };
  const { runs } = shift.plan(inputOf(shift, body), { requestHash: new Uint8Array(32) });
  // assembly/kernels/gauge.ts: the seed stands in the parameters as two f64.
  const seeds = runs.map(({ parts }) => {
    const { bytes } = parts[0] as { bytes: Uint8Array };
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    return [view.getFloat64(72, true), view.getFloat64(80, true)].join();
  });
  t.equal(runs.length, 16);
  t.equal(new Set(seeds).size, 1);
});

t.test('replicates are compared pair by pair: what they share drops out', async (t) => {
  const solve = solverOf('solve');
  // The series of the finest level stand for replicates; both sides decay alike. It lies behind as many times.
  const from = 144 + 8 * 65;
  const replicates = (_input: unknown, finished: readonly FinishedRun[]) => ({
    run: finished.length - 2,
    of: 'result' as const,
    from,
    length: 8 * 16,
  });
  const paired = shiftOver(() => ({ ...solve, replicates }));
  const body = { solver: 'solve', inputs: decay, shift: { 'inputs.k': 0.05 } };
  const job = await solvedBy(paired, body).catch((error) => error);
  const source = (await solved(body)).finished;
  const side = (run: number) => new Float64Array(source[run]!.result.slice(from, from + 128).buffer);
  const pairs = [...side(5)].map((x, i) => x - side(2)[i]!);
  const mean = pairs.reduce((sum, d) => sum + d, 0) / 16;
  const error = Math.sqrt(pairs.reduce((sum, d) => sum + (d - mean) ** 2, 0) / (16 * 15));
  const u = (4 * error) / 0.2729862398529783;
  t.equal(job.code, 'OUTSIDE_TOLERANCE');
  t.equal(job.details.gate, 'difference');
  t.ok(Math.abs(job.details.error / u - 1) < 1e-9, `${job.details.error}, by hand ${u}`);
});

// ---- rows of the harness ---------------------------------------------------------------------------------

const orbit = {
  solver: 'lotka',
  inputs: { alpha: 2 / 3, beta: 4 / 3, delta: 1, gamma: 1, x0: 1, y0: 1, t_max: 10 },
  shift: { x0: 0.125 },
};
const faults: [title: string, kernel: string, find: string, replace: string, body: object][] = [
  ['half a step', 'lotka', 'h = (parameterF64(48)', 'h = 0.5 * (parameterF64(48)', orbit],
  ['a stage that is left out', 'lotka', 'd = -drift3 * grownQ;', 'd = 0.0;', orbit],
  ['a start that is off by a percent', 'lotka', 'setField(8, q0);', 'setField(8, 1.01 * q0);', orbit],
];
const twins: Twin[] = faults.map(([title, kernel, find, replace, body]) => ({
  title,
  kernel,
  find,
  replace,
  body,
}));

// ---- requests that are refused -------------------------------------------------------------------------

const energy = { solver: 'compute', inputs: { equation: 'm*v^2/2', inputs: { m: 2, v: 3 } } };
const ratio = { operators: ['SP7'], inputs: { P_signal: 10, P_noise: 1 } };
const decayJob = { solver: 'solve', inputs: { inputs: { c: 1, k: 0.3, y0: 5, t_end: 4 } } };

const refused: readonly Refused[] = [
  { title: 'no target', body: { inputs: {}, shift: { m: 1 } }, code: 'MISSING_INPUT', field: 'operators' },
  {
    title: 'two targets',
    body: { ...energy, operators: ['SP7'], shift: { m: 1 } },
    code: 'INVALID_INPUT',
    field: 'solver',
  },
  {
    title: 'a shift of a shift',
    body: { solver: 'shift', inputs: { ...ratio, shift: { P_noise: 1 } }, shift: { 'shift.P_noise': 1 } },
    code: 'UNSUPPORTED',
    field: 'solver',
  },
  { title: 'nothing to shift', body: { ...energy, shift: {} }, code: 'MISSING_INPUT', field: 'shift' },
  {
    title: 'a shift of 0',
    body: { ...energy, shift: { 'inputs.m': 0 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs.m',
  },
  {
    title: 'a shift that rounds away',
    body: { ...energy, shift: { 'inputs.m': 1e-17 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs.m',
  },
  {
    title: 'an input that is none of the operators',
    body: { ...ratio, shift: { P_nois: 1 } },
    code: 'INVALID_INPUT',
    field: 'shift.P_nois',
  },
  {
    title: 'an input that is none of the solver',
    body: { ...decayJob, shift: { 'inputs.kk': 1 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs.kk',
  },
  {
    title: 'an input that is not given',
    body: { ...decayJob, shift: { 'inputs.b': 1 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs.b',
  },
  {
    title: 'a list',
    body: { ...decayJob, shift: { inputs: 1 } },
    code: 'INVALID_INPUT',
    field: 'shift.inputs',
  },
  {
    title: 'a unit of another dimension',
    body: { ...ratio, shift: { P_noise: { value: 1, unit: 'm' } } },
    code: 'INVALID_INPUT',
    field: 'shift.P_noise.unit',
  },
  {
    title: 'a base that is refused',
    body: { ...decayJob, inputs: { inputs: { c: 1, k: 1 } }, shift: { 'inputs.k': 1 } },
    code: 'MISSING_INPUT',
  },
  {
    title: 'a shifted side outside the domain',
    body: { ...ratio, shift: { P_noise: -2 } },
    code: 'INVALID_INPUT',
  },
  {
    title: 'a difference within the rounding of both sides',
    body: { ...energy, shift: { 'inputs.m': 1e-13 } },
    code: 'OUTSIDE_TOLERANCE',
  },
  {
    title: 'an input that the value does not depend on',
    body: { ...energy, inputs: { equation: 'm + 0*v', inputs: { m: 2, v: 3 } }, shift: { 'inputs.v': 1 } },
    code: 'OUTSIDE_TOLERANCE',
  },
];

testSolver(shift, {
  orders: 'that of the solver on both sides',
  references: [
    {
      title: 'the decay of 5 by k = 0.35 in place of 0.3',
      body: { solver: 'solve', inputs: decay, shift: { 'inputs.k': 0.05 } },
      expect: -0.2729862398529783,
      tolerance: 1e-6,
      source: '5 exp(−1.4) − 5 exp(−1.2)',
    },
    {
      title: 'elasticity of that',
      body: { solver: 'solve', inputs: decay, shift: { 'inputs.k': 0.05 } },
      of: 'elasticity',
      expect: -1.087615481532109,
      tolerance: 1e-6,
      source: '(exp(−0.2) − 1)·6',
    },
    {
      title: 'the same decay as an equation',
      body: {
        solver: 'solve',
        inputs: { equation: "y' = -k*y", inputs: { y0: 5, k: 0.3, t_end: 4 } },
        shift: { 'inputs.k': 0.05 },
      },
      expect: -0.2729862398529783,
      tolerance: 1e-6,
      source: '5 exp(−1.4) − 5 exp(−1.2)',
    },
  ],
  twins,
  refused,
});

t.test(
  'the change of an option price is among the examples',
  { skip: !solvers.some(({ id }) => id === 'quant') && 'quant is not registered in this build' },
  async (t) => {
    t.ok(shift.examples.some(({ body }) => body.solver === 'quant'));
  },
);
