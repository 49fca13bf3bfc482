import t from 'tap';
import type { Solver } from '../../src/solvers/solver.ts';
import { brokenTwin } from '../kernels/broken-twin.ts';
import { goOn, type Job, startJob } from './continue-job.ts';
import { testRunsOf } from './run-laws.ts';
import { inputOf } from './solver-test.ts';
import { refusedStretches, type Stretches, stretches } from './stretches.ts';
import { refusalOfTwin } from './twin-job.ts';

// Solvers that divide their time anew for every job: a run to T₁ that goes on to T₂ is the run to T₂, to the bit where
// the steps are the same, else within what its gates allow (docs/protocol.md, 'Continuing').

t.setTimeout(120_000);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const withEnd = <Input>({ end }: Stretches, input: Input, value: number): Input => ({
  ...input,
  [end]: value,
});

/** From the start to the first of `ends`, and on from there to each of the others. */
async function chain(row: Stretches, ends: readonly number[]): Promise<Job<unknown>> {
  const solver = row.solver as Solver;
  const input = inputOf(solver, { ...row.body, [row.end]: ends[0] });
  let job = await startJob(solver, input);
  for (const end of ends.slice(1)) job = await goOn(solver, job, withEnd(row, input, end));
  return job;
}

const gatesOf = ({ verdict }: Job<unknown>, but: readonly string[]) =>
  verdict.gates.filter(({ name }) => !but.includes(name));
const relative = (a: number, b: number) => Math.abs(a / b - 1);
const context = { requestHash: new Uint8Array(32) };

for (const row of stretches) {
  const { title, ends, uneven } = row;
  const solver = row.solver as Solver;

  t.test(`${title}: on from T₁ is the run to T₂`, async (t) => {
    const whole = await chain(row, ends.slice(-1));
    const then = await chain(row, ends);
    if (row.sameBits !== false) {
      const runs = whole.finished.slice(0, row.runs ?? -1);
      runs.forEach(({ result }, i) => {
        t.equal(hex(row.own(then.finished[i]!.result)), hex(row.own(result)), `run ${i}`);
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
    const whole = await chain(row, [uneven]);
    const then = await chain(row, [ends[0]!, uneven]);
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
    const then = await chain(row, [ends[0]!, uneven]);
    await testRunsOf(t, solver, then.input);
    const { finalState } = solver.present(then.input, then.verdict, then.finished).outputs;
    const given = Object.values(finalState as object).every((each) => !String(each).startsWith('field'));
    const rest = Object.entries(row.body).filter(([name]) => !row.start.includes(name));
    const body = { ...Object.fromEntries(rest), [row.end]: ends[0], initialState: finalState };
    if (given) t.ok(solver.quote(inputOf(solver, body), context).work > 0);
  });

  t.test(`${title}: an end that is not later is refused, and a state of another kernel`, async (t) => {
    const [first] = ends;
    const job = await chain(row, [first!]);
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
}

for (const row of stretches.filter(({ fault }) => fault)) {
  const { kernel, ...fault } = row.fault!;
  t.test(`${row.title}: a kernel that goes on wrongly is never sealed (HON-16)`, async (t) => {
    const { input } = await chain(row, [row.ends[0]!, row.uneven]);
    const file = `assembly/kernels/${kernel}.ts`;
    const twin = await brokenTwin(file, { file, ...fault });
    t.ok(await refusalOfTwin(row.solver as Solver, input, kernel, twin));
  });
}

for (const { title, solver, body, error } of refusedStretches) {
  t.test(`${title} is not continued`, async (t) => {
    const first = inputOf(solver as Solver, body);
    const job = await startJob(solver as Solver, first);
    await t.rejects(async () => goOn(solver as Solver, job, first), error);
  });
}

t.test('outside of a node there is no job to continue', async (t) => {
  for (const { solver, body, start, end, ends } of stretches) {
    const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !start.includes(name)));
    const input = inputOf(solver as Solver, {
      ...rest,
      [end]: ends[0],
      initialState: { continue: 'job_1' },
    });
    await t.rejects(async () => startJob(solver as Solver, input), {
      code: 'UNSUPPORTED',
      details: { field: 'initialState.continue' },
    });
  }
});
