import { sha256 } from '#crypto';
import { sourceAccount } from '../ledger/accounts.ts';
import { transfersTable } from '../ledger/records.ts';
import { textOf, toHex } from '../proof/bytes.ts';
import type { Envelope } from '../proof/envelope.ts';
import type { Reader } from '../store/store.ts';
import type { Row } from '../store/table.ts';
import { type AnswerTrust, sealedAnswerFaults } from './answer-audit.ts';
import { type envelopes, type JobRow, revocations } from './records.ts';

type EnvelopeRow = Row<typeof envelopes>;

/**
 * A sealed envelope belongs to a job that is done with it and was charged what both say; the rows of coin and job say
 * of it what it says itself, and the answer of that job is the one that was sealed.
 *
 * @returns what is wrong, in sentences
 */
export async function auditEnvelope(
  reader: Reader,
  row: EnvelopeRow,
  job: JobRow | undefined,
  trust: AnswerTrust,
): Promise<string[]> {
  const envelope = JSON.parse(textOf(row.envelope)) as Envelope;
  const charge = await chargeOf(reader, row);
  const faults = [...coinFaults(row, envelope, charge)];
  if (job?.state !== 'done' || job.token_id !== row.token_id || job.answer === null)
    faults.push(`job ${row.job} is not done with it`);
  else {
    faults.push(...jobFaults(row, envelope, job));
    faults.push(...(await sealedAnswerFaults(reader, { ...job, answer: job.answer }, row, trust)));
  }
  return [...faults, ...(await revocationFaults(reader, row, charge.total))];
}

/** What a job was charged: its posted transfers, from a hold or at once. */
interface Charged {
  readonly total: bigint;
  readonly fromFree: bigint;
  /** From accounts that are not those of whom the coin was issued to. */
  readonly fromOthers: bigint;
  /** All of it at the moment of the seal. */
  readonly isThen: boolean;
}

async function chargeOf(reader: Reader, { job, issued_to, sealed_ns }: EnvelopeRow): Promise<Charged> {
  const id = { gte: `${job}/`, lt: `${job}0` };
  const where = { id, reason: 'charge', phase: { in: ['posted', 'post'] } };
  const parts = await reader.sumBy(transfersTable, 'amount', ['debit', 'at_ns'], where);
  const own = new Map(parts.map(({ debit, sum }) => [debit, sum]));
  const [bond = 0n, fromFree = 0n, paid = 0n] = (['bond', 'free', 'paid'] as const).map((source) =>
    own.get(sourceAccount(source, issued_to)),
  );
  const total = parts.reduce((sum, part) => sum + part.sum, 0n);
  const isThen = parts.every(({ at_ns }) => at_ns === sealed_ns);
  return { total, fromFree, fromOthers: total - bond - fromFree - paid, isThen };
}

/** The coin against envelope and charge. */
function* coinFaults(row: EnvelopeRow, envelope: Envelope, charge: Charged): Generator<string> {
  const { total, fromFree, fromOthers, isThen } = charge;
  for (const [who, says] of [
    ['it', envelope.price_plancks],
    ['its coin', String(row.face_plancks)],
  ])
    if (says !== String(total)) yield `${total} plancks were charged, ${who} says ${says}`;
  if (fromOthers > 0n) yield `its coin was issued to ${row.issued_to}, who was not charged`;
  if (!isThen) yield `it was not charged when it was sealed, at ${row.sealed_ns} ns`;
  // A coin that moved would have its transfers.
  if (row.owner !== row.issued_to)
    yield `its coin belongs to ${row.owner}, and nothing moved it from ${row.issued_to}`;
  const funding = fromFree > 0n ? 'free' : 'paid';
  if (row.funding !== funding) yield `its coin says that it is ${row.funding}, the charge says ${funding}`;
  if (String(row.sealed_ns) !== envelope.t_ns)
    yield `its coin says that it was sealed at ${row.sealed_ns} ns, it says ${envelope.t_ns}`;
}

/** The record of the job against the envelope. */
function* jobFaults(row: EnvelopeRow, envelope: Envelope, job: JobRow): Generator<string> {
  if (job.account !== row.issued_to)
    yield `its coin was issued to ${row.issued_to}, its job is of ${job.account}`;
  if (String(job.work) !== envelope.work)
    yield `its job did ${job.work} units of work, its answer says ${envelope.work}`;
  const said: [what: string, recorded: string, sealed: string][] = [
    ['solver', job.solver, envelope.solver],
    ['request hash', job.request_hash, envelope.requestHash],
    ['request, by its hash,', toHex(sha256(job.request)), envelope.requestHash],
    ['end', String(job.finished_ns), envelope.t_ns],
  ];
  for (const [what, recorded, sealed] of said)
    if (recorded !== sealed) yield `the ${what} of its job is ${recorded}, not ${sealed}`;
}

/** A revoked result is refunded whole, and no other is. */
async function revocationFaults(
  reader: Reader,
  { token_id, job, revoked_ns }: EnvelopeRow,
  charged: bigint,
): Promise<string[]> {
  const where = { id: { gte: `${job}/`, lt: `${job}0` }, reason: 'reversal' };
  const back = await reader.sum(transfersTable, 'amount', where);
  const expected = revoked_ns === null ? 0n : charged;
  const isListed = (await reader.get(revocations, { token_id })) !== undefined;
  return [
    ...(back === expected ? [] : [`${back} plancks were given back, not ${expected}`]),
    ...(isListed === (revoked_ns !== null) ? [] : ['coin and revocation disagree']),
  ];
}
