import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { hmacKey } from '#crypto';
import { Refusal } from '../../src/errors/refusal.ts';
import { openHoldsTable } from '../../src/ledger/records.ts';
import { ServiceNode } from '../../src/node.ts';
import { blobDigest, type RunEntry } from '../../src/proof/answer.ts';
import { namedBlobs } from '../../src/proof/bundle.ts';
import { doublesOf, textOf, utf8 } from '../../src/proof/bytes.ts';
import { noteSigner } from '../../src/proof/note.ts';
import { auditSpine } from '../../src/spine/audit.ts';
import { NodeLog } from '../../src/spine/node-log.ts';
import { Spine } from '../../src/spine/pipeline.ts';
import { jobs, refusedWork } from '../../src/spine/records.ts';
import { WritableStore } from '../../src/spine/writable-store.ts';
import { blobBytes } from '../../src/store/blobs.ts';
import { OutcomeUnknown, type Store, type Transaction } from '../../src/store/store.ts';
import type { Table } from '../../src/store/table.ts';
import { ThreadPool } from '../../workers/pool.ts';
import { pigeonhole } from '../solvers/formulas.ts';
import { answerOf, figureEight, hour, oscillator, testNode } from './test-node.ts';

// What is told of a job is what became of it, whatever fails while it ends.

/** About a quarter of a second of work. */
const longer = { ...figureEight, dt: 1e-4, t_max: 60, integrator: 'leapfrog' };
/** Fails its gate once it has run. */
const refused = { ...figureEight, dt: 1, integrator: 'leapfrog' };

/** Cold edges around a warm square. */
const square = {
  ...{ alpha: 1e-4, Lx: 1, Ly: 1, t_end: 500, scheme: 'adi' },
  ...{ initial: { type: 'uniform', T: 400 }, boundary: { type: 'dirichlet', T: 300 } },
};

/** A node's spine on a store that takes writes or does not. */
async function onFaultyStore(t: Tap) {
  const node = await testNode(t);
  const { store, catalogue, now } = node;
  const disk = {
    isFull: false,
    refuses: (_table: string, _row: { job?: unknown }) => false,
    answer: (commit: () => Promise<unknown>) => commit(),
  };
  const full = () => new Refusal('STORE_UNAVAILABLE', 'The disk is full.');
  const crowded = (tx: Transaction) =>
    new Proxy(tx, {
      get(target, name) {
        const member = Reflect.get(target, name, target);
        if (name !== 'put' && name !== 'insert') return member.bind(target);
        return (table: Table, row: object) =>
          disk.refuses(table.name, row) ? Promise.reject(full()) : member.call(target, table, row);
      },
    });
  const faulty = new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (name === 'transaction')
        return (work: (tx: Transaction) => Promise<unknown>) => {
          if (disk.isFull) return Promise.reject(full());
          return disk.answer(() => target.transaction((tx) => work(crowded(tx))));
        };
      return typeof member === 'function' ? member.bind(target) : member;
    },
  }) as Store;
  const executor = new ThreadPool({ threads: 1, catalogue });
  t.teardown(() => executor.close());
  const signer = noteSigner('faulty.example', new Uint8Array(32).fill(5));
  const faults: unknown[] = [];
  const spine = new Spine({
    ...{
      store: new WritableStore(faulty),
      executor,
      catalogue,
      node: signer.name,
      now,
      log: new NodeLog(signer, now),
    },
    hmacKey: hmacKey(new Uint8Array(32).fill(3)),
    limits: { memory: 2 ** 30, jobs: 10, refusedPlancks: hour },
    onError: (error) => faults.push(error),
  });
  const { zid } = await node.accounts.create({ fuel: hour });
  return { node, spine, disk, faults, zid };
}
type Tap = Parameters<typeof testNode>[0] & { teardown(work: () => Promise<void>): void };

t.test('a refusal that cannot be counted is still told, and stops nothing', async (t) => {
  const { spine, disk, faults, zid } = await onFaultyStore(t);
  const job = await spine.submit({ account: zid, solver: 'multibody', body: refused });
  disk.isFull = true;
  await t.rejects(job.outcome, { code: 'ENERGY_NOT_CONSERVED' });
  t.match(faults, [{ code: 'STORE_UNAVAILABLE' }], 'its operator is told too');
});

t.test(
  'a recorded job whose end cannot be written is not over: it goes on, and is charged once',
  async (t) => {
    const { node, spine, disk, faults, zid } = await onFaultyStore(t);
    const job = await spine.submit({ account: zid, solver: 'solve', body: oscillator, background: true });
    disk.isFull = true;
    await t.rejects(
      job.outcome,
      { code: 'STORE_UNAVAILABLE', details: { job: job.id } },
      'no value for nothing',
    );
    t.equal(job.state, 'running');
    t.ok(faults.length > 0);
    disk.isFull = false;
    t.equal((await node.spine.records.row(job.id))!.state, 'running');
    await node.store.transaction((tx) => tx.update(jobs, { id: job.id }, { lease_until_ns: 0n }));
    t.equal(await node.spine.recover(), 1);
    const { sealed } = await node.spine.liveJobs.get(job.id)!.outcome;
    t.ok(sealed);
    t.match(await auditSpine(node.store), { sound: true, leaves: 1 });
  },
);

t.test('a job that is taken over spends no more than was held for it', async (t) => {
  const { node, spine, disk } = await onFaultyStore(t);
  const fuel = 1_000_000n; // more than is expected, less than it takes
  const { zid } = await node.accounts.create({ fuel });
  const body = { mode: 'decide', clauses: pigeonhole(7, 6) };
  const job = await spine.submit({ account: zid, solver: 'sat', body, background: true });
  disk.isFull = true;
  await t.rejects(job.outcome, { code: 'STORE_UNAVAILABLE' });
  disk.isFull = false;
  await node.accounts.grant(zid, fuel);
  await node.store.transaction((tx) => tx.update(jobs, { id: job.id }, { lease_until_ns: 0n }));
  t.equal(await node.spine.recover(), 1);
  await t.rejects(node.spine.liveJobs.get(job.id)!.outcome, {
    code: 'INSUFFICIENT_BALANCE',
    details: { held_plancks: String(fuel) },
  });
  t.match(await node.accounts.means(zid), { free: 2n * fuel, held: 0n });
});

t.test('a job whose request changed in the store is not run as another', async (t) => {
  const { node, spine, disk, zid } = await onFaultyStore(t);
  const job = await spine.submit({ account: zid, solver: 'solve', body: oscillator, background: true });
  disk.isFull = true;
  await t.rejects(job.outcome, { code: 'STORE_UNAVAILABLE' });
  disk.isFull = false;
  const { request } = (await node.spine.records.row(job.id))!;
  for (const damaged of [utf8(textOf(request).replace('"t_end":3', '"t_end":2')), utf8('{')]) {
    await node.store.transaction((tx) =>
      tx.update(jobs, { id: job.id }, { request: damaged, state: 'running', lease_until_ns: 0n }),
    );
    t.equal(await node.spine.recover(), 1);
    await t.rejects(node.spine.liveJobs.get(job.id)?.outcome ?? Promise.reject({ code: 'INTERNAL' }), {
      code: 'INTERNAL',
    });
    t.match(await node.spine.records.row(job.id), { state: 'refused', answer: null, token_id: null });
    t.equal(await node.store.count(openHoldsTable), 0, 'and nothing stays held');
  }
});

t.test('a commit of which the answer was lost is looked for, and never charged twice', async (t) => {
  const lost = () => {
    throw new OutcomeUnknown(new Refusal('STORE_UNAVAILABLE', 'It is away.'));
  };
  for (const wasCommitted of [true, false])
    for (const isBack of [true, false]) {
      const { node, spine, disk, zid } = await onFaultyStore(t);
      const settle = (idempotencyKey?: string) =>
        spine.submit({ account: zid, solver: 'solve', body: oscillator, idempotencyKey });
      const jobs_ = [await settle(), await settle('with a key'), await settle()];
      disk.answer = async (commit) => {
        if (wasCommitted) await commit();
        disk.answer = (again) => again();
        disk.isFull = !isBack;
        return lost();
      };
      const ends = await Promise.allSettled(jobs_.map(({ outcome }) => outcome));
      disk.isFull = false;
      const rows = await Promise.all(jobs_.map(({ id }) => node.spine.records.row(id)));
      for (const [i, end] of ends.entries()) {
        const { id } = jobs_[i]!;
        if (isBack) t.match(end, { status: 'fulfilled', value: { job: id, sealed: true } });
        else {
          t.match(end, {
            reason: { code: 'STORE_UNAVAILABLE', details: { job: id }, message: /is not known/ },
          });
          t.notMatch((end as PromiseRejectedResult).reason.message, /[Nn]othing was charged/);
        }
        t.equal(rows[i]?.state, wasCommitted || isBack ? 'done' : undefined);
      }
      const leaves = wasCommitted || isBack ? 3 : 0;
      t.match(await auditSpine(node.store), { sound: true, leaves }, 'each charged once or not at all');
    }
});

const takes = {
  'a run that finished': (table: string, { job }: { job?: unknown }) => table === 'scratch' && job !== '',
  'the seal': (table: string) => table === 'envelopes',
};
for (const [what, refuses] of Object.entries(takes))
  t.test(
    `a recorded job is not over where the store has no room for ${what} and some for its end`,
    async (t) => {
      const { node, spine, disk, zid } = await onFaultyStore(t);
      const job = await spine.submit({ account: zid, solver: 'solve', body: oscillator, background: true });
      disk.refuses = refuses;
      await t.rejects(job.outcome, { code: 'STORE_UNAVAILABLE', details: { job: job.id } });
      t.match(await node.spine.records.row(job.id), { state: 'running', answer: null, error: null });
      t.same(await node.store.find(refusedWork), [], 'the account has not refused anything');
      await node.store.transaction((tx) => tx.update(jobs, { id: job.id }, { lease_until_ns: 0n }));
      t.equal(await node.spine.recover(), 1);
      t.ok((await node.spine.liveJobs.get(job.id)!.outcome).sealed);
      t.match(await auditSpine(node.store), { sound: true, leaves: 1 });
    },
  );

t.test('a value whose field the store has no room for goes back without a seal (CMP-11)', async (t) => {
  const { spine, disk, zid } = await onFaultyStore(t);
  disk.isFull = true;
  const body = { ...square, N: 96 };
  const { answer, sealed } = await (await spine.submit({ account: zid, solver: 'heat', body })).outcome;
  t.notOk(sealed);
  t.match(answerOf(answer), { value: Number, envelope: null, warnings: [/The disk is full/] });
});

t.test('and names nothing that is nowhere: what was made for it stands in it', async (t) => {
  const { node, spine, disk, zid } = await onFaultyStore(t);
  const body = { ...square, N: 96 };
  const sealed = await (await node.spine.submit({ account: zid, solver: 'heat', body })).outcome;
  const { fields, runs } = answerOf(sealed.answer);
  disk.isFull = true;
  const { answer } = await (await spine.submit({ account: zid, solver: 'heat', body })).outcome;
  const alone = answerOf(answer);
  t.same(namedBlobs(alone), []);
  t.ok(namedBlobs([fields, runs]).length > 0, 'as the sealed one does');
  for (const [i, { name, values, source }] of alone.fields.entries()) {
    const digest = blobDigest(fields[i]!.values);
    const bytes = digest && (await blobBytes(node.store, digest));
    t.same(values, bytes ? [...doublesOf(bytes)] : fields[i]!.values, name);
    t.equal(source.length, 8 * (values as number[]).length);
  }
  t.equal((alone.runs as RunEntry[]).length, (runs as RunEntry[]).length);
  t.notMatch(alone.warnings, [/Left out/]);
});

t.test('a write that fails before a job began tells that the node is not ready', async (t) => {
  const { spine, disk, zid } = await onFaultyStore(t);
  disk.isFull = true;
  const request = { account: zid, solver: 'solve', body: oscillator, background: true };
  await t.rejects(spine.submit(request), { code: 'STORE_UNAVAILABLE' });
  await t.rejects(spine.mustBeAbleToWrite(), { code: 'STORE_UNAVAILABLE' });
  t.equal(await spine.recover(), 0, 'and takes nothing over');
});

t.test('a store that takes no writes gets no second job, and is asked again', async (t) => {
  const { spine, disk, faults, zid } = await onFaultyStore(t);
  const run = async () =>
    (await (await spine.submit({ account: zid, solver: 'solve', body: oscillator })).outcome).sealed;
  disk.isFull = true;
  t.notOk(await run(), 'the value goes back without a seal (CMP-11)');
  t.match(faults, [/could not be sealed: The disk is full/]);
  await t.rejects(spine.mustBeAbleToWrite(), { code: 'STORE_UNAVAILABLE' }, 'and it is not ready');
  await t.rejects(run(), { code: 'STORE_UNAVAILABLE' });
});

t.test('and takes jobs once a row can be written', async (t) => {
  const { spine, disk, zid } = await onFaultyStore(t);
  const run = async () =>
    (await (await spine.submit({ account: zid, solver: 'solve', body: oscillator })).outcome).sealed;
  disk.isFull = true;
  t.notOk(await run());
  disk.isFull = false;
  t.ok(await run());
  await spine.mustBeAbleToWrite();
});

t.test('who asked to cancel is believed until the very settlement', async (t) => {
  const node = await testNode(t);
  const { zid } = await node.accounts.create({ fuel: hour });
  const job = await node.spine.submit({ account: zid, solver: 'multibody', body: longer, background: true });
  t.ok(await node.spine.records.askToCancel(job.id), 'as another process would');
  await t.rejects(job.outcome, { code: 'CANCELLED' });
  t.match(await node.accounts.means(zid), { free: hour, held: 0n });
  t.match(await node.spine.records.row(job.id), { state: 'cancelled', token_id: null });
  t.notOk(await node.spine.records.askToCancel(job.id), 'and it is over');
});

// ---- two processes on one store ------------------------------------------------------------------------

async function twoNodes(t: Tap) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-two-'));
  const open = () => ServiceNode.open({ dataDir, threads: 1 });
  const [first, second] = [await open(), await open()];
  t.teardown(async () => {
    await first.close();
    await second.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { zid } = await first.accounts.create({ fuel: hour });
  const ask = (node: ServiceNode, body: object, background = false) =>
    node.spine.submit({ account: zid, solver: 'multibody', body, idempotencyKey: 'once', background });
  return { first, second, zid, ask };
}

t.test('a repeat of a job that another process cancels is cancelled too', async (t) => {
  const { first, second, ask } = await twoNodes(t);
  const waiting = await ask(second, longer);
  const recorded = await ask(first, longer, true);
  t.not(recorded.id, waiting.id, 'neither knew of the other');
  t.ok(await first.spine.records.askToCancel(recorded.id));
  first.spine.cancel(recorded.id);
  await t.rejects(recorded.outcome, { code: 'CANCELLED' });
  await t.rejects(waiting.outcome, { code: 'CANCELLED' });
});

t.test('a repeat of a job whose process is gone is that job, and ends with it', async (t) => {
  const { first, second, ask } = await twoNodes(t);
  const job = await ask(first, longer, true);
  const { id } = job;
  const told = t.rejects(job.outcome, {
    code: 'SHUTTING_DOWN',
    message: /is not over: another node .* or the next/,
  });
  await first.spine.drain();
  await told;
  const again = await ask(second, longer, true);
  t.match(again, { id, state: 'running' });
  t.equal(await second.spine.recover(), 1);
  t.match(await again.outcome, { job: id, sealed: true });
  t.match(await auditSpine(second.store), { sound: true, leaves: 1 });
});

t.test('who waits for a job that another process took over waits for its end', async (t) => {
  const { first, second, ask } = await twoNodes(t);
  const job = await ask(first, longer, true);
  await first.store.transaction((tx) => tx.update(jobs, { id: job.id }, { lease_until_ns: 0n }));
  t.equal(await second.spine.recover(), 1);
  t.match(await job.outcome, { job: job.id, sealed: true });
  t.match(await auditSpine(first.store), { sound: true, leaves: 1 });
});

t.test('two small repeats at once are one job by name too', async (t) => {
  const { first, second, ask } = await twoNodes(t);
  const body = { ...figureEight, integrator: 'leapfrog' };
  const two = await Promise.all([ask(first, body), ask(second, body)]);
  const [one, other] = await Promise.all(two.map(({ outcome }) => outcome));
  t.equal(one!.job, other!.job);
  t.ok(await first.spine.records.row(one!.job));
});
