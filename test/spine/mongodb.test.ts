import { randomBytes } from 'node:crypto';
import t from 'tap';
import { auditSpine } from '../../src/spine/audit.ts';
import { mongoMissing, startMongo } from '../servers/mongodb.ts';
import { run } from './pipeline-contract.ts';
import { run as runShared } from './shared-store-contract.ts';
import { hour, oscillator, testNode } from './test-node.ts';

t.setTimeout(180_000);

if (mongoMissing) {
  t.plan(0, mongoMissing);
} else {
  const server = await startMongo();
  t.teardown(() => server.stop());
  const database = () => `t${randomBytes(6).toString('hex')}`;
  const config = () => ({ mongo: { uri: server.uri, database: database() } });
  run(t, config);
  runShared(t, config);

  t.test('two nodes on one database keep logs of their own and one set of books', async (t) => {
    const mongo = { uri: server.uri, database: database() };
    const [one, other] = [await testNode(t, { mongo }), await testNode(t, { mongo })];
    const { zid } = await one.accounts.create({ fuel: hour });
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        const node = i % 2 === 0 ? one : other;
        return (await node.spine.submit({ account: zid, solver: 'solve', body: oscillator })).outcome;
      }),
    );
    t.ok(outcomes.every(({ sealed }) => sealed));
    t.match(await auditSpine(one.store), { sound: true, problems: [], leaves: 12 });
  });
}
