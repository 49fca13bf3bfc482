import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { compileKernel } from '../kernels/assembly-module.ts';
import { pythonMissing } from '../servers/python.ts';
import { edgeProbes } from './edge-probes.ts';
import { ProbeFolder } from './engines.ts';
import { firstDifference } from './first-difference.ts';
import { mathProbes } from './math-probes.ts';
import { engines, newerNode, newerNodeMissing } from './node-binaries.ts';
import { probeRequests } from './probe-requests.ts';
import { type ProbeOutcome, runProbes } from './probe-run.ts';
import { base64, builtKernels, joined, type ProbeSuite, probeSuite } from './probe-suite.ts';

// HON-17, bit for bit: every solver's probes and every function of the kernels' mathematics give the digests of this Node on
// each engine there is (docs/determinism.md).

t.setTimeout(600_000);
const kernels = builtKernels(new URL('../../kernels/', import.meta.url));
const suite = joined(await probeSuite(probeRequests(), kernels), edgeProbes(kernels), await mathProbes());
const folder = new ProbeFolder(suite);
t.teardown(() => folder.remove());

const here = runProbes(suite, { fresh: true, checkpoints: true });
const runs = here.jobs.flatMap((job) => job.runs);
const digests = runs.reduce((sum, run) => sum + run.digests.length, 0);
t.comment(`${suite.jobs.length} jobs, ${runs.length} runs, ${digests} segment digests`);

/** Says what differs first, and what the engine took. */
async function agrees(t: Test, engine: Promise<ProbeOutcome>): Promise<ProbeOutcome> {
  const outcome = await engine;
  t.comment(`${outcome.cpuSeconds.toFixed(1)} s of processor time`);
  t.equal(firstDifference(suite, here, outcome), undefined);
  return outcome;
}

for (const { name, node, flags } of engines()) {
  t.test(`the same digests on ${name}`, (t) => agrees(t, folder.node(node, flags)));
}

t.test('the same digests without AVX and FMA', { skip: process.arch !== 'x64' && 'not x64' }, (t) => {
  const flags = ['--no-liftoff', '--no-enable-avx', '--no-enable-avx2', '--no-enable-fma3'];
  return agrees(t, folder.node(process.execPath, flags));
});

t.test('the same digests on a newer Node that tiers up as it likes', { skip: newerNodeMissing }, (t) =>
  agrees(t, folder.node(newerNode!, [])),
);

t.test('a newer Node goes on from the middle of each run that began here', { skip: newerNodeMissing }, (t) =>
  agrees(t, folder.node(newerNode!, [], {}, here)),
);

t.test('Wasmtime, another engine altogether', { skip: pythonMissing }, async (t) => {
  t.test('gives the same digests, with every NaN of arithmetic made positive', async (t) => {
    const options = { canonicalNans: true, checkpoints: true, backwards: true };
    const outcome = await agrees(t, folder.wasmtime(options));
    t.test('and this Node goes on from the middle of each run that began there', (t) =>
      agrees(t, folder.node(process.execPath, [], {}, outcome)),
    );
  });
  t.test('goes on from the middle of each run that began here, without optimizing', (t) =>
    agrees(t, folder.wasmtime({ optimization: 'none', budget: 1_000_000 }, here)),
  );
});

// 0 ÷ 0 is a negative NaN on x64 and a positive one on ARM: a state that held it would split the digests.
const leak = `
import { countStep, finish, openResult, openState, restoreState, spend } from "../kernel/frame";
export { configure, status, state, stateLength, drain, drainLength, observe, observeLength,
  result, resultLength, work } from "../kernel/frame";
let body: usize = 0;
export function start(budget: i32): i32 { body = openState(8); openResult(8); return 1; }
export function restore(length: i32): usize { start(1); return restoreState(length); }
export function resumed(budget: i32): i32 { return 1; }
export function advance(steps: i32, budget: i32): i32 {
  store<f64>(body, load<f64>(body) / load<f64>(body)); countStep(); spend(1); finish();
  return 1;
}`;

const x64 = process.arch !== 'x64' && 'only x64 has negative NaNs to tell apart';
t.test('a NaN that leaks into a state is seen', { skip: pythonMissing || x64 }, async (t) => {
  const twin = await leakingSuite();
  const twinFolder = new ProbeFolder(twin);
  t.teardown(() => twinFolder.remove());
  const outcome = await twinFolder.wasmtime({ canonicalNans: true });
  t.match(firstDifference(twin, runProbes(twin), outcome), /^test, leak: run 0 \(twin\), segment 1: digest /);
});

async function leakingSuite(): Promise<ProbeSuite> {
  const module = await compileKernel(leak);
  const kernel = createHash('sha256').update(module).digest('hex');
  const run = { kernel, label: 'twin', parts: [], stepsPerSegment: 1, plannedResult: '' };
  const jobs = [{ solver: 'test', request: 'leak', ends: 'finished', runs: [run] }];
  return { format: 'svc-probes-1', kernels: { [kernel]: base64(module) }, blobs: {}, jobs };
}
