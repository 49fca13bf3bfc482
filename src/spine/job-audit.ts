import { sha256 } from '#crypto';
import type { Holders } from '../ledger/hold-audit.ts';
import { toHex } from '../proof/bytes.ts';
import { type Problems, pageAfter, paged, pages } from '../store/audit-pages.ts';
import type { Store } from '../store/store.ts';
import type { Row } from '../store/table.ts';
import { unsealedAnswerFaults } from './answer-audit.ts';
import { envelopes, idempotencyKeys, type JobRow, jobStates, jobs } from './records.ts';

/** An answer may have a megabyte. */
const JOBS_AT_ONCE = 20;

/**
 * A job is asked for with the request that its hash says. One that is done is done with a coin of its own; one that
 * could not be sealed has its answer, and no other has an answer or a coin.
 */
export async function auditJobs(store: Store, problems: Problems): Promise<void> {
  const rows = paged<JobRow>((after) => store.find(jobs, pageAfter(after, JOBS_AT_ONCE)), JOBS_AT_ONCE);
  for await (const job of rows) {
    if (toHex(sha256(job.request)) !== job.request_hash)
      problems.add(`job ${job.id}: its request does not have the hash ${job.request_hash}`);
    for (const fault of await endFaults(store, job)) problems.add(`job ${job.id}: ${fault}`);
  }
}

async function endFaults(store: Store, job: JobRow): Promise<string[]> {
  const { state, answer, token_id } = job;
  if (state === 'done') return coinFaults(store, job);
  if (!jobStates.some((known) => known === state)) return [`it is ${state}, which no job can be`];
  return [
    ...(state === 'unsealed' ? await unsealedFaults(store, job) : []),
    ...(token_id === null ? [] : [`it is ${state}, and has coin ${token_id}`]),
    ...(state === 'unsealed' || answer === null ? [] : [`it is ${state}, and has an answer`]),
  ];
}

/** Jobs that run hold their ceiling. */
export const runningJobs: Holders = {
  what: 'job',
  async lasting(tx) {
    const running = await tx.sumBy(jobs, 'ceiling_plancks', ['id', 'account'], { state: 'running' });
    return running.map(({ id, account, sum }) => ({ id, zid: account, amount: sum }));
  },
};

async function coinFaults(store: Store, { id, token_id }: JobRow): Promise<string[]> {
  if (token_id === null) return ['it is done without a coin'];
  const coin = await store.get(envelopes, { token_id });
  if (coin === undefined) return [`it is done with coin ${token_id}, which has no envelope`];
  return coin.job === id ? [] : [`it is done with coin ${token_id}, which is of job ${coin.job}`];
}

async function unsealedFaults(store: Store, { id, account, answer }: JobRow): Promise<string[]> {
  return answer ? unsealedAnswerFaults(store, { id, account, answer }) : ['it ended without its answer'];
}

type KeyRow = Row<typeof idempotencyKeys>;

/** An Idempotency-Key leads to a job of its account that was asked for with it. */
export async function auditIdempotencyKeys(store: Store, problems: Problems): Promise<void> {
  for await (const rows of pages<KeyRow>((after) => store.find(idempotencyKeys, pageAfter(after))))
    await keysWithoutJob(store, rows, problems);
}

async function keysWithoutJob(store: Store, rows: readonly KeyRow[], problems: Problems): Promise<void> {
  if (rows.length === 0) return;
  const where = { id: { in: rows.map(({ job }) => job) } };
  const asked = await store.sumBy(jobs, 'attempt', ['id', 'account', 'solver', 'request_hash'], where);
  const known = new Map(asked.map((job) => [job.id, job]));
  for (const { account, idempotency_key, job, solver, request_hash } of rows) {
    const found = known.get(job);
    const key = `Idempotency-Key ${idempotency_key} of ${account}`;
    if (found === undefined) problems.add(`${key}: there is no job ${job}`);
    else if (found.account !== account) problems.add(`${key}: job ${job} is of ${found.account}`);
    else if (found.solver !== solver || found.request_hash !== request_hash)
      problems.add(`${key}: job ${job} was asked for with another request`);
  }
}
