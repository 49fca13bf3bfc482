import { Refusal } from '../errors/refusal.ts';
import { type Answer, blobDigest, type PartEntry, type RunEntry } from '../proof/answer.ts';
import { textOf, toHex } from '../proof/bytes.ts';
import { parametersOf } from '../proof/check-runs.ts';
import { runHash } from '../proof/digests.ts';
import type { Digest } from '../proof/job.ts';
import { type AnswerFile, readAnswer } from '../proof/read-answer.ts';
import { jobs } from '../spine/records.ts';
import { blobBytes } from '../store/blobs.ts';
import type { Reader } from '../store/store.ts';
import type { SealedClaim } from './claims.ts';
import { DigestTree } from './digest-tree.ts';

/** A run of a sealed job, from its stored answer. */
export interface SealedRun {
  readonly account: string;
  readonly jobRoot: Digest;
  readonly engineVersion: string;
  readonly entry: RunEntry;
  readonly claim: SealedClaim;
  readonly tree: DigestTree;
  /** The bytes that runHash covers. */
  parameters(): Promise<Uint8Array>;
}

/** @throws Refusal NOT_FOUND for a run that the job has not */
export async function sealedRun(reader: Reader, job: string, run: number): Promise<SealedRun> {
  const row = await reader.get(jobs, { id: job });
  if (!row?.answer) throw new Refusal('NOT_FOUND', `Job ${job} has no sealed answer here.`);
  const held = new Map<Digest, Uint8Array>();
  const answer = JSON.parse(textOf(row.answer)) as Answer;
  await hold(reader, held, blobDigest(answer.runs));
  const file = readAnswer(answer, (digest) => held.get(digest));
  const entry = file.runs[run];
  if (!entry) throw noRun(run, file.runs.length);
  const { jobRoot, engine_version: engineVersion } = answer.envelope;
  const tree = DigestTree.of(entry);
  const parameters = () => parametersFor(reader, held, file, run);
  return {
    account: row.account,
    jobRoot,
    engineVersion,
    entry,
    claim: claimOf(entry, tree),
    tree,
    parameters,
  };
}

const noRun = (run: number, count: number): Refusal =>
  new Refusal('NOT_FOUND', `There is no run ${run}: this job has ${count}, from 0 on.`, {
    field: 'run',
    accepts: `0 to ${count - 1}`,
  });

function claimOf(entry: RunEntry, { level }: DigestTree): SealedClaim {
  const { root, resultHash, work, kernel, runHash, stepsPerSegment, segments } = entry;
  return { root, resultHash, work, kernel, runHash, stepsPerSegment, segments, level };
}

async function hold(
  reader: Reader,
  held: Map<Digest, Uint8Array>,
  digest: Digest | undefined,
): Promise<void> {
  const bytes = digest === undefined ? undefined : await blobBytes(reader, digest);
  if (bytes) held.set(digest!, bytes);
}

/** Fetches the blobs that the parameters are cut from, and puts them together. */
async function parametersFor(
  reader: Reader,
  held: Map<Digest, Uint8Array>,
  file: AnswerFile,
  run: number,
): Promise<Uint8Array> {
  const entry = file.runs[run]!;
  for (const part of entry.parts) await hold(reader, held, blobOf(part, file));
  const parameters = parametersOf(file, entry, run);
  const hash = parameters && toHex(runHash(entry.kernel, parameters, entry.stepsPerSegment));
  if (hash !== entry.runHash)
    throw new Refusal('STORE_UNAVAILABLE', `The store does not hold the parameters of run ${run} any more.`);
  return parameters!;
}

function blobOf(part: PartEntry, { runs }: AnswerFile): Digest | undefined {
  if ('blob' in part) return part.blob;
  return 'run' in part ? blobDigest(runs[part.run]?.[part.of]) : undefined;
}
