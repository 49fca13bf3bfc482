import { multibody } from '../../src/solvers/multibody.ts';
import type { RunSpec } from '../../workers/executor.ts';
import { kernelDigest } from '../solvers/run-job.ts';
import { figureEight } from '../spine/test-node.ts';

/** A run of the figure-eight with so many steps: what the tests of the mesh run. */
export function orbits({
  steps,
  stepsPerSegment,
}: {
  readonly steps: number;
  readonly stepsPerSegment: number;
}): RunSpec {
  const { dt } = figureEight;
  const input = { ...figureEight, t_max: steps * dt };
  const [plan] = multibody.plan(input as Parameters<typeof multibody.plan>[0], {
    requestHash: new Uint8Array(32),
  }).runs;
  const { bytes } = plan!.parts[0] as { bytes: Uint8Array };
  const kernel = kernelDigest(plan!.kernel);
  return {
    kernel,
    parameters: bytes,
    stepsPerSegment,
    memory: 2 ** 28,
    layout: plan!.memory,
    work: plan!.work,
  };
}
