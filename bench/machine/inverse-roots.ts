import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';

const count = quick ? 1e5 : 1e7;
const rounds = quick ? 3 : 15;

/** Σ 1/√i: the divider sets the pace of every pair force, and here nothing else does. */
function inverseRoots(): { rate: number; checksum: number } {
  const start = performance.now();
  let checksum = 0;
  for (let i = 1; i <= count; i++) checksum += 1 / Math.sqrt(i);
  return { rate: count / (performance.now() - start) / 1e3, checksum };
}

/** What one core of this machine gives: the yardstick for the figures below it. */
export const figure: Figure = {
  title: `machine: sum of ${count} inverse roots → M/s, plain JavaScript against C strict`,
  async run() {
    const row = { figure: 'machine: inverse roots in plain JavaScript', unit: 'M/s', against: 'C strict' };
    if (nativeMissing) {
      const { js } = await alternatingMedians(rounds, { js: () => inverseRoots().rate });
      return [rated({ ...row, value: js, peer: nativeMissing })];
    }
    const native = new NativePeer<{ rate: number; checksum: number }>('inverse-roots', [count]);
    const { checksum } = await native.round();
    if (checksum !== inverseRoots().checksum) throw new Error('C and JavaScript differ in a bit');
    const { js, c } = await alternatingMedians(rounds, {
      js: () => inverseRoots().rate,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value: js, peer: c })];
  },
};
