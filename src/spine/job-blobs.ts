import { type Answer, blobDigest } from '../proof/answer.ts';
import { namedBlobs } from '../proof/bundle.ts';
import type { Digest, RunPlan } from '../proof/job.ts';
import { blobsIn } from '../solvers/input/blob.ts';
import { type HolderKind, holdBlob } from '../store/blob-holders.ts';
import { type BlobHolder, blobHolders } from '../store/blob-records.ts';
import { BLOB_GRACE_NS, blobBytes, blobLength, chunkBytes, putBlob, putBlobIn } from '../store/blobs.ts';
import type { Reader, Store, Transaction } from '../store/store.ts';
import { jobs } from './records.ts';

/** The job on whose behalf blobs stay. */
interface NamingJob {
  readonly id: string;
  readonly account: string;
}

const answered = { in: ['done', 'unsealed'] };

const holderOf = ({ id, account }: NamingJob, digest: Digest, review_ns: bigint | null) => ({
  ...{ digest, kind: 'job', holder: id, account, review_ns },
});

/** Holds blobs for a job that has not ended: a day later its record says whether it still needs them. */
export async function holdJobBlobs(
  tx: Transaction,
  job: NamingJob,
  digests: Iterable<Digest>,
  nowNs: bigint,
): Promise<void> {
  for (const digest of digests) await holdBlob(tx, holderOf(job, digest, nowNs + BLOB_GRACE_NS), nowNs);
}

/** What the answer of an executed job names beside the blobs that it makes: arrays of its request, blob parts. */
export function usedBlobs(request: unknown, plans: readonly Pick<RunPlan, 'parts'>[]): Set<Digest> {
  const parts = plans.flatMap((plan) => plan.parts.flatMap((part) => ('blob' in part ? [part.blob] : [])));
  return new Set([...blobsIn(request), ...parts]);
}

/**
 * Makes durable and holds what an answer names, before the answer is sealed. Should the seal or the charge fail, the
 * job's record names no answer, and a day later these blobs go.
 * @throws Refusal NOT_FOUND where a used blob is not there any more
 */
export async function keepJobBlobs(
  store: Store,
  job: NamingJob,
  made: ReadonlyMap<Digest, Uint8Array>,
  used: ReadonlySet<Digest>,
  nowNs: bigint,
): Promise<void> {
  if (made.size + used.size === 0) return;
  let together = 0;
  const small = new Set<Uint8Array>();
  for (const bytes of made.values()) {
    together += bytes.length;
    if (together <= chunkBytes) small.add(bytes);
    else await putBlob(store, bytes, nowNs);
  }
  await store.transaction(async (tx) => {
    for (const bytes of small) await putBlobIn(tx, bytes, nowNs);
    await holdJobBlobs(tx, job, new Set([...made.keys(), ...used]), nowNs);
  });
}

/** A job holds as long as it runs, and for ever once it has an answer. */
export const jobHolders: HolderKind = {
  async held(tx, { holder }) {
    const [found] = await tx.sumBy(jobs, 'attempt', ['state'], { id: holder });
    if (found === undefined) return 'over'; // its settlement failed, or its process is gone
    if (answered.in.includes(found.state)) return 'always';
    return found.state === 'running' ? 'still' : 'over';
  },
};

/** An account reads what it uploaded and what its own answers name (docs/store.md, 'Blobs'). */
export async function mayReadBlob(reader: Reader, account: string, digest: Digest): Promise<boolean> {
  if (await reader.get(blobHolders, { digest, kind: 'upload', holder: account })) return true;
  return (await namingJob(reader, account, digest, answered)) !== undefined;
}

const PAGE = 50;

/** A job of the account in one of these states that names the blob. */
export async function namingJob(
  reader: Reader,
  account: string,
  digest: Digest,
  state: { readonly in: readonly string[] },
): Promise<string | undefined> {
  const where = { digest, kind: 'job', account };
  for (let after: BlobHolder | undefined; ; ) {
    const holders: BlobHolder[] = await reader.find(blobHolders, {
      where,
      limit: PAGE,
      ...(after && { after }),
    });
    const ids = holders.map(({ holder }) => holder);
    const [found] = await reader.sumBy(jobs, 'attempt', ['id'], { id: { in: ids }, state });
    if (found) return found.id;
    if (holders.length < PAGE) return undefined;
    after = holders.at(-1);
  }
}

/** Answers from before blobs had holders: each holds what it names, also in a list of runs that is itself a blob. */
export async function holdBlobsOfAnswers(tx: Transaction): Promise<void> {
  const decoder = new TextDecoder();
  const nowNs = BigInt(Date.now()) * 1_000_000n;
  for (const { id, account } of await tx.sumBy(jobs, 'attempt', ['id', 'account'], { state: answered })) {
    const { answer } = (await tx.get(jobs, { id }))!;
    if (!answer) continue;
    const shown = JSON.parse(decoder.decode(answer)) as Answer;
    const runs = blobDigest(shown.runs);
    const list = runs && (await blobBytes(tx, runs));
    const inRuns = list ? namedBlobs(JSON.parse(decoder.decode(list))) : [];
    for (const digest of new Set([...namedBlobs(shown), ...inRuns]))
      if ((await blobLength(tx, digest)) !== undefined)
        await holdBlob(tx, holderOf({ id, account }, digest, null), nowNs);
  }
}
