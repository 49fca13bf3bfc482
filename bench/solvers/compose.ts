import { understandBy } from '../../src/solvers/auto.ts';
import { solverOf, solvers } from '../../src/solvers/registry.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { cpuRate, wholeJob } from '../job.ts';
import { alternatingMedians, WARM_MS } from '../timing.ts';

const rounds = quick ? 1 : 5;
const seconds = quick ? 0.02 : 0.3;
const side = quick ? 8 : 64;
const paths = { mode: 'option', type: 'european', right: 'call', S0: 100, K: 100, r: 0.05, T: 1 };

const lattice = {
  operators: ['SP7'],
  inputs: { P_noise: 1.5 },
  axes: [{ name: 'P_signal', start: 1, stop: 1e6, count: side, scale: 'log', unit: 'W' }],
  reduce: 'mean',
};

/** The points of the lattice, each as a job of its own. */
async function oneByOne(): Promise<number> {
  for (let i = 0; i < side; i++) {
    const P_signal = { value: 10 ** ((6 * i) / (side - 1)), unit: 'W' };
    await wholeJob('compute', { operators: ['SP7'], inputs: { P_signal, P_noise: 1.5 } });
  }
  return side;
}

async function latticeRow(): Promise<Row> {
  const contenders = {
    ours: () => cpuRate(() => wholeJob('lattice', lattice).then(() => side), seconds),
    peer: () => cpuRate(oneByOne, seconds),
  };
  const { ours, peer } = await alternatingMedians(rounds, contenders, WARM_MS);
  const row = { figure: 'lattice: SP7, points', unit: 'points/s', against: 'jobs one by one' };
  return rated({ ...row, value: ours, peer, goal: { atMost: 1 } });
}

/** A difference of two prices, and the two prices. */
async function shiftRow(): Promise<Row> {
  const shifted = { solver: 'quant', inputs: { ...paths, sigma: 0.2 }, shift: { sigma: 0.01 } };
  const two = async () => {
    for (const sigma of [0.2, 0.21]) await wholeJob('quant', { ...paths, sigma });
    return 1;
  };
  const contenders = {
    ours: () => cpuRate(() => wholeJob('shift', shifted).then(() => 1), seconds),
    peer: () => cpuRate(two, seconds),
  };
  const { ours, peer } = await alternatingMedians(rounds, contenders, WARM_MS);
  const row = { figure: 'shift: a price by its volatility', unit: 'jobs/s', against: 'two jobs one by one' };
  return rated({ ...row, value: ours, peer });
}

const questions = [
  'first zero of the Riemann zeta function',
  'Black-Scholes call S=100 K=100 r=5% sigma=20% T=1 year',
  'SIR epidemic with N=763, S0=762, I0=1, beta=1.66 per day, gamma=0.44 per day over 60 days: infected at the peak',
  'AC power flow of the IEEE 14-bus network: total losses',
];

/** Questions read, routed and bound to their inputs; no answer computed. */
async function autoRow(): Promise<Row> {
  const understand = understandBy({ solverOf, all: () => solvers });
  const read = () => {
    for (const query of questions) understand({ query } as Parameters<typeof understand>[0]);
    return questions.length;
  };
  const { ours } = await alternatingMedians(rounds, { ours: () => cpuRate(read, seconds) }, WARM_MS);
  const row = { figure: 'auto: questions routed', unit: 'questions/s', against: 'rate asked for' };
  return rated({ ...row, value: ours, peer: 1e4, goal: { atLeast: 1 } });
}

/** Solvers that are made of others: what the composition costs beside its parts. */
export const figure: Figure = {
  title: 'solvers: lattice, shift, auto → points/s, jobs/s, questions/s, against their parts one by one',
  run: async () => [await latticeRow(), await shiftRow(), await autoRow()],
};
