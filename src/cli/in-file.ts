import { readFileSync } from 'node:fs';
import { Refusal } from '../errors/refusal.ts';

/** Bytes of the file that an argument names; `-` is standard input. Of a folder the system says no name. */
export function bytesOf(name: string): Buffer {
  try {
    return readFileSync(name === '-' ? 0 : name);
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: name });
  }
}

/** What a file should not hold makes it unreadable, which is exit code 2; every other refusal stays one. */
export async function orUnreadable<T>(file: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_INPUT') throw error;
    throw new RangeError(`${file} cannot be read: ${error.message}`, { cause: error });
  }
}
