// Runs at the end of `npm ci`: builds, and puts `svc` beside the other commands of node_modules/.bin, so that
// `npx svc …` works in this folder at once. (A `bin` entry in package.json would not: for the bin of the root
// package npx first installs the folder into its cache, which builds everything again.)
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);

function linkCommand() {
  const folder = join(root, 'node_modules', '.bin');
  const link = join(folder, 'svc');
  mkdirSync(folder, { recursive: true });
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link);
  symlinkSync('../../bin/svc.js', link);
}

linkCommand();
if (existsSync(join(root, 'node_modules', 'typescript'))) {
  try {
    await build();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
} else {
  console.log('Development dependencies are left out: nothing built. dist/ must come with this copy.');
}
