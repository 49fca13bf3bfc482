import { Refusal } from '../../src/errors/refusal.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { evidenceOf } from './evidence.ts';
import { kernelDigest, runKernel } from './run-job.ts';

/** How a gate ends a job, or a kernel that watches itself; another refusal says nothing of what was computed. */
export const heldBack =
  /^(OUTSIDE_TOLERANCE|DID_NOT_CONVERGE|NON_FINITE|ENERGY_NOT_CONSERVED|NEGATIVE_CONCENTRATION|UNDER_CONSTRAINED)$/;

/** The refusal that ends a solver's job with the kernel `name` replaced by a broken twin, or undefined; kept as evidence. */
export async function refusalOfTwin<Input>(
  solver: Solver<Input>,
  input: Input,
  name: string,
  twin: WebAssembly.Module,
): Promise<Refusal | undefined> {
  const refusal = await refusalWith(solver, input, name, twin);
  const ended = refusal?.code ?? 'sealed';
  evidenceOf(solver.id).twins.push({ ended, refused: heldBack.test(ended) });
  return refusal;
}

/** The same with any kernel in the place of `name`: a whole one, whose job is to be sealed, is no evidence of a gate. */
export async function refusalWith<Input>(
  solver: Solver<Input>,
  input: Input,
  name: string,
  twin: WebAssembly.Module,
): Promise<Refusal | undefined> {
  const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('no blobs here')) };
  const kernel = instantiateKernel(twin);
  try {
    await executeRounds(solver, input, context, async ({ kernel: of, stepsPerSegment }, parameters) =>
      of === name
        ? driveRun(kernel, {
            kernel: kernelDigest(name),
            parameters,
            stepsPerSegment,
            memory: 2 ** 31,
            work: 0,
          })
        : runKernel(of, parameters, stepsPerSegment),
    );
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
