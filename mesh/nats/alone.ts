import { join } from 'node:path';
import { refuse } from '../../src/errors/refusal.ts';
import { Connection } from '../../src/store/embedded/connection.ts';
import { isBusy, translated } from '../../src/store/embedded/errors.ts';
import { ownFolder } from '../../src/store/own-folder.ts';

const PATIENCE_MS = 1000;

/**
 * One process at a time starts a nats-server on the files of a folder: a second one would take the server of the first
 * for one that was left behind, end it, and both would then start it again. The system lets go of the lock of a process
 * that is gone.
 * @returns how to let go · @throws Refusal CONFLICT while another process has it
 */
export function aloneIn(folder: string): { close(): void } {
  ownFolder(folder);
  const lock = new Connection(join(folder, 'mesh.lock'), PATIENCE_MS);
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw translated(error);
    refuse(
      'CONFLICT',
      'Another process runs a mesh in this folder: end it, or name another folder with --data.',
    );
  }
}
