import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { saidOf } from '../../src/solvers/outputs.ts';
import { solve } from '../../src/solvers/solve.ts';
import { fieldOf, inputOf, refusalOf, solved } from './solver-test.ts';

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

t.test('equations of third and fourth order are systems of first order (OPEN-29)', async (t) => {
  const third = { t_end: 2, y0: 1, y_dot0: -1, y_ddot0: 1 };
  // e^(−t) has y''' = −y; of y''' + 2y'' + y' = 0 from 1, 0, 1 it is 2 − (1 + t)e^(−t) ; cos t has y'''' = y.
  const cases: [equation: string, inputs: object, value: number][] = [
    ["y''' = -y", third, Math.exp(-2)],
    ['d^3y/dt^3 = -y', third, Math.exp(-2)],
    ['d^3 y/dt^3 + y = 0', third, Math.exp(-2)],
    ['\\dddot{y} + y = 0', third, Math.exp(-2)],
    ['\\frac{d^3 y}{dt^3} = -y', third, Math.exp(-2)],
    ["y'''+y = 0 \\\\ \\dot u = y''", { ...third, u0: 0 }, Math.exp(-2)],
    ["y''' + 2*y'' + y' = 0", { t_end: 2, y0: 1, y_dot0: 0, y_ddot0: 1 }, 2 - 3 * Math.exp(-2)],
    ["y'''' = y", { t_end: 2, y0: 1, y_dot0: 0, y_ddot0: -1, y_dddot0: 0 }, Math.cos(2)],
    ["y'''(x) = -y", { ...third }, Math.exp(-2)],
  ];
  for (const [equation, inputs, value] of cases) {
    const { verdict } = await solved(solve, { equation, inputs });
    t.ok(Math.abs(verdict.value - value) < 1e-9, `${equation}: ${verdict.value} for ${value}`);
  }
  const { y_ddot0: _, ...without } = third;
  t.match(await refusalOf(solve, { equation: "y''' = -y", inputs: without }), {
    code: 'MISSING_INPUT',
    details: { field: 'inputs.y_ddot0' },
  });
  const fifth = { ...third, y_dddot0: 1, y_ddddot0: -1 };
  t.match(await refusalOf(solve, { equation: "y''''' = -y", inputs: fifth }), {
    code: 'INVALID_INPUT',
    message: /order 5, above 4; a lower one may have a letter/,
  });
  const renamed = {
    equation: "y'' = a; a''' = -y",
    inputs: { ...without, a0: 1, a_dot0: -1, a_ddot0: 1 },
  };
  t.ok(Math.abs((await solved(solve, renamed)).verdict.value - Math.exp(-2)) < 1e-9, 'as it says');
});

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
