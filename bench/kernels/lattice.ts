import { createHash } from 'node:crypto';
import { readInput } from '../../src/solvers/input.ts';
import type { LatticeInput } from '../../src/solvers/lattice/schema.ts';
import { solverOf } from '../../src/solvers/registry.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { readVerdict } from '../../src/solvers/verdict.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { assemblyModule } from '../../test/kernels/assembly-module.ts';
import { runKernel } from '../../test/solvers/run-job.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { sp7Lattice } from '../sp7-lattice.ts';
import { alternatingMedians, median } from '../timing.ts';

const side = quick ? 32 : 256;
const points = side * side;
const rounds = quick ? 3 : 9;
/** Points a second that were asked for, of the whole job. */
const ASKED = 100_000;

const lattice = solverOf('lattice') as Solver<LatticeInput>;
const body = sp7Lattice(side);

/** Points per second of processor time. */
async function rateOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (points / (user + system)) * 1e6;
}

/** Body → canonical request → plan → rows → verdict → labels: all but seal and store. */
async function job(): Promise<number> {
  const input = lattice.canonical!(readInput(lattice.input, body).input as unknown as LatticeInput);
  const requestHash = createHash('sha256').update(JSON.stringify(input)).digest();
  const context = { requestHash, blob: () => Promise.reject(new Error('no blobs here')) };
  const { finished } = await executeRounds(lattice, input, context, async (plan, parameters) =>
    runKernel(plan.kernel, parameters, plan.stepsPerSegment),
  );
  const verdict = readVerdict(finished[1]!.result, lattice.gates);
  lattice.present(input, verdict, finished);
  return verdict.value;
}

interface Tree {
  build(count: number): void;
  word(): number;
}

/** The tree alone, over points of one axis: value and coordinate are the index. */
const source = `
import { configure } from "../kernel/frame";
import { addLeaf, addNode, openTree, treeNodes, treeRoot } from "../lattice/tree";
const COORDINATE: usize = memory.data(8, 16);
export function build(count: i32): void {
  configure(0);
  openTree(count, 1);
  for (let i = 0; i < count; i++) { store<f64>(COORDINATE, <f64>i); addLeaf(i, COORDINATE, 1, <f64>i); }
  for (let i = count; i < treeNodes(count); i++) addNode();
}
export function word(): f64 { return <f64>bswap<u32>(load<u32>(treeRoot())); }
`;

async function treeRow(): Promise<Row> {
  const tree = await assemblyModule<Tree>(source);
  const row = { figure: 'lattice: tree over the points', unit: '1/s', against: 'C strict' };
  const ours = () => rateOf(() => tree.build(points));
  if (nativeMissing) return rated({ ...row, value: await ours(), peer: nativeMissing });
  const native = new NativePeer<{ rate: number; checksum: number }>('lattice', [points]);
  const { checksum } = await native.round();
  tree.build(points);
  if (checksum !== tree.word()) throw new Error('C and the kernel have different roots');
  const { value, c } = await alternatingMedians(rounds, {
    value: ours,
    c: async () => (await native.round()).rate,
  });
  native.close();
  return rated({ ...row, value, peer: c });
}

export const figure: Figure = {
  title: `lattice: SP7 at ${points} points → points/s in one process, against the rate asked for; its tree against C`,
  async run() {
    const measured: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const value = await rateOf(job);
      if (round > 0) measured.push(value);
    }
    const value = median(measured);
    return [
      {
        figure: 'lattice: SP7, body to verdict',
        ...{ value, unit: '1/s', against: 'points asked for', peer: ASKED, ratio: value / ASKED },
        ...{ goal: '≥ 1 of it', met: value >= ASKED },
        note: `mean ${await job()}`,
      },
      await treeRow(),
    ];
  },
};
