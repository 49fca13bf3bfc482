import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../root.ts';

/** A text file of the repository; `path` is relative to its top folder, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const notOurs = new Set(['.git', '.cache', '.tap', 'dist', 'node_modules']);
const binary = /\.(wasm|png|jpg|gif|ico|woff2?|bin|gz|zip)$/;

function walk(folder = ''): string[] {
  return readdirSync(join(repositoryRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    if (notOurs.has(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(path) : [path];
  });
}

function listedByGit(): string[] {
  const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  return execFileSync('git', options, { cwd: repositoryRoot, encoding: 'utf8' }).split('\0').filter(Boolean);
}

/** Every text file that is, or is about to be, in the repository. Without git: every file outside built folders. */
export function repositoryFiles(): SourceFile[] {
  const paths = existsSync(join(repositoryRoot, '.git')) ? listedByGit() : walk();
  return paths
    .filter((path) => !binary.test(path))
    .filter((path) => statSync(join(repositoryRoot, path), { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));
}
