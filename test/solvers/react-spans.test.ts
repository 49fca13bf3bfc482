import t from 'tap';
import type { FinishedRun } from '../../src/proof/job.ts';
import type { ReactInput } from '../../src/solvers/react/schema.ts';
import { react } from '../../src/solvers/react.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { kernelDigest, runKernel } from './run-job.ts';
import { testRuns } from './run-laws.ts';
import { inputOf } from './solver-test.ts';

// Rates of the caller's own are enclosed over every concentration that a node has had: the first 64 bytes of a run's
// result are followed by the least and the most of each, which go on from segment to segment and from job to job.

const still = {
  ...{ model: 'own', dim: 1, D: 0.01, Lx: 10, N: 64, boundary: 'periodic', dt: 1 / 128 },
  reaction: { u: '-(u - 0.2)/2' },
  initialState: { u: new Array(65).fill(0.6) },
};
const START = 0.6;
const uAt = (time: number) => 0.2 + 0.4 * Math.exp(-time / 2);
const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('no blobs here')) };

/** The runs of a job, those of `react` by a kernel of its own where one is given. */
async function runsOf(input: ReactInput, twin?: WebAssembly.Module): Promise<readonly FinishedRun[]> {
  const kernel = twin && instantiateKernel(twin);
  const { finished } = await executeRounds(react, input, context, async (plan, parameters) =>
    kernel && plan.kernel === 'react'
      ? driveRun(kernel, {
          ...{ kernel: kernelDigest('react'), parameters, stepsPerSegment: plan.stepsPerSegment },
          ...{ memory: 2 ** 31, work: 0 },
        })
      : runKernel(plan.kernel, parameters, plan.stepsPerSegment),
  );
  return finished;
}

const spanOf = (runs: readonly FinishedRun[]) => {
  const { buffer, byteOffset } = runs[0]!.result;
  const numbers = new DataView(buffer, byteOffset);
  return [numbers.getFloat64(64, true), numbers.getFloat64(72, true)] as const;
};

async function goneOn(): Promise<ReactInput> {
  const first = inputOf(react, { ...still, t_end: 1 });
  const runs = (await runsOf(first)).slice(0, 3).map(({ result }) => ({ kernel: 'react', result }));
  const earlier = { id: 'job_1', first, firstHash: new Uint8Array(32), runs };
  return react.continuation!.join({ t_end: 2 } as ReactInput, earlier);
}

/** To the first order of the steps. */
const isNear = (found: number, expected: number) => Math.abs(found - expected) <= 1e-3;

t.test('a run keeps the least and the most that it met', async (t) => {
  const [least, most] = spanOf(await runsOf(inputOf(react, { ...still, t_end: 2 })));
  t.ok(isNear(least, uAt(2)) && isNear(most, START), `${least} to ${most}`);
});

t.test('a run that goes on keeps what the runs before it met; one that does not is another', async (t) => {
  const input = await goneOn();
  t.strictSame(spanOf(await runsOf(input)), spanOf(await runsOf(inputOf(react, { ...still, t_end: 2 }))));
  const fault = {
    file: 'assembly/kernels/react.ts',
    find: '  memory.copy(body, from, RESULT_HEAD);\n',
    replace: '  memory.copy(body, from, RESULT_HEAD);\n  openSpans(body + SPANS);\n',
  };
  const [, mostOfTwin] = spanOf(await runsOf(input, await brokenTwin('assembly/kernels/react.ts', fault)));
  t.notOk(isNear(mostOfTwin, START), `a kernel that begins anew has met ${mostOfTwin} at most`);
});

testRuns(react, inputOf(react, { ...still, t_end: 1 }));
