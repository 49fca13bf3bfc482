import t from 'tap';
import { solvers } from '../../src/solvers/registry.ts';
import { figureEight, oscillator } from '../spine/test-node.ts';
import { books, testApp } from './test-app.ts';

const phase = { operators: ['ECHO20'], inputs: { omega: 20, tau: 0.3 } };
interface Diagnosed {
  readonly masterEquation: { basis: string; terms: Record<string, object> };
  readonly functionalEquation: { balance: { residual: number | null }; reflection: { lambda: number } };
  readonly spectralPropagator: { band: { roundTripError: number } };
}
const six = ['inertia', 'damping', 'advection', 'diffusion', 'selfInteraction', 'source'];

t.test('what a sealed answer says beside its value', async (t) => {
  const api = await testApp(t);
  const answers = new Map<string, Record<string, never>>();
  for (const [solver, body] of Object.entries({
    compute: phase,
    solve: oscillator,
    multibody: figureEight,
  })) {
    const { status, body: answer } = await api.post(`/api/svc/${solver}`, body);
    t.equal(status, 200, solver);
    answers.set(solver, answer);
  }

  t.test(
    'compute, solve and multibody say when they were sealed, and average over a tick (CMP-06)',
    async (t) => {
      for (const [solver, { value, unit, envelope, tick_receipt, tick_averaged }] of answers) {
        const { tick, t_ns, phase, R } = envelope as Record<string, unknown>;
        t.match(tick_receipt, { tick, t_ns, phase, R, tick_period_ns: 777_000_777 }, solver);
        t.match(tick_averaged, { value, unit, periodNs: '777000777' }, `${solver}: the average is the value`);
      }
    },
  );

  t.test('numbers that no gate looks at are listed, and those of a gate are not', async (t) => {
    const duct = { case: 'channel', Ly: 0.01, G: 0.8, rho: 1000, mu: 1e-3, steady: true, quantity: 'uMax' };
    const { status, body } = await api.post('/api/svc/flow', duct);
    t.equal(status, 200, JSON.stringify(body));
    const outputs = (body.unsealed as string[]).filter((at) => !at.startsWith('/receipt'));
    const rates = ['/momentum/rate', '/momentum/forces'];
    t.same(new Set(outputs), new Set(['/largestVelocity', ...rates, '/discharge', '/meanVelocity']));
    t.notOk(
      JSON.stringify(answers.get('solve')!.unsealed).includes('"/v"'),
      'a closed form holds a velocity too',
    );
  });

  t.test(
    'without a seed it is the first 8 bytes of requestHash, little endian: asked for by itself it gives the same',
    async (t) => {
      const walk = { mode: 'exponents', sigma: 10, rho: 100, beta: 8 / 3, t_max: 64000 };
      const ask = async (body: object) => (await api.post('/api/svc/lorenz', body)).body;
      const first = await ask(walk);
      const hash = Buffer.from(first.envelope.requestHash.replace(/^sha256:/, ''), 'hex');
      const seed = String(hash.readBigUInt64LE(0));
      const given = await ask({ ...walk, seed });
      t.equal(given.envelope?.valueBits, first.envelope.valueBits);
      t.same(given.exponents, first.exponents);
      t.equal((await ask(walk)).envelope.valueBits, first.envelope.valueBits, 'equal requests agree');
      t.not((await ask({ ...walk, seed: '1' })).exponents[2], first.exponents[2], 'other seeds do not');
    },
  );

  t.test('every value that nobody gave is listed, with its reason (HON-02)', async (t) => {
    const given = {
      compute: ['phi', 'omega_p'],
      solve: ['dt', 'beta', 'F'],
      multibody: ['softening', 'force'],
    };
    for (const [solver, names] of Object.entries(given)) {
      const assumed = answers.get(solver)!.assumed as { name: string; value: unknown; because: string }[];
      for (const name of names) t.ok(assumed.find((one) => one.name === name)?.because, `${solver}: ${name}`);
      t.notOk(
        assumed.find(({ name }) => ['omega', 'm', 'mass'].includes(name)),
        `${solver}: not what was given`,
      );
    }
  });

  t.test(
    'a field carries the three diagnostics, six terms in the first; a scalar none (ENV-07, ENV-08)',
    async (t) => {
      for (const [solver, answer] of answers) {
        const { masterEquation, functionalEquation, spectralPropagator } =
          answer.receipt as unknown as Diagnosed;
        if (solvers.find(({ id }) => id === solver)!.field) {
          t.same(Object.keys(masterEquation.terms), six, solver);
          // Only an equation of the solver's own has a balance.
          t.equal(functionalEquation.balance.residual !== null, masterEquation.basis === 'solver');
          t.type(functionalEquation.reflection.lambda, 'number');
          t.type(spectralPropagator.band.roundTripError, 'number');
        } else t.same([masterEquation, functionalEquation, spectralPropagator], [null, null, null], solver);
      }
    },
  );

  t.test('multibody says how far its energy drifted, and that it was checked (SOLV-09)', async (t) => {
    const { energyDriftPct, ...said } = answers.get('multibody') as unknown as Record<string, number>;
    t.ok(energyDriftPct! >= 0 && energyDriftPct! < 1e-3, `${energyDriftPct} %`);
    t.match(said, { energyDriftBoundPct: 0.1, conservative: true, conservationChecked: true });
  });

  t.test('KO42 stands first among the operators, sent or not (CMP-01, ENV-13)', async (t) => {
    const operators = [...answers.values()].map(
      ({ envelope }) => (envelope as { operators: string[] }).operators,
    );
    t.same(operators, [['KO42', 'ECHO20'], ['KO42'], ['KO42']]);
  });
});

t.test('what does not converge is 422 and costs nothing (SOLV-04)', async (t) => {
  const api = await testApp(t);
  const before = await books(api);
  // A softening spring, started above its barrier at x = 1: it never comes back.
  const escaping = { inputs: { t_end: 20, m: 1, k: 1, beta: -1, x0: 1.2, v0: 0 } };
  const { status, body } = await api.post('/api/svc/solve', escaping);
  t.match({ status, code: body.error.code }, { status: 422, code: 'DID_NOT_CONVERGE' });
  t.notOk('value' in body);
  const steps = (body.error.trace as { name: string }[]).map(({ name }) => name);
  t.same(steps, ['plan', 'hold', 'execute', 'gate', 'seal'], 'five steps, the seal is the last (OPEN-31)');
  t.same(await books(api), before);
});

t.test('no path names a version (VER-01)', async (t) => {
  const { get } = await testApp(t);
  const paths = Object.keys((await get('/api/openapi.json')).body.paths);
  t.ok(paths.length > 10);
  t.same(
    paths.filter((path) => /\/v\d/i.test(path)),
    [],
  );
});
