import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Refusal } from '../errors/refusal.ts';

/**
 * Makes a folder and those above it, for their owner alone. Level by level: Node's own recursion tries for ever where
 * the system says ENOENT of a folder whose parent is there, as below /proc.
 * @throws Refusal STORE_UNAVAILABLE
 */
export function ownFolder(folder: string): void {
  try {
    makeEach(resolve(folder));
  } catch (error) {
    const cause = (error as NodeJS.ErrnoException).code;
    throw new Refusal('STORE_UNAVAILABLE', `The data folder ${folder} cannot be made.`, { cause });
  }
}

function makeEach(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeEach(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error; // else another was quicker
  }
}
