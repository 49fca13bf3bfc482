import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { derive } from '../../src/operators/dimensions.ts';
import { prepare } from '../../src/operators/operator.ts';
import { loadRegistry, operator, registry } from '../../src/operators/registry.ts';
import type { OperatorRow } from '../../src/operators/row.ts';
import { compute } from '../../src/solvers/compute.ts';
import { readInput } from '../../src/solvers/input.ts';
import { isDimensionless, sameDimension } from '../../src/units/dimension.ts';
import { parseUnit } from '../../src/units/unit.ts';
import { runJob } from '../solvers/run-job.ts';

const rows = [...registry().rows.values()];
const scalar = rows.filter((row) => row.expression !== undefined);

t.test('every row compiles, and its declared unit is the one its expression has (HON-04)', async (t) => {
  for (const row of scalar) {
    const { expression, inputs, result } = prepare(row);
    if (result.unit === 'derived') {
      t.ok(
        inputs.some(({ unit }) => unit === 'any'),
        `${row.id}: a derived unit comes from an input of any unit`,
      );
      continue;
    }
    const unit = parseUnit(result.unit);
    const derived = derive(
      expression,
      (name) => (name === 'pi' ? parseUnit('1') : inputs.find(({ symbol }) => symbol === name)!).dimension,
    );
    if ('unknown' in derived) t.fail(`${row.id}: the unit is not known`);
    else if (result.unit === 'dB') t.ok(isDimensionless(derived.dimension), row.id);
    else t.ok(sameDimension(derived.dimension, unit.dimension) && unit.scale.n === unit.scale.d, row.id);
  }
});

t.test('every input unit is coherent, so that the kernel computes in SI', async (t) => {
  for (const { id, inputs } of rows) {
    for (const { symbol, unit } of inputs) {
      if (unit !== 'any')
        t.ok(
          parseUnit(unit).scale.n === parseUnit(unit).scale.d && !parseUnit(unit).offset,
          `${id} ${symbol}`,
        );
    }
  }
});

t.test(
  'every row that gives a number has an example whose value comes from elsewhere, and holds it',
  async (t) => {
    for (const row of scalar) {
      t.ok(row.examples.length > 0, `${row.id} has examples`);
      for (const { inputs, value, unit, tolerance } of row.examples) {
        const { input } = readInput(compute.input, { operators: [row.id], inputs });
        const { verdict } = await runJob(compute, input as never);
        const error = Math.abs(verdict.value - value) / (value === 0 ? 1 : Math.abs(value));
        t.ok(error <= tolerance, `${row.id}: ${verdict.value} is ${value}`);
        t.equal(compute.unit(input as never), unit, row.id);
      }
    }
  },
);

t.test(
  'the registry holds KO42 and the signal operators; the relations refuse (OPEN-16, SIG-06)',
  async (t) => {
    const echoes = Array.from({ length: 17 }, (_, i) => `ECHO${i + 5}`);
    t.same(
      rows.map(({ id }) => id).sort(),
      ['KO42', ...echoes, 'SP3', 'SP7', 'SP10', 'SP11', 'SP12', 'SP13', 'SP14', 'SP20'].sort(),
    );
    for (const id of ['SP3', 'SP10', 'SP13', 'SP20'])
      t.throws(() => operator(id), { code: 'NON_SCALAR_RESULT' }, id);
    t.equal(registry().rows.get('SP7')!.category, 'signal_processing');
  },
);

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
