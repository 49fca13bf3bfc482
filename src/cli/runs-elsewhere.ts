import { sha256 } from '#crypto';
import { blobDigest } from '../proof/answer.ts';
import { toHex } from '../proof/bytes.ts';
import type { Digest } from '../proof/job.ts';
import type { RemoteNode } from './remote.ts';

/**
 * The list of runs by its digest, where a file names it as a blob and does not hold it: asked of a node. Nothing where
 * the file has its runs, or is no answer, which whoever reads it says.
 * @throws RangeError for bytes that are not those of the digest · Refusal UNAUTHORIZED, NOT_FOUND of the node
 */
export async function runsFrom(remote: RemoteNode, file: Uint8Array): Promise<Map<Digest, Uint8Array>> {
  const digest = missingRuns(file);
  if (digest === undefined) return new Map();
  const bytes = await remote.bytes(`/api/svc/blobs/${digest}`);
  if (toHex(sha256(bytes)) !== digest)
    throw new RangeError(`The node has other bytes under ${digest}, which the file names as its runs.`);
  return new Map([[digest, bytes]]);
}

function missingRuns(file: Uint8Array): Digest | undefined {
  try {
    return blobDigest(JSON.parse(new TextDecoder().decode(file)).runs);
  } catch {
    return undefined;
  }
}
