import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FinishedRun } from '../../src/proof/job.ts';
import type { Presentation, Solver, Verdict } from '../../src/solvers/solver.ts';
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
  if (presentation.fields.length > 0 && !presentation.diagnostics && solver.field)
    throw new Error(`${solver.id} shows fields that nothing describes (ENV-07)`);
  return { verdict, finished, presentation };
}

function keepGates(solver: string, verdict: Verdict): void {
  const { gates } = evidenceOf(solver);
  for (const { name, relError: error, bound } of verdict.gates) {
    const before = gates[name];
    if (!before || error / bound > before.error / before.bound) gates[name] = { error, bound };
  }
}
