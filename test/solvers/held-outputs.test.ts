import { createHash } from 'node:crypto';
import t from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import type { FinishedRun } from '../../src/proof/job.ts';
import { fea } from '../../src/solvers/fea.ts';
import { opt } from '../../src/solvers/opt.ts';
import { outputAt, outputsFor } from '../../src/solvers/outputs.ts';
import { solvers } from '../../src/solvers/registry.ts';
import type { Presentation, Solver, Verdict } from '../../src/solvers/solver.ts';
import { executeRounds } from '../../src/spine/rounds.ts';
import { runKernel } from './run-job.ts';
import { inputOf } from './solver-test.ts';

// Whatever number of a run's result is off by a hundredth, either the verdict refuses, or no output that is not marked
// `unsealed` moves by more than the value may be off. So of stretches of numbers that swell by a tenth, smoothly, as a
// wrong method's would: no sealed field may move more than that either, over its largest number. A tenth, for where
// two steps of order 4 bound an error, their difference is 15 times as large.

const OFF = 1.01;
const SWELL = 0.1;
const BOUND = 1.5e-3;
/** What is 0 but for rounding. */
const ROUNDING = 1e-12;
/** Work of a job that is tried, and how often it is. */
const MOST_WORK = 2.5e8;
const MOST_TRIES = 60;
const MOST_WORK_OF_TRIES = 1e9;
const MOST_JOBS = 4;

/** What a run tells of itself or of its own error, which is no answer: gates bound it from above, if at all. */
const told = new Set(
  `steps iterations iterations.all iterations.mostInStep gradientIterations residual update mismatch scale range
  unknowns cells meshes.cells meshes.values grids.order divergence courant dt end gauss driftPct energyDriftPct
  energyDriftPct.symplectic energyDriftPct.rk4 energyDriftPct.rk4EqualForces energy.balanceError momentumDrift
  angularMomentumDrift positionError velocityError peakLoadError energies.largestExcess damageMove stable.unstableSteps
  SE deltaSE vegaSE plainSE plaquette.SE paths controlCoefficient sweeps measurements ends conflicts decisions propagations
  changes gradient bestStart promisedGain`.split(/\s+/),
);
/** Of these a gate holds the whole, or what the same result has of it elsewhere, and not each number alone. */
const inAll: Readonly<Record<string, readonly string[]>> = {
  // The gate of the mean over a pulse measures it by the size of the motion.
  solve: ['components.value', 'pulseMean.value'],
  multibody: ['pulseMean.value'],
  evolve: ['finalState.position', 'finalState.velocity', 'field position'],
  // Shares of a sample, within its statistical error.
  quant: ['field density'],
  // A cluster lies as well when it is turned.
  dock: ['field position'],
  // Two meshes of order 4 hold it where it is large.
  buckling: ['field w'],
};
/** Their points are jobs of others, with verdicts of their own. */
const ofOthers = ['compute', 'lattice', 'shift'];

const ofEnergy = { quantity: 'energy', probe: undefined, component: undefined };
/** Requests in place of the examples, which take longer than a test may. */
const requests: Readonly<Record<string, readonly object[]>> = {
  // The second has no reactions but rounding.
  fea: [
    ...[2, 3, 4].map((i) => fea.examples[i]!.body),
    ...[2, 3, 4].map((i) => ({ ...fea.examples[i]!.body, ...ofEnergy })),
  ],
  gauge: [{ group: 'U1', beta: 5, L: 4, seed: 1, sweeps: 16384 }],
};

interface Job {
  readonly verdict: Verdict;
  readonly presentation: Presentation;
  readonly finished: readonly FinishedRun[];
}
interface Place {
  readonly run: number;
  readonly index: number;
  /** Numbers from the index on that swell together; absent: it alone. */
  readonly length?: number;
}

/** A solver's job whose runs are kept, so that it can be judged again with one number of a result off. */
function repeatable<Input>(solver: Solver<Input>, input: Input) {
  const kept = new Map<string, FinishedRun>();
  const context = { requestHash: new Uint8Array(32), blob: () => Promise.reject(new Error('no blobs here')) };
  return async (off?: Place): Promise<Job> => {
    const executed = await executeRounds(solver, input, context, async (plan, parameters, run) => {
      const key = createHash('sha256').update(plan.kernel).update(parameters).digest('hex');
      const found = kept.get(key) ?? runKernel(plan.kernel, parameters, plan.stepsPerSegment);
      if (off === undefined) kept.set(key, found);
      return off?.run === run ? { ...found, result: withOff(found.result, off) } : found;
    });
    return { ...executed, presentation: solver.present(input, executed.verdict, executed.finished) };
  };
}

function withOff(result: Uint8Array, { index, length = 1 }: Place): Uint8Array {
  const bytes = result.slice();
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < length; i++) {
    const factor = length === 1 ? OFF : 1 + SWELL * Math.sin((Math.PI * (i + 0.5)) / length) ** 2;
    view.setFloat64(8 * (index + i), factor * view.getFloat64(8 * (index + i), true), true);
  }
  return bytes;
}

/** All of each result, and its halves and quarters, or some of them. */
function stretchesOf({ finished }: Job): Place[] {
  const all = finished.slice(0, -1).flatMap(({ result }, run) =>
    [1, 2, 4].flatMap((parts) => {
      const length = Math.floor(result.length / 8 / parts);
      return length < 4 ? [] : Array.from({ length: parts }, (_, k) => ({ run, index: k * length, length }));
    }),
  );
  const work = finished.reduce((sum, run) => sum + Number(run.work), 0);
  const stride = Math.ceil(all.length / Math.min(MOST_TRIES, MOST_WORK_OF_TRIES / work));
  return all.filter((_, i) => i % stride === 0);
}

/** The heads of all results but the verdict's, their ends, and some numbers between. */
function placesOf({ finished }: Job): Place[] {
  const runs = finished.slice(0, -1).map(({ result }, run) => {
    const count = Math.floor(result.length / 8);
    const view = new DataView(result.buffer, result.byteOffset);
    const spread = Array.from({ length: 8 }, (_, i) => Math.floor((count * i) / 8));
    const ends = Array.from({ length: Math.min(count, 40) }, (_, i) => [i, count - 1 - i]);
    const indices = [...new Set([...ends.flat(), ...spread])];
    const isNumber = (x: number) => x !== 0 && Math.abs(x) > 1e-300 && Number.isFinite(x);
    return indices
      .filter((index) => isNumber(view.getFloat64(8 * index, true)))
      .map((index) => ({ run, index }));
  });
  const all = runs.flat();
  const work = finished.reduce((sum, run) => sum + Number(run.work), 0);
  const stride = Math.ceil(all.length / Math.min(MOST_TRIES, MOST_WORK_OF_TRIES / work));
  // The heads of the first run and of the last are in the answer most often.
  const isHead = ({ run, index }: Place) => index < 8 && (run === 0 || run === finished.length - 2);
  return all.filter((place, i) => isHead(place) || i % stride === 0);
}

/** The numbers of each declared output, in one list. */
function numbersByPath(outputs: unknown): Map<string, number[]> {
  const found = new Map<string, number[]>();
  const visit = (at: unknown, path: string): void => {
    if (typeof at === 'number') found.set(path, [...(found.get(path) ?? []), at]);
    else if (Array.isArray(at)) for (const entry of at) visit(entry, path);
    else if (typeof at === 'object' && at !== null)
      for (const [name, inner] of Object.entries(at)) visit(inner, path === '' ? name : `${path}.${name}`);
  };
  visit(outputs, '');
  return found;
}

/** The numbers of each sealed field. */
function sealedFields({ presentation, finished }: Job): Map<string, readonly number[]> {
  const numbers = presentation.fields.flatMap(({ name, sealed, source: { run, of, from, length } }) => {
    const bytes = of === 'result' ? finished[run]!.result : Buffer.concat(finished[run]!.rows);
    return sealed
      ? [[name, [...new Float64Array(Uint8Array.from(bytes.subarray(from, from + length)).buffer)]] as const]
      : [];
  });
  return new Map(numbers);
}

/** How far two lists are apart, beside the largest of the first. */
function apart(sound: readonly number[], other: readonly number[] = []): number {
  const size = Math.max(...sound.map(Math.abs));
  const most = Math.max(...sound.map((x, i) => Math.abs(x - (other[i] ?? Number.NaN))));
  return size < ROUNDING ? 0 : most / size;
}

/** Outputs that moved in jobs that were sealed all the same, with the place that moved them. */
async function loose<Input>(solver: Solver<Input>, input: Input): Promise<Map<string, Place>> {
  const job = repeatable(solver, input);
  const sound = await job();
  const outputs = outputsFor(solver, input);
  const shown = numbersByPath(sound.presentation.outputs);
  const isOpen = (path: string) => {
    if (path.startsWith('unsealedFields.')) return true;
    const unsealed = outputAt(outputs, path)?.[2];
    return typeof unsealed === 'function'
      ? unsealed(input, sound.presentation.outputs)
      : unsealed !== undefined;
  };
  const held = [...shown].filter(
    ([path]) => !isOpen(path) && !told.has(path) && !inAll[solver.id]?.includes(path),
  );
  const moved = new Map<string, Place>();
  for (const place of placesOf(sound)) {
    const sealed = await job(place).catch((error) => refusedBy(error));
    if (!sealed) continue;
    const other = numbersByPath(sealed.presentation.outputs);
    for (const [path, numbers] of held) if (apart(numbers, other.get(path)) > BOUND) moved.set(path, place);
    if (apart([sound.verdict.value], [sealed.verdict.value]) > BOUND) moved.set('value', place);
  }
  const fields = sealedFields(sound);
  for (const name of fields.keys()) if (inAll[solver.id]?.includes(`field ${name}`)) fields.delete(name);
  for (const place of fields.size > 0 ? stretchesOf(sound) : []) {
    const sealed = await job(place).catch((error) => refusedBy(error));
    if (!sealed) continue;
    const others = sealedFields(sealed);
    for (const [name, numbers] of fields)
      if (others.has(name) && apart(numbers, others.get(name)) > BOUND) moved.set(`field ${name}`, place);
  }
  return moved;
}

/** A kernel may also trap on what no kernel gives. */
function refusedBy(error: unknown): undefined {
  if (error instanceof Refusal || error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
    return;
  throw error;
}

for (const solver of solvers.filter(({ id, gates }) => gates.length > 0 && !ofOthers.includes(id))) {
  const bodies = [...solver.examples, ...(solver.probes ?? [])].map(({ body }) => body);
  t.test(`${solver.id}: each output is held by a gate, or marked`, async (t) => {
    const own = requests[solver.id] ?? bodies;
    const costs = (input: Parameters<typeof solver.quote>[0]) => {
      const { work, expected = work } = solver.quote(input, { requestHash: new Uint8Array(32) });
      return expected;
    };
    const inputs = own.map((body) => inputOf(solver, body));
    const tried = inputs
      .filter((input) => own !== bodies || costs(input) <= MOST_WORK)
      .slice(0, Math.max(MOST_JOBS, requests[solver.id]?.length ?? 0));
    t.ok(tried.length > 0, 'some job is tried');
    for (const input of tried) {
      const moved = await loose(solver, input);
      t.strictSame([...moved.keys()], [], JSON.stringify([...moved]));
    }
  });
}

t.test('a number that no gate looks at is found where it is not marked', async (t) => {
  const { outputs, examples } = opt;
  const unmarked = Object.fromEntries(
    Object.entries(outputs).map(([path, [unit, meaning]]) => [path, [unit, meaning] as const]),
  );
  const moved = await loose({ ...opt, outputs: unmarked }, inputOf(opt, examples[2]!.body));
  t.ok(moved.has('minima'));
});
