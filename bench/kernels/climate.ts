import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const rounds = quick ? 3 : 9;
const perRow = quick ? 2 ** 12 : 2 ** 16;
const steps = 256 * perRow;
/** Steps in a year of the model. */
const STEPS_PER_YEAR = 12;

/** Two layers with the constants of Geoffroy et al. (2013), in years, for `steps` months. */
const parameters = new Layout()
  .f64(1, 3.71, 1.13, 0.73, 7.3, 106, 0, 0, steps / STEPS_PER_YEAR, perRow)
  .bytes();

const climateAlone = kernelAlone('climate');
let end = 0;

/** Million years of the model per second of processor time. */
function kernelRate(): number {
  const before = process.cpuUsage();
  const { result } = climateAlone(parameters);
  const { user, system } = process.cpuUsage(before);
  end = new DataView(result.buffer).getFloat64(0, true);
  return steps / STEPS_PER_YEAR / (user + system);
}

/** @throws Error where its temperature is another */
async function nativeRate(peer: NativePeer<{ rate: number; checksum: number }>): Promise<number> {
  const { rate, checksum } = await peer.round();
  if (checksum !== end) throw new Error(`climate.c has ${checksum}, the kernel ${end}`);
  return rate / STEPS_PER_YEAR / 1e6;
}

/** Runge–Kutta of two equations: a chain of dependent sums, so its latency is what is measured. */
export const figure: Figure = {
  title: `kernels: climate, two layers in ${steps} monthly steps → million years/s, against native C`,
  async run() {
    const row = { figure: 'kernels: climate, model years', unit: 'M/s', against: 'C strict' };
    if (nativeMissing) {
      const { ours } = await alternatingMedians(rounds, { ours: kernelRate });
      return [rated({ ...row, value: ours, peer: nativeMissing })];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('climate', [steps]);
    const { ours, c } = await alternatingMedians(rounds, { ours: kernelRate, c: () => nativeRate(native) });
    native.close();
    return [rated({ ...row, value: ours, peer: c })];
  },
};
