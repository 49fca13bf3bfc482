import { readInput } from '../../src/solvers/input.ts';
import { sat } from '../../src/solvers/sat.ts';
import { pigeonhole, random3 } from '../../test/solvers/formulas.ts';
import { runKernel } from '../../test/solvers/run-job.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians, type Contender } from '../timing.ts';

const rounds = quick ? 1 : 7;
const seed = 3;
const [variables, clauses] = [200, 900];

/** Propagations per second of processor time over the first cubes of a formula, and the seconds. */
function searched(formula: number[][]): { rate: number; seconds: number } {
  const { runs } = sat.plan(readInput(sat.input, { mode: 'decide', clauses: formula }).input as never, {
    requestHash: new Uint8Array(32),
  });
  const before = process.cpuUsage();
  let propagations = 0;
  for (const { parts, stepsPerSegment } of runs) {
    const { result } = runKernel('sat', (parts[0] as { bytes: Uint8Array }).bytes, stepsPerSegment);
    propagations += new DataView(result.buffer, result.byteOffset).getFloat64(24, true);
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  return { rate: propagations / seconds, seconds };
}

/** The search with its proof. The rate asked for is absolute, whatever the machine is doing. */
export const figure: Figure = {
  title: `kernels: sat, random 3-SAT, ${variables} variables, ${clauses} clauses → propagations/s, against native C`,
  async run() {
    const random = random3(variables, clauses, seed);
    const hole = pigeonhole(quick ? 7 : 8, quick ? 6 : 7);
    const peer = nativeMissing
      ? undefined
      : new NativePeer<{ rate: number; checksum: number }>('sat', [seed]);
    const contenders: Record<string, Contender> = {
      ours: () => searched(random).rate,
      hole: () => 1 / searched(hole).seconds,
    };
    if (peer) contenders.c = async () => (await peer.round()).rate;
    const measured: Record<string, number> = await alternatingMedians(rounds, contenders);
    peer?.close();
    const row = { figure: 'kernels: sat, propagations', value: measured.ours!, unit: '1/s' };
    return [
      rated({ ...row, against: 'C strict, without a proof', peer: measured.c ?? (nativeMissing || 'none') }),
      rated({ ...row, against: 'rate asked for', peer: 2e6, goal: { atLeast: 1 } }),
      { figure: `kernels: sat, hole${quick ? 6 : 7}`, value: measured.hole!, unit: 'proofs/s' },
    ];
  },
};
