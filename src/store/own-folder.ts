import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it, for their owner alone. Level by level: Node's own recursion tries for ever where
 * the system says ENOENT of a folder whose parent is there, as below /proc.
 * @throws Error of the system: EEXIST for a file, EACCES, ENOENT, …
 */
export function ownFolder(path: string): void {
  const folder = resolve(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  ownFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error; // else another was quicker
  }
}
