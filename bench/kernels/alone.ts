import { kernelModule } from '../../test/solvers/run-job.ts';
import { instantiateKernel, RUNNING } from '../../workers/kernel-host.ts';

const BUDGET = 5_000_000;

/**
 * A kernel from its parameters to its result and its rows, as a program in C has it: none of the host's hashes and copies,
 * which a row can cost more than what computes it.
 */
export function kernelAlone(name: string): (parameters: Uint8Array) => void {
  const kernel = instantiateKernel(kernelModule(name));
  return (parameters) => {
    const at = kernel.configure(parameters.length) >>> 0;
    new Uint8Array(kernel.memory.buffer, at, parameters.length).set(parameters);
    while (kernel.start(BUDGET) === 0);
    while (kernel.status() === RUNNING) {
      kernel.advance(2 ** 26, BUDGET);
      if (kernel.drainLength() > 0) kernel.drain();
    }
  };
}
