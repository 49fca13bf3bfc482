import { Layout } from '../../src/solvers/layout.ts';
import { type DriveOptions, driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { kernelDigest, kernelModule } from '../solvers/run-job.ts';

/** One run of the kernel `fea` by its parameters (assembly/fem/problem.ts), for laws that no request shows. */
export interface Mesh {
  readonly patches: readonly Patch[];
  readonly supports: readonly (readonly number[])[];
  readonly loads?: readonly (readonly number[])[];
  readonly corners?: number;
  readonly unknowns?: 1 | 2;
  readonly modulus?: number;
  readonly nu?: number;
  readonly source?: readonly [number, number];
  readonly iterations?: number;
  readonly probe?: readonly [number, number];
  readonly component?: number;
  readonly samples?: number;
  readonly manufactured?: boolean;
}
export interface Patch {
  readonly points: readonly (readonly [number, number])[];
  readonly cells: readonly [number, number];
  /** Last over first cell length. */
  readonly grade?: readonly [number, number];
  readonly corners?: readonly number[];
  readonly neighbours?: readonly number[];
}

const zeros = (n: number): number[] => Array.from({ length: n }, () => 0);

export const square: Patch['points'] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
];

/** A side held at zero in the unknowns of the mask. */
export const heldSide = (patch: number, side: number, mask = 3): number[] => [
  0,
  patch,
  side,
  0,
  0,
  mask & 1,
  ...zeros(8),
  mask >> 1,
  ...zeros(9),
];
export const heldSquare = [0, 1, 2, 3].map((side) => heldSide(0, side));
/** A force spread evenly over a side. */
export const sideTotal = (patch: number, side: number, x: number, y: number): number[] => [
  ...[0, patch, side, 0, 0, 1],
  ...[x, 0, 0, y, 0, 0],
  ...zeros(4),
];

export function parameters(mesh: Mesh): Uint8Array {
  const { patches, supports, loads = [], probe } = mesh;
  const layout = new Layout()
    .f64(mesh.unknowns ?? 1, 0, mesh.modulus ?? 1, mesh.nu ?? 0, 1, ...(mesh.source ?? [0, 0]))
    .f64(1e-12, mesh.iterations ?? 200, patches.length, mesh.corners ?? 4, supports.length, loads.length)
    .f64(0, mesh.component ?? 0, probe ? 1 : 0, ...(probe ?? [0, 0]), mesh.samples ?? 0)
    .f64(mesh.manufactured ? 1 : 0, 0, 0, 0, 0);
  for (const { points, cells, grade = [1, 1], corners, neighbours } of patches) {
    const nine = Array.from({ length: 9 }, (_, i) => points[i] ?? [0, 0]);
    layout.f64s(nine.flat()).f64(points.length, ...cells, ...cells, ...grade);
    layout.f64(...(corners ?? [0, 1, 2, 3]), ...(neighbours ?? [-1, -1, -1, -1]), ...zeros(7));
  }
  for (const row of [...supports, ...loads]) layout.f64s(row);
  return layout.bytes();
}

const kernel = instantiateKernel(kernelModule('fea'));

/** Bytes of the memory of a kernel that ran this mesh alone. */
export function feaMemory(mesh: Mesh): number {
  const bytes = parameters(mesh);
  const { memory, configure, start } = instantiateKernel(kernelModule('fea'));
  new Uint8Array(memory.buffer, configure(bytes.length), bytes.length).set(bytes);
  while (start(1e6) === 0);
  return memory.buffer.byteLength;
}

export function runFea(mesh: Mesh, stepsPerSegment = 1000, options: DriveOptions = {}) {
  const spec = { kernel: kernelDigest('fea'), parameters: parameters(mesh), stepsPerSegment };
  const run = driveRun(kernel, { ...spec, memory: 2 ** 31, work: 0 }, options);
  return { run, numbers: new Float64Array(run.result.slice().buffer) };
}

/** Places in the result (assembly/fem/output.ts). */
export const Place = {
  value: 0,
  energy: 2,
  patch: 9,
  iterations: 10,
  balance: 12,
  unknowns: 13,
  samples: 419,
};
