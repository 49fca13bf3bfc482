import { nearerStrike } from './quant/nearer.ts';
import {
  MOST_POINTS,
  nextOption,
  planOption,
  presentOption,
  quoteOption,
  REPLICATES,
  replicatesOf,
  seedOf,
} from './quant/option.ts';
import { outputs } from './quant/outputs.ts';
import { type QuantInput, schema } from './quant/problem.ts';
import { nextQubit, planQubit, presentQubit, quoteQubit } from './quant/qubit.ts';
import type { Assumption, Example, GateDeclaration, PlanContext, Solver } from './solver.ts';
import { gateBetween, unresolvedDetails } from './unresolved.ts';

const isOption = ({ mode }: QuantInput) => mode === 'option';

function assumed(input: QuantInput, context?: PlanContext): Assumption[] {
  if (!isOption(input)) return assumedOfQubit(input);
  const choices: Assumption[] = [
    { name: 'replicates', value: REPLICATES, because: 'numerical choice: digital shifts of Sobol points' },
    {
      name: 'paths',
      value: REPLICATES * MOST_POINTS,
      because: 'numerical choice: the most before DID_NOT_CONVERGE',
    },
    { name: 'yr', value: 365.25, unit: 'd', because: 'convention' },
  ];
  if (input.q === undefined)
    choices.push({ name: 'q', value: 0, unit: '1/yr', because: 'not in the equation' });
  if (input.seed === undefined) {
    const value = context ? String(seedOf(input, context)) : 'first 8 bytes of requestHash';
    choices.push({ name: 'seed', value, because: 'numerical choice: derived from the request' });
  }
  return choices;
}

function assumedOfQubit({ type }: QuantInput): Assumption[] {
  if (type === 'grover')
    return [
      { name: 'marked', value: '|1…1⟩', because: 'the probability is the same for every marked state' },
    ];
  const frame: Assumption = {
    name: 'frame',
    value: 'that of the drive, rotating wave',
    because: 'definition of Ω and Δ',
  };
  return [{ name: 'initial', value: '|0…0⟩', because: 'convention' }, ...(type === 'rabi' ? [frame] : [])];
}

const market = { S0: 100, K: 100, r: 0.05, sigma: 0.2, T: 1 };
const call = { mode: 'option', right: 'call', ...market };
const examples: Example[] = [
  {
    title: 'European call',
    body: { ...call, type: 'european' },
    expect: { value: 10.4505835721856, unit: 'currency' },
    tolerance: 1e-3,
    source: 'Black–Scholes–Merton formula, 25 digits',
  },
  {
    title: 'down-and-out call',
    body: { ...call, type: 'down-out', T: { value: 12, unit: 'month' }, barrier: 90 },
    expect: { value: 8.66547165824567, unit: 'currency' },
    tolerance: 1e-3,
    source: 'Reiner & Rubinstein’s formula, 25 digits',
  },
  {
    title: 'geometric Asian call',
    body: { ...call, type: 'asian-geometric', fixings: 12, seed: 42 },
    expect: { value: 5.9402002216335, unit: 'currency' },
    tolerance: 1e-3,
    source: 'Kemna & Vorst’s formula for discrete fixings, 25 digits',
  },
  {
    title: 'a call spread as a payoff of its own',
    body: {
      mode: 'option',
      type: 'payoff',
      ...{ S0: 100, r: 0.05, sigma: 0.2, T: 1 },
      payoff: 'max(S - K, 0) - max(S - 1.2*K, 0)',
      parameters: { K: { value: 100, unit: 'currency' } },
    },
    expect: { value: 7.203106155624753, unit: 'currency' },
    tolerance: 1e-3,
    source: 'difference of two Black–Scholes–Merton prices, 25 digits',
  },
  {
    title: 'Rabi flop',
    body: {
      mode: 'qubit',
      type: 'rabi',
      Omega: 6283185.307179586,
      Delta: 3141592.653589793,
      t_max: { value: 0.7, unit: 'us' },
    },
    expect: { value: 0.318580447153438, unit: '1' },
    tolerance: 1e-3,
    source: 'Rabi’s formula, 25 digits',
  },
  {
    title: 'Bell circuit',
    body: {
      mode: 'qubit',
      type: 'circuit',
      n: 2,
      gates: [
        { gate: 'h', targets: [0] },
        { gate: 'x', targets: [1], controls: [0] },
      ],
      outcome: '11',
    },
    expect: { value: 0.5, unit: '1' },
    tolerance: 1e-3,
    source: 'Bell state',
  },
];

const gates: readonly GateDeclaration[] = [
  {
    name: 'price',
    quantity: 'value',
    source: 'closed form; of a payoff of its own in S or G alone, quadrature over its law',
  },
  {
    name: 'price, in standard errors',
    quantity: 'distance of the value, of eight standard errors',
    source: 'closed form',
  },
  { name: 'standard error', quantity: 'four standard errors of the value', source: '32 replicates' },
  { name: 'twin', quantity: 'geometric Asian on the same paths', source: 'Kemna & Vorst’s formula' },
  {
    name: 'twin, in standard errors',
    quantity: 'distance of the geometric Asian on the same paths, of eight standard errors',
    source: 'Kemna & Vorst’s formula',
  },
  {
    name: 'control',
    quantity: 'distance of the discounted S_T, of eight standard errors',
    source: 'S₀ e^{−qT}',
  },
  {
    name: 'parity',
    quantity: 'distance of call − put on the same paths, of eight standard errors',
    source: 'e^{−rT}(E X − K)',
  },
  {
    name: 'delta',
    quantity: 'distance of ∂price/∂S₀, of eight standard errors',
    source: 'difference of the closed form',
  },
  {
    name: 'vega',
    quantity: 'distance of ∂price/∂σ, of eight standard errors',
    source: 'difference of the closed form',
  },
  {
    name: 'distribution',
    quantity: 'distance of the share below the worst edge, of 0.01',
    source: 'log-normal distribution',
  },
  {
    name: 'probability',
    quantity: 'value',
    source: 'closed form; of a circuit, its gates as rotations about axes of Bloch’s sphere',
  },
  { name: 'norm', quantity: 'Σ|c|²', source: 'its value at the start' },
  { name: 'series', quantity: 'probability of the worst row', source: 'closed form' },
  { name: 'outcomes', quantity: '½ Σ|p − p′| over all outcomes', source: 'the second construction' },
  gateBetween('points of the quadrature', 'the price'),
  {
    name: 'rare paths',
    quantity:
      'most that paths too rare to be met make of a payoff of its own, and 100 times what rounding takes from it, over the price, of 0.001 (error 1)',
    source: 'enclosure of the payoff over all prices within so many deviations, by their probability',
  },
];

/**
 * A payoff that may be large where hardly a path comes: whether it is cannot be told from paths. `enough` paths would do (0:
 * no number would), or all that are allowed with such a price.
 */
function rareDetails(error: number, enough: number, price: number): Record<string, unknown> {
  const most = REPLICATES * MOST_POINTS;
  const share = error > 1e9 ? 'more than can be bounded' : `up to ${0.001 * error} of the price`;
  const paths =
    enough > 0 ? `${enough} paths would do, and at most ${most} are taken` : 'no number of paths would do';
  const isNear = enough > 0 && price < 1e100;
  const worth = isNear
    ? `a payoff worth ${Number(price.toPrecision(3))} or more, by its strike or by more time`
    : '';
  const accepts = `${worth || 'a payoff that is not much larger than its price within six deviations'}, or one of S or G alone`;
  return {
    message: `quant: paths that are too rare to be met may make ${share}, above 0.001 (what rounding takes from the payoff counts 100 times); ${paths}; accepted: ${accepts}.`,
    ...{ field: 'payoff', measured: 0.001 * error, bound: 0.001, accepts, pathsMax: most },
    ...(enough > 0 && { pathsNeeded: enough }),
    ...(isNear && { priceNeeded: Number(price.toPrecision(3)) }),
  };
}

/** Of a payoff that grows as a power of S the paths that its price is made of are rarer than any that are drawn. */
const farPaths = {
  field: 'payoff',
  reason: 'few paths, far from the spot, make most of the price',
  paths: REPLICATES * MOST_POINTS,
  accepts: 'a payoff that grows more slowly far from the spot, less volatility or a shorter T',
};

/**
 * Option prices by randomised quasi-Monte Carlo and probabilities of state vectors, both held against closed forms. In:
 * money in one currency, years; rad/s and s; gates. Out: a price with its standard error, or a probability.
 */
export const quant: Solver<QuantInput> = {
  id: 'quant',
  title: 'Options and qubits',
  summary:
    'Prices European, digital, Asian and down-and-out options on exact log-normal paths by Sobol points with 32 digital ' +
    'shifts, and follows Rabi pulses, Grover’s search and circuits of up to 16 qubits as state vectors; both are held ' +
    'against closed forms or a second construction.',
  equation: String.raw`dS=(r-q)S\,dt+\sigma S\,dW,\quad |\psi\rangle=U_m\cdots U_1|0\cdots0\rangle`,
  references: [
    'Glasserman, Monte Carlo Methods in Financial Engineering, §3.1, 4.1, 5.4, 6.4, 7.2 (paths, control, QMC, barrier, derivatives)',
    'Joe & Kuo, SIAM J. Sci. Comput. 30 (2008) 2635 (direction numbers)',
    'Wichura, Appl. Statist. 37 (1988) 477, AS 241 (normal quantile)',
    'Reiner & Rubinstein, Risk 4 (8) (1991) 28 (barrier in closed form)',
    'Kemna & Vorst, J. Bank. Finance 14 (1990) 113 (geometric Asian)',
    'Rabi, Phys. Rev. 51 (1937) 652 (flop)',
    'Boyer, Brassard, Høyer & Tapp, Fortschr. Phys. 46 (1998) 493 (Grover’s probability)',
    'Nielsen & Chuang, Quantum Computation and Quantum Information, §4.2 (gates as rotations)',
  ],
  input: schema,
  gates,
  field: true,
  outputs,
  unit: (input) => (isOption(input) ? 'currency' : '1'),
  assumed,
  quote: (input) => (isOption(input) ? quoteOption(input) : quoteQubit(input)),
  plan: (input, context) => (isOption(input) ? planOption(input, context) : planQubit(input)),
  next: (input, finished, context) =>
    isOption(input) ? nextOption(input, finished, context) : nextQubit(input, finished),
  present: (input, verdict, finished) =>
    (isOption(input) ? presentOption : presentQubit)(input, verdict, finished),
  replicates: (input, finished) =>
    isOption(input) ? replicatesOf(finished[finished.length - 1]!, finished.length - 1) : undefined,
  refusalDetails: (input, status, observed) => {
    const { K } = input;
    const accepts = 'a payoff without what is narrower than a few thousandths of a deviation';
    const unseen = { points: 'points of the quadrature', field: 'payoff', accepts };
    const details = unresolvedDetails('quant', gates, status, observed, unseen);
    if (details) return details;
    if (status === 18 && gates[observed[0]!]?.name === 'rare paths')
      return rareDetails(observed[2]!, observed[4]!, observed[5]!);
    const strike = K === undefined ? undefined : nearerStrike(input);
    const nearer =
      K === undefined ? 'a payoff that is worth more' : (strike ?? 'a strike nearer to the spot');
    if (status === 20)
      return {
        message: 'quant: the price is below 1e-6 of the spot or payout, where no relative bound can be held.',
        field: K === undefined ? 'payoff' : 'K',
        ...(K !== undefined && { K }),
        measured: observed[0],
        bound: 1e-6,
        accepts: nearer,
      };
    if (strike !== undefined && (status === 17 || status === 18)) return { field: 'K', accepts: strike };
    if (input.type === 'payoff' && (status === 17 || status === 18)) return farPaths;
    return status === 17
      ? { paths: REPLICATES * MOST_POINTS, accepts: `${nearer}, less volatility or fewer fixings` }
      : {};
  },
  examples,
};
