import { grid } from '../../src/solvers/grid.ts';
import { runKernel } from '../../test/solvers/run-job.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const rounds = quick ? 3 : 9;
const repeats = quick ? 100 : 1000;

type Case = 'ieee14' | 'ieee30';

function parametersOf(name: Case): Uint8Array {
  const plan = grid.plan({ case: name, quantity: 'loss' } as never, { requestHash: new Uint8Array(32) });
  const [part] = plan.runs[0]!.parts;
  if (!part || !('bytes' in part)) throw new Error('the run of a case has literal parameters');
  return part.bytes;
}

const parameters = { ieee14: parametersOf('ieee14'), ieee30: parametersOf('ieee30') };

const solveAlone = kernelAlone('grid');

/** Solutions from a flat start per second of processor time, order of elimination included. */
function rateOf(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let i = 0; i < repeats; i++) work();
  const { user, system } = process.cpuUsage(before);
  return (1e6 * repeats) / (user + system);
}
const kernelRate = (name: Case) => rateOf(() => solveAlone(parameters[name]));
const runRate = (name: Case) => rateOf(() => runKernel('grid', parameters[name], 2 ** 20));

/** V of the last bus, which the peer must find too. */
const lastVoltage = (name: Case): number => {
  const { result } = runKernel('grid', parameters[name], 2 ** 20);
  return new DataView(result.buffer, result.byteOffset).getFloat64(result.length - 32, true);
};

/**
 * Against dense elimination in C with the same iterations: what a program without sparse matrices would do. N/W is C's
 * solutions per second over the kernel's; what a run takes with the hash of its parameters and its digests is a note.
 */
export const figure: Figure = {
  title:
    'kernels: grid, power flows of 14 and 30 buses from a flat start → solves/s of the kernel alone, against dense Newton in C',
  async run() {
    const rows = [];
    for (const name of ['ieee14', 'ieee30'] as const) {
      const row = { figure: `kernels: grid, ${name}`, unit: '1/s', against: 'C strict, dense' };
      if (nativeMissing) {
        const { ours } = await alternatingMedians(rounds, { ours: () => kernelRate(name) });
        rows.push(rated({ ...row, value: ours, peer: nativeMissing }));
        continue;
      }
      const numbers = new Float64Array(parameters[name].slice().buffer);
      const native = new NativePeer<{ rate: number; checksum: number }>('grid', [repeats, ...numbers]);
      const { checksum } = await native.round();
      if (Math.abs(checksum - lastVoltage(name)) > 1e-10) throw new Error('grid.c finds another voltage');
      const { ours, run, c } = await alternatingMedians(rounds, {
        ours: () => kernelRate(name),
        run: () => runRate(name),
        c: async () => (await native.round()).rate,
      });
      native.close();
      const note = `a run with the hash of its parameters, its digests and copies: ${Math.round(run)} 1/s`;
      rows.push({ ...rated({ ...row, value: ours, peer: c }), note });
    }
    return rows;
  },
};
