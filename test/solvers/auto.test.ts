import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { byName, elsewhere } from '../../src/solvers/auto/elsewhere.ts';
import { Router } from '../../src/solvers/auto/route.ts';
import { type AutoInput, heard, targets, understandBy } from '../../src/solvers/auto.ts';
import { record } from '../../src/solvers/input.ts';
import { solverOf, solvers } from '../../src/solvers/registry.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { evidenceOf } from './evidence.ts';
import type { Refused } from './refusals.ts';
import { solved, testSolver } from './solver-test.ts';

const auto = solverOf('auto') as Solver<AutoInput>;
const understand = understandBy({ solverOf, all: () => solvers });
const router = new Router(targets, elsewhere);

/** [route or code of the refusal, question, part of the request that it comes to]. */
type Question = readonly [route: string, query: string, body: Record<string, unknown> | null];
const file = new URL('../../../test/fixtures/auto/questions.jsonl', import.meta.url);
const questions = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Question);

/** Rules may come before their solver: then units say nothing. */
const anySolver = (id: string): Solver =>
  solvers.find((solver) => solver.id === id) ?? ({ id, input: record({}) } as unknown as Solver);

/** Route and request of a question, or the code of its refusal. */
function answerTo(query: string, by = router): { route: string; request?: unknown } {
  try {
    const { solver, request } = heard({ query }, by, anySolver);
    return { route: solver.id, request };
  } catch (error) {
    if (error instanceof Refusal) return { route: error.code };
    throw error;
  }
}

/** Whether everything that `part` says is in `whole`; lists are equal. */
function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(whole, part);
  if (Array.isArray(part) && (!Array.isArray(whole) || whole.length !== part.length)) return false;
  const inside = (whole ?? {}) as Record<string, unknown>;
  return Object.entries(part).every(([key, value]) => holds(inside[key], value));
}

t.test(
  'at least 300 questions over all targets and none; at most one in a hundred goes to a wrong solver',
  async (t) => {
    const routes = new Set(questions.map(([route]) => route));
    t.ok(questions.length >= 300, `${questions.length} questions`);
    for (const { id } of targets) t.ok(routes.has(id), `${id} is asked`);
    const isTarget = (route: string) => targets.some(({ id }) => id === route);
    const asked = questions.map((question) => ({ question, found: answerTo(question[1]) }));
    const wrong = asked.filter(
      ({ question: [route], found }) => isTarget(found.route) && found.route !== route,
    );
    for (const { question, found } of wrong)
      t.comment(`${found.route} in place of ${question[0]}: ${question[1]}`);
    t.comment(`wrong solver: ${wrong.length} of ${questions.length}`);
    t.ok(wrong.length <= questions.length / 100, `wrong-solver rate ${wrong.length / questions.length}`);
  },
);

/** The questions that are not understood as they should be. */
const misheard = (answer: (query: string) => ReturnType<typeof answerTo>): readonly Question[] =>
  questions.filter(([route, query, body]) => {
    const found = answer(query);
    return found.route !== route || (body !== null && !holds(found.request, body));
  });

t.test('what a question says is bound as it says; at least 95 of a hundred are understood', async (t) => {
  const fails = misheard(answerTo);
  for (const [route, query] of fails) t.comment(`${route}: ${query}`);
  t.ok(fails.length <= questions.length / 20, `${fails.length} of ${questions.length} are not`);
});

t.test('rules that are wrong in one way are not understood that often', async (t) => {
  const rotated = targets.map((target, i) => ({
    ...target,
    phrases: targets[(i + 1) % targets.length]!.phrases,
  }));
  const nameless = targets.map((target) => ({ ...target, names: {} }));
  const twins: Readonly<Record<string, (query: string) => ReturnType<typeof answerTo>>> = {
    'phrases of the next solver': (query) => answerTo(query, new Router(rotated)),
    'no names of inputs': (query) => answerTo(query, new Router(nameless)),
    'another digit': (query) => answerTo(query.replace(/[1-8]/g, (digit) => String(Number(digit) + 1))),
    'units left out': (query) => answerTo(query.replace(/(\d) ?[A-Za-zµΩ°%]+\b/g, '$1')),
  };
  for (const [what, twin] of Object.entries(twins)) {
    const { length } = misheard(twin);
    const refused = length > questions.length / 20;
    t.ok(refused, `${what}: ${length} of ${questions.length}`);
    evidenceOf('auto').twins.push({ ended: `misheard ${length} of ${questions.length}`, refused });
  }
});

t.test('a solver that takes no words is named with its route', async (t) => {
  for (const [query, id] of [
    ['buckling load of a column', 'buckling'],
    ['acoustic modes of a room', 'acoustic'],
    ['Kalman filter of a track', 'kalman'],
    ['three body problem', 'multibody'],
    ['ground state of the Schrödinger equation', 'schrodinger'],
    ['growth of a tumour', 'tumor'],
    ['predator and prey, Lotka-Volterra', 'lotka'],
    ['shadow of a Kerr black hole', 'blackhole'],
    ['dy/dt = -k*y', 'solve'],
    ['kinetic energy of 2 kg at 3 m/s', 'compute'],
  ] as const)
    t.throws(() => understand({ query }), {
      code: 'NO_ROUTE',
      details: { field: 'query', route: id, accepts: `POST /api/svc/${id}` },
    });
  const known = [...targets, ...elsewhere].map(({ id }) => id);
  t.equal(new Set(known).size, known.length, 'each solver once');
  t.same(
    known.filter((id) => !solvers.some((solver) => solver.id === id)),
    [],
    'and no others',
  );
  const decay = byName({ id: 'decay', title: 'Radioactive decay' });
  for (const query of ['decay of 5 g', 'radioactive decay of carbon'])
    t.throws(() => heard({ query }, new Router(targets, [decay]), solverOf), {
      code: 'NO_ROUTE',
      details: { route: 'decay' },
    });
});

t.test('a number is read whole or not at all', async (t) => {
  const asked = (query: string) => heard({ query }, router, solverOf).request;
  for (const [query, part] of [
    ['What is the 1,000,100th zero of the Riemann zeta function?', { mode: 'zero', n: 1_000_100 }],
    ['the zero number 1,500 of zeta', { mode: 'zero', n: 1500 }],
    ['How many zeros of the Riemann zeta function are below height 10^4?', { mode: 'count', T: 1e4 }],
    ['zeros of zeta between 1,000 and 1.01e3', { mode: 'zeros', t1: 1000, t2: 1010 }],
    [
      'Black-Scholes call S=100 K=100 r=5 per cent sigma=20 percent T=1½ years',
      { r: 0.05, T: { value: 1.5 } },
    ],
  ] as const)
    t.match(asked(query), part, query);
  for (const [query, text] of [
    ['lowest energy of a 1,013-atom Lennard-Jones cluster', '1,013'],
    ['largest field of a pn junction at 1,500 V reverse bias', '1,500'],
    ['maximise x + y subject to x + y <= 1,200, x, y >= 0', '1,200'],
    ['minimise x^2 + 1/2 x', '1/2'],
  ] as const)
    t.throws(() => asked(query), { code: 'INVALID_INPUT', details: { text } }, query);
  for (const query of [
    'Black-Scholes call S=1.2.3 K=100 r=5% sigma=20% T=1 year',
    'How many zeros of the Riemann zeta function are below 14,5?',
  ])
    t.throws(() => asked(query), { name: 'Refusal' }, query);
});

t.test('a plain number is in no unit that the text leaves open', async (t) => {
  const rod = 'heat equation, rod of length 1 m, alpha = 1e-4 m2/s, t = 500 s, initially at';
  const sir = 'SIR epidemic with N=1000, S0=999, I0=1,';
  for (const [query, accepts] of [
    [`${sir} beta=0.3, gamma=0.1 per day for 160 days`, ['0.3 1/s', '0.3 1/d']],
    [`${sir} beta=0.3 per day, gamma=0.1 per day for 160`, ['160 s', '160 1/(1/d)']],
    [`${rod} 100 °C, ends held at 0`, ['0 K', '0 °C']],
    [`${rod} 100, ends held at 20 °C`, ['100 K', '100 °C']],
  ] as const)
    t.throws(
      () => heard({ query }, router, solverOf),
      { code: 'INVALID_INPUT', details: { accepts } },
      query,
    );
  const pendulum = (angle: string) =>
    heard({ query: `period of a pendulum of length 1 m released at rest from ${angle}` }, router, solverOf)
      .request;
  t.throws(() => pendulum('60'), { code: 'INVALID_INPUT', details: { accepts: ['60 rad', '60 deg'] } });
  t.match(pendulum('60 deg'), { q0: { value: 60, unit: 'deg' } });
  t.match(pendulum('1.047'), { q0: 1.047 });
  const held = (said: string) => heard({ query: `${rod} ${said}` }, router, solverOf).request;
  t.match(held('400, ends held at 300 K'), { initial: { T: 400 } }, 'in the unit of a plain number');
  t.match(held('100 C, ends held at 0 degrees Celsius'), {
    initial: { T: { value: 100, unit: 'degC' } },
    boundary: { T: { value: 0, unit: 'degC' } },
  });
  t.match(held('212 F, ends held at 32 deg F'), { boundary: { T: { value: 32, unit: 'degF' } } });
  t.throws(() => held('100 degrees, ends held at 0 K'), {
    code: 'INVALID_INPUT',
    message: /initial\.T in K/,
  });
});

t.test('a share of something is no number of it, and 5 is no rate of 5 %', async (t) => {
  const refused = (query: string) =>
    t.throws(() => heard({ query }, router, solverOf), { code: 'INVALID_INPUT' }, query);
  refused('SIR epidemic with N=1000, 1% infected, beta=0.5 per day, gamma=0.1 per day, for 100 days: peak');
  refused('down-and-out call, S=100 K=100 barrier 90% r=5% sigma=20% T=1 year');
  refused('Black-Scholes call S=100, K=100, r=5, sigma=20%, T=1 year');
  refused('Black-Scholes call S=100, K=100, r=5%, sigma=20, T=1 year');
  refused('Black-Scholes call S=100 K=100 r=5% volatility 20% T=1 year with a dividend of 2');
  const { request } = heard(
    { query: 'Black-Scholes call S=100, K=100, r=0.05, sigma=1.2, T=6 months' },
    router,
    solverOf,
  );
  t.match(request, { r: 0.05, sigma: 1.2, T: { value: 6, unit: 'month' } });
});

t.test('a name counts for numbers in its units', async (t) => {
  const asked = (query: string) => heard({ query }, router, solverOf).request;
  t.match(asked('current density of a pn junction with Na=1e22 /m3, Nd=1e22 /m3 at 0.5 V'), {
    V: { value: 0.5, unit: 'V' },
  });
  t.throws(() => asked('wave on a string of length 1 m with a mass per length of 0.01 kg/m'), {
    code: 'INVALID_INPUT',
    message: /"0\.01 kg\/m" stands beside a name of Lx, which is in m/,
  });
  t.match(asked('SU(2) lattice gauge theory in 3D, L=8, beta=2.5, 1x2 Wilson loop'), { d: 3, L: 8 });
});

t.test('R0 gives beta and Re the viscosity, by what is given with them', async (t) => {
  const sir = (said: string) => heard({ query: `SIR epidemic with ${said}` }, router, solverOf).request;
  t.match(sir('R0 = 2, gamma = 0.2 per day, N = 1000, I0 = 1, over 6 months'), {
    beta: { value: 0.4, unit: '(1/d)' },
    t_max: { value: 6, unit: 'month' },
  });
  const { bound } = heard(
    { query: 'SIR epidemic with R0 = 2, gamma = 0.2 per day, N = 1000, I0 = 1, over 6 months' },
    router,
    solverOf,
  );
  t.ok(
    bound.some(({ field, text }) => field === 'beta' && text === 'R0 = 2'),
    'it says which number it was',
  );
  t.match(heard({ query: 'lid-driven cavity, Re = 100, U = 2 m/s, Lx = 50 cm' }, router, solverOf).request, {
    nu: { value: 1, unit: '(m/s)*(cm)' },
  });
  for (const [said, message] of [
    ['R0 = 2, N = 1000, I0 = 1', /R0 gives beta only with gamma/],
    ['R0 = 2, beta = 0.4 per day, gamma = 0.2 per day', /beta is given twice/],
    ['N = 1000, S0 = 988, I0 = 10, R0 = 2, gamma = 0.2 per day', /may be those who recovered/],
    ['N = 1000, S0 = 990, I0 = 10, R0 = 0, gamma = 0.2 per day', /pure number above 0/],
  ] as const)
    t.throws(() => sir(said), { code: 'INVALID_INPUT', message }, said);
});

t.test('Re of a channel may be of several widths', async (t) => {
  t.throws(() => heard({ query: 'Poiseuille flow, Re = 100, U = 2 m/s, Lx = 50 cm' }, router, solverOf), {
    code: 'INVALID_INPUT',
    message: /its half/,
  });
});

t.test('a number that ends in an unknown word is not taken in the unit of the input', async (t) => {
  const years = (T: string) => `Black-Scholes call S=100 K=100 r=5% sigma=20% T=${T}`;
  for (const T of ['1 fortnight', '2 decades', '1 century', '2 quarters', '3-lustrum'])
    t.throws(
      () => understand({ query: years(T) }),
      { code: 'INVALID_INPUT', message: /no unit that is known/ },
      T,
    );
  t.match(heard({ query: years('3 weeks') }, router, solverOf).request, { T: { value: 3, unit: 'week' } });
  for (const T of ['3', '3, a European call', '3 and no dividends'])
    t.match(heard({ query: years(T) }, router, solverOf).request, { T: 3 }, T);
  t.match(heard({ query: 'pendulum of length 3 feet' }, router, solverOf).request, {
    L: { value: 3, unit: 'ft' },
  });
});

t.test('a number in a unit of two readings is not taken without it', async (t) => {
  t.throws(() => understand({ query: 'pendulum of length 1 m, mass 2 gal' }), {
    code: 'INVALID_INPUT',
    message: /gal_US or gal_UK/,
  });
});

const clauses = ['S=100', 'K=100', 'r=5%', 'sigma=20%', 'T=1 year'];

t.test('the order of the clauses says nothing (property)', async (t) => {
  const whole = understand({ query: `Black-Scholes call, ${clauses.join(', ')}` });
  fc.assert(
    fc.property(fc.shuffledSubarray(clauses, { minLength: clauses.length }), (shuffled) => {
      t.same(understand({ query: `Black-Scholes call, ${shuffled.join(', ')}` }).input, whole.input);
    }),
    { numRuns: 40 },
  );
});

t.test('units are the schema’s whatever was written', async (t) => {
  const sir = (end: string, rate: string) =>
    understand({
      query: `SIR epidemic with N=763, S0=762, I0=1, beta=${rate}, gamma=0.44 per day over ${end}`,
    }).input as Record<string, number>;
  const [first, ...others] = [
    sir('60 days', '1.66 per day'),
    sir('1440 hours', '1.66/d'),
    sir('86400 min', '1.66 d^-1'),
  ];
  for (const other of others) t.same(other, first);
});

t.test('it says which words it took', async (t) => {
  const { presentation } = await solved(auto, { query: 'the 100th nontrivial zero of zeta' });
  t.match(presentation.outputs, {
    route: 'zeta',
    understood: /^mode ← .*; n ← 100th nontrivial zero$/,
    bound: [{ field: 'mode' }, { field: 'n', text: '100th nontrivial zero' }],
  });
});

t.test('constants fill what the text leaves open', async (t) => {
  const query = 'Black-Scholes call, volatility 20%, T = 1 year';
  const { input } = understand({ query, constants: { S0: 100, K: 100, r: 0.05 } });
  t.same(input, understand({ query: `Black-Scholes call, ${clauses.join(', ')}` }).input);
});

// ---- requests that are refused -------------------------------------------------------------------------

const option = 'Black-Scholes call S=100 K=100 r=5% sigma=20%';

const refused: readonly Refused[] = [
  {
    title: 'a text about nothing here',
    body: { query: 'the weather tomorrow in Vienna' },
    code: 'NO_ROUTE',
    field: 'query',
  },
  {
    title: 'a text about two solvers',
    body: { query: 'heat of an epidemic' },
    code: 'AMBIGUOUS_QUERY',
    field: 'query',
  },
  { title: 'no text', body: {}, code: 'MISSING_INPUT', field: 'query' },
  { title: 'an empty text', body: { query: '' }, code: 'INVALID_INPUT', field: 'query' },
  { title: 'a question that lacks an input', body: { query: option }, code: 'MISSING_INPUT', field: 'T' },
  {
    title: 'a number that nobody named',
    body: { query: `${option} T=1 year and then 7` },
    code: 'INVALID_INPUT',
    field: 'query',
  },
  {
    title: 'a constant against the text',
    body: { query: `${option} T=1 year`, constants: { K: 110 } },
    code: 'INVALID_INPUT',
    field: 'K',
  },
  {
    title: 'a constant that the solver has not',
    body: { query: `${option} T=1 year`, constants: { albedo: 0.3 } },
    code: 'INVALID_INPUT',
    field: 'constants.albedo',
  },
  {
    title: 'a value that the solver refuses',
    body: { query: 'Black-Scholes call S=100 K=100 r=5% sigma=-20% T=1 year' },
    code: 'INVALID_INPUT',
    field: 'sigma',
  },
];

testSolver(auto, { references: [], orders: 'that of the solver that it asks', refused });
