import t from 'tap';
import { makeBundle } from '../../src/proof/bundle.ts';
import { readAnswer } from '../../src/proof/read-answer.ts';
import { verifyAnswer } from '../../src/proof/verify.ts';
import type { Solver } from '../../src/solvers/solver.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { blobBytes } from '../../src/store/blobs.ts';
import { reexecute } from '../../workers/reexecute.ts';
import { type Stretches, stretches } from '../solvers/stretches.ts';
import { answerOf, hour, oscillator, testNode } from './test-node.ts';

// initialState: {"continue": job} of solvers that divide their time anew, through the whole pipeline.

t.setTimeout(240_000);
const node = await testNode(t);

async function run(account: string, solver: string, body: object) {
  const job = await node.spine.submit({ account, solver, body, background: false });
  const { answer } = await job.outcome;
  return { id: job.id, answer: answerOf(answer) };
}

const withoutStart = ({ body, start }: Stretches) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !start.includes(name)));
const continuing = (row: Stretches, id: string, end: number) => ({
  ...withoutStart(row),
  [row.end]: end,
  initialState: { continue: id },
});

async function refusedJob(account: string, { solver, refused }: Stretches): Promise<string> {
  const job = await node.spine.submit({ account, solver: solver.id, body: refused, background: true });
  await t.rejects(job.outcome);
  return job.id;
}

/** The request with one number made another. */
function changed(row: Stretches): readonly [field: string, body: object] {
  const [field, value] = Object.entries(withoutStart(row)).find(([, each]) => typeof each === 'number')!;
  return [field, { ...row, body: { ...row.body, [field]: 2 * (value as number) } }];
}

for (const row of stretches.filter(({ sameBits }) => sameBits !== false)) {
  const { title, solver, ends } = row;
  t.test(
    `${title}: a chain ends where one run ends, checked and executed again like any other`,
    async (t) => {
      const { zid } = await node.accounts.create({ fuel: hour });
      const whole = await run(zid, solver.id, { ...row.body, [row.end]: ends.at(-1) });
      let { id, answer } = await run(zid, solver.id, { ...row.body, [row.end]: ends[0] });
      for (const end of ends.slice(1)) {
        const body = continuing(row, id, end);
        const quote = await node.spine.quote(solver.id, body, zid);
        const before = id;
        ({ id, answer } = await run(zid, solver.id, body));
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
    },
  );
}

for (const row of stretches.filter(({ refused }) => refused)) {
  const solver = row.solver as Solver;
  t.test(`${solver.id}: what cannot be continued is refused in a sentence, and costs nothing`, async (t) => {
    const { zid } = await node.accounts.create({ fuel: hour });
    const other = await node.accounts.create({ fuel: hour });
    const { id } = await run(zid, solver.id, { ...row.body, [row.end]: row.ends[0] });
    const motion = await run(zid, 'solve', oscillator);
    const failed = await refusedJob(zid, row);
    const { free } = await node.accounts.means(zid);
    const later = row.ends[1]!;
    const [field, another] = changed(row);
    const refused: [string, object, { code: string; details?: object }, string?][] = [
      ['another account’s job', continuing(row, id, later), { code: 'NOT_FOUND' }, other.zid],
      ['a job that is not there', continuing(row, 'job_0', later), { code: 'NOT_FOUND' }],
      ['a refused job', continuing(row, failed, later), { code: 'CONFLICT', details: { state: 'refused' } }],
      ['another solver’s job', continuing(row, motion.id, later), { code: 'INVALID_INPUT' }],
      [
        `another ${field}`,
        continuing(another as Stretches, id, later),
        { code: 'INVALID_INPUT', details: { field } },
      ],
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
  });
}

t.test('and the books are sound', async (t) => {
  t.match(await auditSpine(node.store), { sound: true, problems: [] });
});
