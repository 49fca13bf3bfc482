import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { saidOf } from '../../src/solvers/outputs.ts';
import type { SolveInput } from '../../src/solvers/solve/problem.ts';
import { solve } from '../../src/solvers/solve.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { goOn, startJob } from './continue-job.ts';
import { type Refused, testRefusals } from './refusals.ts';
import { runJob } from './run-job.ts';
import { fieldOf, inputOf, refusalOf, solved } from './solver-test.ts';
import { refusalOfTwin } from './twin-job.ts';

// Systems of the caller's own in `solve`: the formulas of the expression language inside a kernel.

interface Reference {
  readonly title: string;
  readonly body: object & { readonly inputs: object };
  readonly value: string;
  readonly unit: string | null;
  readonly source: string;
}

const fixture = new URL('../../../test/fixtures/solve/own-systems.json', import.meta.url);
const references = JSON.parse(readFileSync(fixture, 'utf8')) as Reference[];
const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

t.test('own systems give what closed forms and mpmath give (OPEN-29, HON-14)', async (t) => {
  for (const { title, body, value, unit, source } of references) {
    const { verdict, presentation } = await solved(solve, body);
    const error = relative(verdict.value, Number(value));
    t.ok(error <= 1e-8, `${title}: error ${error} (${source})`);
    t.equal(solve.unit(inputOf(solve, body)), unit, `${title}: unit`);
    t.match(presentation.outputs.note, /^NUMERICAL FALLBACK: /, `${title}: says that it is integrated`);
    t.ok(
      verdict.gates.some(({ name }) => name === 'single steps'),
      `${title}: its steps are gated`,
    );
  }
});

t.test('the master equation in words of its own is the master equation', async (t) => {
  const body = { inputs: { t_end: 5, m: 1, c: 0.2, k: 1, beta: 1, F: 0.3, Omega: 1.2, x0: 1 } };
  const own = await solved(solve, {
    equation: "x'' = (F*cos(Omega*t) - c*x' - k*x - beta*x^3)/m",
    inputs: { ...body.inputs, x_dot0: 0 },
  });
  const built = await solved(solve, { inputs: { ...body.inputs, v0: 0 } });
  t.ok(relative(own.verdict.value, built.verdict.value) < 1e-7);
});

t.test('an exact quote: the work of a plain job is the work that is quoted', async (t) => {
  for (const { title, body } of references) {
    const input = inputOf(solve, body);
    const { work, exact } = solve.quote(input, { requestHash: new Uint8Array(32) });
    const { finished } = await solved(solve, body);
    t.ok(exact, title);
    t.equal(
      finished.reduce((sum, run) => sum + Number(run.work), 0),
      work,
      title,
    );
  }
});

t.test('the error of a coarse level falls with the fourth power of the step', async (t) => {
  const body = references[2]!.body;
  const errors = [];
  for (const dt of [0.004, 0.002]) {
    const { finished } = await solved(solve, { ...body, dt });
    const { buffer, byteOffset } = finished[0]!.result;
    errors.push(
      Math.abs(new DataView(buffer, byteOffset).getFloat64(0, true) - Number(references[2]!.value)),
    );
  }
  const order = Math.log2(errors[0]! / errors[1]!);
  t.ok(Math.abs(order - 4) < 0.1, `observed ${order}`);
});

t.test('named fields are the numbers that they are called', async (t) => {
  const job = await solved(solve, references[3]!.body);
  const [time, value, z] = ['t', 'value', 'z'].map((name) => fieldOf(job, name));
  t.same([time![0], time!.at(-1), z![0]], [0, 2, 1]);
  t.equal(value!.at(-1), job.verdict.value);
  t.same(value, z, 'the quantity is z');
  t.match(job.presentation.outputs.components, [{ name: 'x' }, { name: 'y' }, { value: job.verdict.value }]);
});

/** Five components, with the derivatives of all in the equation of each. */
const five = ['u', 'v', 'w', 'x', 'y'];
const entangled = five.map((name) => `${five.join("' + ")}' + ${name}' = 1`).join('; ');

t.test(
  'an equation that is not solved for its highest derivative is the one that is (OPEN-29)',
  async (t) => {
    const inputs = { t_end: 5, y0: 2, y_dot0: 0 };
    const force = { ...inputs, m: 2, c: 0.3, k: 4, F: 0.5 };
    const same: [written: string, solved: string, inputs: object][] = [
      ["y'' + 0.1*y' + sin(y) = 0", "y'' = -(0.1*y' + sin(y))", inputs],
      ["0 = y'' + 0.1*y' + sin(y)", "y'' = -0.1*y' - sin(y)", inputs],
      ["m*y'' + c*y' + k*y = F*cos(t)", "y'' = -(c*y' + k*y - F*cos(t))/m", force],
      ['m*d^2y/dt^2 + c*dy/dt + k*y = F*cos(t)', "y'' = -(c*y' + k*y - F*cos(t))/m", force],
      ['m\\ddot{y} + c\\dot y + ky = F\\cos t', "y'' = -(c*y' + k*y - F*cos(t))/m", force],
      ['m\\frac{d^2 y}{dt^2} + c\\frac{dy}{dt} + ky = F\\cos t', "y'' = -(c*y' + k*y - F*cos(t))/m", force],
      ["y''/2 - (1 - y^2)*y' = -y", "y'' = -(-(1 - y^2)*y' - -y)*2", inputs],
      ['d^2y/dt^2 = -0.1*dy/dt - y', "y'' = -0.1*y' - y", inputs],
      ["(2 + t)*u' + u = 3; y'' + u*y = 0", "u' = -(u - 3)/(2 + t); y'' = -u*y", { ...inputs, u0: 1 }],
      ["y'' (1 + y^2) = -y", "y'' = -y/(1 + y^2)", inputs],
      ["u' = -u; y'' + y = u'", "u' = -u; y'' = -y - u", { ...inputs, u0: 1 }],
      ["y'' + u' = -y; y'' - u' = u", "y'' = (u - y)/2; u' = (-y - u)/2", { ...inputs, u0: 1 }],
      [
        '\\ddot{y} + \\dot{u} = -y \\\\ \\ddot{y} - \\dot{u} = u',
        "y'' = (u - y)/2; u' = (-y - u)/2",
        { ...inputs, u0: 1 },
      ],
    ];
    for (const [written, explicit, inputs] of same) {
      const [a, b] = [
        await solved(solve, { equation: written, inputs }),
        await solved(solve, { equation: explicit, inputs }),
      ];
      t.ok(relative(a.verdict.value, b.verdict.value) < 1e-12, `${written}: ${a.verdict.value}`);
    }
    // DOP853 of SciPy, rtol 1e-13
    const { verdict } = await solved(solve, { equation: "y'' + 0.1*y' + sin(y) = 0", inputs });
    t.ok(relative(verdict.value, -1.05300698808725) < 1e-8, `${verdict.value}`);
    for (const [equation, what] of [
      ["y''^2 + y = 0", /not linear in the highest derivative of "y"/],
      ["sin(y') + y = 0", /not linear in the highest derivative of "y"/],
      ["x'' + y'' = 0", /has 2 highest derivatives, of "x", "y", in 1 equation\./],
      ["x'*y' = 1; x' = y'", /not linear in the highest derivative of "x"/],
      ["x' + y' = 1; 2*x' + 2*y' = x", /leaves the highest derivatives of "x", "y" open/],
      [
        "y'' = -y; y'(0) = 1",
        /a product or the derivative at one place: write y'\*0, or give a start in inputs/,
      ],
      [entangled, /5 highest derivatives in one another, above 4/],
      ['x + y = 0', /not solved for a derivative: its left side is "x \+ y"/],
    ] as const)
      t.match(
        await refusalOf(solve, { equation, inputs }),
        { code: 'INVALID_INPUT', message: what },
        equation,
      );
  },
);

t.test('an equation that says nothing of its derivative is refused', async (t) => {
  const inputs = { t_end: 1, y0: 1, y_dot0: 0 };
  for (const equation of ["y' - y' = 0", "0*y' = 0", "2*y' = y' + y'", "y'' - y'' = 0"]) {
    const { y_dot0, ...first } = inputs;
    const given = equation.includes("''") ? inputs : first;
    const refused = { code: 'INVALID_INPUT', message: /leaves the highest derivatives of "y" open/ };
    t.match(await refusalOf(solve, { equation, inputs: given }), refused, equation);
  }
  const { verdict } = await solved(solve, { equation: "3*y' = 0", inputs: { t_end: 1, y0: 1 } });
  t.equal(verdict.value, 1);
});

t.test('what is conserved has the unit of its formula, as far as it is known', (t) => {
  const unitIn = (body: object) => {
    const units = saidOf(solve, inputOf(solve, body), { conserved: { start: 1 } }).units;
    return Object.keys(units).join();
  };
  t.equal(unitIn(solve.examples.find(({ body }) => 'conserved' in body)!.body), '1/s^2');
  t.equal(unitIn({ equation: "y' = y", inputs: { t_end: 1, y0: 1 }, conserved: 'y*exp(-t)' }), 'not known');
  t.end();
});

t.test('what is conserved is a gate, and its change is told', async (t) => {
  const { verdict, presentation } = await solved(solve, references[2]!.body);
  const gate = verdict.gates.find(({ name }) => name === 'conserved')!;
  t.equal(gate.kind, 'invariant');
  t.ok(gate.relError < 1e-9);
  t.match(presentation.outputs.conserved, { relativeDrift: gate.relError });
});

t.test('equal problems in other units are equal to the bit', async (t) => {
  const inMinutes = {
    equation: "y' = -y/tau",
    inputs: { t_end: { value: 2, unit: 'min' }, y0: { value: 3, unit: 'm' }, tau: { value: 1, unit: 'min' } },
  };
  const inSeconds = {
    ...inMinutes,
    inputs: { t_end: 120, y0: { value: 3, unit: 'm' }, tau: { value: 60, unit: 's' } },
  };
  const [a, b] = [await solved(solve, inMinutes), await solved(solve, inSeconds)];
  t.equal(a.verdict.value, b.verdict.value);
  t.ok(relative(a.verdict.value, 3 * Math.exp(-2)) < 1e-12);
});

// ---- going on ------------------------------------------------------------------------------------------

/** What a level ends with: value, components, extremes; and the state to go on from. */
function endOf({ result }: { readonly result: Uint8Array }, n: number): string {
  const state = 8 * (3 + 3 * n);
  return Buffer.concat([result.subarray(0, 8 * (1 + n)), result.subarray(-state)]).toString('hex');
}

const pushed = {
  equation: "theta'' = -(g/L)*sin(theta) + a*sin(w*t)",
  inputs: {
    theta0: { value: 170, unit: 'deg' },
    theta_dot0: { value: 0, unit: 'rad/s' },
    g: { value: 9.81, unit: 'm/s^2' },
    L: { value: 1, unit: 'm' },
    a: { value: 0.1, unit: '1/s^2' },
    w: { value: 1, unit: 'rad/s' },
  },
};
const predators = {
  equation: "u' = u - u*v; v' = u*v - v",
  inputs: { u0: 2, v0: 1 },
  conserved: 'u - ln(u) + v - ln(v)',
};

for (const [title, body, ends] of [
  ['a pendulum that is pushed', { ...pushed, dt: 1 / 256 }, [2, 2.5, 4]],
  ['what is conserved', { ...predators, dt: 1 / 64 }, [1, 3, 7]],
  ['a later start', { ...predators, initialState: { t0: 1 }, dt: 1 / 64 }, [2, 4, 7]],
] as const) {
  t.test(`${title}: a system on from T₁ is the run to T₂, to the bit, on every level`, async (t) => {
    const until = (t_end: number) => inputOf(solve, { ...body, inputs: { ...body.inputs, t_end } });
    const sent = (t_end: number) => ({ equation: body.equation, inputs: { t_end } }) as SolveInput;
    const [first, second, last] = ends;
    const whole = await startJob(solve, until(last));
    const then = await goOn(solve, await startJob(solve, until(first)), sent(second));
    const third = await goOn(solve, then, sent(last));
    for (const level of [0, 1, 2])
      t.equal(endOf(third.finished[level]!, 2), endOf(whole.finished[level]!, 2), `level ${level}`);
    t.equal(third.verdict.value, whole.verdict.value);
    const times = fieldOf(
      { ...third, presentation: solve.present(third.input, third.verdict, third.finished) },
      't',
    );
    t.same([times[0], times.at(-1)], [second, last], 'samples of its own stretch');
    t.ok(third.verdict.gates.some(({ name }) => name === 'single steps'));
    const { work } = solve.quote(third.input, { requestHash: new Uint8Array(32) });
    t.equal(
      third.finished.reduce((sum, run) => sum + Number(run.work), 0),
      work,
      'as quoted',
    );
  });
}

t.test('with strict a level that left the numbers, or was not needed, starts anew', async (t) => {
  const body = {
    equation: "y' = -30*(y - cos(t))",
    inputs: { y0: 0, t_end: 1 },
    dt: 1 / 4,
    strict: true,
    maxIterations: 20,
  };
  const until = (t_end: number) => inputOf(solve, { ...body, inputs: { ...body.inputs, t_end } });
  const first = await startJob(solve, until(1));
  const then = await goOn(solve, first, { equation: body.equation, inputs: { t_end: 2 } } as SolveInput);
  // y' = −k(y − cos t): (k² cos t + k sin t)/(k² + 1) when the start is forgotten.
  const y = (900 * Math.cos(2) + 30 * Math.sin(2)) / 901;
  t.ok(relative(then.verdict.value, y) < 1e-6, `${then.verdict.value}`);
});

t.test('a new end of a system in another unit, or between its steps, is refused', async (t) => {
  const body = inputOf(solve, {
    ...pushed,
    inputs: { ...pushed.inputs, t_end: { value: 2, unit: 's' } },
    dt: 0.25,
  });
  const first = await startJob(solve, { ...body, dt: 1 / 256 });
  const sent = (t_end: unknown) => ({ equation: body.equation, inputs: { t_end } }) as SolveInput;
  for (const t_end of [
    { value: 3, unit: 'm' },
    { value: 1, unit: 's' },
    { value: 2001.1, unit: 'ms' },
  ])
    await t.rejects(async () => goOn(solve, first, sent(t_end)), { code: 'INVALID_INPUT' });
  await t.rejects(async () => goOn(solve, first, sent(undefined)), { code: 'MISSING_INPUT' });
  const then = await goOn(solve, first, sent({ value: 2500, unit: 'ms' }));
  t.equal(then.verdict.value, (await goOn(solve, first, sent(2.5))).verdict.value);
  const swing = { operators: ['ODE_NONE'], inputs: {} } as SolveInput;
  t.throws(
    () =>
      solve.continuation!.join(sent(3), { id: 'j', first: swing, firstHash: new Uint8Array(32), runs: [] }),
    { code: 'UNSUPPORTED' },
  );
});

t.test(
  'a kernel that goes on from another place than the earlier end is never sealed (HON-16)',
  async (t) => {
    const first = await startJob(
      solve,
      inputOf(solve, { ...predators, inputs: { ...predators.inputs, t_end: 1 }, dt: 1 / 64 }),
    );
    const { input } = await goOn(solve, first, {
      equation: predators.equation,
      inputs: { t_end: 2 },
    } as SolveInput);
    const twin = await brokenTwin(kernel, {
      file: kernel,
      find: 'memory.copy(y, state + 24, column);',
      replace: 'begin();',
    });
    t.equal((await refusalOfTwin(solve, input, 'solve-system', twin))?.code, 'OUTSIDE_TOLERANCE');
  },
);

t.test('linear systems of any coefficients are what their exponentials say', async () => {
  const number = fc.double({ min: -2, max: 2, noNaN: true });
  await fc.assert(
    fc.asyncProperty(number, number, number, async (a, b, y0) => {
      const { verdict } = await solved(solve, {
        equation: "x' = a*x - b*y; y' = b*x + a*y",
        inputs: { t_end: 1, x0: 1, y0, a, b },
        quantity: 'x + 4',
      });
      const exact = Math.exp(a) * (Math.cos(b) - y0 * Math.sin(b)) + 4;
      return Math.abs(verdict.value - exact) < 1e-8 * (4 + Math.exp(a));
    }),
    { numRuns: 40 },
  );
});

// ---- requests that are refused -------------------------------------------------------------------------

const growth = {
  equation: "N' = r*N*(1 - N/K)",
  inputs: {
    t_end: 10,
    N0: { value: 5, unit: '1' },
    r: { value: 0.3, unit: '1/s' },
    K: { value: 100, unit: '1' },
  },
};
const { r: _, ...withoutRate } = growth.inputs;
const { N0: __, ...withoutStart } = growth.inputs;
const { t_end: ___, ...withoutEnd } = growth.inputs;
const decay = (equation: string, more: object = {}) => ({
  equation,
  inputs: { t_end: 1, y0: 1, ...more },
});

/** Systems of the caller's own; those of the master equation stand in ../solve.test.ts. */
const refused: readonly Refused[] = [
  {
    title: 'a pulse between two steps',
    body: {
      equation: "y' = 1 + 1000*exp(-((t - 3.3337)/0.0003)^2)",
      inputs: { t_end: 10, y0: 0 },
      dt: 0.1,
    },
    code: 'OUTSIDE_TOLERANCE',
    field: 'dt',
  },
  {
    title: 'a letter that nobody gave',
    body: { ...growth, inputs: withoutRate },
    code: 'MISSING_INPUT',
    field: 'inputs.r',
  },
  {
    title: 'a component without a start',
    body: { ...growth, inputs: withoutStart },
    code: 'MISSING_INPUT',
    field: 'inputs.N0',
  },
  { title: 'no end', body: { ...growth, inputs: withoutEnd }, code: 'MISSING_INPUT', field: 'inputs.t_end' },
  {
    title: 'a rate of another dimension',
    body: { ...growth, inputs: { ...growth.inputs, r: { value: 0.3, unit: 'm/s' } } },
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'a sum of unlike quantities',
    body: { ...growth, inputs: { ...growth.inputs, K: { value: 100, unit: 'kg' } } },
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'what is conserved as a sum of unlike quantities',
    body: { ...growth, conserved: 'N + r' },
    code: 'INVALID_INPUT',
    field: 'conserved',
  },
  {
    title: 'a letter that stands nowhere',
    body: { ...growth, inputs: { ...growth.inputs, rr: 1 } },
    code: 'INVALID_INPUT',
    field: 'inputs.rr',
  },
  {
    title: 'a start that is a point on a scale',
    body: {
      equation: "T' = -k*(T - T_a)",
      inputs: {
        ...{ t_end: { value: 1, unit: 's' }, T0: { value: 20, unit: 'degC' } },
        ...{ T_a: { value: 290, unit: 'K' }, k: { value: 1, unit: '1/s' } },
      },
    },
    code: 'INVALID_INPUT',
    field: 'inputs.T0',
  },
  {
    title: 'a start out of range, under its second name',
    body: decay("y' = -y", { y0: undefined, y_0: { value: 1e308, unit: 'km' } }),
    code: 'INVALID_INPUT',
    field: 'inputs.y_0',
  },
  {
    title: 'a component given a value',
    body: { ...growth, inputs: { ...growth.inputs, N: 1 } },
    code: 'INVALID_INPUT',
    field: 'inputs.N',
  },
  { title: 'an inequality', body: decay("y' = y > 0"), code: 'NON_SCALAR_RESULT', field: 'equation' },
  { title: 'a matrix', body: decay("y' = [y, 1]"), code: 'NON_SCALAR_RESULT', field: 'equation' },
  { title: 'an integral', body: decay("y' = integral(y)"), code: 'UNSUPPORTED', field: 'equation' },
  { title: 'a formula that is no equation', body: decay('2*y'), code: 'INVALID_INPUT', field: 'equation' },
  {
    title: 'an equation for no derivative',
    body: decay('y = 2'),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  { title: 'nothing to the right', body: decay("y' = "), code: 'INVALID_INPUT', field: 'equation' },
  { title: 'no equation at all', body: decay(' ; '), code: 'INVALID_INPUT', field: 'equation' },
  {
    title: 'two equations for one component',
    body: decay("y' = 1; y' = 2"),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'derivatives by two variables',
    body: decay('dy/dx = 1; dz/dt = 2', { z0: 1 }),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'seventeen components',
    body: decay(Array.from({ length: 17 }, (_, i) => `y${i}' = 1`).join(';')),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'brackets two thousand deep',
    body: decay(`y' = ${'('.repeat(2000)}y${')'.repeat(2000)}`),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'a function of a function of a function',
    body: decay(`y' = ${'sin('.repeat(100)}y${')'.repeat(100)}`),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  {
    title: 'text of more than 4096 characters',
    body: decay(`y' = ${'1+'.repeat(3000)}y`),
    code: 'INVALID_INPUT',
    field: 'equation',
  },
  { title: 'an unknown function', body: decay("y' = foo(y)"), code: 'INVALID_INPUT', field: 'equation' },
  { title: 'log without its base', body: decay("y' = log(y)"), code: 'INVALID_INPUT', field: 'equation' },
  {
    title: 'a start in initialState',
    body: { ...growth, initialState: { y: 1 } },
    code: 'INVALID_INPUT',
    field: 'initialState.y',
  },
  {
    title: 'a quantity of the master equation',
    body: { inputs: { t_end: 3, m: 2, k: 50, x0: 0.1, v0: 0 }, quantity: 'x' },
    code: 'INVALID_INPUT',
    field: 'quantity',
  },
  {
    title: 'a mass in seconds',
    body: { inputs: { t_end: 3, m: { value: 2, unit: 's' }, k: 50, x0: 0.1, v0: 0 } },
    code: 'INVALID_INPUT',
    field: 'inputs.m.unit',
  },
  {
    title: 'a letter that is no name',
    body: { ...growth, inputs: { ...growth.inputs, 'a-b': 1 } },
    code: 'INVALID_INPUT',
    field: 'inputs.a-b',
  },
  {
    title: 'an end before the start',
    body: { ...growth, initialState: { t0: 11 } },
    code: 'INVALID_INPUT',
    field: 'inputs.t_end',
  },
  { title: 'a step of nothing', body: { ...growth, dt: 1e-300 }, code: 'LIMIT_EXCEEDED', field: 'dt' },
  { title: 'a pole in finite time', body: decay("y' = y^2", { t_end: 3 }), code: 'NON_FINITE' },
  { title: 'a formula without a value', body: decay("y' = ln(-y)"), code: 'NON_FINITE' },
  {
    title: 'a quantity that is not conserved',
    body: { ...growth, conserved: 'N' },
    code: 'OUTSIDE_TOLERANCE',
  },
  {
    title: 'a step that is too long for the motion',
    body: { ...decay("y'' = -400*y", { t_end: 10, y_dot0: 0 }), dt: 0.1 },
    code: 'OUTSIDE_TOLERANCE',
  },
];

testRefusals('solve', refused);

const kernel = 'assembly/kernels/solve-system.ts';
const point = 'assembly/expression/point.ts';
const twins: [string, string, string, string][] = [
  ['a product for a quotient', point, 'last = leftOf(at) / rightOf(at);', 'last = leftOf(at) * rightOf(at);'],
  ['a minus that is lost', point, 'last = -leftOf(at);', 'last = leftOf(at);'],
  ['half a step too far', kernel, 'toStage(0.0, 1.0, 0.5 * h);', 'toStage(0.0, 1.0, h);'],
  ['weights of another scheme', kernel, 'toStage(1.0, 2.0, h);', 'toStage(1.0, 1.9, h);'],
  [
    'a start that is off by a percent',
    kernel,
    'store<f64>(at(y, i), start);',
    'store<f64>(at(y, i), 1.01 * start);',
  ],
  [
    'one rate for every component',
    kernel,
    'const slope = load<f64>(<usize>load<u32>(rates + (o >> 1)))',
    'const slope = load<f64>(<usize>load<u32>(rates))',
  ],
];
/** Of instructions that are joined, kept for an instant or found again. */
const joined: [string, string, string][] = [
  ['a time that stands still', '|| atTime != reinterpret<u64>(t)', ''],
  [
    'one product for every other',
    ' && load<u32>(at, 8) == b && load<i32>(at, 20) == third',
    ' && load<i32>(at, 20) == third',
  ],
  [
    'a product that is added',
    'last = last - leftOf(at) * rightOf(at);',
    'last = last + leftOf(at) * rightOf(at);',
  ],
  ['a quotient that is turned', 'last = last / rightOf(at);', 'last = rightOf(at) / last;'],
  ['a rate that is read when it is gone', 'if (at < <u32>cell(j)) {', 'if (at < <u32>cell(0)) {'],
];
const forced = inputOf(solve, {
  equation: "v' = (F*cos(Omega*t) - c*v - k*x - beta*x^3)/m + sin(F*x) - sin(F*v); x' = v",
  inputs: { t_end: 2, v0: 0.5, x0: 1, m: 2, c: 0.2, k: 1, beta: 0.5, F: 0.3, Omega: 1.2 },
  dt: 0.05,
});
const pendulum = inputOf(solve, {
  equation: "theta'' = -g/L*sin(theta)",
  inputs: { t_end: 2, theta0: 1, theta_dot0: 0.5, g: 9.81, L: 0.7 },
  conserved: 'theta_dot^2/2 - g/L*cos(theta)',
});

const all = [
  ...twins.map(([title, ...rest]) => [title, pendulum, ...rest] as const),
  ...joined.map(([title, ...rest]) => [title, forced, point, ...rest] as const),
];
for (const [title, input, file, find, replace] of all) {
  t.test(`a kernel with ${title} is never sealed (HON-16)`, async (t) => {
    await t.resolves(runJob(solve, input), 'the whole kernel is sealed');
    const twin = await brokenTwin(kernel, { file, find, replace });
    const refusal = await refusalOfTwin(solve, input, 'solve-system', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|DID_NOT_CONVERGE|NON_FINITE/);
  });
}
