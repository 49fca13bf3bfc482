import t from 'tap';
import type { Answer, RunEntry } from '../../src/proof/answer.ts';
import { makeBundle } from '../../src/proof/bundle.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { jobs } from '../../src/spine/records.ts';
import { blobBytes } from '../../src/store/blobs.ts';
import { reexecute } from '../../workers/reexecute.ts';
import { answerOf, figureEight, hour, oscillator, testNode } from './test-node.ts';

// initialState: {"continue": job} (docs/protocol.md, 'Continuing'), through the whole pipeline.

const { position: _, velocity: __, ...bodies } = figureEight;
const { x0, v0, ...coefficients } = oscillator.inputs;
const continuing = (id: string) => ({ initialState: { continue: id } });

async function run(account: string, solver: string, body: object, background = false) {
  const job = await node.spine.submit({ account, solver, body, background });
  const { answer, sealed } = await job.outcome;
  return { id: job.id, answer: answerOf(answer), sealed };
}

t.setTimeout(180_000);
const node = await testNode(t);

const runsOf = (answer: Answer) => answer.runs as readonly RunEntry[];

async function bundleOf(answer: Answer) {
  const bundle = await makeBundle(answer, {
    blob: (digest) => blobBytes(node.store, digest),
    kernel: async (digest) => node.catalogue.bytes(digest),
  });
  return readAnswer(JSON.parse(JSON.stringify(bundle)));
}

t.test('a job goes on from another, small or recorded, and a chain ends where one run ends', async (t) => {
  const { zid } = await node.accounts.create({ fuel: hour });
  const whole = await run(zid, 'multibody', { ...figureEight, t_max: 4 });
  const first = await run(zid, 'multibody', { ...figureEight, t_max: 1 });
  const second = await run(zid, 'multibody', { ...bodies, ...continuing(first.id), t_max: 2.5 }, true);
  const body = { ...bodies, ...continuing(second.id), t_max: { value: 4, unit: 's' } };
  const quote = await node.spine.quote('multibody', body, zid);
  const third = await run(zid, 'multibody', body);
  for (const name of ['value', 'finalState', 'energyDriftPct', 'momentumDrift', 'initialEnergy', 'gates'])
    t.same(third.answer[name as keyof Answer], whole.answer[name as keyof Answer], name);
  t.match(third.answer, {
    steps: 300,
    continues: { job: second.id, steps: 500 },
    request: body && continuing(second.id),
  });
  t.equal(third.answer.charges.price_plancks, quote.price_plancks, 'the quote is exact');
  t.not(third.answer.envelope.jobRoot, whole.answer.envelope.jobRoot);
  t.match(await auditSpine(node.store), { sound: true, problems: [] });
});

t.test('the answer is checked and executed again like any other, its start being a part of it', async (t) => {
  const { zid } = await node.accounts.create({ fuel: hour });
  const first = await run(zid, 'multibody', { ...figureEight, t_max: 1 });
  const second = await run(zid, 'multibody', { ...bodies, ...continuing(first.id), t_max: 2 });
  const file = await bundleOf(second.answer);
  t.match(verifyAnswer(file, { vkeys: [node.vkey] }), { sound: true });
  t.match(await reexecute(file), { agrees: true });
  // What it starts from is the end of the first job's sealed result.
  const before = runsOf(first.answer)[0]!;
  const state = runsOf(second.answer)[0]!.parts[1] as { bytes: string };
  const [result, start] = [before.result as string, state.bytes].map((text) => Buffer.from(text, 'base64'));
  t.same(result!.subarray(-start!.length), start);
  const forged = structuredClone(second.answer) as unknown as { runs: { parts: { bytes: string }[] }[] };
  const bytes = Buffer.from(start!);
  bytes[60]! ^= 1;
  forged.runs[0]!.parts[1]!.bytes = bytes.toString('base64');
  const lie = await reexecute(await bundleOf(forged as unknown as Answer));
  t.match(lie, { agrees: false, divergence: { run: 0, what: 'parameters' } });
});

t.test('a state over 64 KiB is a blob, and the answer a bundle with it', async (t) => {
  const { zid } = await node.accounts.create({ fuel: hour });
  const lattice = Array.from({ length: 1000 }, (_, i) => [
    i % 10,
    Math.floor(i / 10) % 10,
    Math.floor(i / 100),
  ]);
  const common = {
    mass: lattice.map(() => 1e-6),
    referenceMode: 'gravity',
    G: 1,
    dt: 0.01,
    integrator: 'leapfrog',
  };
  const start = { position: lattice, velocity: lattice.map(([x, y]) => [0.01 * y!, -0.01 * x!, 0]) };
  const first = await run(zid, 'multibody', { ...common, ...start, t_max: 0.02 });
  const second = await run(zid, 'multibody', { ...common, ...continuing(first.id), t_max: 0.04 });
  const file = await bundleOf(second.answer);
  t.equal(file.runs[0]!.parts.filter((part) => 'blob' in part).length, 1, 'the state');
  t.match(await reexecute(file), { agrees: true });
});

t.test('kalman goes on with new measurements and controls, which may differ', async (t) => {
  const { zid } = await node.accounts.create({ fuel: hour });
  const one = [[1]];
  const model = { F: one, H: one, Q: one, R: one, B: one, quantity: 'state', component: [0] };
  const start = { x0: [0], P0: one };
  const data = { z: [[1], [2], [4]], u: [[0], [0.5], [0]] };
  const whole = await run(zid, 'kalman', { ...model, ...start, ...data });
  const first = await run(zid, 'kalman', {
    ...model,
    ...start,
    z: data.z.slice(0, 2),
    u: data.u.slice(0, 2),
  });
  const rest = { z: data.z.slice(2), u: data.u.slice(2) };
  const second = await run(zid, 'kalman', { ...model, ...rest, ...continuing(first.id) });
  for (const name of ['value', 'finalState', 'logLikelihood', 'measurements'])
    t.same(second.answer[name as keyof Answer], whole.answer[name as keyof Answer], name);
  t.match(await reexecute(await bundleOf(second.answer)), { agrees: true });
  await t.rejects(run(zid, 'kalman', { ...model, ...rest, Q: [[2]], ...continuing(first.id) }), {
    code: 'INVALID_INPUT',
    details: { field: 'Q' },
  });
});

t.test('solve and gauge go on too', async (t) => {
  const { zid } = await node.accounts.create({ fuel: hour });
  const dt = 1 / 128;
  const whole = await run(zid, 'solve', { inputs: { ...oscillator.inputs, t_end: 5 }, dt });
  const first = await run(zid, 'solve', { ...oscillator, dt });
  const body = { inputs: { ...coefficients, t_end: 5 }, dt, ...continuing(first.id) };
  const second = await run(zid, 'solve', body);
  for (const name of ['value', 'rk4', 'v', 'energy', 'pulseMean'])
    t.same(second.answer[name as keyof Answer], whole.answer[name as keyof Answer], name);
  t.equal(second.answer.unit, 'm');

  const field = { group: 'U1', beta: 5, L: 8 };
  const sampled = await run(zid, 'gauge', field);
  const { sweeps } = sampled.answer as unknown as { sweeps: number };
  const more = await run(zid, 'gauge', {
    ...field,
    ...continuing(sampled.id),
    sweeps: sweeps / 8 + 640,
  });
  t.equal((more.answer as unknown as { sweeps: number }).sweeps, sweeps + 8 * 640);
  t.match(await reexecute(await bundleOf(more.answer)), { agrees: true });
});

t.test('what cannot be continued is refused in a sentence, and nothing is charged', async (t) => {
  const { zid } = await node.accounts.create({ fuel: hour });
  const other = await node.accounts.create({ fuel: hour });
  const { id } = await run(zid, 'multibody', { ...figureEight, t_max: 1 });
  const motion = await run(zid, 'solve', oscillator);
  const failed = await node.spine.submit({
    account: zid,
    solver: 'multibody',
    body: { ...figureEight, dt: 1, integrator: 'leapfrog' },
    background: true,
  });
  await t.rejects(failed.outcome, { code: 'ENERGY_NOT_CONSERVED' });
  const { free } = await node.accounts.means(zid);
  const on = { ...bodies, ...continuing(id), t_max: 2 };
  const { mass: ___, ...noMass } = on;
  const refused: [string, object, { code: string; details?: object }, string?][] = [
    ['another account’s job', on, { code: 'NOT_FOUND' }, other.zid],
    ['a job that is not there', { ...on, ...continuing('job_0') }, { code: 'NOT_FOUND' }],
    [
      'a refused job',
      { ...on, ...continuing(failed.id) },
      { code: 'CONFLICT', details: { state: 'refused' } },
    ],
    ['another solver’s job', { ...on, ...continuing(motion.id) }, { code: 'INVALID_INPUT' }],
    ['another mass', { ...on, mass: [1, 1, 2] }, { code: 'INVALID_INPUT', details: { field: 'mass' } }],
    ['no mass', noMass, { code: 'INVALID_INPUT', details: { field: 'mass', accepts: [1, 1, 1] } }],
    [
      'another step',
      { ...on, dt: 0.0025 },
      { code: 'INVALID_INPUT', details: { field: 'dt', accepts: 0.005 } },
    ],
    ['a softening', { ...on, softening: 0.1 }, { code: 'INVALID_INPUT', details: { field: 'softening' } }],
    [
      'an end between steps',
      { ...on, t_max: 2.001 },
      { code: 'INVALID_INPUT', details: { field: 't_max', step: 0.005 } },
    ],
    ['an end before', { ...on, t_max: 0.5 }, { code: 'INVALID_INPUT', details: { field: 't_max' } }],
    ['a second start', { ...figureEight, ...on }, { code: 'INVALID_INPUT', details: { field: 'position' } }],
    [
      'a start beside it',
      { ...on, initialState: { continue: id, t0: 1 } },
      { code: 'INVALID_INPUT', details: { field: 'initialState.t0' } },
    ],
  ];
  for (const [title, body, error, account = zid] of refused) {
    await t.rejects(node.spine.submit({ account, solver: 'multibody', body }), error, title);
    await t.rejects(node.spine.quote('multibody', body, account), error, `${title}: quote`);
  }
  await t.rejects(
    node.spine.quote('multibody', on),
    { code: 'NOT_FOUND' },
    'without an account there are no jobs',
  );
  t.equal((await node.accounts.means(zid)).free, free);
});

t.test('a job of another kernel is not continued: its state may be laid out otherwise', async (t) => {
  const { zid } = await node.accounts.create({ fuel: hour });
  const { id, answer } = await run(zid, 'multibody', { ...figureEight, t_max: 1 });
  const runs = runsOf(answer).map((entry) => ({ ...entry, kernel: '0'.repeat(64) }));
  const older = new TextEncoder().encode(JSON.stringify({ ...answer, runs }));
  await node.store.transaction((tx) => tx.update(jobs, { id }, { answer: older }));
  const body = { ...bodies, ...continuing(id), t_max: 2 };
  await t.rejects(node.spine.quote('multibody', body, zid), {
    code: 'CONFLICT',
    details: { kernel: '0'.repeat(64) },
  });
});

t.test('nothing goes on from an answer, or a request, of which one bit has turned', async (t) => {
  const { zid } = await node.accounts.create({ fuel: hour });
  const body = { alpha: 1.1, beta: 0.4, delta: 0.1, gamma: 0.4, x0: 10, y0: 10, t_max: 10 };
  const { x0: _x0, y0: _y0, ...rates } = body;
  const first = await run(zid, 'lotka', body);
  const row = (await node.store.get(jobs, { id: first.id }))!;
  const more = () => run(zid, 'lotka', { ...rates, ...continuing(first.id), t_max: 20 });
  const result = Buffer.from(runsOf(first.answer)[0]!.result as string, 'base64');
  result[result.length - 68]! ^= 1;
  const [entry, ...others] = runsOf(first.answer);
  const runs = [{ ...entry, result: result.toString('base64') }, ...others];
  const turned = {
    answer: new TextEncoder().encode(JSON.stringify({ ...first.answer, runs })),
    request: new TextEncoder().encode(new TextDecoder().decode(row.request).replace('0.4', '0.5')),
  };
  for (const [name, bytes] of Object.entries(turned)) {
    await node.store.transaction((tx) => tx.put(jobs, { ...row, [name]: bytes }));
    await t.rejects(more(), { code: 'CONFLICT', message: /damaged/, details: { job: first.id } }, name);
  }
  await node.store.transaction((tx) => tx.put(jobs, row));
  t.ok((await more()).sealed);
});
