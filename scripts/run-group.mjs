// `node run-group.mjs FILE…`: compiled test files one after another in this process, as run-file.mjs asks for. Loading
// tap, the solvers and the compiler of the kernels, and warming them, takes longer than most files do.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { END_OF_FILE } from './tap-counts.mjs';

/** What the file that runs wants to be done at its end; tap would do it at the end of the process, for all files. */
const ends = [];
t.teardown = (end) => {
  ends.unshift(end);
};

for (const file of process.argv.slice(2)) {
  process.argv[1] = resolve(file); // as if it ran alone
  t.jobs = 1;
  t.setTimeout(600_000);
  await import(pathToFileURL(resolve(file)).href);
  await t.test(END_OF_FILE, async (t) => {
    for (const end of ends.splice(0)) await end();
    t.pass();
  });
}
