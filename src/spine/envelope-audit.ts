import { Refusal } from '../errors/refusal.ts';
import { transfersTable } from '../ledger/records.ts';
import type { Answer } from '../proof/answer.ts';
import { doubleBits, textOf } from '../proof/bytes.ts';
import { canonicalText } from '../proof/canonical.ts';
import type { Envelope } from '../proof/envelope.ts';
import { readAnswer } from '../proof/read-answer.ts';
import { verifyAnswer } from '../proof/verify.ts';
import type { Reader } from '../store/store.ts';
import type { Row } from '../store/table.ts';
import { type envelopes, type JobRow, revocations } from './records.ts';

/**
 * A sealed envelope belongs to a job that is done with it and was charged what both say, and the answer of that job is
 * the one that was sealed.
 *
 * @returns what is wrong, in sentences
 */
export async function auditEnvelope(
  reader: Reader,
  row: Row<typeof envelopes>,
  job: JobRow | undefined,
): Promise<string[]> {
  const envelope = JSON.parse(textOf(row.envelope)) as Envelope;
  const charged = await chargedFor(reader, row.job);
  const problems: string[] = [];
  if (job?.state !== 'done' || job.token_id !== row.token_id || job.answer === null)
    problems.push(`envelope ${row.token_id}: job ${row.job} is not done with it`);
  else {
    const faults = [...answerFaults(job.answer, row), ...jobFaults(row, job, job.answer)];
    problems.push(...faults.map((fault) => `envelope ${row.token_id}: ${fault}`));
  }
  for (const [who, says] of [
    ['it', envelope.price_plancks],
    ['its coin', String(row.face_plancks)],
  ])
    if (says !== String(charged))
      problems.push(`envelope ${row.token_id}: ${charged} plancks were charged, ${who} says ${says}`);
  return [...problems, ...(await auditRevocation(reader, row, charged))];
}

/**
 * What a stranger would find wrong with the answer, without a key: heads and signatures are compared with the log. Of an
 * answer whose runs are a blob only envelope and value are looked at.
 */
function answerFaults(bytes: Uint8Array, row: Row<typeof envelopes>): string[] {
  const answer = JSON.parse(textOf(bytes)) as Answer;
  if (canonicalText(answer.envelope) !== textOf(row.envelope)) return ['its answer shows another envelope'];
  if (!Array.isArray(answer.runs))
    return doubleBits(answer.value) === answer.envelope.valueBits ? [] : ['its answer shows another value'];
  try {
    const failed = verifyAnswer(readAnswer(answer), { vkeys: [] }).checks.filter(({ ok }) => !ok);
    return failed.map(({ where, detail }) => `its answer is not sound at ${where}: ${detail}`);
  } catch (error) {
    if (error instanceof Refusal) return [`its answer cannot be read: ${error.message}`];
    throw error;
  }
}

/** Work and coin are those of the job; a coin that moved would have its transfers. */
function jobFaults(
  { issued_to, owner }: Row<typeof envelopes>,
  { account, work }: JobRow,
  answer: Uint8Array,
): string[] {
  const { charges } = JSON.parse(textOf(answer)) as Answer;
  return [
    ...(charges.work === String(work)
      ? []
      : [`its job did ${work} units of work, its answer says ${charges.work}`]),
    ...(issued_to === account ? [] : [`its coin was issued to ${issued_to}, its job is of ${account}`]),
    ...(owner === issued_to ? [] : [`its coin belongs to ${owner}, and nothing moved it from ${issued_to}`]),
  ];
}

/** A revoked result is refunded whole, and no other is. */
async function auditRevocation(
  reader: Reader,
  { token_id, job, revoked_ns }: { token_id: string; job: string; revoked_ns: bigint | null },
  charged: bigint,
): Promise<string[]> {
  const where = { id: { gte: `${job}/`, lt: `${job}0` }, reason: 'reversal' };
  const back = await reader.sum(transfersTable, 'amount', where);
  const expected = revoked_ns === null ? 0n : charged;
  const isListed = (await reader.get(revocations, { token_id })) !== undefined;
  return [
    ...(back === expected ? [] : [`envelope ${token_id}: ${back} plancks were given back, not ${expected}`]),
    ...(isListed === (revoked_ns !== null) ? [] : [`envelope ${token_id}: coin and revocation disagree`]),
  ];
}

/** What a job was charged: its posted transfers, from a hold or at once. */
async function chargedFor(reader: Reader, job: string): Promise<bigint> {
  const id = { gte: `${job}/`, lt: `${job}0` };
  const where = { id, reason: 'charge', phase: { in: ['posted', 'post'] } };
  return reader.sum(transfersTable, 'amount', where);
}
