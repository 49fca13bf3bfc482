import t from 'tap';
import type { GivenInputs } from '../../src/operators/apply.ts';
import { operator, registry } from '../../src/operators/registry.ts';
import { apart, byMathjs } from './by-mathjs.ts';
import { broken, nearInputs, type Row, randomInputs, repeated, sealed } from './laws.ts';
import { layout } from './layout.ts';
import { survey } from './report.ts';
import { equalInValue, sharedAlgebra } from './same-values.ts';

/** Relative; mathjs computes in doubles, and may be as far off as the kernel's own double is. */
const TOLERANCE = 1e-9;

const rows = [...registry().rows.values()] as Row[];
const scalar = rows.filter((row) => row.expression !== undefined);

t.test('no row of the registry breaks a law (HON-04, CMP-03, CMP-04)', async (t) => {
  const { text, problems } = await survey(rows);
  t.comment(text);
  t.same(problems, []);
});

t.test('random inputs within the domain give what mathjs gives, or a typed refusal (HON-03)', async (t) => {
  const next = sequence(20261121);
  const unlike: string[] = [];
  const never: string[] = [];
  let compared = 0;
  for (const row of scalar.filter(({ category }) => category !== 'core')) {
    const own = operator(row.id);
    const near = (spread: number) => nearInputs(own, row, spread, next);
    const compares = async (inputs: GivenInputs): Promise<boolean> => {
      const found = await sealed(row.id, inputs);
      if (typeof found === 'string') return false;
      const theirs = byMathjs(row.id, inputs);
      if (!(apart(found.value, theirs) <= TOLERANCE + 10 * found.error))
        unlike.push(`${row.id} ${JSON.stringify(inputs)}: ${found.value}, mathjs ${theirs}`);
      compared++;
      return true;
    };
    const draws = [near(1.2), near(3), randomInputs(own, next), randomInputs(own, next)];
    let values = 0;
    for (const inputs of draws) values += Number(await compares(inputs));
    for (let spread = 1.1; values === 0 && spread > 1.0001; spread = Math.sqrt(spread))
      values += Number(await compares(near(spread)));
    if (values === 0) never.push(row.id);
  }
  t.same(unlike, []);
  t.same(never, [], 'every row gave a number somewhere but at its example');
  t.comment(`${compared} values of ${scalar.length} rows compared`);
});

/** Numbers between 0 and 1, the same in every run (Park and Miller's generator, CACM 31 (1988) 1192). */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const row = rows.find(({ id }) => id === 'ECHO5')!;
const [amplitude, time, tau, omega] = row.inputs as [never, never, never, never];
const twins: readonly (readonly [string, Partial<Row>, RegExp])[] = [
  ['a sign in the LaTeX', { equation: 'x(t) = A e^{t/\\tau}\\cos(\\omega t)' }, /LaTeX .* tree/],
  ['another name on the left', { equation: 'y(t) = A e^{-t/\\tau}\\cos(\\omega t)' }, /left side is y/],
  ['two equations', { equation: 'x = y = A' }, /name = formula/],
  [
    'a factor in the expression',
    { expression: '2*A*exp(-t/tau)*cos(omega*t)' },
    /the examples hold.*tree|tree/,
  ],
  [
    'another dimension',
    {
      result: { ...row.result, unit: 'm' },
      inputs: [{ ...(amplitude as object), unit: 'kg' } as never, time, tau, omega],
    },
    /dimension/,
  ],
  [
    'an input of no use',
    { inputs: [...row.inputs, { ...(time as object), symbol: 'z', aliases: [] } as never] },
    /z is not in the expression/,
  ],
  [
    'a unit with a factor',
    { inputs: [amplitude, { ...(time as object), unit: 'ms' } as never, tau, omega] },
    /no coherent unit/,
  ],
  ['a constant of no table', { constants: ['c_light'] }, /c_light/],
  ['an example that does not hold', { examples: [{ ...row.examples[0]!, value: 0.9 }] }, /the examples hold/],
  ['no example', { examples: [] }, /there is none/],
];

const sample = rows.find(({ id }) => id === 'SP12')!;
const condition = (nonNegative: string) => ({
  conditions: [{ nonNegative, meaning: 'n is at most N - 1' }],
});
const conditionTwins: readonly (readonly [string, Partial<Row>, RegExp])[] = [
  ['a letter that is none', condition('N - 1 - m'), /no input is called m/],
  ['unlike quantities', { ...condition('N - 1 - n/c'), constants: ['c'] }, /joins a quantity/],
  ['a condition that is none', condition('N^2'), /every condition refuses: N\^2 is never negative/],
];

t.test('a row made wrong in any of these ways is found', async (t) => {
  t.same(await broken(row), []);
  t.same(await broken(sample), []);
  for (const [title, change, expected] of conditionTwins)
    t.match((await broken({ ...sample, ...change })).join('\n'), expected, title);
  for (const [title, change, expected] of twins) {
    const found = await broken({ ...row, ...change });
    t.match(found.join('\n'), expected, title);
  }
});

t.test(
  'a formula that stands there already is found under other letters and solved for another',
  async (t) => {
    const ohm = product('OHM', 'V', 'A', 'ohm', 'I*R', ['I', 'R']);
    const drop = { ...product('DROP', 'V', 'A', 'ohm', 'J*Z', ['J', 'Z']), name: 'drop' };
    const current = { ...product('CURRENT', 'A', 'V', 'ohm', 'U/R', ['U', 'R']), name: 'current' };
    const force = { ...product('FORCE', 'N', 'kg', 'm/s^2', 'm*a', ['m', 'a']), name: 'force' };
    t.same(repeated([ohm, force]), []);
    t.same(repeated([ohm, drop]), ['DROP is the formula of OHM under other letters']);
    t.same(repeated([ohm, current]), ['CURRENT is OHM solved for another letter']);
    t.same(repeated([ohm, { ...force, name: ohm.name }]), [`FORCE has the name of OHM: ${ohm.name}`]);
  },
);

function product(
  id: string,
  unit: string,
  a: string,
  b: string,
  expression: string,
  [x, y]: readonly [string, string],
): Row {
  const input = (symbol: string, inputUnit: string) => ({
    symbol,
    aliases: [],
    meaning: symbol,
    unit: inputUnit,
    role: 'required' as const,
  });
  return {
    ...row,
    id,
    name: 'ohm',
    expression,
    inputs: [input(x, a), input(y, b)],
    result: { symbol: 'r', unit, meaning: 'result' },
  };
}

t.test('the layout of a file says the same', async (t) => {
  const file = { category: 'a', title: 'A', operators: [row] };
  t.same(JSON.parse(layout(file as never)), file);
});

t.test('rows that are equal up to algebra are found by their values', async (t) => {
  const input = (symbol: string, unit = '1') => ({ ...(row.inputs[0] as object), symbol, aliases: [], unit });
  const made = (id: string, expression: string, ...inputs: ReturnType<typeof input>[]) =>
    ({ ...row, id, name: id, expression, inputs, result: { ...row.result, unit: '1' } }) as unknown as Row;
  const [x, y] = [input('x'), input('y')];
  const twice = made('TWICE', '2*sin(x)*cos(x)', x);
  t.same(equalInValue([twice, made('DOUBLE', 'sin(2*y)', y)]), ['DOUBLE is TWICE up to algebra']);
  t.same(equalInValue([twice, made('HALF', 'sin(y)*cos(y)', y)]), []);
  const product = made('PRODUCT', '(x + 1)*(y - 1) + 1', x, y);
  t.same(equalInValue([product, made('SUM', 'x*y - y + x', x, y)]), ['SUM is PRODUCT up to algebra']);
  t.same(equalInValue([product, made('OTHER', 'x*y - y + x', x, input('y', 'm'))]), []);
  const constants = ['c'];
  const near = { ...made('NEAR', 'x/c^2 + 1', input('x', 'm^2/s^2')), constants } as Row;
  const far = { ...made('FAR', '2*x/c^2 + 1', input('x', 'm^2/s^2')), constants } as Row;
  t.same(equalInValue([near, far]), [], 'also where a constant hides the difference');
});

t.test('laws that share their algebra do: the list has no other names', async (t) => {
  for (const [pair] of sharedAlgebra) {
    const [b, a] = pair.split(' ').map((id) => rows.find((each) => each.id === id)!);
    const renamed = [a!, { ...b!, id: `${b!.id}_` }];
    t.equal(equalInValue(renamed).length, 1, pair);
  }
});

t.test('slips of whole classes that audits found stay out (docs/registry-audit.md)', async (t) => {
  const slips = rows.flatMap(({ id, inputs, conditions = [] }) =>
    inputs.flatMap(({ symbol, meaning, whole, minimum, above }) => {
      const isQuantum = /quantum number|nuclear spin|\bspin of (the|each)\b/.test(meaning);
      const inSteps = conditions.some(
        ({ nonNegative }) => nonNegative.includes('mod(') && new RegExp(`\\b${symbol}\\b`).test(nonNegative),
      );
      const isPoisson = /Poisson['’]?s? ratio/.test(meaning);
      return [
        ...(isQuantum && !whole && !inSteps ? [`${id}: ${symbol} may be no multiple of ½`] : []),
        ...(isPoisson && (above ?? minimum) !== -1 ? [`${id}: ${symbol} does not begin at −1`] : []),
      ];
    }),
  );
  t.same(slips, []);
});
