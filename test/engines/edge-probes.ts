import { sha256 } from '#crypto';
import { edgeQuestions } from '../../mesh/contributor/edge-questions.ts';
import { toHex } from '../../src/proof/bytes.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { base64, type KernelSource, type ProbeSuite } from './probe-suite.ts';

/** Every kind of instruction on values where rounding, denormals, signed zeros and NaN decide. */
export function edgeProbes(kernels: KernelSource): ProbeSuite {
  const kernel = kernels.digest('selftest');
  const bytes = kernels.bytes(kernel);
  const instance = instantiateKernel(new WebAssembly.Module(bytes as BufferSource));
  const jobs = edgeQuestions(kernels).map(({ probe, parameters, stepsPerSegment }) => {
    const whole = { kernel, parameters: Buffer.from(parameters, 'base64'), stepsPerSegment: 1000 };
    const { result } = driveRun(instance, { ...whole, memory: 2 ** 31, work: 0 });
    const run = { kernel, label: 'edges', parts: [{ bytes: parameters }], stepsPerSegment };
    const runs = [{ ...run, plannedResult: toHex(sha256(result)) }];
    return { solver: 'selftest', request: probe, ends: 'finished', runs };
  });
  return { format: 'svc-probes-1', kernels: { [kernel]: base64(bytes) }, blobs: {}, jobs };
}
