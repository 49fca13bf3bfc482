import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const blocks = 16;
const blockLength = quick ? 32 : 400;
const intervals = 1 + blocks * blockLength;
const rounds = quick ? 3 : 9;
/** σ 10, ρ 28, β 8/3: 16 chains of ten steps of 0.01 in an interval, seed 1. */
const chains = new Layout()
  .f64(10, 28, 8 / 3, 0.01, 10, 1, blockLength)
  .u64(1n)
  .f64(0, 16)
  .bytes();

const chainsAlone = kernelAlone('lorenz-exponents');

/** M steps of a chain per second of processor time. */
function rateOfChains(): number {
  const before = process.cpuUsage();
  chainsAlone(chains);
  const { user, system } = process.cpuUsage(before);
  return (160 * intervals) / (user + system);
}

/** RK4 of Lorenz' equations with three tangent vectors, two chains beside each other. */
export const figure: Figure = {
  title: `kernels: lorenz, RK4 with tangents, 16 chains of ${10 * intervals} steps → M steps/s, against C strict`,
  async run() {
    const row = { figure: 'kernels: lorenz, steps of chains', unit: 'M/s', against: 'C strict' };
    if (nativeMissing) {
      const { ours: value } = await alternatingMedians(rounds, { ours: rateOfChains });
      return [rated({ ...row, value, peer: nativeMissing, goal: { atMost: 1 } })];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('odes', [intervals]);
    const { checksum } = await native.round();
    if (Math.abs(checksum + 41 / 3) > 1e-3) throw new Error('C has another divergence than −(σ + 1 + β)');
    const { ours: value, c } = await alternatingMedians(rounds, {
      ours: rateOfChains,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value, peer: c, goal: { atMost: 1 } })];
  },
};
