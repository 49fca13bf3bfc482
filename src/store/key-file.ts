import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The text of a file, or undefined where there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Makes a file that only its owner can read, whole or not at all: of two processes that start at once one is first.
 * @returns whether this call made it
 */
export function createOnce(file: string, text: string): boolean {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}
