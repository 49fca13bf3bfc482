import t from 'tap';
import { solve } from '../../src/solvers/solve.ts';
import { line, mixed, type Name, named, option, packet, plane, string } from './own-formulas.ts';
import { refusalOf, solved } from './solver-test.ts';

// A formula that loses its digits by cancellation loses them in both evaluators, which are in double: what it is worth is
// the width of its enclosure at a point (docs/operators.md, 'Between the points').

/** 1/2 but for a part in 10¹⁵, of which double precision keeps 0.44. */
const HALF = '(sqrt(1 + 1e-15) - 1)/1e-15';

const growth = (equation: string, a: number) => ({ equation, inputs: { t_end: 1, y0: 1, a } });
const relativity = (v: number) => ({
  equation: "x' = c^2*(1/sqrt(1 - v^2/c^2) - 1)",
  inputs: { t_end: 1, x0: 1, c: 299792458, v },
});
const decay = (quantity: string) => ({ equation: "y' = -y", inputs: { t_end: 1, y0: 3 }, quantity });
const rod = { dim: 1, Lx: 1, k: 1, rho: 1, cp: 1, N: 64, t_end: 1, boundary: { type: 'dirichlet', T: 300 } };
const flat = { ...rod, initial: { type: 'uniform', T: 300 } };
const formula = (equation: string) => ({ type: 'formula', equation });

const lost: readonly [Name, string, object][] = [
  ['solve', '1 − cos a of a constant', growth("y' = y*(1 - cos(a))/a^2", 1e-8)],
  ['solve', '√(1 + a) − 1', growth("y' = y*(sqrt(1 + a) - 1)/a", 1e-15)],
  ['solve', 'the same in numerals', growth(`y' = a*y*${HALF}`, 1)],
  ['solve', '1 − cos of the time', growth("y' = y*(1 - cos(a*t))/a^2", 1e-8)],
  ['solve', 'the same over the time', growth("y' = y*(1 - cos(a*t))/(a*t + a)^2", 2e-8)],
  ['solve', 'an energy of motion at 3 m/s', relativity(3)],
  ['solve', 'that at 30 m/s', relativity(30)],
  // y = t/2, of which nothing is left: no size says how much that is.
  [
    'solve',
    'a rate of which nothing is left',
    { equation: "y' = (1 - cos(a))/a^2", inputs: { t_end: 1, y0: 0, a: 1e-8 } },
  ],
  ['solve', 'a quantity', decay('(y + 1e16) - 1e16')],
  ['solve', 'a quantity over a square', decay('(1 - cos(1e-8*y))/(1e-8*y)^2')],
  ['quant', 'a payoff', { ...option, payoff: `S*${HALF}` }],
  ['quant', 'a call', { ...option, payoff: 'max(S + 1e17 - 1e17 - 100, 0)' }],
  ['quant', 'an average', { ...option, fixings: 4, payoff: 'max(A + 1e17 - 1e17 - 100, 0)' }],
  ['heat', 'a source', { ...flat, s: `1000*${HALF}` }],
  ['heat', 'a start', { ...rod, initial: formula(`300 + 1000*sin(pi*x)*${HALF}`) }],
  ['wave', 'a start', { ...string, N: 64, initial: formula(`0.01*sin(pi*x)*${HALF}`) }],
  [
    'wave',
    'a source',
    { ...string, N: 64, initial: formula('sin(pi*x)'), source: formula(`x*${HALF}*exp(-t)`) },
  ],
  ['schrodinger', 'a potential', { ...line, potential: formula(`x^2*${HALF}`) }],
  ['schrodinger', 'a potential in the plane', { ...plane, potential: formula(`(x^2 + y^2)*${HALF}`) }],
  ['schrodinger', 'a potential that a packet meets', { ...packet, potential: formula(`x^2*${HALF}`) }],
  ['react', 'a rate', { ...mixed, reaction: { u: `-(u - 0.2)*${HALF}` } }],
];

for (const [name, title, body] of lost)
  t.test(`${name}: ${title} without its digits is refused (HON-01)`, async (t) => {
    const refusal = await refusalOf(named(name), body);
    t.equal(refusal.code, 'OUTSIDE_TOLERANCE', refusal.message);
    t.match(refusal.details, { gate: /^(between the points|rare paths)$/ });
    t.match(refusal.message, /rounding .* accepted: /);
  });

t.test('solve: what is said to be conserved is none without its digits', async (t) => {
  const spring = { equation: "x'' = -x", inputs: { t_end: 1, x0: 1, x_dot0: 0 } };
  const energy = { ...spring, conserved: 'x_dot^2 + x^2 + 1' };
  const { verdict } = await solved(solve, energy);
  const gate = verdict.gates.find(({ name }) => name === 'conserved')!;
  t.ok(gate.relError < 1e-9, `${gate.relError}`);
  // x²/2, which is not conserved and comes out as 0 everywhere.
  for (const conserved of ['(1 - cos(1e-9*x))/1e-18', '1e-3 + ((x + 1e17) - 1e17)*1e-9'])
    t.match(await refusalOf(solve, { ...spring, conserved }), {
      code: 'OUTSIDE_TOLERANCE',
      details: { gate: 'conserved' },
    });
});

const kept: readonly [Name, string, object, number][] = [
  ['solve', 'a half in full', growth("y' = y*a", 0.5), Math.exp(0.5)],
  [
    'solve',
    '1 − cos a where it has digits',
    growth("y' = y*(1 - cos(a))/a^2", 1e-3),
    Math.exp(0.5 - 1e-6 / 24),
  ],
  [
    'solve',
    'a spring at rest under a weight',
    {
      equation: "x'' = -g + k*x/m",
      inputs: { t_end: 1, x0: 0.0981, x_dot0: 0, g: 9.81, k: 100, m: 1 },
    },
    0.0981,
  ],
  // All along the circle, also where x < 0.
  [
    'solve',
    'an angle',
    {
      equation: "x' = -y; y' = x",
      inputs: { t_end: 3, x0: 1, y0: 0.01 },
      quantity: 'atan2(y, x)',
    },
    3 + Math.atan(0.01),
  ],
  ['quant', 'a payoff', { ...option, payoff: 'S*0.5' }, 50],
  // 300 + A/8
  [
    'heat',
    'a source',
    { ...flat, s: '1000*0.5' },
    300 + 62.5 * (1 - (32 / Math.PI ** 3) * Math.exp(-(Math.PI ** 2))),
  ],
  [
    'wave',
    'a start',
    { ...string, N: 64, initial: formula('0.01*sin(pi*x)') },
    0.01 * Math.cos(0.3 * Math.PI),
  ],
  ['schrodinger', 'a potential', { ...line, potential: formula('x^2*0.5') }, 0.5],
  ['react', 'a rate', { ...mixed, reaction: { u: '-(u - 0.2)/2' } }, 0.2 + 0.4 * Math.exp(-0.5)],
  ['react', 'a rate at rest', { ...mixed, reaction: { u: '0.1 + 0.2 - u/2' } }, 0.6],
];

for (const [name, title, body, expected] of kept)
  t.test(`${name}: ${title} with its digits is held`, async (t) => {
    const { verdict } = await solved(named(name), body);
    t.ok(Math.abs(verdict.value / expected - 1) <= 1e-3, `${verdict.value} beside ${expected}`);
  });
