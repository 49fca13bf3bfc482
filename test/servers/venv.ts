import { existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { repositoryRoot } from '../root.ts';

const binaries = join(repositoryRoot, '.cache', 'servers', 'venv', 'bin');

/** What to say when something of the venv is missing. */
export const howToFill =
  '`npm test` brings it where python3 (3.11 to 3.13) with venv is installed: apt-get install -y python3 python3-venv';

/** A program that `npm test` put into .cache/servers/venv, or undefined. */
export function venvBinary(name: string): string | undefined {
  const file = join(binaries, name);
  return existsSync(file) ? file : undefined;
}

/** A program on PATH, or undefined. */
export function pathBinary(name: string): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return files.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}
