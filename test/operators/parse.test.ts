import t from 'tap';
import { derive } from '../../src/operators/dimensions.ts';
import { BOUND, readEquation } from '../../src/operators/equation.ts';
import { parse } from '../../src/operators/parse.ts';
import type { Expression } from '../../src/operators/syntax.ts';
import { unitOfDimension } from '../../src/units/format.ts';
import { parseUnit } from '../../src/units/unit.ts';
import { onlyRefuses } from './only-refuses.ts';

/** Fully bracketed. */
function shown(node: Expression): string {
  if (node.kind === 'number') return node.text;
  if (node.kind === 'symbol') return node.name;
  if (node.kind === 'negate') return `(-${shown(node.of)})`;
  if (node.kind === 'call') return `${node.name}(${node.arguments.map(shown).join(',')})`;
  return `(${shown(node.left)}${node.operator}${shown(node.right)})`;
}

const readings: [string, string][] = [
  ['-x^2', '(-(x^2))'], // HON-09
  ['2^3^2', '(2^(3^2))'],
  ['x^-2', '(x^(-2))'],
  ['x^-y^2', '(x^(-(y^2)))'],
  ['a - b - c', '((a-b)-c)'],
  ['a/b/c', '((a/b)/c)'],
  ['a/b*c', '((a/b)*c)'],
  ['-a*b', '((-a)*b)'],
  ['a - -b', '(a-(-b))'],
  ['2x', '(2*x)'],
  ['2(x + 1)', '(2*(x+1))'],
  ['(a)(b)', '(a*b)'],
  ['a b^2', '(a*(b^2))'],
  ['2 pi f', '((2*pi)*f)'],
  ['a**2 · b', '((a^2)*b)'],
  ['sin(x)cos(y)', '(sin(x)*cos(y))'],
  ['atan2(y, -x)', 'atan2(y,(-x))'],
  ['.5e-3 + 1.', '(.5e-3+1.)'],
  ['P_signal/Δν', '(P_signal/Δν)'],
  ['gamma m c^2', '((gamma*m)*(c^2))'], // the letter; with a bracket it is the function
  ['gamma(x) erfc(-x)/gamma', '((gamma(x)*erfc((-x)))/gamma)'],
];

t.test('precedence and implicit products', async (t) => {
  for (const [text, expected] of readings) t.equal(shown(parse(text)), expected, text);
});

const unreadable = [
  '',
  ' ',
  '2 3',
  '1/2x',
  'a/b(c)',
  'x(y)',
  'log(x)',
  'sin',
  'sin()',
  'sin(1,2)',
  'a +',
  '* a',
  '(a',
  'a)',
  'a,b',
  '1e999',
  '1e-400',
  '1e999999999',

  'a $ b',
  `${'('.repeat(200)}a`,
  '-'.repeat(500),
  'x'.repeat(3000),
  '\u0000',
  '"',
];

t.test('what is ambiguous or broken is refused', async (t) => {
  for (const text of unreadable)
    t.throws(() => parse(text), { code: 'INVALID_INPUT' }, JSON.stringify(text.slice(0, 20)));
});

t.test('no text makes the reader fail otherwise than by a Refusal', async () => {
  onlyRefuses(readEquation, [
    'x',
    'e',
    'h',
    'nu',
    'sin',
    'atan2',
    '(',
    ')',
    '+',
    '-',
    '^',
    '/',
    ',',
    '2',
    '1e5',
    '=',
    ' ',
    '.',
    'lim',
    '[',
    '{',
    '}',
    '\\frac',
    '\\sqrt',
    '\\nu',
    '_',
    '√',
  ]);
});

t.test(
  'relations, limits, bounds, transfer functions and matrices are no scalars (HON-10 to HON-13)',
  async (t) => {
    const texts = [
      'x < 3',
      'f_s ≥ 2 f_max',
      'a != b',
      'lim x->0 sin(x)/x',
      'x → 0',
      'T(n) = O(n^2)',
      'f ~ g',
      'H(s) = 1/(s + 1)',
      'H(z) = z/(z - a)',
      'G(jω) = 1/(1 + jω)',
      '[1, 2; 3, 4]',
      '{a; b}',
      '\\begin{matrix}',
      'x ± y',
      'f_s \\geq 2 f_{max}',
      'a \\neq b',
      'x \\approx \\frac{a}{b}',
      '\\frac{a}{b} < c',
      '\\lim_{x \\to 0} \\frac{\\sin x}{x}',
      'x \\to \\infty',
      'f \\sim \\frac{1}{n}',
      'T(n) = \\mathcal{O}(n^2)',
      'T_{n} = \\Theta\\left(n^2\\right)',
      'H(s) = \\frac{1}{s + 1}',
      'H\\left(s\\right) = \\frac{1}{s + 1}',
      'G(j\\omega) = \\frac{1}{1 + j\\omega}',
      'H(e^{j\\omega}) = \\frac{a}{b}',
      '\\vec{F} = m \\vec{a}',
      '\\mathbf{A} x',
      'a \\\\ b',
      'x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}',
    ];
    for (const text of texts) t.throws(() => readEquation(text), { code: 'NON_SCALAR_RESULT' }, text);
  },
);

const latexUnsupported = [
  '\\frac{dx}{dt}',
  '\\dfrac{d^{2} v_x}{d t^2} + \\omega',
  '\\frac{\\mathrm{d}x}{\\mathrm{d}t}',
  '\\frac{d}{dt} x',
  '\\frac{\\partial u}{\\partial x}',
  '\\int_0^1 x',
  '\\sum_{i=1}^n x_i',
  "y'' + \\omega^2 y",
];

t.test('derivatives, sums and integrals are not offered', async (t) => {
  for (const text of ['dx/dt = -x', "y'' + y", '∫ x', 'sum(x)', '∂u', ...latexUnsupported])
    t.throws(() => readEquation(text), { code: 'UNSUPPORTED' }, text);
});

t.test('single letters are inputs unless the syntax binds them (HON-06 to HON-08)', async (t) => {
  const cases: [string, string[], string[]][] = [
    ['E = m c^2', ['m', 'c'], []],
    ['e^(-x)', ['x'], []],
    ['e*x', ['e', 'x'], []],
    ['e^x + e', ['x', 'e'], []],
    ['h*nu', ['nu'], ['h']],
    ['E = h c/lambda', ['c', 'lambda'], ['h']],
    ['h f_0', ['f_0'], ['h']],
    ['m*g*h', ['m', 'g', 'h'], []],
    ['h + nu', ['h', 'nu'], []],
    ['h*fluid', ['h', 'fluid'], []],
    ['2*pi*r', ['r'], []],
    ['E = mc^{2}', ['m', 'c'], []],
    ['A e^{-t/\\tau}', ['A', 't', 'tau'], []],
    ['e \\cdot x + \\mathrm{e}^{x}', ['e', 'x'], []],
    ['E = h\\nu', ['nu'], ['h']],
    ['E = \\frac{hc}{\\lambda_0}', ['c', 'lambda_0'], ['h']],
    ['m g h + \\frac{1}{2} \\nu', ['m', 'g', 'h', 'nu'], []],
    [
      '\\frac{d}{d_0} x_{sum} V_{lim}\\;\\Omega(a + b)',
      ['d', 'd_0', 'x_sum', 'V_lim', 'Omega', 'a', 'b'],
      [],
    ],
    ['x(t) = \\frac{a}{2}', ['a'], []],
  ];
  for (const [text, inputs, constants] of cases) {
    const equation = readEquation(text);
    t.same([equation.inputs, equation.constants], [inputs, constants], text);
    t.equal(shown(equation.expression).includes(`${BOUND}h`), constants.length > 0);
  }
  for (const text of ['a + b = c', '\\frac{a}{b} = c', 'x = y = \\frac{a}{b}', '= \\frac{a}{b}'])
    t.throws(() => readEquation(text), { code: 'INVALID_INPUT' }, 'not solved for one name');
  t.match(readEquation('P_{max} = \\frac{a}{2}'), { result: 'P_max', syntax: 'latex', hasEuler: false });
  t.match(readEquation('y = e^x'), { result: 'y', syntax: 'plain', hasEuler: true });
});

const units: Record<string, string> = { m: 'kg', v: 'm/s', t: 's', A: 'V', x: '1', d: 'dB', T: 'K' };
const unitOf = (text: string): string => {
  const derived = derive(parse(text), (name) => (units[name] ? parseUnit(units[name]).dimension : undefined));
  return 'unknown' in derived ? `unknown: ${derived.unknown.join(' ')}` : unitOfDimension(derived.dimension);
};

t.test('units follow from the dimensions of the inputs (HON-04)', async (t) => {
  const cases: [string, string][] = [
    ['m*v^2/2', 'J'],
    ['m*v', 'kg*m/s'],
    ['sqrt(v^2 + 2*v*v)', 'm/s'],
    ['A*exp(-t/t)*cos(x)', 'V'],
    ['v^(1/2)', 'm^(1/2)/s^(1/2)'],
    ['cbrt(m^3)', 'kg'],
    ['x^x', '1'],
    ['atan2(v*t, v*t)', '1'],
    ['max(v, 2*v)/v', '1'],
    ['q*v', 'unknown: q'], // HON-05
    ['v + q', 'unknown: q'],
    ['exp(q)*v', 'm/s'],
    ['q*r', 'unknown: q r'],
  ];
  for (const [text, expected] of cases) t.equal(unitOf(text), expected, text);
});

t.test('sums of unlike quantities and functions of dimensional ones are refused', async (t) => {
  for (const text of [
    'm + v',
    'v - 1',
    'exp(t)',
    'ln(m)',
    'x^t',
    'v^x',
    'v^(1/7)',
    'max(m, t)',
    'sin(v)',
    'atan2(m, t)',
  ]) {
    t.throws(() => unitOf(text), { code: 'INVALID_INPUT' }, text);
  }
});
