import { readInput } from '../../src/solvers/input.ts';
import { opt } from '../../src/solvers/opt.ts';
import { afiro } from '../../test/solvers/afiro.ts';
import { runKernel } from '../../test/solvers/run-job.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians, type Contender } from '../timing.ts';

const rounds = quick ? 1 : 9;
const times = quick ? 10 : 200;
const [n, m] = [128, 64];
const range = <T>(count: number, item: (i: number) => T) => Array.from({ length: count }, (_, i) => item(i));
const dense = {
  mode: 'lp',
  c: range(n, (j) => ((j * 7 + 9) % 11) - 5),
  A: range(m, (i) => range(n, (j) => ((i * 5 + j * 13 + i * j * 3) % 17) - 6)),
  b: range(m, (i) => 10 + ((i * 3 + 3) % 7)),
  lower: range(n, (j) => -((j + 3) % 4)),
  upper: range(n, (j) => 3 + ((j * 3) % 5)),
};

/** Parameters of the only run of a linear programme, and its segment length. */
function linearRun(body: object): { parameters: Uint8Array; stepsPerSegment: number } {
  const [plan] = opt.plan(readInput(opt.input, body).input as never, {
    requestHash: new Uint8Array(32),
  }).runs;
  return {
    parameters: (plan!.parts[0] as { bytes: Uint8Array }).bytes,
    stepsPerSegment: plan!.stepsPerSegment,
  };
}

/** Seconds of processor time of one run, and its pivots. */
function timed({ parameters, stepsPerSegment }: ReturnType<typeof linearRun>, repeats: number) {
  const before = process.cpuUsage();
  let result: Uint8Array = new Uint8Array();
  for (let i = 0; i < repeats; i++) result = runKernel('opt-lp', parameters, stepsPerSegment).result;
  const { user, system } = process.cpuUsage(before);
  const pivots = new DataView(result.buffer, result.byteOffset).getFloat64(8, true);
  return { seconds: (user + system) / 1e6 / repeats, pivots };
}

const pivotRate = ({ seconds, pivots }: ReturnType<typeof timed>) => pivots / seconds;

/** Linear programmes. The rates asked for are absolute, whatever the machine is doing. */
export const figure: Figure = {
  title: `kernels: opt, dual simplex, ${m} × ${n} and afiro → pivots/s, against native C`,
  async run() {
    const [whole, small] = [linearRun(dense), linearRun(afiro)];
    const peer = nativeMissing ? undefined : new NativePeer<{ rate: number }>('opt', [times * 100]);
    const contenders: Record<string, Contender> = {
      dense: () => pivotRate(timed(whole, Math.ceil(times / 10))),
      afiro: () => pivotRate(timed(small, times)),
      solves: () => 1 / timed(small, times).seconds,
    };
    if (peer) contenders.c = async () => (await peer.round()).rate;
    const measured: Record<string, number> = await alternatingMedians(rounds, contenders);
    peer?.close();
    const pivots = { figure: 'kernels: opt, dual simplex, dense', value: measured.dense!, unit: 'pivots/s' };
    const afiroRow = {
      figure: 'kernels: opt, dual simplex, afiro',
      unit: 'pivots/s',
      value: measured.afiro!,
    };
    const solves = { figure: 'kernels: opt, afiro whole', unit: 'solves/s', value: measured.solves! };
    return [
      rated({
        ...pivots,
        against: 'C strict, arithmetic of a pivot',
        peer: measured.c ?? (nativeMissing || 'none'),
      }),
      rated({ ...afiroRow, against: 'rate asked for', peer: 1e5, goal: { atLeast: 1 } }),
      rated({ ...solves, against: '1 ms', peer: 1000, goal: { atLeast: 1 } }),
    ];
  },
};
