import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { prepare } from '../../src/operators/operator.ts';
import { dataFolder, loadRegistry, operator, registry } from '../../src/operators/registry.ts';
import type { OperatorRow } from '../../src/operators/row.ts';

const rows = [...registry().rows.values()];

t.test(
  'the registry holds KO42 and the signal operators; the relations refuse (OPEN-16, SIG-06)',
  async (t) => {
    const echoes = Array.from({ length: 17 }, (_, i) => `ECHO${i + 5}`);
    t.same(
      rows
        .filter(({ category }) => category === 'core' || category === 'signal_processing')
        .map(({ id }) => id)
        .sort(),
      ['KO42', ...echoes, ...Array.from({ length: 20 }, (_, i) => `SP${i + 1}`)].sort(),
    );
    const relations = rows.filter(
      ({ expression, category }) => category === 'signal_processing' && !expression,
    );
    t.equal(relations.length, 16);
    for (const { id } of relations) t.throws(() => operator(id), { code: 'NON_SCALAR_RESULT' }, id);
    t.equal(registry().rows.get('SP7')!.category, 'signal_processing');
  },
);

t.test('there are at least 1,600 operators in at least 40 categories (OP-01)', async (t) => {
  const numbers = rows.filter(({ expression }) => expression !== undefined);
  t.ok(numbers.length >= 1600, `${numbers.length} give a number`);
  t.ok(new Set(rows.map(({ category }) => category)).size >= 40);
});

t.test('every operator has id, description, equation and category, all text (OP-02)', async (t) => {
  for (const row of rows)
    for (const field of ['id', 'description', 'equation', 'category'] as const)
      t.match(row[field], /\S/, `${row.id}: ${field}`);
  const folder = mkdtempSync(join(tmpdir(), 'operators-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const source = readFileSync(new URL('../../../src/operators/data/core.json', import.meta.url), 'utf8');
  for (const field of ['id', 'description', 'equation', 'category']) {
    writeFileSync(join(folder, 'core.json'), source.replace(new RegExp(`"${field}": ".*",`), ''));
    t.throws(() => loadRegistry(pathToFileURL(`${folder}/`)), new RegExp(field), `without ${field}`);
  }
});

t.test('bytes that fitted the schema are not held against it again, any others are', async (t) => {
  t.same(
    loadRegistry(dataFolder, '').rows,
    registry().rows,
    'the rows that run fit it, whether released or not',
  );
  const folder = mkdtempSync(join(tmpdir(), 'operators-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const at = pathToFileURL(`${folder}/`);
  const source = readFileSync(new URL('../../../src/operators/data/core.json', import.meta.url), 'utf8');
  writeFileSync(join(folder, 'core.json'), source);
  const { corpusSha256 } = loadRegistry(at, '');
  writeFileSync(join(folder, 'core.json'), source.replace('"role"', '"rule"'));
  t.throws(() => loadRegistry(at, corpusSha256), /core\.json/, 'another byte, another digest');
});

t.test('an unknown operator is refused and the nearest is named (OP-07)', async (t) => {
  t.throws(() => operator('SP77'), { code: 'UNKNOWN_OPERATOR', message: /nearest is SP7\b/ });
  t.throws(() => operator('__proto__'), { code: 'UNKNOWN_OPERATOR' });
  t.throws(() => operator('toString'), { code: 'UNKNOWN_OPERATOR' });
});

t.test('the corpus digest covers every byte of the data (OP-08)', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'operators-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const source = readFileSync(new URL('../../../src/operators/data/core.json', import.meta.url), 'utf8');
  const at = pathToFileURL(`${folder}/`);
  const digestOf = (text: string) => {
    writeFileSync(join(folder, 'core.json'), text);
    return loadRegistry(at).corpusSha256;
  };
  t.match(digestOf(source), /^[0-9a-f]{64}$/);
  t.match(loadRegistry(at).version, /^\d+\.\d+\.\d+$/, 'and there is a version beside it');
  t.not(digestOf(source.replace('Modulates', 'modulates')), digestOf(source));
  t.throws(() => digestOf(source.replace('"role"', '"rule"')), /core\.json/);
  writeFileSync(join(folder, 'again.json'), source);
  t.throws(() => digestOf(source), /KO42 stands there twice/);
});

t.test('a row that contradicts itself does not compile', async (t) => {
  const row = registry().rows.get('SP7')!;
  const twin = (change: Partial<OperatorRow>) => prepare({ ...row, ...change });
  t.throws(() => twin({ expression: '10*log10(P_signal/P_noisy)' }), /no input is called P_noisy/);
  t.throws(
    () => twin({ inputs: [row.inputs[0]!, { ...row.inputs[1]!, aliases: ['P_signal'] }] }),
    /means two inputs/,
  );
  t.throws(
    () => twin({ inputs: [row.inputs[0]!, { ...row.inputs[1]!, role: 'assumed' }] }),
    /role and value/,
  );
  t.throws(() => twin({ expression: '10*log10(P_signal/P_noise' }), { code: 'INVALID_INPUT' });
});
