import { readdirSync } from 'node:fs';
import t from 'tap';
import { catalogue, type ErrorCode } from '../../src/errors/catalogue.ts';
import { solvers } from '../../src/solvers/registry.ts';
import type { Refused } from '../solvers/solver-test.ts';
import { accountOn, books, testApp } from './test-app.ts';

// Every refusal that a solver's own tests ask for, once more over HTTP: the catalogue's status and code, and the books
// as they were (SOLV-16, HON-15).

const folder = new URL('../solvers/refusals/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.js'));

const node = await testApp(t);

for (const name of names) {
  const { refused } = (await import(new URL(name, folder).href)) as { refused: readonly Refused[] };
  const id = name.replace('.js', '');
  t.test(
    `${id}: ${refused.length} refusals over HTTP, and no planck moves`,
    { timeout: 300_000 },
    async (t) => {
      t.ok(
        solvers.some((solver) => solver.id === id),
        'the solver is registered',
      );
      const api = await accountOn(node); // with refusals of its own to its name
      const { jobs: earlier, ...before } = await books(api);
      for (const { title, body, code, field } of refused) {
        const answer = await api.post(`/api/svc/${id}`, body);
        t.equal(answer.body?.error?.code, code, `${title}: ${answer.text.slice(0, 300)}`);
        t.equal(answer.status, catalogue[code as ErrorCode].status, `${title}: status`);
        if (field !== undefined) t.equal(answer.body.error.field, field, `${title}: field`);
        t.ok(answer.body.error.message.length > 10, `${title}: a sentence`);
      }
      // A job that was dear enough to be recorded keeps its refusal.
      const { jobs, ...after } = await books(api);
      t.ok(jobs - earlier <= refused.length);
      t.same(after, before, 'nothing charged, sealed or logged');
    },
  );
}
