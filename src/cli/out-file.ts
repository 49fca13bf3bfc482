import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { inertJson } from './output.ts';

/** What `--out` names standard output by, as `--input -` names standard input. */
export const STDOUT = '-';

/**
 * Sees, before anything is charged, that an answer can be written there. Makes nothing.
 * @throws RangeError that names the option, the path and what is in the way
 */
export function checkOut(file: string | undefined): void {
  if (file === undefined || file === STDOUT) return;
  const folder = dirname(file);
  if (file === '') throw cannotBeWritten(file, 'the name is empty');
  if (isFolder(file)) throw cannotBeWritten(file, 'it is a folder, not a file');
  const isThere = isFolder(file) === false;
  if (!isThere && isFolder(folder) === undefined) throw cannotBeWritten(file, `there is no folder ${folder}`);
  if (!isThere && !isFolder(folder)) throw cannotBeWritten(file, `${folder} is not a folder`);
  if (isThere && !may(file, constants.W_OK)) throw cannotBeWritten(file, 'it may not be written');
  if (!isThere && !may(folder, constants.W_OK | constants.X_OK))
    throw cannotBeWritten(file, `no file may be made in ${folder}`);
}

/** @returns whether it is a file, beside which there is more to say */
export function writeOut(file: string, text: string): boolean {
  if (file === STDOUT) process.stdout.write(inertJson(text));
  else writeFileSync(file, text);
  return file !== STDOUT;
}

const cannotBeWritten = (file: string, why: string): RangeError =>
  new RangeError(`--out ${file || "''"} cannot be written: ${why}.`);

/** Undefined where there is nothing. */
function isFolder(path: string): boolean | undefined {
  try {
    return statSync(path).isDirectory();
  } catch {
    return undefined;
  }
}

function may(path: string, rights: number): boolean {
  try {
    accessSync(path, rights);
    return true;
  } catch {
    return false;
  }
}
