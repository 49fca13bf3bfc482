// `npm run build`: TypeScript to dist/ by tsc, kernels to dist/kernels by build-kernels.mjs, side by side.
// What was built from what is remembered in dist/build.json, so that a build without a change costs milliseconds.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildKernels } from './build-kernels.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist');
const stampFile = join(out, 'build.json');
const compiledFolders = ['src', 'workers', 'mesh', 'test', 'bench', 'scripts'];

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Names, sizes and times of everything that tsc reads of ours. */
function fingerprint() {
  const sources = compiledFolders
    .flatMap((folder) => filesUnder(join(root, folder)))
    .filter((file) => file.endsWith('.ts') || file.endsWith('.json'));
  const options = ['tsconfig.json', 'package.json', 'package-lock.json'].map((name) => join(root, name));
  const hash = createHash('sha256');
  for (const file of [...options, ...sources].sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Removes compiled files whose source is gone: a deleted test must not go on running. */
function removeOrphans() {
  const made = compiledFolders.flatMap((folder) => filesUnder(join(out, folder)));
  for (const file of made) {
    const stem = file.replace(/\.(js|js\.map|json)$/, '');
    const source = join(root, relative(out, stem));
    if (!existsSync(`${source}.ts`) && !existsSync(`${source}.json`)) rmSync(file);
  }
}

function compilerPath() {
  try {
    return createRequire(import.meta.url).resolve('typescript/bin/tsc');
  } catch {
    throw new Error(
      'The TypeScript compiler is not installed: run `npm ci` (not `--omit=dev`) before a build.',
    );
  }
}

function compileTypeScript() {
  return new Promise((done, fail) => {
    const tsc = spawn(process.execPath, [compilerPath(), '-p', root, '--pretty', 'false'], {
      cwd: root,
      stdio: 'inherit',
    });
    tsc.on('error', fail);
    tsc.on('close', (code) => (code === 0 ? done() : fail(new Error('TypeScript: see the errors above.'))));
  });
}

async function buildTypeScript() {
  const now = fingerprint();
  const before = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
  if (before.sources === now) return false;
  await compileTypeScript();
  removeOrphans();
  mkdirSync(out, { recursive: true });
  writeFileSync(stampFile, `${JSON.stringify({ sources: now })}\n`);
  return true;
}

/** Builds what has changed. Throws with a sentence when something does not build. */
export async function build() {
  const [types, kernels] = await Promise.allSettled([buildTypeScript(), buildKernels()]);
  const failures = [types, kernels].filter((outcome) => outcome.status === 'rejected');
  if (failures.length) throw new Error(failures.map((failure) => failure.reason.message).join('\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(root);
  const start = performance.now();
  try {
    await build();
    console.log(`built in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
