import { notchedSquare } from '../../src/solvers/fracture/examples.ts';
import type { FractureInput } from '../../src/solvers/fracture/schema.ts';
import { fracture } from '../../src/solvers/fracture.ts';
import { assemblyModule } from '../../test/kernels/assembly-module.ts';
import { runJob } from '../../test/solvers/run-job.ts';
import { besideNumpy } from '../beside-python.ts';
import { type Figure, quick, type Row, rated } from '../figure.ts';
import { NativePeer, nativeMissing } from '../native.ts';
import { alternatingMedians } from '../timing.ts';

/** Odd: without coarser grids the iterations are those of the peer, with the diagonal. */
const N = quick ? 95 : 255;
const iterations = quick ? 50 : 200;
const rounds = quick ? 3 : 9;

interface Equilibrium {
  memory: WebAssembly.Memory;
  open(cells: number): void;
  solve(iterations: number): void;
  left(): number;
}

/** Whole plate, the upper side lifted: the solver of the kernel, without its turns. */
const source = `
import { allocate, configure } from "../kernel/frame";
import { HEAD, M, N, at, fieldBytes, readProblem } from "../fracture/problem";
import { assemble, ux, uy } from "../fracture/cells";
import { beginEquilibrium, iterateEquilibrium, layElastic, residual } from "../fracture/elastic";
let d: usize = 0;
export function open(cells: i32): void {
  const p = configure(<i32>HEAD);
  store<f64>(p, <f64>cells); store<f64>(p, <f64>cells, 8); store<f64>(p, 1.0, 16);
  store<f64>(p, 1.0, 24); store<f64>(p, 1.0, 32);
  readProblem();
  layElastic(allocate(fieldBytes), allocate(fieldBytes));
  d = allocate(fieldBytes);
  for (let i = 0; i <= N; i++) { store<f64>(at(uy, i, 0), -0.5 * <f64>N); store<f64>(at(uy, i, M), 0.5 * <f64>N); }
}
export function solve(iterations: i32): void {
  assemble(d);
  beginEquilibrium();
  for (let k = 0; k < iterations; k++) iterateEquilibrium();
}
export function left(): f64 { return residual; }
`;

/** The notched square of the documentation, broken: of `cells` cells along its side. */
async function breakSquare(cells: number): Promise<Row> {
  const loading = { uMax: 8e-6, steps: quick ? 20 : 80 };
  const body = { ...notchedSquare, ell: 8e-3 / cells, N: cells, loading } as FractureInput;
  const before = process.cpuUsage();
  const { presentation } = await runJob(fracture, body);
  const { user, system } = process.cpuUsage(before);
  const { iterations } = presentation.outputs as { iterations: { all: number } };
  return {
    figure: `solvers: fracture, notched square broken on ${cells} × ${cells} cells`,
    value: loading.steps / ((user + system) / 1e6),
    unit: 'load steps/s',
    note: `${iterations.all} turns, ${((user + system) / 1e6).toFixed(1)} s of processor time`,
  };
}

/** M unknowns times iterations per second of processor time. */
function rateOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (2 * (N + 1) * (N + 1) * iterations) / (user + system);
}

export const figure: Figure = {
  title: `kernels: fracture, equilibrium on ${N} × ${N} cells, ${iterations} iterations → M DOF·it/s, against C strict and NumPy`,
  async run(): Promise<Row[]> {
    const equilibrium = await assemblyModule<Equilibrium>(source);
    const ours = () => {
      equilibrium.open(N);
      return rateOf(() => equilibrium.solve(iterations));
    };
    const row = { figure: 'kernels: fracture, conjugate gradients', unit: 'M/s', against: 'C strict' };
    ours();
    const numpy = await besideNumpy({
      figure: 'kernels: fracture, conjugate gradients',
      unit: 'M/s',
      peer: 'NumPy slices',
      ask: ['plate', { N, iterations }],
      ours,
      own: () => equilibrium.left(),
      within: 1e-3,
    });
    const square = await breakSquare(quick ? 32 : 200);
    if (nativeMissing)
      return [rated({ ...row, value: ours(), peer: nativeMissing, goal: { atMost: 1.1 } }), numpy, square];
    const native = new NativePeer<{ rate: number; checksum: number }>('fracture', [N, iterations]);
    const { checksum } = await native.round();
    const own = equilibrium.left();
    if (!(Math.abs(own - checksum) <= 1e-3 * checksum))
      throw new Error(`fracture: C has ${checksum}, the kernel ${own}`);
    const { value, c } = await alternatingMedians(rounds, {
      value: ours,
      c: async () => (await native.round()).rate,
    });
    native.close();
    return [rated({ ...row, value, peer: c, goal: { atMost: 1.1 } }), numpy, square];
  },
};
