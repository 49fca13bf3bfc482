import { dirname } from 'node:path';
import { refuse } from '../../errors/refusal.ts';
import { ownFolder } from '../own-folder.ts';
import { Connection } from './connection.ts';
import { isBusy, translated } from './errors.ts';

const PATIENCE_MS = 1000;

/**
 * One process at a time has what `file` stands for. It is an empty SQLite file, whose locks the system lets go of where
 * their process is gone, and says in its header which process that is.
 * @param why the refusal, of who has it: `Process 4711`, or `Another process` where that cannot be read
 * @returns how to let go · @throws Refusal CONFLICT while another process has it
 */
export function aloneWith(
  file: string,
  why: (holder: string) => string,
  patienceMs = PATIENCE_MS,
): { close(): void } {
  ownFolder(dirname(file));
  const lock = new Connection(file, patienceMs);
  try {
    lock.exec('BEGIN IMMEDIATE');
    sign(lock);
    // Others may read, and none of them has this lock at the same time.
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    const holder = holderOf(lock);
    lock.close();
    if (!isBusy(error)) throw translated(error);
    refuse('CONFLICT', why(holder));
  }
}

/** A lock holds without a name too, where the disk is full. */
function sign(lock: Connection): void {
  try {
    lock.exec(`PRAGMA user_version = ${process.pid}`);
    lock.exec('COMMIT');
  } catch {
    lock.exec('ROLLBACK');
  }
}

function holderOf(lock: Connection): string {
  try {
    const [pid] = lock.row({ text: 'PRAGMA user_version', values: [] }) ?? [];
    return pid && Number(pid) !== process.pid ? `Process ${pid}` : 'Another process';
  } catch {
    return 'Another process'; // of an earlier version, beside which nobody can read
  }
}
