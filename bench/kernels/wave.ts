import { readInput } from '../../src/solvers/input.ts';
import type { WaveInput } from '../../src/solvers/wave/schema.ts';
import { wave } from '../../src/solvers/wave.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { flagsOf, NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians, type Contender } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const N = quick ? 128 : 512;
const steps = quick ? 208 : 1024;
const rounds = quick ? 3 : 9;
const cells = (N - 1) * (N - 1);

const context = { requestHash: new Uint8Array(32) };

/** c·dt/dx = ½ on cells of 1 m, from a mode at rest; the same numbers in C. */
const membrane = {
  c: 1,
  Lx: N,
  Ly: N,
  boundary: 'fixed',
  initial: { type: 'mode', A: 1, m: 1, n: 1 },
  dt: 0.5,
  t_end: 0.5 * steps,
  N,
};

/** The same cells as a lossy medium between layers: what the coefficients and the layers cost. */
const light = {
  mode: 'maxwell',
  Lx: N,
  Ly: N,
  epsilonR: 2,
  boundary: 'pml',
  source: { type: 'sine', x0: [N / 2, N / 2], frequency: 299792458 / 60, width: 1e-7 },
  dt: 2e-9,
  t_end: 2e-9 * steps,
  N,
};

/** The same loop with all that this processor has, and with vectors as wide as WebAssembly's. */
const ways = {
  'C strict': flagsOf.strict,
  'C strict, 128-bit vectors': ['-O3', '-ffp-contract=off', '-fno-math-errno'],
};

/** The first run of a job: the finest grid. */
function runOf(body: object): () => Float64Array {
  const { input } = readInput(wave.input, body);
  const { kernel, parts } = wave.plan(input as unknown as WaveInput, context).runs[0]!;
  const alone = kernelAlone(kernel);
  const parameters = Buffer.concat(parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])));
  return () => new Float64Array(alone(parameters).result.buffer);
}

/** M cells per second of processor time. */
function rateOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (cells * steps) / (user + system);
}

/** The kernel alone, with start and rows; C has the bare loop. */
export const figure: Figure = {
  title: `kernels: waves, ${N} × ${N} cells, ${steps} steps → M cell updates/s, against C strict`,
  async run() {
    const run = runOf(membrane);
    const among = runOf(light);
    const row = { figure: 'kernels: wave, cell updates', unit: 'M/s' };
    const contenders: Record<string, Contender> = { ours: () => rateOf(run), layers: () => rateOf(among) };
    const peers = nativeMissing
      ? []
      : Object.entries(ways).map(([way, flags]) => ({
          way,
          native: new NativePeer<{ rate: number; checksum: number }>('wave', [N, steps], flags),
        }));
    // Behind the head and the row of the profile, which is a pair of numbers long.
    const own = run()[14 + 2 * Math.ceil((N + 1) / 2) + (N / 2) * (N + 1) + N / 2]!;
    for (const { way, native } of peers) {
      const { checksum } = await native.round();
      if (!(Math.abs(own - checksum) <= 1e-9)) throw new Error(`${way} has ${checksum}, the kernel ${own}`);
      contenders[way] = async () => (await native.round()).rate;
    }
    const measured: Record<string, number> = await alternatingMedians(rounds, contenders);
    for (const { native } of peers) native.close();
    const rows: Row[] = peers.map(({ way }) =>
      rated({ ...row, value: measured.ours!, against: way, peer: measured[way]!, goal: { atMost: 1.1 } }),
    );
    if (nativeMissing)
      rows.push(
        rated({
          ...row,
          value: measured.ours!,
          against: 'C strict',
          peer: nativeMissing,
          goal: { atMost: 1.1 },
        }),
      );
    rows.push(
      rated({
        figure: 'kernels: light between layers, cell updates',
        value: measured.layers!,
        unit: 'M/s',
        against: 'the membrane',
        peer: measured.ours!,
      }),
    );
    return rows;
  },
};
