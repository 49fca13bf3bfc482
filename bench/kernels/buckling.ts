import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const elements = quick ? 128 : 2048;
const rounds = quick ? 3 : 11;
const repeats = quick ? 4 : 8;
const parameters = new Layout().f64(1, 1, 0, 0, 0, 1, 1, 1, 1, 1, elements).bytes();

const bucklingAlone = kernelAlone('buckling');

/** Loads per second of processor time; a run finds four of them. */
function kernelRate(): number {
  const before = process.cpuUsage();
  for (let i = 0; i < repeats; i++) bucklingAlone(parameters);
  const { user, system } = process.cpuUsage(before);
  return (4e6 * repeats) / (user + system);
}

function lowestLoad(): number {
  return new DataView(bucklingAlone(parameters).result.buffer).getFloat64(24, true);
}

/** Band factorisations with a half bandwidth of 3: short inner loops, bound by divisions that wait for each other. */
export const figure: Figure = {
  title: `kernels: buckling, ${elements} cubic elements → loads/s by inertia counts, against C strict`,
  async run() {
    const row = { figure: 'kernels: buckling, loads', unit: '1/s', against: 'C strict' };
    if (nativeMissing) {
      const { ours } = await alternatingMedians(rounds, { ours: kernelRate });
      return [rated({ ...row, value: ours, peer: nativeMissing })];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('buckling', [elements, repeats]);
    const { checksum } = await native.round();
    if (!(Math.abs(checksum / lowestLoad() - 1) < 1e-4)) throw new Error('C and the kernel find other loads');
    const { ours, c } = await alternatingMedians(rounds, {
      ours: kernelRate,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value: ours, peer: c })];
  },
};
