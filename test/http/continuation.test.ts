import t from 'tap';
import { solvers } from '../../src/solvers/registry.ts';
import { jobs } from '../../src/spine/records.ts';
import { accountOn, books, type TestApp, testApp } from './test-app.ts';

// What no job of a stateful solver goes on from, asked over HTTP: refused in words, and no planck moves.

type Json = Record<string, unknown>;

interface Continued {
  /** All but start and end. */
  readonly body: Json;
  readonly start?: Json;
  readonly end: readonly [field: string, first: unknown, then: unknown];
  /** A field that must be what it was, of another size or value. */
  readonly other: Json;
}

const packet = { type: 'gaussian', x0: [0], sigma: 1e-9, k0: [0] };
const front = { type: 'front', x0: [30] };

const cases: Readonly<Record<string, Continued>> = {
  solve: {
    body: { inputs: { m: 1, k: 4 }, dt: 0.0078125 },
    start: { inputs: { x0: 1, v0: 0 } },
    end: ['inputs.t_end', 1, 2],
    other: { inputs: { m: 2, k: 4 } },
  },
  multibody: {
    body: { mass: [1, 2], referenceMode: 'gravity', G: 1, dt: 0.001953125, integrator: 'leapfrog' },
    start: {
      position: [
        [1, 0, 0],
        [-0.5, 0, 0.1],
      ],
      velocity: [
        [0, 0.5, 0],
        [0, -0.25, 0],
      ],
    },
    end: ['t_max', 0.5, 1],
    other: { mass: [1, 2, 3] },
  },
  evolve: {
    body: { units: 'lj', r_c: 2.5, truncation: 'shifted-force', dt: 0.004, seed: 42 },
    start: { initialState: { cells: 4, density: 0.8442, temperature: 0.5 } },
    end: ['t_max', 0.08, 0.16],
    other: { r_c: 2 },
  },
  action: {
    body: { system: 'harmonic', m: 1, k: 4, dt: 0.00390625 },
    start: { q0: 1, p0: 0 },
    end: ['t_max', 0.5, 1],
    other: { k: 5 },
  },
  heat: {
    body: {
      dim: 1,
      alpha: 1e-4,
      Lx: 1,
      boundary: { type: 'dirichlet', T: 0 },
      N: 64,
      dt: 1,
      scheme: 'explicit',
    },
    start: { initial: { type: 'mode', A: 100, m: 1 } },
    end: ['t_end', 100, 200],
    other: { N: 128 },
  },
  lorenz: {
    body: { mode: 'trajectory', sigma: 10, rho: 28, beta: 2.5 },
    start: { x0: 1, y0: 1, z0: 1 },
    end: ['t_max', 3, 5],
    other: { rho: 27 },
  },
  wave: {
    body: { dim: 1, c: 100, Lx: 1, boundary: 'fixed', N: 100, probe: [0.25] },
    start: { initial: { type: 'mode', A: 0.01, m: 1 } },
    end: ['t_end', 0.0075, 0.015],
    other: { N: 200 },
  },
  flow: {
    body: { case: 'taylor-green', nu: 0.05, Lx: 6.25, Ly: 6.25, N: 64, quantity: 'kineticEnergyRatio' },
    start: { U: 1 },
    end: ['t_end', 1, 2],
    other: { N: 128 },
  },
  fracture: {
    body: {
      mode: 'bar',
      model: 'at1',
      E: 3e10,
      Gc: 100,
      ell: 0.01,
      L: 0.2,
      loading: { uMax: 0.000072 },
      N: 160,
    },
    end: ['loading.steps', 200, 400],
    other: { N: 320 },
  },
  react: {
    body: { model: 'fisher', dim: 1, D: 1, r: 1, Lx: 80, boundary: 'noflux', N: 1280, probe: [33] },
    start: { initial: front },
    end: ['t_end', 0.5, 1],
    other: { N: 1600 },
  },
  epi: {
    body: { model: 'sir', N: 1000, beta: 1e-5, gamma: 5e-6 },
    start: { S0: 990, I0: 10 },
    end: ['t_max', 1e6, 2e6],
    other: { N: 2000 },
  },
  sat: {
    body: { mode: 'decide', clauses: [[1, 2], [-1]] },
    end: ['conflictBudget', 10, 20],
    other: { clauses: [[1, 2]] },
  },
  gauge: { body: { group: 'U1', beta: 5, L: 4, seed: 1 }, end: ['sweeps', 12800, 25600], other: { L: 6 } },
  climate: {
    body: { model: 'two-layer', F: 3.7, lambda: 1.13, gamma: 0.73, C: 2.3e8, Cd: 3.3e9 },
    end: ['t_end', 1e8, 2e8],
    other: { F: 4 },
  },
  schrodinger: {
    body: {
      ...{ mode: 'evolve', mass: 9.1093837139e-31, potential: { type: 'free' }, quantity: 'width' },
      ...{ domain: [-2e-8, 2e-8], N: 1024, dt: 1e-17 },
    },
    start: { initial: packet },
    end: ['t_max', 1e-15, 2e-15],
    other: { N: 2048 },
  },
  tumor: {
    body: { model: 'logistic', K: 1000, r: 0.2 },
    start: { V0: 10 },
    end: ['t_max', 10, 20],
    other: { K: 900 },
  },
  lotka: {
    body: { alpha: 1, beta: 1.5, delta: 1, gamma: 1 },
    start: { x0: 1, y0: 0.5 },
    end: ['t_max', 3, 6],
    other: { beta: 2 },
  },
  kalman: {
    body: { F: [[1]], H: [[1]], Q: [[1]], R: [[1]], quantity: 'state', component: [0] },
    start: { x0: [0], P0: [[1]] },
    end: ['z', [[1], [2]], [[3]]],
    other: { R: [[2]] },
  },
};

/** One object with the members of both, and of their objects. */
function merged(a: Json, b: Json): Json {
  const both = { ...a };
  for (const [name, value] of Object.entries(b))
    both[name] = isObject(value) && isObject(a[name]) ? merged(a[name], value) : value;
  return both;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** {a: {b: value}} of `a.b`. */
const at = (path: string, value: unknown): Json =>
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Json;

t.setTimeout(300_000);
const api = await testApp(t);
const stranger = await accountOn(api);

async function sealedJob(id: string, { body, start = {}, end: [field, first] }: Continued): Promise<string> {
  const reply = await api.post(`/api/svc/${id}`, merged(merged(body, start), at(field, first)));
  if (reply.status !== 200) throw new Error(`${id}: ${reply.status} ${reply.text.slice(0, 500)}`);
  return reply.headers['x-svc-job'] as string;
}

/** The state that the record of a job says, for one question. */
async function inState<T>(id: string, state: 'refused' | 'cancelled' | 'running', ask: () => Promise<T>) {
  const { store } = api.node;
  const before = (await store.get(jobs, { id }))!;
  await store.transaction((tx) => tx.update(jobs, { id }, { state }));
  try {
    return await ask();
  } finally {
    await store.transaction((tx) => tx.update(jobs, { id }, { state: before.state }));
  }
}

t.test('every solver that continues jobs is asked here', (t) => {
  const stateful = solvers.filter(({ continuation }) => continuation).map(({ id }) => id);
  t.same(Object.keys(cases).sort(), stateful.sort());
  t.end();
});

const earlier = new Map<string, string>();
t.test('each has a job that is done', async () => {
  for (const [id, given] of Object.entries(cases)) earlier.set(id, await sealedJob(id, given));
});

for (const [id, given] of Object.entries(cases))
  t.test(`${id} goes on from its own job, done, of this account, and from no other`, async (t) => {
    const job = earlier.get(id)!;
    const [field, first, then] = given.end;
    const on = (from: string, more: Json = {}) =>
      merged(merged(given.body, at(field, then)), { ...more, initialState: { continue: from } });
    const refused = async (by: TestApp, body: Json, code: string, about: RegExp, title: string) => {
      for (const route of ['', '/quote']) {
        const before = await books(by);
        const { status, body: said } = await by.post(`/api/svc/${id}${route}`, body);
        t.match({ status, ...said.error }, { code, message: about }, `${title}${route}: ${status}`);
        t.same(await books(by), before, `${title}${route}: nothing moved`);
      }
    };
    await refused(stranger, on(job), 'NOT_FOUND', /no job .* of this account/, 'another account’s job');
    await refused(api, on('job_0'), 'NOT_FOUND', /no job "job_0"/, 'no job');
    const [otherSolver, another] = [...earlier].find(([name]) => name !== id)!;
    const wrongSolver = new RegExp(`one of ${otherSolver}; ${id} cannot continue it`);
    await refused(api, on(another), 'INVALID_INPUT', wrongSolver, 'another solver’s job');
    for (const state of ['refused', 'cancelled', 'running'] as const)
      await inState(job, state, () =>
        refused(
          api,
          on(job),
          'CONFLICT',
          new RegExp(`is ${state}: only a job that is done`),
          `a job ${state}`,
        ),
      );
    const [changed] = Object.keys(given.other);
    const differs = new RegExp(`^${changed}(\\.\\w+)? is not what it was in the first job`);
    const { body } = given;
    const sized = merged(on(job), given.other);
    await refused(
      api,
      sized,
      'INVALID_INPUT',
      differs,
      `another ${changed} than ${JSON.stringify(body[changed!])}`,
    );
    // kalman's end are new measurements, and gauge may have needed fewer sweeps than it was given.
    if (id !== 'kalman' && id !== 'gauge') {
      const again = merged(on(job), at(field, first));
      const before = await books(api);
      const reply = await api.post(`/api/svc/${id}`, again);
      t.match(
        reply.body.error,
        { code: 'INVALID_INPUT', field: new RegExp(field) },
        'an end that was reached',
      );
      t.same(await books(api), before, 'an end that was reached: nothing moved');
    }
    const next = await api.post(`/api/svc/${id}`, on(job));
    t.equal(next.status, 200, next.status === 200 ? 'and from its own it does' : next.text.slice(0, 500));
    if (id !== 'sat') t.match(next.body.continues, { job }); // which searches again from its start
  });
