import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ServiceNode } from '../../src/node.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import type { Settling } from '../../src/spine/settlement.ts';
import { SettlingThread } from '../../src/spine/settling-thread.ts';
import { run } from './pipeline-contract.ts';
import { answerOf, hour, oscillator, testNode } from './test-node.ts';

const config = { settlingThread: true };
run(t, () => config);

t.test(
  'small jobs on the thread and recorded ones beside it share one log and one set of books',
  async (t) => {
    const node = await testNode(t, config);
    const { zid } = await node.accounts.create({ fuel: hour });
    const outcomes = await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        const request = { account: zid, solver: 'solve', body: oscillator, background: i % 4 === 0 };
        return (await node.spine.submit(request)).outcome;
      }),
    );
    t.ok(outcomes.every(({ sealed }) => sealed));
    t.match(await auditSpine(node.store), { sound: true, problems: [], leaves: 24 });
  },
);

t.test('a refusal of the ledger on the thread reads as one of this thread', async (t) => {
  const shared = { ...config, dataDir: t.testdir() };
  const nodes = [await testNode(t, shared), await testNode(t, shared)];
  const { price_plancks } = await nodes[0]!.spine.quote('solve', oscillator);
  const { zid } = await nodes[0]!.accounts.create({ fuel: BigInt(price_plancks) });
  const outcomes = await Promise.allSettled(
    nodes.map(
      async ({ spine }) => (await spine.submit({ account: zid, solver: 'solve', body: oscillator })).outcome,
    ),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  t.equal(refused.length, 1, 'each process held the same plancks in memory; they are charged once');
  t.match(refused[0]!.reason, { code: 'INSUFFICIENT_BALANCE', details: { price_plancks } });
  t.match(await auditSpine(nodes[0]!.store), { sound: true, problems: [], leaves: 1 });
});

t.test('a node whose clock was set back seals at later ticks all the same', async (t) => {
  const hourNs = 3_600_000_000_000n;
  const ahead = { now: () => BigInt(Date.now()) * 1_000_000n + hourNs };
  for (const settlingThread of [false, true]) {
    const dataDir = t.testdir();
    const ticks: number[] = [];
    for (const clock of [ahead, undefined]) {
      const node = await ServiceNode.open({
        dataDir,
        threads: 1,
        settlingThread: settlingThread && !clock,
        clock,
      });
      const { zid } = await node.accounts.create({ fuel: hour });
      const job = await node.spine.submit({ account: zid, solver: 'solve', body: oscillator });
      ticks.push(answerOf((await job.outcome).answer).envelope.tick);
      if (!clock) t.match(await auditSpine(node.store), { sound: true, leaves: 2 });
      await node.close();
    }
    t.ok(ticks[0]! > Date.now() / 777 && ticks[1]! >= ticks[0]!, ticks.join(' then '));
  }
});

t.test('what a thread that ends had to settle is rejected, and so is what waited behind it', async (t) => {
  const dataDir = join(t.testdir(), 'file');
  writeFileSync(dataDir, 'no folder, so the thread cannot open its store');
  const keys = { name: 'n', signingSeed: new Uint8Array(32), hmacKey: new Uint8Array(32) };
  const thread = new SettlingThread({ dataDir, keys });
  const first = thread.settle({} as Settling);
  await new Promise(setImmediate); // the first batch is under way
  const behind = thread.settle({} as Settling);
  await Promise.all([t.rejects(first), t.rejects(behind)]);
});
