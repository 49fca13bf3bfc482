// `node run-group.mjs FILE…`: compiled test files one after another in this process, as run-file.mjs asks for. Loading
// tap, the solvers and the compiler of the kernels, and warming them, takes longer than most files do.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { END_OF_FILE } from './tap-counts.mjs';

const files = process.argv.splice(2).map((file) => resolve(file));
process.argv[1] = files[0]; // by which tap names the folders of its tests
const { default: t } = await import('tap');

/** What the file that runs wants to be done at its end; tap would do it at the end of the process, for all files. */
const ends = [];
t.teardown = (end) => {
  ends.unshift(end);
};

for (const file of files) {
  process.argv[1] = file; // as if it ran alone
  t.jobs = 1;
  t.setTimeout(600_000);
  await import(pathToFileURL(file).href);
  await t.test(END_OF_FILE, async (t) => {
    for (const end of ends.splice(0)) await end();
    t.pass();
  });
}
