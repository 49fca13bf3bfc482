import t from 'tap';
import { registry } from '../../src/operators/registry.ts';
import { testApp } from './test-app.ts';

t.test('POST /api/svc/lib-search', async (t) => {
  const api = await testApp(t);
  const ask = (body: unknown) => api.post('/api/svc/lib-search', body, { authorization: '' });

  t.test('searches the registry by words, and an id is its own best hit (OP-04)', async (t) => {
    for (const id of ['KO42', 'SP7', 'ECHO5']) {
      const { status, body } = await ask({ query: id });
      t.equal(status, 200);
      t.match(body.results[0], { id, name: String, equation: String, category: String, score: Number });
    }
    const { body } = await ask({ query: 'sgnal to nois ratio', category: 'signal_processing' });
    t.ok(body.results.slice(0, 3).some(({ id }: { id: string }) => id === 'SP7'));
  });

  t.test('a category, a limit and the real total', async (t) => {
    const category = 'signal_processing';
    const all = [...registry().rows.values()].filter((row) => row.category === category).length;
    const { body } = await ask({ query: '', category, limit: 3 });
    t.same([body.total, body.results.length], [all, 3]);
    t.ok(body.results.every((row: { category: string }) => row.category === category));
  });

  t.test('what is no query is refused', async (t) => {
    for (const body of [{}, { query: { a: 1 } }, { query: 'x'.repeat(201) }, { query: 'x', limit: 0 }, []])
      t.match(await ask(body), { status: 400, body: { error: { code: 'INVALID_INPUT' } } });
  });
});
