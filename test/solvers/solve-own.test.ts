import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { solve } from '../../src/solvers/solve.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { refused } from './refusals/solve.ts';
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

t.test('strict refines until all is in bound, also where the first steps left the numbers', async (t) => {
  const stiff = { equation: "y' = -a*(y - cos(t))", inputs: { t_end: 2, y0: 0, a: 2000 } };
  t.equal((await refusalOf(solve, { ...stiff, dt: 0.01 })).code, 'NON_FINITE');
  const job = await solved(solve, { ...stiff, strict: true, maxIterations: 14 });
  // y = (a² cos t + a sin t − a² e^(−at)) / (a² + 1)
  const exact = (4e6 * Math.cos(2) + 2000 * Math.sin(2)) / (4e6 + 1);
  t.ok(relative(job.verdict.value, exact) < 1e-6);
  t.equal(job.presentation.outputs.tuneStatus, 'converged');
  t.equal(
    (await refusalOf(solve, { ...stiff, strict: true, maxIterations: 2 })).code,
    'DID_NOT_CONVERGE',
    'and says so where that is not allowed',
  );
});

t.test('named fields are the numbers that they are called', async (t) => {
  const job = await solved(solve, references[3]!.body);
  const [time, value, z] = ['t', 'value', 'z'].map((name) => fieldOf(job, name));
  t.same([time![0], time!.at(-1), z![0]], [0, 2, 1]);
  t.equal(value!.at(-1), job.verdict.value);
  t.same(value, z, 'the quantity is z');
  t.match(job.presentation.outputs.components, [{ name: 'x' }, { name: 'y' }, { value: job.verdict.value }]);
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

for (const { title, body, code, field } of refused) {
  t.test(`${title} is refused with ${code}`, async (t) => {
    const refusal = await refusalOf(solve, body);
    t.equal(refusal.code, code, refusal.message);
    if (field !== undefined) t.equal(refusal.details.field, field);
    t.notOk('value' in refusal.details);
  });
}

const kernel = 'assembly/kernels/solve-system.ts';
const formulas = 'assembly/expression/formulas.ts';
const twins: [string, string, string, string][] = [
  ['a product for a quotient', formulas, 'store<f64>(to, a / b);', 'store<f64>(to, a * b);'],
  ['a minus that is lost', formulas, 'op == Op.NEGATE ? -a', 'op == Op.NEGATE ? a'],
  [
    'half a step too far',
    kernel,
    'stage(startTime + <f64>j * h, 1.0, half)',
    'stage(startTime + <f64>j * h, 1.0, h)',
  ],
  [
    'weights of another scheme',
    kernel,
    'stage(startTime + (<f64>j + 0.5) * h, 2.0, h);',
    'stage(startTime + (<f64>j + 0.5) * h, 1.9, h);',
  ],
  [
    'a start that is off by a percent',
    kernel,
    'store<f64>(at(y, i), start);',
    'store<f64>(at(y, i), 1.01 * start);',
  ],
  ['one rate for every component', kernel, 'const k = formulaValue(i);', 'const k = formulaValue(0);'],
];
const pendulum = inputOf(solve, {
  equation: "theta'' = -g/L*sin(theta)",
  inputs: { t_end: 2, theta0: 1, theta_dot0: 0.5, g: 9.81, L: 0.7 },
  conserved: 'theta_dot^2/2 - g/L*cos(theta)',
});

for (const [title, file, find, replace] of twins) {
  t.test(`a kernel with ${title} is never sealed (HON-16)`, async (t) => {
    const twin = await brokenTwin(kernel, { file, find, replace });
    const refusal = await refusalOfTwin(solve, pendulum, 'solve-system', twin);
    t.match(refusal?.code ?? 'sealed', /OUTSIDE_TOLERANCE|DID_NOT_CONVERGE|NON_FINITE/);
  });
}
