import { Layout } from '../../src/solvers/layout.ts';
import { runKernel } from '../../test/solvers/run-job.ts';
import { besideNumpy } from '../beside-python.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const cells = quick ? 256 : 1024;
const steps = 12;
const rounds = quick ? 3 : 11;
const repeats = quick ? 2 : 8;

/** A silicon diode, 10¹⁶ cm⁻³ on both sides of 2 µm, up to 0.6 V: the layout of assembly/device/problem.ts. */
const parameters = new Layout()
  .f64(cells, cells, 300, 11.7, 1e16, 0, 1e22, 1e22, 2e-6, 2e-6, 4e-6, 0, 0.05 * steps, steps)
  .f64(0.135, 0.048, 1e-6, 1e-6, 1, 1e-8, 21 + 8 * steps, 0, 2, 1, steps + 1)
  .bytes();

const solvedDiode = () => {
  const { result } = runKernel('device', parameters, 2 ** 20);
  const view = new DataView(result.buffer, result.byteOffset + result.byteLength - 64);
  return { J: view.getFloat64(24, true), iterations: view.getFloat64(32, true) };
};

const solveAlone = kernelAlone('device');
const { iterations } = solvedDiode();

/** Mesh cells times iterations of Newton's method, per second of processor time. */
function kernelRate(): number {
  const before = process.cpuUsage();
  for (let i = 0; i < repeats; i++) solveAlone(parameters);
  const { user, system } = process.cpuUsage(before);
  return (1e6 * repeats * cells * iterations) / (user + system);
}

/** Blocks of 3 × 3 one after another, a chain of three divisions in each: C goes from one end, the kernel from both at once. */
export const figure: Figure = {
  title: `kernels: device, a diode of ${cells} cells → cells·Newton iterations/s, against C strict and SciPy`,
  async run() {
    const python = await besideNumpy({
      figure: 'kernels: device, Newton iterations',
      unit: '1/s',
      peer: 'SciPy solve_banded',
      ask: ['diode', { cells, steps }],
      ours: kernelRate,
      own: () => solvedDiode().J,
      within: 1e-7,
    });
    const row = { figure: 'kernels: device, Newton iterations', unit: '1/s', against: 'C strict' };
    if (nativeMissing) {
      const { ours } = await alternatingMedians(rounds, { ours: kernelRate });
      return [rated({ ...row, value: ours, peer: nativeMissing }), python];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('device', [cells, steps]);
    const { checksum } = await native.round();
    if (!(Math.abs(checksum / solvedDiode().J - 1) < 1e-7))
      throw new Error('C and the kernel find other currents');
    const { ours, c } = await alternatingMedians(rounds, {
      ours: kernelRate,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value: ours, peer: c }), python];
  },
};
