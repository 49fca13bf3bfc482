import t from 'tap';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import { books, testApp } from './test-app.ts';

t.test('a point outside the conditions of an operator is neither sealed nor charged (CMP-13)', async (t) => {
  const api = await testApp(t);
  const ask = (n: number) => api.post('/api/svc/compute', { operators: ['SP12'], inputs: { n, N: 51 } });
  const before = await books(api);
  const { status, body } = await ask(51);
  t.equal(status, 400);
  t.match(JSON.stringify(body), /SP12 holds only where n is at most N - 1; here N - 1 - n is -1/);
  t.same(await books(api), before);
  const inside = await ask(50);
  t.equal(inside.status, 200, 'and one at the limit is sealed');
  const { vkey } = (await api.get('/api/identity')).body;
  t.match(verifyAnswer(readAnswer(inside.body), { vkeys: [vkey] }), { sound: true });
});
