import t from 'tap';
import { canonicalText } from '../../src/operators/canonical.ts';
import { readEquation } from '../../src/operators/equation.ts';
import { parseLatex } from '../../src/operators/latex.ts';
import { parse } from '../../src/operators/parse.ts';
import { onlyRefuses } from './only-refuses.ts';

const same: readonly (readonly [latex: string, plain: string])[] = [
  ['\\frac{1}{2} m v^2', '0.5*m*v^2'],
  ['mgh', 'm*g*h'],
  ['-x^2', '-(x^2)'],
  ['2\\pi\\sqrt{\\frac{\\ell}{g}}', '2*pi*sqrt(ell/g)'],
  ['\\sqrt[3]{V}', 'cbrt(V)'],
  ['\\sqrt[4]{V}', 'V^(1/4)'],
  ['A\\,e^{-t/\\tau}\\cos(\\omega t)', 'A*exp(-t/tau)*cos(omega*t)'],
  ['\\mathrm{e}^{-x}', 'exp(-x)'],
  ['\\exp\\left(-\\frac{E_a}{RT}\\right)', 'exp(-E_a/(R*T))'],
  ['\\sin^2\\theta + \\cos 2\\theta', 'sin(theta)^2 + cos(2*theta)'],
  ['\\sin\\theta\\cos\\varphi', 'sin(theta)*cos(phi)'],
  ['10\\log_{10}\\frac{P_{\\mathrm{signal}}}{P_\\text{noise}}', '10*log10(P_signal/P_noise)'],
  ['\\ln(1+x)', 'log1p(x)'],
  ['\\arctan\\frac{y}{x}', 'atan(y/x)'],
  ['\\cot x', '1/tan(x)'],
  ['|a-b|', 'abs(a - b)'],
  ['2\\left|\\sin\\left(x\\right)\\right|\\,y', '2*abs(sin(x))*y'],
  ['\\lfloor x/2 \\rfloor', 'floor(x/2)'],
  ['n!', 'gamma(n + 1)'],
  ['\\binom{n}{k}', 'gamma(n+1)/(gamma(k+1)*gamma(n-k+1))'],
  ['\\Gamma(z)', 'gamma(z)'],
  ['(\\gamma - 1) m c^2', '(gamma - 1)*m*c^2'],
  ['\\sin 2\\gamma', 'sin(2*gamma)'],
  ['\\operatorname{arcosh} x', 'acosh(x)'],
  ['\\operatorname{erf}\\left(\\frac{x}{2\\sqrt{Dt}}\\right)', 'erf(x/(2*sqrt(D*t)))'],
  ['\\max(a, b) - \\min(a, b)', 'max(b, a) - min(b, a)'],
  ['k_{s,1}\\,\\Delta T_{max}\\,\\dot m\\,\\bar{x}', 'k_s_1*Delta_T_max*m_dot*x_bar'],
  ["x'\\,c^{\\ast}\\,E^\\circ\\,R_\\infty", 'x_prime*c_star*E_std*R_inf'],
  ['\\mathrm{Re}\\,\\mathrm{Pr}^{1/3}', 'Re*Pr^(1/3)'],
  ['a \\bmod 2\\pi', 'mod(a, 2*pi)'],
  ['\\left(1+\\frac{r}{n}\\right)^{nt}', '(1 + r/n)^(n*t)'],
  ['\\tfrac{4}{3}\\pi r^3', '4*pi*r^3/3'],
  ['\\frac{a}{b} c', 'a*c/b'],
  ['d_0\\,10^{x/5}', 'd_0*10^(x/5)'],
  ['\\frac12 m v^2 + x^\\frac12 + \\cfrac{1}{x}', '0.5*m*v^2 + sqrt(x) + 1/x'],
  ['v^2_0 - v_1^2 + \\Delta T^{2}_{max}', 'v_0^2 - v_1^2 + Delta_T_max^2'],
  ['\\sin 2\\theta\\cos\\theta\\ln x', 'sin(2*theta)*cos(theta)*ln(x)'],
  ['\\sin{x}\\cos{y} + \\ln{x}', 'sin(x)*cos(y) + ln(x)'],
  ['\\sin(k(x-ct))\\,y/2', 'sin(k*(x - c*t))*y/2'],
  ['\\cos\\sqrt{x} + \\sin 2\\mathrm{Re}', 'cos(sqrt(x)) + sin(2*Re)'],
  ['\\frac{π}{2}', 'pi/2'],
];

t.test('LaTeX and plain text are the same tree', async (t) => {
  for (const [latex, plain] of same)
    t.equal(canonicalText(parseLatex(latex)), canonicalText(parse(plain)), latex);
  t.equal(
    canonicalText(parseLatex('e^2 a', new Set(['e', 'a']))),
    canonicalText(parse('e^2*a')),
    'a charge e that is known',
  );
});

/** By hand: the digits written without their spaces. */
const grouped: readonly (readonly [latex: string, plain: string])[] = [
  ['10\\,000 x', '10000*x'],
  ['3\\,000\\,000', '3000000'],
  ['10\\;000', '10000'],
  ['10~000{x}', '10000*x'],
  ['10\\, 000', '10000'],
  ['\\frac{10\\,000}{x}', '10000/x'],
  ['1\\,234.5x', '1234.5*x'],
  ['6.022\\,14\\times10^{23}', '6.02214*10^23'],
  ['6.022\\,140\\,76', '6.02214076'],
  ['1\\,234.567\\,8', '1234.5678'],
  ['x\\,100\\,y', 'x*100*y'],
  ['2\\,x\\,300', '2*x*300'],
];

t.test(
  'digits in groups of three are one number (ISO 80000-1), and no other two numerals a product',
  async (t) => {
    for (const [latex, plain] of grouped)
      t.equal(canonicalText(parseLatex(latex)), canonicalText(parse(plain)), latex);
    for (const text of [
      [
        '2 3',
        '2\\,3',
        '10 000',
        '\\frac{10 000}{x}',
        '2{3}',
        '{2}{3}',
        '{a+2}{{3}}',
        '\\sin 2 3',
        '1\\,0000',
      ],
      ['3\\,000\\,00', '0\\,123', '2.5\\,3', '1.5\\,000', '1234\\,567', '10\\!000', '2\\cdot 3 4'],
    ].flat())
      t.throws(() => parseLatex(text), { message: /beside a number: write a product with \\cdot/ }, text);
    for (const text of [
      'x^2\\,345',
      'x_1\\,234',
      '\\frac1\\,000',
      '\\log_2\\,000',
      '\\mathrm{H2\\,000}',
      '10{,}000',
    ])
      t.throws(() => parseLatex(text), { code: 'INVALID_INPUT' }, text);
  },
);

t.test('a sign in braces beside a factor is a sum to whoever sees it set, and is refused', async (t) => {
  for (const text of ['x{-3}', '2{+y}', '\\frac{a}{b}{-3}', 'x{{-3}}', '\\sin x{-3}', 'a{-b}c'])
    t.throws(() => parseLatex(text), { code: 'INVALID_INPUT', message: /x\{-3\} reads x - 3/ }, text);
  for (const [latex, plain] of [
    ['x^{-3}', 'x^(-3)'],
    ['x \\cdot {-3}', 'x*(-3)'],
    ['x(-3)', 'x*(-3)'],
    ['\\sin{-x}', 'sin(-x)'],
    ['{-3}x', '-3*x'],
  ] as const)
    t.equal(canonicalText(parseLatex(latex)), canonicalText(parse(plain)), latex);
});

t.test('where the argument of a function ends must be seen', async (t) => {
  for (const text of [
    ['A\\sin k(x - ct)', '\\sin 2(x+y)', '\\cos\\omega\\left(t-t_0\\right)', '\\ln x[a+b]'],
    ['\\cos 2\\sqrt{x}', '\\cos\\omega\\sqrt{1-\\zeta^2}\\,t', '\\exp -a\\sqrt{b}'],
    ['\\ln a/b', '\\sin x/2', '\\ln{a}/b', '\\sin{x}y', '\\sin{\\omega} t', '\\exp{a}\\frac{b}{c}'],
    [
      '\\sin x e^{-x}',
      '\\sin 2\\theta\\frac{a}{b}',
      'v\\cos\\theta t',
      'F\\cos\\theta\\,d',
      '\\ln\\lvert x\\rvert\\frac{a}{b}',
    ],
    [
      '\\ln 2\\,T',
      '\\ln 2T',
      '\\ln 2\\pi n',
      '\\ln ab',
      '\\log_{10} x y',
      '\\sin ab',
      '\\exp ab',
      '\\cos 2ab',
      '\\sin a\\gamma_0 b',
      '\\sin x y',
      '\\sin\\omega t x',
      '\\tanh kh g',
    ],
    ['\\sin\\omega\\,t', '\\cos 2~x', '\\sin 2\\quad x', '\\exp -\\beta E', '\\cos i\\,M', 'a\\sin B c'],
    ['\\sin 2\\cdot x', '\\cos\\omega\\cdot t', '\\sin 2\\pi\\times f'],
  ].flat())
    t.throws(() => parseLatex(text), { code: 'INVALID_INPUT', message: /write brackets/ }, text);
  t.throws(
    () => parseLatex('\\ln 2\\,T'),
    {
      message:
        /ln\(2 T …\)" and "\\+ln\(2\) T …" are both readings of it at character 8; write brackets, \\ln\(…\)/,
    },
    'it says both',
  );
  for (const [latex, plain] of [
    ['\\sin\\omega t', 'sin(omega*t)'],
    ['\\sin 2x + \\cos kx', 'sin(2*x) + cos(k*x)'],
    ['\\cos 2\\pi ft', 'cos(2*pi*f*t)'],
    ['\\cos n\\pi x', 'cos(n*pi*x)'],
    ['\\ln 2\\cdot T + \\ln 2\\pi', 'ln(2)*T + ln(2*pi)'],
    ['\\sin ax + \\exp kt + \\cos b\\theta', 'sin(a*x) + exp(k*t) + cos(b*theta)'],
    ['\\tanh kh + \\tan ka', 'tanh(k*h) + tan(k*a)'],
    ['F\\cos\\theta\\cdot d', 'F*cos(theta)*d'],
    ['\\ln x\\,\\sin y', 'ln(x)*sin(y)'],
    ['\\sin(x)\\,y', 'sin(x)*y'],
  ] as const)
    t.equal(canonicalText(parseLatex(latex)), canonicalText(parse(plain)), latex);
  const row = parseLatex('\\omega\\cos\\varphi\\sqrt{h}', new Set(), 'row');
  t.equal(canonicalText(row), canonicalText(parse('omega*cos(phi)*sqrt(h)')), 'a row has its expression');
});

t.test('a mixed number is no product', async (t) => {
  for (const text of ['2\\frac{1}{2}', '1\\tfrac34 x', 'a - 3\\,\\frac{1}{4}'])
    t.throws(() => parseLatex(text), { message: /mixed number/ }, text);
  t.throws(() => parseLatex('n!!!'), { message: /write \(n!\)! for a factorial of a factorial/ });
  t.equal(canonicalText(parseLatex('2\\frac{a}{2} + 2\\cdot\\frac{1}{2}')), canonicalText(parse('a + 1')));
});

t.test('varpi is no pi, and two forms of one letter are not both read as it', async (t) => {
  t.equal(canonicalText(parseLatex('2\\varpi + \\pi')), canonicalText(parse('2*varpi + pi')));
  t.equal(canonicalText(parseLatex('\\varphi^2 + \\varphi')), canonicalText(parse('phi^2 + phi')));
  for (const letter of ['phi', 'epsilon', 'theta', 'rho', 'sigma', 'Gamma'])
    for (const text of [`\\var${letter} - \\${letter}`, `\\${letter}_1 \\sqrt{\\var${letter}}`])
      t.throws(() => parseLatex(text), { code: 'INVALID_INPUT', message: /both stand in it/ }, text);
  t.throws(() => readEquation('\\phi = 2\\varphi'), { message: /both stand in it/ }, 'on both sides of =');
  t.equal(readEquation('\\varphi = 2\\theta').result, 'phi');
});

t.test('a double superscript is refused, and a product after a / as in plain text', async (t) => {
  for (const text of ['2^{3}^{2}', 'x^2^3', '(a+b)^2^n'])
    t.throws(() => parseLatex(text), { message: /a double superscript/ }, text);
  t.equal(canonicalText(parseLatex('{x^2}^3')), canonicalText(parse('(x^2)^3')));
  t.equal(canonicalText(parseLatex('2^{3^2}')), canonicalText(parse('2^(3^2)')));
  for (const text of ['1/2\\pi', 'v^2/2g', 'a/bc', 'a/b c', 'a/b\\cdot c d', 'k/\\hbar\\omega', 'e^{-E/RT}'])
    t.throws(() => parseLatex(text), { message: /after a \/ write the product with/ }, text);
  for (const text of ['1/2 pi', 'v^2/2 g', 'a/b c', 'a/b*c d'])
    t.throws(() => parse(text), { message: /after a \/ write the product with/ }, text);
  t.equal(canonicalText(parseLatex('1/(2\\pi) + a/b\\cdot c')), canonicalText(parse('1/(2*pi) + a/b*c')));
});

t.test('the canonical text tells formulas apart', async (t) => {
  const texts = [
    'a+b',
    'a-b',
    'b-a',
    'a*b',
    'a/b',
    'b/a',
    'a^b',
    'b^a',
    'a^2',
    'sqrt(a)',
    'exp(a)',
    'exp(-a)',
    '2*a',
    'ln(a)',
    'a*b+c',
    'a*(b+c)',
  ];
  t.equal(new Set(texts.map((text) => canonicalText(parse(text)))).size, texts.length);
  t.equal(canonicalText(parse('2*a+2*b')), canonicalText(parse('(b+a)*2')));
  t.equal(canonicalText(parse('a-(b-c)')), canonicalText(parse('c+a-b')));
  t.equal(canonicalText(parse('sqrt(a*b)/sqrt(b)')), canonicalText(parse('sqrt(a)')));
  t.equal(canonicalText(parse('x - x + 1')), '1');
});

const unreadable = [
  '',
  '\\frac{1}',
  '\\frac12x}',
  '\\sqrt',
  'x^',
  'x_',
  'x^23',
  '\\log x',
  '\\sin^{-1} x',
  '\\int x',
  '\\sum_i x_i',
  '\\unknown',
  'a = b',
  '\\begin{matrix}',
  '{',
  '(a',
  '|a',
  '\\operatorname{foo}(x)(',
  '\\min(a)',
  '%',
  '\u0000',
  'x'.repeat(3000),
  '('.repeat(100),
  '\\mathrm{',
  '\\lim_{x\\to 0} x',
];

t.test('what is no formula is refused in a sentence', async (t) => {
  for (const text of unreadable)
    t.throws(() => parseLatex(text), { code: 'INVALID_INPUT' }, JSON.stringify(text.slice(0, 20)));
});

t.test('no text makes the reader fail otherwise than by a Refusal', async () => {
  onlyRefuses(
    (text) => canonicalText(parseLatex(text)),
    [
      'x',
      '\\frac',
      '{',
      '}',
      '^',
      '_',
      '\\sin',
      '(',
      ')',
      '\\left',
      '2',
      '\\Delta',
      '\\mathrm',
      '|',
      '!',
      '\\sqrt',
      '[',
      ']',
      '-',
      '\\operatorname',
      '\\dot',
      "'",
      '\\circ',
      ',',
    ],
  );
});
