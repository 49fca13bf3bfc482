import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const steps = quick ? 2 ** 16 : 2 ** 22;
const rounds = quick ? 3 : 11;
/** A power of two, so that h = t_end/N is it to the bit in every language. */
const h = 2 ** -10;
const parameters = new Layout()
  .f64(2, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, steps * h, steps, steps / 256, 0, 0, 0, 0, 0)
  .bytes();

/** M steps per second of processor time. */
function rateOf(work: () => number): { rate: number; checksum: number } {
  const before = process.cpuUsage();
  const checksum = work();
  const { user, system } = process.cpuUsage(before);
  return { rate: steps / (user + system), checksum };
}

const solveAlone = kernelAlone('solve');
const kernel = () => new DataView(solveAlone(parameters).result.buffer).getFloat64(0, true);

/** The kernel's loop as anybody would write it. */
function plainSteps(): number {
  const acceleration = (x: number) => -x * (1 + x * x);
  const [half, sixth] = [0.5 * h, h / 6];
  let [x, v, carryX, carryV, maxX, maxV, maxE] = [1, 0, 0, 0, 1, 0, 0];
  for (let i = 0; i < steps; i++) {
    const a1 = acceleration(x);
    const [x2, v2] = [x + half * v, v + half * a1];
    const a2 = acceleration(x2);
    const [x3, v3] = [x + half * v2, v + half * a2];
    const a3 = acceleration(x3);
    const [x4, v4] = [x + h * v3, v + h * a3];
    const a4 = acceleration(x4);
    const dx = sixth * (v + v4 + 2 * (v2 + v3)) + carryX;
    const dv = sixth * (a1 + a4 + 2 * (a2 + a3)) + carryV;
    const [nextX, nextV] = [x + dx, v + dv];
    carryX = dx - (nextX - x);
    carryV = dv - (nextV - v);
    [x, v] = [nextX, nextV];
    maxX = Math.max(maxX, Math.abs(x));
    maxV = Math.max(maxV, Math.abs(v));
    maxE = Math.max(maxE, Math.abs(0.5 * (v * v) + 0.5 * x * x * (1 + 0.5 * x * x) - 0.75));
  }
  return maxX > 0 && maxV > 0 && maxE >= 0 ? x : Number.NaN;
}

/** RK4 of one Duffing oscillator with carries and energy: a chain of dependent operations, bound by latency. */
export const figure: Figure = {
  title: `kernels: solve, RK4 on a Duffing oscillator, ${steps} steps → M steps/s, against C strict and plain JavaScript`,
  async run() {
    const row = { figure: 'kernels: solve, RK4 steps', unit: 'M/s' };
    const ours = { ours: () => rateOf(kernel).rate, js: () => rateOf(plainSteps).rate };
    if (nativeMissing) {
      const { ours: value, js } = await alternatingMedians(rounds, ours);
      return [
        rated({ ...row, value, against: 'C strict', peer: nativeMissing, goal: { atMost: 1 } }),
        rated({ ...row, value, against: 'plain JavaScript', peer: js }),
      ];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('solve', [steps, 0, 1, 1, 0]);
    const { checksum } = await native.round();
    if (checksum !== kernel()) throw new Error('C and the kernel differ in a bit');
    const {
      ours: value,
      js,
      c,
    } = await alternatingMedians(rounds, {
      ...ours,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [
      rated({ ...row, value, against: 'C strict', peer: c, goal: { atMost: 1 } }),
      rated({ ...row, value, against: 'plain JavaScript', peer: js }),
    ];
  },
};
