import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { repositoryRoot } from '../root.ts';

const read = (...path: string[]) => readFileSync(join(repositoryRoot, ...path), 'utf8');

t.test('docs/operating.md names every variable that the program reads', async (t) => {
  const named = new Set(
    [...read('docs', 'operating.md').matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name),
  );
  const found = read('src', 'main.ts').matchAll(/\b((?:SVC|NATS)_[A-Z_]+)\b/g);
  const variables = [...new Set([...found].map(([, name]) => name!))];
  t.ok(variables.length > 10);
  t.same(
    variables.filter((name) => !named.has(name)),
    [],
  );
});
