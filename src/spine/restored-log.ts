import { randomBytes } from 'node:crypto';
import { Refusal } from '../errors/refusal.ts';
import { type BackupSummary, restoreFrom } from '../store/backup.ts';
import type { Store } from '../store/store.ts';
import { gapInLog, isSameHead, type LogGap, storedHead } from './log-continuity.ts';
import type { HeadMemory } from './published-head.ts';
import { logRestores } from './records.ts';

/** A node's name, and what its folder remembers of its log. */
export interface OwnLog {
  readonly node: string;
  readonly memory: HeadMemory;
}

export interface RestoredStore extends Omit<BackupSummary, 'sha256'> {
  /** Why the node of this folder will seal nothing on it; undefined: it goes on. */
  readonly gap: LogGap | undefined;
}

/**
 * Puts a backup into the store and notes there that this was done. How far the log went before is remembered first.
 * @param own undefined where no node has run in this folder: one that begins here has a log of its own
 * @throws Refusal as `restoreFrom`
 */
export async function restoreStore(
  store: Store,
  file: string,
  { replace, own, nowNs }: { replace: boolean; own: OwnLog | undefined; nowNs: bigint },
): Promise<RestoredStore> {
  if (own) await rememberHead(store, own);
  const note = { id: randomBytes(16).toString('hex'), restored_ns: nowNs };
  const summary = await restoreFrom(store, file, { replace, beside: { table: logRestores, rows: [note] } });
  const gap = own && (await gapInLog(store, await storedHead(store, own.node), own.memory.read()));
  return { ...summary, gap };
}

async function rememberHead(store: Store, { node, memory }: OwnLog): Promise<void> {
  const stored = await storedHead(store, node);
  const seen = memory.read();
  if (stored.size > (seen?.size ?? 0)) memory.write(stored);
}

/**
 * Goes on with a log whose end nobody remembers, by the word of the operator that nothing was sealed after the backup.
 * @returns leaves of the log
 * @throws Refusal LOG_NOT_CONTINUED where more was signed, as far as is known · CONFLICT where there is nothing to say ·
 *   STORE_UNAVAILABLE where the folder cannot be written
 */
export async function continueLog(store: Store, { node, memory }: OwnLog): Promise<number> {
  const stored = await storedHead(store, node);
  const gap = await gapInLog(store, stored, memory.read());
  if (gap === undefined) throw new Refusal('CONFLICT', `The log of ${node} goes on as it is.`);
  if (gap.isKnown)
    throw new Refusal(
      'LOG_NOT_CONTINUED',
      `${gap.sentence}: going on would fork it. \`svc identity --new-key\` begins a log under a new key.`,
    );
  memory.write(stored);
  const written = memory.read();
  if (!written || !isSameHead(written, stored))
    throw new Refusal(
      'STORE_UNAVAILABLE',
      'The data folder cannot be written, where the head of the log is kept.',
    );
  return stored.size;
}
