// `node dist/test/operators/validity.test.js` also lists sentences with numbers that no limit or condition has.
import t from 'tap';
import { registry } from '../../src/operators/registry.ts';
import type { OperatorRow } from '../../src/operators/row.ts';

// A fit's sentence of validity says where it holds; where it names an input and plain numbers, the limits of that input
// are no wider. "About" stays with the reader.

const NUMBER = String.raw`(\d[\d.]*(?:e\d+)?)(?!π)`;
const numeral = (text: string) => Number(text.replace(/\.$/, ''));

interface Said {
  readonly symbol: string;
  readonly least?: number;
  readonly most?: number;
}

function saidOf({ validity, inputs }: Pick<OperatorRow, 'validity' | 'inputs'>): Said[] {
  return inputs
    .filter(({ unit }) => unit === '1')
    .flatMap(({ symbol }): Said[] => {
      const sure = (validity ?? '').replace(/about [^,;]*/g, '');
      const name = String.raw`(?<![\p{L}·/_])${symbol}`;
      const range = new RegExp(`${name}\\s+(?:from )?${NUMBER} to ${NUMBER}`, 'u').exec(sure);
      const above = new RegExp(`${name}\\s+(?:above|at least|≥|>) ?${NUMBER}`, 'u').exec(sure);
      const below = new RegExp(`${name}\\s+(?:below|up to|at most|≤|<) ?${NUMBER}`, 'u').exec(sure);
      return [
        ...(range ? [{ symbol, least: numeral(range[1]!), most: numeral(range[2]!) }] : []),
        ...(above ? [{ symbol, least: numeral(above[1]!) }] : []),
        ...(below ? [{ symbol, most: numeral(below[1]!) }] : []),
      ];
    });
}

/** What a row takes beyond its sentence, in words. */
function widerThanSaid(row: OperatorRow): string[] {
  return saidOf(row).flatMap(({ symbol, least = -Infinity, most = Infinity }) => {
    const { minimum, above, maximum, below } = row.inputs.find((input) => input.symbol === symbol)!;
    const [low, high] = [minimum ?? above ?? -Infinity, maximum ?? below ?? Infinity];
    return low < least || high > most ? [`${row.id}: ${symbol} from ${low} to ${high}; ${row.validity}`] : [];
  });
}

const rows = [...registry().rows.values()];

t.test('limits are no wider than the sentence that names them', async (t) => {
  t.same(rows.flatMap(widerThanSaid), []);
  t.ok(rows.flatMap(saidOf).length >= 20, `${rows.flatMap(saidOf).length} sentences`);
});

t.test('a wider limit is found', async (t) => {
  const row = rows.find(({ id }) => id === 'HEAT_GNIELINSKI')!;
  const inputs = row.inputs.map((input) => (input.symbol === 'Re' ? { ...input, minimum: 2300 } : input));
  t.equal(widerThanSaid({ ...row, inputs }).length, 1);
});

/** Numbers of a sentence, less those with "about" before them or in a symbol. */
const numbersIn = (text: string): number[] =>
  [...text.replace(/about −?[\d.]+(?:e\d+)?/g, '').matchAll(/(?<![\p{L}\d_^.])\d[\d.]*(?:e\d+)?/gu)].map(
    ([x]) => numeral(x),
  );

if (process.argv.includes('--list'))
  for (const { id, validity = '', inputs, conditions = [] } of rows) {
    const limits = inputs.flatMap(({ minimum, above, maximum, below }) => [minimum, above, maximum, below]);
    const known = [...limits, ...conditions.flatMap(({ nonNegative }) => numbersIn(nonNegative))];
    const open = numbersIn(validity).filter((x) => !known.includes(x));
    if (open.length) console.log(`# ${id}: ${validity}`);
  }
