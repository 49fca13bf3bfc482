import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function folderWithPackage(folder: string): string {
  return existsSync(join(folder, 'package-lock.json')) ? folder : folderWithPackage(dirname(folder));
}

/** The repository's top folder, found from the compiled file or from the source alike. */
export const repositoryRoot = folderWithPackage(dirname(fileURLToPath(import.meta.url)));
