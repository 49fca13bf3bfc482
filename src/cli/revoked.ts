import { escaped } from '../errors/printable.ts';
import { Refusal } from '../errors/refusal.ts';
import { fromBase64 } from '../proof/bytes.ts';
import { type Checkpoint, readCheckpoint } from '../proof/checkpoint.ts';
import { verifyConsistency } from '../proof/log-tree.ts';
import type { AnswerFile } from '../proof/read-answer.ts';
import { leafHashOf, type Revocation, readRevocations } from '../proof/revocation.ts';
import type { RemoteNode } from './remote.ts';

export interface AskedForRevocation {
  /** Undefined: not revoked. */
  readonly revocation: Revocation | undefined;
  /** Leaves of the log that were looked at. */
  readonly asOf: number;
}

/**
 * Asks a node whether it has taken a result back since it sealed it. Its log must continue the one of the receipt, and
 * each revocation must be in it.
 * @throws RangeError where the node's answer proves nothing
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
    const page: unknown = await remote.json('GET', `/api/svc/revocations?since=${since}`);
    const { revocations, checkpoint, next } = proven(() => readRevocations(page, envelope.node, vkeys));
    await refuseOtherLog(remote, sealed, checkpoint);
    asOf = checkpoint!.size;
    const revocation = revocations.find((each) => each.envelope === leaf);
    if (revocation) return { revocation, asOf };
    since = next !== null && next > since ? next : null;
  }
  return { revocation: undefined, asOf };
}

async function refuseOtherLog(
  remote: RemoteNode,
  first: Checkpoint,
  second: Checkpoint | undefined,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new RangeError(
      `the log of ${escaped(first.origin)} does not continue that of the receipt: ${why}.`,
    );
  };
  if (!second || second.size < first.size)
    return refuse(`it has ${second?.size ?? 0} leaves, ${first.size} were signed`);
  const query = `first=${first.size}&second=${second.size}`;
  const { path } = await remote.json<{ path: string[] }>('GET', `/api/svc/log/consistency?${query}`);
  const isOne = verifyConsistency(first.size, second.size, first.root, second.root, path.map(fromBase64));
  if (!isOne) refuse('there is no proof of consistency');
}

/** A list that proves nothing is unreadable: exit code 2. */
function proven<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? new RangeError(error.message, { cause: error }) : error;
  }
}
