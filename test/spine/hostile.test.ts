import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../src/clock/clock.ts';
import { Refusal } from '../../src/errors/refusal.ts';
import { ServiceNode } from '../../src/node.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { NodeLog } from '../../src/spine/node-log.ts';
import { Spine } from '../../src/spine/pipeline.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { answerOf, figureEight, hour, oscillator, testNode } from './test-node.ts';

// Ways to get work for nothing, or another's answer under one's own key.

t.test('work that is cancelled on its way counts as refused work', async (t) => {
  const node = await testNode(t, { limits: { refusedPlancks: 1n } });
  const { zid } = await node.accounts.create({ fuel: hour });
  const body = { ...figureEight, dt: 1e-5, t_max: 400, integrator: 'leapfrog' };
  const run = () => node.spine.submit({ account: zid, solver: 'multibody', body });
  const job = await run();
  do await once(job, 'progress');
  while (job.progress.work === 0n);
  node.spine.cancel(job.id);
  await t.rejects(job.outcome, { code: 'CANCELLED' });
  t.match(await node.accounts.means(zid), { free: hour, held: 0n }, 'nothing is charged');
  t.ok((await node.spine.records.row(job.id))!.work! > 0n, 'what was done is on record');
  await t.rejects(run(), { code: 'REFUSAL_ALLOWANCE_SPENT' });
});

t.test('numbers that overflow what is counted are refused, and the farthest from 1 is named', async (t) => {
  const node = await testNode(t);
  for (const [solver, field, value] of [
    ['buckling', 'I', 1e308],
    ['gauge', 'beta', 5e-324],
    ['evolve', 'mass', 1e308],
  ] as const) {
    const body = { ...solverOf(solver).examples[0]!.body, [field]: value };
    await t.rejects(node.spine.quote(solver, body), { code: 'LIMIT_EXCEEDED', details: { field } }, solver);
  }
});

t.test('one Idempotency-Key with two requests at once, on two processes, is one job', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-two-'));
  const nodes = [
    await ServiceNode.open({ dataDir, threads: 1 }),
    await ServiceNode.open({ dataDir, threads: 1 }),
  ];
  t.teardown(async () => {
    for (const node of nodes) await node.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const [first, second] = nodes as [ServiceNode, ServiceNode];
  const { zid } = await first.accounts.create({ fuel: hour });
  const ask = async (node: ServiceNode, x0: number) => {
    const body = { inputs: { ...oscillator.inputs, x0 } };
    const job = await node.spine.submit({ account: zid, solver: 'solve', body, idempotencyKey: 'once' });
    return answerOf((await job.outcome).answer);
  };
  const outcomes = await Promise.allSettled([ask(first, 0.1), ask(second, 0.2)]);
  const [won, lost] = [...outcomes].sort((a, b) => (a.status < b.status ? -1 : 1));
  t.match(won, { status: 'fulfilled', value: { format: 'svc-answer-1' } });
  t.match(lost, { status: 'rejected', reason: { code: 'IDEMPOTENCY_CONFLICT' } });
  t.match(await auditSpine(first.store), { sound: true, leaves: 1 });
});

t.test('a value that may not be sealed is refused, not handed back for nothing (HON-03)', async (t) => {
  const node = await testNode(t);
  const { zid } = await node.accounts.create({ fuel: hour });
  const { now } = systemClock();
  const executor = new ThreadPool({ threads: 1, catalogue: node.catalogue });
  t.teardown(() => executor.close());
  const signer = noteSigner('hostile.example', new Uint8Array(32).fill(5));
  const spine = new Spine({
    ...{ store: node.store, executor, catalogue: node.catalogue, node: signer.name, now },
    log: new NodeLog(signer, now),
    hmacKey: {
      mac: () => {
        throw new Refusal('NON_FINITE', 'A value that is not finite is never sealed.');
      },
    },
    limits: { memory: 2 ** 30, jobs: 10, refusedPlancks: hour },
  });
  for (const background of [false, true]) {
    const job = await spine.submit({ account: zid, solver: 'solve', body: oscillator, background });
    await t.rejects(job.outcome, { code: 'NON_FINITE' });
    t.match(await node.accounts.means(zid), { free: hour, held: 0n });
  }
  t.match(await auditSpine(node.store), { sound: true, leaves: 0 });
});
