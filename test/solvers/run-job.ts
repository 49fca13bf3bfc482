import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FinishedRun } from '../../src/proof/job.ts';
import type { Axis, Plot } from '../../src/solvers/plot.ts';
import type { Field, Presentation, Solver, Verdict } from '../../src/solvers/solver.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { driveRun, instantiateKernel, type KernelExports } from '../../workers/kernel-host.ts';
import { evidenceOf } from './evidence.ts';
import { noteShown, numbersWithoutUnit } from './units-of-outputs.ts';

const folder = new URL('../../kernels/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Record<
  string,
  { sha256: string }
>;
const instances = new Map<string, KernelExports>();

export function kernelDigest(name: string): string {
  const entry = manifest[name];
  if (!entry) throw new Error(`no kernel ${name}; run npm run build`);
  return entry.sha256;
}

export function kernelModule(name: string): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(new URL(`${kernelDigest(name)}.wasm`, folder)));
}

/** One run of a kernel in this thread, on a reused instance. */
export function runKernel(name: string, parameters: Uint8Array, stepsPerSegment: number): FinishedRun {
  const kernel = instances.get(name) ?? instantiateKernel(kernelModule(name));
  instances.set(name, kernel);
  return driveRun(kernel, {
    kernel: kernelDigest(name),
    parameters,
    stepsPerSegment,
    memory: 2 ** 31,
    work: 0,
  });
}

/** A solver's whole job in this thread, without spine, store or server. Throws the Refusal where there is one. */
export async function runJob<Input>(
  solver: Solver<Input>,
  input: Input,
): Promise<{ verdict: Verdict; presentation: Presentation; finished: readonly FinishedRun[] }> {
  const requestHash = createHash('sha256').update(JSON.stringify(input)).digest();
  const context = { requestHash, blob: () => Promise.reject(new Error('no blobs here')) };
  const { verdict, finished } = await executeRounds(solver, input, context, async (plan, parameters) =>
    runKernel(plan.kernel, parameters, plan.stepsPerSegment),
  );
  keepGates(solver.id, verdict);
  const presentation = solver.present(input, verdict, finished);
  const without = numbersWithoutUnit(solver, input, presentation);
  if (without.length > 0) throw new Error(`${solver.id} shows numbers that have no unit: ${without}`);
  noteShown(solver, input, presentation);
  for (const plot of presentation.plots)
    if (!isDrawable(plot, presentation.fields)) throw new Error(`${solver.id} cannot draw its ${plot.title}`);
  if (presentation.fields.length > 0 && !presentation.diagnostics && solver.field)
    throw new Error(`${solver.id} shows fields that nothing describes (ENV-07)`);
  return { verdict, finished, presentation };
}

/** Whether the fields of a plot are there, and their numbers go together. */
function isDrawable(plot: Plot, fields: readonly Field[]): boolean {
  const shapeOf = (name: string): readonly number[] | undefined => {
    const shapes = new Map(fields.map((field) => [field.name, field.shape]));
    const [, rows = '', column] = /^(.+)\[(\d+)\]$/.exec(name) ?? [];
    const ofRows = shapes.get(rows);
    return shapes.get(name) ?? (ofRows && Number(column) < ofRows[1]! ? [ofRows[0]!] : undefined);
  };
  const count = (shape: readonly number[] | undefined) => shape?.reduce((a, b) => a * b, 1);
  if (plot.kind === 'map') {
    const shape = shapeOf(plot.field);
    const [rows, columns] = shape?.length === 2 ? shape : [count(shape), count(shape)];
    const isPlaced = (axis: Axis, places: number | undefined) =>
      typeof axis === 'string' ? count(shapeOf(axis)) === places : shape?.length === 2 && axis.from < axis.to;
    return shape !== undefined && isPlaced(plot.x, columns) && isPlaced(plot.y, rows);
  }
  const x = typeof plot.x === 'string' ? count(shapeOf(plot.x)) : undefined;
  const curves = typeof plot.y === 'string' ? [plot.y] : plot.y;
  return curves.every((name) => shapeOf(name) && (typeof plot.x !== 'string' || count(shapeOf(name)) === x));
}

function keepGates(solver: string, verdict: Verdict): void {
  const { gates } = evidenceOf(solver);
  for (const { name, relError: error, bound } of verdict.gates) {
    const before = gates[name];
    if (!before || error / bound > before.error / before.bound) gates[name] = { error, bound };
  }
}
