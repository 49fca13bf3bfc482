import { Refusal } from '../errors/refusal.ts';
import { equalBytes } from '../proof/bytes.ts';
import { readCheckpoint } from '../proof/checkpoint.ts';
import { emptyLog, logRoot } from '../proof/log-tree.ts';
import type { Reader } from '../store/store.ts';
import { stateAt } from './log-tiles.ts';
import type { PublishedHead } from './published-head.ts';
import { logHeads, logRestores } from './records.ts';

/** A log as the store has it. */
export interface StoredHead {
  readonly node: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** As it is signed; undefined while the log is empty. */
  readonly checkpoint: string | undefined;
  /** The last restore of the store; null: none. */
  readonly restore: string | null;
}

export async function storedHead(reader: Reader, node: string): Promise<StoredHead> {
  const head = await reader.get(logHeads, { node });
  const [restored] = await reader.find(logRestores, { limit: 1 });
  const size = Number(head?.size ?? 0n);
  const checkpoint = head?.checkpoint;
  const root = checkpoint === undefined ? logRoot(emptyLog) : readCheckpoint(checkpoint).root;
  return { node, size, root, checkpoint, restore: restored?.id ?? null };
}

export const isSameHead = (a: Pick<StoredHead, 'size' | 'root'>, b: Pick<StoredHead, 'size' | 'root'>) =>
  a.size === b.size && equalBytes(a.root, b.root);

/** Why a log is not to be continued. */
export interface LogGap {
  /** False: nothing is known of its end, because the store was restored. */
  readonly isKnown: boolean;
  readonly sentence: string;
}

/**
 * Whether the log in the store continues what its node has shown to others. A log of fewer leaves, or of others in the
 * same places, would be signed a second time: two heads of one size, which is what a dishonest node shows.
 * @param seen the greatest head that is remembered; undefined: nothing is
 */
export async function gapInLog(
  reader: Reader,
  stored: StoredHead,
  seen: PublishedHead | undefined,
): Promise<LogGap | undefined> {
  const { node, size, restore } = stored;
  if (seen === undefined) return restore === null ? undefined : unknownEnd(stored);
  if (isSameHead(stored, seen)) return undefined;
  if (size < seen.size)
    return known(`The log of ${node} in the store has ${size} leaves, and this node has signed ${seen.size}`);
  const before = await stateAt(reader, node, seen.size).catch(() => undefined); // a tile may be gone
  if (!before || !equalBytes(logRoot(before), seen.root))
    return known(
      `The first ${seen.size} leaves of the log of ${node} in the store are not those that this node has signed`,
    );
  return restore === seen.restore ? undefined : unknownEnd(stored);
}

const known = (sentence: string): LogGap => ({ isKnown: true, sentence });

const unknownEnd = ({ node, size }: StoredHead): LogGap => ({
  isKnown: false,
  sentence: `The log of ${node} was restored with ${size} leaves, and nothing here says that no more were signed`,
});

/** What an operator can do, behind a gap's sentence. */
export function waysOut({ isKnown }: LogGap): string {
  const ways =
    'nothing is sealed, lest the log fork. Put back a newer backup, or begin a log under a new key with `svc ' +
    'identity --new-key`: receipts of the old one stay as good as they are.';
  const word =
    ' Only if nothing was sealed after the backup was made, `svc identity --continue-log` goes on with this log.';
  return isKnown ? ways : ways + word;
}

/** @throws Refusal LOG_NOT_CONTINUED */
export async function mustContinueLog(
  reader: Reader,
  stored: StoredHead,
  seen: PublishedHead | undefined,
): Promise<void> {
  const gap = await gapInLog(reader, stored, seen);
  if (gap === undefined) return;
  const { node, size } = stored;
  throw new Refusal('LOG_NOT_CONTINUED', `${gap.sentence}; ${waysOut(gap)}`, { node, leaves: size });
}
