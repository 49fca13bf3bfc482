import t, { type Test } from 'tap';
import { Refusal } from '../../src/errors/refusal.ts';
import type { FinishedRun, RunPlan } from '../../src/proof/job.ts';
import { readInput } from '../../src/solvers/input.ts';
import { expectedWork } from '../../src/solvers/quote.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { driveRun, instantiateKernel } from '../../workers/kernel-host.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { evidenceOf } from './evidence.ts';
import { type Refused, testRefusals } from './refusals.ts';
import { kernelDigest, kernelModule, runJob } from './run-job.ts';
import { testRuns } from './run-laws.ts';
import { heldBack, refusalOfTwin } from './twin-job.ts';
import { neverShown } from './units-of-outputs.ts';

// What every solver must show, said once. A solver's test file gives the rows; laws that are its own stand beside.

/** A published value. `of` names an output by its dotted path; absent: the value. */
export interface Reference {
  readonly title: string;
  readonly body: object;
  readonly of?: string;
  readonly expect: number;
  /** Relative, at most 1e-3 … */
  readonly tolerance: number;
  /** … to the expected value, or to this scale where the value is (nearly) zero. */
  readonly scale?: number;
  /** Book, table or other program; never our own output. */
  readonly source: string;
}

/** Errors at a step and at half of it; the order is their binary logarithm, which must be that of the theory within 0.1. */
export interface Order {
  readonly title: string;
  readonly theory: number;
  /** How often the step is halved between the two, where more than once: errors of samples scatter. */
  readonly halvings?: number;
  readonly errors: () => Promise<readonly [coarse: number, fine: number]>;
}

/** A kernel made wrong in one place: what `find` says once in `file` becomes `replace`. */
export interface Twin {
  readonly title: string;
  readonly body: object;
  readonly find: string;
  readonly replace: string;
  /** Name of the kernel; absent: the solver's id. */
  readonly kernel?: string;
  /** Path of the source; absent: assembly/kernels/KERNEL.ts. */
  readonly file?: string;
}

export interface SolverRows {
  readonly references: readonly Reference[];
  /** Or why theory gives none. */
  readonly orders?: readonly Order[] | string;
  readonly twins?: readonly Twin[];
  readonly refused?: readonly Refused[];
}

type Job = Awaited<ReturnType<typeof runJob>>;

/** Input of a body as the pipeline reads it: checked by the schema, in SI, in its canonical form. */
export function inputOf<Input>(solver: Solver<Input>, body: object): Input {
  const input = readInput(solver.input, body).input as unknown as Input;
  return solver.canonical ? solver.canonical(input) : input;
}

/** A whole job of a body. @throws the Refusal that ends it */
export const solved = <Input>(solver: Solver<Input>, body: object): Promise<Job> =>
  runJob(solver, inputOf(solver, body));

/** The numbers of a field that the declaration shows. */
export function fieldOf({ presentation, finished }: Job, name: string): Float64Array {
  const field = presentation.fields.find((each) => each.name === name);
  if (!field) throw new Error(`no field ${name}; there are ${presentation.fields.map((each) => each.name)}`);
  const { run, of, from, length } = field.source;
  const bytes = of === 'result' ? finished[run]!.result : Buffer.concat(finished[run]!.rows);
  return new Float64Array(Uint8Array.from(bytes.subarray(from, from + length)).buffer);
}

/** A number of the answer by its dotted path; absent: the value. */
export function outputOf({ verdict, presentation }: Job, path?: string): number {
  if (path === undefined || path === 'value') return verdict.value;
  const found = path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], presentation.outputs);
  if (typeof found !== 'number') throw new Error(`${path} is ${found}`);
  return found;
}

export async function refusalOf<Input>(solver: Solver<Input>, body: object): Promise<Refusal> {
  try {
    await solved(solver, body);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** What a run's kernel has taken when it is over, in an instance of its own, and the bytes of its state. */
export function memoryOf({ kernel, parts, stepsPerSegment }: RunPlan): { taken: number; state: number } {
  const instance = instantiateKernel(kernelModule(kernel));
  const parameters = Buffer.concat(parts.map((part) => (part as { bytes: Uint8Array }).bytes));
  driveRun(instance, { kernel: kernelDigest(kernel), parameters, stepsPerSegment, memory: 2 ** 31, work: 0 });
  return { taken: instance.memory.buffer.byteLength, state: instance.stateLength() };
}

/** Runs everything that the rows ask, and what no solver may fail at: examples, quotes, cuts, budgets. */
export function testSolver<Input>(solver: Solver<Input>, rows: SolverRows): void {
  testReferences(solver, rows.references);
  if (typeof rows.orders === 'string') evidenceOf(solver.id).withoutOrder = rows.orders;
  else testOrders(solver.id, rows.orders ?? []);
  testExamples(solver);
  testRuns(solver, inputOf(solver, cheapest(solver)));
  testRefusals(solver.id, rows.refused ?? []);
  testTwins(solver, rows.twins ?? []);
  // Behind the tests that the file has below this call.
  queueMicrotask(() =>
    t.test('each output that it declares is shown by some job', async (t) => {
      t.same(neverShown(solver), []);
    }),
  );
}

/** The body of the example that takes the least work. */
export function cheapest<Input>(solver: Solver<Input>): object {
  const work = (body: object) =>
    solver.quote(inputOf(solver, body), { requestHash: new Uint8Array(32) }).work;
  const bodies = solver.examples.filter(({ expect }) => !('status' in expect)).map(({ body }) => body);
  return bodies.reduce((best, body) => (work(body) < work(best) ? body : best));
}

function testReferences<Input>(solver: Solver<Input>, references: readonly Reference[]): void {
  for (const { title, body, of, expect, tolerance, scale, source } of references) {
    t.test(`${title} = ${expect} (${source})`, async (t) => {
      const job = await solved(solver, body);
      const error = Math.abs(outputOf(job, of) - expect) / (scale ?? Math.abs(expect));
      t.ok(tolerance <= 1e-3 && error <= tolerance, `${outputOf(job, of)}: error ${error}`);
      evidenceOf(solver.id).references.push({ title, error, tolerance, source });
    });
  }
}

function testOrders(solver: string, orders: readonly Order[]): void {
  for (const { title, theory, halvings = 1, errors } of orders) {
    t.test(`order ${theory}: ${title}`, async (t) => {
      const [coarse, fine] = await errors();
      const observed = Math.log2(coarse / fine) / halvings;
      t.ok(Math.abs(observed - theory) <= 0.1, `observed ${observed}`);
      evidenceOf(solver).orders.push({ title, observed, theory });
    });
  }
}

// ---- examples, quotes ----------------------------------------------------------------------------------

function testExamples<Input>(solver: Solver<Input>): void {
  for (const { title, body, expect, tolerance, source } of solver.examples) {
    t.test(`example ‘${title}’ gives what ${source} says; its quote and its fields hold`, async (t) => {
      const input = inputOf(solver, body);
      const job = await runJob(solver, input);
      const shown = { value: job.verdict.value, unit: solver.unit(input), ...job.presentation.outputs };
      for (const { path, found, expected } of leaves(expect, shown)) {
        const error = disagreement(found, expected);
        t.ok(error <= tolerance, `${path}: ${JSON.stringify(found)}`);
        if (error > 0 || typeof expected === 'number')
          evidenceOf(solver.id).references.push({ title: `${title}: ${path}`, error, tolerance, source });
      }
      t.ok(job.verdict.precisionActual <= 1e-3, 'within the gate');
      testQuote(t, solver, input, job.finished);
      testDiagnostics(t, job);
      for (const { name, shape } of job.presentation.fields)
        t.equal(fieldOf(job, name).length, product(shape), `${name} stands in its run, in its shape`);
    });
  }
}

const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

interface Leaf {
  readonly path: string;
  readonly found: unknown;
  readonly expected: unknown;
}

/** What an example expects, piece by piece beside what was found; a list is one piece. */
function leaves(expected: unknown, found: unknown, path = ''): Leaf[] {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected))
    return [{ path, found, expected }];
  return Object.entries(expected).flatMap(([key, inner]) =>
    leaves(inner, (found as Record<string, unknown> | undefined)?.[key], path ? `${path}.${key}` : key),
  );
}

/** Relative to the expected number (an expected 0 absolutely), or to the largest of a list. */
function disagreement(found: unknown, expected: unknown): number {
  if (typeof expected !== 'number' && !Array.isArray(expected))
    return Object.is(found, expected) ? 0 : Infinity;
  const [ours, theirs] = [[found].flat(9), [expected].flat(9)] as [number[], number[]];
  const scale = Math.max(...theirs.map(Math.abs)) || 1;
  const worst = Math.max(0, ...theirs.map((x, i) => Math.abs(ours[i]! - x) / scale));
  return ours.length === theirs.length && worst >= 0 ? worst : Infinity;
}

function testQuote<Input>(
  t: Test,
  solver: Solver<Input>,
  input: Input,
  finished: readonly FinishedRun[],
): void {
  const quote = solver.quote(input, { requestHash: new Uint8Array(32) });
  const { work, exact } = quote;
  const spent = finished.reduce((sum, run) => sum + Number(run.work), 0);
  t.ok(exact ? work === spent : spent <= work, `quoted ${exact ? '' : 'at most '}${work}, spent ${spent}`);
  const expected = expectedWork(quote);
  t.ok(Number.isInteger(expected) && (exact ? expected === work : expected <= work), `expected ${expected}`);
}

// ---- diagnostics ---------------------------------------------------------------------------------------

interface Described {
  readonly masterEquation: {
    readonly basis: 'solver' | 'reference';
    readonly terms: Readonly<Record<string, { rms: number | null; reason?: string }>> | null;
    readonly closure: number | null;
    readonly max?: number;
    readonly reason?: string;
  };
  readonly functionalEquation: {
    readonly balance: { lhs: number | null; rhs: number | null; residual: number | null; reason?: string };
    readonly reflection: { warn: boolean };
  };
  readonly spectralPropagator: {
    readonly step: { amplification: number | null; reason?: string };
    readonly band: { warn: boolean };
  };
}

/** Of its own scale, what samples may leave of an equation that they fulfil. */
const LEFT_OF_EQUATION = 0.05;
const LEFT_OF_BALANCE = 0.02;
/** Terms below this part of the field are rounding, in whatever units they are. */
const NOTHING = 1e-15;

/** The diagnostics describe the samples: an equation of the solver's own closes, and what is not there says why (ENV-07, ENV-08). */
function testDiagnostics(t: Test, { presentation, verdict }: Job): void {
  if (!presentation.diagnostics) return;
  const { masterEquation, functionalEquation, spectralPropagator } =
    presentation.diagnostics as unknown as Described;
  const { basis, terms, closure, reason } = masterEquation;
  const { balance, reflection } = functionalEquation;
  t.notOk(reflection.warn || spectralPropagator.band.warn, 'their arithmetic holds');
  t.ok(closure !== null || reason, 'a closure, or why there is none');
  t.ok(balance.residual !== null || balance.reason, 'a balance, or why there is none');
  t.ok(spectralPropagator.step.amplification !== null || spectralPropagator.step.reason);
  for (const each of Object.values(terms ?? {})) t.ok(each.rms !== null || each.reason);
  if (basis !== 'solver' || terms === null) return;
  const sizes = Object.values(terms).reduce((sum, { rms }) => sum + (rms ?? 0), 0);
  if (sizes <= NOTHING * masterEquation.max!) return;
  t.ok((closure ?? 0) <= LEFT_OF_EQUATION, `the equation closes but for ${closure}`);
  t.ok(balance.residual !== null, 'an equation of its own has a balance');
  const isGated = verdict.gates.some(({ name }) => name === 'balance' || name === 'energy');
  const allowed = LEFT_OF_BALANCE * Math.max(Math.abs(balance.lhs!), Math.abs(balance.rhs!)) + 1e-4 * sizes;
  t.ok(isGated || balance.residual! <= allowed, `${balance.lhs} = ${balance.rhs}`);
}

// ---- twins ---------------------------------------------------------------------------------------------

function testTwins<Input>(solver: Solver<Input>, twins: readonly Twin[]): void {
  for (const {
    title,
    body,
    find,
    replace,
    kernel = solver.id,
    file = `assembly/kernels/${kernel}.ts`,
  } of twins) {
    t.test(`a kernel with ${title} is never sealed (HON-16)`, async (t) => {
      const input = inputOf(solver, body);
      await t.resolves(runJob(solver, input), 'the whole kernel is sealed');
      const twin = await brokenTwin(`assembly/kernels/${kernel}.ts`, { file, find, replace });
      const ended = (await refusalOfTwin(solver, input, kernel, twin))?.code ?? 'sealed';
      t.match(ended, heldBack);
    });
  }
}
