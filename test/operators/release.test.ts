import t from 'tap';
import { registry } from '../../src/operators/registry.ts';
import { countedRegistry, hasDrifted, releaseProblem } from '../../src/operators/release.ts';

const running = countedRegistry();

t.test('a registry is counted: rows, categories and worked examples', async (t) => {
  const rows = [...registry().rows.values()];
  t.equal(running.operators, rows.length);
  t.equal(
    running.examples,
    rows.map(({ examples }) => examples.length).reduce((a, b) => a + b),
  );
  t.ok(running.categories > 1 && running.categories <= rows.length);
});

t.test('rows that changed have drifted, whatever their version says (OP-05)', async (t) => {
  t.equal(hasDrifted(running, running), false);
  t.equal(hasDrifted(running, { ...running, registry_version: '0.0.1' }), false, 'the same rows');
  t.equal(hasDrifted(running, { ...running, corpus_sha256: '0'.repeat(64) }), true);
  t.equal(hasDrifted(running, undefined), true, 'and what was never released has too');
});

t.test('changed rows are released under another version only (OP-08)', async (t) => {
  const before = { ...running, corpus_sha256: '0'.repeat(64) };
  t.match(releaseProblem(running, before), /raise registryVersion/);
  t.equal(releaseProblem({ ...running, registry_version: '99.0.0' }, before), undefined);
  t.equal(releaseProblem(running, running), undefined, 'nothing changed');
  t.equal(releaseProblem(running, undefined), undefined, 'the first release');
});
