import { type Refused, testRefusals } from './refusals.ts';

const call = { mode: 'option', type: 'european', right: 'call', S0: 100, K: 100, r: 0.05, sigma: 0.2, T: 1 };
const { K: _, ...withoutK } = call;
const { mode: __, ...withoutMode } = call;
const barrier = { ...call, type: 'down-out', barrier: 90 };
const bell = {
  mode: 'qubit',
  type: 'circuit',
  n: 2,
  gates: [{ gate: 'h', targets: [0] }] as object[],
  outcome: '11',
};
const withGate = (gate: object) => ({ ...bell, gates: [...bell.gates, gate] });

const own = (payoff: string, more: object = {}) => ({
  ...{ mode: 'option', type: 'payoff', S0: 100, r: 0.05, sigma: 0.2, T: 1, payoff },
  ...more,
});

const refused: readonly Refused[] = [
  {
    title: 'a payoff with a peak where no path came',
    body: own('max(S - 100, 0) + 1e8*exp(-((S - 250)/0.01)^2)'),
    code: 'OUTSIDE_TOLERANCE',
    field: 'payoff',
  },
  {
    title: 'a payoff without its formula',
    body: { mode: 'option', type: 'payoff', S0: 100, r: 0.05, sigma: 0.2, T: 1 },
    code: 'MISSING_INPUT',
    field: 'payoff',
  },
  {
    title: 'a payoff with a letter that nobody gave',
    body: own('max(S - K, 0)'),
    code: 'MISSING_INPUT',
    field: 'parameters.K',
  },
  {
    title: 'a payoff that is no money',
    body: own('S/B', { parameters: { B: { value: 1, unit: 'currency' } } }),
    code: 'INVALID_INPUT',
    field: 'payoff',
  },
  {
    title: 'a payoff of unlike quantities',
    body: own('max(S - K, 0)', { parameters: { K: { value: 1, unit: 'm' } } }),
    code: 'INVALID_INPUT',
    field: 'payoff',
  },
  { title: 'a payoff that is a relation', body: own('S > 100'), code: 'NON_SCALAR_RESULT', field: 'payoff' },
  {
    title: 'a payoff with brackets a thousand deep',
    body: own(`${'('.repeat(900)}S${')'.repeat(900)}`),
    code: 'INVALID_INPUT',
    field: 'payoff',
  },
  {
    title: 'a number that the payoff does not name',
    body: own('S', { parameters: { K: 1 } }),
    code: 'INVALID_INPUT',
    field: 'parameters.K',
  },
  {
    title: 'a number for a price of the path',
    body: own('S + A', { parameters: { A: 1 } }),
    code: 'INVALID_INPUT',
    field: 'parameters.A',
  },
  { title: 'a strike beside a payoff', body: own('S', { K: 1 }), code: 'INVALID_INPUT', field: 'K' },
  {
    title: 'a payoff without a value on some paths',
    body: own('ln(S - B)*B', { parameters: { B: { value: 100, unit: 'currency' } } }),
    code: 'INVALID_INPUT',
    field: 'payoff',
  },
  { title: 'a payoff that is no number', body: own('100/(S - S)'), code: 'NON_FINITE' },
  { title: 'no mode', body: withoutMode, code: 'MISSING_INPUT', field: 'mode' },
  { title: 'no strike', body: withoutK, code: 'MISSING_INPUT', field: 'K' },
  { title: 'an American option', body: { ...call, type: 'american' }, code: 'UNSUPPORTED', field: 'type' },
  {
    title: 'a pulse as an option',
    body: { mode: 'option', type: 'rabi', Omega: 1e9, Delta: 0, t_max: 1e9 },
    code: 'INVALID_INPUT',
    field: 'type',
  },
  { title: 'the right of a pulse', body: { ...call, type: 'rabi' }, code: 'INVALID_INPUT', field: 'right' },
  { title: 'a spot of zero', body: { ...call, S0: 0 }, code: 'INVALID_INPUT', field: 'S0' },
  { title: 'a negative strike', body: { ...call, K: -1 }, code: 'INVALID_INPUT', field: 'K' },
  { title: 'no volatility', body: { ...call, sigma: 0 }, code: 'INVALID_INPUT', field: 'sigma' },
  { title: 'no time', body: { ...call, T: 0 }, code: 'INVALID_INPUT', field: 'T' },
  { title: 'a wild volatility', body: { ...call, sigma: 30 }, code: 'INVALID_INPUT', field: 'sigma' },
  { title: 'a rate that overflows', body: { ...call, r: 1e300 }, code: 'INVALID_INPUT', field: 'r' },
  { title: 'a payout of a call', body: { ...call, payout: 1 }, code: 'INVALID_INPUT', field: 'payout' },
  {
    title: 'a digital without payout',
    body: { ...call, type: 'digital' },
    code: 'MISSING_INPUT',
    field: 'payout',
  },
  {
    title: 'an Asian without fixings',
    body: { ...call, type: 'asian-geometric' },
    code: 'MISSING_INPUT',
    field: 'fixings',
  },
  {
    title: 'too many fixings',
    body: { ...call, type: 'asian-geometric', fixings: 100000 },
    code: 'LIMIT_EXCEEDED',
    field: 'fixings',
  },
  {
    title: 'a barrier above the spot',
    body: { ...barrier, barrier: 101 },
    code: 'INVALID_INPUT',
    field: 'barrier',
  },
  {
    title: 'a put below its barrier',
    body: { ...barrier, right: 'put', K: 80 },
    code: 'INVALID_INPUT',
    field: 'K',
  },
  {
    title: 'a payoff of nothing',
    body: own('max(S - 1000, 0)'),
    code: 'INVALID_INPUT',
    field: 'payoff',
  },
  {
    title: 'a payoff that few paths make',
    body: { ...own('max(S - 100, 0)^2'), sigma: 0.64, T: 7 },
    code: 'OUTSIDE_TOLERANCE',
    field: 'payoff',
    says: /grows more slowly/,
  },
  { title: 'a price of nothing', body: { ...call, K: 1000 }, code: 'INVALID_INPUT', field: 'K' },
  { title: 'no gates', body: { ...bell, gates: [] }, code: 'INVALID_INPUT', field: 'gates' },
  {
    title: 'more gates than there may be',
    body: { ...bell, gates: Array.from({ length: 501 }, () => ({ gate: 'h', targets: [0] })) },
    code: 'INVALID_INPUT',
    field: 'gates',
    says: /1 to 500/,
  },
  {
    title: 'an outcome that is no bits',
    body: { ...bell, outcome: '12' },
    code: 'INVALID_INPUT',
    field: 'outcome',
  },
  { title: 'seventeen qubits', body: { ...bell, n: 17 }, code: 'INVALID_INPUT', field: 'n' },
  {
    title: 'an outcome too long',
    body: { ...bell, outcome: '111' },
    code: 'INVALID_INPUT',
    field: 'outcome',
  },
  {
    title: 'a gate beyond the qubits',
    body: withGate({ gate: 'x', targets: [2] }),
    code: 'INVALID_INPUT',
    field: 'gates[1].targets',
  },
  {
    title: 'a qubit that controls itself',
    body: withGate({ gate: 'x', targets: [1], controls: [1] }),
    code: 'INVALID_INPUT',
    field: 'gates[1].controls',
  },
  {
    title: 'a rotation by no angle',
    body: withGate({ gate: 'rx', targets: [1] }),
    code: 'INVALID_INPUT',
    field: 'gates[1].angle',
  },
  {
    title: 'half a swap',
    body: withGate({ gate: 'swap', targets: [1] }),
    code: 'INVALID_INPUT',
    field: 'gates[1].targets',
  },
  {
    title: 'a seed of a circuit',
    body: { ...bell, seed: 1 },
    code: 'INVALID_INPUT',
    field: 'seed',
  },
  {
    title: 'a search for ever',
    body: { mode: 'qubit', type: 'grover', n: 3, k: 1e12 },
    code: 'LIMIT_EXCEEDED',
    field: 'k',
  },
  {
    title: 'a pulse for ever',
    body: { mode: 'qubit', type: 'rabi', Omega: 1e9, Delta: 0, t_max: 1e9 },
    code: 'LIMIT_EXCEEDED',
    field: 't_max',
  },
];

testRefusals('quant', refused);
