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
