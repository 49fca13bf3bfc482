import { evolve } from '../../src/solvers/evolve.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const rounds = quick ? 3 : 7;
const cells = quick ? 6 : 10;
const steps = quick ? 60 : 100;
const atoms = 4 * cells ** 3;

const parameters = parametersOf();

/** A melting crystal of ρ* 0.8442, cut at 2.5σ: the benchmark that LAMMPS calls lj. */
function parametersOf(): Uint8Array {
  const initialState = { cells, density: 0.8442, temperature: 1.44 };
  const fluid = {
    units: 'lj',
    r_c: 2.5,
    truncation: 'shifted',
    dt: 0.005,
    t_max: 0.005 * steps,
    seed: 1,
    initialState,
  };
  const plan = evolve.plan(fluid as never, { requestHash: new Uint8Array(32) });
  const [part] = plan.runs[0]!.parts;
  if (!part || !('bytes' in part)) throw new Error('the run of a lattice has literal parameters');
  return part.bytes;
}

const evolveAlone = kernelAlone('evolve');
let energy = 0;

/** Million atom-steps per second of processor time. */
function kernelRate(): number {
  const before = process.cpuUsage();
  const { result } = evolveAlone(parameters);
  const { user, system } = process.cpuUsage(before);
  energy = new DataView(result.buffer).getFloat64(32 + 8 * (6 * atoms + 8), true);
  return (atoms * steps) / (user + system);
}

/** Full neighbour rows summed in the order of their indices, in C; its velocities are other ones of the same energy. */
export const figure: Figure = {
  title: `kernels: evolve, ${atoms} Lennard-Jones atoms → M atom-steps/s, against native C`,
  async run() {
    const row = { figure: 'kernels: evolve, atom-steps', unit: 'M/s' };
    const floor = { against: 'rate asked for', peer: 1, goal: { atLeast: 1 } } as const;
    if (nativeMissing) {
      const { ours } = await alternatingMedians(rounds, { ours: kernelRate });
      return [rated({ ...row, value: ours, ...floor })];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('evolve', [cells, steps]);
    const { ours, c } = await alternatingMedians(rounds, {
      ours: kernelRate,
      c: async () => {
        const { rate, checksum } = await native.round();
        if (!(Math.abs(checksum / energy - 1) < 1e-3))
          throw new Error(`evolve.c has ${checksum}, ours ${energy}`);
        return rate / 1e6;
      },
    });
    native.close();
    return [
      rated({ ...row, value: ours, against: 'C strict', peer: c }),
      rated({ ...row, value: ours, ...floor }),
    ];
  },
};
