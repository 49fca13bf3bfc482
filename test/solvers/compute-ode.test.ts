import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { registry } from '../../src/operators/registry.ts';
import { type ComputeInput, compute } from '../../src/solvers/compute.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import { solveGates } from '../../src/solvers/solve/gates.ts';
import { solve } from '../../src/solvers/solve.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { inputOf, refusalOf, solved } from './solver-test.ts';
import { refusalOfTwin } from './twin-job.ts';

// Operators without a closed form: compute integrates them by RK4 of solve.

const rows = [...registry().rows.values()].filter(({ ode }) => ode !== undefined);
const bodyOf = (id: string) => ({ operators: [id], inputs: registry().rows.get(id)!.examples[0]!.inputs });
const pendulum = bodyOf('ODE_PENDULUM_DAMPED');
const noHash = { requestHash: new Uint8Array(32) };

t.test(
  'twenty operators have a differential equation, with values from SciPy (HON-14, HON-16)',
  async (t) => {
    t.ok(rows.length >= 20);
    for (const { id, examples } of rows) {
      const { verdict, presentation } = await solved(compute, bodyOf(id));
      const { value, source } = examples[0]!;
      t.ok(Math.abs(verdict.value / value - 1) < 1e-6, `${id}: ${verdict.value} (${source})`);
      t.match(presentation.outputs.note, /^NUMERICAL FALLBACK: /, id);
      t.ok(verdict.precisionActual <= 1e-3, `${id}: within the gate`);
    }
  },
);

t.test('an operator with a closed form is never integrated (HON-15)', async (t) => {
  const { presentation, finished } = await solved(compute, compute.examples[0]!.body);
  t.notOk('note' in presentation.outputs);
  t.equal(finished.length, 1);
  const refusal = await refusalOf(solve, { operators: ['SP7'], inputs: { P_signal: 1, P_noise: 1 } });
  t.match(refusal, { code: 'UNSUPPORTED', details: { field: 'operators' } });
});

t.test('solve gives the same number, with the motion', async (t) => {
  const [ours, theirs] = [await solved(compute, pendulum), await solved(solve, pendulum)];
  t.equal(ours.verdict.value, theirs.verdict.value);
  t.same(
    theirs.presentation.fields.map(({ name }) => name),
    ['t', 'value', 'theta', 'theta_dot'],
  );
  t.same(solve.operators!(inputOf(solve, pendulum)), ['ODE_PENDULUM_DAMPED']);
});

t.test(
  'uncertainty is half of what the value changes by between the ends of each input (CMP-05)',
  async (t) => {
    // Where radiation is nothing the temperature is T_a + (T_0 − T_a) e^(−hAt/mc), whose derivatives are known.
    const [h, A, m, c, time] = [12, 0.05, 1.5, 480, 600];
    const body = {
      operators: ['ODE_COOLING_RADIATION'],
      inputs: {
        ...{ t: time, T_a: 300, h: { value: h, uncertainty: 0.3 }, A, epsilon: 0, m, c },
        T_0: { value: 1100, uncertainty: 5 },
      },
    };
    const { presentation, verdict } = await solved(compute, body);
    const decay = Math.exp((-h * A * time) / (m * c));
    t.ok(Math.abs(verdict.value / (300 + 800 * decay) - 1) < 1e-10);
    const expected = Math.hypot(5 * decay, (800 * decay * A * time * 0.3) / (m * c));
    t.ok(Math.abs((presentation.outputs.uncertainty as number) / expected - 1) < 1e-3);
  },
);

t.test('an integral at an extremum is not certain (CMP-05)', async (t) => {
  // A small swing is θ₀ cos ωt: after a period an uncertain t counts by its second order alone, √½ θ₀ (ωσ)².
  const [theta_0, g, L] = [1e-3, 9.8, 0.2];
  const omega = Math.sqrt(g / L);
  const period = { value: (2 * Math.PI) / omega, uncertainty: 0.1 / omega };
  const inputs = { theta_0, Omega_0: 0, L, gamma: 0, g, t: period };
  const { presentation } = await solved(compute, { operators: ['ODE_PENDULUM_DAMPED'], inputs });
  const expected = Math.SQRT1_2 * 2 * theta_0 * (1 - Math.cos(0.1));
  t.ok(Math.abs((presentation.outputs.uncertainty as number) / expected - 1) < 1e-3);
});

t.test('the quote is the work that is spent, with uncertain inputs and conditions too', async (t) => {
  const rocket = bodyOf('ODE_ROCKET_DRAG');
  const uncertain = { ...rocket, inputs: { ...rocket.inputs, u: { value: 2400, uncertainty: 10 } } };
  for (const body of [pendulum, rocket, uncertain]) {
    const { finished } = await solved(compute, body);
    const spent = finished.reduce((sum, run) => sum + Number(run.work), 0);
    t.same(compute.quote(inputOf(compute, body), noHash), {
      ...compute.quote(inputOf(compute, body), noHash),
      work: spent,
      exact: true,
    });
  }
});

const refused: [string, object, string][] = [
  [
    'an integral beside another operator',
    { ...pendulum, operators: ['ODE_PENDULUM_DAMPED', 'SP7'] },
    'UNSUPPORTED',
  ],
  ['a missing input', { ...pendulum, inputs: { ...pendulum.inputs, g: undefined } }, 'MISSING_INPUT'],
  ['an end at the start', { ...pendulum, inputs: { ...pendulum.inputs, t: 0 } }, 'INVALID_INPUT'],
  [
    'a length in seconds',
    { ...pendulum, inputs: { ...pendulum.inputs, L: { value: 1, unit: 's' } } },
    'INVALID_INPUT',
  ],
  [
    'an uncertainty that reaches to a negative length',
    { ...pendulum, inputs: { ...pendulum.inputs, L: { value: 1, uncertainty: 2 } } },
    'INVALID_INPUT',
  ],
  [
    'a rocket without mass',
    { operators: ['ODE_ROCKET_DRAG'], inputs: { ...bodyOf('ODE_ROCKET_DRAG').inputs, t: 70 } },
    'INVALID_INPUT',
  ],
  [
    'a motion that three levels do not resolve (HON-16)',
    { ...pendulum, inputs: { ...pendulum.inputs, t: 20000, gamma: 0 } },
    'OUTSIDE_TOLERANCE',
  ],
];
for (const [title, body, code] of refused)
  t.test(`${title} is refused with ${code}`, async (t) => {
    const refusal = await refusalOf(compute, JSON.parse(JSON.stringify(body)));
    t.equal(refusal.code, code, refusal.message);
    t.notOk('value' in refusal.details);
  });

// ---- over a grid, and shifted ----------------------------------------------------------------------------

const lattice = solverOf('lattice');
type Inputs = Readonly<Record<string, unknown>>;
const without = (inputs: Inputs, name: string): Inputs => ({ ...inputs, [name]: undefined });

/** The first input of a row's example that is a plain number other than 0, at that and a little less. */
function sweepOf({ operators, inputs }: { operators: string[]; inputs: Inputs }) {
  const [name, x] = Object.entries(inputs).find(([, x]) => typeof x === 'number' && x !== 0)! as [
    string,
    number,
  ];
  const values = [x, 0.995 * x];
  const body = { operators, inputs: without(inputs, name), axes: [{ name, values }], reduce: 'at', at: [0] };
  return { body: JSON.parse(JSON.stringify(body)), name, values };
}

t.test(
  'a lattice takes every operator without closed form, each point as compute gives it alone (HON-14, HON-17)',
  async (t) => {
    for (const { id } of rows) {
      const alone = bodyOf(id) as { operators: string[]; inputs: Inputs };
      const { body, name, values } = sweepOf(alone);
      const { presentation, verdict, finished } = await solved(lattice, { ...body, proofs: [1] });
      const points = await Promise.all(
        values.map((x) => solved(compute, { ...alone, inputs: { ...alone.inputs, [name]: x } })),
      );
      t.same(
        presentation.outputs.values,
        points.map((point) => point.verdict.value),
        id,
      );
      t.match(presentation.outputs.note, /^NUMERICAL FALLBACK: /, id);
      t.same(
        presentation.outputs.uncertainties,
        points.map((point) => point.presentation.outputs.uncertainty),
        id,
      );
      t.ok(verdict.gates.length > 0 && verdict.precisionActual <= 1e-3);
      const spent = finished.reduce((sum, run) => sum + Number(run.work), 0);
      t.match(lattice.quote(inputOf(lattice, body), noHash), { work: spent, exact: true }, `${id}: work`);
    }
  },
);

t.test('the axes of a lattice of integrals come in any unit and under any name', async (t) => {
  const { L: _, ...inputs } = pendulum.inputs as Record<string, number>;
  const axes = [{ name: 'length', values: [100, 200], unit: 'cm' }];
  const body = { operators: pendulum.operators, inputs, axes, reduce: 'max' };
  const canonical = inputOf(lattice, body) as { axes: unknown };
  t.match(canonical.axes, [{ name: 'L', values: [100, 200], unit: 'cm' }]);
  const inMetres = { ...body, axes: [{ name: 'L', values: [1, 2] }] };
  const [a, b] = [await solved(lattice, body), await solved(lattice, inMetres)];
  t.same(a.presentation.outputs.values, b.presentation.outputs.values);
});

t.test('a point that is not held ends the whole, by its coordinates (HON-16)', async (t) => {
  const { t: _, ...rest } = pendulum.inputs as Record<string, number>;
  const inputs = { ...rest, gamma: 0 };
  const sweep = (values: number[]) => ({
    ...{ operators: pendulum.operators, inputs, axes: [{ name: 't', values }], reduce: 'max' },
  });
  const late = await refusalOf(lattice, sweep([1, 20000]));
  t.match(late, { code: 'OUTSIDE_TOLERANCE', details: { failed: 1, of: 2 } });
  const point = (late.details.points as Record<string, unknown>[])[0]!;
  t.match(point, { index: 1, coordinates: { t: 20000 } });
  t.ok(
    solveGates.some(({ name }) => name === point.gate),
    `the gate is one of solve: ${point.gate}`,
  );
  t.match(await refusalOf(lattice, sweep([0, 1])), { code: 'INVALID_INPUT' });
  const rocket = bodyOf('ODE_ROCKET_DRAG');
  const burnt = {
    ...{ operators: rocket.operators, inputs: without(rocket.inputs, 't'), reduce: 'min' },
    axes: [{ name: 't', values: [10, 70] }],
  };
  const empty = await refusalOf(lattice, JSON.parse(JSON.stringify(burnt)));
  t.match(empty, { code: 'INVALID_INPUT', details: { failed: 1, points: [{ index: 1 }] } });
  const many = { ...sweep([]), axes: [{ name: 't', start: 1, stop: 2, count: 600 }] };
  t.match(await refusalOf(lattice, many), { code: 'LIMIT_EXCEEDED' });
});

t.test('a change of an integral says that it is one (HON-14)', async (t) => {
  const shift = solverOf('shift');
  const body = { ...pendulum, shift: { L: 0.1 } };
  const { presentation, verdict } = await solved(shift, body);
  t.match(presentation.outputs.note, /^NUMERICAL FALLBACK: /);
  const { L } = pendulum.inputs as { L: number };
  const longer = await solved(compute, { ...pendulum, inputs: { ...pendulum.inputs, L: L + 0.1 } });
  const base = await solved(compute, pendulum);
  t.equal(verdict.value, longer.verdict.value - base.verdict.value);
  const closed = await solved(shift, shift.examples.find(({ body }) => body.operators)!.body);
  t.notOk('note' in closed.presentation.outputs);
});

t.test('the gate that refused is one of those that judge an integral', async (t) => {
  const body = { ...pendulum, inputs: { ...pendulum.inputs, t: 20000, gamma: 0 } };
  const { details } = await refusalOf(compute, body);
  t.ok(
    solveGates.some(({ name }) => name === details.gate),
    String(details.gate),
  );
});

t.test('a kernel whose weights do not add up is never sealed (HON-16)', async (t) => {
  const file = 'assembly/kernels/solve-system.ts';
  const twin = await brokenTwin(file, {
    file,
    find: 'load<f64>(sums + o) + weight * slope',
    replace: 'load<f64>(sums + o) + 0.98 * weight * slope',
  });
  const refusal = await refusalOfTwin(
    compute,
    inputOf(compute, pendulum) as ComputeInput,
    'solve-system',
    twin,
  );
  t.ok(refusal instanceof Refusal, 'it is refused');
});
