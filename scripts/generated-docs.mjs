// Pages that are made from the program: `npm run docs` writes them, `npm run check` fails when one differs.
// To add one: a row with its file and a function that returns its text, which may import what was built in dist/.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @type {readonly { file: string, make: () => Promise<string> }[]} */
export const generatedDocs = [];

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

async function differs({ file, make }, write) {
  const path = join(root, file);
  const text = await make();
  const same = existsSync(path) && readFileSync(path, 'utf8') === text;
  if (!same && write) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return !same;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const write = process.argv.includes('--write');
  for (const page of generatedDocs) {
    if (!(await differs(page, write))) continue;
    console.log(write ? `wrote ${page.file}` : `${page.file} is not what its generator makes`);
    if (!write) process.exitCode = 1;
  }
}
