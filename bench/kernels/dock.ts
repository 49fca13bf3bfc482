import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const blocks = quick ? 8 : 64;
const poses = 256 * blocks;
const rounds = quick ? 3 : 11;
const receptor = Array.from({ length: 512 }, (_, j) => [
  3.6 * (j % 8),
  3.6 * (Math.floor(j / 8) % 8),
  3.6 * Math.floor(j / 64),
  3.4,
  0.5,
  0,
]);
const ligand = Array.from({ length: 20 }, (_, i) => [1.5 * (i % 5), 1.5 * Math.floor(i / 5), 0, 3.2, 0.5, 0]);
const parameters = new Layout()
  .f64(0, 512, 20, 0, 0, 12.6, 12.6, 30, 12, 12, 6, 0, blocks, 1, 0, 0, 1e9)
  .f64s(receptor.flat())
  .f64s(ligand.flat())
  .bytes();

const dockAlone = kernelAlone('dock');

/** Energies of pairs with their forces per second of processor time, by the work that the run counts. */
function kernelRate(): number {
  const before = process.cpuUsage();
  const { work } = dockAlone(parameters);
  const { user, system } = process.cpuUsage(before);
  const evaluations = Number(work) / (512 * 20 * 4 + 60 * 20 + 100);
  return (1e6 * 512 * 20 * evaluations) / (user + system);
}

/** Energy, pose and slope of the one pose that descended. */
const bestPose = () => new Float64Array(dockAlone(parameters).result.buffer);

export const figure: Figure = {
  title: 'kernels: dock, 20 atoms on 512, Lennard-Jones → pair energies with forces/s, against C strict',
  async run() {
    const row = { figure: 'kernels: dock, pairs', unit: '1/s', against: 'C strict' };
    if (nativeMissing) {
      const { ours } = await alternatingMedians(rounds, { ours: kernelRate });
      return [rated({ ...row, value: ours, peer: nativeMissing })];
    }
    const [energy, ...pose] = bestPose();
    const native = new NativePeer<{ rate: number; checksum: number }>('dock', [poses, ...pose.slice(0, 7)]);
    const { checksum } = await native.round();
    if (!(Math.abs(checksum / energy! - 1) < 1e-9)) throw new Error('C and the kernel find other energies');
    const { ours, c } = await alternatingMedians(rounds, {
      ours: kernelRate,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value: ours, peer: c })];
  },
};
