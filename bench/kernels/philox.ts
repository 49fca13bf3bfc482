import { assemblyModule } from '../../test/kernels/assembly-module.ts';
import { type Figure, quick, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';

interface Random {
  fill(count: number): void;
}

const count = quick ? 2 ** 17 : 2 ** 23;
const rounds = quick ? 3 : 11;

/** Blocks of 1024 counters, so that the uniforms stay in L1 between the two passes. */
const source = `
import { uniformsOfDraws } from "./philox";
import { normals } from "./normal";
function block(first: u32): void {
  const at = (__heap_base + 15) & ~15;
  uniformsOfDraws(first, 0, 0, 1024, 1 << 24, 42, 0, at, at + 8192);
  normals(at, 2048, at + 16384);
}
export function fill(count: u32): void { for (let i: u32 = 0; i < count / 2; i += 1024) block(i); }
`;

/** Normals by Philox4x32-10 and AS 241, against what one writes first in C: scalar Philox and Box–Muller with libm. */
export const figure: Figure = {
  title: `kernels: Philox and normals, ${count} → M normals/s, against libm-based C`,
  async run() {
    const random = await assemblyModule<Random>(source);
    const ours = () => {
      const before = process.cpuUsage();
      random.fill(count);
      const { user, system } = process.cpuUsage(before);
      return count / (user + system);
    };
    const row = {
      figure: 'kernels: Philox + normals',
      unit: 'M/s',
      against: 'libm-based C',
      goal: { atMost: 0.35 },
    };
    if (nativeMissing) {
      const { value } = await alternatingMedians(rounds, { value: ours });
      return [rated({ ...row, value, peer: nativeMissing })];
    }
    const native = new NativePeer('philox', [count]);
    const { value, c } = await alternatingMedians(rounds, {
      value: ours,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value, peer: c })];
  },
};
