// Pages that are made from the program: `npm run docs` writes them, `npm run check` fails when one differs.
// To add one: a row with its file and a function that returns its text, which may import what was built in dist/.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { documentedNode } from './docs/node.mjs';
import { apiPage, cliPage } from './docs/pages-of-the-surfaces.mjs';
import { readme } from './docs/readme.mjs';
import { solverPages } from './docs/solver-pages.mjs';

let opened;
/** One node for all pages that show something of a real one. */
const documented = () => {
  opened ??= documentedNode();
  return opened;
};

/** @type {() => Promise<readonly { file: string, make: () => Promise<string> }[]>} */
export const generatedDocs = async () => [
  { file: 'README.md', make: readme },
  { file: 'docs/api.md', make: async () => apiPage(await documented()) },
  { file: 'docs/cli.md', make: cliPage },
  ...(await solverPages(documented)),
];

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
  for (const page of await generatedDocs()) {
    if (!(await differs(page, write))) continue;
    console.log(write ? `wrote ${page.file}` : `${page.file} is not what its generator makes`);
    if (!write) process.exitCode = 1;
  }
  if (opened) await (await opened).close();
}
