import { Layout } from '../../src/solvers/layout.ts';
import { runKernel } from '../../test/solvers/run-job.ts';
import { type Figure, quick, type Row } from '../figure.ts';
import { alternatingMedians } from '../timing.ts';

const rounds = quick ? 3 : 7;
const groups = ['Z2', 'U(1)', 'SU(2)'] as const;
const betas = [1.2, 5, 8];
const L = 32;
const samples = quick ? 64 : 320;

/** M link updates per second of processor time, with measurement and draws. */
function rateOf(group: number): number {
  const parameters = new Layout().f64(group, betas[group]!, L, 0, 0, 0, samples, 0, 0).u64(1n).f64(1).bytes();
  const before = process.cpuUsage();
  runKernel('gauge', parameters, samples);
  const { user, system } = process.cpuUsage(before);
  return (samples * 2 * L * L) / (user + system);
}

/** Heat bath in two dimensions. The floor of 10 M/s for U(1) is absolute, whatever the machine is doing. */
export const figure: Figure = {
  title: `kernels: gauge, heat bath, ${L} × ${L} → M link updates/s, against a floor`,
  async run() {
    const contenders = Object.fromEntries(groups.map((name, group) => [name, () => rateOf(group)]));
    const measured = await alternatingMedians(rounds, contenders);
    return groups.map((name): Row => {
      const value = measured[name]!;
      const row = { figure: `kernels: gauge, ${name} link updates`, value, unit: 'M/s' };
      return name === 'U(1)' ? { ...row, goal: '≥ 10 M/s', met: value >= 10 } : row;
    });
  },
};
