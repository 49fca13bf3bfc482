import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { FinishedRun } from '../../src/proof/job.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import type { RunSpec } from '../../workers/executor.ts';
import { driveRun, instantiateKernel, RunInProgress } from '../../workers/kernel-host.ts';
import { kernelDigest, kernelModule } from './run-job.ts';

// What holds for the runs of every kernel: they may be cut, resumed and sliced anyhow, and need the memory they state.

/** Runs of more work are too long to be run again and again here. */
const MOST_WORK = 300_000_000;
const RUNS_OF_A_KERNEL = 2;

interface Run {
  readonly kernel: string;
  readonly spec: RunSpec;
  readonly run: FinishedRun;
}

/** A job's runs with what they were started from: the first few of each kernel. */
async function runsOf<Input>(t: Test, solver: Solver<Input>, input: Input): Promise<Run[]> {
  const runs: Run[] = [];
  const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('no blobs here')) };
  await executeRounds(
    solver,
    input,
    context,
    async ({ kernel, stepsPerSegment, memory, work, label }, parameters) => {
      const spec = { kernel: kernelDigest(kernel), parameters, stepsPerSegment, memory, work };
      const instance = instantiateKernel(kernelModule(kernel));
      const run = driveRun(instance, spec);
      const { byteLength } = instance.memory.buffer;
      t.ok(byteLength <= memory, `${label} takes ${byteLength} bytes, stated are ${memory}`);
      const earlier = runs.filter((each) => each.kernel === kernel).length;
      if (earlier < RUNS_OF_A_KERNEL && Number(run.work) <= MOST_WORK) runs.push({ kernel, spec, run });
      return run;
    },
  );
  return runs;
}

/** Cut at a segment's end and resumed, a run is the uninterrupted one. */
function testCuts(t: Test, { kernel, spec, run }: Run): void {
  const fresh = () => instantiateKernel(kernelModule(kernel));
  const segments = run.digests.length - 1;
  for (const cut of new Set([0, Math.floor(segments / 2)])) {
    const part = new RunInProgress(fresh(), spec);
    part.start({});
    for (let i = 0; i < cut && part.status === 0; i++) part.advanceSegment({});
    if (part.status !== 0) continue;
    t.same(
      driveRun(fresh(), spec, { resumeFrom: part.checkpoint(0) }),
      run,
      `${kernel} after segment ${cut}`,
    );
  }
}

/** No budget changes a bit. */
function testBudgets(t: Test, { kernel, spec, run }: Run): void {
  const instance = instantiateKernel(kernelModule(kernel));
  const work = Number(run.work);
  const slices = fc.integer({ min: 2, max: 500 });
  fc.assert(
    fc.property(slices, (count) => {
      const { digests } = driveRun(instance, spec, { budget: Math.max(1, Math.floor(work / count)) });
      t.same(digests, run.digests, `${kernel} in ${count} slices`);
    }),
    { numRuns: 3 },
  );
}

/** Cuts, budgets and memory of the runs of one job. */
export async function testRunsOf<Input>(t: Test, solver: Solver<Input>, input: Input): Promise<void> {
  for (const run of await runsOf(t, solver, input)) {
    testCuts(t, run);
    testBudgets(t, run);
  }
}

export function testRuns<Input>(solver: Solver<Input>, input: Input): void {
  t.test('cut at any segment and resumed, or in slices of any budget, a run gives the same bits', async (t) =>
    testRunsOf(t, solver, input),
  );
}
