import { equalBytes, fromBase64 } from '../proof/bytes.ts';
import { type Checkpoint, readCheckpoint } from '../proof/checkpoint.ts';
import { verifyConsistency } from '../proof/log-tree.ts';
import type { AnswerFile } from '../proof/read-answer.ts';
import { leafHashOf, type Revocation, type RevocationPage, readRevocations } from '../proof/revocation.ts';
import type { RemoteNode } from './remote.ts';

/** Two heads of one log, both signed by its node, of which one does not continue the other. */
export interface Fork {
  readonly detail: string;
  /** Whether the two heads alone convict the node: other roots for as many leaves. */
  readonly proof: boolean;
  /** That of the receipt, and that of the node now. */
  readonly checkpoints: readonly [string, string];
}

export interface AskedForRevocation {
  /** Undefined: not revoked. */
  readonly revocation: Revocation | undefined;
  /** Leaves of the log that were looked at. */
  readonly asOf: number;
  /** Then nothing that the node lists counts. */
  readonly fork?: Fork;
}

/**
 * Asks a node whether it has taken a result back since it sealed it. Its log must continue the one of the receipt, and
 * each revocation must be in it.
 * @throws RangeError where the node's answer is not signed by it, or not what it signs
 */
export async function askForRevocation(
  { answer }: AnswerFile,
  remote: RemoteNode,
  vkeys: readonly string[],
): Promise<AskedForRevocation> {
  const { envelope, receipt } = answer;
  const leaf = leafHashOf(envelope);
  const sealed = readCheckpoint(receipt.log.checkpoint);
  let asOf = sealed.size;
  for (let since: number | null = receipt.log.index + 1; since !== null; ) {
    const path: string = `/api/svc/revocations?since=${since}`;
    const page: unknown = await remote.exact('record', 'GET', path);
    const { revocations, checkpoint, next } = remote.made(`GET ${path}`, () =>
      readRevocations(page, envelope.node, vkeys),
    );
    if (checkpoint === undefined)
      throw new RangeError('the node shows an empty log without its signature, which proves nothing.');
    const fork = await forkOf(remote, sealed, checkpoint);
    if (fork !== undefined) {
      const shown = (page as RevocationPage).checkpoint!;
      return { revocation: undefined, asOf, fork: { ...fork, checkpoints: [receipt.log.checkpoint, shown] } };
    }
    asOf = checkpoint.size;
    const revocation = revocations.find((each) => each.envelope === leaf);
    if (revocation) return { revocation, asOf };
    since = next !== null && next > since ? next : null;
  }
  return { revocation: undefined, asOf };
}

/** Whether the log of the second head continues that of the first (RFC 9162 §2.1.4). */
async function forkOf(
  remote: RemoteNode,
  first: Checkpoint,
  second: Checkpoint,
): Promise<Omit<Fork, 'checkpoints'> | undefined> {
  const { origin } = first;
  if (second.size === first.size)
    return equalBytes(second.root, first.root)
      ? undefined
      : { proof: true, detail: `${origin} has signed two different logs of ${first.size} leaves` };
  if (second.size < first.size)
    return {
      proof: false,
      detail: `${origin} shows a log of ${second.size} leaves, and it has signed ${first.size}`,
    };
  const query = `first=${first.size}&second=${second.size}`;
  const { path } = await remote.json<{ path: string[] }>(
    { path: ['text'] },
    'GET',
    `/api/svc/log/consistency?${query}`,
  );
  if (verifyConsistency(first.size, second.size, first.root, second.root, path.map(fromBase64)))
    return undefined;
  return {
    proof: false,
    detail: `${origin} gives no proof that its log of ${second.size} leaves continues that of ${first.size}`,
  };
}
