import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const intervals = 1024;
const levels = quick ? 16 : 128;
const rounds = quick ? 3 : 11;
/** A run finds three levels: n, n + 1 and n − 1. */
const perRun = 3;

const parametersOf = (level: number) =>
  new Layout()
    .f64(1, 1, 2, 0, 0, 1, 0, 0, 0, 0, 0, -1, -8, 8, 0, 1, 1, 0, level, intervals, 0, 0, 0, 0, 0)
    .bytes();

const schrodingerAlone = kernelAlone('schrodinger');
const levelOf = (level: number) =>
  new DataView(schrodingerAlone(parametersOf(level)).result.buffer).getFloat64(0, true);

/** Levels per second of processor time. */
function kernelRate(): number {
  const before = process.cpuUsage();
  for (let level = 0; level < levels; level++) levelOf(level);
  const { user, system } = process.cpuUsage(before);
  return (1e6 * perRun * levels) / (user + system);
}

function sumOfLevels(): number {
  let sum = 0;
  for (let level = 0; level < levels; level++) sum += levelOf(level);
  return sum;
}

/** Bisection on Numerov's matrix: in each row one division waits for the one before. */
export const figure: Figure = {
  title: `kernels: schrodinger, Numerov with ${intervals} intervals → levels/s, against C strict`,
  async run() {
    const row = { figure: 'kernels: schrodinger, levels', unit: '1/s', against: 'C strict' };
    if (nativeMissing) {
      const { ours } = await alternatingMedians(rounds, { ours: kernelRate });
      return [rated({ ...row, value: ours, peer: nativeMissing })];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('schrodinger', [intervals, levels]);
    const { checksum } = await native.round();
    if (!(Math.abs(checksum / sumOfLevels() - 1) < 1e-9))
      throw new Error('C and the kernel find other levels');
    const { ours, c } = await alternatingMedians(rounds, {
      ours: kernelRate,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value: ours, peer: c })];
  },
};
