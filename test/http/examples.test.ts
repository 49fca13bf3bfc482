import t from 'tap';
import { solvers } from '../../src/solvers/registry.ts';
import { hour } from '../spine/test-node.ts';
import { testApp } from './test-app.ts';

/**
 * Where `answer` is not what `expected` says: a subset, numbers within `tolerance` of the expected one (arrays of the
 * largest entry; an expected 0 absolutely).
 */
function differences(expected: unknown, answer: unknown, tolerance: number, at = ''): string[] {
  if (typeof expected === 'number') return near(answer, expected, Math.abs(expected), tolerance, at);
  if (Array.isArray(expected)) return listDifferences(expected, answer, tolerance, at);
  if (typeof expected === 'object' && expected !== null)
    return Object.entries(expected).flatMap(([name, inner]) =>
      differences(inner, (answer as Record<string, unknown> | undefined)?.[name], tolerance, `${at}.${name}`),
    );
  return answer === expected ? [] : [`${at} is ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`];
}

function listDifferences(expected: unknown[], answer: unknown, tolerance: number, at: string): string[] {
  if (!Array.isArray(answer) || answer.length !== expected.length)
    return [`${at} is ${JSON.stringify(answer)}, not a list of ${expected.length}`];
  const numbers = expected.flat(8).filter((entry) => typeof entry === 'number');
  const scale = Math.max(0, ...numbers.map(Math.abs));
  return expected.flatMap((inner, i) => {
    const place = `${at}[${i}]`;
    if (typeof inner === 'number') return near(answer[i], inner, scale, tolerance, place);
    return differences(inner, answer[i], tolerance, place);
  });
}

function near(answer: unknown, expected: number, scale: number, tolerance: number, at: string): string[] {
  const allowed = tolerance * (scale || 1);
  if (typeof answer === 'number' && Math.abs(answer - expected) <= allowed) return [];
  return [`${at} is ${JSON.stringify(answer)}, not ${expected} ± ${allowed}`];
}

const api = await testApp(t, { fuel: 100n * hour });

for (const { id, examples } of solvers) {
  t.test(`${id}: every example of its declaration gives what its source says`, async (t) => {
    t.ok(examples.length > 0);
    const answers = await Promise.all(examples.map(({ body }) => api.post(`/api/svc/${id}`, body)));
    for (const [i, { title, expect, tolerance, source }] of examples.entries()) {
      const { status = 200, ...expected } = expect as { status?: number };
      const answer = answers[i]!;
      t.equal(answer.status, status, `${title}: ${answer.body.error?.message ?? status}`);
      t.same(differences(expected, answer.body, tolerance), [], `${title} (${source})`);
    }
  });
}

t.test('an example that is off by more than its tolerance is noticed', async (t) => {
  t.same(differences({ value: 2, unit: 'J' }, { value: 2.001, unit: 'J', more: 1 }, 1e-3), []);
  t.same(differences({ value: 2 }, { value: 2.003 }, 1e-3).length, 1);
  t.same(differences({ a: [[0, 1]] }, { a: [[9e-4, 1]] }, 1e-3), []);
  t.same(differences({ a: [[0, 1]] }, { a: [[2e-3, 1]] }, 1e-3).length, 1);
  t.same(differences({ a: [1, 2] }, { a: [1] }, 1).length, 1);
  t.same(differences({ a: { b: null } }, { a: {} }, 1).length, 1);
});
