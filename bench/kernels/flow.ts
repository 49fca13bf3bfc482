import { flow } from '../../src/solvers/flow.ts';
import { readInput } from '../../src/solvers/input.ts';
import { runJob } from '../../test/solvers/run-job.ts';
import { besideNumpy } from '../beside-python.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { flagsOf, NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians, type Contender } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const N = quick ? 64 : 256;
/** So many that start and answer, which C leaves out, are a hundredth of it. */
const steps = quick ? 64 : 512;
const rounds = quick ? 3 : 7;
const nu = 0.01;
const dt = quick ? 2e-3 : 2e-4;
const cells = quick ? 64 : 384;

const vortices = {
  case: 'taylor-green',
  nu,
  Lx: 1,
  Ly: 1,
  U: 1,
  t_end: steps * dt,
  dt: dt * (1 + 1e-12),
  N,
  quantity: 'u',
};
const cavity = {
  case: 'cavity',
  nu: quick ? 0.1 : 0.001,
  Lx: 1,
  Ly: 1,
  U: 1,
  lidProfile: 'uniform',
  N: cells,
  quantity: 'uMin',
};
const context = { requestHash: new Uint8Array(32) };
const inputOf = (body: object) => readInput(flow.input, body).input as never;

/** Seconds of processor time. */
async function secondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** The first run of the job: the finest grid. */
const { kernel, parts } = flow.plan(inputOf(vortices), context).runs[0]!;
const parameters = Buffer.concat(parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])));
const alone = kernelAlone(kernel);
const march = () => new Float64Array(alone(parameters).result.buffer);

const ways = {
  'C strict': flagsOf.strict,
  'C strict, 128-bit vectors': ['-O3', '-ffp-contract=off', '-fno-math-errno'],
};
const AGREES = 1e-10;
const ours: Contender = async () => (N * N * steps) / (await secondsOf(march)) / 1e6;
/** u on the face that the peers answer with. */
const ownFace = () => march()[16 + 2 * N + (N / 8) * (N + 1) + N / 8]!;
const row = { figure: 'kernels: flow, cell updates with three projections', unit: 'M/s' };

const numpyRow = () =>
  besideNumpy({
    ...row,
    peer: 'NumPy slices, SciPy FFT',
    ask: ['vortices', { N, steps, nu, dt }],
    ours,
    own: ownFace,
    within: AGREES,
  });

async function marchRows(): Promise<Row[]> {
  if (nativeMissing) {
    const measured = await alternatingMedians(rounds, { ours });
    return [
      rated({
        ...row,
        value: measured.ours!,
        against: 'C strict',
        peer: nativeMissing,
        goal: { atMost: 1.1 },
      }),
    ];
  }
  const peers = Object.entries(ways).map(([way, flags]) => ({
    way,
    native: new NativePeer<{ rate: number; checksum: number }>('flow', [N, steps, nu, dt], flags),
  }));
  const own = ownFace();
  const contenders: Record<string, Contender> = { ours };
  for (const { way, native } of peers) {
    const { checksum } = await native.round();
    if (!(Math.abs(own - checksum) <= AGREES))
      throw new Error(`flow: ${way} has ${checksum}, the kernel ${own}`);
    contenders[way] = async () => (await native.round()).rate;
  }
  const measured: Record<string, number> = await alternatingMedians(rounds, contenders);
  for (const { native } of peers) native.close();
  return peers.map(({ way }) =>
    rated({ ...row, value: measured.ours!, against: way, peer: measured[way]!, goal: { atMost: 1.1 } }),
  );
}

async function cavityRow(): Promise<Row> {
  return {
    figure: `kernels: flow, steady cavity at Re ${1 / cavity.nu}, ${cells} × ${cells} cells: three grids, twin, verdict`,
    value: await secondsOf(() => runJob(flow, inputOf(cavity))),
    unit: 's',
    note: 'processor time of the whole job',
  };
}

/** The kernel alone, with its rows; C has the bare steps. */
export const figure: Figure = {
  title: `kernels: flow, ${N} × ${N} cells, ${steps} steps → M cell updates/s with projection, against C strict and NumPy`,
  async run() {
    return [...(await marchRows()), await numpyRow(), await cavityRow()];
  },
};
