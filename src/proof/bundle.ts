import { sha256 } from '#crypto';
import { refuse } from '../errors/refusal.ts';
import { type Answer, blobDigest } from './answer.ts';
import { toBase64, toHex } from './bytes.ts';
import type { Digest } from './job.ts';
import { readAnswer } from './read-answer.ts';

/** One file that needs nobody: an answer, all blobs that it names, all kernels of its runs. It holds no key. */
export interface Bundle {
  readonly format: 'svc-bundle-1';
  readonly answer: Answer;
  readonly blobs: Readonly<Record<Digest, string>>;
  readonly kernels: Readonly<Record<Digest, string>>;
}

export interface BundleSources {
  blob(digest: Digest): Promise<Uint8Array | undefined>;
  kernel(digest: Digest): Promise<Uint8Array | undefined>;
}

/**
 * Collects what an answer needs. Throws a Refusal NOT_FOUND that names the digest when a source does not have it,
 * or has other bytes under it.
 */
export async function makeBundle(answer: Answer, sources: BundleSources): Promise<Bundle> {
  const blobs = new Map<Digest, Uint8Array>();
  const take = async (digest: Digest) => {
    if (!blobs.has(digest)) blobs.set(digest, checked('blob', digest, await sources.blob(digest)));
  };
  const runsBlob = blobDigest(answer.runs);
  if (runsBlob) await take(runsBlob);
  const { runs } = readAnswer(answer, (digest) => blobs.get(digest));
  const named = new Set(
    [answer.request, answer.fields.map(({ values }) => values), runs].flatMap(namedBlobs),
  );
  for (const digest of named) await take(digest);
  const kernels = new Map<Digest, Uint8Array>();
  for (const { kernel } of runs) {
    if (!kernels.has(kernel)) kernels.set(kernel, checked('kernel', kernel, await sources.kernel(kernel)));
  }
  return { format: 'svc-bundle-1', answer, blobs: encoded(blobs), kernels: encoded(kernels) };
}

/** Digests in `{"$blob": "sha256:…"}` and in blob parts, anywhere in a value. */
export function namedBlobs(value: unknown): Digest[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = blobDigest(value);
  if (own) return [own];
  const part = (value as { blob?: unknown }).blob;
  const isPart = typeof part === 'string' && /^[0-9a-f]{64}$/.test(part);
  return [...(isPart ? [part] : []), ...Object.values(value).flatMap(namedBlobs)];
}

function checked(what: string, digest: Digest, bytes: Uint8Array | undefined): Uint8Array {
  if (!bytes) refuse('NOT_FOUND', `The ${what} ${digest} is nowhere to be found.`);
  if (toHex(sha256(bytes)) !== digest)
    refuse('NOT_FOUND', `What is kept as ${what} ${digest} has another digest.`);
  return bytes;
}

function encoded(table: ReadonlyMap<Digest, Uint8Array>): Record<Digest, string> {
  return Object.fromEntries(
    [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, bytes]) => [name, toBase64(bytes)]),
  );
}
