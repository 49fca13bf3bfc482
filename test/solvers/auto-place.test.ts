import { readFileSync } from 'node:fs';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import { elsewhere } from '../../src/solvers/auto/elsewhere.ts';
import { Router } from '../../src/solvers/auto/route.ts';
import { heard, targets, understandBy } from '../../src/solvers/auto.ts';
import { solverOf, solvers } from '../../src/solvers/registry.ts';
import { solved } from './solver-test.ts';

// Every word of a question is placed, or the question is refused: what is answered is what was asked.

const router = new Router(targets, elsewhere);
const understand = understandBy({ solverOf, all: () => solvers });
const asked = (query: string) => heard({ query }, router, solverOf).request;

const sir = 'SIR epidemic with beta=0.2 per day, gamma=0.1 per day, N=1000, I0=1, S0=999, over 200 days';
const call = 'Black-Scholes call S=100 K=100 r=5% sigma=20% T=1 year';
const co2 = 'radiative forcing of CO2 from 280 ppm to 560 ppm';
const channel = 'Poiseuille flow in a channel with gap 1 cm';
const grover = 'Grover search on 3 qubits with 2 iterations';

t.test('what is asked is the quantity that is chosen', async (t) => {
  for (const [query, part] of [
    [`${sir}: peak infected`, { quantity: 'peak' }],
    [`${sir}: largest number infected at the peak`, { quantity: 'peak' }],
    [`${sir}: peak infections`, { quantity: 'peak' }],
    [`${sir}: time of the peak`, { quantity: 'peakTime' }],
    [
      'SEIR epidemic, N=1000, S0=989, E0=10, I0=1, beta=0.7/d, sigma=0.3/d, gamma=0.2/d: number of infectious at the peak',
      { quantity: 'peak' },
    ],
    [
      `temperature change by ${co2}, lambda=1.2 W/(m^2 K)`,
      { quantity: 'temperature', lambda: { value: 1.2 } },
    ],
    [co2, { quantity: 'forcing' }],
    [`${grover}: probability of success`, { type: 'grover' }],
    ['SIR epidemic, I0=10 S0=990', { I0: 10, S0: 990 }],
    ['active flow on branch 0, IEEE 14-bus power flow', { quantity: 'flow', branch: 0 }],
  ] as const)
    t.match(asked(query), part, query);
});

t.test('what a word says of something else is not taken', async (t) => {
  const rod = 'heat equation, rod of length 1 m, alpha=1e-4 m2/s, initially at 300 K, after 100 s,';
  const string =
    'wave equation, string of length 1 m, c=10 m/s, fundamental mode of amplitude 1 mm: frequency,';
  const rest = 'r=5% sigma=20% T=1 year';
  for (const query of [
    'number of trivial zeros of zeta below T=50',
    'the first trivial zero of the zeta function',
    `${rod} the end held at 400 K`,
    `${string} with a fixed end`,
    `${string} with a free end`,
    `European call priced at 10: strike 100, ${rest}`,
    `European call S=€80 K=$85 ${rest}`,
    'How many models has the clause (x1 or x3)?',
    'How many models has the clause (x1 or x99999999999)?',
    'maximise x + y subject to 2x <= 3y <= 6, x + y <= 9, x, y >= 0',
    'maximise x + y subject to x <= 3 - y <= 5',
    'SU(2) gauge theory in 4D on an 8x8 lattice, beta=2.3: plaquette',
  ])
    t.throws(() => asked(query), Refusal, query);
  for (const [query, part] of [
    ['number of non-trivial zeros of zeta below T=50', { mode: 'count', T: 50 }],
    [`${rod} the ends held at 400 K`, { boundary: { type: 'dirichlet' } }],
    [`${string} with fixed ends`, { boundary: 'fixed' }],
    [`European call on a share trading at €80, K=€85 ${rest}`, { S0: 80, K: 85 }],
    ['How many models has the clause (x1 or x3)? variables = 3', { variables: 3 }],
    [
      'maximise x + y subject to x >= 0.5, x + y <= 4, y >= 0',
      {
        A: [
          [-1, 0],
          [1, 1],
        ],
        b: [-0.5, 4],
        lower: [null, 0],
      },
    ],
    [
      'A 1 m long guitar string with fixed ends, c=100 m/s, fundamental mode, amplitude 1 mm',
      { Lx: { value: 1 } },
    ],
  ] as const)
    t.match(asked(query), part, query);
});

/** Questions beside one that has an answer, with the words that the refusal names. */
const beside = [
  [`${sir}: infected at the end`, ['infected', 'end']],
  [`${sir}: share of susceptible left`, ['share', 'susceptible', 'left']],
  [`${sir}: peak infected and time of the peak`, ['time of the peak', 'peak infected']],
  [`${channel}: mean velocity`, ['mean']],
  [`${channel}: velocity at the wall`, ['wall']],
  [`${channel}: velocity at a quarter of the gap`, ['quarter', 'gap']],
  ['IEEE 14-bus losses with all loads doubled', ['all', 'loads', 'doubled']],
  ['IEEE 14-bus power flow: reactive power losses', ['reactive']],
  ['IEEE 14-bus power flow: slack reactive power', ['reactive', 'power']],
  ['IEEE 14-bus power flow: slack bus angle', ['slack bus', 'angle']],
  ['IEEE 14-bus power flow: reactive flow on branch 0', ['reactive']],
  ['deep ocean temperature of a two-layer climate', ['deep', 'ocean']],
  ['temperature of the upper layer of a grey atmosphere', ['upper', 'layer']],
  ['Lorenz system at t=20: x coordinate', ['x', 'coordinate']],
  ['Lorenz system: x at the end', ['x', 'end']],
  [`${grover}: probability of failure`, ['probability', 'failure']],
  ['spacing between the first and second zero of zeta', ['spacing', 'first']],
  ['real part of the first zero of zeta', ['real', 'part']],
  ['binding energy per atom of the LJ13 cluster', ['per', 'atom']],
  ['second lowest minimum of the LJ13 cluster', ['second', 'lowest', 'minimum']],
  [`${call}: what is the vega?`, ['vega']],
  [`${call}: delta of the option`, ['delta']],
  ['European put, not a call, S=100 K=100', ['call', 'put']],
  ['lid-driven cavity: velocity at the lid', ['velocity', 'lid']],
  ['kinetic energy of a Taylor-Green vortex', ['kinetic', 'energy']],
  ['maximise the Rosenbrock function', ['maximise']],
] as const;

t.test('another question is refused, and the words that make it another are named', async (t) => {
  for (const [query, words] of beside)
    t.throws(() => asked(query), { code: 'AMBIGUOUS_QUERY', details: { field: 'query', words } }, query);
  t.throws(() => asked('3rd and 4th zero of the zeta function'), { code: 'INVALID_INPUT' });
  t.throws(() => asked(`${channel}: mean velocity`), { message: /It gives u, .*psiMin/ });
});

t.test('an input that the answer does not use is named', async (t) => {
  for (const [query, input] of [
    [`${call}, barrier 90`, 'barrier'],
    [`${call}, 12 fixings`, 'fixings'],
    [`${sir}, sigma=0.3 per day: peak infected`, 'sigma'],
    ['Lorenz fixed points for sigma=10, rho=28, beta=8/3, t=20', 't_max'],
    ['first zero of zeta at height 50', 't'],
    ['effective temperature: solar constant 1361 W/m^2, albedo 0.3, tau=2', 'tau'],
    ['LJ13 cluster with rho=3', 'rho'],
    [
      'lid-driven cavity, uniform lid, U = 1 m/s, Lx = 1 m, Ly = 1 m, nu = 0.01 m^2/s, G = 3 Pa/m: psi_min',
      'G',
    ],
    [
      'action integral of a harmonic oscillator, m = 1 kg, k = 1 N/m, g = 9.81 m/s^2, q0 = 1 m, p0 = 0, dt = 0.01 s, for 10 s',
      'g',
    ],
  ] as const)
    t.throws(() => understand({ query }), { code: 'INVALID_INPUT', details: { field: input } }, query);
  for (const [query, input] of [
    [`${co2}: how much forcing, lambda = 1 W/m^2/K`, 'lambda'],
    ['effective temperature: solar constant 1361 W/m^2, albedo 0.3, C = 1e8 J/m^2/K', 'C'],
  ] as const)
    t.throws(() => asked(query), { code: 'AMBIGUOUS_QUERY', details: { inputs: [input] } }, query);
  t.throws(() => asked('slack power of the IEEE 14-bus network, branch 3'), { code: 'AMBIGUOUS_QUERY' });
  t.throws(() => asked(`${co2}, lambda=1.2 W/(m^2 K)`), {
    code: 'AMBIGUOUS_QUERY',
    details: { inputs: ['lambda'] },
  });
});

const pn = 'Na = 1e16 cm^-3, Nd = 1e17 cm^-3, ni = 1e10 cm^-3, T=300 K, epsR 11.7, p side 3 um, n side 3 um';

t.test('a sign that nothing has read makes another question', async (t) => {
  for (const [query, words] of [
    ['Is ¬(x1 ∨ x2) ∧ x1 satisfiable?', ['¬']],
    ['!(x1 or x2) and x1: satisfiable?', ['!']],
    ['~(x1 | x2) & x1: satisfiable?', ['~']],
    ['-(x1 | x2) & x1: satisfiable?', ['-']],
    ['Is - (x1 | x2) & x1 satisfiable?', ['-']],
    ['¬¬x1 ∧ ¬x1: satisfiable?', ['¬¬']],
    ['Is x1 => x2 satisfiable?', ['x2', '=>']],
    // ∧ binds the more strongly: x1 ∧ x2, or x3.
    ['Is x1 ∧ x2 ∨ x3 satisfiable?', ['x1', 'x2', 'x3', '∧', '∨']],
    ['period of a pendulum, √L = 4, g = 9.81 m/s^2', ['√']],
    ['period of a pendulum, -L = 4 m, g = 9.81 m/s^2', ['-']],
    ['period of a pendulum, length 5", g = 9.81 m/s^2', ['"']],
    ['period² of a pendulum of length 1 m, g = 9.81 m/s^2', ['2', '^']],
    ['√period of a pendulum of length 1 m, g = 9.81 m/s^2', ['√']],
  ] as const)
    t.throws(() => asked(query), { code: 'AMBIGUOUS_QUERY', details: { field: 'query', words } }, query);
  for (const [query, part] of [
    [
      'Is x1 ∨ x2, ¬x1 ∨ x3 satisfiable?',
      {
        clauses: [
          [1, 2],
          [-1, 3],
        ],
      },
    ],
    ['Black & Scholes: call, S=100 K=100 r=5% sigma=20% T=1 year', { right: 'call', S0: 100 }],
    ['“Pendulum” of length 1 m – what’s the period?', { L: { value: 1, unit: 'm' } }],
    ['Pendulum of length L = 1 m, g = 9.81 meters per second squared: period = ?', { g: { unit: 'm/s^2' } }],
    [
      'rod of length L = 1 m, heat conduction until t = 500 s, α = 10⁻⁴ m²/s',
      { Lx: { value: 1 }, alpha: { value: 1e-4 } },
    ],
    [
      'European call, S=100, K=100, risk-free rate 10% per annum, volatility 20% per annum, T=1 year',
      { r: 0.1, sigma: 0.2 },
    ],
  ] as const)
    t.match(asked(query), part, query);
});

t.test('a reverse bias is a negative one, or it is not understood', async (t) => {
  for (const bias of [
    'reverse bias 0.3 V',
    'reverse bias voltage of 300 mV',
    'reverse biased by 0.3 V',
    'with a reverse voltage of 0.3 V',
    'reverse bias V = -0.3 V',
  ])
    t.match(
      understand({ query: `pn junction ${bias}, ${pn}: maximum field` }).input,
      { V: -0.3, quantity: 'Emax' },
      bias,
    );
  for (const bias of ['forward bias 0.3 V', 'forward biased by 0.3 V'])
    t.match(asked(`pn junction ${bias}, ${pn}: maximum field`), { V: { value: 0.3 } }, bias);
  for (const query of [
    `reverse-bias pn junction V = 0.3 V, ${pn}`,
    `pn junction V = 0.3 V in reverse, ${pn}`,
  ])
    t.throws(() => asked(`${query}: maximum field`), { code: 'AMBIGUOUS_QUERY' }, query);
});

// ---- a word put into any question ----------------------------------------------------------------------

const file = new URL('../../../test/fixtures/auto/questions.jsonl', import.meta.url);
const questions = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [route: string, query: string])
  .filter(([route]) => targets.some(({ id }) => id === route))
  .map(([, query]) => query);

const foreign = ['twice', 'doubled', 'wall', 'reactive', 'not', 'second', 'per atom', 'vega'];

/** The question with a word before each of its words that follows a word, where it is a part of neither. */
function* withWord(query: string, word: string): Generator<string> {
  yield `${word} ${query}`;
  for (const { index } of query.matchAll(/(?<!\d ?\p{L}+ )(?<=\b\p{L}{3,} )(?=\p{L}{3,}\b)/gu))
    yield `${query.slice(0, index)}${word} ${query.slice(index)}`;
}

const heardOrRefused = (query: string): unknown => {
  try {
    return asked(query);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
};

/** A word that says what it says there: a literal, a wall that conducts, an ordinal. */
const isSaid = (query: string): boolean =>
  /\bnot x\d|\(not\b|\b(?:of|in|through) (?:an?|the) wall\b|\bsecond (?:non-?trivial |riemann |zeta )*zero\b/i.test(
    query,
  );

t.test('no question with a foreign word is answered as if it were not there', async (t) => {
  let tried = 0;
  const answered: string[] = [];
  for (const query of questions)
    for (const word of foreign)
      for (const put of withWord(query, word)) {
        tried++;
        if (heardOrRefused(put) !== undefined && !isSaid(put)) answered.push(put);
      }
  t.ok(tried > 5000, `${tried} questions`);
  t.same(answered, []);
});

// ---- the numbers ---------------------------------------------------------------------------------------

t.test('the answers are those of the question', async (t) => {
  for (const [query, expected] of [
    // I₀ + S₀ − S + (γN/β) ln(S/S₀) at S = γN/β
    [`${sir}: peak infected`, 153.92666],
    // 5.35 ln 2 / 1.2
    [`temperature change by ${co2}, lambda=1.2 W/(m^2 K)`, 3.09028118],
  ] as const) {
    const { verdict } = await solved(solverOf('auto'), { query });
    const value = verdict.value;
    t.ok(Math.abs(value - expected) < 1e-3, `${query}: ${value}`);
  }
});

const string = 'String fixed at both ends, length 1 m, c = 200 m/s';

t.test('textbook answers come from textbook questions, at points as elsewhere', async (t) => {
  for (const [query, expected] of [
    // Σ 4/((2k+1)π) (−1)^k exp(−(2k+1)²π² αt/L²)
    [
      'A slab of thickness 4 cm, thermal diffusivity 1e-6 m^2/s, initially at 20 degC. Both faces are suddenly brought to 100 degC. Find the temperature at the centre of the slab after 10 minutes.',
      370.63445505,
    ],
    // A sin(πx/L) cos(πct/L)
    [
      `${string}, fundamental mode with amplitude 5 mm: displacement at x = 0.25 m after 3 ms`,
      -1.0925400611e-3,
    ],
    // d'Alembert
    [
      'A guitar string of length 65 cm with wave speed 286 m/s is plucked at 13 cm with an amplitude of 2 mm, both ends fixed: displacement at x = 0.325 m after 1 ms',
      3.75e-4,
    ],
    // (c/2) √(1/Lx² + 1/Ly²)
    [
      'Membrane 2 m by 1 m, c = 50 m/s, clamped edges, lowest mode with amplitude 1 mm, until 0.4 s: frequency',
      27.9508497,
    ],
    // G h²/8μ
    [
      'Pressure drop of 3 Pa/m in a channel of height 1 cm, oil of dynamic viscosity 1.4 Pa s and density 1260 kg/m^3: steady velocity at the centre of the channel',
      2.678571429e-5,
    ],
    // (S(1 − α)/4σ)^¼
    ['Equilibrium temperature of Mars: solar constant 590 W/m^2, albedo 0.25, emissivity 1', 210.1649974],
    // Black–Scholes–Merton
    [
      'A European put on a stock priced at 52 with strike 50, rate 12% a year, volatility 30%, three months to expiry',
      1.5796634372,
    ],
    // mpmath.siegelz(100)
    ['Value of the Riemann-Siegel Z function at t = 100', 2.6926970567],
  ] as const) {
    const { verdict } = await solved(solverOf('auto'), { query });
    const { value } = verdict;
    t.ok(Math.abs(value / expected - 1) < 1e-3, `${query}: ${value}`);
  }
});

const side = (value: number) => ({ value, unit: 'm' });
const plate =
  'heat conduction in a plate, alpha = 0.1 m^2/s, edges held at 20 K, initial temperature 100 K uniform, after 0.1 s';
const junction = 'pn junction with Na = 1e16 cm^-3, Nd = 1e16 cm^-3, T = 300 K, epsR = 11.7: maximum field';

t.test('two sides, a point and a reverse voltage are read as they are commonly written', async (t) => {
  for (const [query, part] of [
    [plate.replace('plate', 'plate 1 m by 2 m'), { Lx: side(1), Ly: side(2) }],
    [plate.replace('plate', 'plate 1 × 2 m'), { Lx: side(1), Ly: side(2) }],
    [plate.replace('plate', 'square plate of side 2 m'), { Lx: side(2), Ly: side(2) }],
    [plate.replace('plate', '2 m square plate'), { Lx: side(2), Ly: side(2) }],
    [`${plate}: u at the point (0.5, 0.25)`, { probe: [0.5, 0.25] }],
    ['rectangular membrane 1 m x 2 m with fixed edges, c = 100 m/s', { Lx: side(1), Ly: side(2) }],
    [
      'rectangular duct 1 cm by 2 cm, pressure gradient 1 Pa/m',
      { Lx: undefined, Ly: { value: 1, unit: 'cm' }, Lz: { value: 2, unit: 'cm' } },
    ],
    [
      'lid-driven square cavity of side 1 m, U = 1 m/s: v at the point (0.5, 0.25)',
      { Lx: side(1), Ly: side(1), quantity: 'v', probe: [0.5, 0.25], U: { value: 1 } },
    ],
    [`${junction}, V = 0.3 V reverse bias`, { V: { value: -0.3, unit: 'V' } }],
    [`${junction}, V = -0.3 V reverse bias`, { V: { value: -0.3, unit: 'V' } }],
    [`${junction}, V = 0.3 V forward bias`, { V: { value: 0.3, unit: 'V' } }],
    [
      'A plate 1 m by 2 m has initial temperature 100 K uniform, all sides at 0 K: temperature at the centre after 2 s',
      { Lx: side(1), probe: undefined, boundary: { T: { value: 0 } }, t_end: { value: 2 } },
    ],
    [
      'lid-driven square cavity of side 1 m, U = 1 m/s: v at the centre',
      { quantity: 'v', probe: undefined, Ly: side(1) },
    ],
    [`${junction}, 300 mV reverse bias`, { V: { value: -300, unit: 'mV' } }],
  ] as const)
    t.match(asked(query), part, query);
  t.throws(() => asked(plate.replace('plate', 'plate 1 m by 2 m by 3 m')), { code: 'INVALID_INPUT' });
});

const box = plate.replace('plate', 'plate 1 m by 2 m');
const cavity = 'lid-driven cavity 1 m by 1 m, U = 1 m/s, nu = 0.01 m^2/s';

t.test('a place is one point, in its own unit, and no side of a box', async (t) => {
  for (const [query, part] of [
    [`${box}: u at the point (10 cm, 25 cm)`, { probe: { value: [10, 25], unit: 'cm' } }],
    [`${box}: temperature at x = 0.1 m, y = 0.25 m`, { probe: { value: [0.1, 0.25], unit: 'm' } }],
    [`${box}: temperature at x = 0.1 m and y = 0.25 m`, { probe: { value: [0.1, 0.25], unit: 'm' } }],
    [`${string}: displacement at x = 0.25 m`, { probe: { value: [0.25], unit: 'm' } }],
    [plate.replace('plate', 'plate of 2 m on each side'), { Lx: side(2), Ly: side(2) }],
    [plate.replace('plate', 'plate 1 m square'), { Lx: side(1), Ly: side(1) }],
    [`Square ${cavity.replace('1 m by 1 m', 'of side 2 m')}`, { Lx: side(2), Ly: side(2) }],
    [`${cavity}: stream function in the middle`, { quantity: 'psi', probe: undefined }],
    [`${cavity}: stream function at the point (0.3, 0.4)`, { quantity: 'psi', probe: [0.3, 0.4] }],
    [`${cavity}: minimum of the stream function`, { quantity: 'psiMin' }],
    [`${cavity}: pressure at (0.3, 0.4)`, { quantity: 'p', probe: [0.3, 0.4] }],
  ] as const)
    t.match(asked(query), part, query);
  for (const [query, code] of [
    [`${box}: temperature at the centre and at the point (0.1, 0.25)`, 'INVALID_INPUT'],
    [`${cavity}: u at the centre and at the point (0.1, 0.25)`, 'INVALID_INPUT'],
    [`${cavity}: velocity at the centre`, 'AMBIGUOUS_QUERY'],
    [box.replace('edges held', 'both sides held'), 'AMBIGUOUS_QUERY'],
    [box.replace('edges held', 'the two sides held'), 'AMBIGUOUS_QUERY'],
    ['string plucked at 13 cm by 2 mm, c = 200 m/s, fixed at both ends: displacement', 'INVALID_INPUT'],
  ] as const)
    t.throws(() => asked(query), { code }, query);
  t.throws(
    () =>
      heard({ query: `${box}: temperature at the centre`, constants: { probe: [0, 0] } }, router, solverOf),
    {
      code: 'INVALID_INPUT',
    },
  );
});
