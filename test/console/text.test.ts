import katex from 'katex';
import t from 'tap';
import { figureText, spreadText, unitText } from '../../src/console/figures.ts';
import { symbolLatex } from '../../src/console/formula.ts';
import { placeHash, readPlace } from '../../src/console/place.ts';
import { parseLatex } from '../../src/operators/latex.ts';
import { registry } from '../../src/operators/registry.ts';
import { quantityText, readQuantity } from '../../src/units/quantity.ts';

const rows = [...registry().rows.values()];
const symbols = new Set(
  rows.flatMap((row) => [...row.inputs, ...(row.fixed ?? [])].map((each) => each.symbol)),
);

t.test('what is typed is read as value, unit and uncertainty', async (t) => {
  const cases = {
    '3': 3,
    ' −2.5e-3 ': -0.0025,
    '3 km/h': { value: 3, unit: 'km/h' },
    '3e': { value: 3, unit: 'e' },
    '1e3eV': { value: 1000, unit: 'eV' },
    '20 °C': { value: 20, unit: '°C' },
    '3 ± 0.1 km/h': { value: 3, uncertainty: 0.1, unit: 'km/h' },
    '6.67×10⁻¹¹ N·m²/kg²': { value: 6.67e-11, unit: 'N·m²/kg²' },
    '3.0 x 10^8 m/s': { value: 3e8, unit: 'm/s' },
    '1.6·10^(−19) C': { value: 1.6e-19, unit: 'C' },
    '−2×10³': -2000,
    // JCGM 100:2008, 7.2.2, forms 2 to 4, and NIST SP 811, 7.7; CODATA 2022 prints G as the last of these.
    '(3 ± 0.1) m': { value: 3, uncertainty: 0.1, unit: 'm' },
    '100.02147(35) g': { value: 100.02147, uncertainty: 0.00035, unit: 'g' },
    '100.02147(0.00035) g': { value: 100.02147, uncertainty: 0.00035, unit: 'g' },
    '(100.02147 ± 0.00035) g': { value: 100.02147, uncertainty: 0.00035, unit: 'g' },
    '63.2 m ± 0.1 m': { value: 63.2, uncertainty: 0.1, unit: 'm' },
    '6.674 30(15)e-11 m^3/(kg*s^2)': { value: 6.6743e-11, uncertainty: 1.5e-15, unit: 'm^3/(kg*s^2)' },
    '6.67430(15) × 10⁻¹¹': { value: 6.6743e-11, uncertainty: 1.5e-15 },
    '(6.67430 ± 0.00015)×10^-11 N': { value: 6.6743e-11, uncertainty: 1.5e-15, unit: 'N' },
    '1.602 176 634 × 10^-19 C': { value: 1.602176634e-19, unit: 'C' },
    '-1.001 159 652 180 46(18)': { value: -1.00115965218046, uncertainty: 1.8e-13 },
    '(−3.0 +/- 0.1)e3 km': { value: -3000, uncertainty: 100, unit: 'km' },
    '(5 ± 0.2) %': { value: 5, uncertainty: 0.2, unit: '%' },
    '3.0(1) km': { value: 3, uncertainty: 0.1, unit: 'km' },
    '10(5) s': { value: 10, uncertainty: 5, unit: 's' },
    '3(m)': { value: 3, unit: '(m)' },
    '1.5×10 m': { value: 1.5, unit: '×10 m' },
    '.5+/-1e-2': { value: 0.5, uncertainty: 0.01 },
  };
  for (const [text, expected] of Object.entries(cases)) t.same(readQuantity(text), expected, text);
});

t.test('what is no number is refused with a sentence', async (t) => {
  for (const text of [
    '',
    'x',
    '1,5',
    '1.2.3',
    '3 4',
    'km 3',
    '1e999',
    "1'000",
    '± 3',
    '3 ± 5% km',
    '3 m ± 2 cm',
    '3 m ± 0.1',
    '3 ± 0.1 m ± 0.1 m',
    '1 000 m',
    '(3 ± 0.1',
    '(1,5 ± 0.1) m',
    '3.0(1)(2) m',
    '3.0(1)2 m',
    '(3 ± 0.1)2 m',
    '3.0(1) ± 0.1 m',
    '(3 ± 0.1) ± 0.1 m',
    '(3 ± 0.1)e999 m',
    '3 ± 5 %',
  ])
    t.throws(() => readQuantity(text), { name: 'QuantityError', message: /\.$/ }, text);
});

t.test('every worked example is filled in as what it says', async (t) => {
  for (const { id, inputs, examples } of rows) {
    for (const example of examples) {
      for (const [name, given] of Object.entries(example.inputs)) {
        const unit = inputs.find((input) => [input.symbol, ...input.aliases].includes(name))!.unit;
        const read = readQuantity(quantityText(given, unit));
        const { value } = typeof given === 'number' ? { value: given } : given;
        const found = typeof read === 'number' ? { value: read, unit: undefined } : read;
        if (found.value !== value || found.uncertainty !== undefined) t.fail(`${id} ${name}`);
      }
    }
  }
});

t.test('a symbol is set in type as the operators read it', async (t) => {
  const wrong = [...symbols].filter((symbol) => {
    const parsed = parseLatex(symbolLatex(symbol));
    return parsed.kind !== 'symbol' || parsed.name !== symbol.replace(/^var/, '');
  });
  t.same(wrong, []);
  t.ok(symbols.size > 1000);
});

t.test('every formula of the registry is LaTeX that KaTeX sets', async (t) => {
  const broken = rows.flatMap(({ id, equation }) => {
    try {
      katex.renderToString(equation, { strict: 'ignore', maxExpand: 100, maxSize: 20 });
      return [];
    } catch (error) {
      return [`${id}: ${(error as Error).message}`];
    }
  });
  t.same(broken, []);
});

t.test('figures and units are written as people do', async (t) => {
  const figures = {
    0: '0',
    '-2.5': '−2.5',
    '6.62607015e-34': '6.62607015 × 10⁻³⁴',
    '12345678': '1.2345678 × 10⁷',
  };
  for (const [x, text] of Object.entries(figures)) t.equal(figureText(Number(x)), text);
  t.equal(figureText(74.77171135008282, 10), '74.77171135');
  t.equal(figureText(0.1 + 0.2), '0.30000000000000004', 'all digits where none are dropped');
  const spreads = [
    [20, 0.1302883, '20.00 ± 0.13'],
    [-9.80665, 0.0005, '−9.80665 ± 0.00050'],
    [6.62607015e-34, 1.2e-41, '6.62607015 × 10⁻³⁴ ± 1.2 × 10⁻⁴¹'],
    [123456, 1200, '123500 ± 1200'],
    [0, 0.5, '0.00 ± 0.50'],
  ] as const;
  for (const [value, uncertainty, text] of spreads) t.equal(spreadText(value, uncertainty), text);
  const units = { '1': '', 'W/(m^2*K)': 'W/(m²·K)', 'kg^(1/2)': 'kg¹ᐟ²', ohm: 'Ω', 'm^-3': 'm⁻³' };
  for (const [unit, text] of Object.entries(units)) t.equal(unitText(unit), text);
});

t.test('a place of the page is an address and back again', async (t) => {
  const places = [
    { id: 'KO42', query: '', category: '' },
    { id: '', query: 'km/h & more=less', category: 'signal_processing' },
    { id: 'SP7', query: 'a=b', category: '' },
  ];
  for (const place of places) t.same(readPlace(placeHash(place)), place);
  t.same(readPlace('#q=pendulum'), { id: '', query: 'pendulum', category: '' });
  t.same(readPlace('#<b>&q=%'), { id: '', query: '%', category: '' });
});
