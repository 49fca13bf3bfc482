import { Refusal } from '../errors/refusal.ts';
import { type Answer, blobDigest } from '../proof/answer.ts';
import { namedBlobs } from '../proof/bundle.ts';
import { textOf } from '../proof/bytes.ts';
import { canonicalText } from '../proof/canonical.ts';
import type { Digest } from '../proof/job.ts';
import { type AnswerFile, readAnswer } from '../proof/read-answer.ts';
import { parseStrictJson } from '../proof/strict-json.ts';
import { verifyAnswer } from '../proof/verify.ts';
import { blobHolders, blobs } from '../store/blob-records.ts';
import { blobBytes, blobLength } from '../store/blobs.ts';
import { isStoreFault, type Reader } from '../store/store.ts';
import type { Row } from '../store/table.ts';
import type { envelopes, JobRow } from './records.ts';

/** Verifier keys by which the signatures under heads are checked; a head of another node is compared with its log. */
export interface AnswerTrust {
  readonly vkeys: readonly string[];
}

/** A job with its answer. */
export type Answered = Pick<JobRow, 'id' | 'account'> & { readonly answer: Uint8Array };

/** Bytes of blobs that one answer is verified with; each blob is held against its digest in any case. */
const MOST_BYTES = 256 * 2 ** 20;

/**
 * What a stranger would find wrong with a sealed answer and all that it names. Of a result that a verdict overturned the
 * runs are not held against it again.
 */
export async function sealedAnswerFaults(
  reader: Reader,
  job: Answered,
  { envelope, revoked_ns }: Row<typeof envelopes>,
  trust: AnswerTrust,
): Promise<string[]> {
  try {
    const answer = strictly(job.answer);
    const held = new Map<Digest, Uint8Array>();
    const runs = blobDigest(answer.runs);
    if (runs) await take(reader, [runs], held);
    const file = readAnswer(answer, (digest) => held.get(digest));
    if (canonicalText(answer.envelope) !== textOf(envelope)) return ['its answer shows another envelope'];
    const named = blobsOf(file);
    await take(reader, named, held);
    const whole = readAnswer(answer, (digest) => held.get(digest));
    const isJudged = (where: string) => revoked_ns !== null && where.startsWith('/runs/');
    const failed = verifyAnswer(whole, trust).checks.filter(({ ok, where }) => !ok && !isJudged(where));
    return [
      ...failed.map(({ where, detail }) => `its answer is not sound at ${where}: ${detail}`),
      ...(await holdingFaults(reader, job, named)),
    ];
  } catch (error) {
    return [unreadable(error)];
  }
}

/** An answer that could not be sealed names what is there. */
export async function unsealedAnswerFaults(reader: Reader, job: Answered): Promise<string[]> {
  try {
    const answer = strictly(job.answer);
    if (answer.envelope !== null) return ['its answer shows an envelope, and it is not sealed'];
    return await holdingFaults(reader, job, new Set(namedBlobs(answer)));
  } catch (error) {
    return [unreadable(error)];
  }
}

/** As whoever gets these bytes reads them: of two members with one name neither counts. */
const strictly = (answer: Uint8Array) => parseStrictJson(textOf(answer)) as Answer;

function unreadable(error: unknown): string {
  if (isStoreFault(error)) throw error;
  const message = error instanceof Refusal ? error.message : `it is no answer: ${(error as Error).message}`;
  return `its answer cannot be read: ${message}`;
}

const blobsOf = ({ answer, runs }: AnswerFile): ReadonlySet<Digest> =>
  new Set([...namedBlobs(answer), ...namedBlobs(runs)]);

/** Reads blobs while they fit; one that is not there, or not itself, is found by `holdingFaults` and `auditBlobs`. */
async function take(reader: Reader, digests: Iterable<Digest>, held: Map<Digest, Uint8Array>): Promise<void> {
  let together = [...held.values()].reduce((sum, { length }) => sum + length, 0);
  for (const digest of digests) {
    const length = held.has(digest) ? undefined : await blobLength(reader, digest);
    if (length === undefined || together + length > MOST_BYTES) continue;
    const bytes = await blobBytes(reader, digest).catch(() => undefined);
    if (bytes === undefined) continue;
    held.set(digest, bytes);
    together += length;
  }
}

/** What an answer names is there, and stays as long as it. */
async function holdingFaults(
  reader: Reader,
  { id, account }: Answered,
  named: ReadonlySet<Digest>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const digest of named) {
    const holder = await reader.get(blobHolders, { digest, kind: 'job', holder: id });
    if ((await reader.get(blobs, { digest })) === undefined)
      faults.push(`its answer names blob ${digest}, which is not here`);
    else if (holder === undefined) faults.push(`its answer names blob ${digest}, which is not held for it`);
    else if (holder.account !== account)
      faults.push(`its answer names blob ${digest}, which is held for it as of ${holder.account}`);
  }
  return faults;
}
