import t from 'tap';
import { auditSpine } from '../../src/spine/audit.ts';
import { jobs, logHeads } from '../../src/spine/records.ts';
import { oscillator } from '../spine/test-node.ts';
import { books, testApp } from './test-app.ts';

const why = /has 1 leaves, .* signed 2/;
/** The value goes back without a seal (CMP-11), and whoever looks at the node's health is told not to ask it. */
const unsealed = { status: 200, body: { envelope: null, receipt: null, warnings: [why] } };
const refused = { status: 503, body: { error: { code: 'LOG_NOT_CONTINUED', message: why } } };

for (const settlingThread of [false, true])
  t.test(
    `a node whose log was cut below it seals and charges nothing, thread ${settlingThread}`,
    async (t) => {
      const api = await testApp(t, { node: { settlingThread } });
      const { store } = api.node;
      const sealed = async () => t.match(await api.post('/api/svc/solve', oscillator), { status: 200 });
      await sealed();
      const [cut] = await store.find(logHeads);
      await sealed();
      const [whole] = await store.find(logHeads);
      const { means, transfers } = await books(api);
      await store.transaction((tx) => tx.put(logHeads, cut!)); // as a database that was put back without `svc restore`
      const value = await api.post('/api/svc/solve', oscillator);
      t.match(value, unsealed);
      t.notOk('x-svc-job' in value.headers, 'for nothing of a small one was kept');
      t.match(await api.get('/health/ready'), refused);
      t.match(await books(api), { means, transfers, log: [1n] });
      await store.transaction((tx) => tx.put(logHeads, whole!));
      t.match(await api.get('/health/ready'), { status: 200 });
      await sealed();
      t.match(await auditSpine(store), { sound: true, leaves: 3 });
    },
  );

t.test('the audit finds an answer that was given under another head', async (t) => {
  const api = await testApp(t);
  const { store } = api.node;
  const { body } = await api.post('/api/svc/solve', oscillator);
  const other = await testApp(t);
  const foreign = await other.post('/api/svc/solve', oscillator);
  const { checkpoint } = foreign.body.receipt.log; // one leaf too, and another
  const job = { id: (await store.find(jobs))[0]!.id };
  const forged = { ...body, receipt: { ...body.receipt, log: { ...body.receipt.log, checkpoint } } };
  const answer = new TextEncoder().encode(JSON.stringify(forged));
  await store.transaction((tx) => tx.update(jobs, job, { answer }));
  const { problems } = await auditSpine(store);
  t.match(problems, [/checkpoint: not/, /do not lead to the root/, /forked: .* another head of 1 leaves/]);
});
