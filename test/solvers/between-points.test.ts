import t from 'tap';
import type { Refusal } from '../../src/errors/refusal.ts';
import { line, mixed, type Name, named, option, packet, plane, string } from './own-formulas.ts';
import { refusalOf, solved } from './solver-test.ts';

// A formula of the caller's own is held only where the points at which a solver asks it say all of it
// (docs/operators.md, 'Formulas inside solvers'). test/solvers/refusals has one of each solver's that goes over HTTP.

const rod = { dim: 1, alpha: 1e-4, Lx: 1, N: 64, boundary: { type: 'flux', q: 0 }, t_end: 200 };
const cold = { ...rod, initial: { type: 'uniform', T: 300 } };
const plate = { ...cold, dim: 2, Ly: 1, N: 32 };
const ray = { mode: 'radial', units: 'reduced', mass: 1, domain: [0, 10], N: 512, n: 0, l: 0 };
const shape = (equation: string) => ({ initial: { type: 'formula', equation } });
const force = (equation: string) => ({ source: { type: 'formula', equation } });
const potential = (equation: string) => ({ potential: { type: 'formula', equation } });

const nerveOf = (shift: string) => ({
  equation: [
    "V' = (I - gNa*m^3*h*(V - ENa) - gK*n^4*(V - EK) - gL*(V - EL))/C",
    `m' = 0.1*(V + 40${shift})/(1 - exp(-(V + 40)/10))*(1 - m) - 4*exp(-(V + 65)/18)*m`,
    "h' = 0.07*exp(-(V + 65)/20)*(1 - h) - 1/(1 + exp(-(V + 35)/10))*h",
    "n' = 0.01*(V + 55)/(1 - exp(-(V + 55)/10))*(1 - n) - 0.125*exp(-(V + 65)/80)*n",
  ].join('; '),
  inputs: {
    ...{ t_end: 50, V0: -65, m0: 0.0529, h0: 0.5961, n0: 0.3177, I: 10, C: 1 },
    ...{ gNa: 120, gK: 36, gL: 0.3, ENa: 50, EK: -77, EL: -54.4 },
  },
});
const nerve = nerveOf('');
const orbits = (push: string) => ({
  equation: `x'' = -x/(x^2 + y^2)^1.5${push}; y'' = -y/(x^2 + y^2)^1.5`,
  inputs: { t_end: 200 * Math.PI, x0: 0.7, y0: 0, x_dot0: 0, y_dot0: Math.sqrt(1.3 / 0.7) },
  dt: 0.02,
});

const unseen: readonly [Name, string, object][] = [
  ['heat', 'a start that waves between its nodes', { ...rod, ...shape('100 + 100*cos(128*pi*x)') }],
  ['heat', 'the same by explicit steps', { ...rod, ...shape('100 + 100*cos(128*pi*x)'), scheme: 'explicit' }],
  [
    'heat',
    'a start with a needle in the plane',
    { ...rod, dim: 2, Ly: 1, ...shape('300 + 50*exp(-((x - 0.51)^2 + (y - 0.52)^2)/1e-7)') },
  ],
  ['heat', 'a source between nodes', { ...cold, s: '1000*exp(-((x - 0.3337)/0.0003)^2)' }],
  ['heat', 'one as narrow as a billionth', { ...cold, s: '0.1 + 1e9*exp(-((x - 0.3337)/1e-9)^2)' }],
  ['heat', 'a source between steps', { ...cold, s: '1 + 1000*exp(-((t - 33.3371)/0.003)^2)' }],
  ['heat', 'a source in the plane between steps', { ...plate, s: '1 + 1e4*exp(-((t - 33.33)/0.003)^2)' }],
  [
    'heat',
    'a steady source between nodes',
    {
      ...{ dim: 1, alpha: 1e-4, Lx: 1, N: 64, boundary: { type: 'dirichlet', T: 300 }, steady: true },
      s: '0.01 + 10*exp(-((x - 0.3337)/0.0003)^2)',
    },
  ],
  [
    'solve',
    'a pulse between steps',
    { equation: "y' = 1 + 1000*exp(-((t - 3.3337)/0.0003)^2)", inputs: { t_end: 10, y0: 0 }, dt: 0.1 },
  ],
  [
    'solve',
    'a weak pulse when the motion has died away',
    { equation: "y' = -100*y + 0.05*exp(-((t - 7.0004)/4e-5)^2)", inputs: { t_end: 7.001, y0: 1 } },
  ],
  // y stays at 0.5003; steps of 1/4096 pass over it and gave 1.
  [
    'solve',
    'a value that the motion cannot pass',
    { equation: "y' = 1 - 1.5*exp(-((y - 0.5003)/1e-6)^2)", inputs: { t_end: 1, y0: 0 } },
  ],
  [
    'solve',
    'a thin wall in the way of a spring',
    { equation: "x'' = -x + 1e9*exp(-((x - 0.1234)/1e-7)^2)", inputs: { t_end: 10, x0: 1, x_dot0: 0 } },
  ],
  // The time under another name: y ends at 1 + √π and not at 1.
  [
    'solve',
    'a pulse along a component that runs as the time',
    {
      equation: "s' = 1; y' = 1e9*exp(-((s - 0.50037)/1e-9)^2)",
      quantity: 'y',
      inputs: { t_end: 1, s0: 0, y0: 1 },
    },
  ],
  // 1 + 1000·√π·1e-8/1e-4 = 1.177, where steps gave 1.
  [
    'solve',
    'a pulse within the first steps of a rate that is nearly singular',
    {
      equation: "y' = 1 + b/(1e-12 + t)*exp(-((t - 1e-4)/1e-8)^2)",
      inputs: { t_end: 1, y0: 0, b: 1000 },
    },
  ],
  // e^20 + √π e^(20 (1 − 0.05015)): 65 % more than e^20, from a pulse of a billionth of what y ends with.
  [
    'solve',
    'a pulse before growth',
    { equation: "y' = 10*y + 1e6*exp(-((t - 0.1003)/1e-6)^2)", inputs: { t_end: 2, y0: 1 } },
  ],
  // On the way into a saddle: e^(−6) + sinh(6 (1 − 0.3337))·1e-3√π/6, three times as much.
  [
    'solve',
    'a push off the way into a saddle',
    { equation: "x'' = 36*x + 1e3*exp(-((t - 0.3337)/1e-6)^2)", inputs: { t_end: 1, x0: 1, x_dot0: -6 } },
  ],
  // 1 + 0.004: the rate was 2000 once, of which the pulse is little in the mean over eight steps.
  [
    'solve',
    'a pulse behind a fast start',
    {
      equation: "y' = 2000*exp(-2000*t) + 4000/sqrt(pi)*exp(-((t - 0.7003)/1e-6)^2)",
      inputs: { t_end: 1, y0: 0 },
    },
  ],
  // 0.976: y is held up in the hole by π·7.6e-7/√1e-8, the integral of 1/y′, and steps pass over it.
  [
    'solve',
    'a hole beside the start',
    { equation: "y' = 1 - (1 - 1e-8)*exp(-((y - 3.2e-5)/7.6e-7)^2)", inputs: { t_end: 1, y0: 0 } },
  ],
  // sin(30) is −0.98803; every level sees the ripple at its crests and gave −0.97303.
  [
    'solve',
    'a ripple that is the same at every half step',
    { equation: "y' = cos(t) + 5e-4*cos(2*pi*8192*t/30)", inputs: { t_end: 30, y0: 0 } },
  ],
  // 32 turns, of which 257 samples see eight each: cos(200) is 0.4872, and 3 sin(200 (1 − 0.3337)) more with the push.
  [
    'solve',
    'a push in a motion that is fast for its samples',
    {
      equation: "x'' = -40000*x + 6e8/sqrt(pi)*exp(-((t - 0.3337)/1e-6)^2)",
      inputs: { t_end: 1, x0: 1, x_dot0: 0 },
    },
  ],
  [
    'solve',
    'a thin wall in the way of a fast spring, which turns it back',
    {
      equation: "x'' = -40000*x + 2e11*exp(-((x - 0.1234)/1e-6)^2)",
      inputs: { t_end: 1, x0: 1, x_dot0: 0 },
    },
  ],
  // 256 turns, whose samples are all at x = 1: 0.7908 by RK4 on steps that shrink at the wall, where steps gave 0.9999999.
  [
    'solve',
    'a thin wall that every sample is away from',
    {
      equation: "x'' = -x + 1e6*exp(-((x - 0.1234)/1e-6)^2)",
      inputs: { t_end: 512 * Math.PI, x0: 1, x_dot0: 0 },
      dt: Math.PI / 32,
    },
  ],
  // It stops above the wall, at 0.3564 by LSODA, where steps passed it once and ended at 0.0758.
  [
    'solve',
    'a wall that is met once, where nothing but the next sample remembers it',
    {
      equation: "x' = -2.6561*(x - 0.5*cos(2*pi*t)) + 731.826/(1 + ((x - 0.315941)/6.13883e-6)^2)",
      inputs: { t_end: 256, x0: 1 },
      dt: 0.0078125,
    },
  ],
  // y is e^(5 sin t), 1 at every sample and e^(−5) at the push, which is e^5 times as much at the next: 1.0031.
  [
    'solve',
    'a push that grows before the next sample and shrinks behind it',
    {
      equation: "y' = 5*cos(t)*y + 0.03*exp(-((t - 633.0324)/4e-4)^2)",
      inputs: { t_end: 512 * Math.PI, y0: 1 },
      dt: Math.PI / 128,
    },
  ],
  [
    'quant',
    'a peak where no path came',
    { ...option, payoff: 'max(S - 100, 0) + 1e8*exp(-((S - 250)/0.01)^2)' },
  ],
  ['quant', 'the same with fixings', { ...option, payoff: 'S + 1e8*exp(-((S - 250)/0.01)^2)', fixings: 4 }],
  ['wave', 'a mode of the nodes', { ...string, N: 64, ...shape('0.01*(sin(pi*x) + sin(64*pi*x))') }],
  ['wave', 'a spike', { ...string, ...shape('0.01*sin(pi*x) + 0.1*exp(-((x - 0.3337)/0.00003)^2)') }],
  [
    'wave',
    'a source between steps',
    { ...string, ...shape('sin(pi*x)'), ...force('x*exp(-((t - 0.1501)/2e-5)^2)') },
  ],
  ['solve', 'a nerve with a pole beside a zero', nerveOf(' + 1e-9')],
  ['solve', 'a push of a hundred orbits between two steps', orbits(' + 1e5*exp(-((t - 300.0031)/1e-5)^2)')],
  ['schrodinger', 'a needle', { ...line, ...potential('x^2/2 + 1000*exp(-((x - 0.3337)/0.0002)^2)') }],
  [
    'schrodinger',
    'a needle in the plane',
    { ...plane, ...potential('(x^2 + y^2)/2 + 1000*exp(-((x - 0.33)^2 + (y - 0.1)^2)/1e-5)') },
  ],
  [
    'schrodinger',
    'a wall that a packet meets between nodes',
    { ...packet, ...potential('x^2/50 + 1000*exp(-((x + 0.06)/0.001)^2)') },
  ],
  // A well that holds a level of its own, and a wall, before the first node at r = 10/512
  [
    'schrodinger',
    'a well between the origin and the first node',
    { ...ray, ...potential('r^2/2 - 1e7*exp(-((r - 0.008)/0.001)^2)') },
  ],
  ['schrodinger', 'a wall there', { ...ray, ...potential('r^2/2 + 1e6*exp(-((r - 0.005)/0.002)^2)') }],
  ['react', 'a needle in a rate', { ...mixed, reaction: { u: '-(u - 0.2)/2 + exp(-((u - 0.52)/1e-5)^2)' } }],
];

// Of prices without a law in closed form: what paths never meet is bounded by what the payoff may be there.
for (const [title, payoff] of [
  ['a peak of the average where no path came', 'A + 1e8*exp(-((A - 250)/0.01)^2)'],
  ['a prize behind a barrier that is hardly met', 'max(S - 100, 0)*(1 + 1e7*exp(-((low - 20)/5)^2))'],
  ['a pole, whose mean does not exist,', '100 + 1/(S - A)'],
  ['a jump of the average at six deviations', 'A*(1 + 1e9*floor(A/(A + 230) + 0.5))'],
] as const)
  t.test(`quant: ${title} is refused, and said what to do (HON-01)`, async (t) => {
    const refusal = await refusalOf(named('quant'), { ...option, fixings: 12, payoff });
    t.match(refusal, { code: 'OUTSIDE_TOLERANCE', details: { gate: 'rare paths', field: 'payoff' } });
    t.match(refusal.message, /paths that are too rare to be met may make .* accepted: /);
  });

for (const [name, title, body] of unseen)
  t.test(`${name}: ${title} is refused, and said what to do (HON-01)`, async (t) => {
    const refusal: Refusal = await refusalOf(named(name), body);
    t.equal(refusal.code, 'OUTSIDE_TOLERANCE', refusal.message);
    t.match(refusal.details, { gate: 'between the points', bound: 0.001 });
    t.match(refusal.message, /between .* a formula may hold .* accepted: /);
  });

const erf = (x: number) => 1 - Math.exp(-x * x) / (x * Math.sqrt(Math.PI)); // of 3 and more

const seen: readonly [Name, string, object, number][] = [
  [
    'heat',
    'a wave of 64 cells',
    { ...rod, ...shape('100 + 100*cos(2*pi*x)') },
    100 - 100 * Math.exp(-0.02 * (2 * Math.PI) ** 2),
  ],
  [
    'heat',
    'a pulse of some steps',
    { ...cold, s: '0.1 + 0.1*exp(-((t - 100)/30)^2)' },
    320 + 3 * Math.sqrt(Math.PI) * erf(10 / 3),
  ],
  ['heat', 'a kink', { ...rod, N: 256, t_end: 1e5, ...shape('300 + 50*max(0, 1 - abs(x - 0.5)/0.2)') }, 310],
  [
    'solve',
    'a pulse of three steps',
    { equation: "y' = 1 + 1000*exp(-((t - 3.3337)/0.3)^2)", inputs: { t_end: 10, y0: 0 }, dt: 0.1 },
    10 + 300 * Math.sqrt(Math.PI),
  ],
  [
    'solve',
    'many turns of a force',
    { equation: "y' = v; v' = -y + sin(30*t)", inputs: { t_end: 50, y0: 0, v0: 1 } },
    Math.sin(50) + (30 * Math.sin(50) - Math.sin(1500)) / 899,
  ],
  [
    'solve',
    'a tank that runs empty',
    { equation: "h' = -0.1*sqrt(h)", inputs: { t_end: 19, h0: 1 } },
    0.05 ** 2,
  ],
  [
    'solve',
    'a kink that the motion passes',
    { equation: "v' = 9.8 - 0.1*abs(v)*v", inputs: { t_end: 3, v0: 0 } },
    Math.sqrt(98) * Math.tanh(3 * Math.sqrt(0.98)),
  ],
  // Half an orbit of e = 0.6 from its far point, whose period is 2π(1/1.6)^1.5
  [
    'solve',
    'a planet at its near point',
    {
      equation: "x'' = -x/(x^2 + y^2)^1.5; y'' = -y/(x^2 + y^2)^1.5",
      inputs: { t_end: Math.PI * 0.625 ** 1.5, x0: 1, y0: 0, x_dot0: 0, y_dot0: Math.sqrt(0.4) },
    },
    -0.25,
  ],
  // θ = sin(ξ)/ξ of n = 1, and J₀(10): Abramowitz & Stegun, table 9.1
  [
    'solve',
    'a star that begins with 2/0',
    { equation: "y'' = -2/max(t, 1e-12)*y' - y", inputs: { t_end: 3, y0: 1, y_dot0: 0 } },
    Math.sin(3) / 3,
  ],
  [
    'solve',
    "Bessel's equation from its singular point on",
    { equation: "y'' = -y'/(t + 1e-10) - y", inputs: { t_end: 10, y0: 1, y_dot0: 0 } },
    -0.2459357645,
  ],
  [
    'solve',
    'ten orbits',
    {
      equation: "x'' = -x/(x^2 + y^2)^1.5; y'' = -y/(x^2 + y^2)^1.5",
      inputs: { t_end: 63, x0: 1, y0: 0, x_dot0: 0, y_dot0: 1 },
    },
    Math.cos(63),
  ],
  ['solve', 'a hundred orbits', orbits(''), 0.7],
  // Hodgkin & Huxley, J. Physiol. 117 (1952) 500, with rates that are 0/0 at −40 and −55 mV: DOP853 of SciPy, rtol 1e-13
  ['solve', 'a nerve that fires', nerve, -73.7814823558],
  ['solve', 'sixty turns', { equation: "x'' = -x", inputs: { t_end: 380, x0: 1, x_dot0: 0 } }, Math.cos(380)],
  [
    'solve',
    'turns that end where samples stand',
    { equation: "x'' = -x", inputs: { t_end: 512 * Math.PI, x0: 1, x_dot0: 0 }, dt: Math.PI / 32 },
    1,
  ],
  [
    'solve',
    'a growth that ends where samples stand',
    { equation: "y' = 5*cos(t)*y", inputs: { t_end: 512 * Math.PI, y0: 1 }, dt: Math.PI / 128 },
    1,
  ],
  ['quant', 'a call', { ...option, payoff: 'max(S - 100, 0)' }, 10.450583572185565],
  ['quant', 'an asset or nothing', { ...option, payoff: 'S*floor(S/(S + 100) + 0.5)' }, 63.68306511756191],
  [
    'quant',
    'a call on the geometric mean',
    { ...option, payoff: 'max(G - 100, 0)', fixings: 12 },
    5.9402002216335,
  ],
  [
    'quant',
    'an average, whose mean is that of twelve forwards',
    { ...option, payoff: 'A', fixings: 12 },
    (100 * Math.exp(-0.05) * Math.expm1(0.05) * Math.exp(0.05 / 12)) / (12 * Math.expm1(0.05 / 12)),
  ],
  ['wave', 'a mode', { ...string, N: 64, ...shape('0.01*sin(pi*x)') }, 0.01 * Math.cos(0.3 * Math.PI)],
  ['wave', 'a plucked string', { ...string, ...shape('0.01*min(x/0.3, (1 - x)/0.7)') }, 0.01 / 2.1],
  // −a′₁/2^⅓, a′₁ the first zero of Ai′: Abramowitz & Stegun, table 10.13
  ['schrodinger', 'a kink', { ...line, ...potential('abs(x)') }, 1.01879297 / 2 ** (1 / 3)],
  ['schrodinger', 'an oscillator on a ray', { ...ray, ...potential('r^2/2') }, 1.5],
  [
    'schrodinger',
    'a needle outside of ψ',
    { ...line, ...potential('x^2/2 + 10*exp(-((x - 7.9)/0.0002)^2)') },
    0.5,
  ],
  ['react', 'a straight rate', { ...mixed, reaction: { u: '-(u - 0.2)/2' } }, 0.2 + 0.4 * Math.exp(-0.5)],
];

for (const [name, title, body, expected] of seen)
  t.test(`${name}: ${title} is held`, async (t) => {
    const { verdict } = await solved(named(name), body);
    t.ok(Math.abs(verdict.value / expected - 1) <= 1e-3, `${verdict.value} beside ${expected}`);
    const row = verdict.gates.find((gate) => gate.name === 'between the points');
    t.ok(!row || row.relError <= 1, `${row?.relError} of what is allowed`);
  });
