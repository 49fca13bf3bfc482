import t, { type Test } from 'tap';
import { makeBundle } from '../../src/proof/bundle.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { blobBytes } from '../../src/store/blobs.ts';
import { reexecute } from '../../workers/reexecute.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { answerOf, hour, oscillator, testNode } from '../spine/test-node.ts';
import { goOn, type Job, startJob } from './continue-job.ts';
import { testRunsOf } from './run-laws.ts';
import { inputOf } from './solver-test.ts';
import { refusalOfTwin } from './twin-job.ts';

// Solvers that divide their time anew for every job: a run to T₁ that goes on to T₂ is the run to T₂, to the bit where
// the steps are the same, else within what its gates allow (docs/protocol.md, 'Continuing').

/** A job in parts. */
export interface Stretches {
  readonly title: string;
  /** Without its end. */
  readonly body: object;
  readonly end: 't_max' | 't_end';
  readonly start: readonly string[];
  /** Ends of the parts; the steps of each part are those of the whole. */
  readonly ends: readonly number[];
  /** An end to which the first part goes on with other steps. */
  readonly uneven: number;
  /** Of the value, relative, with other steps. */
  readonly tolerance: number;
  /** Bytes of a run's result that do not depend on the part; absent: all. */
  own?(result: Uint8Array): Uint8Array;
  /** How many runs go on; absent: all but the verdict. */
  readonly runs?: number;
  /** Gates of rows, which each job has of its own stretch. */
  readonly ownGates: readonly string[];
  /** A kernel that goes on wrongly: what `find` says once becomes `replace`. */
  readonly fault?: { readonly kernel: string; readonly find: string; readonly replace: string };
  /** A request of this solver that is refused by what it finds, so that there is a refused job; once a solver. */
  readonly refused?: object;
  /** A request of this solver that has no time, so that it is not continued. */
  readonly notInTime?: { readonly title: string; readonly body: object };
  /** False where rows cut the steps, so that there are no same steps. */
  readonly sameBits?: boolean;
}

/** Runs the laws of a job in parts, in this thread and through the whole pipeline. */
export function testStretches<Input>(solver: Solver<Input>, rows: readonly Stretches[]): void {
  for (const row of rows) testParts(solver as Solver, row);
  testPipeline(solver as Solver, rows);
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const relative = (a: number, b: number) => Math.abs(a / b - 1);
const context = { requestHash: new Uint8Array(32) };

/** The request without its start. */
const withoutStart = ({ body, start }: Stretches) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !start.includes(name)));

const withEnd = <Input>({ end }: Stretches, input: Input, value: number): Input => ({
  ...input,
  [end]: value,
});

/** From the start to the first of `ends`, and on from there to each of the others. */
async function chain(solver: Solver, row: Stretches, ends: readonly number[]): Promise<Job<unknown>> {
  const input = inputOf(solver, { ...row.body, [row.end]: ends[0] });
  let job = await startJob(solver, input);
  for (const end of ends.slice(1)) job = await goOn(solver, job, withEnd(row, input, end));
  return job;
}

const gatesOf = ({ verdict }: Job<unknown>, but: readonly string[]) =>
  verdict.gates.filter(({ name }) => !but.includes(name));

function testParts(solver: Solver, row: Stretches): void {
  const { title, ends, uneven } = row;
  const own = row.own ?? ((result: Uint8Array) => result);
  t.test(`${title}: on from T₁ is the run to T₂`, async (t) => {
    const whole = await chain(solver, row, ends.slice(-1));
    const then = await chain(solver, row, ends);
    if (row.sameBits !== false) {
      const runs = whole.finished.slice(0, row.runs ?? -1);
      runs.forEach(({ result }, i) => {
        t.equal(hex(own(then.finished[i]!.result)), hex(own(result)), `run ${i}`);
      });
      t.equal(then.verdict.value, whole.verdict.value);
      t.same(gatesOf(then, row.ownGates), gatesOf(whole, row.ownGates), 'gates that do not follow the rows');
    } else {
      t.ok(relative(then.verdict.value, whole.verdict.value) < row.tolerance);
    }
    const { finalState, continues } = solver.present(then.input, then.verdict, then.finished).outputs;
    const all = solver.present(whole.input, whole.verdict, whole.finished).outputs;
    if (row.sameBits !== false) t.same(finalState, all.finalState);
    t.match(continues, { job: 'job_before', steps: Number });
  });

  t.test(`${title}: any later end will do, and the gates hold there`, async (t) => {
    const whole = await chain(solver, row, [uneven]);
    const then = await chain(solver, row, [ends[0]!, uneven]);
    t.ok(
      relative(then.verdict.value, whole.verdict.value) < row.tolerance,
      `${then.verdict.value}, at once ${whole.verdict.value}`,
    );
    t.same(
      then.verdict.gates.map(({ name }) => name),
      whole.verdict.gates.map(({ name }) => name),
    );
    const quote = solver.quote(then.input, context);
    const paid = then.finished.reduce((sum, { work }) => sum + Number(work), 0);
    if (quote.exact) t.equal(paid, quote.work, 'the quote is exact');
    else t.ok(paid <= quote.work, 'within the quote');
    t.ok(quote.work < solver.quote(whole.input, context).work, 'only the new stretch is paid');
  });

  t.test(`${title}: its runs may be cut anywhere, and a finalState is an initialState`, async (t) => {
    const then = await chain(solver, row, [ends[0]!, uneven]);
    await testRunsOf(t, solver, then.input);
    const { finalState } = solver.present(then.input, then.verdict, then.finished).outputs;
    const given = Object.values(finalState as object).every((each) => !String(each).startsWith('field'));
    const body = { ...withoutStart(row), [row.end]: ends[0], initialState: finalState };
    if (given) t.ok(solver.quote(inputOf(solver, body), context).work > 0);
  });

  t.test(`${title}: an end that is not later is refused, and a state of another kernel`, async (t) => {
    const [first] = ends;
    const job = await chain(solver, row, [first!]);
    for (const end of [first!, first! / 2])
      await t.rejects(async () => goOn(solver, job, withEnd(row, job.first, end)), {
        code: 'INVALID_INPUT',
        details: { field: row.end },
      });
    const { join } = solver.continuation!;
    const { kernel } = job.plans[0]!;
    const short = [{ kernel, result: new Uint8Array(24) }];
    const earlier = { id: 'job_before', first: job.first, firstHash: context.requestHash, runs: short };
    t.throws(() => join(withEnd(row, job.first, 2 * first!), earlier), { code: 'CONFLICT' });
  });

  t.test(`${title}: outside of a node there is no job to continue`, async (t) => {
    const body = { ...withoutStart(row), [row.end]: ends[0], initialState: { continue: 'job_1' } };
    await t.rejects(async () => startJob(solver, inputOf(solver, body)), {
      code: 'UNSUPPORTED',
      details: { field: 'initialState.continue' },
    });
  });

  if (row.fault) testFault(solver, row, row.fault);
  if (row.notInTime) testNotInTime(solver, row.notInTime);
}

function testFault(
  solver: Solver,
  row: Stretches,
  { kernel, ...fault }: NonNullable<Stretches['fault']>,
): void {
  t.test(`${row.title}: a kernel that goes on wrongly is never sealed (HON-16)`, async (t) => {
    const { input } = await chain(solver, row, [row.ends[0]!, row.uneven]);
    const file = `assembly/kernels/${kernel}.ts`;
    const twin = await brokenTwin(file, { file, ...fault });
    t.ok(await refusalOfTwin(solver, input, kernel, twin));
  });
}

function testNotInTime(solver: Solver, { title, body }: NonNullable<Stretches['notInTime']>): void {
  t.test(`${title} is not continued`, async (t) => {
    const first = inputOf(solver, body);
    const job = await startJob(solver, first);
    await t.rejects(async () => goOn(solver, job, first), {
      code: 'INVALID_INPUT',
      details: { field: 'initialState.continue' },
    });
  });
}

// ---- through the whole pipeline ------------------------------------------------------------------------

type Node = Awaited<ReturnType<typeof testNode>>;

const continuing = (row: Stretches, id: string, end: number) => ({
  ...withoutStart(row),
  [row.end]: end,
  initialState: { continue: id },
});

async function run({ spine }: Node, account: string, solver: string, body: object) {
  const job = await spine.submit({ account, solver, body, background: false });
  const { answer } = await job.outcome;
  return { id: job.id, answer: answerOf(answer) };
}

function testPipeline(solver: Solver, rows: readonly Stretches[]): void {
  t.test(
    `${solver.id}: a job goes on from an earlier one of its account`,
    { timeout: 240_000 },
    async (t) => {
      const node = await testNode(t);
      for (const row of rows.filter(({ sameBits }) => sameBits !== false))
        await t.test(
          `${row.title}: a chain ends where one run ends, checked and executed again like any other`,
          (t) => testChain(t, node, solver, row),
        );
      for (const row of rows.filter(({ refused }) => refused))
        await t.test(
          `${row.title}: what cannot be continued is refused in a sentence, and costs nothing`,
          (t) => testNotContinued(t, node, solver, row),
        );
      t.match(await auditSpine(node.store), { sound: true, problems: [] }, 'the books are sound');
    },
  );
}

async function testChain(t: Test, node: Node, { id: solver }: Solver, row: Stretches): Promise<void> {
  const { zid } = await node.accounts.create({ fuel: hour });
  const whole = await run(node, zid, solver, { ...row.body, [row.end]: row.ends.at(-1) });
  let { id, answer } = await run(node, zid, solver, { ...row.body, [row.end]: row.ends[0] });
  for (const end of row.ends.slice(1)) {
    const body = continuing(row, id, end);
    const quote = await node.spine.quote(solver, body, zid);
    const before = id;
    ({ id, answer } = await run(node, zid, solver, body));
    t.match(answer, { continues: { job: before, steps: Number }, request: body });
    t.ok(answer.charges.price_plancks <= quote.price_plancks, 'within its quote');
  }
  for (const name of ['value', 'finalState'] as const)
    t.same(answer[name as keyof typeof answer], whole.answer[name as keyof typeof answer], name);
  t.not(answer.envelope.jobRoot, whole.answer.envelope.jobRoot);
  const bundle = await makeBundle(answer, {
    blob: (digest) => blobBytes(node.store, digest),
    kernel: async (digest) => node.catalogue.bytes(digest),
  });
  const file = await readAnswer(JSON.parse(JSON.stringify(bundle)));
  t.match(verifyAnswer(file, { vkeys: [node.vkey] }), { sound: true });
  t.match(await reexecute(file), { agrees: true });
}

async function refusedJob({ spine }: Node, account: string, solver: string, body: object): Promise<string> {
  const job = await spine.submit({ account, solver, body, background: true });
  await job.outcome.then(
    () => Promise.reject(new Error('it was not refused')),
    () => undefined,
  );
  return job.id;
}

/** The request with one number made another. */
function changed(row: Stretches): readonly [field: string, row: Stretches] {
  const [field, value] = Object.entries(withoutStart(row)).find(([, each]) => typeof each === 'number')!;
  return [field, { ...row, body: { ...row.body, [field]: 2 * (value as number) } }];
}

async function testNotContinued(t: Test, node: Node, solver: Solver, row: Stretches): Promise<void> {
  const { zid } = await node.accounts.create({ fuel: hour });
  const other = await node.accounts.create({ fuel: hour });
  const { id } = await run(node, zid, solver.id, { ...row.body, [row.end]: row.ends[0] });
  const elsewhere = await run(node, zid, 'solve', oscillator);
  const failed = await refusedJob(node, zid, solver.id, row.refused!);
  const { free } = await node.accounts.means(zid);
  const later = row.ends[1]!;
  const [field, another] = changed(row);
  const refused: [string, object, { code: string; details?: object }, string?][] = [
    ['another account’s job', continuing(row, id, later), { code: 'NOT_FOUND' }, other.zid],
    ['a job that is not there', continuing(row, 'job_0', later), { code: 'NOT_FOUND' }],
    ['a refused job', continuing(row, failed, later), { code: 'CONFLICT', details: { state: 'refused' } }],
    ['another solver’s job', continuing(row, elsewhere.id, later), { code: 'INVALID_INPUT' }],
    [`another ${field}`, continuing(another, id, later), { code: 'INVALID_INPUT', details: { field } }],
    [
      'an end before',
      continuing(row, id, row.ends[0]! / 2),
      { code: 'INVALID_INPUT', details: { field: row.end } },
    ],
    [
      'a second start',
      { ...row.body, ...continuing(row, id, later), initialState: { continue: id, t0: 1 } },
      { code: 'INVALID_INPUT' },
    ],
  ];
  for (const [title, body, error, account = zid] of refused) {
    await t.rejects(node.spine.submit({ account, solver: solver.id, body }), error, title);
    await t.rejects(node.spine.quote(solver.id, body, account), error, `${title}: quote`);
  }
  t.equal((await node.accounts.means(zid)).free, free);
}
