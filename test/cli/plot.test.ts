import t from 'tap';
import { plotText } from '../../src/cli/plot.ts';

const rows = { name: 'rows', unit: '1', shape: [4, 2], values: [9, 0.1, 4, 0.3, 1, 0.2, 0, 0.4] };
const line = (y: string) => ({ kind: 'line', title: 'descent', x: 'index', y: [y] }) as const;

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
  const text = plotText({ kind: 'line', title: 'both', x: 'index', y: ['prey', 'speed'] }, pair)!;
  t.match(text, /^both: o prey, \+ speed \(m\/s\) against index\n/);
  t.match(text, / 1\.000 \|\+ +o\n/);
});

t.test('what rounding makes of one number is a level line, and one shade', async (t) => {
  const values = [1000, 1000 + 1e-10, 1000 - 1e-10, 1000];
  const field = { name: 'E', unit: 'V/m', shape: [4], values };
  const lines = plotText({ kind: 'line', title: 'field', x: 'index', y: ['E'] }, [field])!.split('\n');
  t.equal(lines.filter((text) => /\d \|/.test(text)).length, 1, 'one label');
  t.equal(lines.filter((text) => text.includes('|o')).length, 1, 'one row');
  const map = plotText({ kind: 'map', title: 'field', field: 'E' }, [{ ...field, shape: [2, 2] }])!;
  t.notMatch(map.split('\n').slice(1).join(''), /\S/);
});
