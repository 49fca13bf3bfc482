import t from 'tap';
import { solve } from '../../src/solvers/solve.ts';
import { inputOf, refusalOf, solved } from './solver-test.ts';

// The step of a system of the caller's own: refined until every gate holds, and asked for where it does not.

const relative = (value: number, reference: number) => Math.abs(value / reference - 1);

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

const orbit = {
  equation: "x'' = -x/(x^2 + y^2)^1.5; y'' = -y/(x^2 + y^2)^1.5",
  inputs: { t_end: 200 * Math.PI, x0: 0.4, y0: 0, x_dot0: 0, y_dot0: 2 },
};
const relaxation = {
  equation: "x'' = mu*(1 - x^2)*x' - x",
  inputs: { t_end: 100, x0: 2, x_dot0: 0, mu: 100 },
};

t.test('strict refines until every gate holds, that between the steps as well (SOLV-06)', async (t) => {
  const refined = { strict: true, maxIterations: 40 };
  const around = await solved(solve, { ...orbit, ...refined });
  t.ok(
    relative(around.verdict.value, 0.4) < 1e-9,
    'a hundred orbits of eccentricity 0.6 end where they began',
  );
  const relaxed = await solved(solve, { ...relaxation, ...refined });
  // SciPy: Radau, LSODA and DOP853 with rtol 1e-12.
  t.ok(relative(relaxed.verdict.value, -1.86892416) < 1e-5, `${relaxed.verdict.value}`);
  for (const { presentation } of [around, relaxed]) t.equal(presentation.outputs.tuneStatus, 'converged');
  const levels = Number(around.presentation.outputs.iterations) + 1;
  t.ok(around.finished.length > levels + 1, 'a level that did not hold was tried before');
});

t.test(
  'equations that leave a highest derivative open at a point of the motion have no value there',
  async (t) => {
    const body = { equation: "x' + t*y' = 1; x' + y' = x", inputs: { t_end: 2, x0: 1, y0: 0 } };
    t.equal((await refusalOf(solve, body)).code, 'NON_FINITE', 'the determinant 1 − t is 0 at 1');
    const before = await solved(solve, { ...body, inputs: { ...body.inputs, t_end: 0.5 } });
    // SciPy, DOP853 with rtol 1e-13.
    t.ok(relative(before.verdict.value, 1.4369743804181274) < 1e-8, `${before.verdict.value}`);
  },
);

t.test('a rate without a value is refused with where that is and what to do', async (t) => {
  const removable = { equation: "y' = sin(t)/t", inputs: { t_end: 1, y0: 0 } };
  for (const how of [{}, { strict: true, maxIterations: 40 }]) {
    const { code, message } = await refusalOf(solve, { ...removable, ...how });
    t.equal(code, 'NON_FINITE');
    t.match(
      message,
      /the rate of y has no value where the run starts; accepted: a start beside it .initialState.t0 = 1e-8 with/,
    );
    const near = await solved(solve, { ...removable, ...how, initialState: { t0: 1e-8 } });
    t.ok(relative(near.verdict.value, 0.946083070367183 - 1e-8) < 1e-9, 'as it says');
  }
  const ball = { equation: "y'' = -2*y'/t - y^5", inputs: { t_end: 3, y0: 1, y_dot0: 0 } };
  t.match((await refusalOf(solve, ball)).message, /the rate of y_dot.*initialState.t0 = 3e-8 with/);
  const polytrope = await solved(solve, { ...ball, initialState: { t0: 3e-8 } });
  t.ok(relative(polytrope.verdict.value, 0.5) < 1e-9, 'Lane and Emden, n = 5: 1/√(1 + t²/3)');
  const beside = await solved(solve, {
    ...removable,
    inputs: { t_end: 1, y0: 1e-9 },
    initialState: { t0: 1e-9 },
  });
  t.ok(relative(beside.verdict.value, 0.946083070367183) < 1e-12, 'Si(1), mpmath');
  const pole = await refusalOf(solve, { equation: "y' = y^2", inputs: { t_end: 2, y0: 1 } });
  t.match(pole.message, /leaves the numbers behind t = (0\.99\d*|1), or.*accepted: t_end = 0.\d+, a smaller/);
  const double = (form: string) => ({ equation: `y' = ${form}`, inputs: { t_end: 1, y0: 0 } });
  const refused = await refusalOf(solve, double('(1 - cos(t - 0.7))/(t - 0.7)^2'));
  t.match(refused.message, /quotients with a double zero \(2\*\(sin\(u\/2\)\/u\)\^2 has none/);
  const { verdict } = await solved(solve, double('2*(sin((t - 0.7)/2)/(t - 0.7))^2'));
  t.ok(relative(verdict.value, 0.4949081808916104) < 1e-12, 'mpmath');
});

t.test('a t_end that is named before an escape or beside one is taken', async (t) => {
  const square = { equation: "y' = y^2", inputs: { y0: 1 } };
  const search = { strict: true, maxIterations: 40 };
  // y = 1/(1 − t).
  for (const [t_end, how] of [
    [1.001, {}],
    [1.5, {}],
    [3, {}],
    [1.5, { dt: 0.001 }],
    [1.5, search],
    [20, search],
    [1 - 1e-6, search],
  ] as const) {
    const { details } = await refusalOf(solve, { ...square, ...how, inputs: { y0: 1, t_end } });
    const [, named, without] = /^t_end = ([\d.]+\d)( without dt)?/.exec(String(details.accepts)) ?? [];
    const end = Number(named);
    t.ok(end > 0.5 && end < 1, `${t_end}: ${details.accepts}`);
    const sooner = { ...square, inputs: { y0: 1, t_end: end }, ...(without === undefined && how) };
    t.ok(relative((await solved(solve, sooner)).verdict.value, 1 / (1 - end)) < 1e-3);
  }
});

t.test(
  'one level that is tried is not the last where it does not hold, and no value is sealed of it',
  async (t) => {
    const { code, message } = await refusalOf(solve, { ...orbit, strict: true, maxIterations: 10 });
    t.equal(code, 'OUTSIDE_TOLERANCE');
    t.match(message, /between steps.*a larger maxIterations/);
  },
);

t.test(
  'a search without an end in sight is quoted two seconds of the reference core and four verdicts, and charged what it took',
  async (t) => {
    const equation = "x' = s*(y - x); y' = x*(r - z) - y; z' = x*y - b*z";
    const inputs = { t_end: 2, x0: 1, y0: 1, z0: 1, s: 10, r: 28, b: 8 / 3 };
    const body = { equation, inputs, strict: true, maxIterations: 40 };
    const { work, exact } = solve.quote(inputOf(solve, body), { requestHash: new Uint8Array(32) });
    const { finished } = await solved(solve, body);
    const spent = finished.reduce((sum, run) => sum + Number(run.work), 0);
    t.notOk(exact);
    const finest = { ...body, dt: 2 ** -20, maxIterations: 1 };
    const verdict = solve.quote(inputOf(solve, finest), { requestHash: new Uint8Array(32) }).work;
    t.ok(spent < work && work < 2e9 + 4 * verdict, `${spent} of ${work}, a verdict ${verdict}`);
    t.ok(work < 5e9, `${work}`);
    // Six halvings of the step that the caller asks for are made whatever they take.
    const long = solve.quote(inputOf(solve, { ...body, dt: 1e-6 }), { requestHash: new Uint8Array(32) });
    t.ok(long.work > 1e10, `${long.work}`);
  },
);

t.test(
  'a search that has spent its work says from which dt it goes on, or that nothing will do',
  async (t) => {
    const stiff = { ...relaxation, inputs: { ...relaxation.inputs, t_end: 2000, mu: 1000 } };
    const how = { strict: true, maxIterations: 40 };
    const { details } = await refusalOf(solve, { ...stiff, ...how });
    t.match(details.accepts, /^dt = 0.00\d+ with strict, which looks on from there/);
    t.match(
      (
        await refusalOf(solve, {
          equation: "x' = -a*x",
          inputs: { t_end: 2000, x0: 1, a: 1e9 },
          dt: 0.001,
          ...how,
        })
      ).message,
      /out of reach/,
    );
    const written = { ...stiff, inputs: { ...stiff.inputs, dt: 0.01 } };
    t.match(await refusalOf(solve, written), {
      code: 'INVALID_INPUT',
      message: /accepted: dt beside inputs/,
    });
  },
);

t.test('a refusal by steps that are too long names a dt that is short enough', async (t) => {
  const spring = { equation: "x'' = -x", inputs: { t_end: 400, x0: 1, x_dot0: 0 }, dt: 0.5 };
  const swing = { equation: "x'' = -sin(x)", inputs: { t_end: 1000, x0: 3, x_dot0: 0 } };
  // The levels of the orbit and of the swing have lost the motion: errors of 11 and 2.6. SciPy, DOP853 with rtol 1e-13.
  const asked: [object, number, number, number][] = [
    [spring, 0.1, 0.5, Math.cos(400)],
    [orbit, 0.004, 0.02, 0.4],
    [swing, 0.02, 0.1, 2.76338037],
  ];
  for (const [body, least, most, expected] of asked) {
    const { code, message, details } = await refusalOf(solve, body);
    t.equal(code, 'OUTSIDE_TOLERANCE');
    const dt = Number(/^dt = ([\d.e-]+) by/.exec(String(details.accepts))?.[1]);
    t.ok(dt > least && dt < most, `${dt}: ${message}`);
    const { verdict } = await solved(solve, { ...body, dt });
    t.ok(relative(verdict.value, expected) < 1e-3);
  }
});

t.test('steps longer than the run are two, so that what is shown is described (ENV-07)', async (t) => {
  const decay = { inputs: { t_end: 4, c: 1, k: 0.3, y0: 5 }, dt: 6.25 };
  const own = { equation: "y' = -0.3*y", inputs: { t_end: 4, y0: 5 }, dt: 6.25 };
  for (const body of [decay, own]) {
    const { verdict, presentation } = await solved(solve, body);
    t.ok(relative(verdict.value, 5 * Math.exp(-1.2)) < 1e-3, `${verdict.value}`);
    t.ok(presentation.fields[0]!.shape[0]! >= 3);
    t.ok(presentation.diagnostics);
  }
});

t.test('a closed form that the steps do not come near enough to asks for shorter ones', async (t) => {
  const duffing = { inputs: { t_end: 5, m: 1, k: 1, beta: 1, x0: 1, v0: 0 }, dt: 0.78125 };
  const { code, details } = await refusalOf(solve, duffing);
  t.match({ code, details }, { code: 'OUTSIDE_TOLERANCE', details: { field: 'dt' } });
  const [, dt] = /^dt = ([\d.]+) or less$/.exec(String(details.accepts)) ?? [];
  const { verdict } = await solved(solve, { ...duffing, dt: Number(dt) });
  // A cn(ωt|n), Abramowitz & Stegun 16, 25 digits.
  t.ok(relative(verdict.value, 0.947129542080219) < 1e-6, `${verdict.value} with dt = ${dt}`);
});
