import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { concat, toHex } from '../../src/proof/bytes.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { Layout } from '../../src/solvers/layout.ts';
import { solvers } from '../../src/solvers/registry.ts';
import type { RunSpec } from '../../workers/executor.ts';
import { type DriveOptions, driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { KernelCatalogue } from '../../workers/kernels.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { leadTeam, setSeats } from '../../workers/team.ts';
import { inputOf } from '../solvers/solver-test.ts';
import { fixtureCatalogue } from './fixture-kernels.ts';
import { teamRequests } from './team-requests.ts';

// One run on several threads gives what it gives on one, to the last bit, whoever comes and goes meanwhile.

t.setTimeout(300_000);
const built = new KernelCatalogue();
const fixtures = await fixtureCatalogue('shared', 'counter');

const moduleOf = (bytes: Uint8Array | undefined) => new WebAssembly.Module(bytes as BufferSource);
const shown = (run: FinishedRun) => ({
  digests: run.digests.map(toHex),
  rows: run.rows.map(toHex),
  result: toHex(run.result),
  ...{ status: run.status, steps: run.steps, work: run.work, observed: run.observed },
});

const alone = (catalogue: KernelCatalogue, spec: RunSpec) =>
  driveRun(instantiateKernel(moduleOf(catalogue.bytes(spec.kernel))), spec);

interface Company {
  readonly assistants: number;
  readonly options?: DriveOptions;
  /** May come or go between two calls into the kernel. */
  readonly seats?: (call: number) => number;
}

/** The run led by this thread, with assistants that are there before it begins. */
async function together(
  catalogue: KernelCatalogue,
  spec: RunSpec,
  { assistants, options = {}, seats = () => assistants }: Company,
): Promise<FinishedRun> {
  const { kernel, team } = leadTeam(moduleOf(catalogue.teamBytes(spec.kernel)));
  setSeats(team, assistants);
  const workers = Array.from({ length: assistants }, (_, i) => {
    const workerData = { team, seat: i + 1 };
    return new Worker(new URL('./assistant.js', import.meta.url), { workerData });
  });
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  let calls = 0;
  const between = () => setSeats(team, seats(++calls));
  try {
    return driveRun(kernel, spec, { between, ...options });
  } finally {
    setSeats(team, 0);
    await Promise.all(workers.map((worker) => once(worker, 'exit')));
  }
}

// ---- the blocks of a kernel made for it --------------------------------------------------------------------

const shared = (steps: number): RunSpec => ({
  kernel: fixtures.digest('shared'),
  parameters: new Layout().f64(0, steps).bytes(),
  stepsPerSegment: 50,
  memory: 2 ** 24,
  work: steps * 100_000,
});

t.test('others do blocks, with the globals that the leader had, and change none of them', async (t) => {
  for (const assistants of [1, 3]) {
    const run = await together(fixtures, shared(200), { assistants });
    const [byOthers, faults] = run.observed;
    t.ok(byOthers! > 200, `${assistants}: ${byOthers} of ${200 * 64} blocks by others`);
    t.equal(faults, 0, 'every block done once, and as the leader would');
  }
});

t.test('a leader whom nobody assists does all blocks', async (t) => {
  const run = await together(fixtures, shared(20), { assistants: 0 });
  t.same(run.observed, [0, 0]);
});

t.test('whose seat is taken away leaves, and the run goes on without', async (t) => {
  const run = await together(fixtures, shared(200), { assistants: 2, seats: (call) => (call > 20 ? 0 : 2) });
  t.equal(run.observed[1], 0);
  t.equal(run.steps, 200);
});

/** A thread that takes a block as an assistant does, and is lost before it is done; the pool says so 50 ms later. */
const thief = `
  const { parentPort, workerData: memory } = require('node:worker_threads');
  const ticket = new BigInt64Array(memory.buffer, memory.at, 1), words = new Int32Array(memory.buffer, memory.at, 6);
  parentPort.postMessage('here');
  for (;;) {
    const seen = Atomics.load(ticket, 0), block = seen & 0xffffn;
    if (block > 0n && block < ((seen >> 16n) & 0xffffn) && Atomics.compareExchange(ticket, 0, seen, seen + 1n) === seen) break;
  }
  setTimeout(() => Atomics.store(words, 5, -1), 50);`;

t.test(
  'where a block was begun and is never done, the leader traps and does not wait for ever',
  async (t) => {
    const { kernel, team } = leadTeam(moduleOf(fixtures.teamBytes(shared(1).kernel)));
    setSeats(team, 1);
    const at = team.others - 20;
    const lost = new Worker(thief, { eval: true, workerData: { buffer: team.memory.buffer, at } });
    await once(lost, 'message');
    t.throws(() => driveRun(kernel, shared(100_000)), WebAssembly.RuntimeError);
    setSeats(team, 1);
    t.equal(new Int32Array(team.memory.buffer, at, 6)[5], -1, 'and has no seats to give any more');
    await lost.terminate();
  },
);

// ---- on the pool ---------------------------------------------------------------------------------------------

t.test(
  'a long run has the threads that no other has; a short one and one thread alone have none',
  async (t) => {
    const others = async (threads: number, work: number, steps = 3000) => {
      const pool = new ThreadPool({ threads, catalogue: fixtures });
      const run = await pool.execute({ ...shared(steps), work });
      await pool.close();
      t.equal(run.observed[1], 0);
      return run.observed[0]!;
    };
    t.ok((await others(2, 6e8)) > 0, 'long');
    t.equal(await others(2, 4e8), 0, 'short');
    t.equal(await others(1, 6e8), 0, 'one thread');
  },
);

t.test('a second long run takes its thread back, and the first goes on alone', async (t) => {
  const pool = new ThreadPool({ threads: 2, catalogue: fixtures });
  const long = { ...shared(4000), work: 6e8 };
  const [first, second] = await Promise.all([pool.execute(long), pool.execute(long)]);
  for (const { observed } of [first, second]) t.equal(observed[1], 0);
  await pool.close();
});

t.test('an assisted run is cancelled like any other, and its threads are free for the next', async (t) => {
  const pool = new ThreadPool({ threads: 2, catalogue: fixtures });
  t.teardown(() => pool.close());
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 400);
  const endless = { ...shared(1e9), work: 1e12 };
  await t.rejects(pool.execute(endless, { signal: controller.signal }), { code: 'CANCELLED' });
  const next = await pool.execute({ ...shared(3000), work: 6e8 });
  t.ok(next.observed[0]! > 0, 'the next run is assisted again');
});

// ---- the kernels ---------------------------------------------------------------------------------------------

t.test('every kernel that several threads can run is asked here', async (t) => {
  const withTwins = built.names.filter((name) => built.teamBytes(built.digest(name)));
  t.same([...new Set(teamRequests.map(({ kernel }) => kernel))].sort(), withTwins.sort());
});

for (const { kernel, solver, title, body } of teamRequests)
  t.test(`${kernel}, ${title}: the same bits on one thread, on two and on four`, async (t) => {
    for (const spec of await runsOf(kernel, solver, body)) {
      const expected = shown(alone(built, spec));
      for (const assistants of [0, 1, 3])
        t.same(shown(await together(built, spec, { assistants })), expected, `${assistants} assistants`);
      const comeAndGo = { assistants: 2, seats: (call: number) => call % 3 };
      t.same(shown(await together(built, spec, comeAndGo)), expected, 'assistants that come and go');
      const slices = { assistants: 1, options: { budget: 100_000 } };
      t.same(shown(await together(built, spec, slices)), expected, 'in slices');
    }
  });

/** The runs of the request that the kernel does, with segments so short that there are several. */
async function runsOf(kernel: string, id: string, body: Record<string, unknown>): Promise<RunSpec[]> {
  const solver = solvers.find((solver) => solver.id === id)!;
  const plan = await solver.plan(inputOf(solver, body), { requestHash: new Uint8Array(32) });
  const runs = plan.runs.filter((run) => run.kernel === kernel);
  t.ok(runs.length > 0, kernel);
  return runs.map(({ parts, memory, work }) => ({
    kernel: built.digest(kernel),
    parameters: concat(parts.map((part) => (part as { bytes: Uint8Array }).bytes)),
    ...{ stepsPerSegment: 7, memory, work },
  }));
}
