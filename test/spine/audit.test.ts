import t from 'tap';
import { holdPrice, voidHold } from '../../src/ledger/charge.ts';
import { openHoldsTable, transfersTable } from '../../src/ledger/records.ts';
import { namedBlobs } from '../../src/proof/bundle.ts';
import { utf8 } from '../../src/proof/bytes.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { envelopes, idempotencyKeys, jobs, logHeads } from '../../src/spine/records.ts';
import { blobHolders, blobs, chunks } from '../../src/store/blob-records.ts';
import { blobBytes } from '../../src/store/blobs.ts';
import type { Transaction } from '../../src/store/store.ts';
import type { NewRowOf, RowOf, Table } from '../../src/store/table.ts';
import { answerOf, hour, oscillator, testNode } from './test-node.ts';

const node = await testNode(t);
const { store } = node;
const trust = { vkeys: [node.vkey] };
const { zid } = await node.accounts.create({ fuel: hour });

async function done(solver: string, body: unknown) {
  const job = await node.spine.submit({ account: zid, solver, body, idempotencyKey: `key of ${solver}` });
  await job.outcome;
  const row = (await store.get(jobs, { id: job.id }))!;
  const envelope = (await store.get(envelopes, { token_id: row.token_id! }))!;
  return { row, envelope, answer: answerOf(row.answer!) };
}

const solved = await done('solve', oscillator);
/** Its list of runs is a blob. */
const sampled = await done('gauge', { group: 'U1', beta: 5, L: 8 });
const runs = namedBlobs(sampled.answer.runs)[0]!;

const none = () => Promise.resolve();

/** What is wrong while the store holds something else. */
async function problemsWith(damage: (tx: Transaction) => Promise<unknown>, repair: typeof damage) {
  await store.transaction(damage);
  const { sound, problems } = await auditSpine(store, undefined, trust);
  await store.transaction(repair);
  return sound ? [] : problems;
}

/** The same while a row is another, or not there. */
const problemsIf = <C extends Table['columns'], K extends string>(
  table: Table<C, K>,
  row: RowOf<C>,
  change: Partial<RowOf<C>> | 'gone',
) =>
  problemsWith(
    (tx) =>
      change === 'gone'
        ? tx.delete(table, row as never)
        : tx.put(table, { ...row, ...change } as unknown as NewRowOf<C>),
    (tx) => tx.put(table, row as unknown as NewRowOf<C>),
  );

t.test('a store that nobody touched is sound', async (t) => {
  t.equal(namedBlobs(sampled.answer.runs).length, 1, 'the runs of one answer are a blob');
  t.match(await auditSpine(store, undefined, trust), { sound: true, problems: [], leaves: 2 });
});

t.test('blobs that answers name are there, held and what they are called', async (t) => {
  const named = `of job ${sampled.row.id}: its answer names blob ${runs}, which`;
  for (const chunk of await store.find(chunks)) {
    const zeroed = await problemsIf(chunks, chunk, { bytes: chunk.bytes.slice().fill(0) });
    t.ok(zeroed.includes(`blob ${chunk.digest}: its stored bytes do not have this digest`), 'zeroed');
    const gone = await problemsIf(chunks, chunk, 'gone');
    t.match(
      gone.find((problem) => problem.startsWith(`blob ${chunk.digest}: `)),
      /: 0 of its \d+ bytes/,
    );
  }
  const blob = (await store.get(blobs, { digest: runs }))!;
  t.match((await problemsIf(blobs, blob, 'gone')).join('\n'), /its answer cannot be read: .*runs as blob/);
  for (const row of await store.find(blobs))
    t.not((await problemsIf(blobs, row, 'gone')).length, 0, `blob ${row.digest} is missed`);
  const holder = (await store.get(blobHolders, { digest: runs, kind: 'job', holder: sampled.row.id }))!;
  t.match((await problemsIf(blobHolders, holder, 'gone')).join('\n'), `${named} is not held for it`);
  t.match(
    (await problemsIf(blobHolders, holder, { account: 'z' })).join('\n'),
    `${named} is held for it as of z`,
  );
});

t.test('an answer whose runs are a blob is verified as any other', async (t) => {
  const { row, answer } = sampled;
  const list = JSON.parse(new TextDecoder().decode(await blobBytes(store, runs)));
  t.ok(list.length > 0);
  for (const [changes, where] of [
    [{ value: answer.value * 1.5 }, '/value'],
    [{ unit: 'kg' }, '/unit'],
    [{ gates: [] }, '/gates'],
    [{ warnings: ['trust me'] }, '/envelope/shownHash'],
    [{ fields: [] }, '/envelope/shownHash'],
    [{ charges: { ...answer.charges, price_plancks: '1' } }, '/charges'],
    [{ receipt: { ...answer.receipt, continuum: { faked: 1 } } }, '/receipt'],
    [{ tick_receipt: { ...answer.tick_receipt, tick: 1 } }, '/tick_receipt'],
  ] as const) {
    const problems = await problemsIf(jobs, row, { answer: utf8(JSON.stringify({ ...answer, ...changes })) });
    t.match(problems.join('\n'), `of job ${row.id}: its answer is not sound at ${where}`);
  }
});

t.test("the signature under the head of an answer, and of the log, is the node's", async (t) => {
  for (const { row, answer } of [solved, sampled]) {
    const { log } = answer.receipt;
    const checkpoint = log.checkpoint.replace(/.{8}\n$/, 'AAAAAA==\n');
    const forged = { ...answer, receipt: { ...answer.receipt, log: { ...log, checkpoint } } };
    const problems = await problemsIf(jobs, row, { answer: utf8(JSON.stringify(forged)) });
    t.match(problems.join('\n'), `of job ${row.id}: its answer is not sound at /receipt/log/checkpoint`);
  }
  const head = (await store.get(logHeads, { node: node.name }))!;
  const checkpoint = head.checkpoint.replace(/.{8}\n$/, 'AAAAAA==\n');
  const problems = await problemsIf(logHeads, head, { checkpoint });
  t.same(problems, [`${node.name}: the head is not signed by ${node.name}`]);
});

t.test('an answer that a stranger would read otherwise is none', async (t) => {
  const { row } = solved;
  const twice = utf8(`{"value":999,${new TextDecoder().decode(row.answer!).slice(1)}`);
  const problems = await problemsIf(jobs, row, { answer: twice });
  t.match(
    problems.join('\n'),
    `of job ${row.id}: its answer cannot be read: it is no answer: a second member`,
  );
});

t.test('what cannot be read is named with its job, and the rest is looked at', async (t) => {
  for (const answer of [utf8('{}'), Uint8Array.of(0xff), utf8('{"runs":{"$blob":1}}'), utf8('null')])
    for (const { row } of [solved, sampled]) {
      const problems = await problemsIf(jobs, row, { answer });
      t.match(problems, [new RegExp(`^envelope .* of job ${row.id}: its answer cannot be read: `)]);
    }
  for (const { row, envelope } of [solved, sampled]) {
    const problems = await problemsIf(envelopes, envelope, { envelope: Uint8Array.of(0xff) });
    t.match(problems[0], new RegExp(`^envelope .* of job ${row.id}: cannot be read: `));
    t.ok(problems.includes(`${node.name}: the leaves do not give the signed root`), 'it went on');
  }
  const head = (await store.get(logHeads, { node: node.name }))!;
  const problems = await problemsIf(logHeads, head, { checkpoint: 'none' });
  t.match(problems, [/the head: cannot be read/]);
});

t.test('the rows of job and coin say what the envelope says', async (t) => {
  const { row, envelope } = solved;
  for (const change of [
    { work: row.work! + 1n },
    { account: 'zother' },
    { solver: 'zeta' },
    { request: utf8('{}') },
    { request_hash: '00' },
    { finished_ns: row.finished_ns! + 1n },
    { state: 'running' },
    { answer: null },
    { token_id: null },
  ])
    t.match((await problemsIf(jobs, row, change)).join('\n'), `job ${row.id}`, Object.keys(change)[0]);
  for (const change of [
    { owner: 'zother' },
    { issued_to: 'zother' },
    { owner: 'zother', issued_to: 'zother' },
    { funding: 'paid' },
    { sealed_ns: envelope.sealed_ns + 1n },
  ])
    t.match(
      (await problemsIf(envelopes, envelope, change)).join('\n'),
      `of job ${row.id}: `,
      Object.keys(change)[0],
    );
});

t.test('a coin is of one job, and an Idempotency-Key leads to its own', async (t) => {
  const { row, envelope } = solved;
  const twin = { ...row, id: `${row.id}x` };
  const second = await problemsWith(
    (tx) => tx.insert(jobs, twin),
    (tx) => tx.delete(jobs, { id: twin.id }),
  );
  t.same(second, [`job ${twin.id}: it is done with coin ${envelope.token_id}, which is of job ${row.id}`]);
  const key = (await store.find(idempotencyKeys, { where: { job: row.id } }))[0]!;
  const name = `Idempotency-Key ${key.idempotency_key} of ${zid}`;
  for (const [job, problem] of [
    ['job_x', 'there is no job job_x'],
    [sampled.row.id, `job ${sampled.row.id} was asked for with another request`],
  ] as const)
    t.same(await problemsIf(idempotencyKeys, key, { job }), [`${name}: ${problem}`]);
  const foreign = { ...key, account: 'zother' };
  const stolen = await problemsWith(
    (tx) => tx.insert(idempotencyKeys, foreign),
    (tx) => tx.delete(idempotencyKeys, foreign),
  );
  t.same(stolen, [`Idempotency-Key ${key.idempotency_key} of zother: job ${row.id} is of ${zid}`]);
});

t.test('a charge was made when its result was sealed', async (t) => {
  const { row } = solved;
  for (const transfer of await store.find(transfersTable, { where: { reason: 'charge' } })) {
    if (!transfer.id.startsWith(`${row.id}/`)) continue;
    const problems = await problemsIf(transfersTable, transfer, { at_ns: transfer.at_ns + 10n });
    t.match(problems.join('\n'), /it was not charged when it was sealed/);
  }
});

t.test('a job that is not done has no answer and no coin, and every job has its request', async (t) => {
  const { row } = solved;
  const refused = { ...row, id: 'job_refused', state: 'refused', answer: null, token_id: null };
  const name = `job ${refused.id}: `;
  for (const [change, problem] of [
    [{}, undefined],
    [{ answer: row.answer }, 'it is refused, and has an answer'],
    [{ token_id: row.token_id }, `it is refused, and has coin ${row.token_id}`],
    [{ state: 'foo' }, 'it is foo, which no job can be'],
    [{ request: utf8('{}') }, `its request does not have the hash ${row.request_hash}`],
  ] as const) {
    const problems = await problemsWith(
      (tx) => tx.insert(jobs, { ...refused, ...change }),
      (tx) => tx.delete(jobs, { id: refused.id }),
    );
    t.same(problems, problem === undefined ? [] : [name + problem]);
  }
});

t.test('what is held is held for a job that runs, and a job that runs has what it holds', async (t) => {
  const ceiling = 1000n;
  const row = { ...solved.row, id: 'job_long', ceiling_plancks: ceiling, finished_ns: null };
  const running = { ...row, state: 'running', answer: null, token_id: null };
  const payment = { id: running.id, zid, amount: ceiling, atNs: 1n, expiresNs: 2n };
  await store.transaction(async (tx) => {
    await tx.insert(jobs, running);
    await holdPrice(tx, payment);
  });
  const hold = (await store.find(openHoldsTable))[0]!;
  t.same(await problemsWith(none, none), [], 'a job that runs is sound');
  const over = `hold ${hold.id}: it is open, and what it was for is over`;
  t.same(await problemsIf(jobs, running, { state: 'refused' }), [over]);
  t.same(await problemsIf(jobs, running, 'gone'), [over]);
  const held = (plancks: bigint, who: string, says: bigint) => [
    `job ${running.id}: ${plancks} plancks of ${who} are held for it, it says ${says}`,
  ];
  t.same(await problemsIf(jobs, running, { ceiling_plancks: 999n }), held(ceiling, zid, 999n));
  t.same(await problemsIf(jobs, running, { account: 'zother' }), held(0n, 'zother', ceiling));
  t.match(await problemsIf(openHoldsTable, hold, 'gone'), [
    /0 holds are listed as open/,
    ...held(0n, zid, ceiling),
  ]);
  const renamed = await problemsWith(
    async (tx) => {
      await tx.delete(openHoldsTable, { id: hold.id });
      await tx.insert(openHoldsTable, { ...hold, id: `x${hold.id}` });
    },
    async (tx) => {
      await tx.delete(openHoldsTable, { id: `x${hold.id}` });
      await tx.insert(openHoldsTable, hold);
    },
  );
  t.match(renamed.join('\n'), `hold x${hold.id}: it is listed as open, and there is none`);
  await store.transaction(async (tx) => {
    await voidHold(tx, running.id, 3n);
    await tx.insert(openHoldsTable, hold);
  });
  t.match(
    (await problemsWith(none, none)).join('\n'),
    `hold ${hold.id}: it is listed as open, and was ended`,
  );
  await store.transaction(async (tx) => {
    await tx.delete(openHoldsTable, { id: hold.id });
    await tx.delete(jobs, { id: running.id });
  });
});
