import { Layout } from '../../src/solvers/layout.ts';
import { runKernel } from '../../test/solvers/run-job.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const rounds = quick ? 3 : 9;
/** Steps of a run are 256 times these. */
const perRow = quick ? 64 : 4096;
const orbits = quick ? 20 : 400;
const lengthOfSun = (6.6743e-11 * 1.989e30) / 299792458 ** 2;

interface Case {
  readonly kernel: 'lotka' | 'epi' | 'tumor' | 'kalman' | 'blackhole';
  readonly what: string;
  readonly parameters: Uint8Array;
  readonly args: readonly number[];
  /** Steps of all runs of a round. */
  readonly steps: number;
  readonly runs: number;
  /** Where the number stands in the result that both must find. */
  readonly at: number;
}

const hares = [1.1, 0.4, 0.1, 0.4, 10, 10, 1000];
const fever = [1e6, 999_990, 0, 10];
const rates = [0.4, 0.1, 0.2];
/** r and V₀/K; t_max; the share of 1/r that a step may be, and its longest, which is shorter. */
const lump = [0.1, 0.01] as const;
const grown = [100, 1, 100 / (256 * perRow)] as const;
const [p, e] = [12, 0.4];

/** Places and speeds in three dimensions, of which the places are measured each 0.1 s. */
const measurements = quick ? 200 : 20_000;
const diagonal = (size: number, value: number) =>
  Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? value : 0));
const motion = diagonal(6, 1).map((value, i) => (i % 7 === 3 && i < 18 ? 0.1 : value));
const seen = Array.from({ length: 18 }, (_, i) => (i % 7 === 0 ? 1 : 0));
const places = Array.from({ length: 3 * measurements }, (_, k) => 0.1 * ((7 * k) % 11));

const cases: readonly Case[] = [
  {
    kernel: 'lotka',
    what: 'PEFRL steps',
    parameters: new Layout().f64(...hares, perRow).bytes(),
    args: [...hares, 256 * perRow],
    steps: 256 * perRow,
    runs: 1,
    at: 32,
  },
  {
    kernel: 'epi',
    what: 'SEIR, Runge–Kutta steps',
    parameters: new Layout().f64(1, ...fever, ...rates, 400, perRow, 1, 1000).bytes(),
    args: [...fever, ...rates, 400, 256 * perRow],
    steps: 256 * perRow,
    runs: 1,
    at: 32,
  },
  {
    kernel: 'tumor',
    what: 'logistic growth, Runge–Kutta steps',
    parameters: new Layout()
      .f64(1, lump[0], 1, lump[1], 1, 0, 0, grown[0], grown[1], grown[2], 1e9, 0)
      .bytes(),
    args: [...lump, ...grown, 256],
    steps: 256 * perRow,
    runs: 1,
    at: 0,
  },
  {
    kernel: 'kalman',
    what: 'measurements of three of six unknowns',
    parameters: new Layout()
      .f64(6, 3, 0, measurements, 0, 0, 0, 0, 0)
      .f64s([...motion, ...seen, ...diagonal(6, 0.01), ...diagonal(3, 1), ...places])
      .f64s([0, 0, 0, 0, 0, 0, ...diagonal(6, 1)])
      .bytes(),
    args: [3, measurements],
    steps: measurements,
    runs: 1,
    at: 0,
  },
  {
    kernel: 'blackhole',
    what: 'Gauss–Radau steps of an orbit, and its quadrature',
    parameters: new Layout().f64(5, 1.989e30, (p * lengthOfSun) / (1 - e * e), e, 0).bytes(),
    args: [p, e, orbits],
    steps: 256 * orbits,
    runs: orbits,
    at: 0,
  },
];

function resultOf({ kernel, parameters, at }: Case): number {
  const { result } = runKernel(kernel, parameters, 2 ** 26);
  return new DataView(result.buffer, result.byteOffset).getFloat64(at, true);
}

/** M steps per second of processor time. */
function rateOf({ runs, steps }: Case, run: () => unknown): number {
  const before = process.cpuUsage();
  for (let k = 0; k < runs; k++) run();
  const { user, system } = process.cpuUsage(before);
  return steps / (user + system);
}

async function rowOf(each: Case): Promise<Row> {
  const row = { figure: `kernels: ${each.kernel}, ${each.what}`, unit: 'M/s', against: 'C strict' };
  const goal = { atMost: 1.1 };
  const alone = kernelAlone(each.kernel);
  const kernelRate = () => rateOf(each, () => alone(each.parameters));
  const runRate = () => rateOf(each, () => runKernel(each.kernel, each.parameters, 2 ** 26));
  if (nativeMissing) {
    const { ours: value } = await alternatingMedians(rounds, { ours: kernelRate });
    return rated({ ...row, value, peer: nativeMissing, goal });
  }
  const native = new NativePeer<{ rate: number; checksum: number }>(each.kernel, each.args);
  const { checksum } = await native.round();
  const own = resultOf(each);
  if (!(Math.abs(checksum / own - 1) <= 1e-7))
    throw new Error(`${each.kernel}.c finds ${checksum}, the kernel ${own}`);
  const { value, run, c } = await alternatingMedians(rounds, {
    ...{ value: kernelRate, run: runRate },
    c: async () => (await native.round()).rate,
  });
  native.close();
  const note = `a run with the hashes of parameters, rows and states, and its copies: ${run.toPrecision(3)} M/s`;
  return { ...rated({ ...row, value, peer: c, goal }), note };
}

/** Few unknowns, and steps that wait for each other: the same in C, with the exponential of libm. */
export const figure: Figure = {
  title:
    'kernels: lotka, epi, tumor, kalman and blackhole, steps of their own methods → M steps/s, against C strict',
  async run() {
    const rows: Row[] = [];
    for (const each of cases) rows.push(await rowOf(each));
    return rows;
  },
};
