import { heat } from '../../src/solvers/heat.ts';
import { readInput } from '../../src/solvers/input.ts';
import { react } from '../../src/solvers/react.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { flagsOf, NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians, type Contender } from '../timing.ts';
import { kernelAlone } from './alone.ts';

const N = quick ? 128 : 512;
const steps = quick ? 208 : 1024;
const rounds = quick ? 3 : 9;

/** A spot of v in the middle of u; the same numbers in C. */
function pulse() {
  const u: number[] = [];
  const v: number[] = [];
  for (let j = 0; j <= N; j++)
    for (let i = 0; i <= N; i++) {
      const [x, y] = [i - N / 2, j - N / 2];
      const g = Math.exp(-(x * x + y * y) / (0.01 * N * N));
      u.push(1 - 0.5 * g);
      v.push(0.25 * g);
    }
  return { u, v };
}

/** What a kernel and its peer in C both run, and the number that must come out of both. */
interface Case {
  readonly name: string;
  readonly solver: Solver;
  readonly body: object;
  readonly cells: number;
  /** Digits that the two share: 0 where C adds in the same order. */
  readonly agrees: number;
  readonly check: (result: Float64Array) => number;
}

const cases: readonly Case[] = [
  {
    name: 'heat',
    solver: heat as unknown as Solver,
    body: {
      alpha: 1,
      Lx: N,
      Ly: N,
      initial: { type: 'uniform', T: 100 },
      boundary: { type: 'dirichlet', T: 0 },
      scheme: 'explicit',
      dt: 0.2,
      t_end: 0.2 * steps,
      N,
    },
    cells: (N - 1) * (N - 1),
    agrees: 1e-12,
    check: (result) => result[8 + 4 * (N + 1) + (N / 2) * (N + 1) + N / 2]!,
  },
  {
    name: 'react',
    solver: react as unknown as Solver,
    body: {
      model: 'grayscott',
      Du: 25.6,
      Dv: 12.8,
      F: 0.04,
      k: 0.06,
      Lx: N,
      Ly: N,
      boundary: 'periodic',
      initialState: pulse(),
      dt: 1 / 128,
      t_end: steps / 128,
      N,
    },
    cells: N * N,
    agrees: 1e-9,
    check: (result) => result[12 + 5 * (N + 1) + (N / 2) * (N + 1) + N / 2]!,
  },
];

/** The same loop with all that this processor has, and with vectors as wide as WebAssembly's. */
const ways = {
  'C strict': flagsOf.strict,
  'C strict, 128-bit vectors': ['-O3', '-ffp-contract=off', '-fno-math-errno'],
};

const context = { requestHash: new Uint8Array(32) };

/** The first run of the job: the finest grid. */
function runOf({ solver, body }: Case): () => Float64Array {
  const { input } = readInput(solver.input, body);
  const { kernel, parts } = solver.plan(input, context).runs[0]!;
  const alone = kernelAlone(kernel);
  const parameters = Buffer.concat(parts.flatMap((part) => ('bytes' in part ? [part.bytes] : [])));
  return () => new Float64Array(alone(parameters).result.buffer);
}

/** M cells per second of processor time. */
function rateOf(count: number, work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return count / (user + system);
}

async function rowsOf(each: Case): Promise<Row[]> {
  const run = runOf(each);
  const row = { figure: `kernels: ${each.name}, cell updates`, unit: 'M/s' };
  const contenders: Record<string, Contender> = { ours: () => rateOf(each.cells * steps, run) };
  if (nativeMissing) {
    const { ours } = await alternatingMedians(rounds, contenders);
    return [rated({ ...row, value: ours!, against: 'C strict', peer: nativeMissing, goal: { atMost: 1.1 } })];
  }
  const peers = Object.entries(ways).map(([way, flags]) => ({
    way,
    native: new NativePeer<{ rate: number; checksum: number }>('stencils', [each.name, N, steps], flags),
  }));
  const own = each.check(run());
  for (const { way, native } of peers) {
    const { checksum } = await native.round();
    if (!(Math.abs(own - checksum) <= each.agrees * Math.abs(checksum)))
      throw new Error(`${each.name}: ${way} has ${checksum}, the kernel ${own}`);
    contenders[way] = async () => (await native.round()).rate;
  }
  const measured: Record<string, number> = await alternatingMedians(rounds, contenders);
  for (const { native } of peers) native.close();
  return peers.map(({ way }) =>
    rated({ ...row, value: measured.ours!, against: way, peer: measured[way]!, goal: { atMost: 1.1 } }),
  );
}

/** The kernels alone, with their balances and rows; C has the bare loop, of react with its sums. */
export const figure: Figure = {
  title: `kernels: stencils, ${N} × ${N} cells, ${steps} steps → M cell updates/s, against C strict`,
  async run() {
    const rows: Row[] = [];
    for (const each of cases) rows.push(...(await rowsOf(each)));
    return rows;
  },
};
