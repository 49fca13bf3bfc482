import t from 'tap';
import { plotText } from '../../src/cli/plot.ts';
import { type Axis, counted } from '../../src/solvers/plot.ts';

const rows = { name: 'rows', unit: '1', shape: [4, 2], values: [9, 0.1, 4, 0.3, 1, 0.2, 0, 0.4] };
const side = (name: string) => ({ name, unit: 'm', from: 0, to: 1 });
const column = (name: string, values: number[], shape = [values.length]) => ({
  name,
  unit: 'm',
  shape,
  values,
});
const mapOf = (field: string, x: Axis, y: Axis) => ({ kind: 'map', title: 'field', field, x, y }) as const;
const line = (y: string, x: Axis = counted('step', 4)) =>
  ({ kind: 'line', title: 'descent', x, y: [y] }) as const;

t.test('a column of rows is drawn as a field of its numbers would be', async (t) => {
  for (const [column, values] of [
    [0, [9, 4, 1, 0]],
    [1, [0.1, 0.3, 0.2, 0.4]],
  ] as const) {
    const name = `rows[${column}]`;
    const alone = { name, unit: '1', shape: [4], values };
    t.equal(plotText(line(name), [rows]), plotText(line(name), [alone]));
  }
});

t.test('a column that is not there, or of no rows, is not drawn', async (t) => {
  t.equal(plotText(line('rows[2]'), [rows]), undefined);
  t.equal(plotText(line('other[0]'), [rows]), undefined);
  t.equal(plotText(line('list[0]'), [{ ...rows, name: 'list', shape: [8] }]), undefined);
});

t.test('curves are told apart by the marks that stand before their names', async (t) => {
  const pair = [
    { name: 'prey', unit: '1', shape: [2], values: [0, 1] },
    { name: 'speed', unit: 'm/s', shape: [2], values: [1, 0] },
  ];
  const text = plotText({ ...line('prey'), title: 'both', y: ['prey', 'speed'] }, pair)!;
  t.match(text, /^both: o prey, \+ speed \(m\/s\) against step\n/);
  t.match(text, / 1 \|\+ +o\n/);
  t.match(text, /\n +1 +4$/);
});

t.test('what rounding makes of one number is a level line, and one shade', async (t) => {
  const values = [1000, 1000 + 1e-10, 1000 - 1e-10, 1000];
  const field = { name: 'E', unit: 'V/m', shape: [4], values };
  const lines = plotText(line('E'), [field])!.split('\n');
  t.equal(lines.filter((text) => /\d \|/.test(text)).length, 1, 'one label');
  t.equal(lines.filter((text) => text.includes('|o')).length, 1, 'one row');
  const map = plotText(mapOf('E', side('x'), side('y')), [{ ...field, shape: [2, 2] }])!;
  t.match(map.split('\n').slice(1, 3), [/\|$/, /\|$/]);
});

t.test('a map has its axes with their units and ends, x to the right and y up', async (t) => {
  const T = { name: 'T', unit: 'K', shape: [2, 3], values: [0, 0, 0, 0, 0, 9] };
  const even = plotText(mapOf('T', side('x'), { ...side('y'), to: 4 }), [T])!;
  t.equal(
    even,
    [
      'field: T (K) 0 (blank) … 9 (@) over x (m) and y (m)',
      '          4 |  @',
      '          0 |',
      '            +---',
      '             0           1',
    ].join('\n'),
  );
  const named = [column('x', [0, 0.5, 1]), column('y', [0, 4])];
  t.equal(plotText(mapOf('T', 'x', 'y'), [T, ...named]), even, 'so do fields of coordinates');
});

t.test('a map of an answer before 0.9.0 says no places', async (t) => {
  const field = { name: 'T', unit: 'K', shape: [2, 2], values: [0, 0, 0, 9] };
  const text = plotText({ kind: 'map', title: 'old', field: 'T' } as never, [field])!;
  t.match(text, /^old: T \(K\) 0 \(blank\) … 9 \(@\)\n {12}\| @\n {12}\|\n {12}\+--$/);
});

t.test('a curve of such an answer may be counted by nothing that has a name', async (t) => {
  const text = plotText(line('rows[0]', 'index'), [rows])!;
  t.match(text, /^descent: rows\[0\] against index\n/);
  t.match(text, /\n +0 +3$/);
});

t.test('the ends of an axis are told apart, however near', async (t) => {
  const field = { name: 'u', unit: 'm', shape: [2], values: [3.0000001, 2.9999999] };
  const text = plotText(line('u', { ...side('x'), from: 0.5 }), [field])!;
  t.match(text, /\n +3\.0000001 \|o/);
  t.match(text, /\n +2\.9999999 \| +o\n/);
  t.match(text, /^descent: u \(m\) against x \(m\)\n/);
  t.match(text, /\n +0\.5000 +1\.000$/);
});

t.test('a curved grid is drawn where its numbers stand, and nothing beside it', async (t) => {
  const [x, y] = [column('x', [0, 2, 0, 1], [1, 2, 2]), column('y', [0, 0, 1, 1], [1, 2, 2])];
  const u = { name: 'u', unit: '1', shape: [1, 2, 2], values: [0, 1, 1, 1] };
  const rows = plotText(mapOf('u', 'x', 'y'), [u, x, y])!
    .split('\n')
    .slice(1);
  t.match(rows[0], / 1 \|.*@$/);
  t.ok(Math.abs(rows[0]!.length - 13 - 33) <= 1, 'half as wide above');
  t.match(rows[15], / 0 \| +[^@]+@+$/);
  t.equal(rows[15]!.length, 13 + 64);
  t.match(rows[17], /^ +0 +2$/);
  t.equal(plotText(mapOf('u', 'x', 'y'), [u, x]), undefined, 'not without its places');
});
