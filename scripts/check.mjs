// `npm run check`: types (by the incremental build), lint and format, and the rules of the house, in seconds.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { runFile } from './run-file.mjs';
import { failureText, tally } from './tap-counts.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);

function output(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece) => {
      text += piece;
    });
  }
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ code, text }));
  });
}

async function lint() {
  const biome = join(root, 'node_modules', '.bin', 'biome');
  const { code, text } = await output(biome, ['check', '--max-diagnostics=50']);
  return code === 0 ? [] : [text];
}

async function types() {
  try {
    await build();
    return [];
  } catch (error) {
    return [error.message];
  }
}

async function house() {
  const folder = join('dist', 'test', 'house');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.test.js')) : [];
  if (names.length === 0) return ['the rules of the house are not built'];
  const ran = await Promise.all(names.map((name) => runFile(join(folder, name))));
  return ran.flatMap((file) => tally(file).failures.map(failureText));
}

/** The registry beside its release: rows that changed are released under a version of their own. */
async function operatorRelease() {
  const module = join(root, 'dist', 'src', 'operators', 'release.js');
  if (!existsSync(module)) return [];
  const { countedRegistry, hasDrifted, releasedRegistry } = await import(pathToFileURL(module).href);
  const isOutOfStep = hasDrifted(countedRegistry(), releasedRegistry());
  return isOutOfStep ? ['src/operators/release.json is not of these rows: npm run release:operators'] : [];
}

const start = performance.now();
const built = (await Promise.all([types(), lint()])).flat();
const found = [...built, ...(await Promise.all([house(), operatorRelease()])).flat()];
for (const text of found) console.log(text);
console.log(
  `${found.length ? 'check failed' : 'checked'} in ${((performance.now() - start) / 1000).toFixed(1)} s`,
);
process.exitCode = found.length ? 1 : 0;
