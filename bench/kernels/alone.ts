import type { FinishedRun } from '../../src/proof/job.ts';
import { kernelModule } from '../../test/solvers/run-job.ts';
import { instantiateKernel, RUNNING } from '../../workers/kernel-host.ts';

const BUDGET = 5_000_000;

export type Alone = (parameters: Uint8Array) => Pick<FinishedRun, 'result' | 'status' | 'steps' | 'work'>;

/**
 * A kernel from its parameters to its result and its rows, as a program in C has it: none of the host's hashes and copies,
 * which a row can cost more than what computes it.
 */
export function kernelAlone(name: string): Alone {
  const kernel = instantiateKernel(kernelModule(name));
  return (parameters) => {
    const at = kernel.configure(parameters.length) >>> 0;
    new Uint8Array(kernel.memory.buffer, at, parameters.length).set(parameters);
    while (kernel.start(BUDGET) === 0);
    let steps = 0;
    while (kernel.status() === RUNNING) {
      steps += kernel.advance(2 ** 26, BUDGET);
      if (kernel.drainLength() > 0) kernel.drain();
    }
    const result = new Uint8Array(
      kernel.memory.buffer,
      kernel.result() >>> 0,
      kernel.resultLength() >>> 0,
    ).slice();
    return { result, status: kernel.status(), steps, work: kernel.work() };
  };
}
