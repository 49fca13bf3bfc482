import t from 'tap';
import { type Row, registry } from '../../src/operators/registry.ts';
import { OperatorSearch } from '../../src/operators/search.ts';
import { queries } from './search-queries.ts';

const row = (id: string, change: Partial<Row>): Row => ({
  ...registry().rows.get('SP7')!,
  ...{ id, inputs: [], category: 'mechanics', description: 'A formula.' },
  ...change,
});
const input = (symbol: string, unit: string, ...aliases: string[]): Row['inputs'][number] => ({
  ...{ symbol, unit, aliases, meaning: 'a quantity', role: 'required' },
});

const index = await OperatorSearch.over([
  row('ME1', {
    name: 'kinetic energy',
    description: 'Energy of a moving mass.',
    inputs: [input('m', 'kg', 'mass'), input('v', 'm/s', 'speed', 'velocity')],
    result: { symbol: 'E', unit: 'J', meaning: 'kinetic energy' },
  }),
  row('ME2', {
    name: 'drag force',
    description: 'Force on a body in a stream; grows with the square of the velocity.',
    inputs: [input('C_d', '1', 'drag_coefficient')],
    result: { symbol: 'F_drag', unit: 'N', meaning: 'force' },
  }),
  row('EL1', {
    name: 'Poincaré section',
    category: 'dynamical_systems',
    result: { symbol: 'x', unit: '1', meaning: 'a section' },
  }),
]);
const ids = (query: string, category?: string) =>
  index.find(query, { limit: 10, ...(category ? { category } : {}) }).results.map((each) => each.row.id);

t.test('a row is found by id, name, symbol, alias, unit, category and words', async (t) => {
  const cases: [string, string[]][] = [
    ['ME1', ['ME1']],
    ['me2', ['ME2']],
    ['kinetic energy', ['ME1']],
    ['F_drag', ['ME2']],
    ['drag_coefficient', ['ME2']],
    ['m/s', ['ME1']],
    ['km/h', ['ME1']],
    ['dynamical systems', ['EL1']],
    ['moving', ['ME1']],
    ['poincare', ['EL1']],
  ];
  for (const [query, expected] of cases) t.same(ids(query), expected, query);
});

t.test('typing errors and words that are cut short are forgiven (OP-04)', async (t) => {
  for (const query of ['kinetc', 'knietic', 'kineti energi', 'kin']) t.same(ids(query), ['ME1'], query);
  t.same(ids('velocitie'), ['ME1', 'ME2'], 'the alias before the description');
  t.same(ids('ME3'), [], 'an id is not forgiven: ME3 is neither ME1 nor ME2');
});

t.test('rows with all the words come first, and what has little of them is left out', async (t) => {
  t.same(ids('velocity mass'), ['ME1']);
  t.same(ids('drag entropy'), ['ME2']);
  t.same(ids('entropy'), []);
});

t.test('a category keeps the others out, and an empty query is every row', async (t) => {
  t.same(ids('velocity', 'dynamical_systems'), []);
  t.same(ids('', 'mechanics').sort(), ['ME1', 'ME2']);
  const { total, results } = index.find('', { limit: 1 });
  t.same([total, results.length], [3, 1], 'the total is that of all');
});

t.test('a formula of no row says so, instead of rows that share letters with it', async (t) => {
  const { total, results, note } = index.find('P = I^2 R', { limit: 5 });
  t.same([total, results], [0, []]);
  t.match(note, /send it as `equation`/);
  t.equal(index.find('drag', { limit: 5 }).note, undefined);
});

t.test('no text makes it fail', async (t) => {
  for (const query of ['__proto__', '\u0000', '/', '^', '((', '\ud800', 'a/'.repeat(90), 'km/h/(', '🜁'])
    t.doesNotThrow(() => ids(query), query);
});

t.test('of what people type, at least 95 in 100 find their row among the first three (OP-04)', async (t) => {
  const registered = await OperatorSearch.over([...registry().rows.values()]);
  const missed = queries.filter(([query, ...rows]) => {
    const found = registered.find(query, { limit: 3 }).results.map((each) => each.row.id);
    return !found.some((id) => rows.includes(id));
  });
  const named = queries.flatMap(([, ...rows]) => rows).filter((id) => !registry().rows.has(id));
  t.same(named, [], 'the rows exist');
  const share = 1 - missed.length / queries.length;
  t.comment(
    `${(100 * share).toFixed(1)} % of ${queries.length} queries; missed: ${missed.map(([query]) => query).join(', ')}`,
  );
  t.ok(queries.length >= 150 && share >= 0.95, `${queries.length - missed.length} of ${queries.length}`);
});
