import { concat } from '../../src/proof/bytes.ts';
import type { RunPlan } from '../../src/proof/job.ts';
import { multibody } from '../../src/solvers/multibody.ts';
import { quant } from '../../src/solvers/quant.ts';
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
  return { ...specOf(plan!), stepsPerSegment };
}

/** What is paid: of a formula of one's own eight times as many points are taken at first. */
const payoffs = {
  asian: { type: 'asian-arithmetic', right: 'call', K: 100 },
  own: { type: 'payoff', payoff: 'max(A - 100, 0)' },
};

/** The shards of a price by Monte-Carlo: runs of so many fixings that know nothing of each other. */
export function priceShards(fixings: number, payoff: keyof typeof payoffs): RunSpec[] {
  const market = { S0: 100, r: 0.05, q: 0, sigma: 0.2, T: 1, seed: 42 };
  const input = { mode: 'option', fixings, ...market, ...payoffs[payoff] };
  const { runs } = quant.plan(input as Parameters<typeof quant.plan>[0], { requestHash: new Uint8Array(32) });
  return runs.filter(({ parts }) => parts.every((part) => 'bytes' in part)).map(specOf);
}

/** A run whose parameters are all known. */
function specOf({ kernel, parts, stepsPerSegment, memory: layout, work }: RunPlan): RunSpec {
  const parameters = concat(parts.map((part) => (part as { bytes: Uint8Array }).bytes));
  return { kernel: kernelDigest(kernel), parameters, stepsPerSegment, memory: 2 ** 28, layout, work };
}
