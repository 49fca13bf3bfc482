import t, { type Test } from 'tap';
import type { FinishedRun } from '../../src/proof/job.ts';
import { RecordedRuns } from '../../src/spine/recorded-runs.ts';
import { checkpoints, jobs, scratch } from '../../src/spine/records.ts';
import { storedProgress } from '../../src/spine/stored-progress.ts';
import type { RowOf } from '../../src/store/table.ts';
import { testNode } from './test-node.ts';

// A disk may give back other bytes than it was given: then a run begins anew, for nothing would be right after them.

const job = 'job_long';
const hash = 'ab'.repeat(32);
const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);

async function recorded(t: Test) {
  const { store } = await testNode(t);
  const row = {
    ...{
      id: job,
      account: 'z',
      solver: 'multibody',
      request: bytes(2, 0),
      request_hash: '',
      state: 'running',
    },
    ...{ created_ns: 1n, ceiling_plancks: 1n, attempt: 1n, lease_until_ns: 0n },
  };
  await store.transaction((tx) => tx.insert(jobs, row));
  return { store, runs: new RecordedRuns(store, job, 1n) };
}

/** Two checkpoints, the second with a state of more than one part. */
async function kept(runs: RecordedRuns): Promise<void> {
  const digests = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => bytes(32, from + i));
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => bytes(8, from + i));
  const piece = (from: number, to: number) => ({ from, digests: digests(from, to), rows: rows(from, to) });
  await runs.keepCheckpoint(0, hash, {
    segment: 3,
    steps: 30,
    work: 7n,
    state: bytes(40, 1),
    ...piece(0, 3),
  });
  const state = bytes(5 * 2 ** 20, 2);
  await runs.keepCheckpoint(0, hash, { segment: 5, steps: 50, work: 9n, state, ...piece(4, 5) });
}

const finished = (): FinishedRun => ({
  ...{ runHash: hash, kernel: 'cd'.repeat(32), stepsPerSegment: 10, status: 1, steps: 20, observed: [1.5] },
  ...{
    digests: [bytes(32, 4), bytes(32, 5)],
    rows: [bytes(0, 0), bytes(8, 6)],
    result: bytes(24, 7),
    work: 11n,
  },
});

t.test('what was kept is given back as it was', async (t) => {
  const { store, runs } = await recorded(t);
  await kept(runs);
  const checkpoint = (await runs.lastCheckpoint(0, hash))!;
  t.match(checkpoint, { segment: 5, steps: 50, work: 9n, from: 0 });
  t.same(checkpoint.state, bytes(5 * 2 ** 20, 2));
  t.same(
    checkpoint.digests,
    [0, 1, 2, 3, 4, 5].map((i) => bytes(32, i)),
  );
  t.same(
    checkpoint.rows,
    [0, 1, 2, 3, 4, 5].map((i) => bytes(8, i)),
  );
  await runs.keepFinished(0, finished());
  t.same(await runs.finished(0, hash), finished());
  const job = (await store.get(jobs, { id: 'job_long' }))!;
  t.match(await storedProgress(store, job), { work: 11n, runs: [{ steps: 20 }] }, 'its work counts still');
});

t.test('a bit that turned anywhere in a checkpoint: the run begins anew', async (t) => {
  const { store, runs } = await recorded(t);
  await kept(runs);
  const parts = await store.find(scratch);
  t.equal(parts.length, 3 + 2 + 2, 'a state of two parts, two pieces, and the digest of each');
  const isForgotten = async (what: string) => {
    t.equal(await runs.lastCheckpoint(0, hash), undefined, what);
    t.same([await store.count(scratch), await store.count(checkpoints)], [0, 0], 'and nothing of it stays');
    await kept(runs);
  };
  for (const part of parts) {
    const { job, run, name, part: n } = part;
    for (const at of [0, Math.floor(part.bytes.length / 2), part.bytes.length - 1]) {
      const turned = part.bytes.slice();
      turned[at]! ^= 1;
      await store.transaction((tx) => tx.put(scratch, { ...part, bytes: turned }));
      await isForgotten(`${name}, part ${n}, byte ${at}`);
    }
    await store.transaction((tx) => tx.delete(scratch, { job, run, name, part: n }));
    await isForgotten(`${name} without part ${n}`);
  }
  const row = (await store.find(checkpoints))[0]!;
  const changes: Partial<RowOf<typeof checkpoints.columns>>[] = [
    { segment: 4n },
    { segment: 6n },
    { steps: 51n },
    { work: 10n },
    { work: null },
    { run_hash: 'ac'.repeat(32) },
  ];
  for (const change of changes) {
    await store.transaction((tx) => tx.put(checkpoints, { ...row, ...change }));
    await isForgotten(Object.keys(change)[0]!);
  }
});

t.test('a finished run that is damaged, or another, is none', async (t) => {
  const { store, runs } = await recorded(t);
  await runs.keepFinished(0, finished());
  t.equal(await runs.finished(0, 'ac'.repeat(32)), undefined);
  for (const part of await store.find(scratch))
    for (let at = 0; at < part.bytes.length; at += 7) {
      const turned = part.bytes.slice();
      turned[at]! ^= 0x10;
      await store.transaction((tx) => tx.put(scratch, { ...part, bytes: turned }));
      t.equal(await runs.finished(0, hash), undefined, `part ${part.part}, byte ${at}`);
      await store.transaction((tx) => tx.put(scratch, part));
    }
  t.same(await runs.finished(0, hash), finished());
});
