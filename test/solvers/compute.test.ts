import t from 'tap';
import { registry } from '../../src/operators/registry.ts';
import { type ComputeInput, compute } from '../../src/solvers/compute.ts';
import { readInput } from '../../src/solvers/input.ts';
import { solve } from '../../src/solvers/solve.ts';
import { evidenceOf } from './evidence.ts';
import { runJob } from './run-job.ts';
import { refusalOf } from './solver-test.ts';

const read = (body: unknown): ComputeInput =>
  compute.canonical!(readInput(compute.input, body).input as ComputeInput);
const run = async (body: unknown) => {
  const input = read(body);
  const job = await runJob(compute, input);
  return {
    ...job,
    input,
    value: job.verdict.value,
    unit: compute.unit(input),
    outputs: job.presentation.outputs,
  };
};
evidenceOf('compute').withoutOrder = 'an expression is evaluated: what is left is rounding';
const context = { requestHash: new Uint8Array(32) };

const echo = { A: { value: 2, unit: 'V' }, t: 0.1, tau: { value: 500, unit: 'ms' }, omega: 10 };
const powers = { P_signal: { value: 10, unit: 'W' }, P_noise: { value: 100, unit: 'mW' } };

t.test('SP7 gives 20 dB with unit, uncertainty and master equation (SIG-02)', async (t) => {
  const { value, unit, outputs } = await run({ operators: ['SP7'], inputs: powers });
  t.same([value, unit], [20, 'dB']);
  t.type(outputs.uncertainty, 'number');
  t.match(outputs.masterEquation, /log_\{10\}/);
});

t.test('ECHO5 is A·e^(−t/τ)·cos(ωt) in the unit of A (SIG-03)', async (t) => {
  const { value, unit } = await run({ operators: ['KO42', 'ECHO5'], inputs: echo });
  t.equal(value.toFixed(15), '0.884724227546384', 'mpmath: 0.88472422754638425518…');
  t.equal(unit, 'V');
});

t.test(
  'the signal operators are closed forms, evaluated by the expression kernel alone (SIG-07)',
  async (t) => {
    const rows = [...registry().rows.values()].filter(({ category }) => category === 'signal_processing');
    const scalar = rows.filter(({ refuses }) => refuses === undefined);
    t.equal(scalar.length, 21);
    for (const { id, expression, ode, examples } of scalar) {
      t.ok(expression !== undefined && ode === undefined, `${id} has a closed form`);
      const { inputs, value, tolerance } = examples[0]!;
      const body = { operators: [id], inputs: inputs as object };
      const { runs } = compute.plan(read(body), context);
      t.ok(
        runs.every(({ kernel }) => kernel === 'expression'),
        `${id}: one kernel`,
      );
      const { value: found, outputs } = await run(body);
      t.ok(Math.abs(found - value) <= tolerance * Math.abs(value) || found === value, `${id}: ${found}`);
      t.equal(outputs.method, 'closed form', `${id} says so`);
      t.notMatch(JSON.stringify(outputs), /NUMERICAL FALLBACK/, id);
      const integrated = { operators: [id], inputs: { ...inputs, t_end: 1 } };
      t.match(await refusalOf(solve, integrated), { code: 'UNSUPPORTED' }, `${id} is not integrated`);
    }
  },
);

t.test(
  'an e that is read as Euler’s number is listed, and asked for or taken as it is given (HON-02, HON-07)',
  async (t) => {
    const equation = 'b = a*sqrt(1 + e^2)';
    for (let i = 0; i < 2; i++) {
      const euler = read({ equation, inputs: { a: 1 } });
      t.match(compute.assumed(euler), [{ name: 'e', value: Math.E, unit: '1', because: /raised/ }]);
      const given = await run({ equation, inputs: { a: 1, e: 0.75 } });
      t.equal(given.value, 1.25);
      t.same(compute.assumed(given.input), []);
    }
  },
);

t.test('a point at absolute zero is no 10^-14 K', async (t) => {
  for (const [value, unit] of [
    [-273.15, 'degC'],
    [-459.67, 'degF'],
  ] as const)
    t.throws(() => read({ equation: 'T', inputs: { T: { value, unit } } }), {
      code: 'INVALID_INPUT',
      message: /no digits left in K/,
    });
  t.throws(
    () =>
      read({
        operators: ['KINE_MARCUS_RATE'],
        inputs: { H: '1 meV', lambda: '1 eV', Delta_G: '-1 eV', T: '-273.15 degC' },
      }),
    {
      code: 'INVALID_INPUT',
      details: { field: 'inputs.T' },
    },
  );
  t.equal((await run({ equation: '2*T', inputs: { T: { value: 1e-9, unit: 'K' } } })).value, 2e-9);
});

t.test('a unit of two meanings is refused with the names of both', async (t) => {
  for (const [unit, meant] of [
    ['kt', /knot, or Gg/],
    ['gal', /gal_US or gal_UK/],
  ] as const)
    t.throws(() => read({ equation: '2*v', inputs: { v: { value: 3, unit } } }), {
      code: 'INVALID_INPUT',
      message: meant,
      details: { field: 'inputs.v.unit' },
    });
});

t.test('KO42 is applied first whether it was sent or not (CMP-01, ENV-13)', async (t) => {
  for (const operators of [['SP7'], ['KO42', 'SP7'], ['SP7', 'KO42'], ['KO42', 'SP7', 'KO42']]) {
    t.same(read({ operators, inputs: powers }).operators, ['KO42', 'SP7']);
  }
  t.same(compute.operators!(read({ operators: ['SP7'], inputs: powers })), ['SP7']);
});

t.test('KO42 alone gives the value that it modulates (OPEN-40)', async (t) => {
  const { value, unit } = await run({ operators: [], inputs: { signal: { value: 25, unit: 'degC' } } });
  t.same([value, unit], [298.15, 'K']);
});

t.test(
  'three more operators are applied, the first gives the value, all are listed (CMP-02, OPEN-42)',
  async (t) => {
    const inputs = { ...echo, ...powers, n: 0, N: 51 };
    const { value, outputs, verdict } = await run({ operators: ['SP7', 'ECHO5', 'SP11'], inputs });
    t.equal(value, 20);
    const listed = outputs.operators as { id: string; value: number; unit: string }[];
    t.same(
      listed.map(({ id, unit }) => [id, unit]),
      [
        ['SP7', 'dB'],
        ['ECHO5', 'V'],
        ['SP11', '1'],
      ],
    );
    t.ok(Math.abs(listed[1]!.value - 0.884724227546384) < 1e-15 && Math.abs(listed[2]!.value - 0.08) < 1e-15);
    t.equal(verdict.gates.length, 6, 'each passed its own two gates');
    t.throws(() => read({ operators: ['SP7', 'ECHO5', 'SP11', 'SP12'], inputs }), {
      code: 'TOO_MANY_OPERATORS',
    });
    t.throws(() => read({ operators: ['SP7', 'SP7'], inputs: powers }), { code: 'INVALID_INPUT' });
  },
);

t.test('an alias means the same: same request, same bytes (CMP-03, HON-17)', async (t) => {
  const named = await run({ operators: ['ECHO5'], inputs: echo });
  const { A, t: time, tau, omega } = echo;
  const aliased = await run({
    operators: ['ECHO5', 'KO42'],
    inputs: { amplitude: A, time, τ: tau, ω: omega },
  });
  t.same(aliased.input, named.input);
  t.same(aliased.finished[0]!.digests, named.finished[0]!.digests);
  const inOtherUnits = await run({
    operators: ['ECHO5'],
    inputs: { A: { value: 2000, unit: 'mV' }, t: 0.1, tau: 0.5, omega: { value: 10, unit: 'rad/s' } },
  });
  t.same(inOtherUnits.finished[0]!.digests, named.finished[0]!.digests, 'the same numbers, the same bytes');
  t.same(inOtherUnits.input.inputs.A, { value: 2000, unit: 'mV' }, 'as they were sent');
  t.throws(
    () => read({ operators: ['ECHO5'], inputs: { ...echo, time: 1 } }),
    { code: 'INVALID_INPUT' },
    'both at once',
  );
});

t.test('the canonical request is its own canonical form', async (t) => {
  for (const body of [
    { operators: ['ECHO5'], inputs: echo },
    { equation: 'a*b', inputs: { a: { value: 3, unit: 'km', uncertainty: 1 }, b: 2 } },
  ]) {
    t.same(read(read(body)), read(body));
  }
});

t.test('a missing input says what is missing and every name it has (HON-01, CMP-04)', async (t) => {
  const accepts = ['P_noise', 'noise_power', 'P_n'];
  t.throws(() => read({ operators: ['SP7'], inputs: { P_signal: 10 } }), {
    code: 'MISSING_INPUT',
    details: { inputError: { code: 'MISSING_INPUT', missing: 'P_noise', accepts } },
  });
  t.equal(compute.missingInputIs200, true);
  t.throws(() => read({ operators: ['SP7'] }), {
    code: 'MISSING_INPUT',
    details: { inputError: { missing: 'inputs' } },
  });
});

t.test('n!! is the double factorial', async (t) => {
  // OEIS A006882.
  for (const [n, expected] of [1, 1, 2, 3, 8, 15, 48, 105, 384, 945, 3840, 10395].entries()) {
    const { value } = await run({ equation: 'n!!', inputs: { n } });
    t.ok(Math.abs(value! / expected - 1) < 1e-14, `${n}!! is ${value}`);
  }
});

t.test('what no one gave is listed, with its reason (HON-02)', async (t) => {
  const phase = read({ operators: ['ECHO20'], inputs: { omega: 20, tau: 0.3 } });
  t.match(compute.assumed(phase), [
    { name: 'phi', value: 0, because: 'not in the equation' },
    { name: 'omega_p', unit: 'rad/s', because: /pulse/ },
  ]);
  const photon = await run({ equation: 'E = h*nu', inputs: { nu: { value: 500, unit: 'THz' } } });
  t.match(compute.assumed(photon.input), [
    { name: 'h', value: 6.62607015e-34, unit: 'J/Hz', because: 'CODATA 2022' },
  ]);
  t.same([photon.value, photon.unit], [3.313035075e-19, 'J']);
});

t.test('a unit that cannot be known is withheld and the symbol named (HON-05, OPEN-43)', async (t) => {
  const { unit, outputs } = await run({ operators: ['ECHO5'], inputs: { ...echo, A: 2 } });
  t.equal(unit, null);
  t.same(outputs.unitUnknown, ['A']);
});

t.test('a step that the rounding of the inputs decides on is refused with what would be taken', async (t) => {
  const cases: [equation: string, inputs: object, names: RegExp][] = [
    ['floor(x/y)', { x: '0.3 ± 0.01', y: 0.1 }, /floor or ceil of/],
    ['floor(x/y)', { x: '30 ± 1 cm', y: '0.1 m' }, /floor or ceil of/],
    ['ceil(x/y)', { x: 5.5, y: '1.1 ± 0.01' }, /floor or ceil of/],
    ['mod(x, y)', { x: 0.7000000000000001, y: 0.1 }, /mod of/],
    ['floor(sqrt(2)^2/2)*x/y', { x: 1, y: 2 }, /floor or ceil of/],
  ];
  for (const [equation, inputs, names] of cases) {
    const refusal = await run({ equation, inputs }).catch((error) => error);
    t.match([refusal.code, refusal.message], ['OUTSIDE_TOLERANCE', names], equation);
    t.match(refusal.details, { field: 'equation', accepts: /240 and 20/ });
  }
  t.equal((await run({ equation: 'floor(x/y)', inputs: { x: 6, y: 3 } })).value, 2);
  t.equal((await run({ equation: 'ceil(x/y)', inputs: { x: '1 m', y: '30 cm' } })).value, 4);
});

t.test('uncertainty follows from that of the inputs (CMP-05)', async (t) => {
  const { outputs } = await run({
    operators: ['SP7'],
    inputs: { P_signal: { value: 10, unit: 'W', uncertainty: 1 }, P_noise: 0.1 },
  });
  // ½ (SNR(11) − SNR(9)), which is above (10/ln 10) dP/P, and √½ (SNR(11) + SNR(9) − 2 SNR(10)), by hand.
  const logarithm = Math.hypot(5 * Math.log10(1.1 / 0.9), Math.SQRT1_2 * 10 * Math.log10(0.99));
  t.ok(Math.abs((outputs.uncertainty as number) - logarithm) < 1e-14);
  const gravity = await run({
    equation: 'x*y',
    inputs: { x: { value: 2, unit: 'mm', uncertainty: 3 }, y: { value: 5, uncertainty: 0.5 } },
  });
  t.ok(
    Math.abs((gravity.outputs.uncertainty as number) - Math.hypot(0.003 * 5, 0.5 * 0.002, 0.5 * 0.003)) <
      1e-16,
  );
});

t.test('the quote is the work that is done', async (t) => {
  for (const inputs of [powers, { ...powers, P_noise: { value: 1, unit: 'W', uncertainty: 0.1 } }]) {
    const { input, finished } = await run({ operators: ['SP7'], inputs });
    t.equal(finished[0]!.work, BigInt(compute.quote(input, context).work));
  }
});

const refusals: [string, unknown, string, string?][] = [
  ['neither operators nor equation', { inputs: {} }, 'INVALID_INPUT'],
  ['both', { operators: ['SP7'], equation: 'x', inputs: {} }, 'INVALID_INPUT'],
  ['unknown operator', { operators: ['SP99'], inputs: {} }, 'UNKNOWN_OPERATOR'],
  ['relation', { operators: ['SP10'], inputs: {} }, 'NON_SCALAR_RESULT'],
  [
    'mistyped input',
    { operators: ['SP7'], inputs: { ...powers, P_nois: 1 } },
    'INVALID_INPUT',
    'inputs.P_nois',
  ],
  [
    'power of zero',
    { operators: ['SP7'], inputs: { ...powers, P_noise: 0 } },
    'INVALID_INPUT',
    'inputs.P_noise',
  ],
  [
    'wrong dimension',
    { operators: ['SP7'], inputs: { ...powers, P_noise: { value: 1, unit: 'V' } } },
    'INVALID_INPUT',
    'inputs.P_noise.unit',
  ],
  [
    'no unit',
    { operators: ['SP7'], inputs: { ...powers, P_noise: { value: 1, unit: 'wattage' } } },
    'INVALID_INPUT',
    'inputs.P_noise.unit',
  ],
  [
    'negative uncertainty',
    { operators: ['SP7'], inputs: { ...powers, P_noise: { value: 1, uncertainty: -1 } } },
    'INVALID_INPUT',
  ],
  ['half a sample', { operators: ['SP12'], inputs: { n: 0.5, N: 51 } }, 'INVALID_INPUT', 'inputs.n'],
  [
    'overflow on conversion',
    { operators: ['SP7'], inputs: { ...powers, P_noise: { value: 1e308, unit: 'GW' } } },
    'INVALID_INPUT',
    'inputs.P_noise',
  ],
  [
    'infinite',
    { operators: ['SP7'], inputs: { ...powers, P_noise: Number.POSITIVE_INFINITY } },
    'INVALID_INPUT',
    'inputs.P_noise',
  ],
  ['text', { operators: ['SP7'], inputs: { ...powers, P_noise: 'x' } }, 'INVALID_INPUT', 'inputs.P_noise'],
  ['null', { operators: ['SP7'], inputs: { ...powers, P_noise: null } }, 'INVALID_INPUT', 'inputs.P_noise'],
  ['a field that is none', { operators: ['SP7'], inputs: powers, strict: true }, 'INVALID_INPUT', 'strict'],
  ['inequality', { equation: 'x < 3', inputs: { x: 1 } }, 'NON_SCALAR_RESULT', 'equation'],
  ['unbound letter', { equation: 'e*x', inputs: { x: 1 } }, 'MISSING_INPUT', 'inputs.e'],
  ['differential equation', { equation: 'dx/dt = -x', inputs: { x: 1 } }, 'UNSUPPORTED', 'equation'],
  [
    'two dimensions in a sum',
    { equation: 'm + v', inputs: { m: '2 kg', v: '3 m/s' } },
    'INVALID_INPUT',
    'equation',
  ],
];

t.test('refusals name code and field', async (t) => {
  for (const [what, body, code, field] of refusals) {
    t.throws(() => read(body), { code, ...(field ? { details: { field } } : {}) }, what);
  }
});

t.test('what the gate cannot hold is not given (CMP-13, HON-03)', async (t) => {
  await t.rejects(run({ equation: '(1 - cos(x))/x^2', inputs: { x: 1e-9 } }), {
    code: 'OUTSIDE_TOLERANCE',
    details: { gate: 'evaluation', error: 1, bound: 1e-3 },
  });
  await t.rejects(run({ equation: '1/x', inputs: { x: 0 } }), { code: 'NON_FINITE' });
});

const lastSample = { operators: ['SP12'], inputs: { n: 50, N: 51 } };

t.test(
  'outside its conditions an operator is refused, with the condition and its figure (CMP-13)',
  async (t) => {
    const past = { operators: ['SP12'], inputs: { n: 51, N: 51 } };
    await t.rejects(run(past), {
      code: 'INVALID_INPUT',
      message: 'SP12 holds only where n is at most N - 1; here N - 1 - n is -1.',
      details: {
        field: 'inputs',
        operator: 'SP12',
        condition: 'N - 1 - n',
        measured: -1,
        unit: '1',
        bound: 0,
      },
    });
    await t.rejects(run({ operators: ['SP7', 'SP12'], inputs: { ...powers, ...past.inputs } }), {
      code: 'INVALID_INPUT',
      details: { operator: 'SP12' },
    });
  },
);

t.test('the conditions are a run before the verdict, which shows none of them', async (t) => {
  const { finished, verdict, outputs, input } = await run(lastSample);
  t.equal(finished.length, 2);
  t.same([verdict.gates.length, verdict.extras.length], [2, 3], 'as without conditions');
  t.same(
    (outputs.operators as { id: string }[]).map(({ id }) => id),
    ['SP12'],
  );
  const work = finished.reduce((sum, each) => sum + each.work, 0n);
  t.equal(work, BigInt(compute.quote(input, context).work), 'the quote counts them');
});

t.test('a unary minus binds looser than a power (HON-09)', async (t) => {
  t.equal((await run({ equation: 'y = -x^2', inputs: { x: 3 } })).value, -9);
});
