import t from 'tap';
import { derive } from '../../src/operators/dimensions.ts';
import { BOUND, readEquation } from '../../src/operators/equation.ts';
import { parse } from '../../src/operators/parse.ts';
import { plainText } from '../../src/operators/plain-text.ts';
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
  ['2π r ÷ a – b ∙ c • d', '((((2*pi)*r)/a)-((b*c)*d))'],
  ['πr² + 2πfL ∕ a ∗ b', '((pi*(r^2))+((((2*pi)*fL)/a)*b))'],
  ['π_1*π', '(π_1*pi)'],
  ['½ m v² + a^¼', '((((1/2)*m)*(v^2))+(a^(1/4)))'],
  ['√x + 2√(a + b) c/√(d) - ∛8', '((sqrt(x)+(((2*sqrt((a+b)))*c)/sqrt(d)))-cbrt(8))'],
  ['|a - |b|| - |c|^2', '(abs((a-abs(b)))-(abs(c)^2))'],
  ['-2n!^2/k!', '(((-2)*(gamma((n+1))^2))/gamma((k+1)))'],
  ['sin²(x) + cos^2(x) y', '((sin(x)^2)+((cos(x)^2)*y))'],
  ['arcsin(a) - arctan(b) + arcosh(c)', '((asin(a)-atan(b))+acosh(c))'],
  ['cot(x) + sec²(x)', '((1/tan(x))+((1/cos(x))^2))'],
  ['log_10(x) - log_2(y) + lg(z)', '((log10(x)-log2(y))+log10(z))'],
  ['sgn(x) + sign(-x)', '(sign(x)+sign((-x)))'],
  ['min(a, b, c) - ceil(x)', '(min(min(a,b),c)-(-floor((-x))))'],
  ['gamma^2 (x + 1)', '((gamma^2)*(x+1))'],
  ['A cos phi + (1 - sin x)*|tan 2|', '((A*cos(phi))+((1-sin(x))*abs(tan(2))))'],
  ['sin 2x + cos 2πft - ln 2pi', '((sin((2*x))+cos(((2*pi)*ft)))-ln((2*pi)))'],
  ['2 sin x cos y', '((2*sin(x))*cos(y))'],
  ['sin²x + cos^2 x', '((sin(x)^2)+(cos(x)^2))'],
  ['arcsin x - sec y + sec', '((asin(x)-(1/cos(y)))+sec)'],
  ['(n!)!', 'gamma((gamma((n+1))+1))'],
];

t.test('precedence and implicit products', async (t) => {
  for (const [text, expected] of readings) t.equal(shown(parse(text)), expected, text);
});

const unreadable = [
  '',
  ' ',
  '2 3',
  '1/2x',
  '√2x',
  '2π√L/g',
  '√2·g·h',
  '√x^2',
  '√x!',
  'sqrt 2x',
  'sqrt L/g',
  'cbrt x^2',
  '2½ x',
  '|a|b|',
  '2|a|',
  'sin^-1(x)',
  'sin x y',
  'sin 2 x',
  'sin 2 3',
  'n!!!',
  'log x',
  'arcsin x y',
  'sin x*y',
  'sin x/2',
  'ln x^2',
  'exp x!',
  'sin cos x',
  'cos -x',
  'min x',
  'ceil(1, 2)',
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
  '1_000*x',
  'x^2_1',
  'valueOf(x)',
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

/** What is read in a pattern as it stands. */
const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

t.test('what may belong to a function without brackets or not is refused with both readings', async (t) => {
  for (const [text, inside, outside] of [
    ['ln x^2', 'ln(x^2)', '(ln(x))^2'],
    ['a + sin x*y - b', 'sin(x*y)', 'sin(x)*y'],
    ['sin x/2', 'sin(x/2)', 'sin(x)/2'],
    ['cos 2 x', 'cos(2*x)', 'cos(2)*x'],
    ['sin 2(x + 1)*z', 'sin(2*(x + 1)*z)', 'sin(2)*(x + 1)*z'],
    ['sin² x y', 'sin²(x*y)', 'sin²(x)*y'],
    ['exp x!', 'exp(x!)', 'exp(x)!'],
  ] as const) {
    t.throws(
      () => parse(text),
      { message: new RegExp(`: ${literally(inside)} and ${literally(outside)} are both`, 'u') },
      text,
    );
    for (const reading of [inside, outside]) t.doesNotThrow(() => parse(reading), reading);
  }
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

t.test('a raised digit is a power, and no part of a name', async (t) => {
  for (const [raised, plain] of [
    ['x²', 'x^2'],
    ['-x²', '-x^2'],
    ['2x³', '2*x^3'],
    ['m·s⁻²', 'm*s^(-2)'],
    ['(a + b)¹⁰', '(a + b)^10'],
    ['a_1² + b₁²', 'a_1^2 + b₁^2'],
  ] as const)
    t.equal(plainText(parse(raised)), plainText(parse(plain)), raised);
  for (const text of ['²x', 'sin²', 'x^²', 'x⁻', 'x² = y'])
    t.throws(() => readEquation(text), { code: 'INVALID_INPUT' }, text);
  t.same(readEquation('y = x²y').inputs, ['x', 'y']);
});

t.test('a bracket with commas is a state vector only without a function before it', async (t) => {
  for (const text of ['max(x, y)', 'y = atan2(x, z)', 'f(x, y) = x*y', '(min(x, y))', '2*(max(x, y))'])
    t.doesNotThrow(() => readEquation(text), text);
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
      'lim_{x -> 0} x',
      '\\lim_{x \\to 0}',
      '\\lim\\limits_{n \\rightarrow \\infty} \\frac{1}{n}',
      'f = x + O(x^3)',
      'f = x + O\\left(x^{3}\\right)',
      'f = x + O\\bigl(x^{3}\\bigr)',
      'f = x + o\\left(x\\right)',
      'f = x + \\mathcal{O}\\left(x^3\\right)',
      'f = x + \\mathcal O(x^3)',
      'f = x + \\mathrm{O}(x^3)',
      'Θ(n log10(n))',
      '\\Theta(n)',
      'n + \\Omega\\left(n \\log_2 n\\right)',
      'T = \\Theta(2n + 1)',
      'G(jw)=1/(1+jw)',
      'G(j*w) = 1/(1 + j*w)',
      'H(jΩ) = 1/2',
      'H(i*2*pi*f) = 1/2',
      'H(z^-1) = 1/(1 - a)',
      'H(e^(jw)) = 1/2',
      'G(jw) = \\frac{1}{1 + jw}',
      'G(\\mathrm{j}\\omega) = \\frac{1}{2}',
      'G(i 2\\pi f) = \\frac{1}{2}',
      'H(z^{-1}) = \\frac{1}{1 - a}',
      'Y(s)/X(s) = 1/(s + 1)',
      '\\frac{Y(s)}{X(s)} = \\frac{1}{s + 1}',
      '(x, y)',
      'r = (x, y, z)',
      'r(t) = (x, y)',
      '{x, y}',
      '\\{x, y\\}',
      '|ψ⟩',
      '\\ket{\\psi}',
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
  for (const text of [
    'd/dx x',
    'd^2y/dx^2',
    'd2y/dt2 + y',
    'dT_1/dt',
    'dφ/dt',
    'a*dtheta/dt',
    'dp / d x',
    'drho/dt',
    'dx1/dt',
  ])
    t.throws(() => readEquation(text), { code: 'UNSUPPORTED' }, text);
  for (const text of ['distance/duration', 'density/diameter', 'd/delta', 'd/d_0', 'x*dose/depth'])
    t.equal(readEquation(text).inputs.length, text.startsWith('x') ? 3 : 2, `${text} is a quotient`);
});

t.test('transfer functions go by s, z or jω, in plain text as in LaTeX (HON-12)', async (t) => {
  for (const text of [
    ['T(s) = 1/(tau*s + 1)', 'Z(s) = R + 1/(s*C)', 'G_c(s) = K_p + K_i/s', 'Vout(s) = V*s', 'H1(s) := 1/s'],
    ['V_out(s)/V_in(s) = 1/(1 + R*C*s)', 'Y(z) / X(z) = 1 - z^-1', 'Y/X(s) = 1/2', 'P(s) = exp(-s*T)/s'],
    ['H(z) = 1/(1 - a*z^-1)', 'H_d(z) = (z + 1)/(z^2 - a*z + b)', 'H(e^(jωT)) = 1/2', 'H(jomega) = 1/2'],
    [
      'T(s) = \\frac{1}{\\tau s + 1}',
      'Z_{in}(s) = R + \\frac{1}{sC}',
      'G_{c}\\left(s\\right) = \\frac{K}{s}',
    ],
    [
      '\\frac{V_{out}(s)}{V_{in}(s)} = \\frac{1}{2}',
      '\\dfrac{Y(z)}{X(z)} = 1 - z^{-1}',
      '\\frac{Y}{X}(s) = \\frac12',
    ],
    [
      'H(z) = \\frac{1}{1 - a z^{-1}}',
      'H(\\mathrm{e}^{\\mathrm{j}\\omega T}) = \\frac12',
      'G(i2\\pi f) = \\frac12',
    ],
  ].flat())
    t.throws(() => readEquation(text), { code: 'NON_SCALAR_RESULT', message: /transfer function/ }, text);
  for (const text of [
    [
      'B(z) = \\frac{\\mu I R^2}{2(R^2 + z^2)^{3/2}}',
      'w(z) = w_0\\sqrt{1 + (z/z_R)^2}',
      'T(z) = T_0 - \\Gamma z',
    ],
    ['T(s) = 2*pi*sqrt(l/g)', 'F(N) = m*a', 'H(z) = H_0*sqrt(O_m*(1 + z)^3 + O_L)', 'U(z) = u/k*ln(z/z_0)'],
    ['x(s) = a*s', 'E(z) = \\sqrt{\\Omega_m (1+z)^3 + \\Omega_L}', 'P(z) = p_0*exp(-z/H)', 'H = 1/(s + 1)'],
  ].flat())
    t.doesNotThrow(() => readEquation(text), text);
});

t.test('what goes by a height or along a way is a formula, and a causal system none', async (t) => {
  for (const [text, result] of [
    ['U(z) = m*g*z', 'U'],
    ['F(z) = -k*z + k_3*z^3', 'F'],
    ['W(s) = 1/2*k*s^2', 'W'],
    ['B(s) = mu_0*I/(2*pi*s)', 'B'],
    ['B(s)=\\frac{\\mu_0 I}{2\\pi s}', 'B'],
    ['U(z) = \\frac{1}{2} k z^2', 'U'],
    ['EOQ = \\sqrt{\\frac{2DS}{H}}', 'EOQ'],
    ['BMI = \\frac{m}{h^2}', 'BMI'],
  ])
    t.equal(readEquation(text!).result, result, text);
  for (const text of [
    ...['U(s) = 1/s', 'U(z) = z/(z - 1)', 'F(s) = 1/s^2', 'B(s) = 1/(s + 1)', 'E(s) = K/s', 'Z(s) = R + s*L'],
    ...['X(z) = z*A', 'Y(s) = K*s', 'G(s) = s + a', 'H(z) = 1 + z', 'U(z) = 1 + z^-1', 'F(s) = exp(-s*T)*s'],
    ...['C(s) = K_p + K_d*s', 'U(z) = z*X(z)', 'U(s) = K_p*E(s)'],
  ])
    t.throws(
      () => readEquation(text),
      {
        code: 'NON_SCALAR_RESULT',
        message: /a transfer function; accepted: .*its name without \(s\) or \(z\)/,
      },
      text,
    );
});

t.test('a primed name on the left is one where its formula has all its letters', async (t) => {
  const given = new Map(['f', 'v', 'v_o', 'v_s', 'c'].map((letter) => [letter, undefined]));
  for (const text of [
    "f' = f*(v + v_o)/(v - v_s)",
    'f′ = f*sqrt((c + v)/(c - v))',
    "f' = f\\frac{v + v_o}{v - v_s}",
    'f^{\\prime} = f\\frac{v + v_o}{v - v_s}',
    "$f' = f\\frac{c}{c - v}$",
  ])
    t.equal(readEquation(text, given).result, 'f_prime', text);
  t.equal(readEquation("\\lambda' = \\frac{c}{f}", given).result, 'lambda_prime');
  for (const text of ["y' = -k*y", "f' = k*f", "f'' = f", "f'(v) = f", "f' = f'*c", "f = v'", "f' = c*df/dv"])
    t.throws(() => readEquation(text, given), { code: 'UNSUPPORTED' }, text);
});

t.test('an s in metres is no variable of a transform', async (t) => {
  const given = (unit: string) => new Map([['s', unit]]);
  t.equal(readEquation('E(s) = k/s', given('mm')).result, 'E');
  for (const unit of ['1/s', 'rad/s', 'no unit'])
    t.throws(() => readEquation('E(s) = k/s', given(unit)), { code: 'NON_SCALAR_RESULT' }, unit);
  t.throws(() => readEquation('H(z) = 1/z', new Map([['z', undefined]])), { code: 'NON_SCALAR_RESULT' });
  t.throws(() => readEquation('H(z) = 1/z', new Map([['z', '1']])), { code: 'NON_SCALAR_RESULT' });
});

t.test('signs around a formula of LaTeX are none of it', async (t) => {
  for (const text of [
    '$\\frac{a}{b}$',
    '$$\\frac{a}{b}$$',
    '\\(\\frac ab\\)',
    ' \\[ y = \\frac{a}{b} \\] ',
    '$ab^{-1}$',
  ])
    t.match(readEquation(text), { syntax: 'latex', inputs: ['a', 'b'] }, text);
  t.throws(() => readEquation('$a$ and $b$'), { code: 'INVALID_INPUT' });
});

t.test('gamma(x) is a product or Γ(x) where gamma is a letter too', async (t) => {
  const given = new Map([['gamma', undefined]]);
  t.throws(() => readEquation('sqrt(gamma (p/rho))', given), { message: /gamma\*\(…\) for a product/ });
  t.throws(() => readEquation('(gamma - 1)*gamma (p)'), { message: /gamma\*\(…\) for a product/ });
  t.same(readEquation('gamma (p)').inputs, ['p']);
  t.same(readEquation('\\sqrt{\\gamma (p/\\rho)}', given).inputs, ['gamma', 'p', 'rho'], 'γ is not Γ');
});

t.test('a height is no variable of a transform, and an e that is given is not Euler’s', async (t) => {
  for (const text of ['w(z) = w0*sqrt(1 + (z/zR)^2)', 'B(z) = b/(R^2 + z^2)^(3/2)', 'p(z) = p0*exp(-z/H)'])
    t.ok(readEquation(text).inputs.includes('z'), text);
  const given = new Map([['e', undefined]]);
  t.match(readEquation('b = a*sqrt(1 - e^2)', given), { inputs: ['a', 'e'], hasEuler: false });
  t.match(readEquation('r = \\frac{a(1-e^2)}{1+e\\cos\\nu}'), { inputs: ['a', 'e', 'nu'], hasEuler: false });
});

t.test('a chemist’s brackets and standard values are no products and powers', async (t) => {
  for (const [text, said] of [
    ['K = \\frac{[A][B]}{[AB]}', /concentration of AB or a product: write \\+mathrm\{AB\}/],
    ['E = E^0 - a', /standard value of E; accepted: .*E_0/],
    ['E = E^{0} - \\frac{a}{b}', /standard value of E; accepted: .*E_0/],
    ['cos(360*n/365)', /360°/],
    ['\\sin\\left[\\frac{360}{365}(284+n)\\right]', /360°/],
    ['cos(90 - phi)', /360°/],
    ['tan(x/180)', /360°/],
    ['Reh = \\sqrt{\\frac{2DS}{H}}', /\\mathrm\{Reh\}/],
  ] as const)
    t.throws(() => readEquation(text), { code: 'INVALID_INPUT', message: said }, text);
  t.same(readEquation('\\frac{[A][B]}{K+[S]}').inputs, ['A', 'B', 'K', 'S']);
});

t.test('degrees behind a number, marks over a letter and a difference that is named', async (t) => {
  for (const [text, expected] of [
    ['sin(30°)', 'sin(30*(pi/180))'],
    ['tan(45° - phi/2)^2', 'tan(45*(pi/180) - phi/2)^2'],
    ['\\sin 30^\\circ', 'sin(30*(pi/180))'],
    ['\\tan^2\\left(45^{\\circ}-\\frac{\\phi}{2}\\right)', 'tan(45*(pi/180) - phi/2)^2'],
    ['\\cos 23.45°', 'cos(23.45*(pi/180))'],
    ['sin(360°*n/365)', 'sin(360*(pi/180)*n/365)'],
    ['sin(180*t)', 'sin(180*t)'],
    ['k[A]^2[B]_0', 'k*A^2*B_0'],
    ['V_max [S]/(K_m + [S])', 'V_max*S/(K_m + S)'],
    ['z = (x̄ − μ)/(σ/√n)', '(x̄ - μ)/(σ/sqrt(n))'],
    ['ΔG° = -RT ln K', '-RT*ln(K)'],
    ['(dT1 - dT2)/ln(dT1/dT2)', '(dT1 - dT2)/ln(dT1/dT2)'],
  ] as const)
    t.equal(plainText(readEquation(text).expression), expected, text);
  for (const text of ['25°C', 'a°', '30°30', 'dy/dx', 'dy/dx + dx'])
    t.throws(() => readEquation(text), { code: /INVALID_INPUT|UNSUPPORTED/ }, text);
});

t.test('a function on the left is an equation to solve, not a name', async (t) => {
  for (const text of [
    'sin(x) = 0.5',
    'ln(x) = a*b',
    'sqrt(x) = 3',
    'ceil(x) = 3',
    'arcsin(x) = a',
    'sec(x) = 2',
  ])
    t.throws(() => readEquation(text), { message: /not solved for one name/ }, text);
  t.equal(readEquation('gamma(v) = 1/sqrt(1 - v^2/c^2)').result, 'gamma');
});

t.test('single letters are inputs unless the syntax binds them (HON-06 to HON-08)', async (t) => {
  const cases: [string, string[], string[]][] = [
    ['E = m c^2', ['m', 'c'], []],
    ['e^(-x)', ['x'], []],
    ['e*x', ['e', 'x'], []],
    ['e^x + e', ['e', 'x'], []], // nor which e
    ['e^2/(1 + e)', ['e'], []],
    ['h*nu', ['nu'], ['h']],
    ['E = h c/lambda', ['c', 'lambda'], ['h']],
    ['h f_0', ['f_0'], ['h']],
    ['m*g*h', ['m', 'g', 'h'], []],
    ['h + nu', ['h', 'nu'], []],
    ['m*g*h + h*nu', ['m', 'g', 'h', 'nu'], []], // nobody says which h is which
    ['h*nu/(exp(h*nu/(k*T)) - 1)', ['nu', 'k', 'T'], ['h']],
    ['h*nu - h*(c/lambda)^2', ['nu', 'c', 'lambda'], ['h']],
    ['h*(nu - nu_0)', ['h', 'nu', 'nu_0'], []],
    ['π*r^2', ['r'], []],
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
    ['O*(x + 1)', ['O', 'x'], []],
    ['g(w) = w/2', ['w'], []],
    ['M_O\\,(a + b)', ['M_O', 'a', 'b'], []],
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

t.test(
  'h is Planck’s constant by evidence: not where its neighbour is no wave, or it is given',
  async (t) => {
    const cases: [string, Record<string, string | undefined>, boolean][] = [
      ['h*f', {}, true],
      ['h*f', { f: undefined }, true],
      ['h*f', { f: 'THz' }, true],
      ['h*f', { f: '1/s' }, true],
      ['h*c/lambda', { lambda: 'nm', c: 'm/s' }, true],
      ['h*f', { f: 'm' }, false],
      ['h*f', { f: 'rad/s' }, false],
      ['h*f', { f: 'Bq' }, false],
      ['h*nu', { nu: 'm^2/s' }, false],
      ['h*c/lambda', { lambda: 'W/(m*K)' }, false],
      ['h*f', { f: 'THz', h: 'm' }, false],
      ['h*f/f_2', { f: 'm', f_2: 'Hz' }, true],
      ['h\\nu', { nu: 'm^2/s' }, false],
    ];
    for (const [text, units, isPlanck] of cases) {
      const { constants, inputs } = readEquation(text, new Map(Object.entries(units)));
      t.same(
        [constants, inputs.includes('h')],
        isPlanck ? [['h'], false] : [[], true],
        JSON.stringify([text, units]),
      );
    }
  },
);

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
    'cbrt(cbrt(m))',
    'sqrt(sqrt(sqrt(v)))',
  ]) {
    t.throws(() => unitOf(text), { code: 'INVALID_INPUT' }, text);
  }
  t.throws(() => unitOf('cbrt(cbrt(m))'), { message: /^cbrt takes a root of a quantity in kg\^\(1\/3\)/ });
});
