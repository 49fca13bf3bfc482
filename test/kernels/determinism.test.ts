import t from 'tap';
import { edgeProbes } from '../engines/edge-probes.ts';
import { firstDifference } from '../engines/first-difference.ts';
import { probeRequests } from '../engines/probe-requests.ts';
import {
  type ProbeOptions,
  type ProbeOutcome,
  runProbes,
  type SavedCheckpoint,
} from '../engines/probe-run.ts';
import { builtKernels, joined, type ProbeSuite, probeSuite } from '../engines/probe-suite.ts';
import { compileKernel } from './assembly-module.ts';

// The same runs in this one engine, gone through in other ways. Other engines: test/engines/same-digests.test.ts.

t.setTimeout(300_000);
const kernels = builtKernels(new URL('../../kernels/', import.meta.url));
const suite = joined(await probeSuite(probeRequests(), kernels), edgeProbes(kernels));
const reference = runProbes(suite, { fresh: true, checkpoints: true });

const ways: Readonly<Record<string, ProbeOptions>> = {
  'budgets of one unit, on used instances': { budget: 1 },
  'the largest budget, with other runs before each': { budget: 2 ** 31 - 1, backwards: true },
  'an odd budget': { budget: 77_777, fresh: true },
  'a checkpoint in the middle of each run': { resumeFrom: reference },
  'a checkpoint, with budgets of one unit on used instances': {
    resumeFrom: reference,
    budget: 1,
    backwards: true,
  },
};

for (const [way, options] of Object.entries(ways)) {
  t.test(`every digest is the same with ${way}`, async (t) => {
    t.equal(firstDifference(suite, reference, runProbes(suite, options)), undefined);
  });
}

t.test('a result does not depend on how a run is cut into segments', async (t) => {
  for (const [i, job] of suite.jobs.entries()) {
    const planned = job.runs.map(({ plannedResult }) => plannedResult);
    const cut = reference.jobs[i]!.runs.map(({ resultHash }) => resultHash);
    t.strictSame(cut, planned, `${job.solver}, ${job.request}`);
  }
});

t.test('the probes reach every kernel, end in errors too, and leave something to resume', async (t) => {
  const unreached = kernels.names().filter((name) => suite.kernels[kernels.digest(name)] === undefined);
  t.strictSame(unreached, [], 'a kernel that no example and no probe runs');
  const ends = new Set(suite.jobs.map((job) => job.ends));
  for (const code of ['NON_FINITE', 'DID_NOT_CONVERGE', 'OUTSIDE_TOLERANCE', 'ENERGY_NOT_CONSERVED'])
    t.ok(ends.has(code), code);
  const middles = reference.jobs
    .flatMap(({ runs }) => runs)
    .filter(({ checkpoint }) => (checkpoint?.segment ?? 0) > 0);
  t.ok(middles.length > 50, `${middles.length} runs have a checkpoint behind their start`);
});

/** The lowest bit of a number in the middle of the state. */
function disturbed(checkpoint: SavedCheckpoint): SavedCheckpoint {
  const state = Buffer.from(checkpoint.state, 'base64');
  state[8 * Math.floor(state.length / 16)]! ^= 1;
  return { ...checkpoint, state: state.toString('base64') };
}

/** The job of this suite alone, and its outcome with one bit of the checkpoint of run 0 turned over. */
function twin(index: number): {
  readonly suite: ProbeSuite;
  readonly expected: ProbeOutcome;
  readonly from: ProbeOutcome;
} {
  const job = reference.jobs[index]!;
  const runs = job.runs.map((run, i) => (i === 0 ? { ...run, checkpoint: disturbed(run.checkpoint!) } : run));
  return {
    suite: { ...suite, jobs: [suite.jobs[index]!] },
    expected: { ...reference, jobs: [job] },
    from: { ...reference, jobs: [{ ...job, runs }] },
  };
}

for (const solver of ['solve', 'multibody', 'fea', 'gauge', 'zeta']) {
  t.test(`a single bit that turns over in a state of ${solver} is found and named`, async (t) => {
    const index = suite.jobs.findIndex(
      (job, i) => job.solver === solver && (reference.jobs[i]!.runs[0]!.checkpoint?.segment ?? 0) > 0,
    );
    const { segment } = reference.jobs[index]!.runs[0]!.checkpoint!;
    const { suite: alone, expected, from } = twin(index);
    const found = firstDifference(alone, expected, runProbes(alone, { resumeFrom: from }));
    const { request, runs } = suite.jobs[index]!;
    t.match(found, `${solver}, ${request}: run 0 (${runs[0]!.label}), segment ${segment + 1}: digest `);
  });
}

t.test('work, steps, status and result are compared too', async (t) => {
  const change = (changed: object): ProbeOutcome => {
    const [first, ...others] = reference.jobs[0]!.runs;
    const job = { ...reference.jobs[0]!, runs: [{ ...first!, ...changed }, ...others] };
    return { ...reference, jobs: [job, ...reference.jobs.slice(1)] };
  };
  const found = (changed: object) => firstDifference(suite, reference, change(changed));
  t.match(found({ runHash: '' }), / run 0 \(verdict\), parameters: run hash /);
  t.match(found({ digests: reference.jobs[0]!.runs[0]!.digests.slice(0, 1) }), /segment 1: digest undefined/);
  t.match(found({ status: 17 }), /status 17, not 1$/);
  t.match(found({ steps: 0 }), /steps 0/);
  t.match(found({ work: '1' }), /work 1/);
  t.match(found({ resultHash: 'x' }), /resultHash x/);
  t.match(firstDifference(suite, reference, { ...reference, jobs: [] }), /was not executed$/);
});

t.test('a kernel that forgets its state between calls does not pass', async (t) => {
  // Sums in a variable of its own that no state holds: a resumed run starts it from nothing.
  const forgetful = await compileKernel(`
import { countStep, finish, openResult, openState, restoreState, running, spend, stepsDone } from "../kernel/frame";
export { configure, status, state, stateLength, drain, drainLength, observe, observeLength,
  result, resultLength, work } from "../kernel/frame";
let sum: f64 = 0;
let body: usize = 0;
function layout(): void { body = openState(8); openResult(8); sum = 0; }
export function start(budget: i32): i32 { layout(); return 1; }
export function restore(length: i32): usize { layout(); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }
export function advance(steps: i32, budget: i32): i32 {
  let taken = 0;
  for (; taken < steps && running(); taken++) {
    sum += 1.0; store<f64>(body, sum); countStep(); spend(1);
    if (stepsDone() == 8) finish();
  }
  return taken;
}`);
  const alone = oneRun(forgetful);
  const whole = runProbes(alone, { checkpoints: true });
  t.match(
    firstDifference(alone, whole, runProbes(alone, { resumeFrom: whole })),
    /run 0 \(twin\), segment 3: digest /,
  );
});

function oneRun(module: Uint8Array): ProbeSuite {
  const kernel = '00'.repeat(32);
  const run = { kernel, label: 'twin', parts: [], stepsPerSegment: 2, plannedResult: '' };
  const jobs = [{ solver: 'test', request: 'twin', ends: 'finished', runs: [run] }];
  return {
    format: 'svc-probes-1',
    kernels: { [kernel]: Buffer.from(module).toString('base64') },
    blobs: {},
    jobs,
  };
}
