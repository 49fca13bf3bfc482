import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const masses = 1024;
const steps = quick ? 1000 : 20_000;
const rounds = quick ? 3 : 11;
const start = new Array<number>(masses).fill(0);
start[masses / 2] = 1;
const parameters = new Layout()
  .f64(6, 1, 1, 0.25, masses, 0.1, 0, steps, 0, 0)
  .f64s(start)
  .f64s(start.map(() => 0))
  .bytes();

const actionAlone = kernelAlone('action');

/** Forces on masses per second of processor time: four a step. */
function kernelRate(): number {
  const before = process.cpuUsage();
  actionAlone(parameters);
  const { user, system } = process.cpuUsage(before);
  return (4e6 * masses * steps) / (user + system);
}

const action = () => new DataView(actionAlone(parameters).result.buffer).getFloat64(8, true);

export const figure: Figure = {
  title: `kernels: action, PEFRL of a chain of ${masses} masses → forces/s, against C strict`,
  async run() {
    const row = { figure: 'kernels: action, chain', unit: '1/s', against: 'C strict' };
    if (nativeMissing) {
      const { ours } = await alternatingMedians(rounds, { ours: kernelRate });
      return [rated({ ...row, value: ours, peer: nativeMissing })];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('action', [masses, steps]);
    const { checksum } = await native.round();
    if (!(Math.abs(checksum / action() - 1) < 1e-6)) throw new Error('C and the kernel find other actions');
    const { ours, c } = await alternatingMedians(rounds, {
      ours: kernelRate,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value: ours, peer: c })];
  },
};
