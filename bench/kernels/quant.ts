import { Layout } from '../../src/solvers/layout.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians, type Contender } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const rounds = quick ? 3 : 9;
const paths = quick ? 2 ** 18 : 2 ** 22;

/** A run's four replicates of a European call, or of an Asian with fixings. */
const parametersOf = (type: number, fixings: number, points: number) =>
  new Layout().f64(type, 0, 100, 100, 0.05, 0, 0.2, 1, 0, fixings, 0).u64(1n).f64(0, 0, points).bytes();

const quantAlone = kernelAlone('quant');
let price = 0;

/** M paths per second of processor time. */
function kernelRate(type: number, fixings: number, count: number): number {
  const before = process.cpuUsage();
  const { result } = quantAlone(parametersOf(type, fixings, count / 4));
  const { user, system } = process.cpuUsage(before);
  const sums = new Float64Array(result.buffer);
  if (type === 0) price = sums[1]! / sums[0]!;
  return count / (user + system);
}

/** @throws Error where its price is another */
async function nativeRate(peer: NativePeer<{ rate: number; checksum: number }>): Promise<number> {
  const { rate, checksum } = await peer.round();
  if (Math.abs(checksum / price - 1) > 1e-3) throw new Error(`quant.c has ${checksum}, the kernel ${price}`);
  return rate;
}

/** European and Asian paths. The floor of 5 M/s is absolute, whatever the machine is doing. */
export const figure: Figure = {
  title: `kernels: quant, ${paths} European paths → M paths/s, against native C`,
  async run() {
    const peer = nativeMissing
      ? undefined
      : new NativePeer<{ rate: number; checksum: number }>('quant', [paths / 4]);
    const contenders: Record<string, Contender> = {
      ours: () => kernelRate(0, 1, paths),
      geometric: () => kernelRate(2, 12, paths / 8),
      arithmetic: () => kernelRate(3, 12, paths / 8),
    };
    if (peer) contenders.c = () => nativeRate(peer);
    const measured: Record<string, number> = await alternatingMedians(rounds, contenders);
    peer?.close();
    const row = { figure: 'kernels: quant, European paths', value: measured.ours!, unit: 'M/s' };
    return [
      rated({ ...row, against: 'C strict, libm', peer: measured.c ?? (nativeMissing || 'not measured') }),
      rated({ ...row, against: 'rate asked for', peer: 5, goal: { atLeast: 1 } }),
      { figure: 'kernels: quant, geometric Asian, 12 fixings', value: measured.geometric!, unit: 'M/s' },
      { figure: 'kernels: quant, arithmetic Asian, 12 fixings', value: measured.arithmetic!, unit: 'M/s' },
    ];
  },
};
